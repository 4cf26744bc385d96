// Sources whose modifiers an instruction reads by itself: packed and mixed ones, selected bytes.
#pragma once

#include "emu/valu.h"

namespace tl::emu {

/// A source as it is, through DPP but without modifiers and selection. T says how many registers.
template <class T> inline Lines fetchWhole(Wave &wave, const MicroOp &op, unsigned source) {
  static_assert(laneKind<T> != LaneKind::Half);
  if (op.src[source].plain())
    return fetch<T>(wave, op, source);
  MicroOp whole = op;
  whole.src[source].modifiers &= ModDpp;
  whole.src[source].select = Select::Dword;
  return fetch<T>(wave, whole, source);
}

/// The lanes to write.
inline uint64_t lanesToWrite(Wave &wave, const MicroOp &op) {
  return op.flags & OpDpp ? writeMask(wave, op) : wave.exec();
}

inline bool isSelected(const MicroOp &op, unsigned source) {
  return op.src[source].modifiers & ModOpSel;
}

} // namespace tl::emu
