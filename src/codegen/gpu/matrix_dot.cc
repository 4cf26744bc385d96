#include "codegen/gpu/matrix_dot.h"

#include "codegen/gpu/loop.h"

#include <algorithm>

namespace tl::gpu {

namespace {

/// How A and the transpose of B stand in LDS: a line for each row (column) of the result, K
/// consecutive. Every 8 lines there is a gap of 4 banks, since a lane that holds 8 columns of B
/// writes to 8 lines, and its neighbours to the 8 after those.
struct Plan {
  static constexpr unsigned gapShift = 3;
  static constexpr int64_t gapBytes = 16;

  int64_t m = 0, n = 0, k = 0;
  int64_t chunk = 0; // of K, in LDS at one time; a multiple of the instruction's, or all
  int64_t step = 1;  // of K, one instruction's
  int64_t bytes = 1; // of an element
  bool halfBanks[2] = {}, hasGaps[2] = {}; // A, B

  /// Bytes from line to line: whole steps, of which the last may read behind the line's elements.
  /// Lines are shifted against each other by 4 banks, or by half of them: then 8 lanes that read
  /// 16 bytes each from two lines, as for mma, meet in no bank, but those that write 4 bytes each
  /// to 8 lines do.
  int64_t pitch(unsigned factor) const {
    const int64_t length = (chunk + step - 1) / step * step * bytes;
    return halfBanks[factor] ? (length + 63) / 128 * 128 + 64 : length + 16;
  }
  int64_t begin(unsigned factor) const { return factor == 0 ? 0 : end(0, m); }
  int64_t end(unsigned factor, int64_t lines) const {
    return lines * pitch(factor) + (hasGaps[factor] ? lines >> gapShift : 0) * gapBytes;
  }
  int64_t size() const { return end(0, m) + end(1, n); }
};

/// The layout's axis that an axis of a factor is.
unsigned layoutAxis(const TileValue &value, unsigned axis) {
  return value.axes.empty() ? axis : value.axes[axis];
}

std::optional<Plan> makePlan(const KernelContext &context, const MatrixInstruction &instruction,
                             const TileLayout &layout, const TileValue &a, const TileValue &b,
                             int64_t k) {
  const int64_t step = instruction.k;
  Plan plan{layout.extent(0), layout.extent(1), k, k, step, dtypeBytes(instruction.a)};
  const RegisterRun run = registerRun(*a.layout);
  const bool isMma = instruction.linesPerLane() == 2;
  plan.halfBanks[0] = isMma && run.axis == layoutAxis(a, 1) && run.length * plan.bytes >= 16;
  plan.halfBanks[1] = isMma;
  plan.hasGaps[0] = LdsGap::fits(*a.layout, layoutAxis(a, 0), Plan::gapShift);
  plan.hasGaps[1] = LdsGap::fits(*b.layout, layoutAxis(b, 1), Plan::gapShift);
  if (plan.size() > context.ldsBytes)
    plan.chunk = (k - 1) / step * step;
  while (plan.chunk > step && plan.size() > context.ldsBytes)
    plan.chunk -= step;
  if (plan.chunk < 1 || plan.size() > context.ldsBytes)
    return std::nullopt;
  return plan;
}

class MatrixDotEmitter {
public:
  MatrixDotEmitter(KernelContext &context, Lds &lds, const MatrixInstruction &instruction,
                   const Plan &plan, const TileValue &a, const TileValue &b,
                   const TileLayout &layout)
      : context(context), ir(context.ir), lds(lds), instruction(instruction), plan(plan), a(a),
        b(b), layout(layout), bounds(context, layout),
        perBlock(resultFragment(instruction.family).registers()) {
    for (uint32_t first = 0; first < layout.numRegisters(); first += perBlock) {
      TileCoordinates at = layout.registerCoordinates(first);
      blocks.push_back({indexOf(rowBlocks, at[0]), indexOf(columnBlocks, at[1]), isNeeded(first)});
    }
  }

  std::vector<llvm::Value *> emit(const std::vector<llvm::Value *> &accumulators) {
    Carried sums = join(accumulators);
    for (int64_t begin = 0; begin < plan.k; begin += plan.chunk) {
      const int64_t end = std::min(begin + plan.chunk, plan.k);
      region = lds.open(uint32_t(plan.size()));
      stage(begin, end);
      lds.publish();
      sums = multiply(std::move(sums), end - begin);
      lds.close();
    }
    return split(sums);
  }

private:
  /// 16x16 of the result, by its place among the thread's blocks.
  struct Block {
    size_t row, column;
    bool isNeeded; // some element is one of the tile, in some thread
  };

  KernelContext &context;
  Builder &ir;
  Lds &lds;
  const MatrixInstruction &instruction;
  const Plan &plan;
  const TileValue &a, &b;
  const TileLayout &layout;
  TileBounds bounds;
  uint32_t perBlock;                            // registers
  std::vector<int64_t> rowBlocks, columnBlocks; // coordinates of their first elements
  std::vector<Block> blocks;
  uint32_t region = 0;

