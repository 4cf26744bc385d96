// Element values on one carrier each: integers (and i1) as int64_t wrapped to their type, u64 as
// the int64_t of the same bits; every float type as a double that holds the value exactly. Rounding
// to a float type happens here and nowhere else.
//
// Why computing f32, f16 and bf16 in double is right. An operation is rounded to double (p = 53)
// and then to the type (p <= 24). For + - * / and sqrt the second rounding never sees a tie that
// the first one made: 53 >= 2 * 24 + 2 (Figueroa). Results that are subnormal in the type keep
// fewer bits: sums are then exact already; products are exact in double anyway (48 bits, exponent
// at least -298); a quotient a / b differs from a tie m of at most 25 bits by |a - m * b| / b, and
// m * b has at most 49 bits, so by 2^-49 of its size or more, which a rounding to 53 bits cannot
// close. (The same argument with p = 24 for f16 and bf16 shows that computing them in f32 and
// rounding, as targets do, gives the same bits.) A fused multiply-add would see such ties; see
// fusedMultiplyAdd.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include <cstdint>

namespace tl::interp {

/// `v` rounded once, to nearest even, to a float type; too large values give infinity, or NaN in a
/// type without. NaN payloads are kept.
double roundTo(DType type, double v);
double roundTo(DType type, long double v);
/// The same in another mode. Not from a type's own values that are NaN.
double roundTo(DType type, double v, const CastMode &mode);
double roundTo(DType type, long double v, const CastMode &mode);
/// An integer (of type `from`: u64 is unsigned) rounded once to a float type.
double roundInteger(DType type, int64_t v, DType from);
/// a * b + c, computed exactly and rounded once to `type`; the operands are values of `type`.
double fusedMultiplyAdd(DType type, double a, double b, double c);
/// A float truncated and saturated to an integer type; NaN gives 0.
int64_t truncateTo(DType type, double v);

/// Distance between neighbouring values of a float type at |v| (at the largest ones beyond them).
double ulp(DType type, double v);
/// The smallest positive value of a float type.
double smallest(DType type);
/// The largest finite value of a float type.
double largest(DType type);
/// Half of the distance from 1 to the next value: the relative error of one rounding.
double unitRoundoff(DType type);

/// The value of an element in memory (i1: one byte, not 0 is true). Float NaNs keep their payload,
/// signalling ones too.
double decodeFloat(DType type, uint64_t bits);
int64_t decodeInteger(DType type, uint64_t bits);
/// The bytes in memory of a value of a float type, in the low bits. (Those of an integer are the
/// low bits of its carrier.)
uint64_t encodeFloat(DType type, double v);

/// Reads `bytes` (1, 2, 4 or 8) little-endian bytes at any alignment.
uint64_t readBytes(const void *from, unsigned bytes);
void writeBytes(void *to, uint64_t bits, unsigned bytes);

} // namespace tl::interp
