#include "codegen/amdgpu/exchange.h"

#include "codegen/amdgpu/words.h"

#include <algorithm>

namespace tl::amdgpu {

namespace {

// More LDS than this keeps other workgroups off the compute unit for little gain.
constexpr uint32_t exchangeBytes = 32768;

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

} // namespace

std::vector<llvm::Value *> exchange(KernelContext &context, Lds &lds, const TileValue &source,
                                    const TileLayout &to, const CoordinateMap &map) {
  llvm::Value *zero = context.emitter.zero(source.dtype);
  std::vector<llvm::Value *> result(to.numRegisters(), zero);
  if (auto registers = registerOnlyConversion(*source.layout, to, map)) {
    for (size_t i = 0; i < result.size(); ++i)
      if ((*registers)[i] != paddingRegister)
        result[i] = source.registers[size_t((*registers)[i])];
    return result;
  }
  uint32_t bytes = ldsBytes(source.dtype);
  int64_t total = elementsOf(*source.layout);
  int64_t part = std::min<int64_t>(total, exchangeBytes / bytes);
  CoordinateMap rowMajor = CoordinateMap::reshape(shapeOf(*source.layout));
  for (int64_t begin = 0; begin < total; begin += part) {
    int64_t end = std::min(begin + part, total);
    std::optional<LdsWindow> written, read;
    if (part < total) {
      written = {rowMajor.strides, begin, end, 16};
      read = {map.strides, begin, end, 16};
    }
    uint32_t region = lds.open(uint32_t(end - begin) * bytes);
    writeTile(context, lds, *source.layout, source.registers, source.dtype,
              {region, rowMajor.strides, begin}, written);
    lds.publish();
    readTile(context, lds, to, result, source.dtype, {region, map.strides, begin}, read);
    lds.close();
  }
  return result;
}

TileValue emitShapeOp(KernelContext &context, Lds &lds, const Op &op, const TileValue &source) {
  const Graph &graph = context.graph;
  const Type &sourceType = graph.typeOf(graph.operand(op, 0)),
             &type = graph.typeOf(graph.result(op));
  TileValue result{&context.layouts.of(type), source.dtype, {}, source.isSplat};
  if (source.isSplat || sourceType.rank == 0) {
    result.registers.assign(result.layout->numRegisters(), source.registers[0]);
    result.isSplat = true;
    return result;
  }
  std::vector<int64_t> from(sourceType.extents().begin(), sourceType.extents().end());
  std::vector<int64_t> to(type.extents().begin(), type.extents().end());
  CoordinateMap map;
  if (op.opcode == Opcode::Broadcast)
    map = CoordinateMap::broadcast(from, to);
  else if (op.opcode == Opcode::Permute)
    map = CoordinateMap::permute(from, graph.attr(op, AttrKey::Perm)->list);
  else
    map = CoordinateMap::reshape(to);
  result.registers = exchange(context, lds, source, *result.layout, map);
  if (type.rank == 0)
    result.registers[0] = uniform(context, result.registers[0]);
  return result;
}

} // namespace tl::amdgpu
