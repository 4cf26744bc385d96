// The table of instructions: one row per normalized LLVM name (docs/emulator.md says how names are
// normalized and how an instruction is added). Rows live beside their semantics in isa/*.cc.
#pragma once

#include "emu/micro_op.h"

#include <span>
#include <string>
#include <string_view>

namespace tl::emu {

struct OpRow {
  const char *name;
  Handler run;
  /// Used instead of `run` when the instruction says clamp: saturating integers.
  Handler clamped = nullptr;
  uint32_t flags = 0; // MicroOpFlag: OpMode32, OpMode64, OpBranch, ...
};

/// The row's number, or kNoRow.
uint16_t findOp(std::string_view name);
const OpRow &opRow(uint16_t row);
size_t opRowCount();

/// "V_ADD_F32_e64_dpp_gfx11" → "V_ADD_F32"; memory names lose their addressing mode too. Tests of
/// the mechanism use it; the decoder does the rest.
std::string normalizeName(std::string_view name);

/// Rows of each family, in isa/.
std::span<const OpRow> saluRows();
std::span<const OpRow> saluFloatRows();
std::span<const OpRow> branchRows();
std::span<const OpRow> smemRows();
std::span<const OpRow> valuMoveRows();
std::span<const OpRow> valuIntegerRows();
std::span<const OpRow> valuFloatRows();
std::span<const OpRow> valuConvertRows();
std::span<const OpRow> valuCompareRows();
std::span<const OpRow> valuLaneRows();
std::span<const OpRow> valuHalfRows();
std::span<const OpRow> valuMathRows();
std::span<const OpRow> valuFp8Rows();
std::span<const OpRow> valuScaleRows();
std::span<const OpRow> valuPermuteRows();
std::span<const OpRow> vopdRows();
std::span<const OpRow> vop3pRows();
std::span<const OpRow> matrixRows();
std::span<const OpRow> vmemRows();
std::span<const OpRow> vmemFormatRows();
std::span<const OpRow> ldsRows();

} // namespace tl::emu
