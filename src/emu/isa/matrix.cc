// Matrix instructions and accumulation registers.
#include "emu/op_table.h"
#include "emu/valu.h"

namespace tl::emu {
namespace {

const OpRow kRows[] = {
    {"V_ACCVGPR_READ_B32", valu<[](uint32_t a) { return a; }>},
    {"V_ACCVGPR_WRITE_B32", valu<[](uint32_t a) { return a; }>},
    {"V_ACCVGPR_MOV_B32", valu<[](uint32_t a) { return a; }>},
};

} // namespace

std::span<const OpRow> matrixRows() { return kRows; }

} // namespace tl::emu
