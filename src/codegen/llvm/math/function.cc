#include "codegen/llvm/math/math.h"

namespace tl::math {

llvm::Value *emitFunction(Opcode opcode, llvm::IRBuilderBase &builder,
                          std::span<llvm::Value *const> operands) {
  llvm::Value *x = operands[0];
  switch (opcode) {
  case Opcode::Exp:
    return emitExp(builder, x);
  case Opcode::Exp2:
    return emitExp2(builder, x);
  case Opcode::Expm1:
    return emitExpm1(builder, x);
  case Opcode::Log:
    return emitLog(builder, x);
  case Opcode::Log2:
    return emitLog2(builder, x);
  case Opcode::Log1p:
    return emitLog1p(builder, x);
  case Opcode::Sqrt:
    return emitSqrt(builder, x);
  case Opcode::Rsqrt:
    return emitRsqrt(builder, x);
  case Opcode::Rcp:
    return emitRcp(builder, x);
  case Opcode::Tanh:
    return emitTanh(builder, x);
  case Opcode::Sigmoid:
    return emitSigmoid(builder, x);
  case Opcode::Sin:
    return emitSin(builder, x);
  case Opcode::Cos:
    return emitCos(builder, x);
  case Opcode::Tan:
    return emitTan(builder, x);
  case Opcode::Erf:
    return emitErf(builder, x);
  case Opcode::Pow:
    return emitPow(builder, x, operands[1]);
  default:
    llvm_unreachable("not a mathematical function");
  }
}

} // namespace tl::math
