// Integer rows of ops.def. Nothing here is poison or undefined for any operands: divisors are made
// safe first, and what a shift or division gives where it must not count is chosen away.
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/rounding.h"
#include "graph/philox.h"

#include <algorithm>

namespace tl {

using llvm::Value;
using llvm::Intrinsic::ID;

Value *ElementEmitter::divideInteger(Opcode opcode, Value *a, Value *b, bool isSigned) {
  llvm::Type *type = a->getType();
  llvm::Constant *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  Value *byZero = ir.CreateICmpEQ(b, zero);
  // The smallest integer over -1 overflows; over 1 it has the wanted results: itself, and remainder
  // 0.
  Value *unsafe = byZero;
  if (isSigned) {
    llvm::Constant *least =
        llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value *overflow = ir.CreateAnd(ir.CreateICmpEQ(a, least),
                                   ir.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type)));
    unsafe = ir.CreateOr(byZero, overflow);
  }
  Value *divisor = ir.CreateSelect(unsafe, one, b);
  Value *quotient = isSigned ? ir.CreateSDiv(a, divisor) : ir.CreateUDiv(a, divisor);
  if (opcode == Opcode::Div)
    return ir.CreateSelect(byZero, zero, quotient);
  Value *remainder = ir.CreateSub(a, ir.CreateMul(quotient, divisor));
  Value *inexact = ir.CreateICmpNE(remainder, zero);
  // Whether truncation went up (signs differ) or down.
  Value *negative = isSigned ? ir.CreateICmpSLT(ir.CreateXor(a, divisor), zero)
                             : llvm::Constant::getNullValue(byZero->getType());
  switch (opcode) {
  case Opcode::Rem:
    return ir.CreateSelect(byZero, a, remainder);
  case Opcode::FloorDiv: {
    Value *floor = ir.CreateSub(quotient, ir.CreateZExt(ir.CreateAnd(inexact, negative), type));
    return ir.CreateSelect(byZero, zero, floor);
  }
  case Opcode::CeilDiv: {
    Value *ceiling =
        ir.CreateAdd(quotient, ir.CreateZExt(ir.CreateAnd(inexact, ir.CreateNot(negative)), type));
    return ir.CreateSelect(byZero, zero, ceiling);
  }
  default: { // FloorMod
    Value *correction = ir.CreateSelect(ir.CreateAnd(inexact, negative), divisor, zero);
    return ir.CreateSelect(byZero, a, ir.CreateAdd(remainder, correction));
  }
  }
}

// By halves for 64 bits, which no target multiplies whole in vectors.
Value *ElementEmitter::highHalf(Value *a, Value *b, bool isSigned) {
  llvm::Type *type = a->getType();
  unsigned bits = type->getScalarSizeInBits();
  if (bits < 64) {
    llvm::Type *wide = type->getExtendedType();
    Value *product = isSigned ? ir.CreateMul(ir.CreateSExt(a, wide), ir.CreateSExt(b, wide))
                              : ir.CreateMul(ir.CreateZExt(a, wide), ir.CreateZExt(b, wide));
    return ir.CreateTrunc(ir.CreateLShr(product, bits), type);
  }
  auto low = [&](Value *v) { return ir.CreateAnd(v, 0xffffffff); };
  auto high = [&](Value *v) { return ir.CreateLShr(v, 32); };
  Value *lowProduct = ir.CreateMul(low(a), low(b));
  Value *middle = ir.CreateAdd(ir.CreateMul(high(a), low(b)), high(lowProduct));
  Value *other = ir.CreateAdd(ir.CreateMul(low(a), high(b)), low(middle));
  Value *result =
      ir.CreateAdd(ir.CreateAdd(ir.CreateMul(high(a), high(b)), high(middle)), high(other));
  if (!isSigned)
    return result;
  // A negative factor counts 2^64 too much: the other one comes off the high half.
  Value *byA = ir.CreateAnd(ir.CreateAShr(a, 63), b), *byB = ir.CreateAnd(ir.CreateAShr(b, 63), a);
  return ir.CreateSub(ir.CreateSub(result, byA), byB);
}

