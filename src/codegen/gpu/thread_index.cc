#include "codegen/gpu/thread_index.h"

#include <bit>

namespace tl::gpu {

/// Bits of the thread number, moved to where `field` says and multiplied.
static llvm::Value *fieldValue(KernelContext &context, const ThreadField &field, int64_t stride) {
  Builder &ir = context.ir;
  uint32_t mask = uint32_t((uint64_t(1) << field.width) - 1);
  llvm::Value *value = context.thread;
  if (field.threadShift != 0)
    value = ir.CreateLShr(value, field.threadShift);
  if ((context.threads() - 1) >> field.threadShift > mask)
    value = ir.CreateAnd(value, mask);
  return ir.CreateMul(value, context.i32(stride << field.coordinateShift), "", stride >= 0, true);
}

ThreadSum threadSum(KernelContext &context, const TileLayout &layout,
                    std::span<const int64_t> strides) {
  ThreadSum sum;
  sum.value = context.i32(0);
  uint64_t terms = uint64_t(1) << 31;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    if (strides[axis] == 0)
      continue;
    for (const ThreadField &field : layout.threadFields(axis)) {
      int64_t step = strides[axis] << field.coordinateShift;
      sum.value = context.ir.CreateAdd(sum.value, fieldValue(context, field, strides[axis]));
      (step < 0 ? sum.smallest : sum.largest) += step * ((int64_t(1) << field.width) - 1);
      terms |= uint64_t(step);
    }
  }
  sum.alignment = uint32_t(1) << std::countr_zero(terms);
  return sum;
}

int64_t registerSum(const TileLayout &layout, uint32_t registerIndex,
                    std::span<const int64_t> strides) {
  TileCoordinates coordinates = layout.registerCoordinates(registerIndex);
  int64_t sum = 0;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    sum += coordinates[axis] * strides[axis];
  return sum;
}

llvm::Value *threadCoordinate(KernelContext &context, const TileLayout &layout, unsigned axis) {
  llvm::Value *value = context.i32(0);
  for (const ThreadField &field : layout.threadFields(axis))
    value = context.ir.CreateAdd(value, fieldValue(context, field, 1));
  return value;
}

llvm::Value *ownerTest(KernelContext &context, const TileLayout &layout, uint32_t distinguished) {
  uint32_t copies = layout.freeLaneMask() | layout.freeWaveMask() << layout.laneBits();
  copies &= ~distinguished;
  if (copies == 0)
    return nullptr;
  llvm::Value *bits = context.ir.CreateAnd(context.thread, copies);
  return context.ir.CreateICmpEQ(bits, context.i32(0));
}

TileBounds::TileBounds(KernelContext &context, const TileLayout &layout)
    : context(context), layout(layout) {
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    registers.push_back(layout.registerCoordinates(i));
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    for (const ThreadField &field : layout.threadFields(axis))
      largestThreadPart[axis] += ((int64_t(1) << field.width) - 1) << field.coordinateShift;
}

Coverage TileBounds::coverage(uint32_t registerIndex, unsigned axis) const {
  int64_t lowest = registers[registerIndex][axis];
  if (lowest + largestThreadPart[axis] < layout.extent(axis))
    return Coverage::Inside;
  return lowest < layout.extent(axis) ? Coverage::Partial : Coverage::Outside;
}

Coverage TileBounds::coverage(uint32_t registerIndex) const {
  Coverage all = Coverage::Inside;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    Coverage one = coverage(registerIndex, axis);
    if (one == Coverage::Outside)
      return one;
    if (one == Coverage::Partial)
      all = one;
  }
  return all;
}

llvm::Value *TileBounds::coordinate(uint32_t registerIndex, unsigned axis) {
  int64_t part = registers[registerIndex][axis];
  llvm::Value *&value = coordinates[{axis, part}];
  if (!value) {
    if (!threadParts[axis])
      threadParts[axis] = threadCoordinate(context, layout, axis);
    value = context.ir.CreateAdd(threadParts[axis], context.i32(part));
  }
  return value;
}

llvm::Value *TileBounds::inside(uint32_t registerIndex) {
  llvm::Value *all = nullptr;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    if (coverage(registerIndex, axis) == Coverage::Inside)
      continue;
    llvm::Value *&test = tests[{axis, registers[registerIndex][axis]}];
    if (!test)
      test = context.ir.CreateICmpULT(coordinate(registerIndex, axis),
                                      context.i32(layout.extent(axis)));
    all = conjunctions.both(context, all, test);
  }
  return all;
}

Coverage TileBounds::coverage(uint32_t registerIndex, unsigned axis, const TileBox &box) const {
  int64_t lowest = registers[registerIndex][axis], highest = lowest + largestThreadPart[axis];
  bool toTheEnd = box.high[axis] >= layout.extent(axis);
  if (highest < box.low[axis] || lowest >= box.high[axis])
    return Coverage::Outside;
  return lowest >= box.low[axis] && (toTheEnd || highest < box.high[axis]) ? Coverage::Inside
                                                                           : Coverage::Partial;
}

Coverage TileBounds::coverage(uint32_t registerIndex, const TileBox &box) const {
  Coverage all = Coverage::Inside;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    Coverage one = coverage(registerIndex, axis, box);
    if (one == Coverage::Outside)
      return one;
    if (one == Coverage::Partial)
      all = one;
  }
  return all;
}

llvm::Value *TileBounds::inside(uint32_t registerIndex, const TileBox &box) {
  llvm::Value *all = nullptr;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    if (coverage(registerIndex, axis, box) == Coverage::Inside)
      continue;
    int64_t low = box.low[axis], high = box.high[axis];
    llvm::Value *&test = boxTests[{axis, registers[registerIndex][axis], low, high}];
    if (!test) {
      llvm::Value *from = context.ir.CreateSub(coordinate(registerIndex, axis), context.i32(low));
      test = context.ir.CreateICmpULT(from, context.i32(high - low));
    }
    all = conjunctions.both(context, all, test);
  }
  return all;
}

RegisterRun registerRun(const TileLayout &layout) {
  RegisterRun run;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    if (uint32_t length = layout.contiguousRegisters(axis); length > run.length)
      run = {axis, length};
  return run;
}

} // namespace tl::gpu
