// A reader of MessagePack, the format of a code object's metadata note. The input is not trusted:
// nesting and sizes are bounded, and a value of another kind than asked for reads as absent.
#pragma once

#include "support/bytes.h"
#include "support/result.h"

#include <span>

namespace tl::emu {

struct MessageValue {
  enum class Kind : uint8_t { Nil, Bool, Integer, Float, String, Array, Map };
  Kind kind = Kind::Nil;
  uint64_t integer = 0; // Bool too; negative ones in two's complement
  std::string string;
  std::vector<MessageValue> items; // of a Map: key, value, key, value, ...

  /// The value of a key of a Map, or a Nil.
  const MessageValue &operator[](const char *key) const;
  bool is(Kind k) const { return kind == k; }
  uint64_t integerOr(uint64_t otherwise) const {
    return kind == Kind::Integer || kind == Kind::Bool ? integer : otherwise;
  }
};

Result<MessageValue> readMessage(std::span<const uint8_t> bytes);

} // namespace tl::emu
