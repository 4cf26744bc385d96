#include "codegen/amdgpu/reduce.h"

#include "codegen/amdgpu/exchange.h"
#include "codegen/amdgpu/words.h"

#include <algorithm>
#include <bit>

namespace tl::amdgpu {

namespace {

constexpr uint32_t partialBytes = 32768;

class Reduction {
public:
  Reduction(KernelContext &context, Lds &lds, const Op &op, const TileValue &source)
      : context(context), ir(context.ir), lds(lds), source(source), layout(*source.layout),
        kind(ReduceKind(context.graph.intAttr(op, AttrKey::Kind))),
        axis(unsigned(context.graph.intAttr(op, AttrKey::Axis))),
        type(context.graph.typeOf(context.graph.result(op))), dtype(source.dtype),
        bounds(context, layout) {
    bool isHalf = dtype == DType::F16 || dtype == DType::BF16;
    if (kind == ReduceKind::Sum && isHalf)
      dtype = DType::F32;
  }

  TileValue emit() {
    TileLayout sliced = layout.sliceAway(axis);
    std::vector<llvm::Value *> partial;
    for (const std::vector<uint32_t> &group : layout.axisRegisters(axis))
      partial.push_back(acrossLanes(acrossRegisters(group)));
    TileValue result{&context.layouts.of(type), source.dtype, {}, false};
    if (layout.axisWaveBits(axis) != 0)
      result.registers = acrossWaves(sliced, partial, *result.layout);
    else
      result.registers = exchange(context, lds, {&sliced, dtype, partial, false}, *result.layout,
                                  CoordinateMap::reshape(resultShape()));
    for (llvm::Value *&value : result.registers) {
      if (dtype != source.dtype)
        value = context.emitter.fromFloat(value, source.dtype);
      if (type.rank == 0)
        value = uniform(context, value);
    }
    return result;
  }

private:
  KernelContext &context;
  Builder &ir;
  Lds &lds;
  const TileValue &source;
  const TileLayout &layout;
  ReduceKind kind;
  unsigned axis;
  const Type &type;
  DType dtype; // of the accumulation
  TileBounds bounds;

  std::vector<int64_t> resultShape() const {
    return {type.extents().begin(), type.extents().end()};
  }

  llvm::Value *combine(llvm::Value *a, llvm::Value *b) {
    return context.emitter.combine(kind, a, b, dtype);
  }

  /// What changes nothing; -0 for float sums, so that a sum of -0 stays -0.
  llvm::Value *identity() {
    if (kind == ReduceKind::Sum && isFloat(dtype))
      return context.emitter.constantFloat(dtype, -0.0);
    if (kind == ReduceKind::Sum)
      return context.emitter.zero(dtype);
    return context.emitter.reduceIdentity(kind, dtype);
  }

  llvm::Value *element(uint32_t registerIndex) {
    llvm::Value *value = source.at(registerIndex);
    if (dtype != source.dtype)
      value = context.emitter.toFloat(value, source.dtype);
    if (bounds.coverage(registerIndex, axis) == Coverage::Inside)
      return value;
    llvm::Value *isInside =
        ir.CreateICmpULT(bounds.coordinate(registerIndex, axis), context.i32(layout.extent(axis)));
    return ir.CreateSelect(isInside, value, identity());
  }

  /// A balanced tree over the registers in the order of their coordinates.
  llvm::Value *acrossRegisters(const std::vector<uint32_t> &group) {
    std::vector<llvm::Value *> values;
    for (uint32_t registerIndex : group)
      if (bounds.coverage(registerIndex, axis) != Coverage::Outside)
        values.push_back(element(registerIndex));
    return tree(std::move(values));
  }

  llvm::Value *tree(std::vector<llvm::Value *> values) {
    while (values.size() > 1) {
      std::vector<llvm::Value *> next;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        next.push_back(combine(values[i], values[i + 1]));
      if (values.size() % 2 != 0)
        next.push_back(values.back());
      values = std::move(next);
    }
    return values[0];
  }

