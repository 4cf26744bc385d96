#include "rows.h"

#include <sstream>

namespace isatest {

std::set<unsigned> &executedRows() {
  static std::set<unsigned> rows;
  return rows;
}
std::set<unsigned> &effectiveRows() {
  static std::set<unsigned> rows;
  return rows;
}

std::vector<std::string> namesOf(const std::string &names) {
  std::vector<std::string> parts;
  std::istringstream in(names);
  for (std::string part; std::getline(in, part, '|');)
    parts.push_back(part);
  return parts;
}

namespace {

constexpr unsigned kFirstSource = 8, kSourceStep = 8, kResult = 40;
constexpr unsigned kScalarSource = 20;

// One way to run an instruction.
struct Variant {
  std::string name, suffix;
  int negated = -1, absolute = -1; // sources
  int high = -1;                   // source read from the upper half
  bool highResult = false;
  int scalar = -1;   // source in an SGPR
  int constant = -1; // source that is 1.0 or -5
  bool clamp = false;
  unsigned omod = 0;
  bool partial = false, dpp = false, sdwa = false;
  uint32_t mode = 0; // bits to flip
};

std::string vector(unsigned index, const Type &type, bool true16, bool high) {
  if (type.bits == 64)
    return "v[" + std::to_string(index) + ":" + std::to_string(index + 1) + "]";
  std::string text = "v" + std::to_string(index);
  return type.bits == 16 && true16 ? text + (high ? ".h" : ".l") : text;
}

// The instruction's text; true16: halves are named.
std::string textOf(const Row &row, const std::string &name, const Variant &variant, bool true16,
                   bool wave64) {
  const std::string vcc = wave64 ? "vcc" : "vcc_lo";
  std::string text = name + " " + vector(kResult, row.result, true16, variant.highResult);
  if (row.flags & ScalarResult)
    text += ", " + vcc;
  const size_t written = row.sources.size() - (row.flags & Accumulates ? 1 : 0);
  std::string selections;
  for (size_t i = 0; i < written; ++i) {
    const Type &type = row.sources[i];
    if (type.isMask) {
      if (row.flags & MaskOperand)
        text += ", " + vcc;
      continue;
    }
    const bool high = variant.high == int(i);
    std::string source = vector(kFirstSource + unsigned(i) * kSourceStep, type, true16, high);
    if (variant.scalar == int(i))
      source = type.bits == 64 ? "s[" + std::to_string(kScalarSource) + ":" +
                                     std::to_string(kScalarSource + 1) + "]"
                               : "s" + std::to_string(kScalarSource);
    if (variant.constant == int(i))
      source = type.isFloat ? "1.0" : "-5";
    if (variant.absolute == int(i))
      source = "|" + source + "|";
    if (variant.negated == int(i))
      source = "-" + source;
    text += ", " + source;
    selections += high ? "1," : "0,";
  }
  if (!true16 && (variant.high >= 0 || variant.highResult))
    text += " op_sel:[" + selections + (variant.highResult ? "1]" : "0]");
  return text + variant.suffix;
}

std::vector<Variant> variantsOf(const Row &row) {
  std::vector<Variant> all(3);
  all[0].name = "plain", all[1].name = "plain again";
  all[2].name = "partial", all[2].partial = true;
  bool hasFloat = row.result.isFloat, has16 = row.result.bits == 16;
  for (int i = 0; i < int(row.sources.size()); ++i) {
    const Type &type = row.sources[size_t(i)];
    const bool written =
        !type.isMask && !(row.flags & Accumulates && i + 1 == int(row.sources.size()));
    if (!written)
      continue;
    auto add = [&](const char *name, auto set) {
      Variant v;
      v.name = name;
      set(v);
      all.push_back(v);
    };
    hasFloat |= type.isFloat;
    has16 |= type.bits == 16;
    if (type.isFloat && !(row.flags & NoSigns)) {
      add("neg", [&](Variant &v) { v.negated = i; });
      add("abs", [&](Variant &v) { v.absolute = i; });
      if (i == 0)
        add("neg abs", [&](Variant &v) { v.negated = v.absolute = i; });
    }
    if (type.bits == 16)
      add("high half", [&](Variant &v) { v.high = i, v.partial = true; });
    add("scalar", [&](Variant &v) { v.scalar = i; });
    if (i == 0)
      add("constant", [&](Variant &v) { v.constant = i; });
  }
  auto add = [&](const std::string &name, const std::string &suffix, auto set) {
    Variant v;
    v.name = name;
    v.suffix = suffix;
    set(v);
    all.push_back(v);
  };
  if (row.result.bits == 16)
    add("high result", "", [](Variant &v) { v.highResult = v.partial = true; });
  if (!(row.flags & NoClamp)) {
    add("clamp", " clamp", [](Variant &v) { v.clamp = true; });
    if (row.result.isFloat)
      add("clamp keeping NaN", " clamp", [](Variant &v) { v.clamp = true, v.mode = 1 << 8; });
  }
  if (row.result.isFloat && !(row.flags & NoOmod)) {
    const uint32_t active = 0xf0 | 1 << 9; // denormals and IEEE off
    add("mul:2", " mul:2", [=](Variant &v) { v.omod = 1, v.mode = active; });
    add("mul:4", " mul:4", [=](Variant &v) { v.omod = 2, v.mode = active; });
    add("div:2", " div:2", [=](Variant &v) { v.omod = 3, v.mode = active; });
    add("div:2 clamp", " clamp div:2",
        [=](Variant &v) { v.omod = 3, v.clamp = true, v.mode = active; });
    add("mul:2 without effect", " mul:2", [=](Variant &v) { v.omod = 1; });
  }
  add("dpp", " quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
      [](Variant &v) { v.dpp = v.partial = true; });
  if (row.result.bits == 16 && row.sources.size() <= 2 && !(row.flags & Accumulates))
    add("sdwa",
        std::string(" dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1") +
            (row.sources.size() == 2 ? " src1_sel:WORD_0" : ""),
        [](Variant &v) { v.sdwa = v.partial = true; });
  if (hasFloat) {
    if (!(row.flags & NoRoundModes))
      for (uint32_t r = 1; r < 4; ++r)
        add("rounding " + std::to_string(r), "", [=](Variant &v) { v.mode = r | r << 2; });
    if (!(row.flags & NoFlushModes)) {
      add("flush inputs", "", [](Variant &v) { v.mode = 0x50; });
      add("flush results", "", [](Variant &v) { v.mode = 0xa0; });
    }
    add("no IEEE", "", [](Variant &v) { v.mode = 1 << 9; });
    if (has16)
      add("FP16_OVFL", "", [](Variant &v) { v.mode = 1 << 23; });
  }
  return all;
}

uint64_t outputModified(const Env &e, const Type &type, uint64_t bits, unsigned omod) {
  const Format f = type.format;
  // Ignored where denormals are kept, and where MODE says IEEE, which gfx12 does not have.
  if (!omod || e.keepsOutput(f) || (e.ieee() && !e.isGfx12) || f.isNan(bits))
    return bits;
  if (!(bits & (f.sign() - 1)))
    return 0;
  return e.finish(f, timesPower(valueOf(f, bits), omod == 1 ? 1 : omod == 2 ? 2 : -1), e.round(f));
}

uint64_t finished(const Env &e, const Row &row, const Variant &variant, Outcome outcome) {
  if (row.result.isFloat)
    outcome.bits = outputModified(e, row.result, outcome.bits, variant.omod);
  return variant.clamp ? clampedResult(row.result, e, outcome) : plainResult(row.result, outcome);
}

class Runner {
public:
  Runner(const Row &row, const std::string &chip, const std::string &name, unsigned waveSize)
      : row(row), machine(chip, waveSize), name(name),
        words(std::hash<std::string>()(name) & 0xffff) {
    env.isGfx9 = isGfx9(chip);
    env.isGfx12 = chip.compare(0, 5, "gfx12") == 0;
    env.chip = chip;
  }