  static size_t indexOf(std::vector<int64_t> &list, int64_t coordinate) {
    auto found = std::find(list.begin(), list.end(), coordinate);
    if (found == list.end())
      found = list.insert(list.end(), coordinate);
    return size_t(found - list.begin());
  }

  bool isNeeded(uint32_t first) const {
    for (uint32_t i = first; i < first + perBlock; ++i)
      if (bounds.coverage(i) != Coverage::Outside)
        return true;
    return false;
  }

  /// A vector for each block.
  Carried join(const std::vector<llvm::Value *> &registers) {
    Carried sums;
    for (size_t block = 0; block < blocks.size(); ++block) {
      auto at = [&](size_t i) {
        return registers[registers.size() == 1 ? 0 : block * perBlock + i];
      };
      llvm::Value *sum =
          llvm::PoisonValue::get(llvm::FixedVectorType::get(at(0)->getType(), perBlock));
      for (uint32_t i = 0; i < perBlock; ++i)
        sum = ir.CreateInsertElement(sum, at(i), uint64_t(i));
      sums.push_back(sum);
    }
    return sums;
  }

  std::vector<llvm::Value *> split(const Carried &sums) {
    std::vector<llvm::Value *> registers;
    for (llvm::Value *sum : sums)
      for (uint32_t i = 0; i < perBlock; ++i)
        registers.push_back(ir.CreateExtractElement(sum, uint64_t(i)));
    return registers;
  }

  /// Writes columns [begin, end) of A and rows [begin, end) of B to LDS.
  void stage(int64_t begin, int64_t end) {
    std::optional<LdsWindow> ofA, ofB;
    if (plan.chunk < plan.k) {
      ofA = {byLayoutAxis(a, {0, 1}), begin, end, 16};
      ofB = {byLayoutAxis(b, {1, 0}), begin, end, 16};
    }
    auto place = [&](unsigned factor, const TileValue &value, std::vector<int64_t> strides) {
      LdsPlace result{region + uint32_t(plan.begin(factor)), byLayoutAxis(value, strides), begin};
      if (plan.hasGaps[factor])
        result.gap = {layoutAxis(value, factor), Plan::gapShift, Plan::gapBytes / plan.bytes};
      return result;
    };
    writeTile(context, lds, *a.layout, a.registers, instruction.a,
              place(0, a, {plan.pitch(0) / plan.bytes, 1}), ofA);
    writeTile(context, lds, *b.layout, b.registers, instruction.b,
              place(1, b, {1, plan.pitch(1) / plan.bytes}), ofB);
  }

  llvm::Value *lane() { return ir.CreateAnd(context.thread, context.i32(layout.waveSize() - 1)); }

  /// Where along K the lane's elements begin.
  llvm::Value *laneStart() {
    return ir.CreateMul(partOfLane(ir, instruction, lane()), context.i32(instruction.perLane));
  }

  /// The wave's part of a coordinate.
  llvm::Value *waveCoordinate(unsigned axis) {
    llvm::Value *sum = context.i32(0);
    for (unsigned bit = 0; bit < layout.waveBits(); ++bit) {
      const int64_t part = layout.waveCoordinates(bit)[axis];
      if (part == 0)
        continue;
      llvm::Value *value = ir.CreateLShr(context.thread, context.i32(layout.laneBits() + bit));
      value = ir.CreateMul(ir.CreateAnd(value, context.i32(1)), context.i32(part));
      sum = ir.CreateAdd(sum, value);
    }
    return sum;
  }

  /// Where, in bytes, the lane's lines of a block begin.
  using Lines = std::vector<llvm::Value *>;

  /// A line that the tile has not begins where the first one does: what comes of it is padding.
  std::vector<Lines> lines(unsigned axis, const std::vector<int64_t> &firsts) {
    llvm::Value *thread = ir.CreateAdd(waveCoordinate(axis), lineOfLane(ir, instruction, lane()));
    llvm::Value *start = ir.CreateAdd(ir.CreateMul(laneStart(), context.i32(plan.bytes)),
                                      context.i32(int64_t(region) + plan.begin(axis)));
    std::vector<Lines> result;
    for (int64_t first : firsts) {
      Lines &ofBlock = result.emplace_back();
      for (uint32_t i = 0; i < instruction.linesPerLane(); ++i) {
        llvm::Value *line = ir.CreateAdd(thread, context.i32(first + 8 * i));
        if (layout.needsMask(axis)) {
          llvm::Value *isInside = ir.CreateICmpULT(line, context.i32(layout.extent(axis)));
          line = ir.CreateSelect(isInside, line, context.i32(0));
        }
        llvm::Value *place = ir.CreateAdd(ir.CreateMul(line, context.i32(plan.pitch(axis))), start);
        if (plan.hasGaps[axis])
          place = ir.CreateAdd(place, ir.CreateMul(ir.CreateLShr(line, Plan::gapShift),
                                                   context.i32(Plan::gapBytes)));
        ofBlock.push_back(place);
      }
    }
    return result;
  }

