// Graphs made at random with the builder, over every operation, for properties of the text form.
#pragma once

#include "graph/builder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

namespace tl::test {

/// One random well-typed graph; the same seed gives the same graph.
class RandomGraph {
public:
  explicit RandomGraph(uint64_t seed) : random(seed) {}

  Result<Graph> build(unsigned ops) {
    b.setKernel("k" + std::to_string(random() % 100));
    b.setContract(chance(70));
    b.setThreads(chance(70) ? 0 : 32 * int64_t(1 + pick(32)));
    addHeader();
    pools.emplace_back();
    for (ValueId v : header)
      pools.back().push_back(v);
    for (unsigned i = 0; i < ops; ++i) {
      addSomething();
      if (!b.ok())
        break;
    }
    while (b.depth() > 0)
      closeRegion();
    addHead();
    return std::move(b).finish();
  }
  /// How often each operation was added.
  std::map<Opcode, unsigned> count;

private:
  std::mt19937_64 random;
  GraphBuilder b;
  std::vector<std::vector<ValueId>> pools; // visible values, by region
  std::vector<ValueId> header;
  std::vector<size_t> carried; // by open region: values that it must yield
  std::vector<std::vector<Type>> yieldTypes;

  size_t pick(size_t n) { return size_t(random() % n); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  const Type &typeOf(ValueId v) const { return b.current().typeOf(v); }

  static Attr intAttr(AttrKey key, int64_t value) {
    Attr a;
    a.key = key;
    a.i = value;
    return a;
  }
  static Attr listAttr(AttrKey key, std::vector<int64_t> list) {
    Attr a;
    a.key = key;
    a.list = std::move(list);
    return a;
  }

  template <class F> ValueId find(F fits) {
    std::vector<ValueId> found;
    for (const std::vector<ValueId> &pool : pools)
      for (ValueId v : pool)
        if (fits(typeOf(v)))
          found.push_back(v);
    return found.empty() ? 0 : found[pick(found.size())];
  }

  ValueId add(Opcode opcode, std::vector<ValueId> operands, std::vector<Attr> attrs = {}) {
    for (ValueId v : operands)
      if (v == 0)
        return 0;
    ++count[opcode];
    static uint32_t line = 0;
    b.setLocation({"random.c", ++line % 1000 + 1, 1});
    ValueId v = b.op(opcode, operands, attrs);
    for (ValueId result : b.resultsOf(v)) {
      maybeName(result);
      pools.back().push_back(result);
    }
    return v;
  }

  /// Names may be shared, malformed or missing.
  void maybeName(ValueId v) {
    static const char *names[] = {"x",          "y", "acc", "sum", "a0", "n", "0", "12",
                                  "not a name", "",  "for", "x1",  "_",  "B", "lo"};
    if (chance(40))
      b.setName(v, names[pick(std::size(names))]);
  }

  DType anyDType() {
    static const DType types[] = {DType::I1,   DType::I8,       DType::U8,        DType::I16,
                                  DType::U16,  DType::I32,      DType::U32,       DType::I64,
                                  DType::U64,  DType::F16,      DType::F32,       DType::F64,
                                  DType::BF16, DType::F8E4M3FN, DType::F8E5M2FNUZ};
    return types[pick(std::size(types))];
  }

  /// What values can be, those that are in tiles alone too.
  DType anyTileDType() {
    static const DType types[] = {DType::I4,       DType::U4,       DType::F8E8M0FNU,
                                  DType::F6E2M3FN, DType::F6E3M2FN, DType::F4E2M1FN};
    return chance(30) ? types[pick(std::size(types))] : anyDType();
  }
  static bool hasArithmetic(DType d) { return isInteger(d) || isWideFloat(d); }

  Attr number(AttrKey key, DType d) {
    static const double floats[] = {0.0, -0.0, 1, 0.1, -1.5, 1e300, 5e-324, 1e-5, 3.0e38, 1.0 / 3};
    Attr a;
    a.key = key;
    if (isFloat(d)) {
      a.isFloat = chance(90);
      if (!a.isFloat) {
        a.i = int64_t(pick(10)) - 5;
      } else if (chance(10)) {
        uint64_t bits = random() | uint64_t(0x7ff) << 52;
        std::memcpy(&a.f, &bits, sizeof bits);
      } else if (chance(20)) {
        uint64_t bits = random();
        std::memcpy(&a.f, &bits, sizeof bits);
      } else {
        a.f = floats[pick(std::size(floats))];
      }
      return a;
    }
    uint64_t bits = chance(50) ? pick(5) : random();
    if (chance(5))
      bits = uint64_t(1) << 63;
    if (isBool(d))
      bits &= 1;
    else if (dtypeBits(d) < 64)
      bits &= (uint64_t(1) << dtypeBits(d)) - 1;
    if (isSigned(d) && dtypeBits(d) < 64 && bits >> (dtypeBits(d) - 1))
      bits |= ~uint64_t(0) << dtypeBits(d);
    a.i = int64_t(bits);
    return a;
  }

  ValueId constant(DType d) {
    return add(Opcode::Const, {}, {number(AttrKey::Value, d), intAttr(AttrKey::DType, int64_t(d))});
  }
  ValueId index() {
    ValueId v = chance(60) ? find([](const Type &t) { return t.isIndex(); }) : 0;
    return v ? v : constant(chance(70) ? DType::I64 : DType::I32);
  }

  std::vector<int64_t> dims(unsigned maxRank = 3) {
    std::vector<int64_t> list;
    for (size_t rank = pick(maxRank + 1); list.size() < rank;) {
      ValueId v =
          chance(25) ? find([&](const Type &t) { return t == Type::scalar(DType::I64); }) : 0;
      auto known = v ? b.current().constantInt(v) : std::nullopt;
      bool usable = known && *known >= 1 && *known <= 8;
      list.push_back(usable ? -int64_t(v) : int64_t(1 + pick(6)));
    }
    return list;
  }
  ValueId tileOf(DType d, std::vector<int64_t> extents) {
    return add(Opcode::Full, {constant(d)}, {listAttr(AttrKey::Dims, std::move(extents))});
  }
  std::vector<int64_t> extentsOf(const Type &t) { return {t.extents().begin(), t.extents().end()}; }

  void addHeader() {
    static const char *dimNames[] = {"n", "m", "stride"};
    for (const char *name : dimNames) {
      Argument arg;
      arg.name = name;
      arg.hasDefault = chance(70);
      arg.defaultInt = int64_t(pick(100)) - 20;
      header.push_back(
          b.addArgument(std::move(arg), TypeKind::Tile, chance(80) ? DType::I64 : DType::I32));
    }
    for (size_t i = pick(4); i > 0; --i) {
      bool choices = chance(50);
      int64_t value = int64_t(pick(9)) - 1;
      header.push_back(
          b.addParam("P" + std::to_string(i), value,
                     choices ? std::vector<int64_t>{value, 7, -3} : std::vector<int64_t>()));
    }
    for (size_t i = 0, n = 2 + pick(4); i < n; ++i)
      addViewArgument(i);
    Argument scalar, pointer;
    scalar.name = "scalar";
    DType d = anyDType();
    Attr value = number(AttrKey::Value, d);
    scalar.hasDefault = true;
    (isFloat(d) && value.isFloat ? void(scalar.defaultFloat = value.f)
                                 : void(scalar.defaultInt = isFloat(d) ? 0 : value.i));
    header.push_back(b.addArgument(std::move(scalar), TypeKind::Tile, d));
    pointer.name = "pointer";
    header.push_back(b.addArgument(std::move(pointer), TypeKind::Pointer, anyDType()));
  }

  void addViewArgument(size_t i) {
    Argument arg;
    arg.name = "view" + std::to_string(i);
    auto dim = [&](bool stride) {
      ViewDim d;
      d.kind = ViewDim::Kind(1 + pick(3));
      if (d.kind == ViewDim::Kind::Literal)
        d.literal = int64_t(pick(1000)) - (stride ? 500 : 0);
      if (d.kind == ViewDim::Kind::Value)
        d.value = header[pick(3)];
      return d;
    };
    size_t rank = 1 + pick(4);
    bool strides = chance(50);
    for (size_t axis = 0; axis < rank; ++axis) {
      arg.extents.push_back(dim(false));
      if (strides)
        arg.strides.push_back(dim(true));
    }
    arg.optional = chance(20);
    arg.distinct = chance(20);
    arg.generator.kind = GeneratorKind(pick(6));
    if (arg.generator.kind == GeneratorKind::Uniform) {
      arg.generator.low = chance(50) ? -1.5 : 3;
      arg.generator.high = 100;
      if (chance(30))
        arg.generator.highValue = header[pick(3)], arg.generator.high = 0;
    } else if (arg.generator.kind == GeneratorKind::Const) {
      arg.generator.low = 0.25;
    }
    ValueId v = b.addArgument(std::move(arg), TypeKind::View, anyDType());
    if (!b.ok())
      return;
    header.push_back(v);
    const Argument &added = b.current().kernel.args.back();
    for (const std::vector<ViewDim> *list : {&added.extents, &added.strides})
      for (const ViewDim &d : *list)
        if (d.kind == ViewDim::Kind::Dynamic)
          header.push_back(d.value);
  }

  /// Grid and requirements, as copies of body expressions or directly, in any order.
  void addHead() {
    bool direct = chance(50);
    b.buildHead(direct);
    pools.resize(1);
    pools[0] = header;
    std::vector<ValueId> wide, conditions;
    auto isWide = [](const Type &t) { return t == Type::scalar(DType::I64); };
    for (size_t n = pick(12); n > 0; --n) {
      static const Opcode ops[] = {Opcode::Add, Opcode::CeilDiv, Opcode::Mul,
                                   Opcode::Max, Opcode::Sub,     Opcode::FloorMod};
      ValueId a = find(isWide), c = chance(40) ? constant(DType::I64) : find(isWide);
      if (chance(15))
        a = add(Opcode::Extent, {find([](const Type &t) { return t.isView(); })},
                {intAttr(AttrKey::Axis, 0)});
      if (chance(10))
        a = add(Opcode::Cast, {header[pick(3)]}, {intAttr(AttrKey::DType, int64_t(DType::I64))});
      if (ValueId v = add(ops[pick(std::size(ops))], {a, c}))
        wide.push_back(v);
    }
    for (size_t n = pick(3); n > 0; --n) {
      ValueId a = constant(DType::I64), c = constant(DType::I64);
      if (chance(50))
        a = add(Opcode::Add, {a, constant(DType::I64)});
      int64_t x = *b.current().constantInt(a), y = *b.current().constantInt(c);
      Pred pred = x < y ? Pred::Lt : x > y ? Pred::Gt : Pred::Eq;
      conditions.push_back(add(Opcode::Cmp, {a, c}, {intAttr(AttrKey::Pred, int64_t(pred))}));
    }
    if (wide.empty() || chance(20))
      wide.push_back(find(isWide) ? find(isWide) : constant(DType::I64));
    std::vector<ValueId> grid;
    for (size_t n = 1 + pick(3); n > 0; --n)
      grid.push_back(wide[pick(wide.size())]);
    for (ValueId condition : conditions)
      if (chance(50))
        direct ? b.addHeadRequirement(condition) : b.addRequirement(condition);
    direct ? b.setHeadGrid(grid) : b.setGrid(grid);
    for (ValueId condition : conditions)
      if (chance(30))
        direct ? b.addHeadRequirement(condition) : b.addRequirement(condition);
    b.buildHead(false);
  }

  void addSomething() {
    if (chance(8) && b.depth() < 4)
      return openRegion();
    if (chance(10) && b.depth() > 0)
      return closeRegion();
    auto ops = allOps();
    const OpInfo &info = ops[pick(ops.size())];
    if (!isSequenceOp(info.opcode)) // tests/unit/sequences.cc has those
      addOp(info);
  }

  void openRegion() {
    if (chance(40)) {
      ValueId c = chance(50) ? find([](const Type &t) { return t == Type::scalar(DType::I1); }) : 0;
      c = c ? c : constant(DType::I1);
      ++count[Opcode::If];
      b.begin(Opcode::If, {&c, 1});
      yieldTypes.emplace_back();
      carried.push_back(chance(50) ? 0 : 1 + pick(2));
      pools.emplace_back();
      return;
    }
    bool repeats = chance(40); // a while
    DType d = chance(70) ? DType::I64 : DType::I32;
    std::vector<ValueId> operands;
    std::vector<Type> types;
    if (repeats) {
      operands.push_back(find([](const Type &t) { return t == Type::scalar(DType::I1); }));
      operands[0] = operands[0] ? operands[0] : constant(DType::I1);
      types.push_back(Type::scalar(DType::I1));
    }
    for (int i = 0; i < 3 && !repeats; ++i) {
      ValueId v = chance(40) ? find([&](const Type &t) { return t == Type::scalar(d); }) : 0;
      if (i == 2 && v == 0 && chance(50))
        v = add(Opcode::Const, {},
                {intAttr(AttrKey::Value, 1), intAttr(AttrKey::DType, int64_t(d))});
      operands.push_back(v ? v : constant(d));
    }
    for (size_t n = pick(3); n > 0; --n) {
      ValueId v = find([](const Type &t) { return t.isTile(); });
      operands.push_back(v);
      types.push_back(typeOf(v));
    }
    Opcode loop = repeats ? Opcode::While : Opcode::For;
    ++count[loop];
    std::vector<ValueId> args = b.begin(loop, operands);
    carried.push_back(types.size());
    yieldTypes.push_back(types);
    pools.emplace_back(args);
    for (ValueId v : args)
      maybeName(v);
  }

  void closeRegion() {
    std::vector<ValueId> yields;
    size_t n = carried.back();
    for (size_t i = 0; i < n; ++i) {
      const std::vector<Type> &types = yieldTypes.back();
      ValueId v =
          find([&](const Type &t) { return i < types.size() ? t == types[i] : t.isTile(); });
      if (v == 0) // only an else can lack a value of the type
        v = tileOf(types[i].dtype, extentsOf(types[i]));
      yields.push_back(v);
    }
    ++count[Opcode::Yield];
    bool done = true;
    std::vector<ValueId> results = b.end(yields, &done);
    pools.pop_back();
    if (!done) {
      yieldTypes.back().clear();
      for (ValueId v : yields)
        yieldTypes.back().push_back(typeOf(v));
      pools.emplace_back();
      return;
    }
    carried.pop_back();
    yieldTypes.pop_back();
    for (ValueId v : results) {
      maybeName(v);
      pools.back().push_back(v);
    }
  }

  ValueId operandFor(OperandClass cls, const Type *like) {
    auto fits = [&](const Type &t) {
      if (!t.isTile())
        return false;
      if (like)
        return t.dtype == like->dtype && (t.rank == 0 || like->rank == 0 || t.sameShape(*like));
      switch (cls) {
      case OperandClass::Num:
        return hasArithmetic(t.dtype);
      case OperandClass::Int:
        return isInteger(t.dtype);
      case OperandClass::Float:
        return isWideFloat(t.dtype);
      case OperandClass::Real:
        return isFloat(t.dtype);
      case OperandClass::Bits:
        return isInteger(t.dtype) || isBool(t.dtype);
      case OperandClass::U64:
        return t.dtype == DType::U64;
      default:
        return true;
      }
    };
    if (like && chance(30))
      return constant(like->dtype);
    ValueId v = find(fits);
    if (v != 0)
      return v;
    DType d = cls == OperandClass::Float || cls == OperandClass::Real ? DType::F32
              : cls == OperandClass::U64                              ? DType::U64
                                                                      : DType::I32;
    return tileOf(like ? like->dtype : d, dims(2));
  }

  void addOp(const OpInfo &info) {
    switch (info.rule) {
    case Rule::ProgramIndex:
      add(info.opcode, {}, {intAttr(AttrKey::Axis, int64_t(pick(3)))});
      return;
    case Rule::Const:
      constant(anyTileDType());
      return;
    case Rule::Full: {
      ValueId v = chance(50) ? find([](const Type &t) { return t.isScalar(); }) : 0;
      add(info.opcode, {v ? v : constant(anyTileDType())}, {listAttr(AttrKey::Dims, dims())});
      return;
    }
    case Rule::Iota: {
      std::vector<int64_t> extents = dims();
      if (extents.empty())
        extents.push_back(4);
      DType d = anyDType();
      std::vector<Attr> attrs = {intAttr(AttrKey::DType, int64_t(isInteger(d) ? d : DType::I32)),
                                 listAttr(AttrKey::Dims, extents)};
      if (chance(60))
        attrs.push_back(intAttr(AttrKey::Axis, int64_t(pick(extents.size()))));
      add(info.opcode, {}, attrs);
      return;
    }
    case Rule::Elementwise:
    case Rule::Compare:
    case Rule::Classify:
    case Rule::Select:
      return addElementwise(info);
    case Rule::Bitcast: {
      ValueId v = find([](const Type &t) { return t.isTile() && !isBool(t.dtype); });
      if (v == 0)
        return;
      DType to = anyTileDType();
      while (isBool(to) || dtypeBits(to) != dtypeBits(typeOf(v).dtype))
        to = anyTileDType();
      add(info.opcode, {v}, {intAttr(AttrKey::DType, int64_t(to))});
      return;
    }
    case Rule::Cast: {
      ValueId v = operandFor(OperandClass::Any, nullptr);
      DType to = anyTileDType();
      std::vector<Attr> attrs;
      if (isFloat(typeOf(v).dtype) && isFloat(to)) {
        if (chance(50))
          attrs.push_back(intAttr(AttrKey::Round, int64_t(1 + pick(4))));
        if (chance(50))
          attrs.push_back(intAttr(AttrKey::Saturate, 1));
      }
      attrs.push_back(intAttr(AttrKey::DType, int64_t(to)));
      add(info.opcode, {v}, attrs);
      return;
    }
    case Rule::Dot:
      return addDot();
    case Rule::Pointer: {
      ValueId v = find([](const Type &t) { return t == Type::scalar(DType::U64); });
      add(info.opcode, {v && chance(50) ? v : constant(DType::U64)},
          {intAttr(AttrKey::DType, int64_t(anyDType()))});
      return;
    }
    case Rule::Exit: {
      ValueId v = find([](const Type &t) { return t == Type::scalar(DType::I1); });
      add(info.opcode, {v && chance(50) ? v : constant(DType::I1)});
      return;
    }
    case Rule::Print:
    case Rule::Assert:
      return addLogged(info);
    case Rule::LaunchLog: // not an author's
      return;
    case Rule::Random:
    case Rule::RandomInt:
    case Rule::CastStochastic:
    case Rule::Unpack:
    case Rule::Pack:
    case Rule::Im2col:
      return addComposite(info);
    case Rule::AllocShared:
    case Rule::Copy:
    case Rule::Wait:
    case Rule::Barrier:
      return addShared(info);
    case Rule::Take:
    case Rule::Sort:
    case Rule::TopK:
    case Rule::Histogram:
      return addOrder(info);
    case Rule::ByteOffset:
      add(info.opcode, {find([](const Type &t) { return t.isPointer(); }), index()},
          {intAttr(AttrKey::DType, int64_t(anyDType()))});
      return;
    case Rule::MakeView: {
      std::vector<ValueId> operands = {find([](const Type &t) { return t.isPointer(); })};
      for (size_t n = 2 * (1 + pick(3)); n > 0; --n)
        operands.push_back(index());
      add(info.opcode, operands);
      return;
    }
    default:
      return isMemory(info.rule) ? addMemory(info) : addShape(info);
    }
  }

  void addShared(const OpInfo &info) {
    std::vector<int64_t> extents = dims();
    if (info.rule == Rule::AllocShared) {
      if (extents.empty())
        extents.push_back(3);
      add(info.opcode, {},
          {intAttr(AttrKey::DType, int64_t(anyDType())), listAttr(AttrKey::Dims, extents)});
    } else if (info.rule == Rule::Copy) {
      ValueId to = find([](const Type &t) { return t.isView(); });
      ValueId from = find([&](const Type &t) { return t.isView() && t.dtype == typeOf(to).dtype; });
      std::vector<ValueId> operands = {to, from};
      for (unsigned i = typeOf(to).rank + typeOf(from).rank; i > 0; --i)
        operands.push_back(index());
      extents.resize(std::min<size_t>({extents.size(), typeOf(to).rank, typeOf(from).rank}));
      add(info.opcode, operands, {listAttr(AttrKey::Dims, extents)});
    } else if (info.rule == Rule::Wait && chance(50)) {
      add(info.opcode, {}, {intAttr(AttrKey::Count, int64_t(pick(5)))});
    } else {
      add(info.opcode, {});
    }
  }

  void addComposite(const OpInfo &info) {
    std::vector<int64_t> extents = dims(2);
    auto some = [&](DType d) { return chance(30) ? constant(d) : tileOf(d, extents); };
    auto dtype = [&](std::initializer_list<DType> types) {
      return intAttr(AttrKey::DType, int64_t(types.begin()[pick(types.size())]));
    };
    switch (info.rule) {
    case Rule::Random:
      add(info.opcode, {some(DType::U64), some(DType::U64)},
          {dtype({DType::F16, DType::BF16, DType::F32, DType::F64})});
      return;
    case Rule::RandomInt: {
      DType d = anyDType();
      d = isInteger(d) ? d : DType::I16;
      add(info.opcode, {some(DType::U64), some(DType::U64), some(d), some(d)});
      return;
    }
    case Rule::CastStochastic: {
      std::vector<Attr> attrs = {dtype({DType::F16, DType::F8E5M2, DType::F4E2M1FN})};
      if (chance(50))
        attrs.push_back(intAttr(AttrKey::Saturate, 1));
      add(info.opcode, {some(DType::F32), some(DType::U32)}, attrs);
      return;
    }
    case Rule::Unpack:
      extents.push_back(3 * int64_t(1 + pick(3)));
      add(info.opcode, {tileOf(DType::U8, extents)},
          {dtype({DType::I4, DType::U4, DType::F4E2M1FN, DType::F6E2M3FN, DType::F6E3M2FN})});
      return;
    case Rule::Pack:
      extents.push_back(4 * int64_t(1 + pick(3)));
      add(info.opcode, {tileOf(chance(50) ? DType::I4 : DType::F6E3M2FN, extents)});
      return;
    default: {
      ValueId view = find([](const Type &t) { return t.isView() && t.rank == 4; });
      std::vector<Attr> attrs = {listAttr(AttrKey::Kernel, {3, int64_t(1 + pick(4))}),
                                 listAttr(AttrKey::Dims, {int64_t(1 + pick(9)), 5})};
      for (AttrKey key : {AttrKey::Strides, AttrKey::Padding, AttrKey::Dilation})
        if (chance(50))
          attrs.push_back(listAttr(key, {int64_t(1 + pick(4)), int64_t(1 + pick(4))}));
      if (view != 0 && chance(50))
        attrs.push_back(number(AttrKey::Pad, typeOf(view).dtype));
      std::shuffle(attrs.begin(), attrs.end(), random);
      add(info.opcode, {view, index(), index()}, attrs);
      return;
    }
    }
  }

  static bool isMemory(Rule rule) {
    return rule == Rule::Address || rule == Rule::Extent || rule == Rule::Load ||
           rule == Rule::Store || rule == Rule::Gather || rule == Rule::Scatter ||
           rule == Rule::Atomic;
  }

  void addElementwise(const OpInfo &info) {
    std::vector<ValueId> operands;
    std::vector<Attr> attrs;
    size_t first = info.rule == Rule::Select ? 1 : 0;
    operands.push_back(operandFor(info.operands[first].cls, nullptr));
    if (info.rule == Rule::Compare) {
      int64_t pred = int64_t(1 + pick(14));
      bool possible = isFloat(typeOf(operands[0]).dtype) || !isFloatPred(Pred(pred));
      attrs.push_back(intAttr(AttrKey::Pred, possible ? pred : 1));
    }
    Type type = typeOf(operands[0]);
    while (operands.size() + first < info.operands.size()) {
      operands.push_back(operandFor(info.operands[first].cls, &type));
      if (typeOf(operands.back()).rank != 0)
        type = typeOf(operands.back());
    }
    if (chance(20) && operands.size() > 1) // a constant on the left
      if (ValueId c = constant(typeOf(operands[0]).dtype); typeOf(operands[0]).rank != 0)
        operands[0] = c;
    if (first) {
      ValueId c = find([&](const Type &t) { return t == Type::scalar(DType::I1); });
      operands.insert(operands.begin(), c && chance(50) ? c : constant(DType::I1));
    }
    bool fast = false;
    for (const AttrSpec &spec : info.attrs)
      fast |= spec.key == AttrKey::Fast;
    if (fast && isFloat(typeOf(operands[0]).dtype) && chance(30))
      attrs.push_back(intAttr(AttrKey::Fast, 1));
    add(info.opcode, operands, attrs);
  }

  void addDot() {
    static const DType types[] = {DType::F16, DType::BF16, DType::F32, DType::F64, DType::I8};
    DType d = types[pick(5)];
    DType acc = d == DType::F64 ? d : d == DType::I8 ? DType::I32 : DType::F32;
    int64_t m = int64_t(1 + pick(5)), n = int64_t(1 + pick(5)), k = int64_t(1 + pick(5));
    ValueId a = tileOf(d, {m, k}), c = tileOf(d, {k, n}), z = tileOf(acc, {m, n});
    add(Opcode::Dot, {a, c, z});
  }

  /// Messages of what can be printed, and what must be escaped.
  void addLogged(const OpInfo &info) {
    static constexpr std::string_view parts[] = {"x",  " = ", "\"",     "\\", "\n",
                                                 "\t", "%a",  "\u00e9", "//"};
    Attr message;
    message.key = AttrKey::Message;
    for (size_t n = pick(4); n > 0; --n)
      message.text += parts[pick(std::size(parts))];
    std::vector<ValueId> operands;
    if (info.rule == Rule::Assert)
      operands.push_back(find([](const Type &t) { return t.isTile() && isBool(t.dtype); }));
    else
      for (size_t n = pick(3); n > 0; --n)
        operands.push_back(find([](const Type &t) { return t.isTile(); }));
    if (std::find(operands.begin(), operands.end(), 0) == operands.end())
      add(info.opcode, operands, {message});
  }

  void addShape(const OpInfo &info) {
    if (hasCombineRegion(info.opcode))
      return addCombine(info.opcode);
    if (info.effect == Effect::Control)
      return;
    bool needsAxis = info.rule == Rule::Slice || info.rule == Rule::InsertSlice ||
                     info.rule == Rule::Flip || info.rule == Rule::Concat;
    ValueId v = find([&](const Type &t) {
      return t.isTile() && (!needsAxis || t.rank > 0) &&
             (!combinesAlongAxis(info.opcode) || (t.rank > 0 && hasArithmetic(t.dtype)));
    });
    if (v == 0)
      return;
    Type t = typeOf(v);
    std::vector<int64_t> extents = extentsOf(t);
    std::vector<Attr> attrs;
    switch (info.rule) {
    case Rule::Broadcast:
      for (int64_t &e : extents)
        e = e == 1 ? int64_t(1 + pick(3)) : e;
      attrs = {listAttr(AttrKey::Dims, extents)};
      break;
    case Rule::Reshape:
      attrs = {listAttr(AttrKey::Dims, {t.elements()})};
      break;
    case Rule::Permute:
      for (size_t i = 0; i < extents.size(); ++i)
        extents[i] = int64_t(i);
      std::shuffle(extents.begin(), extents.end(), random);
      attrs = {listAttr(AttrKey::Perm, extents)};
      break;
    case Rule::ExpandDims:
      if (t.rank == maxTileRank)
        return;
      attrs = {intAttr(AttrKey::Axis, int64_t(pick(t.rank + 1)))};
      break;
    case Rule::Slice: {
      std::vector<int64_t> offsets, strides;
      for (int64_t &e : extents) {
        offsets.push_back(int64_t(pick(size_t(e))));
        strides.push_back(int64_t(1 + pick(3)));
        e = 1 + (e - 1 - offsets.back()) / strides.back();
      }
      attrs = {listAttr(AttrKey::Offsets, offsets), listAttr(AttrKey::Dims, extents)};
      if (chance(50)) // as many elements fit with strides of 1, the default
        attrs.push_back(listAttr(AttrKey::Strides, strides));
      break;
    }
    case Rule::InsertSlice:
    case Rule::Concat:
    case Rule::Join:
    case Rule::Split:
      return addParts(info, v);
    case Rule::Flip:
      attrs = {listAttr(AttrKey::Axes, {int64_t(pick(t.rank))})};
      break;
    case Rule::Scan:
    case Rule::Reduce: {
      int64_t kind = int64_t(1 + pick(9));
      if (!reduceTakes(ReduceKind(kind), isFloat(t.dtype), isBool(t.dtype)))
        kind = 1 + kind % 3;
      attrs = {intAttr(AttrKey::Axis, int64_t(pick(t.rank))), intAttr(AttrKey::Kind, kind)};
      break;
    }
    case Rule::ArgReduce:
      attrs = {intAttr(AttrKey::Axis, int64_t(pick(t.rank)))};
      break;
    default:
      return;
    }
    add(info.opcode, {v}, attrs);
  }

  void addOrder(const OpInfo &info) {
    ValueId v = find([&](const Type &t) {
      bool fits = info.rule == Rule::Take        ? true
                  : info.rule == Rule::Histogram ? isInteger(t.dtype)
                                                 : hasArithmetic(t.dtype);
      return t.isTile() && fits && (t.rank > 0 || info.rule == Rule::Histogram);
    });
    if (v == 0)
      return;
    Type t = typeOf(v);
    std::vector<int64_t> extents = extentsOf(t);
    std::vector<ValueId> operands = {v};
    if (info.rule == Rule::Histogram) {
      if (chance(50))
        operands.push_back(chance(50) ? constant(DType::I1) : tileOf(DType::I1, extents));
      static const DType counts[] = {DType::I32, DType::U32, DType::I64, DType::U64};
      add(info.opcode, operands,
          {listAttr(AttrKey::Dims, {int64_t(1 + pick(300))}),
           intAttr(AttrKey::DType, int64_t(counts[pick(4)]))});
      return;
    }
    size_t axis = pick(t.rank);
    std::vector<Attr> attrs = {intAttr(AttrKey::Axis, int64_t(axis))};
    if (info.rule == Rule::Take) {
      extents[axis] = int64_t(1 + pick(6));
      operands.push_back(tileOf(chance(50) ? DType::I32 : DType::I64, extents));
    } else if (info.rule == Rule::TopK) {
      extents[axis] = int64_t(1 + pick(size_t(extents[axis])));
      attrs.push_back(listAttr(AttrKey::Dims, extents));
    } else {
      while (operands.size() < 3 && chance(50))
        operands.push_back(tileOf(anyDType(), extents));
    }
    add(info.opcode, operands, attrs);
  }

  void addCombine(Opcode opcode) {
    ValueId v = find([](const Type &t) { return t.isTile() && t.rank > 0; });
    if (v == 0)
      return;
    Type t = typeOf(v);
    std::vector<ValueId> operands = {v};
    while (operands.size() < 3 && chance(50))
      operands.push_back(
          find([&](const Type &other) { return other.isTile() && other.sameShape(t); }));
    ++count[opcode];
    std::vector<ValueId> args =
        b.begin(opcode, operands, {{intAttr(AttrKey::Axis, int64_t(pick(t.rank)))}});
    pools.emplace_back(args);
    std::vector<ValueId> yields;
    for (size_t i = 0; i < operands.size(); ++i) {
      maybeName(args[i]);
      ValueId c = chance(30) ? constant(typeOf(args[i]).dtype) : args[i + operands.size()];
      Opcode op = isBool(typeOf(args[i]).dtype) ? Opcode::Xor : Opcode::Max;
      bool kept =
          chance(20) || !(isBool(typeOf(args[i]).dtype) || hasArithmetic(typeOf(args[i]).dtype));
      yields.push_back(kept ? args[i] : add(op, {args[i], c}));
    }
    ++count[Opcode::Yield];
    std::vector<ValueId> results = b.end(yields);
    pools.pop_back();
    for (ValueId result : results) {
      maybeName(result);
      pools.back().push_back(result);
    }
  }

  void addParts(const OpInfo &info, ValueId v) {
    Type t = typeOf(v);
    std::vector<int64_t> extents = extentsOf(t);
    if (info.rule == Rule::Join && t.rank < maxTileRank)
      add(info.opcode, {v, tileOf(t.dtype, extents)});
    if (info.rule == Rule::Split && t.rank < maxTileRank) {
      extents.push_back(2);
      add(info.opcode, {tileOf(t.dtype, extents)});
    }
    if (info.rule == Rule::Concat) {
      size_t axis = pick(t.rank);
      std::vector<ValueId> parts = {v};
      for (size_t n = 1 + pick(3); n > 0; --n) {
        extents[axis] = int64_t(1 + pick(3));
        parts.push_back(tileOf(t.dtype, extents));
      }
      add(info.opcode, parts, {intAttr(AttrKey::Axis, int64_t(axis))});
    }
    if (info.rule == Rule::InsertSlice) {
      std::vector<int64_t> offsets;
      for (int64_t &e : extents) {
        offsets.push_back(int64_t(pick(size_t(e))));
        e -= offsets.back();
      }
      add(info.opcode, {v, tileOf(t.dtype, extents)}, {listAttr(AttrKey::Offsets, offsets)});
    }
  }

  void addMemory(const OpInfo &info) {
    ValueId view = find([](const Type &t) { return t.isView(); });
    Type t = typeOf(view);
    if (info.rule == Rule::Extent) {
      add(info.opcode, {view}, {intAttr(AttrKey::Axis, int64_t(pick(t.rank)))});
      return;
    }
    bool atomic = info.rule == Rule::Atomic;
    const bool loads = info.opcode == Opcode::AtomicLoad;
    if (atomic && (!hasArithmetic(t.dtype) ||
                   (info.operands[0].cls == OperandClass::Int && !isInteger(t.dtype))))
      return;
    bool pointwise = info.rule == Rule::Gather || info.rule == Rule::Scatter || atomic;
    bool writes = info.rule == Rule::Store || info.rule == Rule::Scatter || (atomic && !loads);
    std::vector<int64_t> shape = dims(std::min<unsigned>(t.rank, 3));
    std::vector<Attr> attrs;
    std::vector<ValueId> operands;
    if (atomic && chance(30)) // what any of them takes
      attrs.push_back(intAttr(
          AttrKey::Order, int64_t(chance(50) ? MemoryOrdering::SeqCst : MemoryOrdering::Relaxed)));
    if (atomic && chance(30))
      attrs.push_back(intAttr(AttrKey::Scope, int64_t(1 + pick(3))));
    if (writes)
      operands.push_back(shape.empty() || chance(20) ? constant(t.dtype) : tileOf(t.dtype, shape));
    Type value = writes ? typeOf(operands[0]) : Type();
    if (info.opcode == Opcode::AtomicCas)
      operands.push_back(value.rank == 0 ? constant(t.dtype) : tileOf(t.dtype, shape));
    if (info.rule == Rule::Load)
      attrs.push_back(listAttr(AttrKey::Dims, shape));
    if ((info.rule == Rule::Load || info.rule == Rule::Store) && chance(40)) {
      std::vector<int64_t> axes;
      for (unsigned i = 0; i < t.rank; ++i)
        axes.push_back(i);
      std::shuffle(axes.begin(), axes.end(), random);
      axes.resize(writes ? value.rank : shape.size());
      attrs.push_back(listAttr(AttrKey::Axes, axes));
    }
    operands.push_back(view);
    for (unsigned i = 0; i < t.rank; ++i)
      operands.push_back(pointwise && chance(50) && !shape.empty() && (!writes || value.rank != 0)
                             ? tileOf(DType::I32, shape)
                             : index());
    if (pointwise && chance(50))
      operands.push_back(shape.empty() || chance(50) || (writes && value.rank == 0)
                             ? constant(DType::I1)
                             : tileOf(DType::I1, shape));
    if ((info.rule == Rule::Load || info.rule == Rule::Gather) && chance(50))
      attrs.push_back(number(AttrKey::Pad, t.dtype));
    std::shuffle(attrs.begin(), attrs.end(), random);
    add(info.opcode, operands, attrs);
  }
};

} // namespace tl::test