  /// False: the chip has no such form.
  bool run(const Variant &variant) {
    text = textOf(row, name, variant, false, machine.lanes() == 64);
    if (!machine.load(text)) {
      text = textOf(row, name, variant, true, machine.lanes() == 64);
      if (!machine.load(text))
        return false;
    }
    const uint32_t before = ModeDefault | ModeDx10Clamp | ModeIeee;
    machine.wave.mode = env.mode = before ^ variant.mode;
    fill(variant);
    if (!machine.run()) {
      unit::fail(__FILE__, __LINE__, env.chip + " " + text + ": not implemented");
      return true;
    }
    check(variant);
    return true;
  }

private:
  void fill(const Variant &variant) {
    const unsigned lanes = machine.lanes();
    exec = variant.partial ? words.mask() & machine.wave.laneMask : machine.wave.laneMask;
    machine.setExec(exec);
    vcc = words.mask() & machine.wave.laneMask;
    machine.wave.setScalarPair(SlotVcc, vcc);
    for (unsigned l = 0; l < lanes; ++l) {
      for (unsigned r = 0; r < 2; ++r)
        old[r][l] = machine.v(kResult + r, l) = uint32_t(words.mask());
      for (size_t i = 0; i < row.sources.size(); ++i) {
        const Type &type = row.sources[i];
        uint64_t value = type.isMask       ? vcc >> l & 1
                         : type.bits == 16 ? words.next(16) | words.next(16) << 16
                                           : words.next(type.bits);
        raw[i][l] = value;
        const bool isOld = row.flags & Accumulates && i + 1 == row.sources.size();
        const unsigned line = isOld ? kResult : kFirstSource + unsigned(i) * kSourceStep;
        if (type.isMask)
          continue;
        machine.v(line, l) = uint32_t(value);
        if (type.bits == 64)
          machine.v(line + 1, l) = uint32_t(value >> 32);
        if (isOld)
          for (unsigned r = 0; r < 2; ++r)
            old[r][l] = machine.v(kResult + r, l);
      }
    }
    scalar = row.sources.empty() || variant.scalar < 0
                 ? 0
                 : words.next(row.sources[size_t(variant.scalar)].bits == 64 ? 64 : 32);
    machine.wave.setScalarPair(kScalarSource, scalar);
  }

