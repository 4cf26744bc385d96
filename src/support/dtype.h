// Element types: one enum and its facts, expanded from dtypes.def. In support because artifacts and
// drivers name element types too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tl {

enum class DTypeClass : uint8_t { Bool, Int, UInt, Float };
/// Which bit patterns of a float are no numbers; see dtypes.def.
enum class FloatSpecials : uint8_t { Ieee, Nan, Zero, None, Scale };

/// Values equal TL_DTYPE_* of tilelang/types.h.
enum class DType : int32_t {
  None = 0,
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  NAME = VALUE,
#include "support/dtypes.def"
};

struct DTypeInfo {
  DType type;
  std::string_view text;
  uint8_t bits;
  uint8_t bytes;
  DTypeClass cls;
  uint8_t precision;
  int16_t maxExponent;
  int16_t minExponent;
  FloatSpecials specials;
};

/// Facts of a type; the type must be a row of dtypes.def.
const DTypeInfo &dtypeInfo(DType type);
/// True for rows of dtypes.def (what a caller hands in may be anything).
bool dtypeKnown(int32_t value);
/// "f32" -> F32.
std::optional<DType> dtypeFromText(std::string_view text);

inline std::string_view dtypeText(DType t) { return dtypeInfo(t).text; }
inline unsigned dtypeBits(DType t) { return dtypeInfo(t).bits; }
inline unsigned dtypeBytes(DType t) { return dtypeInfo(t).bytes; }
inline bool isFloat(DType t) { return dtypeInfo(t).cls == DTypeClass::Float; }
inline bool isSigned(DType t) { return dtypeInfo(t).cls == DTypeClass::Int; }
inline bool isUnsigned(DType t) { return dtypeInfo(t).cls == DTypeClass::UInt; }
inline bool isBool(DType t) { return t == DType::I1; }
/// An element of 4 or 6 bits: in tiles only, a byte each; memory holds it packed.
inline bool isPacked(DType t) { return dtypeBits(t) == 4 || dtypeBits(t) == 6; }
/// A float of 8 bits or fewer: it is held, moved, converted and compared, but there is no
/// arithmetic in it.
inline bool isNarrowFloat(DType t) { return isFloat(t) && dtypeBits(t) <= 8; }
/// Floats that have arithmetic.
inline bool isWideFloat(DType t) { return isFloat(t) && dtypeBits(t) > 8; }
/// A float of 8 bits that dot multiplies.
inline bool isFloat8(DType t) {
  return isNarrowFloat(t) && dtypeBits(t) == 8 && dtypeInfo(t).specials != FloatSpecials::Scale;
}
/// Integers without i1, of 4 bits too.
inline bool isAnyInteger(DType t) { return isSigned(t) || isUnsigned(t); }
/// Integers that have arithmetic: without i1, of at least 8 bits.
inline bool isInteger(DType t) { return isAnyInteger(t) && !isPacked(t); }

} // namespace tl
