// How each instruction passes on what is undefined, by its name in the op table.
#include "emu/checks/definedness.h"
#include "emu/op_table.h"

#include <string_view>
#include <vector>

namespace tl::emu {
namespace {

struct NamedFlow {
  std::string_view prefix;
  Flow flow;
};

// The first prefix that fits counts.
constexpr NamedFlow kVectorFlows[] = {
    {"V_NOP", Flow::None},
    {"V_CNDMASK_", Flow::Select},
    {"V_CMP", Flow::Compare},
    {"V_READFIRSTLANE", Flow::ReadFirstLane},
    {"V_READLANE", Flow::ReadLane},
    {"V_WRITELANE", Flow::WriteLane},
    {"V_SWAPREL", Flow::Relative},
    {"V_SWAP_", Flow::Swap},
    {"V_PERMLANE16_SWAP", Flow::SwapLanes},
    {"V_PERMLANE32_SWAP", Flow::SwapLanes},
    {"V_PERMLANE", Flow::AcrossLanes},
    {"V_MOVREL", Flow::Relative},
    {"V_MFMA", Flow::Matrix},
    {"V_SMFMAC", Flow::Matrix},
    {"V_WMMA", Flow::Matrix},
    {"V_SWMMAC", Flow::Matrix},
    {"V_LSHLREV_B64", Flow::AnyLow},
    {"V_LSHL_ADD_U64", Flow::AnyLow},
    {"V_MAD_U64", Flow::AnyLow},
    {"V_MAD_I64", Flow::AnyLow},
    {"V_MAD_CO_U64", Flow::AnyLow},
    {"V_MAD_CO_I64", Flow::AnyLow},
    {"V_ADDC_CO", Flow::AnyWithBits},
    {"V_SUBB_CO", Flow::AnyWithBits},
    {"V_SUBBREV_CO", Flow::AnyWithBits},
    {"V_ADD_CO_CI", Flow::AnyWithBits},
    {"V_SUB_CO_CI", Flow::AnyWithBits},
    {"V_SUBREV_CO_CI", Flow::AnyWithBits},
    {"V_DIV_FMAS", Flow::AnyWithBits},
    {"V_AND_OR", Flow::Merge},
    {"V_AND_", Flow::And},
    // What puts parts of several registers together: one of them may be of no importance.
    {"V_OR", Flow::Merge},
    {"V_LSHL_OR", Flow::Merge},
    {"V_BFI", Flow::Merge},
    {"V_BITOP3", Flow::Merge},
    {"V_PERM_", Flow::Merge},
    {"V_ALIGN", Flow::Merge},
    {"V_PACK_", Flow::Merge},
    {"V_CVT_PK", Flow::Merge},
    {"V_CVT_SCALE", Flow::Merge},
    {"V_CVT_SR", Flow::Merge},
    {"V_ASHR_PK", Flow::Merge},
    {"V_", Flow::Any},
};

constexpr NamedFlow kOtherFlows[] = {
    {"S_CSELECT", Flow::ScalarSelect},
    {"S_CMOV", Flow::ScalarMaybe},
    {"S_CMP", Flow::ScalarCompare},
    {"S_BITCMP", Flow::ScalarCompare},
    {"S_MOVREL", Flow::ScalarRelative},
    {"S_BITSET", Flow::ScalarRelative},
    {"S_CBRANCH_SCC", Flow::BranchScc},
    {"S_CBRANCH_VCC", Flow::BranchVcc},
    {"DS_BPERMUTE", Flow::PermuteLds},
    {"DS_PERMUTE", Flow::PermuteLds},
    {"DS_SWIZZLE", Flow::PermuteLds},
    {"DS_READ_ADDTID", Flow::OtherLds},
    {"DS_WRITE_ADDTID", Flow::OtherLds},
    {"DS_APPEND", Flow::OtherLds},
    {"DS_CONSUME", Flow::OtherLds},
    {"DS_NOP", Flow::OtherLds},
    {"S_LSHL_B64", Flow::AnyLow},
    {"S_ADD_U64", Flow::AnyLow},
    {"S_SUB_U64", Flow::AnyLow},
    {"S_MUL_U64", Flow::AnyLow},
    {"S_", Flow::ScalarAny},
};

struct NamedBitwise {
  std::string_view name;
  Bitwise bitwise;
};
constexpr NamedBitwise kBitwise[] = {
    {"S_MOV_B", Bitwise::Copy},      {"S_NOT_B", Bitwise::Not},   {"S_AND_B", Bitwise::And},
    {"S_ANDN2_B", Bitwise::AndNot2}, {"S_NAND_B", Bitwise::Nand}, {"S_OR_B", Bitwise::Or},
    {"S_ORN2_B", Bitwise::OrNot2},   {"S_NOR_B", Bitwise::Nor},   {"S_XOR_B", Bitwise::Xor},
    {"S_XNOR_B", Bitwise::Xnor},
};
constexpr NamedBitwise kSaveExec[] = {
    {"S_AND_SAVEEXEC", Bitwise::And},       {"S_ANDN1_SAVEEXEC", Bitwise::AndNot1},
    {"S_ANDN2_SAVEEXEC", Bitwise::AndNot2}, {"S_ANDN1_WREXEC", Bitwise::AndNot1},
    {"S_ANDN2_WREXEC", Bitwise::AndNot2},   {"S_NAND_SAVEEXEC", Bitwise::Nand},
    {"S_OR_SAVEEXEC", Bitwise::Or},         {"S_ORN1_SAVEEXEC", Bitwise::OrNot1},
    {"S_ORN2_SAVEEXEC", Bitwise::OrNot2},   {"S_NOR_SAVEEXEC", Bitwise::Nor},
    {"S_XOR_SAVEEXEC", Bitwise::Xor},       {"S_XNOR_SAVEEXEC", Bitwise::Xnor},
};

bool contains(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

// Conversions to bytes keep the other bytes, results of 16 bits the other half on some chips.
Partial writesPart(std::string_view name) {
  if (contains(name, "CVT_SR") || contains(name, "D16") ||
      (name.starts_with("V_CVT") && (contains(name, "P8_F") || contains(name, "F8_F") ||
                                     contains(name, "FP4_F") || contains(name, "_U8_F"))))
    return Partial::Yes;
  bool half = name.starts_with("V_") && name.ends_with("16") && !contains(name, "_PK") &&
              !name.starts_with("V_CVT_F32") && !name.starts_with("V_CVT_I32") &&
              !name.starts_with("V_CVT_U32") && !name.starts_with("V_CMP") &&
              !contains(name, "PACK_B32") && !contains(name, "_F32_F16") &&
              !contains(name, "_F32_BF16");
  return half ? Partial::WhereKept : Partial::No;
}

FlowRow flowOf(std::string_view name) {
  FlowRow row;
  row.partial = writesPart(name);
  row.exchanges = contains(name, "XCHG") || contains(name, "ATOMIC_SWAP");
  for (const NamedBitwise &named : kBitwise)
    if (name.starts_with(named.name)) {
      row.flow = Flow::Bits;
      row.bitwise = named.bitwise;
      return row;
    }
  for (const NamedBitwise &named : kSaveExec)
    if (name.starts_with(named.name)) {
      row.flow = Flow::SaveExec;
      row.bitwise = named.bitwise;
      return row;
    }
  auto find = [&](const auto &flows) {
    for (const NamedFlow &named : flows)
      if (name.starts_with(named.prefix)) {
        row.flow = named.flow;
        return true;
      }
    return false;
  };
  if (!find(kVectorFlows))
    find(kOtherFlows);
  return row;
}

} // namespace

const FlowRow *flowRows() {
  static const std::vector<FlowRow> &rows = []() -> std::vector<FlowRow> & {
    auto &all = *new std::vector<FlowRow>(opRowCount()); // never destroyed: see tables()
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = flowOf(opRow(uint16_t(i)).name);
    return all;
  }();
  return rows.data();
}

} // namespace tl::emu