  uint64_t sourceOf(const Variant &variant, size_t i, unsigned lane) {
    const Type &type = row.sources[i];
    if (type.isMask)
      return raw[i][lane];
    const unsigned from = variant.dpp && i == 0 ? lane ^ 1 : lane;
    uint64_t value = raw[i][from];
    if (variant.scalar == int(i))
      value = scalar;
    else if (variant.constant == int(i))
      value = type.isFloat ? uint64_t(type.format.bias()) << type.format.mantissa
                           : uint64_t(int64_t(-5));
    else if (variant.high == int(i) || (variant.sdwa && i == 0) ||
             (variant.highResult && row.flags & Accumulates && i + 1 == row.sources.size()))
      value >>= 16;
    value &= type.mask();
    if (variant.sdwa && type.bits == 32)
      value &= 0xffff;
    if (variant.absolute == int(i))
      value &= type.format.sign() - 1;
    if (variant.negated == int(i))
      value ^= type.format.sign();
    return value;
  }

  void check(const Variant &variant) {
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      bool active = exec >> l & 1;
      if (variant.dpp)
        active &= exec >> (l ^ 1) & 1;
      uint64_t sources[5];
      for (size_t i = 0; i < row.sources.size(); ++i)
        sources[i] = sourceOf(variant, i, l);
      const Outcome outcome = row.function(env, sources);
      const uint64_t value = finished(env, row, variant, outcome);
      uint64_t expected = old[0][l], got = machine.v(kResult, l), kept = 0;
      const bool upper = variant.highResult || variant.sdwa;
      if (row.result.bits == 64) {
        expected |= uint64_t(old[1][l]) << 32;
        got |= uint64_t(machine.v(kResult + 1, l)) << 32;
      }
      if (active && row.result.bits == 16) {
        const bool keeps = upper || !env.isGfx9 || row.flags & Keeps9;
        kept = keeps ? expected & (upper ? 0xffffu : 0xffff0000u) : 0;
        expected = kept | value << (upper ? 16 : 0);
      } else if (active) {
        expected = value;
      }
      bool same = got == expected;
      if (!same && active && row.result.isFloat && row.result.format.isNan(value)) {
        const unsigned shift = row.result.bits == 16 && upper ? 16 : 0;
        const uint64_t mask = row.result.mask() << shift;
        same = row.result.format.isNan(got >> shift & row.result.mask()) &&
               (got & ~mask) == (expected & ~mask);
      }
      if (row.hasBit) {
        const bool bit = machine.wave.vcc() >> l & 1;
        same &= bit == (active && outcome.bit);
      }
      if (!same) {
        report(variant, l, sources, got, expected);
        return;
      }
    }
  }

