// How a program ends. Jumps and waits are in tests/emu/opcodes/control.txt.
#include "machine.h"

#include "emu/op_table.h"

namespace isatest {

UNIT_TEST(saved_programs_end_too) {
  for (const std::string &chip : kChips) {
    Machine machine(chip);
    REQUIRE(machine.load("s_endpgm_saved\ns_mov_b32 s40, 1"));
    machine.wave.s[40] = 7;
    CHECK(machine.run());
    CHECK_EQ(machine.wave.s[40], 7u);
  }
}

UNIT_TEST(padding_is_no_code) {
  for (const std::string chip : {"gfx1100", "gfx1201"}) {
    Machine machine(chip);
    REQUIRE(machine.load("s_mov_b32 s40, 1\ns_code_end"));
    CHECK(!machine.run());
    CHECK(machine.fault().status == LaunchStatus::IllegalState);
    CHECK(machine.fault().message.find("past the end of the code") != std::string::npos);
    CHECK_EQ(machine.wave.s[40], 1u);
    executedRows().insert(findOp("S_CODE_END"));
  }
}

} // namespace isatest
