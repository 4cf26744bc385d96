// Memory instructions: loads, stores and atomics of global memory and LDS, and scalar loads, on
// random contents. Address modes and bounds are in tests/emu/opcodes and emu/faults.
#include "rows.h"

namespace isatest {
namespace {

constexpr unsigned kBytes = 8192; // of both memories

std::string tuple(char kind, unsigned first, unsigned count) {
  const std::string name(1, kind);
  return count == 1
             ? name + std::to_string(first)
             : name + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

// Where an access goes: the address is in v8, or v8 and v9.
struct Place {
  Machine machine;
  bool isLds;
  Words words{99};
  std::vector<uint8_t> contents = std::vector<uint8_t>(kBytes);
  uint32_t at[64];

  Place(const std::string &chip, bool isLds) : machine(chip, 0, isLds ? 0 : kBytes), isLds(isLds) {}
  uint8_t *bytes() { return isLds ? machine.lds() : machine.memory(); }

  /// Random contents; each lane its own slot of 64 bytes, `bytes` aligned in it.
  void fill(unsigned bytesOfAccess) {
    for (uint8_t &byte : contents)
      byte = uint8_t(words.random());
    std::memcpy(bytes(), contents.data(), kBytes);
    machine.setExec(words.mask() & machine.wave.laneMask);
    machine.wave.s[SlotM0] = 0xffffffff;
    const unsigned step = bytesOfAccess > 4 ? 16 : bytesOfAccess;
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      at[l] = (l ^ 5) * 64 + words.random() % (32 / step) * step;
      const uint64_t address = isLds ? at[l] : machine.memoryAddress() + at[l];
      machine.v(8, l) = uint32_t(address), machine.v(9, l) = uint32_t(address >> 32);
      for (unsigned line = 40; line < 44; ++line)
        machine.v(line, l) = 0xa5000000 + line;
      for (unsigned line = 16; line < 24; ++line)
        machine.v(line, l) = uint32_t(words.mask());
    }
  }
  bool active(unsigned lane) const { return machine.wave.exec() >> lane & 1; }
  uint64_t before(unsigned lane, unsigned count, unsigned offset = 0) const {
    uint64_t value = 0;
    std::memcpy(&value, &contents[at[lane] + offset], count);
    return value;
  }
  void expect(unsigned lane, unsigned count, uint64_t value, unsigned offset = 0) {
    std::memcpy(&contents[at[lane] + offset], &value, count);
  }
  bool memoryIsRight() { return !std::memcmp(bytes(), contents.data(), kBytes); }
};

void complain(const Place &place, const std::string &text, const char *what) {
  unit::fail(__FILE__, __LINE__, place.machine.chipName + " " + text + ": " + what);
}

enum Part { Whole, LowHalf, HighHalf };

struct Transfer {
  const char *global, *lds; // names, or none
  unsigned bytes;
  bool isSigned;
  Part part;
};
const Transfer kLoads[] = {
    {"global_load_ubyte", "ds_read_u8", 1, false, Whole},
    {"global_load_sbyte", "ds_read_i8", 1, true, Whole},
    {"global_load_ushort", "ds_read_u16", 2, false, Whole},
    {"global_load_sshort", "ds_read_i16", 2, true, Whole},
    {"global_load_ubyte_d16", "ds_read_u8_d16", 1, false, LowHalf},
    {"global_load_ubyte_d16_hi", "ds_read_u8_d16_hi", 1, false, HighHalf},
    {"global_load_sbyte_d16", "ds_read_i8_d16", 1, true, LowHalf},
    {"global_load_sbyte_d16_hi", "ds_read_i8_d16_hi", 1, true, HighHalf},
    {"global_load_short_d16", "ds_read_u16_d16", 2, false, LowHalf},
    {"global_load_short_d16_hi", "ds_read_u16_d16_hi", 2, false, HighHalf},
    {"global_load_dword", "ds_read_b32", 4, false, Whole},
    {"global_load_dwordx2", "ds_read_b64", 8, false, Whole},
    {"global_load_dwordx3", "ds_read_b96", 12, false, Whole},
    {"global_load_dwordx4", "ds_read_b128", 16, false, Whole},
};
const Transfer kStores[] = {
    {"global_store_byte", "ds_write_b8", 1, false, Whole},
    {"global_store_byte_d16_hi", "ds_write_b8_d16_hi", 1, false, HighHalf},
    {"global_store_short", "ds_write_b16", 2, false, Whole},
    {"global_store_short_d16_hi", "ds_write_b16_d16_hi", 2, false, HighHalf},
    {"global_store_dword", "ds_write_b32", 4, false, Whole},
    {"global_store_dwordx2", "ds_write_b64", 8, false, Whole},
    {"global_store_dwordx3", "ds_write_b96", 12, false, Whole},
    {"global_store_dwordx4", "ds_write_b128", 16, false, Whole},
};

void runLoad(const Transfer &t, const std::string &chip, bool isLds) {
  Place place(chip, isLds);
  const unsigned words = std::max(1u, t.bytes / 4);
  const std::string text = std::string(isLds ? t.lds : t.global) + " " + tuple('v', 40, words) +
                           (isLds ? ", v8" : ", v[8:9], off");
  REQUIRE(place.machine.load(text));
  place.fill(t.bytes);
  REQUIRE(place.machine.run());
  for (unsigned l = 0; l < place.machine.lanes(); ++l)
    for (unsigned w = 0; w < words; ++w) {
      const uint32_t old = 0xa5000000 + 40 + w;
      uint32_t expected = uint32_t(place.before(l, std::min(t.bytes, 4u), 4 * w));
      if (t.isSigned && expected >> (8 * t.bytes - 1))
        expected |= ~0u << (8 * t.bytes);
      if (t.part == LowHalf)
        expected = (old & 0xffff0000) | (expected & 0xffff);
      if (t.part == HighHalf)
        expected = (old & 0xffff) | expected << 16;
      if (place.machine.v(40 + w, l) != (place.active(l) ? expected : old))
        return complain(place, text, "loads something else");
    }
  if (!place.memoryIsRight())
    complain(place, text, "changes memory");
}

void runStore(const Transfer &t, const std::string &chip, bool isLds) {
  Place place(chip, isLds);
  const unsigned words = std::max(1u, t.bytes / 4);
  const std::string data = tuple('v', 16, words);
  const std::string text = std::string(isLds ? t.lds : t.global) +
                           (isLds ? " v8, " + data : " v[8:9], " + data + ", off");
  REQUIRE(place.machine.load(text));
  place.fill(t.bytes);
  REQUIRE(place.machine.run());
  for (unsigned l = 0; l < place.machine.lanes(); ++l)
    for (unsigned w = 0; w < words && place.active(l); ++w)
      place.expect(l, std::min(t.bytes, 4u),
                   place.machine.v(16 + w, l) >> (t.part == HighHalf ? 16 : 0), 4 * w);
  if (!place.memoryIsRight())
    complain(place, text, "stores something else");
}

// Loads that transpose. gfx950: the lanes of a group hold a matrix with 16 columns row by row, and
// lane l gets column l of it. RDNA4: as others have measured on a chip.
struct Transposing {
  const char *name;
  unsigned elementBits, words;
  unsigned (*lane)(unsigned l, unsigned e), (*element)(unsigned l); // where lane l finds element e
};
const Transposing kTransposing[] = {
    // 4 rows: four lanes hold the 16 elements of one.
    {"ds_read_b64_tr_b16", 16, 2,
     [](unsigned l, unsigned e) { return l / 16 * 16 + e * 4 + l % 16 / 4; },
     [](unsigned l) { return l % 4; }},
    // 8 rows: two lanes hold the 16 elements of one.
    {"ds_read_b64_tr_b8", 8, 2,
     [](unsigned l, unsigned e) { return l / 16 * 16 + e * 2 + l % 16 / 8; },
     [](unsigned l) { return l % 8; }},
    // 16 rows: each lane holds one.
    {"ds_read_b64_tr_b4", 4, 2, [](unsigned l, unsigned e) { return l / 16 * 16 + e; },
     [](unsigned l) { return l % 16; }},
    {"ds_read_b96_tr_b6", 6, 3, [](unsigned l, unsigned e) { return l / 16 * 16 + e; },
     [](unsigned l) { return l % 16; }},
    // 8x8 elements of 16 bits in each 8 lanes.
    {"global_load_tr_b128", 16, 4, [](unsigned l, unsigned e) { return l / 8 * 8 + e; },
     [](unsigned l) { return l % 8; }},
    // With 8 bytes a lane, one after the other: lane l's byte e is number
    // l%8 + 32*(l/8%2) + 128*(l/16) + 8*(e%4) + 64*(e/4) of them.
    {"global_load_tr_b64", 8, 2,
     [](unsigned l, unsigned e) {
       return (32 * (l / 8 % 2) + 128 * (l / 16) + 8 * (e % 4) + 64 * (e / 4)) / 8;
     },
     [](unsigned l) { return l % 8; }},
};

unsigned elementAt(const uint8_t *bytes, unsigned index, unsigned bits) {
  unsigned value = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned at = index * bits + i;
    value |= unsigned(bytes[at / 8] >> at % 8 & 1) << i;
  }
  return value;
}

// False: the chip has no such instruction.
bool runTransposing(const Transposing &t, const std::string &chip, bool wholeWave,
                    bool scalarBase = false) {
  const bool isLds = t.name[0] == 'd';
  Place place(chip, isLds);
  const std::string text = t.name + (" " + tuple('v', 40, t.words)) +
                           (isLds        ? ", v8 offset:32"
                            : scalarBase ? ", v10, s[20:21] offset:32"
                                         : ", v[8:9], off offset:32");
  if (!place.machine.load(text))
    return false;
  place.fill(8);
  place.machine.wave.setScalarPair(20, place.machine.memoryAddress());
  for (unsigned l = 0; l < place.machine.lanes(); ++l)
    place.machine.v(10, l) = place.at[l];
  // Of inactive lanes nothing is known: whole groups of 16 are active or not.
  place.machine.setExec(wholeWave ? place.machine.wave.laneMask : 0xffff0000);
  if (!place.machine.run()) {
    complain(place, text, "not run");
    return true;
  }
  for (unsigned l = 0; l < place.machine.lanes(); ++l) {
    uint8_t got[16];
    for (unsigned w = 0; w < t.words; ++w)
      std::memcpy(got + 4 * w, &place.machine.v(40 + w, l), 4);
    for (unsigned e = 0; e < 32 * t.words / t.elementBits; ++e) {
      const uint8_t *from = &place.contents[place.at[t.lane(l, e)] + 32];
      uint8_t old[16];
      for (unsigned w = 0; w < t.words; ++w) {
        const uint32_t word = 0xa5000000 + 40 + w;
        std::memcpy(old + 4 * w, &word, 4);
      }
      const unsigned expected = place.active(l) ? elementAt(from, t.element(l), t.elementBits)
                                                : elementAt(old, e, t.elementBits);
      if (elementAt(got, e, t.elementBits) != expected) {
        complain(place, text, "loads something else");
        return true;
      }
    }
  }
  return true;
}

// Loads into LDS: each lane's data at M0, the offset, and the lane's number times its bytes; what
// is narrower than a word is extended to one.
struct ToLds {
  const char *global, *buffer;
  unsigned bytes;
  bool isSigned;
  unsigned chips; // how many have it
};
const ToLds kToLds[] = {
    {"global_load_lds_ubyte", "buffer_load_ubyte", 1, false, 2},
    {"global_load_lds_sbyte", "buffer_load_sbyte", 1, true, 2},
    {"global_load_lds_ushort", "buffer_load_ushort", 2, false, 2},
    {"global_load_lds_sshort", "buffer_load_sshort", 2, true, 2},
    {"global_load_lds_dword", "buffer_load_dword", 4, false, 2},
    {"global_load_lds_dwordx3", "buffer_load_dwordx3", 12, false, 1},
    {"global_load_lds_dwordx4", "buffer_load_dwordx4", 16, false, 1},
};

// False: the chip has no such instruction.
bool runToLds(const ToLds &t, const std::string &chip, bool isBuffer) {
  constexpr unsigned kBase = 256, kOffset = 16;
  Place place(chip, false);
  const std::string text = isBuffer
                               ? std::string(t.buffer) + " v10, s[20:23], 0 offen offset:16 lds"
                               : std::string(t.global) + " v[8:9], off offset:16";
  if (!place.machine.load(text))
    return false;
  place.fill(t.bytes);
  Wave &wave = place.machine.wave;
  wave.setScalarPair(20, place.machine.memoryAddress());
  wave.s[22] = kBytes, wave.s[23] = 0;
  wave.s[SlotM0] = kBase;
  for (unsigned l = 0; l < place.machine.lanes(); ++l)
    place.machine.v(10, l) = place.at[l];
  std::vector<uint8_t> expected(Machine::kLdsBytes, 0x77);
  std::memcpy(place.machine.lds(), expected.data(), expected.size());
  const unsigned step = std::max(t.bytes, 4u);
  for (unsigned l = 0; l < place.machine.lanes(); ++l) {
    if (!place.active(l))
      continue;
    uint8_t data[16] = {};
    std::memcpy(data, &place.contents[place.at[l] + kOffset], t.bytes);
    if (t.isSigned && data[t.bytes - 1] >> 7)
      std::memset(data + t.bytes, 0xff, 4 - t.bytes);
    std::memcpy(&expected[kBase + kOffset + l * step], data, step);
  }
  if (!place.machine.run())
    complain(place, text, "not run");
  else if (std::memcmp(place.machine.lds(), expected.data(), expected.size()))
    complain(place, text, "leaves something else in LDS");
  else if (!place.memoryIsRight())
    complain(place, text, "changes memory");
  return true;
}

// What an atomic leaves: old value, data, second data.
using Formula = uint64_t (*)(uint64_t, uint64_t, uint64_t);
struct Atomic {
  const char *lds, *global; // the names that return the old value, or none
  unsigned bits;
  Formula formula;
  bool isFloat = false;
  unsigned operands = 1;
  bool compareFirst = false; // gfx9's ds_cmpst
};

template <unsigned Bits> int64_t s(uint64_t v) { return int64_t(v << (64 - Bits)) >> (64 - Bits); }
template <unsigned Bits, bool Max> uint64_t extremeSigned(uint64_t a, uint64_t b, uint64_t) {
  return (s<Bits>(a) < s<Bits>(b)) == Max ? b : a;
}
template <bool Max> uint64_t extreme(uint64_t a, uint64_t b, uint64_t) {
  return (a < b) == Max ? b : a;
}
uint64_t sum(uint64_t a, uint64_t b, uint64_t) { return a + b; }
uint64_t difference(uint64_t a, uint64_t b, uint64_t) { return a - b; }
uint64_t reversed(uint64_t a, uint64_t b, uint64_t) { return b - a; }
uint64_t both(uint64_t a, uint64_t b, uint64_t) { return a & b; }
uint64_t either(uint64_t a, uint64_t b, uint64_t) { return a | b; }
uint64_t exclusive(uint64_t a, uint64_t b, uint64_t) { return a ^ b; }
uint64_t replaced(uint64_t, uint64_t b, uint64_t) { return b; }
uint64_t up(uint64_t a, uint64_t b, uint64_t) { return a >= b ? 0 : a + 1; }
uint64_t down(uint64_t a, uint64_t b, uint64_t) { return a == 0 || a > b ? b : a - 1; }
uint64_t masked(uint64_t a, uint64_t mask, uint64_t b) { return (a & ~mask) | b; }
uint64_t compared(uint64_t a, uint64_t b, uint64_t c) { return a == c ? b : a; }
uint64_t clamped(uint64_t a, uint64_t b, uint64_t) { return a < b ? 0 : a - b; }
uint64_t ifEnough(uint64_t a, uint64_t b, uint64_t) { return a < b ? a : a - b; }
uint64_t wrapped(uint64_t a, uint64_t b, uint64_t c) { return a >= b ? a - b : a + c; }

template <unsigned Bits> constexpr Format formatOf() { return Bits == 64 ? kF64 : kF32; }
template <unsigned Bits> uint64_t floatSum(uint64_t a, uint64_t b, uint64_t) {
  const Format f = formatOf<Bits>();
  return bitsOf(f, valueOf(f, a) + valueOf(f, b));
}
template <unsigned Bits, bool Max> uint64_t floatExtreme(uint64_t a, uint64_t b, uint64_t) {
  return chosen(formatOf<Bits>(), a, b, Max, Nan::Ignored);
}
template <bool Brain> uint64_t halfSums(uint64_t a, uint64_t b, uint64_t) {
  const Format f = Brain ? kBf16 : kF16;
  auto part = [&](unsigned n) {
    return bitsOf(f, valueOf(f, a >> n & 0xffff) + valueOf(f, b >> n & 0xffff));
  };
  return part(0) | part(16) << 16;
}

const Atomic kAtomics[] = {
    {"ds_add_rtn_u32", "global_atomic_add", 32, sum},
    {"ds_add_rtn_u64", "global_atomic_add_x2", 64, sum},
    {"ds_sub_rtn_u32", "global_atomic_sub", 32, difference},
    {"ds_sub_rtn_u64", "global_atomic_sub_x2", 64, difference},
    {"ds_rsub_rtn_u32", nullptr, 32, reversed},
    {"ds_rsub_rtn_u64", nullptr, 64, reversed},
    {"ds_inc_rtn_u32", "global_atomic_inc", 32, up},
    {"ds_inc_rtn_u64", "global_atomic_inc_x2", 64, up},
    {"ds_dec_rtn_u32", "global_atomic_dec", 32, down},
    {"ds_dec_rtn_u64", "global_atomic_dec_x2", 64, down},
    {"ds_min_rtn_i32", "global_atomic_smin", 32, extremeSigned<32, false>},
    {"ds_min_rtn_i64", "global_atomic_smin_x2", 64, extremeSigned<64, false>},
    {"ds_max_rtn_i32", "global_atomic_smax", 32, extremeSigned<32, true>},
    {"ds_max_rtn_i64", "global_atomic_smax_x2", 64, extremeSigned<64, true>},
    {"ds_min_rtn_u32", "global_atomic_umin", 32, extreme<false>},
    {"ds_min_rtn_u64", "global_atomic_umin_x2", 64, extreme<false>},
    {"ds_max_rtn_u32", "global_atomic_umax", 32, extreme<true>},
    {"ds_max_rtn_u64", "global_atomic_umax_x2", 64, extreme<true>},
    {"ds_and_rtn_b32", "global_atomic_and", 32, both},
    {"ds_and_rtn_b64", "global_atomic_and_x2", 64, both},
    {"ds_or_rtn_b32", "global_atomic_or", 32, either},
    {"ds_or_rtn_b64", "global_atomic_or_x2", 64, either},
    {"ds_xor_rtn_b32", "global_atomic_xor", 32, exclusive},
    {"ds_xor_rtn_b64", "global_atomic_xor_x2", 64, exclusive},
    {"ds_wrxchg_rtn_b32", "global_atomic_swap", 32, replaced},
    {"ds_wrxchg_rtn_b64", "global_atomic_swap_x2", 64, replaced},
    {"ds_mskor_rtn_b32", nullptr, 32, masked, false, 2},
    {"ds_mskor_rtn_b64", nullptr, 64, masked, false, 2},
    {"ds_cmpst_rtn_b32", nullptr, 32, compared, false, 2, true},
    {"ds_cmpst_rtn_b64", nullptr, 64, compared, false, 2, true},
    {"ds_cmpst_rtn_f32", nullptr, 32, compared, true, 2, true},
    {"ds_cmpst_rtn_f64", nullptr, 64, compared, true, 2, true},
    {"ds_cmpstore_rtn_b32", "global_atomic_cmpswap", 32, compared, false, 2},
    {"ds_cmpstore_rtn_b64", "global_atomic_cmpswap_x2", 64, compared, false, 2},
    {"ds_cmpstore_rtn_f32", "global_atomic_fcmpswap|global_atomic_cmpswap_f32", 32, compared, true,
     2},
    {"ds_cmpstore_rtn_f64", nullptr, 64, compared, true, 2},
    {"ds_wrap_rtn_b32", nullptr, 32, wrapped, false, 2},
    {"ds_sub_clamp_rtn_u32", "global_atomic_csub_u32|global_atomic_sub_clamp_u32", 32, clamped},
    {nullptr, "flat_atomic_sub_clamp_u32|flat_atomic_csub_u32", 32, clamped},
    {"ds_cond_sub_rtn_u32", "global_atomic_cond_sub_u32", 32, ifEnough},
    {"ds_add_rtn_f32", "global_atomic_add_f32", 32, floatSum<32>, true},
    {"ds_add_rtn_f64", "global_atomic_add_f64", 64, floatSum<64>, true},
    {"ds_min_rtn_f32", "global_atomic_fmin|global_atomic_min_f32|global_atomic_min_num_f32", 32,
     floatExtreme<32, false>, true},
    {"ds_max_rtn_f32", "global_atomic_fmax|global_atomic_max_f32|global_atomic_max_num_f32", 32,
     floatExtreme<32, true>, true},
    {"ds_min_rtn_f64", "global_atomic_min_f64", 64, floatExtreme<64, false>, true},
    {"ds_max_rtn_f64", "global_atomic_max_f64", 64, floatExtreme<64, true>, true},
    {"ds_pk_add_rtn_f16", "global_atomic_pk_add_f16", 32, halfSums<false>},
    {"ds_pk_add_rtn_bf16", "global_atomic_pk_add_bf16", 32, halfSums<true>},
};

// Values at which the formulas differ: small and near each other.
uint64_t operandOf(const Atomic &a, Words &words) {
  if (a.isFloat)
    return bitsOf(a.bits == 64 ? kF64 : kF32, Num((int(words.random() % 9) - 4) / 4.0));
  if (a.formula == halfSums<false> || a.formula == halfSums<true>) {
    const Format f = a.formula == halfSums<true> ? kBf16 : kF16;
    return bitsOf(f, Num(int(words.random() % 999) / 64.0)) |
           bitsOf(f, Num(int(words.random() % 999) / -8.0)) << 16;
  }
  const uint64_t mask = a.bits == 64 ? ~uint64_t(0) : 0xffffffff;
  return (words.random() % 3 ? words.random() % 4 - 1 : words.mask()) & mask;
}

// LDS has an operand each, memory one of all registers.
std::string textOf(const Atomic &a, const std::string &name, bool isLds) {
  const unsigned words = a.bits / 32;
  std::string text = name + " " + tuple('v', 40, words) + (isLds ? ", v8" : ", v[8:9]");
  for (unsigned n = 0; isLds && n < a.operands; ++n)
    text += ", " + tuple('v', 16 + 2 * n, words);
  if (!isLds)
    text += ", " + tuple('v', 16, words * a.operands) + (name[0] == 'g' ? ", off" : "");
  return text;
}

// False: the chip has no such instruction.
bool runAtomic(const Atomic &a, const std::string &name, const std::string &chip, bool isLds) {
  Place place(chip, isLds);
  const unsigned words = a.bits / 32;
  std::string text = textOf(a, name, isLds);
  bool loaded = false;
  for (const char *returns : {"", " glc", " sc0", " th:TH_ATOMIC_RETURN"})
    if (!loaded && place.machine.load(text + returns))
      loaded = true, text += returns;
  if (!loaded)
    return false;
  for (int round = 0; round < 8; ++round) {
    place.fill(a.bits / 8);
    uint64_t data[2][64];
    for (unsigned l = 0; l < place.machine.lanes(); ++l) {
      place.expect(l, a.bits / 8, operandOf(a, place.words));
      for (unsigned n = 0; n < a.operands; ++n) {
        data[n][l] = operandOf(a, place.words);
        const unsigned line = 16 + n * (isLds ? 2 : words);
        place.machine.v(line, l) = uint32_t(data[n][l]);
        if (a.bits == 64)
          place.machine.v(line + 1, l) = uint32_t(data[n][l] >> 32);
      }
    }
    std::memcpy(place.bytes(), place.contents.data(), kBytes);
    if (!place.machine.run()) {
      complain(place, text, "not run");
      return true;
    }
    for (unsigned l = 0; l < place.machine.lanes(); ++l) {
      if (!place.active(l))
        continue;
      const uint64_t old = place.before(l, a.bits / 8);
      uint64_t first = data[0][l], second = a.operands > 1 ? data[1][l] : 0;
      if (a.compareFirst)
        std::swap(first, second);
      // Zeros of either sign are equal to floats.
      uint64_t next = a.formula(old, first, second);
      const uint64_t sign = a.bits == 64 ? kF64.sign() : kF32.sign();
      if (a.isFloat && a.formula == compared)
        next = old == second || !((old | second) & (sign - 1)) ? first : old;
      place.expect(l, a.bits / 8, next);
      uint64_t got = place.machine.v(40, l);
      if (a.bits == 64)
        got |= uint64_t(place.machine.v(41, l)) << 32;
      if (got != old) {
        complain(place, text, "does not return the old value");
        return true;
      }
    }
    if (!place.memoryIsRight()) {
      complain(place, text, "leaves something else");
      return true;
    }
  }
  return true;
}

// Two places at once; `step`: what their offsets count in elements.
void runPairs(const std::string &chip, unsigned words, unsigned step) {
  const std::string width = words == 2 ? "b64" : "b32", far = step == 64 ? "st64" : "";
  const unsigned first = 1, second = step == 64 ? 2 : 3, bytes = 4 * words;
  const std::string offsets =
      " offset0:" + std::to_string(first) + " offset1:" + std::to_string(second);
  for (const char *kind : {"read2", "write2", "wrxchg2"}) {
    Place place(chip, true);
    const bool reads = kind[0] == 'r', exchanges = kind[2] == 'x';
    std::string text = std::string("ds_") + kind + far + (exchanges ? "_rtn_" : "_") + width + " ";
    if (reads || exchanges)
      text += tuple('v', 40, 2 * words) + ", ";
    text += "v8";
    if (!reads)
      text += ", " + tuple('v', 16, words) + ", " + tuple('v', 20, words);
    REQUIRE(place.machine.load(text + offsets));
    place.fill(16);
    const std::vector<uint8_t> old = place.contents;
    // One slot a lane, which no other lane reaches: offsets of 64 elements skip over all slots.
    for (unsigned l = 0; l < place.machine.lanes(); ++l)
      place.machine.v(8, l) = place.at[l] = step == 64 ? l * bytes : l * 64;
    REQUIRE(place.machine.run());
    bool good = true;
    for (unsigned l = 0; l < place.machine.lanes(); ++l)
      for (unsigned n = 0; n < 2 && place.active(l); ++n)
        for (unsigned w = 0; w < words; ++w) {
          const unsigned offset = (n ? second : first) * step * bytes + 4 * w;
          uint32_t was;
          std::memcpy(&was, &old[place.at[l] + offset], 4);
          if (reads || exchanges)
            good &= place.machine.v(40 + n * words + w, l) == was;
          if (!reads)
            place.expect(l, 4, place.machine.v(16 + 4 * n + w, l), offset);
        }
    if (!good || !place.memoryIsRight())
      complain(place, text + offsets, "is wrong");
  }
}

struct ScalarLoad {
  const char *plain, *buffer;
  unsigned bytes;
  bool isSigned;
};
const ScalarLoad kScalarLoads[] = {
    {"s_load_dword|s_load_b32", "s_buffer_load_dword|s_buffer_load_b32", 4, false},
    {"s_load_dwordx2|s_load_b64", "s_buffer_load_dwordx2|s_buffer_load_b64", 8, false},
    {"s_load_b96", "s_buffer_load_b96", 12, false},
    {"s_load_dwordx4|s_load_b128", "s_buffer_load_dwordx4|s_buffer_load_b128", 16, false},
    {"s_load_dwordx8|s_load_b256", "s_buffer_load_dwordx8|s_buffer_load_b256", 32, false},
    {"s_load_dwordx16|s_load_b512", "s_buffer_load_dwordx16|s_buffer_load_b512", 64, false},
    {"s_load_i8", "s_buffer_load_i8", 1, true},
    {"s_load_u8", "s_buffer_load_u8", 1, false},
    {"s_load_i16", "s_buffer_load_i16", 2, true},
    {"s_load_u16", "s_buffer_load_u16", 2, false},
};

// `size`: of the buffer; what is behind it reads as zero.
bool runScalarLoad(const ScalarLoad &load, const std::string &name, const std::string &chip,
                   bool isBuffer, unsigned size) {
  Place place(chip, false);
  constexpr unsigned kOffset = 12;
  const unsigned words = std::max(1u, load.bytes / 4);
  const std::string text =
      name + " " + tuple('s', 40, words) + ", " + (isBuffer ? "s[20:23]" : "s[20:21]") + ", 0xc";
  if (!place.machine.load(text))
    return false;
  place.fill(4);
  Wave &wave = place.machine.wave;
  wave.setScalarPair(20, place.machine.memoryAddress());
  wave.s[22] = size, wave.s[23] = 0;
  for (unsigned w = 0; w < 20; ++w)
    wave.s[40 + w] = 0x5a5a5a5a;
  if (!place.machine.run()) {
    complain(place, text, "not run");
    return true;
  }
  for (unsigned w = 0; w < words; ++w) {
    uint32_t expected = 0;
    const unsigned count = std::min(load.bytes, 4u), at = kOffset + 4 * w;
    if (!isBuffer || at + count <= size)
      std::memcpy(&expected, &place.contents[at], count);
    if (load.isSigned && expected >> (8 * count - 1))
      expected |= ~0u << (8 * count);
    if (wave.s[40 + w] != expected) {
      complain(place, text, "loads something else");
      return true;
    }
  }
  if (wave.s[40 + words] != 0x5a5a5a5a)
    complain(place, text, "writes behind its result");
  return true;
}

} // namespace