  void report(const Variant &variant, unsigned lane, const uint64_t *sources, uint64_t got,
              uint64_t expected) {
    char line[300];
    int at = std::snprintf(line, sizeof(line), "%s, %s (%s), lane %u:", env.chip.c_str(),
                           text.c_str(), variant.name.c_str(), lane);
    for (size_t i = 0; i < row.sources.size(); ++i)
      at += std::snprintf(line + at, sizeof(line) - size_t(at), " %llx",
                          static_cast<unsigned long long>(sources[i]));
    std::snprintf(line + at, sizeof(line) - size_t(at), " gives %llx, not %llx",
                  static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
    unit::fail(__FILE__, __LINE__, line);
  }

  const Row &row;
  Machine machine;
  std::string name, text;
  Words words;
  Env env{};
  uint64_t exec = 0, vcc = 0, scalar = 0;
  uint32_t old[2][64];
  uint64_t raw[5][64];
};

} // namespace

uint64_t plainResult(const Type &type, const Outcome &outcome) {
  return type.isFloat ? outcome.bits : uint64_t(outcome.exact) & type.mask();
}

uint64_t clampedResult(const Type &type, const Env &e, const Outcome &outcome) {
  const Format f = type.format;
  if (!type.isFloat) {
    const Wide low = type.isSigned ? -(Wide(1) << (type.bits - 1)) : 0;
    const Wide high = (Wide(1) << (type.isSigned ? type.bits - 1 : type.bits)) - 1;
    return uint64_t(std::clamp(outcome.exact, low, high)) & type.mask();
  }
  if (f.isNan(outcome.bits)) // by MODE's DX10_CLAMP
    return e.mode >> 8 & 1 ? 0 : outcome.bits;
  return outcome.bits & f.sign() ? 0 : std::min(outcome.bits, uint64_t(f.bias()) << f.mantissa);
}

void runWithLiteral(const std::string &name, Format format, uint32_t literal,
                    uint64_t (*formula)(const Env &, uint64_t, uint64_t, uint64_t)) {
  const bool last = name.find("ak_") != std::string::npos;
  bool ran = false;
  for (const std::string &chip : kChips) {
    Machine machine(chip);
    bool loaded = false;
    for (const std::string half : {"", ".l"}) { // how RDNA names 16 bits
      const std::string number = std::to_string(literal), second = ", v16" + half;
      loaded = loaded || machine.load(name + " v40" + half + ", v8" + half +
                                      (last ? second + ", " + number : ", " + number + second));
    }
    if (!loaded)
      continue;
    ran = true;
    Words words(7);
    machine.fill(words, {8, 16}, unsigned(format.bits()));
    REQUIRE(machine.run());
    const Env e{ModeDefault, false, false, chip};
    const uint64_t mask = format.bits() == 16 ? 0xffff : 0xffffffff;
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      const uint64_t a = machine.v(8, l) & mask, b = machine.v(16, l) & mask;
      const uint64_t expected = last ? formula(e, a, b, literal) : formula(e, a, literal, b);
      CHECK(sameFloat(format, machine.v(40, l) & mask, expected));
    }
  }
  if (!ran)
    unit::fail(__FILE__, __LINE__, name + ": no chip has it");
}

void runRow(const Row &row) {
  for (const std::string &name : namesOf(row.names)) {
    bool ran = false;
    for (const std::string &chip : kChips) {
      if ((row.flags & Not12 && chip.compare(0, 5, "gfx12") == 0) ||
          (row.flags & Not11 && chip.compare(0, 5, "gfx11") == 0))
        continue;
      Runner runner(row, chip, name, 0);
      bool first = true;
      for (const Variant &variant : variantsOf(row)) {
        const bool ok = runner.run(variant);
        if (first && !ok)
          break; // not on this chip
        first = false;
        ran = true;
      }
    }
    if (!ran)
      unit::fail(__FILE__, __LINE__, name + ": no chip has it");
  }
}

} // namespace isatest
