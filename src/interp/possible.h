// Error bounds by intervals: from the values another correct implementation may have for the
// operands follow the values it may have for the result, since every operation of it is rounded
// like ours (exp and its like: wrong by at most so many ulp). From both ends follows the bound.
#pragma once

#include "graph/opcode.h"
#include "interp/tile_value.h"

#include <span>

namespace tl::interp {

/// The values another implementation may have: both ends included. C carries the ends with more
/// bits than the type: double for f32 and narrower, long double for f64. Both ends NaN: surely NaN.
/// `unknown`: anything.
template <class C> struct Possible {
  C lo = 0, hi = 0;
  bool unknown = false;
  bool isPoint() const { return lo == hi; }
};

/// Those of an operand.
template <class C> Possible<C> possibleOperand(double value, double bound);

/// Those of the result of a float operation (rule Elementwise on floats), rounded to
/// `type`, the type of the operands and of the result.
template <class C>
Possible<C> possibleResult(Opcode opcode, DType type, std::span<const Possible<C>> operands);

/// What is in doubt about `value`, our own result, when others may have `possible`.
template <class C> Doubt doubtOf(DType type, double value, const Possible<C> &possible);

/// Moves the ends apart by what computing them in C may have lost.
template <class C> Possible<C> outward(Possible<C> p);

/// True for the functions whose results are not fixed to the bit: exp and its like.
bool isApproximated(Opcode opcode);

/// True for floor and its like, which decide on an integer.
bool isRounding(Opcode opcode);

/// A function of the group Math in the carrier's precision.
template <class C> C mathFunction(Opcode opcode, C x, C y = 0);

} // namespace tl::interp
