#include "differential/coverage.h"

#include "graph/element_map.h"

#include <algorithm>

namespace tl::test {

/// Without elements of 4 and 6 bits and the scale of e8m0, which tests/run/test_composites.py has.
static constexpr DType allTypes[] = {
    DType::I1,  DType::I8,       DType::U8,     DType::I16,        DType::U16,       DType::I32,
    DType::U32, DType::I64,      DType::U64,    DType::F16,        DType::BF16,      DType::F32,
    DType::F64, DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};

std::string Feature::text() const {
  static const char *rankNames[] = {"scalar", "rank 1-2", "rank 3-5"};
  std::string s(opInfo(opcode).text);
  if (opcode == Opcode::Cmp)
    s += " " + std::string(predText(Pred(detail)));
  if (opcode == Opcode::Reduce || opInfo(opcode).rule == Rule::Scan)
    s += " " + std::string(reduceText(ReduceKind(detail)));
  if (opcode == Opcode::Cast || opcode == Opcode::Bitcast || opcode == Opcode::Dot)
    s += " " + std::string(dtypeText(DType(detail)));
  return s + " " + std::string(dtypeText(dtype)) + " " + rankNames[ranks];
}

/// Element types that the first operand (for scatter and the like: the value) may have.
static bool allowed(const OpInfo &info, DType type) {
  OperandClass cls = info.operands.empty() ? OperandClass::Any : info.operands[0].cls;
  if (info.rule == Rule::Iota)
    cls = OperandClass::Int;
  if (info.rule == Rule::Sort || info.opcode == Opcode::AtomicLoad)
    cls = OperandClass::Num; // of what is compared, or read
  switch (cls) {
  case OperandClass::Num:
    return !isBool(type) && !isNarrowFloat(type);
  case OperandClass::Int:
    return isInteger(type);
  case OperandClass::Float:
    return isWideFloat(type);
  case OperandClass::Real:
    return isFloat(type);
  case OperandClass::Bits:
    return !isFloat(type);
  case OperandClass::U64:
    return type == DType::U64;
  default:
    return true;
  }
}

static void addDetails(const OpInfo &info, DType type, uint8_t ranks, std::vector<Feature> &list) {
  auto add = [&](int32_t detail) { list.push_back({info.opcode, type, detail, ranks}); };
  if (info.rule == Rule::Compare)
    for (int pred = 1; predKnown(pred); ++pred) {
      if (isFloat(type) || !isFloatPred(Pred(pred)))
        add(pred);
    }
  else if (info.rule == Rule::Bitcast)
    for (DType from : allTypes) {
      if (!isBool(from) && dtypeBits(from) == dtypeBits(type))
        add(int32_t(from));
    }
  else if (info.rule == Rule::Reduce || info.rule == Rule::Scan)
    for (int kind = 1; reduceKnown(kind); ++kind) {
      if (!isNarrowFloat(type) && reduceTakes(ReduceKind(kind), isFloat(type), isBool(type)))
        add(kind);
    }
  else if (info.rule == Rule::Cast)
    for (DType from : allTypes)
      add(int32_t(from));
  else
    add(0);
}

std::vector<Feature> allFeatures() {
  std::vector<Feature> list;
  for (const OpInfo &info : allOps()) {
    // Addresses in memory are no input of these graphs: tests/api/pointers.c has those; what is
    // printed is no memory: tests/api/device_log.c; what is short for other operations is written
    // with them: tests/run/test_composites.py; and shared memory is tested by kernels of its own:
    // tests/run/test_shared.py.
    if (info.rule == Rule::Yield || info.rule == Rule::Pointer || isSequenceOp(info.opcode) ||
        writesLog(info.opcode) || isScheduled(info.opcode) || isComposite(info.opcode) ||
        info.group == "Shared")
      continue;
    if (info.rule == Rule::Exit) {
      list.push_back({info.opcode, DType::I1, 0, 0});
      continue;
    }
    if (info.rule == Rule::ProgramIndex || info.rule == Rule::Extent) {
      list.push_back({info.opcode, DType::I64, 0, 0});
      continue;
    }
    if (info.rule == Rule::Dot) {
      for (DType type : {DType::F16, DType::BF16, DType::F32, DType::F64})
        list.push_back({info.opcode, type, int32_t(type), 1});
      for (DType a : allTypes)
        for (DType b : allTypes)
          if (isNarrowFloat(a) && isNarrowFloat(b))
            list.push_back({info.opcode, a, int32_t(b), 1});
      for (DType a : {DType::I8, DType::U8})
        for (DType b : {DType::I8, DType::U8})
          list.push_back({info.opcode, a, int32_t(b), 1});
      continue;
    }
    bool shaped = info.rule == Rule::Iota || combinesAlongAxis(info.opcode) ||
                  info.rule == Rule::ExpandDims || info.rule == Rule::Slice ||
                  info.rule == Rule::Flip || info.rule == Rule::Take || info.rule == Rule::Sort ||
                  info.rule == Rule::TopK || joinsOperands(info.opcode) ||
                  info.rule == Rule::MakeView || info.rule == Rule::Address;
    bool rankless = info.rule == Rule::Const || info.rule == Rule::ByteOffset;
    for (DType type : allTypes)
      for (uint8_t ranks = shaped ? 1 : 0; ranks <= (rankless ? 0 : 2); ++ranks)
        if (allowed(info, type) && !(info.rule == Rule::Bitcast && isBool(type)))
          addDetails(info, type, ranks, list);
  }
  return list;
}

/// Of the value whose type and rank name an op.
static const Type &namingType(const Graph &g, const Op &op) {
  switch (opInfo(op.opcode).rule) {
  case Rule::Compare:
  case Rule::Classify:
  case Rule::Reduce:
  case Rule::ArgReduce:
  case Rule::ReduceWith:
  case Rule::ScanWith:
  case Rule::Store:
  case Rule::Scatter:
  case Rule::Dot:
  case Rule::Address:
  case Rule::Exit:
  case Rule::Histogram:
    return g.typeOf(g.operand(op, 0));
  case Rule::Atomic:
    return g.typeOf(op.results.count ? g.result(op) : g.operand(op, 0));
  default:
    return g.typeOf(g.result(op));
  }
}

static void addFeatures(const Graph &g, const Op &op, std::vector<Feature> &list) {
  Rule rule = opInfo(op.opcode).rule;
  if (rule == Rule::Yield)
    return;
  if (isLoop(op.opcode) || rule == Rule::If) {
    for (ValueId v : g.results(op))
      list.push_back({op.opcode, g.typeOf(v).dtype, 0, rankClass(g.typeOf(v).rank)});
    return;
  }
  const Type &type = namingType(g, op);
  Feature f{op.opcode, type.dtype, 0, rankClass(type.rank)};
  if (rule == Rule::Compare) {
    f.detail = int32_t(g.intAttr(op, AttrKey::Pred));
    f.ranks = rankClass(g.typeOf(g.result(op)).rank); // one operand may be a scalar
  } else if (rule == Rule::Reduce || rule == Rule::Scan)
    f.detail = int32_t(g.intAttr(op, AttrKey::Kind));
  else if (rule == Rule::Cast || rule == Rule::Bitcast)
    f.detail = int32_t(g.typeOf(g.operand(op, 0)).dtype);
  else if (rule == Rule::Dot)
    f.detail = int32_t(g.typeOf(g.operand(op, 1)).dtype);
  else if (rule == Rule::Select)
    f.dtype = g.typeOf(g.operand(op, 1)).dtype;
  else if (rule == Rule::Scatter ||
           op.opcode == Opcode::AtomicStore) // the elements' shape may come from the indices
    for (ValueId v : g.operands(op))
      if (g.typeOf(v).isTile())
        f.ranks = std::max(f.ranks, rankClass(g.typeOf(v).rank));
  list.push_back(f);
}

static void walk(const Graph &g, BlockId block, std::vector<Feature> &list) {
  for (OpId id : g.block(block).ops) {
    addFeatures(g, g.ops[id], list);
    for (BlockId region : g.regions(g.ops[id]))
      walk(g, region, list);
  }
}

std::vector<Feature> featuresOf(const Graph &graph) {
  std::vector<Feature> list;
  walk(graph, graph.kernel.body, list);
  return list;
}

void Coverage::add(const Graph &graph, const Traits &traits) {
  for (const Feature &f : featuresOf(graph))
    ++counts[f];
  graphs.push_back(traits);
}

std::vector<Feature> Coverage::missing(unsigned times) const {
  std::vector<Feature> list;
  for (const Feature &f : allFeatures()) {
    auto it = counts.find(f);
    if (it == counts.end() || it->second < times)
      list.push_back(f);
  }
  return list;
}

double Coverage::share(bool Traits::*trait) const {
  if (graphs.empty())
    return 0;
  auto n = std::count_if(graphs.begin(), graphs.end(), [&](const Traits &t) { return t.*trait; });
  return double(n) / double(graphs.size());
}

std::string Coverage::text() const {
  std::map<Opcode, std::pair<unsigned, unsigned>> perOp; // operations, least of its features
  for (const Feature &f : allFeatures()) {
    auto it = counts.find(f);
    unsigned n = it == counts.end() ? 0 : it->second;
    auto [slot, fresh] = perOp.try_emplace(f.opcode, 0, n);
    slot->second.first += n;
    slot->second.second = std::min(slot->second.second, n);
  }
  std::string s = formatString("%zu graphs, %zu features\n", graphs.size(), allFeatures().size());
  s += "operation: times in all, least of any type and rank class\n";
  for (const auto &[opcode, n] : perOp)
    s += formatString("  %-12s %7u %4u\n", opInfo(opcode).text.data(), n.first, n.second);
  const std::pair<const char *, bool Traits::*> rows[] = {
      {"control flow", &Traits::control},       {"cross-lane", &Traits::crossLane},
      {"loaded bounds", &Traits::memoryBounds}, {"overlapping arguments", &Traits::overlap},
      {"in place", &Traits::inPlace},           {"NaN or infinity in", &Traits::specials},
      {"padded loads", &Traits::padding},       {"contraction on", &Traits::contract},
      {"strided views", &Traits::strided}};
  for (auto [name, trait] : rows)
    s += formatString("  %-22s %5.1f %%\n", name, 100 * share(trait));
  return s;
}

} // namespace tl::test
