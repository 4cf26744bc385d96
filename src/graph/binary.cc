#include "graph/binary.h"

#include "graph/builder.h"

namespace tl {

namespace {

constexpr uint32_t graphMagic = 0x47474c54;    // "TLGG"
constexpr uint32_t locationMagic = 0x4c474c54; // "TLGL"
constexpr uint8_t formatVersion = 1;
// Flags behind the name.
constexpr uint8_t contractFlag = 1, sequenceFlag = 2;

// Values are numbered in the order in which both sides meet them: arguments, their dynamic
// dimensions, parameters, then results and region arguments as the list of ops goes. Ops are one
// flat list; a Yield ends a region.

class GraphWriter {
public:
  explicit GraphWriter(const Graph &g) : g(g), number(g.values.size(), 0) {}

  Bytes write() {
    const Kernel &k = g.kernel;
    w.u32(graphMagic);
    w.u8(formatVersion);
    w.string(k.name);
    w.u8((k.contract ? contractFlag : 0) | (k.isSequence ? sequenceFlag : 0));
    w.varint(uint64_t(k.threads));
    if (k.isSequence) {
      w.varint(k.callees.size());
      for (const auto &callee : k.callees)
        w.bytes(writeGraph(*callee));
    }
    numberHeader();
    w.varint(k.args.size());
    for (const Argument &arg : k.args)
      argument(arg);
    w.varint(k.params.size());
    for (const Param &param : k.params) {
      w.string(param.name);
      w.svarint(param.defaultValue);
      w.varint(param.choices.size());
      for (int64_t choice : param.choices)
        w.svarint(choice);
    }
    block(k.head);
    values(k.grid);
    values(k.requires_);
    block(k.body);
    return std::move(w.out);
  }

  /// Ops and values in written order, for the location section.
  std::vector<OpId> opOrder;
  std::vector<ValueId> valueOrder;

private:
  const Graph &g;
  ByteWriter w;
  std::vector<uint32_t> number;

  void define(ValueId v) {
    valueOrder.push_back(v);
    number[v] = uint32_t(valueOrder.size());
  }

  void numberHeader() {
    for (const Argument &arg : g.kernel.args)
      define(arg.value);
    for (const Argument &arg : g.kernel.args)
      for (const std::vector<ViewDim> *dims : {&arg.extents, &arg.strides})
        for (const ViewDim &dim : *dims)
          if (dim.kind == ViewDim::Kind::Dynamic)
            define(dim.value);
    for (const Param &param : g.kernel.params)
      define(param.value);
  }

  void values(std::span<const ValueId> list) {
    w.varint(list.size());
    for (ValueId v : list)
      w.varint(number[v]);
  }

  void argument(const Argument &arg) {
    const Type &type = g.typeOf(arg.value);
    w.string(arg.name);
    w.u8(uint8_t(type.kind));
    w.u8(uint8_t(type.dtype));
    w.u8(uint8_t(arg.optional | arg.distinct << 1 | arg.hasDefault << 2));
    for (const std::vector<ViewDim> *dims : {&arg.extents, &arg.strides}) {
      w.varint(dims->size());
      for (const ViewDim &dim : *dims) {
        w.u8(uint8_t(dim.kind));
        if (dim.kind == ViewDim::Kind::Literal)
          w.svarint(dim.literal);
        else if (dim.kind == ViewDim::Kind::Value)
          w.varint(number[dim.value]);
      }
    }
    if (arg.hasDefault) {
      w.svarint(arg.defaultInt);
      w.f64(arg.defaultFloat);
    }
    w.u8(uint8_t(arg.generator.kind));
    if (arg.generator.kind != GeneratorKind::None) {
      w.f64(arg.generator.low);
      w.f64(arg.generator.high);
      w.varint(number[arg.generator.lowValue]);
      w.varint(number[arg.generator.highValue]);
    }
  }

