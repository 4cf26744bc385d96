#include "codegen/gpu/dot.h"

#include "codegen/gpu/loop.h"
#include "codegen/gpu/matrix_dot.h"
#include "graph/infer.h"

#include "llvm/IR/Intrinsics.h"

#include <algorithm>
#include <bit>

namespace tl::gpu {

namespace {

/// Multiply-adds in the body of the loop over K: LLVM's time grows faster than the body.
constexpr int64_t maxBodyProducts = 512;

/// How A and B stand in LDS and how K is cut.
struct Plan {
  int64_t m = 0, n = 0, k = 0;
  DType typeA{}, typeB{}, typeC{};
  int64_t chunk = 0; // of K, in LDS at one time
  int64_t step = 1;  // of K, in the body of the loop; a power of two

  int64_t bytesA() const { return ldsBytes(typeA); }
  int64_t bytesB() const { return ldsBytes(typeB); }
  /// Rows of A start at 16-byte boundaries, shifted by 4 banks against each other: lanes that read
  /// different rows at one k meet in different banks.
  int64_t pitchA(int64_t chunk) const {
    int64_t row = (chunk * bytesA() + 15) / 16 * 16;
    return (row + (m > 1 ? 16 : 0)) / bytesA();
  }
  int64_t pitchB() const { return (n * bytesB() + 15) / 16 * 16 / bytesB(); }
  int64_t sizeA(int64_t chunk) const { return m * pitchA(chunk) * bytesA(); }
  int64_t size(int64_t chunk) const { return sizeA(chunk) + chunk * pitchB() * bytesB(); }
};

Result<Plan> makePlan(KernelContext &context, const Op &op) {
  const Graph &graph = context.graph;
  const Type &a = graph.typeOf(graph.operand(op, 0)), &b = graph.typeOf(graph.operand(op, 1));
  const Type &c = graph.typeOf(graph.operand(op, 2));
  Plan plan{a.dims[0], b.dims[1], a.dims[1], a.dtype, b.dtype, c.dtype};
  int64_t capacity = context.ldsBytes;
  plan.chunk = plan.k;
  if (plan.size(plan.chunk) > capacity) {
    plan.chunk = (plan.k - 1) / 16 * 16;
    while (plan.chunk > 16 && plan.size(plan.chunk) > capacity)
      plan.chunk -= 16;
    plan.chunk = std::max<int64_t>(
        plan.chunk, std::min<int64_t>(16, int64_t(std::bit_floor(uint64_t(plan.k)))));
    while (plan.chunk > 1 && plan.size(plan.chunk) > capacity)
      plan.chunk = int64_t(std::bit_floor(uint64_t(plan.chunk - 1)));
  }
  if (plan.size(plan.chunk) > capacity)
    return makeError(
        TL_E_LIMIT,
        "%s: one step of K needs %lld bytes of LDS (one column of a, one row of b), "
        "and a workgroup of "
        "%s has %lld%s; use smaller tiles",
        signatureText(graph, op.opcode, graph.operands(op)).c_str(), (long long)plan.size(1),
        std::string(context.target.facts.name).c_str(), (long long)capacity,
        context.ldsBytes < context.target.facts.ldsBytes ? " beside the kernel's shared memory"
                                                         : "");
  int64_t accumulators = context.layouts.of(c).numRegisters();
  int64_t fromProducts = std::max<int64_t>(maxBodyProducts / accumulators, 1);
  int64_t fromVectors = std::min(16 / plan.bytesA(), int64_t(8));
  plan.step = int64_t(std::bit_floor(uint64_t(std::min({fromProducts, fromVectors, plan.chunk}))));
  return plan;
}

/// Elements of one axis of the result that this thread's registers need: where they stand in LDS
/// for k = 0, in bytes.
struct Line {
  llvm::Value *base = nullptr; // i32; one value for all lines that need no test
  int64_t distance = 0;
  uint32_t count = 1; // consecutive elements (columns only)
};

class DotEmitter {
public:
  DotEmitter(KernelContext &context, Lds &lds, const Plan &plan, const TileValue &a,
             const TileValue &b, const TileLayout &layout)
      : context(context), ir(context.ir), lds(lds), plan(plan), a(a), b(b), layout(layout),
        bounds(context, layout) {
    for (uint32_t i = 0; i < layout.numRegisters(); ++i) {
      TileCoordinates coordinates = layout.registerCoordinates(i);
      rowOfRegister.push_back(indexOf(rowParts, coordinates[0], i));
      columnOfRegister.push_back(indexOf(columnParts, coordinates[1], i));
    }
  }

