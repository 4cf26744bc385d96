#include "codegen/gpu/exchange.h"

#include "codegen/gpu/words.h"
#include "graph/element_map.h"

#include <algorithm>

namespace tl::gpu {

namespace {

std::vector<int64_t> shapeOf(const TileLayout &layout) {
  std::vector<int64_t> shape;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    shape.push_back(layout.extent(axis));
  return shape;
}

int64_t elementsOf(const TileLayout &layout) {
  int64_t total = 1;
  for (int64_t extent : shapeOf(layout))
    total *= extent;
  return total;
}

CoordinateMap coordinateMap(const ElementPiece &piece, const Type &from, const Type &to) {
  CoordinateMap map{std::vector<int64_t>(to.rank, 0), 0};
  int64_t stride = 1;
  for (unsigned axis = from.rank; axis-- > 0; stride *= from.dims[axis]) {
    const CoordinateSource &source = piece.source[axis];
    map.offset += source.offset * stride;
    if (source.axis >= 0)
      map.strides[size_t(source.axis)] += source.step * stride;
  }
  return map;
}

/// The box of a piece, nothing if it is all of the result.
std::optional<TileBox> boxOf(const ElementPiece &piece, const Type &to) {
  bool all = true;
  TileBox box;
  for (unsigned axis = 0; axis < to.rank; ++axis) {
    box.low[axis] = piece.low[axis];
    box.high[axis] = piece.high[axis];
    all = all && box.low[axis] == 0 && box.high[axis] == to.dims[axis];
  }
  return all ? std::nullopt : std::optional(box);
}

/// Gives registers of a tile in layout `to` their elements inside the box (nothing: all), by way of
/// LDS: those of `source` that `map` names.
void throughLds(KernelContext &context, Lds &lds, const TileValue &source, const TileLayout &to,
                const CoordinateMap &map, const std::optional<TileBox> &box,
                std::vector<llvm::Value *> &result) {
  uint32_t bytes = ldsBytes(source.dtype);
  int64_t total = elementsOf(*source.layout);
  int64_t part = std::min<int64_t>(total, lds.room() / bytes);
  CoordinateMap rowMajor = CoordinateMap::reshape(shapeOf(*source.layout));
  for (int64_t begin = 0; begin < total; begin += part) {
    int64_t end = std::min(begin + part, total);
    std::optional<LdsWindow> written, read;
    if (part < total) {
      written = {rowMajor.strides, begin, end, 16};
      read = {map.strides, begin - map.offset, end - map.offset, 16};
    }
    uint32_t region = lds.open(uint32_t(end - begin) * bytes);
    writeTile(context, lds, *source.layout, source.registers, source.dtype,
              {region, rowMajor.strides, begin}, written);
    lds.publish();
    readTile(context, lds, to, result, source.dtype, {region, map.strides, begin - map.offset},
             read, box);
    lds.close();
  }
}

/// The same, with registers renamed where that is enough.
void exchangeInto(KernelContext &context, Lds &lds, const TileValue &source, const TileLayout &to,
                  const CoordinateMap &map, const std::optional<TileBox> &box,
                  std::vector<llvm::Value *> &result) {
  auto registers = box ? std::nullopt : registerOnlyConversion(*source.layout, to, map);
  if (!registers)
    return throughLds(context, lds, source, to, map, box, result);
  for (size_t i = 0; i < result.size(); ++i)
    if ((*registers)[i] != paddingRegister)
      result[i] = source.registers[size_t((*registers)[i])];
}

/// The same for a source whose elements are one value.
void fillBox(KernelContext &context, llvm::Value *value, const TileLayout &to,
             const std::optional<TileBox> &box, std::vector<llvm::Value *> &result) {
  TileBounds bounds(context, to);
  for (uint32_t i = 0; i < to.numRegisters(); ++i) {
    if (box && bounds.coverage(i, *box) == Coverage::Outside)
      continue;
    llvm::Value *inside = box ? bounds.inside(i, *box) : nullptr;
    result[i] = inside ? context.ir.CreateSelect(inside, value, result[i]) : value;
  }
}

} // namespace

std::vector<llvm::Value *> exchange(KernelContext &context, Lds &lds, const TileValue &source,
                                    const TileLayout &to, const CoordinateMap &map) {
  std::vector<llvm::Value *> result(to.numRegisters(), context.emitter.zero(source.dtype));
  exchangeInto(context, lds, source, to, map, {}, result);
  return result;
}

std::vector<llvm::Value *> fromOwners(KernelContext &context, Lds &lds, const TileValue &source) {
  if (!ownerTest(context, *source.layout))
    return source.registers;
  std::vector<llvm::Value *> result(source.registers.size(), context.emitter.zero(source.dtype));
  throughLds(context, lds, source, *source.layout, CoordinateMap::reshape(shapeOf(*source.layout)),
             {}, result);
  return result;
}

TileValue emitShapeOp(KernelContext &context, Lds &lds, ValueId value,
                      std::span<const TileValue> sources) {
  const Graph &graph = context.graph;
  const Op &op = *graph.definingOp(value);
  const Type &type = graph.typeOf(value);
  const TileLayout &layout = context.layouts.of(type);
  TileValue result{&layout, type.dtype, {}, false};
  auto isOneValue = [](const TileValue &source) {
    return source.isSplat || source.layout->rank() == 0;
  };
  if (sources.size() == 1 && isOneValue(sources[0])) {
    result.registers.assign(layout.numRegisters(), sources[0].registers[0]);
    result.isSplat = true;
    return result;
  }
  result.registers.assign(layout.numRegisters(), context.emitter.zero(type.dtype));
  const Type &first = graph.typeOf(graph.operand(op, 0));
  if (op.opcode == Opcode::Reshape && !keepsAxes(first, type)) {
    std::vector<int64_t> extents(type.extents().begin(), type.extents().end());
    exchangeInto(context, lds, sources[0], layout, CoordinateMap::reshape(extents), {},
                 result.registers);
  } else {
    for (const ElementPiece &piece : elementMap(graph, op, graph.values[value].index)) {
      const TileValue &source = sources[piece.operand];
      const Type &from = graph.typeOf(graph.operand(op, piece.operand));
      std::optional<TileBox> box = boxOf(piece, type);
      if (isOneValue(source))
        fillBox(context, source.registers[0], layout, box, result.registers);
      else
        exchangeInto(context, lds, source, layout, coordinateMap(piece, from, type), box,
                     result.registers);
    }
  }
  if (type.rank == 0)
    result.registers[0] = uniform(context, result.registers[0]);
  return result;
}

namespace {

/// Where the elements that a thread takes stand in the operand, by register.
struct TakenPlaces {
  std::vector<llvm::Value *> at;     // i32, in row-major order of the operand; null: padding
  std::vector<llvm::Value *> inside; // i1: there is such an element
};

TakenPlaces placesOf(KernelContext &context, const Type &source, unsigned along,
                     const TileLayout &layout, const TileValue &index) {
  Builder &ir = context.ir;
  TakenPlaces places;
  TileBounds bounds(context, layout);
  std::vector<int64_t> extents(source.extents().begin(), source.extents().end());
  std::vector<int64_t> strides = CoordinateMap::reshape(extents).strides;
  for (uint32_t i = 0; i < layout.numRegisters(); ++i) {
    places.at.push_back(nullptr);
    places.inside.push_back(nullptr);
    if (bounds.coverage(i) == Coverage::Outside)
      continue;
    llvm::Value *chosen = index.at(i);
    // As unsigned numbers, so that negative ones lie beyond.
    llvm::Value *inside = ir.CreateICmpULT(
        chosen, llvm::ConstantInt::get(chosen->getType(), uint64_t(extents[along])));
    if (llvm::Value *isElement = bounds.inside(i))
      inside = ir.CreateAnd(inside, isElement);
    llvm::Value *at =
        ir.CreateMul(ir.CreateTrunc(chosen, ir.getInt32Ty()), context.i32(strides[along]));
    for (unsigned axis = 0; axis < source.rank; ++axis)
      if (axis != along && extents[axis] > 1)
        at = ir.CreateAdd(at, ir.CreateMul(bounds.coordinate(i, axis), context.i32(strides[axis])));
    places.at.back() = at;
    places.inside.back() = inside;
  }
  return places;
}

} // namespace

TileValue emitTake(KernelContext &context, Lds &lds, const Op &op, const TileValue &source,
                   const TileValue &index) {
  Builder &ir = context.ir;
  const Graph &graph = context.graph;
  const Type &type = graph.typeOf(graph.result(op)), &from = graph.typeOf(graph.operand(op, 0));
  const TileLayout &layout = context.layouts.of(type);
  TileValue result{&layout, type.dtype, {}, false};
  result.registers.assign(layout.numRegisters(), context.emitter.zero(type.dtype));
  TakenPlaces places =
      placesOf(context, from, unsigned(graph.intAttr(op, AttrKey::Axis)), layout, index);
  auto forEachRegister = [&](auto body) {
    for (uint32_t i = 0; i < layout.numRegisters(); ++i)
      if (places.at[i])
        body(i);
  };
  if (source.isSplat) {
    forEachRegister([&](uint32_t i) {
      result.registers[i] =
          ir.CreateSelect(places.inside[i], source.registers[0], result.registers[i]);
    });
    return result;
  }
  uint32_t bytes = ldsBytes(type.dtype);
  int64_t total = elementsOf(*source.layout);
  int64_t part = std::min<int64_t>(total, lds.room() / bytes);
  CoordinateMap rowMajor = CoordinateMap::reshape(shapeOf(*source.layout));
  for (int64_t begin = 0; begin < total; begin += part) {
    int64_t end = std::min(begin + part, total);
    std::optional<LdsWindow> written;
    if (part < total)
      written = {rowMajor.strides, begin, end, 16};
    uint32_t region = lds.open(uint32_t(end - begin) * bytes);
    writeTile(context, lds, *source.layout, source.registers, source.dtype,
              {region, rowMajor.strides, begin}, written);
    lds.publish();
    forEachRegister([&](uint32_t i) {
      llvm::Value *at = ir.CreateSub(places.at[i], context.i32(begin)), *here = places.inside[i];
      if (part < total)
        here = ir.CreateAnd(here, ir.CreateICmpULT(at, context.i32(end - begin)));
      llvm::Value *offset =
          ir.CreateAdd(ir.CreateMul(ir.CreateSelect(here, at, context.i32(0)), context.i32(bytes)),
                       context.i32(region));
      llvm::Value *element = nullptr;
      loadElements(context, lds.address(offset), type.dtype, bytes, std::span(&element, 1));
      result.registers[i] = ir.CreateSelect(here, element, result.registers[i]);
    });
    lds.close();
  }
  return result;
}

} // namespace tl::gpu
