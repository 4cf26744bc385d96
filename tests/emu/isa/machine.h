// One wave whose registers a test sets and reads around a few instructions.
#pragma once

#include "emu/chips.h"
#include "emu/code_object.h"
#include "emu/control.h"
#include "emu/decode.h"
#include "emu/launch.h"
#include "emu/op_table.h"
#include "emu/workgroup.h"

#include "assemble.h"
#include "unit/unit_test.h"

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace isatest {

using namespace tl::emu;

inline const std::vector<std::string> kChips = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};
inline bool isGfx9(const std::string &chip) { return chip.compare(0, 4, "gfx9") == 0; }

/// Rows of the op table that any test has executed to the end of its instructions, by number; and
/// those of them that changed anything: registers, memory, the course of execution.
std::set<unsigned> &executedRows();
std::set<unsigned> &effectiveRows();

/// Random words with many special floats of all sizes among them.
class Words {
public:
  explicit Words(uint32_t seed) : random(seed) {}
  uint64_t next(unsigned bits) {
    static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                      0x7d01, 0xfd55, 1,      0x83ff, 0x400,  0x7bff, 0xfbff,
                                      0x3800, 0x4000, 0xffff, 0x7fff, 0x3555, 0x0200};
    static const uint32_t words[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7f800001, 0xff812345, 1,
                                     0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
                                     0x40000000, 0xffffffff, 0x7fffffff, 0x4b000001, 0x43800000,
                                     0x477ff000, 0x477fe000, 0x33000000, 0x38800000, 0x3effffff};
    static const uint64_t pairs[] = {0,
                                     uint64_t(1) << 63,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff0000000000001,
                                     1,
                                     0x800fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0xffefffffffffffff,
                                     0x3fe0000000000000,
                                     0xffffffffffffffff,
                                     0x41e0000000000000,
                                     0xc1e0000000000000,
                                     0x41dfffffffc00000};
    const uint32_t kind = uint32_t(random() % 4);
    if (kind == 0) {
      if (bits == 16)
        return halves[random() % std::size(halves)];
      if (bits == 32)
        return words[random() % std::size(words)];
      return pairs[random() % std::size(pairs)];
    }
    if (kind == 1) { // near one
      if (bits == 16)
        return 0x3000 + random() % 0x1800 + (random() & 1) * 0x8000;
      if (bits == 32)
        return 0x3c000000 + random() % 0x08000000 + (random() & 1) * 0x80000000;
      return (uint64_t(0x3f80 + random() % 0x100) << 48) + (uint64_t(random()) << 16) +
             (uint64_t(random() & 1) << 63);
    }
    if (kind == 2 && bits == 32) // two halves
      return next(16) | next(16) << 16;
    if (kind == 2 && bits == 16)
      return random() % 64 + (random() & 1) * 0xffc0;
    const uint64_t word = uint64_t(random()) << 32 | random();
    return bits == 64 ? word : word & ((uint64_t(1) << bits) - 1);
  }
  uint64_t mask() { return uint64_t(random()) << 32 | random(); }

  std::mt19937 random;
};

class Machine {
public:
  static constexpr unsigned kLines = 128, kLdsBytes = 16384, kScratchBytes = 256;

  /// Has LDS; `memoryBytes`: also as much device memory, at memoryAddress().
  explicit Machine(const std::string &chip, unsigned waveSize = 0, uint64_t memoryBytes = 0,
                   unsigned lines = kLines)
      : chipName(chip),
        space(memoryBytes ? std::vector<uint64_t>{memoryBytes} : std::vector<uint64_t>()) {
    group.lds.resize(kLdsBytes);
    group.ldsBytes = kLdsBytes;
    if (memoryBytes)
      block = space.allocate(memoryBytes, MemoryKind::Device, 0);
    context.chip = findChip(chip);
    context.options = &options;
    context.record = &record;
    context.budget = UINT64_MAX;
    wave.lanes = waveSize ? waveSize : isGfx9(chip) ? 64 : 32;
    wave.laneMask = wave.lanes == 64 ? ~uint64_t(0) : 0xffffffffu;
    file.resize(size_t(lines + kSpareLines) * kLineLanes + 16);
    wave.v = reinterpret_cast<uint32_t *>((reinterpret_cast<uintptr_t>(file.data()) + 63) &
                                          ~uintptr_t(63));
    wave.launchVectorLines = lines;
    scratch.resize(size_t(kScratchBytes) * kLineLanes);
    wave.scratch = scratch.data();
    wave.scratchBytes = kScratchBytes;
    wave.launch = &context;
    wave.group = &group;
    wave.worker = &worker;
    wave.mode = ModeDefault | ModeDx10Clamp | ModeIeee;
    setExec(wave.laneMask);
  }
  unsigned lanes() const { return wave.lanes; }
  void setExec(uint64_t exec) { wave.setScalarPair(SlotExec, exec); }
  uint32_t &v(unsigned line, unsigned lane) { return wave.line(line)[lane]; }
  /// Random values of a size in registers of all lanes: of 16 bits two to a register.
  void fill(Words &words, std::initializer_list<unsigned> lines, unsigned bits) {
    for (unsigned l = 0; l < wave.lanes; ++l)
      for (unsigned line : lines) {
        const uint64_t value =
            bits == 16 ? words.next(16) | words.next(16) << 16 : words.next(bits);
        v(line, l) = uint32_t(value);
        if (bits == 64)
          v(line + 1, l) = uint32_t(value >> 32);
      }
  }

