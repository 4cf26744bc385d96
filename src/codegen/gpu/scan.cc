#include "codegen/gpu/scan.h"

#include "codegen/gpu/loop.h"
#include "codegen/gpu/words.h"

#include <algorithm>
#include <bit>

namespace tl::gpu {

namespace {

class ScanEmitter {
public:
  ScanEmitter(KernelContext &context, Lds &lds, const Op &op, Combiner combiner,
              std::span<const TileValue> sources)
      : context(context), ir(context.ir), lds(lds), sources(sources), layout(*sources[0].layout),
        combiner(std::move(combiner)), reverse(isReverseScan(op.opcode)) {
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

  std::vector<TileValue> emit() {
    if (extent > 1)
      scan();
    std::vector<TileValue> results;
    for (size_t i = 0; i < sources.size(); ++i) {
      TileValue result{&layout, sources[i].dtype, {}, false};
      for (uint32_t k = 0; k < layout.numRegisters(); ++k)
        result.registers.push_back(extent > 1 ? combiner.finish(columns[i][k], i)
                                              : sources[i].at(k));
      results.push_back(std::move(result));
    }
    return results;
  }

private:
  KernelContext &context;
  Builder &ir;
  Lds &lds;
  std::span<const TileValue> sources;
  const TileLayout &layout; // of all operands
  Combiner combiner;
  bool reverse;
  int64_t extent = 0, total = 0;
  std::vector<int64_t> strides;
  std::vector<std::vector<llvm::Value *>> columns; // the registers of each result, accumulating

  DType dtype(size_t part) const { return combiner.dtypes()[part]; }
  uint32_t bytes(size_t part) const { return ldsBytes(dtype(part)); }

  void scan() {
    columns.resize(sources.size());
    for (uint32_t i = 0; i < layout.numRegisters(); ++i) {
      std::vector<llvm::Value *> element;
      for (const TileValue &source : sources)
        element.push_back(source.at(i));
      Parts parts = combiner.lift(element, nullptr);
      for (size_t part = 0; part < columns.size(); ++part)
        columns[part].push_back(parts[part]);
    }
    uint32_t elementBytes = 0;
    for (size_t part = 0; part < columns.size(); ++part)
      elementBytes += bytes(part);
    int64_t capacity = lds.room() / elementBytes;
    if (extent <= capacity) {
      int64_t part = capacity / extent * extent;
      for (int64_t begin = 0; begin < total; begin += part)
        scanWindow(begin, std::min(begin + part, total), extent, combiner.identity());
    } else {
      for (int64_t line = 0; line < total; line += extent)
        scanLongLine(line, capacity);
    }
  }

  /// A line that LDS does not hold at once, in pieces, each starting from what the one before ended
  /// with.
  void scanLongLine(int64_t line, int64_t capacity) {
    int64_t pieces = (extent + capacity - 1) / capacity;
    Parts carried = combiner.identity();
    for (int64_t i = 0; i < pieces; ++i) {
      int64_t piece = reverse ? pieces - 1 - i : i;
      int64_t begin = piece * capacity, end = std::min(begin + capacity, extent);
      carried = scanWindow(line + begin, line + end, end - begin, carried);
    }
  }

  /// Where the elements of each part begin in LDS.
  using Regions = std::vector<uint32_t>;

  /// Scans whole lines (or a piece of one) at [begin, end) in the order of LDS; gives the last
  /// element in the order of the scan.
  Parts scanWindow(int64_t begin, int64_t end, int64_t length, const Parts &start) {
    std::optional<LdsWindow> window;
    if (end - begin < total)
      window = {strides, begin, end, 1};
    Regions regions;
    uint32_t size = 0;
    for (size_t part = 0; part < columns.size(); ++part) {
      size = (size + 15) / 16 * 16;
      regions.push_back(size);
      size += uint32_t(end - begin) * bytes(part);
    }
    uint32_t base = lds.open(size);
    for (size_t part = 0; part < columns.size(); ++part) {
      regions[part] += base;
      writeTile(context, lds, layout, columns[part], dtype(part), {regions[part], strides, begin},
                window);
    }
    lds.publish();
    scanLines(regions, (end - begin) / length, length, start);
    lds.publish();
    for (size_t part = 0; part < columns.size(); ++part)
      readTile(context, lds, layout, columns[part], dtype(part), {regions[part], strides, begin},
               window);
    Parts last;
    if (length < extent) {
      last = load(regions, context.i32(reverse ? 0 : length - 1));
      for (llvm::Value *&part : last)
        part = uniform(context, part);
    }
    lds.close();
    return last;
  }

  llvm::Value *address(const Regions &regions, size_t part, llvm::Value *index) {
    return ir.CreateAdd(ir.CreateMul(index, context.i32(bytes(part))), context.i32(regions[part]));
  }

  /// A partial result that is there.
  Parts load(const Regions &regions, llvm::Value *index) {
    Parts parts;
    for (size_t part = 0; part < regions.size(); ++part) {
      llvm::Value *element = nullptr;
      loadElements(context, lds.address(address(regions, part, index)), dtype(part), bytes(part),
                   {&element, 1});
      parts.push_back(element);
    }
    if (parts.size() < combiner.parts())
      parts.push_back(ir.getTrue());
    return parts;
  }

  /// Groups of lanes take the lines in turn.
  void scanLines(const Regions &regions, int64_t lines, int64_t length, const Parts &start) {
    uint32_t group =
        uint32_t(std::min<uint64_t>(context.waveSize(), std::bit_ceil(uint64_t(length))));
    uint32_t groups = context.threads() / group;
    llvm::Value *lane = ir.CreateAnd(context.thread, context.i32(group - 1));
    llvm::Value *first = ir.CreateLShr(context.thread, context.i32(std::countr_zero(group)));
    int64_t rounds = (lines + groups - 1) / groups, chunk = (length + group - 1) / group;
    emitLoop(context, 0, rounds, 1, {}, [&](llvm::Value *round, Carried) {
      llvm::Value *line = ir.CreateAdd(ir.CreateMul(round, context.i32(groups)), first);
      llvm::Value *isLine = ir.CreateICmpULT(line, context.i32(lines));
      scanLine({regions, length, line, isLine, lane, group, chunk}, start);
      return Carried();
    });
  }

  struct Chunk {
    const Regions &regions;
    int64_t length; // of the line
    llvm::Value *line, *isLine;
    llvm::Value *lane; // in the group
    uint32_t group;
    int64_t chunk; // elements of a lane
  };

  struct Place {
    llvm::Value *index, *exists;
  };

  /// The element there, else the identity. A branch: what other lanes write is not read meanwhile.
  Parts loadIf(const Regions &regions, const Place &place) {
    llvm::BasicBlock *before = ir.GetInsertBlock(), *inside = nullptr;
    Parts element, otherwise = combiner.identity(), values;
    emitIf(context, place.exists, [&] {
      element = load(regions, place.index);
      inside = ir.GetInsertBlock();
    });
    for (size_t i = 0; i < element.size(); ++i) {
      llvm::PHINode *value = ir.CreatePHI(element[i]->getType(), 2);
      value->addIncoming(element[i], inside);
      value->addIncoming(otherwise[i], before);
      values.push_back(value);
    }
    return values;
  }

  /// Where element `index` of this lane's chunk stands, and whether it exists.
  Place find(const Chunk &c, llvm::Value *index) {
    llvm::Value *at = ir.CreateAdd(ir.CreateMul(c.lane, context.i32(c.chunk)), index);
    llvm::Value *exists = ir.CreateAnd(c.isLine, ir.CreateICmpULT(at, context.i32(c.length)));
    if (reverse)
      at = ir.CreateSub(context.i32(c.length - 1), at);
    return {ir.CreateAdd(ir.CreateMul(c.line, context.i32(c.length)), at), exists};
  }

  void scanLine(const Chunk &c, const Parts &start) {
    auto overChunk = [&](const Parts &init, bool keep) {
      Carried first(init.begin(), init.end());
      Carried last =
          emitLoop(context, 0, c.chunk, 1, first, [&](llvm::Value *index, Carried carried) {
            Place place = find(c, index);
            Parts next =
                combiner.combine(Parts(carried.begin(), carried.end()), loadIf(c.regions, place));
            if (keep)
              emitIf(context, place.exists, [&] {
                for (size_t part = 0; part < c.regions.size(); ++part)
                  storeElements(context, lds.address(address(c.regions, part, place.index)),
                                dtype(part), {&next[part], 1}, bytes(part));
              });
            return Carried(next.begin(), next.end());
          });
      return Parts(last.begin(), last.end());
    };
    Parts sum = overChunk(combiner.identity(), false);
    Parts before = combiner.select(ir.CreateICmpEQ(c.lane, context.i32(0)), start,
                                   combiner.combine(start, exclusive(c, sum)));
    overChunk(before, true);
  }

  /// The combination of the chunks of the lanes before (garbage in lane 0): steps of doubling
  /// distance (Hillis and Steele).
  Parts exclusive(const Chunk &c, Parts sum) {
    llvm::Value *waveLane = ir.CreateAnd(context.thread, context.i32(context.waveSize() - 1));
    auto from = [&](const Parts &parts, uint32_t distance) {
      Parts moved;
      for (llvm::Value *part : parts)
        moved.push_back(laneFrom(context, part, ir.CreateSub(waveLane, context.i32(distance))));
      return moved;
    };
    for (uint32_t distance = 1; distance < c.group; distance *= 2) {
      llvm::Value *reaches = ir.CreateICmpUGE(c.lane, context.i32(distance));
      sum = combiner.select(reaches, combiner.combine(from(sum, distance), sum), sum);
    }
    return from(sum, 1);
  }
};

} // namespace

std::vector<TileValue> emitScan(KernelContext &context, Lds &lds, const Op &op, Combiner combiner,
                                std::span<const TileValue> sources) {
  return ScanEmitter(context, lds, op, std::move(combiner), sources).emit();
}

} // namespace tl::gpu
