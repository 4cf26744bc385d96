#include "codegen/gpu/reduce.h"

#include "codegen/gpu/exchange.h"
#include "codegen/gpu/words.h"

#include <algorithm>
#include <bit>

namespace tl::gpu {

namespace {

class Reduction {
public:
  Reduction(KernelContext &context, Lds &lds, const Op &op, Combiner combiner,
            std::span<const TileValue> sources)
      : context(context), ir(context.ir), lds(lds), op(op), sources(sources),
        layout(*sources[0].layout), combiner(std::move(combiner)),
        axis(unsigned(context.graph.intAttr(op, AttrKey::Axis))),
        type(context.graph.typeOf(context.graph.result(op))), bounds(context, layout) {}

  Result<std::vector<TileValue>> emit() {
    TileLayout sliced = layout.sliceAway(axis);
    const TileLayout &to = context.layouts.of(type);
    std::vector<Parts> partial;
    for (const std::vector<uint32_t> &group : layout.axisRegisters(axis))
      partial.push_back(acrossLanes(acrossRegisters(group)));
    const bool waves = layout.axisWaveBits(axis) != 0;
    if (waves) {
      TL_ASSIGN(partial, acrossWaves(sliced, partial, to));
    }
    std::vector<TileValue> results;
    for (size_t i = 0; i < combiner.results(); ++i) {
      size_t part = combiner.resultPart(i);
      TileValue result{&to, context.graph.typeOf(context.graph.result(op, i)).dtype, {}, false};
      result.registers = column(partial, part);
      if (!waves)
        result.registers =
            exchange(context, lds, {&sliced, combiner.dtypes()[part], result.registers, false}, to,
                     CoordinateMap::reshape(resultShape()));
      for (llvm::Value *&value : result.registers) {
        value = combiner.finish(value, i);
        if (type.rank == 0)
          value = uniform(context, value);
      }
      results.push_back(std::move(result));
    }
    return results;
  }

private:
  KernelContext &context;
  Builder &ir;
  Lds &lds;
  const Op &op;
  std::span<const TileValue> sources;
  const TileLayout &layout; // of all operands
  Combiner combiner;
  unsigned axis;
  const Type &type; // of the first result
  TileBounds bounds;

  std::vector<int64_t> resultShape() const {
    return {type.extents().begin(), type.extents().end()};
  }

  static std::vector<llvm::Value *> column(std::span<const Parts> rows, size_t part) {
    std::vector<llvm::Value *> values;
    for (const Parts &row : rows)
      values.push_back(row[part]);
    return values;
  }

  Parts element(uint32_t registerIndex) {
    bool inside = bounds.coverage(registerIndex, axis) == Coverage::Inside;
    llvm::Value *coordinate =
        inside && !combiner.needsCoordinate() ? nullptr : bounds.coordinate(registerIndex, axis);
    std::vector<llvm::Value *> elements;
    for (const TileValue &source : sources)
      elements.push_back(source.at(registerIndex));
    Parts value = combiner.lift(elements, coordinate);
    if (inside)
      return value;
    llvm::Value *isInside = ir.CreateICmpULT(coordinate, context.i32(layout.extent(axis)));
    return combiner.select(isInside, value, combiner.identity());
  }

  /// A balanced tree over the registers in the order of their coordinates.
  Parts acrossRegisters(const std::vector<uint32_t> &group) {
    std::vector<Parts> values;
    for (uint32_t registerIndex : group)
      if (bounds.coverage(registerIndex, axis) != Coverage::Outside)
        values.push_back(element(registerIndex));
    return tree(std::move(values));
  }

  Parts tree(std::vector<Parts> values) {
    while (values.size() > 1) {
      std::vector<Parts> next;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        next.push_back(combiner.combine(values[i], values[i + 1]));
      if (values.size() % 2 != 0)
        next.push_back(values.back());
      values = std::move(next);
    }
    return values[0];
  }