UNIT_TEST(loads_and_stores) {
  for (const std::string &chip : kChips)
    for (bool isLds : {false, true}) {
      for (const Transfer &t : kLoads)
        runLoad(t, chip, isLds);
      for (const Transfer &t : kStores)
        runStore(t, chip, isLds);
    }
}

UNIT_TEST(loads_into_lds) {
  for (const ToLds &t : kToLds)
    for (bool isBuffer : {false, true}) {
      unsigned chips = 0;
      for (const std::string &chip : kChips)
        chips += runToLds(t, chip, isBuffer);
      // gfx90a has the narrow ones of buffers.
      if (chips != t.chips + (isBuffer && t.bytes <= 4))
        unit::fail(__FILE__, __LINE__,
                   std::string(isBuffer ? t.buffer : t.global) + ": not the chips that have it");
    }
}

UNIT_TEST(transposing_loads) {
  for (const Transposing &t : kTransposing) {
    unsigned chips = 0;
    for (const std::string &chip : kChips)
      for (bool wholeWave : {true, false})
        chips += runTransposing(t, chip, wholeWave);
    if (t.name[0] == 'g')
      CHECK(runTransposing(t, "gfx1201", true, true));
    if (chips != 2)
      unit::fail(__FILE__, __LINE__, std::string(t.name) + ": not one chip has it");
  }
  // Waves of 64 of RDNA4: an error with the instruction's name.
  Machine machine("gfx1201", 64, 256);
  REQUIRE(machine.load("global_load_tr_b128 v[40:41], v[8:9], off"));
  CHECK(!machine.run());
  CHECK(machine.fault().status == LaunchStatus::Unimplemented);
  CHECK(machine.fault().message.find("global_load_tr_b128") != std::string::npos);
}

UNIT_TEST(atomics) {
  for (const Atomic &a : kAtomics)
    for (bool isLds : {false, true}) {
      const char *names = isLds ? a.lds : a.global;
      bool ran = !names;
      for (const std::string &name : namesOf(names ? names : ""))
        for (const std::string &chip : kChips)
          ran |= runAtomic(a, name, chip, isLds);
      if (!ran)
        unit::fail(__FILE__, __LINE__, std::string(names) + ": no chip has it");
    }
}

UNIT_TEST(two_places_of_lds) {
  for (const std::string &chip : kChips)
    for (unsigned words : {1u, 2u})
      for (unsigned step : {1u, 64u})
        runPairs(chip, words, step);
}

UNIT_TEST(scalar_loads) {
  for (const ScalarLoad &load : kScalarLoads)
    for (bool isBuffer : {false, true})
      for (const std::string &name : namesOf(isBuffer ? load.buffer : load.plain)) {
        bool ran = false;
        for (const std::string &chip : kChips)
          for (unsigned size : {16u, 24u, 4096u})
            ran |= runScalarLoad(load, name, chip, isBuffer, size);
        if (!ran)
          unit::fail(__FILE__, __LINE__, name + ": no chip has it");
      }
}

} // namespace isatest