  void attribute(const Attr &attr) {
    w.varint(uint64_t(attr.key));
    switch (attrInfo(int32_t(attr.key))->kind) {
    case AttrKind::Number:
      w.u8(attr.isFloat);
      if (attr.isFloat)
        w.f64(attr.f);
      else
        w.svarint(attr.i);
      return;
    case AttrKind::Dims:
    case AttrKind::Ints:
      w.varint(attr.list.size());
      for (int64_t entry : attr.list)
        w.svarint(entry < 0 && attr.key == AttrKey::Dims ? -int64_t(number[size_t(-entry)])
                                                         : entry);
      return;
    case AttrKind::Text:
      w.string(attr.text);
      return;
    default:
      w.svarint(attr.i);
    }
  }

  /// Head or body, and the regions inside. No recursion: a graph that nests too deep is written,
  /// and refused by those who read it.
  void block(BlockId id) {
    struct Place {
      BlockId block;
      size_t next = 0;   // op
      OpId op = 0;       // whose region it is
      size_t region = 0; // which one
    };
    std::vector<Place> stack = {{id}};
    while (!stack.empty()) {
      Place &place = stack.back();
      if (place.next < g.block(place.block).ops.size()) {
        OpId op = g.block(place.block).ops[place.next++];
        writeOp(g.ops[op], op);
        if (g.ops[op].regions.count)
          stack.push_back({openRegion(op, 0), 0, op, 0});
        else
          defineResults(op);
        continue;
      }
      OpId op = place.op;
      if (op && ++place.region < g.ops[op].regions.count) {
        place.block = openRegion(op, place.region);
        place.next = 0;
        continue;
      }
      stack.pop_back();
      if (op)
        defineResults(op);
    }
    w.varint(0); // no opcode: the end of head or body
  }

  BlockId openRegion(OpId op, size_t which) {
    BlockId region = g.regions(g.ops[op])[which];
    for (ValueId arg : g.block(region).args)
      define(arg);
    return region;
  }

  void defineResults(OpId op) {
    for (ValueId v : g.results(g.ops[op]))
      define(v);
  }

  void writeOp(const Op &op, OpId id) {
    opOrder.push_back(id);
    w.varint(uint64_t(op.opcode));
    values(g.operands(op));
    w.varint(op.attrs.count);
    for (const Attr &attr : g.attrs(op))
      attribute(attr);
  }
};

class GraphReader {
public:
  GraphReader(std::span<const uint8_t> graph, std::span<const uint8_t> locations)
      : r(graph), l(locations) {}

  Result<Graph> read() {
    if (r.u32() != graphMagic || !r.ok())
      return makeError(TL_E_CORRUPT, "these bytes are not a graph");
    if (uint8_t version = r.u8(); version != formatVersion)
      return makeError(version > formatVersion ? TL_E_VERSION : TL_E_CORRUPT,
                       "the graph has format version %u, this library reads %u", version,
                       formatVersion);
    openLocations();
    b.setKernel(r.string());
    uint8_t kind = flags(contractFlag | sequenceFlag);
    b.setContract(kind & contractFlag);
    b.setThreads(int64_t(r.varint()));
    if (kind & sequenceFlag)
      TL_TRY(readCallees());
    readArguments();
    readParams();
    resolveHeader();
    // Bytes that are whole as far as they were read hold a graph that is wrong: the builder says
    // how.
    auto wrongGraph = [&] { return r.ok() && !b.ok(); };
    if (wrongGraph())
      return std::move(b).finish();
    b.buildHead(true);
    readBlock();
    if (wrongGraph())
      return std::move(b).finish();
    std::vector<ValueId> grid = values(), conditions = values();
    b.setHeadGrid(grid);
    for (ValueId condition : conditions)
      b.addHeadRequirement(condition);
    b.buildHead(false);
    readBlock();
    if (wrongGraph())
      return std::move(b).finish();
    if (!r.ok() || !r.atEnd())
      return makeError(TL_E_CORRUPT, "the graph is truncated or damaged at byte %zu", r.offset());
    return std::move(b).finish();
  }

private:
  struct PendingArg {
    std::vector<uint64_t> dims[2]; // extents, strides: value numbers, 0 = not by value
    InputGenerator generator;
    uint64_t low = 0, high = 0;
  };

  ByteReader r;
  ByteReader l;
  bool hasLocations = false;
  bool isCallee = false;
  std::vector<std::string> files;
  GraphBuilder b;
  std::vector<ValueId> byNumber = {0};
  std::vector<PendingArg> pending;

