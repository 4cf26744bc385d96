// A decoded instruction: everything a handler needs, in one plain record.
#pragma once

#include <cstdint>

namespace tl::emu {

struct Wave;
struct MicroOp;
using Handler = void (*)(Wave &, const MicroOp &);

inline constexpr unsigned kLineLanes = 64; // lanes of a line, also in waves of 32

/// A constant as vector operand: its low and high words in every lane.
struct alignas(64) ConstantLines {
  uint32_t low[kLineLanes], high[kLineLanes];
};

/// Which part of a register an operand or a result is: SDWA's numbering. Halves of true16
/// registers and op_sel of 16-bit operands are Word0 and Word1.
enum class Select : uint8_t { Byte0, Byte1, Byte2, Byte3, Word0, Word1, Dword };

enum OperandModifier : uint8_t {
  ModNeg = 1, // neg_lo of packed operands
  ModAbs = 2, // neg_hi of packed operands
  ModOpSel = 4,
  ModOpSelHi = 8,
  ModSext = 16,
  ModDpp = 32, // the source of an instruction with OpDpp: read through dpp.h
};

struct Operand {
  enum Kind : uint8_t {
    None,
    Vector,   // index: line of the vector file; AGPR n is line 256 + n
    Scalar,   // index: slot of the scalar file
    Constant, // low: the low word; lines: both words
    Special,  // index: SCC, VCCZ, EXECZ (ScalarSlot)
  };
  Kind kind = None;
  uint8_t modifiers = 0;
  uint8_t registers = 0; // how many 32-bit registers
  Select select = Select::Dword;
  union {
    uint32_t index = 0;
    uint32_t low;
  };
  const ConstantLines *constant = nullptr;

  bool plain() const { return !modifiers && select == Select::Dword; }
};

/// Where scalar registers lie in a wave's scalar file; SGPR n is slot n.
enum ScalarSlot : uint32_t {
  SlotFlatScratch = 102,
  SlotXnackMask = 104,
  SlotVcc = 106,
  SlotTtmp = 108,
  SlotM0 = 124,
  SlotExec = 126,
  SlotSharedBase = 136, // two slots each, as are those below
  SlotSharedLimit = 138,
  SlotPrivateBase = 140,
  SlotPrivateLimit = 142,
  SlotScratchBase = 144,
  SlotZero = 146,
  SlotDiscard = 160, // what is written to null; never read
  SlotScc = 192,     // Operand::Special
  SlotVccZero = 193,
  SlotExecZero = 194,
  ScalarSlots = 192,
};

enum MicroOpFlag : uint32_t {
  OpDpp = 1,
  OpDpp8 = 2,
  OpSdwa = 4,
  OpReturns = 8,          // an atomic that gives the old value
  OpOffsetLane = 16,      // buffer: a byte offset in a VGPR (offen)
  OpIndexLane = 32,       // buffer: an index in a VGPR (idxen)
  OpToLds = 64,           // loads into LDS
  OpWritesExec = 128,     // v_cmpx
  OpKeepsOther = 256,     // a 16-bit result leaves the other half alone (else it is zeroed)
  OpPacked = 512,         // VOP3P: modifiers are op_sel, op_sel_hi, neg_lo, neg_hi
  OpPair = 1024,          // VOPD: imm[0] is the index of its first half in Program::halves
  OpMode32 = 2048,        // rounds by MODE's f32 fields
  OpMode64 = 4096,        // rounds by MODE's f64 and f16 fields
  OpBranch = 8192,        // may leave the straight line
  OpVector = 16384,       // VALU: what gfx9's register indexing applies to
  OpWholeElement = 32768, // buffer: an element is in range as a whole or not at all
};

/// What a waiting instruction waits for; Idle: for everything.
enum class WaitClass : uint8_t {
  None,
  Combined, // s_waitcnt's field
  Vector,
  LdsAndScalar,
  Lds,
  Scalar,
  VectorAndLds,
  Store,
  Idle,
};

/// What a memory instruction addresses.
enum class Space : uint8_t { None, Global, Flat, Scratch, Buffer, Lds, Scalar };

/// What it does there; Atomic: it reads and writes in one.
enum class Access : uint8_t { Read, Write, Atomic };

/// Memory instructions have fixed places: src[0] address, src[1] data, src[2] scalar base or buffer
/// descriptor, src[3] scalar offset; LDS: src[0] address, src[1] and src[2] data. imm[0] offset,
/// imm[1] second offset of LDS or cache policy.
struct MicroOp {
  Handler run;
  uint32_t pc;     // in the code object's addresses
  uint32_t target; // index of a branch's target, kNoInstruction when it is none
  uint32_t flags;
  uint16_t opcode; // LLVM's, for mnemonic()
  uint16_t row;    // of the op table, kNoRow when unknown
  uint8_t bytes;
  uint8_t clamp, omod;
  Space space;
  WaitClass wait;
  uint8_t outputSelect, outputUnused; // SDWA: dst_sel; dst_unused 0 pad, 1 sign-extend, 2 preserve
  uint8_t sources;                    // how many of src are there
  uint32_t dpp; // ctrl, row_mask << 16, bank_mask << 20, bound_ctrl << 24, fi << 25; DPP8: selects
  int32_t imm[3];
  Operand dst[2];
  Operand src[4];
};

inline constexpr uint32_t kNoInstruction = ~0u;
inline constexpr uint16_t kNoRow = 0xffff;

} // namespace tl::emu
