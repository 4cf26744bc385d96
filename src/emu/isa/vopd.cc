// VOPD: two instructions that both read before either writes (RDNA3 ISA 7.6 "Dual Issue VALU").
#include "emu/decode.h"
#include "emu/op_table.h"
#include "emu/valu.h"

namespace tl::emu {
namespace {

// The first half's result goes to a line behind the file until the second half has read.
void pair(Wave &w, const MicroOp &op) {
  const MicroOp *halves = &w.program->halves[size_t(op.imm[0])], &second = halves[1];
  if (!op.imm[1]) {
    halves[0].run(w, halves[0]);
    second.run(w, second);
    return;
  }
  MicroOp first = halves[0];
  uint32_t target = first.dst[0].index;
  first.dst[0].index = w.launchVectorLines;
  uint32_t *spare = w.line(w.launchVectorLines);
  first.run(w, first);
  second.run(w, second);
  blendLine(w, w.line(target), spare, w.exec());
}

const OpRow kRows[] = {{"V_DUAL", pair}};

} // namespace

std::span<const OpRow> vopdRows() { return kRows; }

} // namespace tl::emu
