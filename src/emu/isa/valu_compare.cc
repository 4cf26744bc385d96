// Comparisons: V_CMP_* and V_CMPX_*, whose second difference, EXEC, the decoder marks.
#include "emu/float_ops.h"
#include "emu/op_table.h"

#include <immintrin.h>

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

#define TL_COMPARE(NAME, ...)                                                                      \
  {"V_CMP_" NAME, valu<(__VA_ARGS__)>}, { "V_CMPX_" NAME, valu<(__VA_ARGS__)> }
#define TL_COMPARE_INTEGERS(SUFFIX, T)                                                             \
  TL_COMPARE("F_" SUFFIX, [](T, T) { return false; }),                                             \
      TL_COMPARE("LT_" SUFFIX, [](T a, T b) { return a < b; }),                                    \
      TL_COMPARE("EQ_" SUFFIX, [](T a, T b) { return a == b; }),                                   \
      TL_COMPARE("LE_" SUFFIX, [](T a, T b) { return a <= b; }),                                   \
      TL_COMPARE("GT_" SUFFIX, [](T a, T b) { return a > b; }),                                    \
      TL_COMPARE("NE_" SUFFIX, [](T a, T b) { return a != b; }),                                   \
      TL_COMPARE("GE_" SUFFIX, [](T a, T b) { return a >= b; }),                                   \
      TL_COMPARE("T_" SUFFIX, [](T, T) { return true; })
// V converts an operand of type T to one that compares.
#define TL_COMPARE_FLOATS(SUFFIX, T, V)                                                            \
  TL_COMPARE("F_" SUFFIX, [](T, T) { return false; }),                                             \
      TL_COMPARE("LT_" SUFFIX, [](T a, T b) { return V(a) < V(b); }),                              \
      TL_COMPARE("EQ_" SUFFIX, [](T a, T b) { return V(a) == V(b); }),                             \
      TL_COMPARE("LE_" SUFFIX, [](T a, T b) { return V(a) <= V(b); }),                             \
      TL_COMPARE("GT_" SUFFIX, [](T a, T b) { return V(a) > V(b); }),                              \
      TL_COMPARE("LG_" SUFFIX, [](T a, T b) { return V(a) < V(b) || V(a) > V(b); }),               \
      TL_COMPARE("GE_" SUFFIX, [](T a, T b) { return V(a) >= V(b); }),                             \
      TL_COMPARE("O_" SUFFIX, [](T a, T b) { return V(a) == V(a) && V(b) == V(b); }),              \
      TL_COMPARE("U_" SUFFIX, [](T a, T b) { return V(a) != V(a) || V(b) != V(b); }),              \
      TL_COMPARE("NGE_" SUFFIX, [](T a, T b) { return !(V(a) >= V(b)); }),                         \
      TL_COMPARE("NLG_" SUFFIX, [](T a, T b) { return !(V(a) < V(b) || V(a) > V(b)); }),           \
      TL_COMPARE("NGT_" SUFFIX, [](T a, T b) { return !(V(a) > V(b)); }),                          \
      TL_COMPARE("NLE_" SUFFIX, [](T a, T b) { return !(V(a) <= V(b)); }),                         \
      TL_COMPARE("NEQ_" SUFFIX, [](T a, T b) { return !(V(a) == V(b)); }),                         \
      TL_COMPARE("NLT_" SUFFIX, [](T a, T b) { return !(V(a) < V(b)); }),                          \
      TL_COMPARE("TRU_" SUFFIX, [](T, T) { return true; }),                                        \
      TL_COMPARE("T_" SUFFIX, [](T, T) { return true; })

float asIs(float a) { return a; }
double asIs(double a) { return a; }
float asFloat(Half a) { return _cvtsh_ss(a.bits); }

const OpRow kRows[] = {
    TL_COMPARE_INTEGERS("I32", int32_t),
    TL_COMPARE_INTEGERS("U32", uint32_t),
    TL_COMPARE_INTEGERS("I64", int64_t),
    TL_COMPARE_INTEGERS("U64", uint64_t),
    TL_COMPARE_INTEGERS("I16", int16_t),
    TL_COMPARE_INTEGERS("U16", uint16_t),
    TL_COMPARE_FLOATS("F32", float, asIs),
    TL_COMPARE_FLOATS("F64", double, asIs),
    TL_COMPARE_FLOATS("F16", Half, asFloat),
    TL_COMPARE("CLASS_F32",
               [](float a, uint32_t b) { return hasClass<8, 23>(std::bit_cast<uint32_t>(a), b); }),
    TL_COMPARE(
        "CLASS_F64",
        [](double a, uint32_t b) { return hasClass<11, 52>(std::bit_cast<uint64_t>(a), b); }),
    TL_COMPARE("CLASS_F16", [](Half a, uint32_t b) { return hasClass<5, 10>(a.bits, b); }),
};

} // namespace

std::span<const OpRow> valuCompareRows() { return kRows; }

} // namespace tl::emu