  std::vector<llvm::Value *> emit(std::vector<llvm::Value *> accumulators) {
    for (int64_t begin = 0; begin < plan.k; begin += plan.chunk) {
      int64_t end = std::min(begin + plan.chunk, plan.k);
      regionA = lds.open(uint32_t(plan.size(plan.chunk)));
      regionB = regionA + uint32_t(plan.sizeA(plan.chunk));
      stage(begin, end);
      lds.publish();
      accumulators = multiply(std::move(accumulators), end - begin);
      lds.close();
    }
    return accumulators;
  }

private:
  /// A coordinate part that some registers share, and the first of them.
  struct Part {
    int64_t coordinate;
    uint32_t firstRegister;
  };

  KernelContext &context;
  Builder &ir;
  Lds &lds;
  const Plan &plan;
  const TileValue &a, &b;
  const TileLayout &layout;
  TileBounds bounds;
  std::vector<Part> rowParts, columnParts;
  std::vector<size_t> rowOfRegister, columnOfRegister; // indices into the parts
  uint32_t regionA = 0, regionB = 0;

  static size_t indexOf(std::vector<Part> &parts, int64_t coordinate, uint32_t registerIndex) {
    auto found = std::find_if(parts.begin(), parts.end(),
                              [&](const Part &part) { return part.coordinate == coordinate; });
    if (found == parts.end())
      found = parts.insert(parts.end(), {coordinate, registerIndex});
    return size_t(found - parts.begin());
  }

  /// Writes columns [begin, end) of A and rows [begin, end) of B to LDS.
  void stage(int64_t begin, int64_t end) {
    std::optional<LdsWindow> ofA, ofB;
    if (plan.chunk < plan.k) {
      uint32_t alignment =
          uint32_t(std::min<uint64_t>(uint64_t(plan.chunk) & (0 - uint64_t(plan.chunk)), 16));
      ofA = {byLayoutAxis(a, {0, 1}), begin, end, alignment};
      ofB = {byLayoutAxis(b, {1, 0}), begin, end, alignment};
    }
    writeTile(context, lds, *a.layout, a.registers, plan.typeA,
              {regionA, byLayoutAxis(a, {plan.pitchA(plan.chunk), 1}), begin}, ofA);
    writeTile(context, lds, *b.layout, b.registers, plan.typeB,
              {regionB, byLayoutAxis(b, {plan.pitchB(), 1}), begin * plan.pitchB()}, ofB);
  }

  /// A coordinate's place; the start of the region where the coordinate is padding. `thread` is the
  /// thread's part.
  Line line(const Part &part, unsigned axis, int64_t pitchBytes, uint32_t region,
            llvm::Value *thread) {
    if (bounds.coverage(part.firstRegister, axis) == Coverage::Inside)
      return {thread, part.coordinate * pitchBytes + region, 1};
    llvm::Value *coordinate = bounds.coordinate(part.firstRegister, axis);
    llvm::Value *isInside = ir.CreateICmpULT(coordinate, context.i32(layout.extent(axis)));
    coordinate = ir.CreateSelect(isInside, coordinate, context.i32(0));
    return {ir.CreateMul(coordinate, context.i32(pitchBytes)), region, 1};
  }

  std::vector<Line> rows() {
    int64_t pitchBytes = plan.pitchA(plan.chunk) * plan.bytesA();
    llvm::Value *thread =
        ir.CreateMul(threadCoordinate(context, layout, 0), context.i32(pitchBytes));
    std::vector<Line> lines;
    for (const Part &part : rowParts)
      lines.push_back(line(part, 0, pitchBytes, regionA, thread));
    return lines;
  }

  /// Runs of columns that one access reads.
  std::vector<Line> columns() {
    llvm::Value *thread =
        ir.CreateMul(threadCoordinate(context, layout, 1), context.i32(plan.bytesB()));
    std::vector<Line> lines;
    RegisterRun run = registerRun(layout);
    uint32_t longest =
        run.axis == 1 ? std::min<uint32_t>(run.length, uint32_t(16 / plan.bytesB())) : 1;
    for (size_t i = 0; i < columnParts.size();) {
      uint32_t count = longest;
      auto isRun = [&] {
        if (i + count > columnParts.size() || columnParts[i].coordinate % count != 0)
          return false;
        for (uint32_t j = 0; j < count; ++j)
          if (columnParts[i + j].coordinate != columnParts[i].coordinate + j ||
              (plan.n % count != 0 &&
               bounds.coverage(columnParts[i + j].firstRegister, 1) != Coverage::Inside))
            return false;
        return true;
      };
      while (count > 1 && !isRun())
        count /= 2;
      lines.push_back(line(columnParts[i], 1, plan.bytesB(), regionB, thread));
      lines.back().count = count;
      i += count;
    }
    return lines;
  }

