// Cases of tests/emu/opcodes/*.txt: an instruction, what registers hold before, and what they must
// hold afterwards. One line each, four columns separated by "|":
//
//     gfx942,gfx1100 | v_add_f32 v4, v0, v1 | v0=1.5f v1={1,2}f | v4={2.5,3.5}f
//
// - Chips; "all" stands for the five of them, "cdna" and "rdna" for theirs.
// - Instructions, separated by ";;". Cases use v0 to v99, s20 to s99, a0 to a31.
// - Registers: v0, s20, a0, pairs v[0:1], vcc, exec (all ones unless given), scc, m0, mode is left
// to
//   s_setreg. mem is a buffer of 4096 bytes: "mem={1,2,3}" fills it with dwords, and s[20:21]=mem
//   or v[0:1]=mem+lane*4 give its address. Afterwards mem[3] is its fourth dword.
// - Values: 7, -7, 0x7; with a suffix floats: 1.5f, 1.5d (pairs), 1.5h (f16), 1.5b (bf16), inff,
//   nanf, nand, nanh: as results any NaN. {a,b,c} repeats over the lanes; a suffix behind it is for
//   all. lane*A+B is a formula.
//
// '#' starts a comment. A line "chips | instruction | inputs |" without results only has to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emutest {

/// Values of a register in all lanes, or of memory.
struct CaseValue {
  std::string name;             // "v0", "s20", "a0", "vcc", "mem", ...
  unsigned registers = 1;       // 2 for pairs
  std::vector<uint64_t> values; // repeated over lanes
  char anyNan = 0;              // 'f', 'd', 'h', 'b': a NaN of this type in values means any NaN
  bool isAddress = false;       // mem is added
  bool formula = false;
  int64_t factor = 0, offset = 0; // of the lane
  uint32_t index = 0;             // of mem[index]
};

struct OpcodeCase {
  std::string file;
  unsigned line = 0;
  std::vector<std::string> chips, instructions;
  std::vector<CaseValue> inputs, outputs;
  std::string text; // the line, for messages
};

/// All cases of a file; complaints go to `errors`.
std::vector<OpcodeCase> readCases(const std::string &path, std::string &errors);
/// The value of one lane.
uint64_t laneValue(const CaseValue &value, unsigned lane);
/// Assembly of a code object with one kernel "case_N" for each case.
std::string assemblyOf(const std::vector<OpcodeCase> &cases, const std::string &chip,
                       unsigned waveSize);
/// Whether bits of a type ('f', 'd', 'h', 'b') are a NaN.
bool isNanOf(char type, uint64_t bits);

} // namespace emutest