  /// An exchange with the lane that differs in one bit, for each lane bit along the axis: every
  /// lane of a group ends with the same bits, since a + b and b + a are equal.
  llvm::Value *acrossLanes(llvm::Value *value) {
    for (uint32_t bits = layout.axisLaneBits(axis); bits != 0; bits &= bits - 1)
      value = combine(value, laneXor(context, value, bits & (0 - bits)));
    return value;
  }

  /// The number of this thread's wave among those that hold parts of the same results.
  llvm::Value *waveSlot() {
    llvm::Value *slot = context.i32(0);
    unsigned position = 0;
    for (uint32_t bits = layout.axisWaveBits(axis); bits != 0; bits &= bits - 1, ++position) {
      unsigned bit = layout.laneBits() + unsigned(std::countr_zero(bits));
      llvm::Value *one = ir.CreateAnd(ir.CreateLShr(context.thread, bit), context.i32(1));
      slot = ir.CreateOr(slot, ir.CreateShl(one, position));
    }
    return slot;
  }

  /// Each wave writes its part of every result to a slot of its own; each thread reads and combines
  /// all slots of the results it holds, in the order of the slots.
  std::vector<llvm::Value *> acrossWaves(const TileLayout &sliced,
                                         std::span<llvm::Value *const> partial,
                                         const TileLayout &to) {
    std::vector<int64_t> strides = CoordinateMap::reshape(resultShape()).strides;
    uint32_t waves = uint32_t(1) << std::popcount(layout.axisWaveBits(axis));
    uint32_t distinguished = layout.axisWaveBits(axis) << layout.laneBits();
    uint32_t bytes = ldsBytes(dtype);
    int64_t total = type.elements();
    int64_t part = std::min<int64_t>(total, partialBytes / bytes / waves);
    int64_t pitch = int64_t(std::bit_ceil(uint64_t(part))); // of a slot
    std::vector<llvm::Value *> result(to.numRegisters(), context.emitter.zero(dtype));
    for (int64_t begin = 0; begin < total; begin += part) {
      int64_t end = std::min(begin + part, total);
      std::optional<LdsWindow> window;
      if (part < total)
        window = {strides, begin, end, 16};
      uint32_t region = lds.open(uint32_t(waves * pitch * bytes));
      llvm::Value *slot = ir.CreateMul(waveSlot(), context.i32(pitch));
      writeTile(context, lds, sliced, partial, dtype,
                {region, strides, begin, slot, uint32_t(pitch)}, window, distinguished);
      lds.publish();
      readSlots(to, result, {region, strides, begin}, window, waves, pitch);
      lds.close();
    }
    return result;
  }

  void readSlots(const TileLayout &to, std::vector<llvm::Value *> &result, LdsPlace place,
                 const std::optional<LdsWindow> &window, uint32_t waves, int64_t pitch) {
    // Elements outside the window stay as they were: the first slot keeps them, the others give the
    // identity.
    std::vector<std::vector<llvm::Value *>> slots(
        waves, std::vector<llvm::Value *>(result.size(), identity()));
    slots[0] = result;
    for (std::vector<llvm::Value *> &slot : slots) {
      readTile(context, lds, to, slot, dtype, place, window);
      place.region += uint32_t(pitch) * ldsBytes(dtype);
    }
    for (size_t i = 0; i < result.size(); ++i) {
      std::vector<llvm::Value *> values;
      for (const auto &slot : slots)
        values.push_back(slot[i]);
      if (values[0] != result[i] || values[1] != identity())
        result[i] = tree(std::move(values));
    }
  }
};

} // namespace

TileValue emitReduce(KernelContext &context, Lds &lds, const Op &op, const TileValue &source) {
  return Reduction(context, lds, op, source).emit();
}

} // namespace tl::amdgpu