  /// An element of A or B as a factor: float, double or i32.
  llvm::Value *factor(llvm::Value *value, DType type) {
    if (isFloat(type))
      return type == DType::F64 ? value : context.emitter.toFloat(value, type);
    return isSigned(type) ? ir.CreateSExt(value, ir.getInt32Ty())
                          : ir.CreateZExt(value, ir.getInt32Ty());
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum) {
    if (isFloat(plan.typeC))
      return ir.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum});
    return ir.CreateAdd(ir.CreateMul(x, y), sum);
  }

  /// `count` consecutive elements as factors, in accesses of at most 16 bytes.
  std::vector<llvm::Value *> readFactors(llvm::Value *base, int64_t distance, uint32_t count,
                                         DType type) {
    std::vector<llvm::Value *> values(count);
    uint32_t bytes = ldsBytes(type), most = std::min(count, 16 / bytes);
    for (uint32_t i = 0; i < count; i += most)
      loadElements(context, lds.address(ir.CreateAdd(base, context.i32(distance + i * bytes))),
                   type, most * bytes, std::span(values).subspan(i, most));
    for (llvm::Value *&value : values)
      value = factor(value, type);
    return values;
  }

  /// Adds the products of `step` values of k, from `k` (i32) on; `step` is a power of two that
  /// divides k.
  std::vector<llvm::Value *> emitStep(std::vector<llvm::Value *> sums,
                                      std::span<const Line> rowLines,
                                      std::span<const Line> columnLines, llvm::Value *k,
                                      uint32_t step) {
    // Constants are added last, so that they become offsets in the instructions.
    std::map<llvm::Value *, llvm::Value *> basesA, basesB;
    auto baseAt = [&](std::map<llvm::Value *, llvm::Value *> &bases, llvm::Value *base,
                      int64_t pitchBytes) {
      llvm::Value *&value = bases[base];
      if (!value)
        value = ir.CreateAdd(base, ir.CreateMul(k, context.i32(pitchBytes)));
      return value;
    };
    int64_t pitchBytesB = plan.pitchB() * plan.bytesB();
    std::vector<std::vector<llvm::Value *>> factorsA;
    for (const Line &line : rowLines)
      factorsA.push_back(
          readFactors(baseAt(basesA, line.base, plan.bytesA()), line.distance, step, plan.typeA));
    for (uint32_t j = 0; j < step; ++j) {
      std::vector<llvm::Value *> factorsB;
      for (const Line &line : columnLines) {
        std::vector<llvm::Value *> values =
            readFactors(baseAt(basesB, line.base, pitchBytesB), line.distance + j * pitchBytesB,
                        line.count, plan.typeB);
        factorsB.insert(factorsB.end(), values.begin(), values.end());
      }
      for (size_t i = 0; i < sums.size(); ++i)
        if (bounds.coverage(uint32_t(i)) != Coverage::Outside)
          sums[i] =
              multiplyAdd(factorsA[rowOfRegister[i]][j], factorsB[columnOfRegister[i]], sums[i]);
    }
    return sums;
  }

  std::vector<llvm::Value *> multiply(std::vector<llvm::Value *> sums, int64_t length) {
    std::vector<Line> rowLines = rows(), columnLines = columns();
    int64_t trips = length / plan.step, rest = length % plan.step;
    auto steps = [&](uint32_t step) {
      return [&, step](llvm::Value *k, Carried carried) {
        return emitStep(std::move(carried), rowLines, columnLines, k, step);
      };
    };
    auto step = uint32_t(plan.step);
    if (trips > 0)
      sums = emitLoop(context, 0, trips, step, std::move(sums), steps(step));
    if (rest > 0)
      sums = emitLoop(context, trips * plan.step, rest, 1, std::move(sums), steps(1));
    return sums;
  }
};

} // namespace

Result<TileValue> emitDot(KernelContext &context, Lds &lds, const Op &op, const TileValue &a,
                          const TileValue &b, const TileValue &accumulator) {
  const MatrixInstruction *instruction =
      findMatrixInstruction(context.target.facts.matrix, a.dtype, b.dtype);
  if (instruction && context.layouts.fragmentOf(context.graph.typeOf(context.graph.result(op))))
    if (std::optional<TileValue> result =
            emitMatrixDot(context, lds, *instruction, a, b, accumulator))
      return std::move(*result);
  TL_ASSIGN(Plan plan, makePlan(context, op));
  TileValue result{accumulator.layout, accumulator.dtype, {}, false};
  result.registers =
      DotEmitter(context, lds, plan, a, b, *accumulator.layout).emit(accumulator.registers);
  return result;
}

} // namespace tl::gpu
