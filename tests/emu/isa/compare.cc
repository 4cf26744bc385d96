// Comparisons: every relation on every type, as v_cmp and v_cmpx, from the numbers' order.
#include "rows.h"

namespace isatest {
namespace {

enum Relation : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8, All = 15 };

struct Name {
  const char *name;
  unsigned relations;
};
// "F" and "T" (on gfx9 "tru") compare nothing.
const Name kIntegerNames[] = {
    {"f", 0},        {"lt", Less},           {"eq", Equal},           {"le", Less | Equal},
    {"gt", Greater}, {"ne", Less | Greater}, {"ge", Greater | Equal}, {"t", All}};
const Name kFloatNames[] = {{"f", 0},
                            {"lt", Less},
                            {"eq", Equal},
                            {"le", Less | Equal},
                            {"gt", Greater},
                            {"lg", Less | Greater},
                            {"ge", Greater | Equal},
                            {"o", Less | Equal | Greater},
                            {"u", Unordered},
                            {"nge", Less | Unordered},
                            {"nlg", Equal | Unordered},
                            {"ngt", Less | Equal | Unordered},
                            {"nle", Greater | Unordered},
                            {"neq", Less | Greater | Unordered},
                            {"nlt", Equal | Greater | Unordered},
                            {"tru", All},
                            {"t", All}};

struct Comparison {
  std::string name; // "lt_f32"
  Type first, second;
  std::function<bool(const Env &, uint64_t, uint64_t)> holds;
};

Wide integerOf(const Type &type, uint64_t bits) {
  return Wide(bits) -
         (type.isSigned && bits >> (type.bits - 1) & 1 ? Wide(1) << type.bits : Wide(0));
}
unsigned relationOf(const Env &e, const Type &type, uint64_t a, uint64_t b) {
  if (!type.isFloat) {
    const Wide x = integerOf(type, a), y = integerOf(type, b);
    return x < y ? Less : x == y ? Equal : Greater;
  }
  const Format f = type.format;
  const Num x = valueOf(f, e.flushed(f, a, e.keepsInput(f))),
            y = valueOf(f, e.flushed(f, b, e.keepsInput(f)));
  return x.isNan() || y.isNan() ? Unordered : x < y ? Less : x == y ? Equal : Greater;
}

// The document's list of classes, from bit 0: signaling and quiet NaN, -infinity, -normal,
// -denormal, -0, +0, +denormal, +normal, +infinity.
unsigned classOf(Format f, uint64_t bits) {
  const bool negative = bits & f.sign();
  const uint64_t size = bits & (f.sign() - 1);
  if (f.isNan(bits))
    return f.isSignaling(bits) ? 0 : 1;
  if (size == f.infinity())
    return negative ? 2 : 9;
  if (size == 0)
    return negative ? 5 : 6;
  if (f.isDenormal(bits))
    return negative ? 4 : 7;
  return negative ? 3 : 8;
}

std::string registerOf(unsigned index, const Type &type, const char *half) {
  return type.bits == 64 ? "v[" + std::to_string(index) + ":" + std::to_string(index + 1) + "]"
                         : "v" + std::to_string(index) + (type.bits == 16 ? half : "");
}

// How an instruction is written: where its result goes, what its sources are.
struct Form {
  bool writesExec, toScalar;
  const char *half;   // of sources of 16 bits: "", ".l", ".h"
  unsigned signs = 0; // negated first, absolute first, negated second
  uint32_t mode = 0;  // bits to flip
};

class Runner {
public:
  Runner(const Comparison &comparison, const std::string &chip)
      : comparison(comparison), machine(chip), chip(chip),
        words(std::hash<std::string>()(comparison.name) & 0xffff) {}

  /// False: the chip has no such form.
  bool run(const Form &form) {
    const bool wide = machine.lanes() == 64;
    text = std::string(form.writesExec ? "v_cmpx_" : "v_cmp_") + comparison.name +
           (form.toScalar ? "_e64 " : " ");
    if (!form.writesExec || wide)
      text += std::string(form.toScalar ? (wide ? "s[20:21]" : "s20") : (wide ? "vcc" : "vcc_lo")) +
              ", ";
    std::string first = registerOf(8, comparison.first, form.half);
    if (form.signs & 2)
      first = "|" + first + "|";
    text += (form.signs & 1 ? "-" : "") + first + ", " + (form.signs & 4 ? "-" : "") +
            registerOf(16, comparison.second, form.half);
    if (!machine.load(text))
      return false;
    const uint32_t mode = (ModeDefault | ModeDx10Clamp | ModeIeee) ^ form.mode;
    const Env env{mode, isGfx9(chip), false, chip};
    for (int round = 0; round < 2; ++round) {
      machine.wave.mode = mode;
      exec = round ? words.mask() & machine.wave.laneMask : machine.wave.laneMask;
      fill(form);
      if (!machine.run()) {
        unit::fail(__FILE__, __LINE__, chip + " " + text + ": not run");
        return true;
      }
      check(form, env);
    }
    return true;
  }

private:
  void fill(const Form &form) {
    machine.setExec(exec);
    machine.wave.setScalarPair(SlotVcc, words.mask());
    machine.wave.setScalarPair(20, words.mask());
    const unsigned shift = form.half[0] == '.' && form.half[1] == 'h' ? 16 : 0;
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      a[l] = words.next(comparison.first.bits);
      b[l] = words.random() % 3 ? words.next(comparison.second.bits) : a[l];
      if (comparison.second.isFloat != comparison.first.isFloat) // classes: one, or many
        b[l] = words.random() % 2 ? 1u << words.random() % 10 : words.random() & 0x3ff;
      for (auto [line, type, value] :
           {std::tuple(8u, comparison.first, a[l]), std::tuple(16u, comparison.second, b[l])}) {
        machine.v(line, l) = uint32_t(value) << (type.bits == 16 ? shift : 0);
        if (type.bits == 64)
          machine.v(line + 1, l) = uint32_t(value >> 32);
      }
    }
  }

