// Values that cross lanes (DPP, permlane), parts of registers (SDWA), and exchanges.
#include "rows.h"

namespace isatest {
namespace {

// The lane that a lane reads by a DPP control, -1 when there is none.
using Control = int (*)(int lane, int lanes);

void checkDpp(const std::string &chip, unsigned waveSize, const std::string &control,
              Control source, bool fi = false) {
  for (bool bound : {false, true})
    for (unsigned masks : {0xffu, 0xf5u, 0x3fu, 0xb6u}) {
      Machine machine(chip, waveSize);
      const unsigned rows = masks >> 4, banks = masks & 15;
      char text[160];
      std::snprintf(text, sizeof(text), "v_mov_b32_dpp v40, v8 %s row_mask:0x%x bank_mask:0x%x%s%s",
                    control.c_str(), rows, banks,
                    bound ? (isGfx9(chip) ? " bound_ctrl:0" : " bound_ctrl:1") : "",
                    fi ? " fi:1" : "");
      std::string error;
      if (!machine.load(text, &error)) {
        unit::fail(__FILE__, __LINE__, chip + " " + text + ": " + error);
        return;
      }
      Words words(masks + bound);
      for (int round = 0; round < 3; ++round) {
        const uint64_t exec = round ? words.mask() & machine.wave.laneMask : machine.wave.laneMask;
        machine.setExec(exec);
        for (unsigned l = 0; l < machine.lanes(); ++l)
          machine.v(8, l) = 1000 + l, machine.v(40, l) = 77;
        if (!machine.run()) {
          unit::fail(__FILE__, __LINE__, chip + " " + text);
          return;
        }
        for (unsigned l = 0; l < machine.lanes(); ++l) {
          const int from = source(int(l), int(machine.lanes()));
          const bool valid = from >= 0 && (fi || (exec >> from & 1));
          const bool written = (exec >> l & 1) && (rows >> (l / 16 % 4) & 1) &&
                               (banks >> (l / 4 % 4) & 1) && (valid || bound);
          const uint32_t expected = !written ? 77 : valid ? 1000 + uint32_t(from) : 0;
          if (machine.v(40, l) != expected) {
            unit::fail(__FILE__, __LINE__,
                       chip + " " + text + " lane " + std::to_string(l) + ": " +
                           std::to_string(machine.v(40, l)) + ", not " + std::to_string(expected));
            return;
          }
        }
      }
    }
}

int inRow(int lane, int at) { return at < 0 || at > 15 ? -1 : (lane & ~15) + at; }

} // namespace

UNIT_TEST(dpp_controls_of_all_chips) {
  for (const std::string &chip : kChips) {
    checkDpp(chip, 0, "quad_perm:[3,1,0,2]", [](int l, int) {
      const int order[] = {3, 1, 0, 2};
      return (l & ~3) + order[l & 3];
    });
    checkDpp(chip, 0, "row_shl:3", [](int l, int) { return inRow(l, (l & 15) + 3); });
    checkDpp(chip, 0, "row_shr:5", [](int l, int) { return inRow(l, (l & 15) - 5); });
    checkDpp(chip, 0, "row_ror:4", [](int l, int) { return inRow(l, ((l & 15) + 12) % 16); });
    checkDpp(chip, 0, "row_mirror", [](int l, int) { return inRow(l, 15 - (l & 15)); });
    checkDpp(chip, 0, "row_half_mirror", [](int l, int) { return (l & ~7) + 7 - (l & 7); });
  }
}

UNIT_TEST(dpp_controls_of_gfx9) {
  for (const std::string chip : {"gfx90a", "gfx942", "gfx950"}) {
    checkDpp(chip, 0, "wave_shl:1", [](int l, int n) { return l + 1 < n ? l + 1 : -1; });
    checkDpp(chip, 0, "wave_rol:1", [](int l, int n) { return (l + 1) % n; });
    checkDpp(chip, 0, "wave_shr:1", [](int l, int) { return l - 1; });
    checkDpp(chip, 0, "wave_ror:1", [](int l, int n) { return (l + n - 1) % n; });
    checkDpp(chip, 0, "row_bcast:15", [](int l, int) { return l < 16 ? -1 : (l & ~15) - 1; });
    checkDpp(chip, 0, "row_bcast:31", [](int l, int) { return l < 32 ? -1 : 31; });
    checkDpp(chip, 0, "row_newbcast:6", [](int l, int) { return (l & ~15) + 6; });
  }
}

UNIT_TEST(dpp_controls_of_rdna) {
  for (const std::string chip : {"gfx1100", "gfx1201"})
    for (unsigned waveSize : {32u, 64u})
      for (bool fi : {false, true}) {
        checkDpp(chip, waveSize, "row_share:9", [](int l, int) { return (l & ~15) + 9; }, fi);
        checkDpp(chip, waveSize, "row_xmask:5", [](int l, int) { return l ^ 5; }, fi);
        checkDpp(
            chip, waveSize, "row_shr:1", [](int l, int) { return inRow(l, (l & 15) - 1); }, fi);
        // DPP8 has no masks, and gives 0 for inactive lanes.
        Machine machine(chip, waveSize);
        REQUIRE(machine.load(std::string("v_add_nc_u32_dpp v40, v8, v16 dpp8:[7,0,3,3,1,2,6,5]") +
                             (fi ? " fi:1" : "")));
        const int order[] = {7, 0, 3, 3, 1, 2, 6, 5};
        Words words(3);
        const uint64_t exec = words.mask() & machine.wave.laneMask;
        machine.setExec(exec);
        for (unsigned l = 0; l < waveSize; ++l)
          machine.v(8, l) = 1000 + l, machine.v(16, l) = 100000, machine.v(40, l) = 77;
        REQUIRE(machine.run());
        for (unsigned l = 0; l < waveSize; ++l) {
          const unsigned from = (l & ~7u) + unsigned(order[l & 7]);
          const bool valid = fi || (exec >> from & 1);
          CHECK_EQ(machine.v(40, l), !(exec >> l & 1) ? 77u : 100000 + (valid ? 1000 + from : 0u));
        }
      }
}

UNIT_TEST(dpp_reads_before_it_writes) {
  Machine machine("gfx942");
  REQUIRE(machine.load("v_mov_b32_dpp v8, v8 row_mirror row_mask:0xf bank_mask:0xf"));
  for (unsigned l = 0; l < 64; ++l)
    machine.v(8, l) = l;
  REQUIRE(machine.run());
  for (unsigned l = 0; l < 64; ++l)
    CHECK_EQ(machine.v(8, l), (l & ~15u) + 15 - (l & 15));
}

UNIT_TEST(sdwa_selections) {
  struct {
    const char *name;
    unsigned shift, bits;
  } parts[] = {{"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},   {"BYTE_2", 16, 8}, {"BYTE_3", 24, 8},
               {"WORD_0", 0, 16}, {"WORD_1", 16, 16}, {"DWORD", 0, 32}};
  const char *const unusedNames[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  Words words(31);
  for (auto &to : parts)
    for (auto &from : parts)
      for (unsigned unused = 0; unused < 3; ++unused)
        for (bool sext : {false, true}) {
          Machine machine("gfx942");
          REQUIRE(machine.load(std::string("v_add_u32_sdwa v40, ") + (sext ? "sext(v8)" : "v8") +
                               ", v16 dst_sel:" + to.name + " dst_unused:" + unusedNames[unused] +
                               " src0_sel:" + from.name + " src1_sel:DWORD"));
          const uint64_t exec = words.mask();
          machine.setExec(exec);
          for (unsigned l = 0; l < 64; ++l)
            for (unsigned line : {8u, 16u, 40u})
              machine.v(line, l) = uint32_t(words.mask());
          std::vector<uint32_t> old;
          for (unsigned l = 0; l < 64; ++l)
            old.push_back(machine.v(40, l));
          REQUIRE(machine.run());
          for (unsigned l = 0; l < 64; ++l) {
            int64_t part = machine.v(8, l) >> from.shift & ((uint64_t(1) << from.bits) - 1);
            if (sext && part >> (from.bits - 1))
              part -= int64_t(1) << from.bits;
            const uint64_t width = (uint64_t(1) << to.bits) - 1;
            const uint64_t sum = (uint64_t(part) + machine.v(16, l)) & width;
            uint64_t result = sum << to.shift;
            if (unused == 2)
              result |= old[l] & ~(width << to.shift);
            else if (unused == 1 && sum >> (to.bits - 1))
              result |= ~((width << to.shift) | ((uint64_t(1) << to.shift) - 1));
            CHECK_EQ(machine.v(40, l), exec >> l & 1 ? uint32_t(result) : old[l]);
          }
        }
}

UNIT_TEST(permlanes_of_rdna) {
  for (const std::string chip : {"gfx1100", "gfx1201"})
    for (unsigned waveSize : {32u, 64u})
      for (unsigned n = 0; n < 16; ++n) {
        const bool cross = n & 1, fetch = n & 2, zero = n & 4, byLanes = n & 8;
        if (byLanes && chip == "gfx1100")
          continue;
        Machine machine(chip, waveSize);
        const std::string name = std::string("v_permlane") + (cross ? "x16" : "16") +
                                 (byLanes ? "_var_b32 v40, v8, v16" : "_b32 v40, v8, s20, s21");
        std::string select;
        if (fetch || zero)
          select = std::string(" op_sel:[") + (fetch ? "1" : "0") + (zero ? ",1]" : ",0]");
        REQUIRE(machine.load(name + select));
        Words words(n);
        const uint64_t exec = words.mask() & machine.wave.laneMask, lanes = words.mask();
        machine.setExec(exec);
        machine.wave.setScalarPair(20, lanes);
        for (unsigned l = 0; l < waveSize; ++l) {
          machine.v(8, l) = 1000 + l, machine.v(40, l) = 77;
          machine.v(16, l) = uint32_t(words.mask());
        }
        REQUIRE(machine.run());
        for (unsigned l = 0; l < waveSize; ++l) {
          const unsigned row = l / 16 * 16, other = cross ? (row ^ 16) : row;
          const unsigned from =
              other + (byLanes ? machine.v(16, l) & 15 : unsigned(lanes >> (4 * (l % 16)) & 15));
          const bool valid = fetch || (exec >> from & 1);
          CHECK_EQ(machine.v(40, l), !(exec >> l & 1) || (!valid && !zero) ? 77u
                                     : valid                               ? 1000 + from
                                                                           : 0u);
        }
      }
  for (const std::string chip : {"gfx1100", "gfx1201"}) {
    Machine wide(chip, 64);
    REQUIRE(wide.load("v_permlane64_b32 v40, v8"));
    wide.setExec(0xff00ff00ff00ff0f);
    for (unsigned l = 0; l < 64; ++l)
      wide.v(8, l) = l, wide.v(40, l) = 77;
    REQUIRE(wide.run());
    for (unsigned l = 0; l < 64; ++l)
      CHECK_EQ(wide.v(40, l), 0xff00ff00ff00ff0f >> l & 1 ? (l + 32) % 64 : 77u);
    Machine narrow(chip, 32); // does nothing
    REQUIRE(narrow.load("v_permlane64_b32 v40, v8"));
    narrow.v(8, 1) = 5, narrow.v(40, 1) = 77;
    REQUIRE(narrow.run());
    CHECK_EQ(narrow.v(40, 1), 77u);
  }
}

UNIT_TEST(exchanges) {
  for (unsigned width : {16u, 32u}) {
    Machine machine("gfx950");
    REQUIRE(machine.load("v_permlane" + std::to_string(width) + "_swap_b32 v40, v8"));
    for (unsigned l = 0; l < 64; ++l)
      machine.v(40, l) = 100 + l, machine.v(8, l) = 200 + l;
    REQUIRE(machine.run());
    for (unsigned l = 0; l < 64; ++l) {
      CHECK_EQ(machine.v(40, l), l & width ? 200 + l - width : 100 + l);
      CHECK_EQ(machine.v(8, l), l & width ? 200 + l : 100 + l + width);
    }
  }
  Machine halves("gfx1100");
  REQUIRE(halves.load("v_swap_b16 v40.h, v8.l"));
  halves.setExec(5);
  for (unsigned l = 0; l < 4; ++l)
    halves.v(40, l) = 0x11112222, halves.v(8, l) = 0x33334444;
  REQUIRE(halves.run());
  for (unsigned l = 0; l < 4; ++l) {
    CHECK_EQ(halves.v(40, l), l % 2 ? 0x11112222u : 0x44442222u);
    CHECK_EQ(halves.v(8, l), l % 2 ? 0x33334444u : 0x33331111u);
  }
}

UNIT_TEST(relative_moves_with_two_offsets) {
  for (bool exchanges : {false, true}) {
    Machine machine("gfx1100");
    REQUIRE(machine.load(exchanges ? "v_swaprel_b32 v40, v8" : "v_movrelsd_2_b32 v40, v8"));
    machine.wave.s[SlotM0] = 3 << 16 | 2;
    machine.v(10, 0) = 5, machine.v(43, 0) = 6;
    REQUIRE(machine.run());
    CHECK_EQ(machine.v(43, 0), 5u);
    CHECK_EQ(machine.v(10, 0), exchanges ? 6u : 5u);
  }
}

UNIT_TEST(truth_tables) {
  Words words(8);
  for (unsigned table : {0u, 0x1u, 0x96u, 0xe8u, 0xcau, 0x80u, 0x7fu, 0xffu, 0x35u}) {
    Machine machine("gfx950");
    char text[160];
    std::snprintf(text, sizeof(text),
                  "v_bitop3_b32 v40, v8, v16, v24 bitop3:0x%x\n"
                  "v_bitop3_b16 v41, v8, v16, v24 bitop3:0x%x op_sel:[1,0,1,1]",
                  table, table);
    REQUIRE(machine.load(text));
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned line : {8u, 16u, 24u})
        machine.v(line, l) = uint32_t(words.mask());
      machine.v(41, l) = 0xaaaa5555;
    }
    REQUIRE(machine.run());
    for (unsigned l = 0; l < 64; ++l) {
      auto expected = [&](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t result = 0;
        for (unsigned i = 0; i < 32; ++i)
          result |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
        return result;
      };
      const uint32_t a = machine.v(8, l), b = machine.v(16, l), c = machine.v(24, l);
      CHECK_EQ(machine.v(40, l), expected(a, b, c));
      CHECK_EQ(machine.v(41, l), 0x5555 | expected(a >> 16, b, c >> 16) << 16);
    }
  }
}

UNIT_TEST(distances_of_bytes) {
  Words words(12);
  for (const std::string &chip : kChips) {
    Machine machine(chip);
    REQUIRE(machine.load("v_qsad_pk_u16_u8 v[40:41], v[8:9], v16, v[24:25]\n"
                         "v_mqsad_pk_u16_u8 v[42:43], v[8:9], v16, v[24:25]\n"
                         "v_mqsad_u32_u8 v[44:47], v[8:9], v16, v[24:27]"));
    for (unsigned l = 0; l < machine.lanes(); ++l)
      for (unsigned line : {8u, 9u, 16u, 24u, 25u, 26u, 27u})
        machine.v(line, l) = uint32_t(words.mask()) & (line == 16 ? 0xff00ffff : ~0u);
    REQUIRE(machine.run());
    for (unsigned l = 0; l < machine.lanes(); ++l)
      for (unsigned n = 0; n < 4; ++n) {
        uint32_t plain = 0, masked = 0;
        for (unsigned i = 0; i < 4; ++i) {
          const int a = int(machine.v(8 + (n + i) / 4, l) >> (8 * ((n + i) % 4)) & 0xff),
                    b = int(machine.v(16, l) >> (8 * i) & 0xff);
          plain += uint32_t(std::abs(a - b));
          masked += b ? uint32_t(std::abs(a - b)) : 0;
        }
        const unsigned shift = n % 2 * 16;
        const uint32_t sum = machine.v(24 + n / 2, l) >> shift;
        CHECK_EQ(machine.v(40 + n / 2, l) >> shift & 0xffff, (sum + plain) & 0xffff);
        CHECK_EQ(machine.v(42 + n / 2, l) >> shift & 0xffff, (sum + masked) & 0xffff);
        CHECK_EQ(machine.v(44 + n, l), machine.v(24 + n, l) + masked);
      }
  }
}

UNIT_TEST(bytes_of_floats) {
  Machine machine("gfx942");
  REQUIRE(machine.load("v_cvt_pkaccum_u8_f32 v40, v8, v16"));
  const double values[] = {0, 1, 254.5, 255, 300, -3, 0.5, 1.5, NAN};
  const unsigned bytes[] = {0, 1, 254, 255, 255, 0, 0, 2, 0};
  for (unsigned l = 0; l < 9; ++l) {
    machine.v(8, l) = uint32_t(bitsOf(kF32, Num(values[l])));
    machine.v(16, l) = l;
    machine.v(40, l) = 0x11223344;
  }
  REQUIRE(machine.run());
  for (unsigned l = 0; l < 9; ++l) {
    const unsigned shift = 8 * (l & 3);
    CHECK_EQ(machine.v(40, l), (0x11223344u & ~(0xffu << shift)) | bytes[l] << shift);
  }
}

UNIT_TEST(dual_halves_both_read_first) {
  Machine machine("gfx1100");
  REQUIRE(machine.load("v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v1\n"
                       "v_dual_dot2acc_f32_f16 v8, v10, v11 :: v_dual_mov_b32 v11, v8"));
  machine.setExec(0xff);
  for (unsigned l = 0; l < 32; ++l) {
    machine.v(0, l) = 10 + l, machine.v(1, l) = 50 + l, machine.v(3, l) = 7;
    machine.v(8, l) = 0x3f800000;  // 1
    machine.v(10, l) = 0x40003c00; // 1, 2
    machine.v(11, l) = 0x42004400; // 4, 3
  }
  REQUIRE(machine.run());
  for (unsigned l = 0; l < 32; ++l) {
    const bool active = l < 8;
    CHECK_EQ(machine.v(3, l), active ? 10 + l : 7u);
    CHECK_EQ(machine.v(0, l), active ? 50 + l : 10 + l);
    CHECK_EQ(machine.v(8, l), active ? 0x41300000u : 0x3f800000u); // 1 + 4 + 6
    CHECK_EQ(machine.v(11, l), active ? 0x3f800000u : 0x42004400u);
  }
}

} // namespace isatest
