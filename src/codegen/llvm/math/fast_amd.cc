#include "codegen/llvm/math/fast_amd.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cmath>

namespace tl::math {

namespace {

using llvm::Value;
namespace Id = llvm::Intrinsic;

/// On one lane: the instructions take no vectors.
class FastAmd {
public:
  explicit FastAmd(llvm::IRBuilderBase &ir) : ir(ir) {}

  Value *emit(Opcode opcode, Value *a, Value *b) {
    switch (opcode) {
    case Opcode::Exp2:
      return call(Id::amdgcn_exp2, a);
    case Opcode::Exp:
      return exp(a);
    case Opcode::Log2:
      return call(Id::amdgcn_log, a);
    case Opcode::Log:
      return ir.CreateFMul(call(Id::amdgcn_log, a), number(M_LN2));
    case Opcode::Sqrt:
      return call(Id::amdgcn_sqrt, a);
    case Opcode::Rsqrt:
      return call(Id::amdgcn_rsq, a);
    case Opcode::Rcp:
      return rcp(a);
    case Opcode::Div:
      return ir.CreateFMul(a, rcp(b));
    case Opcode::Sin:
      return call(Id::amdgcn_sin, turns(a));
    case Opcode::Cos:
      return call(Id::amdgcn_cos, turns(a));
    case Opcode::Sigmoid: // 1 / (1 + e^-a)
      return rcp(ir.CreateFAdd(exp(ir.CreateFNeg(a)), number(1)));
    case Opcode::Tanh: { // 1 - 2 / (1 + e^2a)
      Value *power = call(Id::amdgcn_exp2, ir.CreateFMul(a, number(2 * M_LOG2E)));
      Value *part = ir.CreateFMul(rcp(ir.CreateFAdd(power, number(1))), number(-2));
      return ir.CreateFAdd(part, number(1));
    }
    default:
      llvm_unreachable("an operation without the attribute");
    }
  }

private:
  llvm::IRBuilderBase &ir;

  llvm::Constant *number(double v) { return llvm::ConstantFP::get(ir.getFloatTy(), v); }
  Value *call(Id::ID id, Value *x) { return ir.CreateUnaryIntrinsic(id, x); }
  Value *rcp(Value *x) { return call(Id::amdgcn_rcp, x); }
  Value *exp(Value *x) { return call(Id::amdgcn_exp2, ir.CreateFMul(x, number(M_LOG2E))); }
  /// The instructions take an angle in turns, and those near 0 only.
  Value *turns(Value *x) {
    return call(Id::amdgcn_fract, ir.CreateFMul(x, number(1 / (2 * M_PI))));
  }
};

} // namespace

Value *emitFastAmd(Opcode opcode, llvm::IRBuilderBase &builder, std::span<Value *const> operands) {
  FastAmd fast(builder);
  Value *a = operands[0], *b = operands.back();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (!vector)
    return fast.emit(opcode, a, b);
  Value *result = llvm::PoisonValue::get(vector);
  for (uint64_t i = 0; i < vector->getNumElements(); ++i) {
    Value *lane =
        fast.emit(opcode, builder.CreateExtractElement(a, i), builder.CreateExtractElement(b, i));
    result = builder.CreateInsertElement(result, lane, i);
  }
  return result;
}

} // namespace tl::math