  void check(const Form &form, const Env &env) {
    uint64_t expected = 0;
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      const uint64_t sign = comparison.first.format.sign();
      uint64_t x = a[l], y = b[l];
      x = form.signs & 2 ? x & (sign - 1) : x;
      x = form.signs & 1 ? x ^ sign : x;
      y = form.signs & 4 ? y ^ sign : y;
      if (exec >> l & 1 && comparison.holds(env, x, y))
        expected |= uint64_t(1) << l;
    }
    const bool hasResult = !form.writesExec || machine.lanes() == 64;
    const uint64_t got =
        machine.wave.scalarPair(form.toScalar ? 20u : SlotVcc) & machine.wave.laneMask;
    const uint64_t expectedExec = form.writesExec ? expected : exec;
    if ((hasResult && got != expected) || machine.wave.exec() != expectedExec) {
      char line[200];
      std::snprintf(line, sizeof(line), "%s %s (mode %x): %llx, EXEC %llx, not %llx", chip.c_str(),
                    text.c_str(), env.mode, static_cast<unsigned long long>(got),
                    static_cast<unsigned long long>(machine.wave.exec()),
                    static_cast<unsigned long long>(expected));
      unit::fail(__FILE__, __LINE__, line);
    }
  }

  const Comparison &comparison;
  Machine machine;
  std::string chip, text;
  Words words;
  uint64_t exec = 0, a[64], b[64];
};

void runComparison(const Comparison &comparison) {
  const bool isFloat = comparison.first.isFloat;
  for (bool writesExec : {false, true}) {
    bool ran = false;
    for (const std::string &chip : kChips) {
      Runner runner(comparison, chip);
      const char *low = comparison.first.bits == 16 && !isGfx9(chip) ? ".l" : "";
      std::vector<Form> forms = {{writesExec, false, low}, {writesExec, true, low}};
      if (*low)
        forms.push_back({writesExec, true, ".h"});
      if (isFloat) {
        const bool both = comparison.second.isFloat;
        for (unsigned signs : {1u, 2u, 3u, 4u})
          if (signs < 4 || both)
            forms.push_back({writesExec, true, low, signs});
        forms.push_back({writesExec, true, low, 0, 0x50}); // flushes sources
      }
      for (const Form &form : forms)
        ran |= runner.run(form);
    }
    if (!ran)
      unit::fail(__FILE__, __LINE__, comparison.name + ": no chip has it");
  }
}

template <class T> void runType(const std::string &suffix, std::span<const Name> names) {
  for (const Name &name : names) {
    const unsigned relations = name.relations;
    runComparison({std::string(name.name) + "_" + suffix, T::type(), T::type(),
                   [relations](const Env &e, uint64_t x, uint64_t y) {
                     return (relationOf(e, T::type(), x, y) & relations) != 0;
                   }});
  }
}

template <class T, class Mask> void runClass(const std::string &suffix) {
  runComparison(
      {"class_" + suffix, T::type(), Mask::type(), [](const Env &, uint64_t x, uint64_t y) {
         return (y >> classOf(T::type().format, x) & 1) != 0;
       }});
}

} // namespace

UNIT_TEST(comparisons_of_integers) {
  runType<I32>("i32", kIntegerNames);
  runType<U32>("u32", kIntegerNames);
  runType<I64>("i64", kIntegerNames);
  runType<U64>("u64", kIntegerNames);
  runType<I16>("i16", kIntegerNames);
  runType<U16>("u16", kIntegerNames);
}

UNIT_TEST(comparisons_of_floats) {
  runType<F32>("f32", kFloatNames);
  runType<F64>("f64", kFloatNames);
  runType<F16>("f16", kFloatNames);
}

UNIT_TEST(classes_of_floats) {
  runClass<F32, U32>("f32");
  runClass<F64, U32>("f64");
  runClass<F16, U16>("f16");
}

} // namespace isatest