  /// Decodes the text. False when the chip has no such instruction.
  bool load(const std::string &text, std::string *error = nullptr) {
    std::vector<uint8_t> code = assemble(chipName, wave.lanes, text + "\ns_endpgm", error);
    if (code.empty())
      return false;
    CodeObject object;
    object.image = code;
    object.code.push_back({0, 0, code.size(), code.size(), true, false});
    auto decoded = decode(object, *context.chip, wave.lanes);
    if (!decoded) {
      unit::fail(__FILE__, __LINE__, decoded.error().message);
      return false;
    }
    program = std::move(*decoded);
    wave.program = program.get();
    context.program = program.get();
    return true;
  }
  /// Runs what was loaded, and counts its rows. False: an instruction is not implemented, or there
  /// was a fault.
  bool run() {
    for (size_t i = 0; i + 1 < program->ops.size(); ++i)
      if (program->ops[i].row == kNoRow || program->ops[i].run == unimplementedInstruction)
        return false;
    group.live = 1;
    wave.state = WaveState::Running;
    wave.pc = 0;
    std::vector<const MicroOp *> executed;
    context.budget = 1; // a slice is one instruction
    while (wave.state == WaveState::Running) {
      const MicroOp &op = program->ops[wave.pc];
      executed.push_back(&op);
      if (isEffective(op)) {
        runWave(wave);
        continue;
      }
      const State before(*this);
      runWave(wave);
      if (!(before == State(*this)))
        forRows(op, [](unsigned row) { effectiveRows().insert(row); });
    }
    context.budget = UINT64_MAX;
    if (wave.state != WaveState::Ended)
      return false;
    for (const MicroOp *op : executed)
      forRows(*op, [](unsigned row) { executedRows().insert(row); });
    return true;
  }
  uint8_t *lds() { return group.lds.data(); }
  uint64_t memoryAddress() const { return block ? block->address : 0; }
  uint8_t *memory() { return block ? block->host : nullptr; }
  /// What stopped the last run that did not end.
  const LaunchResult &fault() const { return context.result; }

private:
  template <class F> void forRows(const MicroOp &op, F f) const {
    if (op.row != kNoRow)
      f(op.row);
    if (op.flags & OpPair)
      for (int h = 0; h < 2; ++h)
        f(program->halves[size_t(op.imm[0] + h)].row);
  }
  bool isEffective(const MicroOp &op) const {
    bool all = true;
    forRows(op, [&](unsigned row) { all &= effectiveRows().count(row) != 0; });
    return all;
  }
  /// All that an instruction may change. The course of execution: where it is not the next one.
  struct State {
    explicit State(const Machine &m)
        : file(m.file), scalars(m.wave.s, m.wave.s + ScalarSlots), lds(m.group.lds),
          scratch(m.scratch), memory(m.block ? m.block->host : nullptr,
                                     m.block ? m.block->host + m.block->bytes : nullptr),
          others{m.wave.scc,   m.wave.mode,        m.wave.gprIndexMode,
                 m.wave.slept, m.group.generation, m.wave.state == WaveState::Running},
          pc(m.wave.pc) {}
    bool operator==(const State &after) const {
      return file == after.file && scalars == after.scalars && lds == after.lds &&
             scratch == after.scratch && memory == after.memory && others == after.others &&
             after.pc == pc + 1;
    }
    std::vector<uint32_t> file, scalars;
    std::vector<uint8_t> lds, scratch, memory;
    std::vector<uint32_t> others;
    uint32_t pc;
  };

  LaunchContext &prepared() {
    context.space = &space;
    return context;
  }

public:
  Wave wave;
  LaunchContext context;
  Options options;
  std::string chipName;

private:
  KernelRecord record{};
  AddressSpace space;
  MemoryBlock *block = nullptr;
  Workgroup group;
  Worker worker{prepared()};
  std::vector<uint8_t> scratch;
  std::vector<uint32_t> file;
  std::unique_ptr<Program> program;
};

} // namespace isatest
