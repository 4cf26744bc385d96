#include "codegen/amdgpu/scan.h"

#include "codegen/amdgpu/loop.h"
#include "codegen/amdgpu/words.h"
#include "codegen/llvm/combiner.h"

#include <algorithm>
#include <bit>

namespace tl::amdgpu {

namespace {

constexpr uint32_t windowBytes = 32768;

class ScanEmitter {
public:
  ScanEmitter(KernelContext &context, Lds &lds, const Op &op, const TileValue &source)
      : context(context), ir(context.ir), lds(lds), source(source), layout(*source.layout),
        combiner(context.emitter, context.ir, context.graph, op),
        reverse(op.opcode == Opcode::ReverseScan), dtype(combiner.resultType()),
        bytes(ldsBytes(dtype)) {
    auto axis = unsigned(context.graph.intAttr(op, AttrKey::Axis));
    extent = layout.extent(axis);
    // In LDS lines stand one after the other, the order of the other axes kept.
    strides.assign(layout.rank(), 1);
    int64_t stride = extent;
    for (unsigned i = layout.rank(); i-- > 0;)
      if (i != axis) {
        strides[i] = stride;
        stride *= layout.extent(i);
      }
    total = stride;
  }

  TileValue emit() {
    TileValue result{&layout, source.dtype, {}, false};
    if (extent == 1) {
      result.registers = source.registers;
      result.registers.resize(layout.numRegisters(), source.registers.back());
      return result;
    }
    for (uint32_t i = 0; i < layout.numRegisters(); ++i)
      registers.push_back(combiner.lift(source.at(i), nullptr)[0]);
    int64_t capacity = windowBytes / bytes;
    if (extent <= capacity) {
      int64_t part = capacity / extent * extent;
      for (int64_t begin = 0; begin < total; begin += part)
        scanWindow(begin, std::min(begin + part, total), extent, identity());
    } else {
      for (int64_t line = 0; line < total; line += extent)
        scanLongLine(line, capacity);
    }
    for (llvm::Value *value : registers)
      result.registers.push_back(combiner.finish(value));
    return result;
  }

private:
  KernelContext &context;
  Builder &ir;
  Lds &lds;
  const TileValue &source;
  const TileLayout &layout;
  Combiner combiner;
  bool reverse;
  DType dtype; // of the accumulation
  uint32_t bytes;
  int64_t extent = 0, total = 0;
  std::vector<int64_t> strides;
  std::vector<llvm::Value *> registers;

  llvm::Value *identity() { return combiner.identity()[0]; }
  llvm::Value *combine(llvm::Value *earlier, llvm::Value *later) {
    return combiner.combine({earlier}, {later})[0];
  }

  /// A line that LDS does not hold at once, in pieces, each starting from what the one before ended
  /// with.
  void scanLongLine(int64_t line, int64_t capacity) {
    int64_t pieces = (extent + capacity - 1) / capacity;
    llvm::Value *carried = identity();
    for (int64_t i = 0; i < pieces; ++i) {
      int64_t piece = reverse ? pieces - 1 - i : i;
      int64_t begin = piece * capacity, end = std::min(begin + capacity, extent);
      carried = scanWindow(line + begin, line + end, end - begin, carried);
    }
  }

  /// Scans whole lines (or a piece of one) at [begin, end) in the order of LDS; gives the last
  /// element in the order of the scan.
  llvm::Value *scanWindow(int64_t begin, int64_t end, int64_t length, llvm::Value *start) {
    std::optional<LdsWindow> window;
    if (end - begin < total)
      window = {strides, begin, end, 1};
    uint32_t region = lds.open(uint32_t(end - begin) * bytes);
    LdsPlace place{region, strides, begin};
    writeTile(context, lds, layout, registers, dtype, place, window);
    lds.publish();
    scanLines(region, (end - begin) / length, length, start);
    lds.publish();
    readTile(context, lds, layout, registers, dtype, place, window);
    llvm::Value *last = nullptr;
    if (length < extent)
      last =
          uniform(context, load(context.i32(int64_t(region) + (reverse ? 0 : length - 1) * bytes)));
    lds.close();
    return last;
  }

  llvm::Value *load(llvm::Value *address) {
    llvm::Value *element = nullptr;
    loadElements(context, lds.address(address), dtype, bytes, {&element, 1});
    return element;
  }