  /// The lane's elements of each line from `k` (i32) on, one line's after the other's.
  llvm::Value *factorsOfLines(const Lines &ofBlock, llvm::Value *k, std::optional<int64_t> length) {
    llvm::Value *first = factors(ofBlock[0], k, length);
    if (ofBlock.size() == 1)
      return first;
    return ir.CreateShuffleVector(first, factors(ofBlock[1], k, length), {0, 1, 2, 3, 4, 5, 6, 7});
  }

  /// The lane's elements from `k` (i32) on; those from `length` on are 0, where that is asked for.
  llvm::Value *factors(llvm::Value *line, llvm::Value *k, std::optional<int64_t> length) {
    const uint32_t bytes = instruction.perLane * uint32_t(plan.bytes), most = 16;
    llvm::Value *address = ir.CreateAdd(line, ir.CreateMul(k, context.i32(plan.bytes)));
    auto *words = llvm::FixedVectorType::get(ir.getInt32Ty(), std::min(bytes, most) / 4);
    std::vector<llvm::Value *> parts;
    for (uint32_t at = 0; at < bytes; at += most)
      parts.push_back(ir.CreateAlignedLoad(words,
                                           lds.address(ir.CreateAdd(address, context.i32(at))),
                                           llvm::Align(std::min(bytes, most))));
    llvm::Value *all = parts[0];
    if (parts.size() == 2)
      all = ir.CreateShuffleVector(parts[0], parts[1], {0, 1, 2, 3, 4, 5, 6, 7});
    if (!length)
      return all;
    auto *elements =
        llvm::FixedVectorType::get(ir.getIntNTy(unsigned(plan.bytes) * 8), instruction.perLane);
    std::vector<llvm::Constant *> numbers;
    for (uint32_t i = 0; i < instruction.perLane; ++i)
      numbers.push_back(context.i32(i));
    llvm::Value *first = ir.CreateAdd(k, laneStart());
    llvm::Value *places = ir.CreateAdd(ir.CreateVectorSplat(instruction.perLane, first),
                                       llvm::ConstantVector::get(numbers));
    llvm::Value *isInside =
        ir.CreateICmpULT(places, ir.CreateVectorSplat(instruction.perLane, context.i32(*length)));
    llvm::Value *masked = ir.CreateSelect(isInside, ir.CreateBitCast(all, elements),
                                          llvm::Constant::getNullValue(elements));
    return ir.CreateBitCast(masked, all->getType());
  }

  Carried multiply(Carried sums, int64_t length) {
    const std::vector<Lines> rows = lines(0, rowBlocks), columns = lines(1, columnBlocks);
    auto step = [&](std::optional<int64_t> end) {
      return [&, end](llvm::Value *k, Carried carried) {
        std::vector<llvm::Value *> ofA, ofB;
        for (const Lines &ofBlock : rows)
          ofA.push_back(factorsOfLines(ofBlock, k, end));
        for (const Lines &ofBlock : columns)
          ofB.push_back(factorsOfLines(ofBlock, k, end));
        for (size_t i = 0; i < blocks.size(); ++i)
          if (blocks[i].isNeeded)
            carried[i] =
                emitMatrix(ir, instruction, ofA[blocks[i].row], ofB[blocks[i].column], carried[i]);
        return carried;
      };
    };
    const int64_t whole = length / instruction.k;
    if (whole > 0)
      sums = emitLoop(context, 0, whole, instruction.k, std::move(sums), step(std::nullopt));
    if (length % instruction.k != 0)
      sums =
          emitLoop(context, whole * instruction.k, 1, instruction.k, std::move(sums), step(length));
    return sums;
  }
};

} // namespace

std::vector<int64_t> byLayoutAxis(const TileValue &value, std::vector<int64_t> numbers) {
  std::vector<int64_t> result = numbers;
  for (size_t axis = 0; axis < value.axes.size(); ++axis)
    result[value.axes[axis]] = numbers[axis];
  return result;
}

std::optional<TileValue> emitMatrixDot(KernelContext &context, Lds &lds,
                                       const MatrixInstruction &instruction, const TileValue &a,
                                       const TileValue &b, const TileValue &accumulator) {
  const unsigned axisOfK = layoutAxis(a, 1);
  std::optional<Plan> plan =
      makePlan(context, instruction, *accumulator.layout, a, b, a.layout->extent(axisOfK));
  if (!plan)
    return std::nullopt;
  TileValue result{accumulator.layout, accumulator.dtype, {}, false};
  result.registers = MatrixDotEmitter(context, lds, instruction, *plan, a, b, *accumulator.layout)
                         .emit(accumulator.registers);
  return result;
}

} // namespace tl::gpu