  bool good() const { return r.ok() && b.ok(); }
  void define(ValueId v) { byNumber.push_back(v); }
  ValueId value(uint64_t n) {
    if (n < byNumber.size())
      return byNumber[n];
    r.fail();
    return 0;
  }
  std::vector<ValueId> values() {
    size_t n = r.count();
    std::vector<ValueId> list;
    for (size_t i = 0; i < n && r.ok(); ++i)
      list.push_back(value(r.varint()));
    return list;
  }
  uint8_t flags(uint8_t allowed) {
    uint8_t f = r.u8();
    if (f & ~allowed)
      r.fail();
    return f;
  }

  void openLocations() {
    if (l.remaining() == 0 || l.u32() != locationMagic || l.u8() != formatVersion)
      return;
    size_t n = l.count();
    for (size_t i = 0; i < n && l.ok(); ++i)
      files.push_back(l.string());
    hasLocations = l.ok();
  }

  void nextLocation() {
    if (!hasLocations)
      return;
    uint64_t file = l.varint();
    SourceLocation where;
    where.line = uint32_t(l.varint());
    where.column = uint32_t(l.varint());
    if (!l.ok() || file >= files.size() + 1) {
      hasLocations = false;
      return;
    }
    if (file > 0)
      where.file = files[file - 1];
    b.setLocation(std::move(where));
  }

  Status readCallees() {
    b.setSequence();
    if (isCallee)
      return makeError(TL_E_CORRUPT, "a sequence dispatches a sequence");
    size_t n = r.count();
    for (size_t i = 0; i < n && good(); ++i) {
      GraphReader callee(r.bytes(), {});
      callee.isCallee = true;
      TL_ASSIGN(Graph kernel, callee.read());
      b.addCallee(std::make_shared<const Graph>(std::move(kernel)));
    }
    return {};
  }

  void readArguments() {
    size_t n = r.count(6);
    for (size_t i = 0; i < n && good(); ++i) {
      Argument arg;
      PendingArg p;
      arg.name = r.string();
      uint8_t kind = r.u8(), dtype = r.u8(), f = flags(7);
      arg.optional = f & 1;
      arg.distinct = f & 2;
      arg.hasDefault = f & 4;
      for (int which = 0; which < 2; ++which) {
        size_t rank = r.count();
        for (size_t axis = 0; axis < rank && r.ok(); ++axis) {
          ViewDim dim;
          uint8_t dimKind = r.u8();
          uint64_t number = 0;
          if (dimKind < 1 || dimKind > 3)
            r.fail();
          dim.kind = ViewDim::Kind(dimKind);
          if (dim.kind == ViewDim::Kind::Literal)
            dim.literal = r.svarint();
          else if (dim.kind == ViewDim::Kind::Value)
            number = r.varint();
          (which ? arg.strides : arg.extents).push_back(dim);
          p.dims[which].push_back(number);
        }
      }
      if (arg.hasDefault) {
        arg.defaultInt = r.svarint();
        arg.defaultFloat = r.f64();
      }
      uint8_t generator = r.u8();
      if (generator > uint8_t(GeneratorKind::Const) || kind < 1 || kind > 3 || !dtypeKnown(dtype))
        r.fail();
      p.generator.kind = GeneratorKind(generator);
      if (generator) {
        p.generator.low = r.f64();
        p.generator.high = r.f64();
        p.low = r.varint();
        p.high = r.varint();
      }
      pending.push_back(std::move(p));
      if (r.ok())
        define(b.addArgument(std::move(arg), TypeKind(kind), DType(dtype)));
    }
  }

  void readParams() {
    if (!good())
      return;
    for (const Argument &arg : b.current().kernel.args)
      for (const std::vector<ViewDim> *dims : {&arg.extents, &arg.strides})
        for (const ViewDim &dim : *dims)
          if (dim.kind == ViewDim::Kind::Dynamic)
            define(dim.value);
    size_t n = r.count(3);
    for (size_t i = 0; i < n && good(); ++i) {
      std::string name = r.string();
      int64_t defaultValue = r.svarint();
      size_t choices = r.count();
      std::vector<int64_t> list;
      for (size_t c = 0; c < choices && r.ok(); ++c)
        list.push_back(r.svarint());
      define(b.addParam(std::move(name), defaultValue, std::move(list)));
    }
  }