Value *ElementEmitter::randomBits(Value *seed, Value *offset) {
  llvm::Type *wide = seed->getType(), *narrow = withElement(wide, ir.getInt32Ty());
  auto low = [&](Value *v) { return ir.CreateTrunc(v, narrow); };
  auto high = [&](Value *v) { return ir.CreateTrunc(ir.CreateLShr(v, 32), narrow); };
  auto multiply = [&](Value *v, uint32_t by) {
    return ir.CreateMul(ir.CreateZExt(v, wide), llvm::ConstantInt::get(wide, by));
  };
  Value *zero = llvm::Constant::getNullValue(narrow);
  Value *counter[] = {low(offset), high(offset), zero, zero};
  Value *key[] = {low(seed), high(seed)};
  for (unsigned round = 0; round < Philox::rounds; ++round) {
    Value *a = multiply(counter[0], Philox::multiplier[0]);
    Value *b = multiply(counter[2], Philox::multiplier[1]);
    Value *next[] = {ir.CreateXor(ir.CreateXor(high(b), counter[1]), key[0]), low(b),
                     ir.CreateXor(ir.CreateXor(high(a), counter[3]), key[1]), low(a)};
    std::copy(std::begin(next), std::end(next), counter);
    for (unsigned i = 0; i < 2; ++i)
      key[i] = ir.CreateAdd(key[i], llvm::ConstantInt::get(narrow, Philox::step[i]));
  }
  return ir.CreateOr(ir.CreateShl(ir.CreateZExt(counter[1], wide), 32),
                     ir.CreateZExt(counter[0], wide));
}

Value *ElementEmitter::shiftInteger(Opcode opcode, Value *a, Value *b, bool isSigned) {
  llvm::Type *type = a->getType();
  unsigned bits = type->getScalarSizeInBits();
  if (opcode == Opcode::Shr && isSigned)
    return ir.CreateAShr(a, ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b,
                                                     llvm::ConstantInt::get(type, bits - 1)));
  Value *shifted = opcode == Opcode::Shl ? ir.CreateShl(a, b) : ir.CreateLShr(a, b);
  Value *inRange = ir.CreateICmpULT(b, llvm::ConstantInt::get(type, bits));
  return ir.CreateSelect(inRange, shifted, llvm::Constant::getNullValue(type));
}

Value *ElementEmitter::emitInteger(Opcode opcode, std::span<Value *const> operands, DType dtype) {
  Value *a = operands[0], *b = operands.size() > 1 ? operands[1] : nullptr;
  bool isSigned = tl::isSigned(dtype);
  switch (opcode) {
  case Opcode::Add:
    return ir.CreateAdd(a, b);
  case Opcode::Sub:
    return ir.CreateSub(a, b);
  case Opcode::Mul:
    return ir.CreateMul(a, b);
  case Opcode::Div:
  case Opcode::Rem:
  case Opcode::FloorDiv:
  case Opcode::FloorMod:
  case Opcode::CeilDiv:
    return divideInteger(opcode, a, b, isSigned);
  case Opcode::MulHi:
    return highHalf(a, b, isSigned);
  case Opcode::RandomBits:
    return randomBits(a, b);
  case Opcode::Popcount:
    return ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
  case Opcode::Clz:
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, ir.getFalse());
  case Opcode::Clamp: {
    Value *lower[] = {a, operands[1]};
    Value *upper[] = {emitInteger(Opcode::Max, lower, dtype), operands[2]};
    return emitInteger(Opcode::Min, upper, dtype);
  }
  case Opcode::Min:
    return ir.CreateBinaryIntrinsic(
        isSigned ? ID(llvm::Intrinsic::smin) : ID(llvm::Intrinsic::umin), a, b);
  case Opcode::Max:
    return ir.CreateBinaryIntrinsic(
        isSigned ? ID(llvm::Intrinsic::smax) : ID(llvm::Intrinsic::umax), a, b);
  case Opcode::Neg:
    return ir.CreateNeg(a);
  case Opcode::Abs:
    return isSigned ? ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, ir.getFalse()) : a;
  case Opcode::And:
    return ir.CreateAnd(a, b);
  case Opcode::Or:
    return ir.CreateOr(a, b);
  case Opcode::Xor:
    return ir.CreateXor(a, b);
  case Opcode::Not:
    return ir.CreateNot(a);
  case Opcode::Shl:
  case Opcode::Shr:
    return shiftInteger(opcode, a, b, isSigned);
  default:
    llvm_unreachable("not an elementwise operation on integers");
  }
}

} // namespace tl
