// Matrix instructions on matrices whose elements are all alike: whatever lies where, each element
// of D is C + K * a * b. Layouts and sums have tests of their own (emu/matrix*), which need
// published tables; this one needs none, so that every row is executed anywhere.
#include "rows.h"

namespace isatest {
namespace {

struct Element {
  const char *name; // as instructions spell it
  unsigned bits;
  int mantissa, bias; // of floats; 0: an integer
};
// gfx942's 8-bit floats have a bias of one more.
const Element kElements[] = {{"f64", 64, 52, 1023}, {"xf32", 32, 23, 127}, {"f32", 32, 23, 127},
                             {"bf16", 16, 7, 127},  {"f16", 16, 10, 15},   {"bf8", 8, 2, 15},
                             {"fp8", 8, 3, 7},      {"iu8", 8, 0, 0},      {"i8", 8, 0, 0},
                             {"iu4", 4, 0, 0},      {"i32", 32, 0, 0}};

// The bits of a small integer above zero.
uint64_t encoded(const Element &e, unsigned value, const std::string &chip) {
  if (!e.mantissa)
    return value;
  unsigned exponent = 0;
  while (value >> (exponent + 1))
    ++exponent;
  const unsigned bias = unsigned(e.bias) + (e.bits == 8 && chip == "gfx942" ? 1 : 0);
  return uint64_t(exponent + bias) << e.mantissa |
         (uint64_t(value - (1u << exponent)) << e.mantissa >> exponent);
}
// The element in all of a word: the low one, or the high one of two.
uint32_t repeated(const Element &e, uint64_t bits, bool high) {
  if (e.bits == 64)
    return uint32_t(bits >> (high ? 32 : 0));
  uint32_t word = 0;
  for (unsigned at = 0; at < 32; at += e.bits)
    word |= uint32_t(bits) << at;
  return word;
}

struct Product {
  std::string name;
  unsigned size = 0, depth = 0, blocks = 1;
  Element a{}, b{}, d{};
  bool wmma = false, sparse = false, scaled = false;
};

// "v_mfma_f32_32x32x4bf16_1k", and how many blocks.
Product parse(const std::string &name, unsigned blocks) {
  Product p;
  p.name = name, p.blocks = blocks;
  p.wmma = name.find("wmma") != std::string::npos;
  p.sparse = name.rfind("v_s", 0) == 0;
  p.scaled = name.find("scale") != std::string::npos;
  auto take = [](const std::string &text) {
    for (const Element &e : kElements)
      if (text.rfind(e.name, 0) == 0)
        return e;
    return kElements[6]; // f8f6f4: fp8 unless told otherwise
  };
  size_t start = 0; // of the shape: the underscore before the first number
  while (name[start] != '_' || name[start + 1] > '9')
    ++start;
  const size_t type = name.rfind('_', start - 1);
  p.d = take(name.substr(type + 1));
  char *end = nullptr;
  p.size = unsigned(std::strtoul(name.c_str() + start + 1, &end, 10));
  std::strtoul(end + 1, &end, 10);
  p.depth = unsigned(std::strtoul(end + 1, &end, 10));
  std::string types = *end == '_' ? end + 1 : end;
  p.a = p.b = take(types);
  if (p.a.bits == 8 && p.a.mantissa && types.find('_') != std::string::npos)
    p.b = take(types.substr(types.find('_') + 1));
  return p;
}

unsigned registersOf(const Product &p, const Element &e, unsigned depth, unsigned lanes,
                     bool repeats) {
  const unsigned bits = p.size * depth * p.blocks * e.bits;
  return std::max(1u, bits / 32 / (repeats ? 16 : lanes));
}

std::string tuple(unsigned first, unsigned count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

// False: the chip has no such instruction.
bool runProduct(const Product &p, const std::string &chip, unsigned waveSize) {
  Machine machine(chip, waveSize);
  const unsigned lanes = machine.lanes();
  const bool rdna3 = chip == "gfx1100";
  const unsigned a = registersOf(p, p.a, p.sparse ? p.depth / 2 : p.depth, lanes, rdna3),
                 b = registersOf(p, p.b, p.depth, lanes, rdna3),
                 d = rdna3 && p.d.bits == 16 ? p.size * p.size / lanes
                                             : registersOf(p, p.d, p.size, lanes, false);
  constexpr unsigned kA = 0, kB = 16, kD = 40, kC = 80, kIndex = 120, kScales = 122;
  std::string text = p.name + " " + tuple(kD, d) + ", " + tuple(kA, a) + ", " + tuple(kB, b) +
                     ", " + (p.sparse ? "v120" : tuple(kC, d));
  if (p.scaled)
    text += ", v122, v123";
  if (!machine.load(text))
    return false;
  const uint64_t c = encoded(p.d, 5, chip);
  for (unsigned l = 0; l < lanes; ++l) {
    for (unsigned r = 0; r < 16; ++r) {
      machine.v(kA + r, l) = repeated(p.a, encoded(p.a, 2, chip), r & 1);
      machine.v(kB + r, l) = repeated(p.b, encoded(p.b, 3, chip), r & 1);
    }
    for (unsigned r = 0; r < d; ++r) {
      machine.v(kC + r, l) = repeated(p.d, c, r & 1);
      machine.v(kD + r, l) = p.sparse ? machine.v(kC + r, l) : 0x7777;
    }
    machine.v(kIndex, l) = 0x44444444; // the first and second of each four
    machine.v(kScales, l) = 128;       // 2
    machine.v(kScales + 1, l) = 129;   // 4
  }
  if (!machine.run()) {
    unit::fail(__FILE__, __LINE__, chip + " " + text + ": not run");
    return true;
  }
  const unsigned sum = 5 + 6 * (p.sparse ? p.depth / 2 : p.depth) * (p.scaled ? 8 : 1);
  const uint64_t bits = encoded(p.d, sum, chip);
  const uint32_t mask = rdna3 && p.d.bits == 16 ? 0xffff : ~0u;
  for (unsigned l = 0; l < lanes; ++l)
    for (unsigned r = 0; r < d; ++r)
      if ((machine.v(kD + r, l) & mask) != (repeated(p.d, bits, r & 1) & mask)) {
        char line[160];
        std::snprintf(line, sizeof(line), "%s %s: register %u, lane %u is %x, not %x", chip.c_str(),
                      text.c_str(), r, l, machine.v(kD + r, l), repeated(p.d, bits, r & 1));
        unit::fail(__FILE__, __LINE__, line);
        return true;
      }
  return true;
}

struct Names {
  unsigned blocks;
  const char *names;
};
const Names kProducts[] = {
    {1, "v_mfma_f32_32x32x2f32|v_mfma_f32_16x16x4f32|v_mfma_f32_16x16x8_xf32|"
        "v_mfma_f32_32x32x4_xf32|v_mfma_f64_16x16x4f64|v_mfma_f32_32x32x8f16|"
        "v_mfma_f32_16x16x16f16|v_mfma_f32_16x16x32_f16|v_mfma_f32_32x32x16_f16|"
        "v_mfma_f32_32x32x4bf16|v_mfma_f32_16x16x8bf16|v_mfma_f32_32x32x8bf16_1k|"
        "v_mfma_f32_16x16x16bf16_1k|v_mfma_f32_16x16x32_bf16|v_mfma_f32_32x32x16_bf16|"
        "v_mfma_i32_32x32x8i8|v_mfma_i32_16x16x16i8|v_mfma_i32_32x32x16_i8|"
        "v_mfma_i32_16x16x32_i8|v_mfma_i32_16x16x64_i8|v_mfma_i32_32x32x32_i8"},
    {2, "v_mfma_f32_32x32x1f32|v_mfma_f32_32x32x4f16|v_mfma_f32_32x32x2bf16|"
        "v_mfma_f32_32x32x4bf16_1k|v_mfma_i32_32x32x4i8"},
    {4, "v_mfma_f32_16x16x1f32|v_mfma_f64_4x4x4f64|v_mfma_f32_16x16x4f16|v_mfma_f32_16x16x2bf16|"
        "v_mfma_f32_16x16x4bf16_1k|v_mfma_i32_16x16x4i8"},
    {16, "v_mfma_f32_4x4x1f32|v_mfma_f32_4x4x4f16|v_mfma_f32_4x4x2bf16|v_mfma_f32_4x4x4bf16_1k|"
         "v_mfma_i32_4x4x4i8"},
    {1, "v_mfma_f32_16x16x32_bf8_bf8|v_mfma_f32_16x16x32_bf8_fp8|v_mfma_f32_16x16x32_fp8_bf8|"
        "v_mfma_f32_16x16x32_fp8_fp8|v_mfma_f32_32x32x16_bf8_bf8|v_mfma_f32_32x32x16_bf8_fp8|"
        "v_mfma_f32_32x32x16_fp8_bf8|v_mfma_f32_32x32x16_fp8_fp8|v_mfma_f32_16x16x128_f8f6f4|"
        "v_mfma_f32_32x32x64_f8f6f4|v_mfma_scale_f32_16x16x128_f8f6f4|"
        "v_mfma_scale_f32_32x32x64_f8f6f4"},
    {1, "v_smfmac_f32_16x16x32_f16|v_smfmac_f32_32x32x16_f16|v_smfmac_f32_16x16x32_bf16|"
        "v_smfmac_f32_32x32x16_bf16|v_smfmac_i32_16x16x64_i8|v_smfmac_i32_32x32x32_i8|"
        "v_smfmac_f32_16x16x64_bf8_bf8|v_smfmac_f32_16x16x64_bf8_fp8|"
        "v_smfmac_f32_16x16x64_fp8_bf8|v_smfmac_f32_16x16x64_fp8_fp8|"
        "v_smfmac_f32_32x32x32_bf8_bf8|v_smfmac_f32_32x32x32_bf8_fp8|"
        "v_smfmac_f32_32x32x32_fp8_bf8|v_smfmac_f32_32x32x32_fp8_fp8"},
    {1, "v_smfmac_f32_16x16x64_f16|v_smfmac_f32_16x16x64_bf16|v_smfmac_f32_32x32x32_f16|"
        "v_smfmac_f32_32x32x32_bf16|v_smfmac_i32_16x16x128_i8|v_smfmac_i32_32x32x64_i8|"
        "v_smfmac_f32_16x16x128_bf8_bf8|v_smfmac_f32_16x16x128_bf8_fp8|"
        "v_smfmac_f32_16x16x128_fp8_bf8|v_smfmac_f32_16x16x128_fp8_fp8|"
        "v_smfmac_f32_32x32x64_bf8_bf8|v_smfmac_f32_32x32x64_bf8_fp8|"
        "v_smfmac_f32_32x32x64_fp8_bf8|v_smfmac_f32_32x32x64_fp8_fp8"},
    {1, "v_wmma_f32_16x16x16_f16|v_wmma_f32_16x16x16_bf16|v_wmma_f16_16x16x16_f16|"
        "v_wmma_bf16_16x16x16_bf16|v_wmma_i32_16x16x16_iu8|v_wmma_i32_16x16x16_iu4|"
        "v_wmma_i32_16x16x32_iu4|v_wmma_f32_16x16x16_fp8_fp8|v_wmma_f32_16x16x16_fp8_bf8|"
        "v_wmma_f32_16x16x16_bf8_fp8|v_wmma_f32_16x16x16_bf8_bf8"},
    {1, "v_swmmac_f32_16x16x32_f16|v_swmmac_f32_16x16x32_bf16|v_swmmac_f16_16x16x32_f16|"
        "v_swmmac_bf16_16x16x32_bf16|v_swmmac_i32_16x16x32_iu8|v_swmmac_i32_16x16x32_iu4|"
        "v_swmmac_i32_16x16x64_iu4|v_swmmac_f32_16x16x32_fp8_fp8|v_swmmac_f32_16x16x32_fp8_bf8|"
        "v_swmmac_f32_16x16x32_bf8_fp8|v_swmmac_f32_16x16x32_bf8_bf8"},
};

} // namespace

UNIT_TEST(products_of_matrices_that_are_all_alike) {
  for (const Names &group : kProducts)
    for (const std::string &name : namesOf(group.names)) {
      bool ran = false;
      for (const std::string &chip : kChips) {
        ran |= runProduct(parse(name, group.blocks), chip, 0);
        if (!isGfx9(chip))
          ran |= runProduct(parse(name, group.blocks), chip, 64);
      }
      if (!ran)
        unit::fail(__FILE__, __LINE__, name + ": no chip has it");
    }
}

} // namespace isatest
