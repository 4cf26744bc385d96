#include "codegen/gpu/element_access.h"

#include "codegen/gpu/barrier.h"
#include "codegen/llvm/atomic_op.h"

namespace tl::gpu {

namespace {

/// The address of one element and whether it may be touched, for every register of a layout.
class Elements {
public:
  Elements(KernelContext &context, const ViewValue &view, const ElementIndices &at,
           const TileLayout &layout)
      : context(context), ir(context.ir), view(view), at(at), bounds(context, layout) {
    for (llvm::Value *extent : view.extents) {
      llvm::Value *isPositive = ir.CreateICmpSGT(extent, context.i64(0));
      sizes.push_back(ir.CreateSelect(isPositive, extent, context.i64(0)));
    }
    for (llvm::Value *stride : view.strides)
      strides.push_back(ir.CreateMul(stride, context.i64(dtypeBytes(view.dtype))));
  }

  bool isPadding(uint32_t i) const { return bounds.coverage(i) == Coverage::Outside; }

  /// i1, or null for always.
  llvm::Value *isValid(uint32_t i) {
    llvm::Value *all = bounds.inside(i);
    if (!at.mask.registers.empty())
      all = all ? ir.CreateAnd(all, at.mask.at(i)) : at.mask.at(i);
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      // One unsigned comparison: a negative index is a large number.
      llvm::Value *test = ir.CreateICmpULT(index(axis, i), sizes[axis]);
      all = all ? ir.CreateAnd(all, test) : test;
    }
    return all;
  }

  llvm::Value *address(uint32_t i) {
    llvm::Value *offset = context.i64(0);
    for (size_t axis = 0; axis < strides.size(); ++axis)
      offset = ir.CreateAdd(offset, ir.CreateMul(index(axis, i), strides[axis]));
    return byteOffset(context, view.base, offset);
  }

private:
  KernelContext &context;
  Builder &ir;
  const ViewValue &view;
  const ElementIndices &at;
  TileBounds bounds;
  std::vector<llvm::Value *> sizes, strides; // extents, 0 if negative; strides in bytes

  llvm::Value *index(size_t axis, uint32_t i) {
    return ir.CreateSExt(at.indices[axis].at(i), ir.getInt64Ty());
  }
};

} // namespace

std::vector<llvm::Value *> gatherElements(KernelContext &context, const ViewValue &view,
                                          const ElementIndices &at, const TileLayout &layout,
                                          llvm::Value *pad) {
  Elements elements(context, view, at, layout);
  std::vector<llvm::Value *> registers(layout.numRegisters(), pad);
  for (uint32_t i = 0; i < layout.numRegisters(); ++i) {
    if (elements.isPadding(i))
      continue;
    llvm::Value *valid = elements.isValid(i);
    llvm::Value *address =
        context.ir.CreateSelect(valid, elements.address(i), safeAddress(context, view.base));
    loadElements(context, address, view.dtype, dtypeBytes(view.dtype),
                 std::span(registers).subspan(i, 1));
    registers[i] = context.ir.CreateSelect(valid, registers[i], pad);
  }
  return registers;
}

/// For every register: whether this thread writes its element; null for padding.
static std::vector<llvm::Value *> writeConditions(KernelContext &context, Elements &elements,
                                                  const TileLayout &layout) {
  llvm::Value *owner = ownerTest(context, layout);
  std::vector<llvm::Value *> conditions(layout.numRegisters(), nullptr);
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    if (!elements.isPadding(i)) {
      llvm::Value *valid = elements.isValid(i);
      conditions[i] = owner ? context.ir.CreateAnd(owner, valid) : valid;
    }
  return conditions;
}

void scatterElements(KernelContext &context, const ViewValue &view, const ElementIndices &at,
                     const TileLayout &layout, const TileValue &value) {
  Elements elements(context, view, at, layout);
  std::vector<llvm::Value *> conditions = writeConditions(context, elements, layout);
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    if (conditions[i])
      emitIf(context, conditions[i], [&] {
        llvm::Value *element = value.at(i);
        storeElements(context, elements.address(i), view.dtype, std::span(&element, 1),
                      dtypeBytes(view.dtype));
      });
}

std::vector<llvm::Value *> atomicElements(KernelContext &context, const Op &op,
                                          const ViewValue &view, const ElementIndices &at,
                                          const TileLayout &layout, const TileValue &value,
                                          const TileValue &expected) {
  Builder &ir = context.ir;
  const AtomicMode mode = context.graph.atomicMode(op);
  const AtomicAccess access{atomicOrdering(mode.order), syncScope(context, mode.scope)};
  Elements elements(context, view, at, layout);
  std::vector<llvm::Value *> conditions = writeConditions(context, elements, layout);
  std::vector<llvm::Value *> old(layout.numRegisters(), context.emitter.zero(view.dtype));
  for (uint32_t i = 0; i < layout.numRegisters(); ++i) {
    if (!conditions[i])
      continue;
    llvm::BasicBlock *before = ir.GetInsertBlock(), *inside = nullptr;
    llvm::Value *read = nullptr;
    emitIf(context, conditions[i], [&] {
      read = emitAtomic(ir, context.emitter, op.opcode, view.dtype, elements.address(i),
                        value.layout ? value.at(i) : nullptr,
                        expected.layout ? expected.at(i) : nullptr, access);
      inside = ir.GetInsertBlock();
    });
    if (!read) // the condition is known to be false
      continue;
    if (ir.GetInsertBlock() == inside) { // or known to be true
      old[i] = read;
      continue;
    }
    llvm::PHINode *phi = ir.CreatePHI(read->getType(), 2);
    phi->addIncoming(old[i], before);
    phi->addIncoming(read, inside);
    old[i] = phi;
  }
  return old;
}

} // namespace tl::gpu