  /// Groups of lanes take the lines in turn.
  void scanLines(uint32_t region, int64_t lines, int64_t length, llvm::Value *start) {
    uint32_t group =
        uint32_t(std::min<uint64_t>(context.waveSize(), std::bit_ceil(uint64_t(length))));
    uint32_t groups = context.threads() / group;
    llvm::Value *lane = ir.CreateAnd(context.thread, context.i32(group - 1));
    llvm::Value *first = ir.CreateLShr(context.thread, context.i32(std::countr_zero(group)));
    int64_t rounds = (lines + groups - 1) / groups, chunk = (length + group - 1) / group;
    emitLoop(context, 0, rounds, 1, {}, [&](llvm::Value *round, Carried) {
      llvm::Value *line = ir.CreateAdd(ir.CreateMul(round, context.i32(groups)), first);
      llvm::Value *isLine = ir.CreateICmpULT(line, context.i32(lines));
      scanLine({region, length, line, isLine, lane, group, chunk}, start);
      return Carried();
    });
  }

  struct Chunk {
    uint32_t region;
    int64_t length; // of the line
    llvm::Value *line, *isLine;
    llvm::Value *lane; // in the group
    uint32_t group;
    int64_t chunk; // elements of a lane
  };

  struct Place {
    llvm::Value *address, *exists;
  };

  /// The element there, else the identity. A branch: what other lanes write is not read meanwhile.
  llvm::Value *loadIf(const Place &place) {
    llvm::BasicBlock *before = ir.GetInsertBlock(), *inside = nullptr;
    llvm::Value *element = nullptr, *otherwise = identity();
    emitIf(context, place.exists, [&] {
      element = load(place.address);
      inside = ir.GetInsertBlock();
    });
    llvm::PHINode *value = ir.CreatePHI(element->getType(), 2);
    value->addIncoming(element, inside);
    value->addIncoming(otherwise, before);
    return value;
  }

  /// Where element `index` of this lane's chunk stands, and whether it exists.
  Place find(const Chunk &c, llvm::Value *index) {
    llvm::Value *at = ir.CreateAdd(ir.CreateMul(c.lane, context.i32(c.chunk)), index);
    llvm::Value *exists = ir.CreateAnd(c.isLine, ir.CreateICmpULT(at, context.i32(c.length)));
    if (reverse)
      at = ir.CreateSub(context.i32(c.length - 1), at);
    at = ir.CreateAdd(ir.CreateMul(c.line, context.i32(c.length)), at);
    llvm::Value *address =
        ir.CreateAdd(ir.CreateMul(at, context.i32(bytes)), context.i32(c.region));
    return {address, exists};
  }

  void scanLine(const Chunk &c, llvm::Value *start) {
    auto overChunk = [&](llvm::Value *init, bool keep) {
      return emitLoop(context, 0, c.chunk, 1, {init}, [&](llvm::Value *index, Carried carried) {
        Place place = find(c, index);
        llvm::Value *next = combine(carried[0], loadIf(place));
        if (keep)
          emitIf(context, place.exists, [&] {
            storeElements(context, lds.address(place.address), dtype, {&next, 1}, bytes);
          });
        return Carried{next};
      })[0];
    };
    llvm::Value *sum = overChunk(identity(), false);
    llvm::Value *before = ir.CreateSelect(ir.CreateICmpEQ(c.lane, context.i32(0)), start,
                                          combine(start, exclusive(c, sum)));
    overChunk(before, true);
  }

  /// The combination of the chunks of the lanes before (garbage in lane 0): steps of doubling
  /// distance (Hillis and Steele).
  llvm::Value *exclusive(const Chunk &c, llvm::Value *sum) {
    llvm::Value *waveLane = ir.CreateAnd(context.thread, context.i32(context.waveSize() - 1));
    auto from = [&](llvm::Value *value, uint32_t distance) {
      return laneFrom(context, value, ir.CreateSub(waveLane, context.i32(distance)));
    };
    for (uint32_t distance = 1; distance < c.group; distance *= 2) {
      llvm::Value *reaches = ir.CreateICmpUGE(c.lane, context.i32(distance));
      sum = ir.CreateSelect(reaches, combine(from(sum, distance), sum), sum);
    }
    return from(sum, 1);
  }
};

} // namespace

TileValue emitScan(KernelContext &context, Lds &lds, const Op &op, const TileValue &source) {
  return ScanEmitter(context, lds, op, source).emit();
}

} // namespace tl::amdgpu
