// Read-modify-write operations, shared by global memory and LDS: F(old, data, second) → new.
#pragma once

#include "emu/float_ops.h"

#include <algorithm>

namespace tl::emu {

inline constexpr auto kSwap = [](auto, auto data, auto) { return data; };
inline constexpr auto kAddOp = [](auto old, auto data, auto) { return old + data; };
inline constexpr auto kSubOp = [](auto old, auto data, auto) { return old - data; };
inline constexpr auto kReverseSubOp = [](auto old, auto data, auto) { return data - old; };
inline constexpr auto kMinOp = [](auto old, auto data, auto) { return std::min(old, data); };
inline constexpr auto kMaxOp = [](auto old, auto data, auto) { return std::max(old, data); };
inline constexpr auto kAndOp = [](auto old, auto data, auto) { return old & data; };
inline constexpr auto kOrOp = [](auto old, auto data, auto) { return old | data; };
inline constexpr auto kXorOp = [](auto old, auto data, auto) { return old ^ data; };
// Wrap at the data operand.
inline constexpr auto kIncrement = [](auto old, auto data, auto) {
  return old >= data ? decltype(old)(0) : old + 1;
};
inline constexpr auto kDecrement = [](auto old, auto data, auto) {
  return old == 0 || old > data ? data : old - 1;
};
inline constexpr auto kSubClamp = [](auto old, auto data, auto) {
  return old < data ? decltype(old)(0) : old - data;
};
inline constexpr auto kSubCondition = [](auto old, auto data, auto) {
  return old >= data ? old - data : old;
};
inline constexpr auto kFloatMin = [](auto old, auto data, auto) {
  return minimumNumber(true, old, data);
};
inline constexpr auto kFloatMax = [](auto old, auto data, auto) {
  return maximumNumber(true, old, data);
};
inline constexpr auto kMask = [](auto old, auto mask, auto value) { return (old & ~mask) | value; };
/// The value to store first, or what is compared first.
inline constexpr auto kCompareStore = [](auto old, auto data, auto compare) {
  return old == compare ? data : old;
};
inline constexpr auto kCompareFirst = [](auto old, auto compare, auto data) {
  return old == compare ? data : old;
};

/// Two halves at once.
uint32_t addHalfPair(uint32_t a, uint32_t b);
uint32_t addBfloatPair(uint32_t a, uint32_t b);
inline constexpr auto kAddHalves = [](uint32_t old, uint32_t data, uint32_t) {
  return addHalfPair(old, data);
};
inline constexpr auto kAddBfloats = [](uint32_t old, uint32_t data, uint32_t) {
  return addBfloatPair(old, data);
};

} // namespace tl::emu
