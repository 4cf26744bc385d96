#include "codegen/gpu/register_phis.h"

namespace tl::gpu {

/// Registers of this type that go side by side, of `left`.
static size_t groupSize(llvm::Type *type, size_t left) {
  constexpr unsigned accessBits = 128;
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  if (bits != 8 && bits != 16)
    return 1;
  size_t size = accessBits / bits;
  while (size > left)
    size /= 2;
  return size;
}

RegisterPhis::RegisterPhis(Builder &builder, std::span<llvm::Value *const> like) : ir(builder) {
  llvm::BasicBlock *block = ir.GetInsertBlock();
  for (size_t first = 0; first < like.size();) {
    llvm::Type *type = like[first]->getType();
    const size_t count = groupSize(type, like.size() - first);
    if (count > 1)
      type = llvm::FixedVectorType::get(type, unsigned(count));
    groups.push_back({first, count, llvm::PHINode::Create(type, 2, "", block->getFirstNonPHIIt())});
    first += count;
  }
}

void RegisterPhis::addIncoming(std::span<llvm::Value *const> registers, llvm::BasicBlock *from,
                               llvm::function_ref<llvm::Value *(llvm::Value *)> last) {
  Builder::InsertPointGuard guard(ir);
  if (llvm::Instruction *end = from->getTerminator())
    ir.SetInsertPoint(end);
  else
    ir.SetInsertPoint(from);
  for (const Group &group : groups) {
    llvm::Value *value = registers[group.first];
    if (group.count > 1) {
      value = llvm::PoisonValue::get(group.phi->getType());
      for (uint64_t i = 0; i < group.count; ++i)
        value = ir.CreateInsertElement(value, registers[group.first + i], i);
    }
    group.phi->addIncoming(last ? last(value) : value, from);
  }
}

std::vector<llvm::Value *> RegisterPhis::take() {
  std::vector<llvm::Value *> registers;
  for (const Group &group : groups)
    for (uint64_t i = 0; i < group.count; ++i)
      registers.push_back(group.count == 1 ? group.phi : ir.CreateExtractElement(group.phi, i));
  return registers;
}

} // namespace tl::gpu
