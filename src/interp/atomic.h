// What the interpreter remembers of memory that atomic operations have touched, to know what other
// orders of programs and elements may leave there.
#pragma once

#include "graph/opcode.h"
#include "interp/sums.h"

#include <cstdint>
#include <unordered_map>

namespace tl::interp {

/// Of one address.
struct AtomicHistory {
  Opcode opcode = Opcode::AtomicAdd; // of the first operation
  int64_t program = -1;              // the first one
  bool severalPrograms = false;
  bool severalKinds = false;   // or one whose outcome depends on the order
  SumFacts<long double> facts; // of atomic_add on floats: what was there and what was added
};

using AtomicHistories = std::unordered_map<uint64_t, AtomicHistory>;

} // namespace tl::interp