  /// Dimensions and bounds by value may name what follows their argument, so they are filled in
  /// now.
  void resolveHeader() {
    for (size_t i = 0; i < pending.size() && good(); ++i) {
      PendingArg &p = pending[i];
      for (int which = 0; which < 2; ++which)
        for (size_t axis = 0; axis < p.dims[which].size() && good(); ++axis)
          if (uint64_t number = p.dims[which][axis])
            b.setViewDim(i, which == 1, axis, value(number));
      if (!good())
        return;
      p.generator.lowValue = value(p.low);
      p.generator.highValue = value(p.high);
      b.setGenerator(i, p.generator);
    }
  }

  Attr attribute() {
    Attr attr;
    const AttrInfo *info = attrInfo(int32_t(std::min<uint64_t>(r.varint(), 1 << 20)));
    if (!info) {
      r.fail();
      return attr;
    }
    attr.key = info->key;
    switch (info->kind) {
    case AttrKind::Number:
      attr.isFloat = flags(1);
      if (attr.isFloat)
        attr.f = r.f64();
      else
        attr.i = r.svarint();
      break;
    case AttrKind::Dims:
    case AttrKind::Ints: {
      size_t n = r.count();
      for (size_t i = 0; i < n && r.ok(); ++i) {
        int64_t entry = r.svarint();
        attr.list.push_back(entry < 0 && info->kind == AttrKind::Dims
                                ? -int64_t(value(0 - uint64_t(entry)))
                                : entry);
      }
      break;
    }
    case AttrKind::Text:
      attr.text = r.string();
      break;
    default:
      attr.i = r.svarint();
    }
    return attr;
  }

  /// Ops of head or body up to the end mark; regions are opened and closed by the builder.
  void readBlock() {
    while (good()) {
      uint64_t number = r.varint();
      if (number == 0 || !r.ok())
        break;
      if (number > INT32_MAX || !opcodeKnown(int32_t(number)))
        return r.fail();
      readOp(Opcode(number));
    }
    if (b.ok() && b.depth() != 0)
      r.fail();
  }

  void readOp(Opcode opcode) {
    nextLocation();
    std::vector<ValueId> operands = values();
    size_t n = r.count();
    std::vector<Attr> attrs;
    for (size_t i = 0; i < n && r.ok(); ++i)
      attrs.push_back(attribute());
    if (!r.ok())
      return;
    if (opcode == Opcode::Yield) {
      for (ValueId v : b.end(operands))
        define(v);
    } else if (opInfo(opcode).effect == Effect::Control) {
      for (ValueId v : b.begin(opcode, operands, attrs))
        define(v);
    } else {
      std::vector<ValueId> results = b.resultsOf(b.op(opcode, operands, attrs));
      if (givesResult(opcode) && results.empty()) // after an error
        define(0);
      for (ValueId v : results)
        define(v);
    }
  }
};

} // namespace

Bytes writeGraph(const Graph &graph) { return GraphWriter(graph).write(); }

Bytes writeLocations(const Graph &graph) {
  GraphWriter order(graph);
  order.write();
  ByteWriter w;
  w.u32(locationMagic);
  w.u8(formatVersion);
  std::vector<std::string> files;
  auto fileNumber = [&](const std::string &file) -> uint64_t {
    for (size_t i = 0; i < files.size(); ++i)
      if (files[i] == file)
        return i + 1;
    files.push_back(file);
    return files.size();
  };
  for (OpId id : order.opOrder)
    if (const SourceLocation &where = graph.locations[graph.ops[id].location]; where.line)
      fileNumber(where.file);
  w.varint(files.size());
  for (const std::string &file : files)
    w.string(file);
  for (OpId id : order.opOrder) {
    const SourceLocation &where = graph.locations[graph.ops[id].location];
    w.varint(where.line ? fileNumber(where.file) : 0);
    w.varint(where.line);
    w.varint(where.column);
  }
  return std::move(w.out);
}

Result<Graph> readGraph(std::span<const uint8_t> graph, std::span<const uint8_t> locations) {
  return GraphReader(graph, locations).read();
}

} // namespace tl
