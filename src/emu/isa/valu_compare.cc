// Comparisons: V_CMP_* and V_CMPX_*, whose second difference, EXEC, the decoder marks.
#include "emu/half_ops.h"
#include "emu/op_table.h"

namespace tl::emu {
namespace {

// V_CMP_CLASS: does the value have one of the classes that the mask names?
template <unsigned ExponentBits, unsigned MantissaBits>
bool hasClass(uint64_t bits, uint32_t mask) {
  uint64_t mantissa = bits & ((uint64_t(1) << MantissaBits) - 1);
  uint64_t exponent = bits >> MantissaBits & ((1u << ExponentBits) - 1);
  bool negative = bits >> (MantissaBits + ExponentBits) & 1;
  unsigned name; // bit of the mask
  if (exponent == (1u << ExponentBits) - 1)
    name = mantissa ? (mantissa >> (MantissaBits - 1) ? 1 : 0) : negative ? 2 : 9;
  else if (exponent)
    name = negative ? 3 : 8;
  else if (mantissa)
    name = negative ? 4 : 7;
  else
    name = negative ? 5 : 6;
  return mask >> name & 1;
}

#define TL_COMPARE(NAME, FLAGS, ...)                                                               \
  {"V_CMP_" NAME, valu<(__VA_ARGS__)>, nullptr, FLAGS}, {                                          \
    "V_CMPX_" NAME, valu<(__VA_ARGS__)>, nullptr, FLAGS                                            \
  }
#define TL_COMPARE_INTEGERS(SUFFIX, T)                                                             \
  TL_COMPARE("F_" SUFFIX, 0, [](T, T) { return false; }),                                          \
      TL_COMPARE("LT_" SUFFIX, 0, [](T a, T b) { return a < b; }),                                 \
      TL_COMPARE("EQ_" SUFFIX, 0, [](T a, T b) { return a == b; }),                                \
      TL_COMPARE("LE_" SUFFIX, 0, [](T a, T b) { return a <= b; }),                                \
      TL_COMPARE("GT_" SUFFIX, 0, [](T a, T b) { return a > b; }),                                 \
      TL_COMPARE("NE_" SUFFIX, 0, [](T a, T b) { return a != b; }),                                \
      TL_COMPARE("GE_" SUFFIX, 0, [](T a, T b) { return a >= b; }),                                \
      TL_COMPARE("T_" SUFFIX, 0, [](T, T) { return true; })
// V converts an operand of type T to one that compares; MODE may flush it.
#define TL_COMPARE_FLOATS(SUFFIX, FLAGS, T, V)                                                     \
  TL_COMPARE("F_" SUFFIX, FLAGS, [](T, T) { return false; }),                                      \
      TL_COMPARE("LT_" SUFFIX, FLAGS, [](const Mode &m, T a, T b) { return V(m, a) < V(m, b); }),  \
      TL_COMPARE("EQ_" SUFFIX, FLAGS, [](const Mode &m, T a, T b) { return V(m, a) == V(m, b); }), \
      TL_COMPARE("LE_" SUFFIX, FLAGS, [](const Mode &m, T a, T b) { return V(m, a) <= V(m, b); }), \
      TL_COMPARE("GT_" SUFFIX, FLAGS, [](const Mode &m, T a, T b) { return V(m, a) > V(m, b); }),  \
      TL_COMPARE("LG_" SUFFIX, FLAGS,                                                              \
                 [](const Mode &m, T a, T b) { return V(m, a) < V(m, b) || V(m, a) > V(m, b); }),  \
      TL_COMPARE("GE_" SUFFIX, FLAGS, [](const Mode &m, T a, T b) { return V(m, a) >= V(m, b); }), \
      TL_COMPARE(                                                                                  \
          "O_" SUFFIX, FLAGS,                                                                      \
          [](const Mode &m, T a, T b) { return V(m, a) == V(m, a) && V(m, b) == V(m, b); }),       \
      TL_COMPARE(                                                                                  \
          "U_" SUFFIX, FLAGS,                                                                      \
          [](const Mode &m, T a, T b) { return V(m, a) != V(m, a) || V(m, b) != V(m, b); }),       \
      TL_COMPARE("NGE_" SUFFIX, FLAGS,                                                             \
                 [](const Mode &m, T a, T b) { return !(V(m, a) >= V(m, b)); }),                   \
      TL_COMPARE(                                                                                  \
          "NLG_" SUFFIX, FLAGS,                                                                    \
          [](const Mode &m, T a, T b) { return !(V(m, a) < V(m, b) || V(m, a) > V(m, b)); }),      \
      TL_COMPARE("NGT_" SUFFIX, FLAGS,                                                             \
                 [](const Mode &m, T a, T b) { return !(V(m, a) > V(m, b)); }),                    \
      TL_COMPARE("NLE_" SUFFIX, FLAGS,                                                             \
                 [](const Mode &m, T a, T b) { return !(V(m, a) <= V(m, b)); }),                   \
      TL_COMPARE("NEQ_" SUFFIX, FLAGS,                                                             \
                 [](const Mode &m, T a, T b) { return !(V(m, a) == V(m, b)); }),                   \
      TL_COMPARE("NLT_" SUFFIX, FLAGS,                                                             \
                 [](const Mode &m, T a, T b) { return !(V(m, a) < V(m, b)); }),                    \
      TL_COMPARE("TRU_" SUFFIX, FLAGS, [](T, T) { return true; }),                                 \
      TL_COMPARE("T_" SUFFIX, FLAGS, [](T, T) { return true; })

float asIs(const Mode &, float a) { return a; }
double asIs(const Mode &, double a) { return a; }
float asFloat(const Mode &m, Half a) { return toFloat(m, a); }

const OpRow kRows[] = {
    TL_COMPARE_INTEGERS("I32", int32_t),
    TL_COMPARE_INTEGERS("U32", uint32_t),
    TL_COMPARE_INTEGERS("I64", int64_t),
    TL_COMPARE_INTEGERS("U64", uint64_t),
    TL_COMPARE_INTEGERS("I16", int16_t),
    TL_COMPARE_INTEGERS("U16", uint16_t),
    TL_COMPARE_FLOATS("F32", OpMode32, float, asIs),
    TL_COMPARE_FLOATS("F64", OpMode64, double, asIs),
    TL_COMPARE_FLOATS("F16", 0, Half, asFloat),
    TL_COMPARE("CLASS_F32", 0,
               [](float a, uint32_t b) { return hasClass<8, 23>(std::bit_cast<uint32_t>(a), b); }),
    TL_COMPARE(
        "CLASS_F64", 0,
        [](double a, uint32_t b) { return hasClass<11, 52>(std::bit_cast<uint64_t>(a), b); }),
    TL_COMPARE("CLASS_F16", 0, [](Half a, uint32_t b) { return hasClass<5, 10>(a.bits, b); }),
};

} // namespace

std::span<const OpRow> valuCompareRows() { return kRows; }

} // namespace tl::emu
