#include "codegen/host/emission.h"

#include <bit>

namespace tl::host {

Emission::Emission(const CodegenInput &input, const ValuePlan &values, const BufferPlan &buffers,
                   unsigned vectorBits, llvm::Function *function, const KernelDebugInfo &debug)
    : input(input), g(input.graph), values(values), buffers(buffers), vectorBits(vectorBits),
      function(function), ir(function->getContext()),
      elements(
          ir, {.contract = input.graph.kernel.contract, .nativeHalf = false, .hidesNumbers = true}),
      debug(debug), scalar(g.values.size()), view(g.values.size()), tile(g.values.size()) {}

llvm::Value *Emission::index(ValueId v) {
  llvm::Value *value = scalar[v];
  return typeOf(v).dtype == DType::I32 ? ir.CreateSExt(value, ir.getInt64Ty()) : value;
}

llvm::Value *Emission::bufferAddress(BufferId buffer) {
  return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), arena, buffers.offset[buffer]);
}

TileRef Emission::bufferTile(BufferId buffer, const Type &type) {
  TileRef tile;
  tile.base = bufferAddress(buffer);
  int64_t stride = 1;
  for (unsigned i = type.rank; i-- > 0;) {
    tile.stride[i] = i64(stride);
    stride *= type.dims[i];
  }
  return tile;
}

llvm::Value *Emission::element(llvm::Value *base, llvm::Value *offset, DType dtype) {
  return ir.CreateGEP(elements.memoryType(dtype), base, offset);
}

llvm::Constant *Emission::pad(const Op &op, DType dtype) {
  return emitNumber(elements, g.attr(op, AttrKey::Pad), dtype);
}

llvm::BasicBlock *Emission::newBlock(const char *name) {
  return llvm::BasicBlock::Create(function->getContext(), name, function);
}

void Emission::ifThen(llvm::Value *condition, llvm::function_ref<void()> body) {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    if (known->isOne())
      body();
    return;
  }
  llvm::BasicBlock *then = newBlock("then"), *after = newBlock("after");
  ir.CreateCondBr(condition, then, after);
  ir.SetInsertPoint(then);
  body();
  ir.CreateBr(after);
  ir.SetInsertPoint(after);
}

unsigned lanesFor(const Emission &e, unsigned elementBytes) {
  return std::max(e.vectorBits / 32, e.vectorBits / 8 / std::bit_ceil(elementBytes));
}

} // namespace tl::host