  /// An exchange with the lane that differs in one bit, for each lane bit along the axis. Every
  /// lane of a group ends with the same bits: a + b and b + a are equal, and what is not symmetric
  /// gets the operand of the lower lane first.
  Parts acrossLanes(Parts value) {
    for (uint32_t bits = layout.axisLaneBits(axis); bits != 0; bits &= bits - 1) {
      uint32_t bit = bits & (0 - bits);
      Parts other;
      for (llvm::Value *part : value)
        other.push_back(llvm::isa<llvm::Constant>(part) ? part : laneXor(context, part, bit));
      if (combiner.isSymmetric()) {
        value = combiner.combine(value, other);
        continue;
      }
      llvm::Value *isUpper =
          ir.CreateICmpNE(ir.CreateAnd(context.thread, context.i32(bit)), context.i32(0));
      value = combiner.combine(combiner.select(isUpper, other, value),
                               combiner.select(isUpper, value, other));
    }
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
  Result<std::vector<Parts>> acrossWaves(const TileLayout &sliced, std::span<const Parts> partial,
                                         const TileLayout &to) {
    std::vector<int64_t> strides = CoordinateMap::reshape(resultShape()).strides;
    uint32_t waves = uint32_t(1) << std::popcount(layout.axisWaveBits(axis));
    uint32_t distinguished = layout.axisWaveBits(axis) << layout.laneBits();
    uint32_t elementBytes = 0;
    for (DType dtype : combiner.dtypes())
      elementBytes += ldsBytes(dtype);
    constexpr uint32_t alignment = 16;
    const int64_t total = type.elements();
    const uint64_t padding = alignment * combiner.parts(), room = lds.room();
    const uint64_t most = room > padding ? (room - padding) / elementBytes / waves : 0;
    if (most == 0)
      return makeError(
          TL_E_LIMIT,
          "%s: %zu values together take %u bytes, in each of %u waves that reduce them, "
          "more than the %llu bytes of shared memory for it; use fewer threads",
          opInfo(op.opcode).text.data(), combiner.parts(), elementBytes, waves,
          (unsigned long long)room);
    // Of a slot: elements of the result that are combined at one time.
    const int64_t pitch = int64_t(std::min(std::bit_ceil(uint64_t(total)), std::bit_floor(most)));
    const int64_t part = std::min(total, pitch);
    std::vector<uint32_t> offsets; // of the slots of each value
    uint32_t bytes = 0;
    for (DType dtype : combiner.dtypes()) {
      bytes = (bytes + alignment - 1) / alignment * alignment;
      offsets.push_back(bytes);
      bytes += uint32_t(waves * pitch) * ldsBytes(dtype);
    }
    Parts nothing;
    for (DType dtype : combiner.dtypes())
      nothing.push_back(context.emitter.zero(dtype));
    std::vector<Parts> result(to.numRegisters(), nothing);
    for (int64_t begin = 0; begin < total; begin += part) {
      int64_t end = std::min(begin + part, total);
      std::optional<LdsWindow> window;
      if (part < total)
        window = {strides, begin, end, std::min(alignment, uint32_t(pitch))};
      uint32_t region = lds.open(bytes);
      llvm::Value *slot = ir.CreateMul(waveSlot(), context.i32(pitch));
      for (size_t i = 0; i < combiner.parts(); ++i) {
        DType dtype = combiner.dtypes()[i];
        writeTile(context, lds, sliced, column(partial, i), dtype,
                  {region + offsets[i], strides, begin, slot, uint32_t(pitch)}, window,
                  distinguished);
      }
      lds.publish();
      readSlots(to, result, {region, strides, begin}, offsets, window, waves, pitch);
      lds.close();
    }
    return result;
  }

  void readSlots(const TileLayout &to, std::vector<Parts> &result, const LdsPlace &slotsPlace,
                 const std::vector<uint32_t> &offsets, const std::optional<LdsWindow> &window,
                 uint32_t waves, int64_t pitch) {
    // Elements outside the window stay as they were: the first slot keeps them, the others give the
    // identity.
    const Parts identity = combiner.identity();
    std::vector<std::vector<Parts>> slots(waves, std::vector<Parts>(result.size(), identity));
    slots[0] = result;
    for (size_t i = 0; i < combiner.parts(); ++i) {
      DType dtype = combiner.dtypes()[i];
      LdsPlace place = slotsPlace;
      place.region += offsets[i];
      for (std::vector<Parts> &slot : slots) {
        std::vector<llvm::Value *> values = column(slot, i);
        readTile(context, lds, to, values, dtype, place, window);
        for (size_t k = 0; k < values.size(); ++k)
          slot[k][i] = values[k];
        place.region += uint32_t(pitch) * ldsBytes(dtype);
      }
    }
    for (size_t k = 0; k < result.size(); ++k) {
      std::vector<Parts> values;
      for (const auto &slot : slots)
        values.push_back(slot[k]);
      if (values[0] != result[k] || values[1] != identity)
        result[k] = tree(std::move(values));
    }
  }
};

} // namespace

Result<std::vector<TileValue>> emitReduce(KernelContext &context, Lds &lds, const Op &op,
                                          Combiner combiner, std::span<const TileValue> sources) {
  return Reduction(context, lds, op, std::move(combiner), sources).emit();
}

} // namespace tl::gpu
