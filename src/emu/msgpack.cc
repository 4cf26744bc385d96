#include "emu/msgpack.h"

namespace tl::emu {
namespace {

constexpr unsigned kDeepest = 32;

// All numbers are big endian (MessagePack specification, "Formats").
class MessageReader {
public:
  explicit MessageReader(std::span<const uint8_t> bytes) : bytes(bytes) {}

  bool read(MessageValue &out, unsigned depth = 0) {
    if (at == bytes.size() || depth > kDeepest)
      return false;
    uint8_t tag = bytes[at++];
    if (tag < 0x80)
      return integer(out, tag);
    if (tag >= 0xe0)
      return integer(out, uint64_t(int64_t(int8_t(tag))));
    if (tag < 0x90)
      return items(out, MessageValue::Kind::Map, uint64_t(tag & 15) * 2, depth);
    if (tag < 0xa0)
      return items(out, MessageValue::Kind::Array, tag & 15, depth);
    if (tag < 0xc0)
      return string(out, tag & 31);
    switch (tag) {
    case 0xc0:
      return true;
    case 0xc2:
    case 0xc3:
      out.kind = MessageValue::Kind::Bool;
      out.integer = tag & 1;
      return true;
    case 0xc4: // binary, read as a string
    case 0xc5:
    case 0xc6:
      return string(out, number(1u << (tag - 0xc4)));
    case 0xca:
    case 0xcb:
      out.kind = MessageValue::Kind::Float;
      out.integer = number(tag == 0xca ? 4 : 8);
      return good;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return integer(out, number(1u << (tag - 0xcc))) && good;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: {
      unsigned size = 1u << (tag - 0xd0), shift = 64 - 8 * size;
      uint64_t value = number(size);
      return integer(out, uint64_t(int64_t(value << shift) >> shift)) && good;
    }
    case 0xd9:
    case 0xda:
    case 0xdb:
      return string(out, number(1u << (tag - 0xd9)));
    case 0xdc:
    case 0xdd:
      return items(out, MessageValue::Kind::Array, number(tag == 0xdc ? 2 : 4), depth);
    case 0xde:
    case 0xdf:
      return items(out, MessageValue::Kind::Map, number(tag == 0xde ? 2 : 4) * 2, depth);
    }
    return false; // extension types do not occur
  }

private:
  uint64_t number(unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      if (at == bytes.size()) {
        good = false;
        return 0;
      }
      value = value << 8 | bytes[at++];
    }
    return value;
  }
  bool integer(MessageValue &out, uint64_t value) {
    out.kind = MessageValue::Kind::Integer;
    out.integer = value;
    return true;
  }
  bool string(MessageValue &out, uint64_t length) {
    if (!good || length > bytes.size() - at)
      return false;
    out.kind = MessageValue::Kind::String;
    out.string.assign(reinterpret_cast<const char *>(bytes.data()) + at, length);
    at += length;
    return true;
  }
  bool items(MessageValue &out, MessageValue::Kind kind, uint64_t count, unsigned depth) {
    if (!good || count > bytes.size() - at)
      return false;
    out.kind = kind;
    for (uint64_t i = 0; i < count; ++i)
      if (!read(out.items.emplace_back(), depth + 1))
        return false;
    return true;
  }

  std::span<const uint8_t> bytes;
  size_t at = 0;
  bool good = true;
};

} // namespace

const MessageValue &MessageValue::operator[](const char *key) const {
  static const MessageValue &nil = *new MessageValue; // never destroyed: see tables()
  if (kind == Kind::Map)
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (items[i].kind == Kind::String && items[i].string == key)
        return items[i + 1];
  return nil;
}

Result<MessageValue> readMessage(std::span<const uint8_t> bytes) {
  MessageValue value;
  if (!MessageReader(bytes).read(value))
    return makeError(TL_E_CORRUPT, "the code object is damaged: its metadata");
  return value;
}

} // namespace tl::emu
