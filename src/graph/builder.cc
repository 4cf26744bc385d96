#include "graph/builder.h"

#include "graph/binary.h"
#include "graph/fold_int.h"
#include "graph/infer.h"
#include "graph/requirement.h"
#include "graph/sequence.h"
#include "graph/text_names.h"

#include <algorithm>
#include <cassert>

namespace tl {

bool allowedInGrid(Opcode opcode) {
  switch (opcode) {
  case Opcode::Const:
  case Opcode::Extent:
  case Opcode::Cast:
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mul:
  case Opcode::Div:
  case Opcode::Rem:
  case Opcode::FloorDiv:
  case Opcode::FloorMod:
  case Opcode::CeilDiv:
  case Opcode::Min:
  case Opcode::Max:
    return true;
  default:
    return false;
  }
}

GraphBuilder::GraphBuilder() = default;

GraphBuilder::GraphBuilder(Graph finished) : graph(std::move(finished)) {}

static ErrorPtr atLocation(ErrorPtr error, const SourceLocation &where) {
  Diagnostic d;
  d.pass = "graph";
  d.location = where;
  d.text = error->message;
  error->diagnostics.push_back(std::move(d));
  if (where.line != 0)
    error->message =
        formatString("%s:%u: %s", where.file.c_str(), where.line, error->message.c_str());
  return error;
}

void GraphBuilder::report(ErrorPtr error) {
  if (firstError)
    return;
  if (!call.empty())
    error->message = std::string(call) + ": " + error->message;
  firstError = atLocation(std::move(error), location);
}

void GraphBuilder::setLocation(SourceLocation where) {
  location = std::move(where);
  locationId = graph.addLocation(location);
}

/// A sequence and its kernels stand in one text.
static ErrorPtr nameOfTwo(const std::string &name) {
  return makeError(TL_E_INVALID_GRAPH,
                   "'@%s' is defined already; a sequence and its kernels each have a name of their "
                   "own",
                   name.c_str());
}

void GraphBuilder::setKernel(std::string name) {
  if (!ok())
    return;
  if (!graph.kernel.name.empty())
    return report(
        makeError(TL_E_UNSUPPORTED, "a graph is one kernel; '%s' is the second", name.c_str()));
  if (!isIdentifier(name))
    return report(makeError(TL_E_INVALID_GRAPH, "a kernel's name must be an identifier, not '%s'",
                            name.c_str()));
  for (const auto &callee : graph.kernel.callees)
    if (callee->kernel.name == name)
      return report(nameOfTwo(name));
  graph.kernel.name = std::move(name);
}

/// A sequence that was given an option of kernels.
static ErrorPtr optionOfKernels(const char *option) {
  return makeError(TL_E_INVALID_GRAPH, "a sequence has no %s; its kernels have theirs", option);
}

static ErrorPtr regionInSequence() {
  return makeError(TL_E_INVALID_GRAPH, "a sequence has no regions: it runs from top to bottom");
}

void GraphBuilder::setSequence() {
  graph.kernel.isSequence = true;
  if (ok() && !graph.kernel.contract)
    return report(optionOfKernels("contract"));
  if (ok() && graph.kernel.threads)
    return report(optionOfKernels("threads"));
  if (ok() && !graph.kernel.grid.empty())
    return report(optionOfKernels("grid"));
  if (ok() && !open.empty())
    return report(regionInSequence());
  for (OpId id : graph.block(graph.kernel.body).ops)
    if (Status s = checkSequenceOp(graph, graph.ops[id]); ok() && !s.ok())
      return report(s.takeError());
}

uint32_t GraphBuilder::addCallee(std::shared_ptr<const Graph> kernel) {
  if (!ok())
    return 0;
  const std::string &name = kernel->kernel.name;
  if (kernel->kernel.isSequence) {
    report(makeError(TL_E_INVALID_GRAPH, "'%s' is a sequence; a sequence dispatches kernels only",
                     name.c_str()));
    return 0;
  }
  if (name == graph.kernel.name) {
    report(nameOfTwo(name));
    return 0;
  }
  std::vector<std::shared_ptr<const Graph>> &callees = graph.kernel.callees;
  for (size_t i = 0; i < callees.size(); ++i)
    if (callees[i]->kernel.name == name) {
      if (callees[i] == kernel || writeGraph(*callees[i]) == writeGraph(*kernel))
        return uint32_t(i + 1);
      report(makeError(TL_E_INVALID_GRAPH, "the sequence has another kernel named '%s'",
                       name.c_str()));
      return 0;
    }
  if (callees.size() == maxCallees) {
    report(makeError(TL_E_LIMIT, "a sequence dispatches at most %u different kernels", maxCallees));
    return 0;
  }
  setSequence();
  callees.push_back(std::move(kernel));
  return ok() ? uint32_t(callees.size()) : 0;
}

void GraphBuilder::setContract(bool allowed) {
  if (ok() && graph.kernel.isSequence && !allowed)
    return report(optionOfKernels("contract"));
  graph.kernel.contract = allowed;
}

void GraphBuilder::setThreads(int64_t threads) {
  if (ok() && (threads < 0 || threads > 1024 || threads % 32 != 0))
    return report(makeError(TL_E_INVALID_GRAPH,
                            "threads must be a multiple of 32 up to 1024, or 0, not %lld",
                            (long long)threads));
  if (ok() && graph.kernel.isSequence && threads)
    return report(optionOfKernels("threads"));
  graph.kernel.threads = threads;
}

BlockId GraphBuilder::currentBlock() const {
  if (inHead)
    return graph.kernel.head;
  return open.empty() ? graph.kernel.body : open.back().block;
}

/// Blocks only grow at their ends, so a value is visible where its block is open.
bool GraphBuilder::visible(ValueId v) const {
  if (v == 0 || v >= graph.values.size())
    return false;
  const Value &value = graph.values[v];
  if (value.kind != ValueKind::OpResult && value.kind != ValueKind::BlockArg)
    return true;
  BlockId block = value.kind == ValueKind::OpResult ? graph.ops[value.op].block : value.block;
  if (inHead || block == graph.kernel.head)
    return inHead && block == graph.kernel.head;
  if (block == graph.kernel.body)
    return true;
  return std::any_of(open.begin(), open.end(),
                     [&](const OpenRegion &r) { return r.block == block; });
}

/// Values that Dims attributes name must be visible like operands.
bool GraphBuilder::checkDims(Opcode opcode, std::span<const Attr> attrs) {
  for (const Attr &attr : attrs) {
    const AttrInfo *info = attrInfo(int32_t(attr.key));
    if (!info || info->kind != AttrKind::Dims)
      continue;
    for (int64_t entry : attr.list) {
      if (entry >= 0 || (entry >= -int64_t(UINT32_MAX) && visible(ValueId(-entry))))
        continue;
      report(makeError(TL_E_INVALID_GRAPH,
                       "%s: an extent must be a number, or a parameter or arithmetic on parameters "
                       "that is visible here",
                       opInfo(opcode).text.data()));
      return false;
    }
  }
  return true;
}

bool GraphBuilder::checkOperands(Opcode opcode, std::span<const ValueId> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (visible(operands[i]))
      continue;
    report(operands[i] == 0 || operands[i] >= graph.values.size()
               ? makeError(TL_E_INVALID_ARGUMENT, "%s: operand %zu is not a value of this graph",
                           opInfo(opcode).text.data(), i)
               : makeError(TL_E_INVALID_GRAPH,
                           "%s: operand %zu is not visible here; it belongs to a region that is "
                           "closed",
                           opInfo(opcode).text.data(), i));
    return false;
  }
  return true;
}

/// Equal attributes get one form: the order of ops.def, numbers of float types as doubles, nothing
/// in the fields that their kind leaves unused. `type` is the op's result type.
static std::vector<Attr> normalForm(const OpInfo &info, std::span<const Attr> attrs,
                                    const Type &type) {
  std::vector<Attr> normal;
  for (const AttrSpec &spec : info.attrs)
    for (const Attr &attr : attrs) {
      if (attr.key != spec.key)
        continue;
      if ((spec.kind == AttrKind::Round && attr.i == int64_t(Rounding::Nearest)) ||
          (spec.kind == AttrKind::Order && attr.i == int64_t(MemoryOrdering::Relaxed)) ||
          (spec.kind == AttrKind::Scope && attr.i == int64_t(MemoryScope::Device)))
        continue; // what is so without it
      Attr &out = normal.emplace_back();
      out.key = attr.key;
      if (spec.kind == AttrKind::Dims || spec.kind == AttrKind::Ints)
        out.list = attr.list;
      else if (spec.kind == AttrKind::Text)
        out.text = attr.text;
      else if (spec.kind != AttrKind::Number || !isFloat(type.dtype))
        out.i = attr.i;
      else {
        out.isFloat = true;
        out.f = attr.isFloat ? attr.f : double(attr.i);
      }
    }
  return normal;
}

ValueId GraphBuilder::op(Opcode opcode, std::span<const ValueId> operands,
                         std::span<const Attr> attrs) {
  if (!ok())
    return 0;
  if (!opcodeKnown(int32_t(opcode)) || opInfo(opcode).effect == Effect::Control) {
    report(opcodeKnown(int32_t(opcode))
               ? makeError(TL_E_INVALID_ARGUMENT,
                           "%s: regions are opened and closed (tl_graph_begin, tl_graph_end), not "
                           "added as operations",
                           opInfo(opcode).text.data())
               : makeError(TL_E_INVALID_ARGUMENT, "operation %d is unknown", int(opcode)));
    return 0;
  }
  if (!checkOperands(opcode, operands) || !checkDims(opcode, attrs))
    return 0;
  auto types = inferTypes(graph, opcode, operands, attrs);
  if (!types.ok()) {
    report(types.takeError());
    return 0;
  }
  std::vector<Attr> normal =
      normalForm(opInfo(opcode), attrs, types->empty() ? Type() : types->front());
  if (!open.empty() && hasCombineRegion(open.back().opcode) &&
      (!computesElements(opcode) || types->front().rank != 0)) {
    report(makeError(TL_E_INVALID_GRAPH, "%s: its region computes with scalars alone, not %s",
                     opInfo(open.back().opcode).text.data(),
                     signatureText(graph, opcode, operands).c_str()));
    return 0;
  }
  if (isSequenceOp(opcode) && (!graph.kernel.isSequence || inHead)) {
    report(makeError(TL_E_INVALID_GRAPH, "%s belongs to the body of a sequence",
                     opInfo(opcode).text.data()));
    return 0;
  }
  OpId id = graph.addOp(currentBlock(), opcode, operands, normal, *types, {}, locationId);
  if (graph.kernel.isSequence && !inHead)
    if (Status s = checkSequenceOp(graph, graph.ops[id]); !s.ok()) {
      report(s.takeError());
      return 0;
    }
  return types->empty() ? 0 : graph.result(graph.ops[id]);
}

std::vector<ValueId> GraphBuilder::resultsOf(ValueId first) const {
  if (first == 0)
    return {};
  auto results = graph.results(*graph.definingOp(first));
  return {results.begin(), results.end()};
}

/// How many arguments a region would have, of an operation that may be wrong.
static size_t regionArgumentCount(Opcode opcode, size_t operands) {
  if (!opcodeKnown(int32_t(opcode)))
    return 0;
  if (hasCombineRegion(opcode))
    return 2 * operands;
  if (!isLoop(opcode) || operands < firstCarried(opcode))
    return 0;
  return operands - firstCarried(opcode) + carriedArgumentsAt(opcode);
}

std::vector<ValueId> GraphBuilder::begin(Opcode opcode, std::span<const ValueId> operands,
                                         std::span<const Attr> attrs) {
  size_t argCount = regionArgumentCount(opcode, operands.size());
  if (ok() && open.size() >= maxRegionDepth)
    report(makeError(TL_E_LIMIT, "regions nest at most %u deep", maxRegionDepth));
  if (ok() && inHead)
    report(makeError(TL_E_INVALID_GRAPH, "a grid expression has no regions"));
  if (ok() && graph.kernel.isSequence)
    report(regionInSequence());
  if (ok() && (!opcodeKnown(int32_t(opcode)) || regionCount(opcode) == 0))
    report(opcodeKnown(int32_t(opcode))
               ? makeError(TL_E_INVALID_ARGUMENT, "%s has no regions", opInfo(opcode).text.data())
               : makeError(TL_E_INVALID_ARGUMENT, "operation %d is unknown", int(opcode)));
  if (ok() && !open.empty() && hasCombineRegion(open.back().opcode))
    report(makeError(TL_E_INVALID_GRAPH, "%s: its region computes with scalars alone, not %s",
                     opInfo(open.back().opcode).text.data(), opInfo(opcode).text.data()));
  OpenRegion region;
  region.opcode = opcode;
  if (ok() && checkOperands(opcode, operands)) {
    auto types = inferTypes(graph, opcode, operands, attrs);
    if (!types.ok())
      report(types.takeError());
    else
      region.types = std::move(*types);
  }
  if (!ok()) {
    open.push_back(std::move(region));
    return std::vector<ValueId>(argCount, 0);
  }
  region.operands.assign(operands.begin(), operands.end());
  region.attrs.assign(attrs.begin(), attrs.end());
  region.location = locationId;
  region.block = graph.addBlock(0);
  for (const Type &t : regionArguments(graph, opcode, operands, region.types))
    graph.addBlockArg(region.block, t);
  open.push_back(std::move(region));
  return graph.block(open.back().block).args;
}

bool GraphBuilder::checkYields(const OpenRegion &region, std::span<const ValueId> yields) {
  if (!checkOperands(Opcode::Yield, yields))
    return false;
  bool free = region.opcode == Opcode::If && region.index == 0;
  for (ValueId v : yields)
    if (!graph.typeOf(v).isTile()) {
      report(makeError(TL_E_INVALID_GRAPH, "%s: only tiles can be yielded, not %s",
                       opInfo(region.opcode).text.data(), graph.typeOf(v).text().c_str()));
      return false;
    }
  if (free)
    return true;
  std::vector<Type> wanted = regionYields(region.opcode, region.types);
  bool same = yields.size() == wanted.size();
  for (size_t i = 0; same && i < yields.size(); ++i)
    same = graph.typeOf(yields[i]) == wanted[i];
  if (same)
    return true;
  std::string want, got;
  for (const Type &t : wanted)
    want += (want.empty() ? "" : ", ") + t.text();
  for (ValueId v : yields)
    got += (got.empty() ? "" : ", ") + graph.typeOf(v).text();
  report(makeError(TL_E_INVALID_GRAPH, "%s: the region must yield (%s), not (%s)",
                   opInfo(region.opcode).text.data(), want.c_str(), got.c_str()));
  return false;
}

std::vector<ValueId> GraphBuilder::closeOp(OpenRegion region) {
  OpId id = graph.addOp(currentBlock(), region.opcode, region.operands, region.attrs, region.types,
                        region.finished, region.location);
  auto results = graph.results(graph.ops[id]);
  return {results.begin(), results.end()};
}

std::vector<ValueId> GraphBuilder::end(std::span<const ValueId> yields, bool *done) {
  if (done)
    *done = true;
  if (open.empty()) {
    report(makeError(TL_E_INVALID_GRAPH, "there is no open region to end"));
    return {};
  }
  if (ok())
    checkYields(open.back(), yields);
  OpenRegion region = std::move(open.back());
  open.pop_back();
  bool another = region.opcode == Opcode::If && region.index == 0;
  if (ok()) {
    graph.addOp(region.block, Opcode::Yield, yields, {}, {}, {}, locationId);
    region.finished.push_back(region.block);
  }
  if (another) {
    if (done)
      *done = false;
    region.index = 1;
    if (ok()) {
      for (ValueId v : yields)
        region.types.push_back(graph.typeOf(v));
      region.block = graph.addBlock(0);
    }
    open.push_back(std::move(region));
    return {};
  }
  if (!ok())
    return std::vector<ValueId>(region.types.size(), 0);
  return closeOp(std::move(region));
}

std::vector<ValueId> GraphBuilder::copyToHead(std::span<const ValueId> values, const char *what) {
  // Reachable ops, found with a worklist; copied in the order of their ids, which is an order of
  // dependence.
  std::vector<OpId> needed;
  std::vector<bool> seen(graph.ops.size(), false);
  std::vector<ValueId> work(values.begin(), values.end());
  while (!work.empty()) {
    ValueId v = work.back();
    work.pop_back();
    if (v == 0 || v >= graph.values.size() || graph.values[v].kind == ValueKind::BlockArg) {
      report(
          makeError(TL_E_INVALID_GRAPH, "%s must be computed from arguments and parameters", what));
      return {};
    }
    if (graph.values[v].kind != ValueKind::OpResult || seen[graph.values[v].op])
      continue;
    OpId id = graph.values[v].op;
    seen[id] = true;
    if (opInfo(graph.ops[id].opcode).effect != Effect::Pure) {
      report(makeError(TL_E_INVALID_GRAPH,
                       "%s must be computed from arguments and parameters, not by %s", what,
                       opInfo(graph.ops[id].opcode).text.data()));
      return {};
    }
    needed.push_back(id);
    for (ValueId operand : graph.operands(graph.ops[id]))
      work.push_back(operand);
  }
  std::sort(needed.begin(), needed.end());
  std::vector<std::pair<ValueId, ValueId>> map;
  auto lookup = [&](ValueId v) {
    auto it = std::lower_bound(map.begin(), map.end(), std::pair<ValueId, ValueId>(v, 0));
    return it != map.end() && it->first == v ? it->second : v;
  };
  for (OpId id : needed) {
    const Op op = graph.ops[id];
    std::vector<ValueId> operands;
    for (ValueId v : graph.operands(op))
      operands.push_back(lookup(v));
    std::vector<Type> types;
    for (ValueId r : graph.results(op))
      types.push_back(graph.typeOf(r));
    OpId copy = graph.addOp(graph.kernel.head, op.opcode, operands, graph.attrs(op), types, {},
                            op.location);
    map.emplace_back(graph.result(op), graph.result(graph.ops[copy]));
  }
  std::vector<ValueId> copies;
  for (ValueId v : values)
    copies.push_back(lookup(v));
  return copies;
}

void GraphBuilder::setGrid(std::span<const ValueId> values) {
  if (ok())
    setHeadGrid(copyToHead(values, "the grid"));
}

void GraphBuilder::addRequirement(ValueId condition) {
  if (!ok())
    return;
  auto copies = copyToHead(std::span(&condition, 1), "a requirement");
  if (ok())
    addHeadRequirement(copies[0]);
}

void GraphBuilder::buildHead(bool on) { inHead = on; }

void GraphBuilder::setHeadGrid(std::span<const ValueId> values) {
  if (!ok() || (values.empty() && graph.kernel.isSequence))
    return;
  if (graph.kernel.isSequence)
    return report(optionOfKernels("grid"));
  if (values.empty() || values.size() > 3)
    return report(makeError(TL_E_INVALID_GRAPH, "a grid has 1 to 3 axes, not %zu", values.size()));
  if (!graph.kernel.grid.empty())
    return report(makeError(TL_E_INVALID_GRAPH, "the grid is set already"));
  for (ValueId v : values)
    if (v == 0 || v >= graph.values.size() || !graph.typeOf(v).isIndex())
      return report(makeError(TL_E_INVALID_GRAPH, "a grid expression must be a scalar i32 or i64"));
  graph.kernel.grid.assign(values.begin(), values.end());
}

void GraphBuilder::addHeadRequirement(ValueId condition) {
  if (!ok())
    return;
  if (condition == 0 || condition >= graph.values.size() ||
      graph.typeOf(condition) != Type::scalar(DType::I1) || !graph.constantInt(condition))
    return report(makeError(TL_E_INVALID_GRAPH,
                            "a requirement must be a scalar i1 computed from parameters"));
  graph.kernel.requires_.push_back(condition);
}

void GraphBuilder::setName(ValueId v, std::string name) {
  if (ok() && v != 0)
    graph.setName(v, std::move(name));
}

/// The head's ops for the grid must be expressions that a launch can evaluate.
Status GraphBuilder::checkHead() const {
  std::vector<ValueId> work = graph.kernel.grid;
  std::vector<bool> seen(graph.values.size(), false);
  while (!work.empty()) {
    ValueId v = work.back();
    work.pop_back();
    if (seen[v] || graph.constantInt(v))
      continue;
    seen[v] = true;
    const Op *op = graph.definingOp(v);
    if (!op)
      continue;
    TL_TRY(checkLaunchArithmetic(graph, *op, "the grid"));
    if (op->opcode == Opcode::Extent)
      continue;
    for (ValueId operand : graph.operands(*op))
      work.push_back(operand);
  }
  return {};
}

Status GraphBuilder::checkWhole() const {
  if (!open.empty()) {
    const OpenRegion &last = open.back();
    return atLocation(makeError(TL_E_INVALID_GRAPH, "the region of %s is left open%s",
                                opInfo(last.opcode).text.data(),
                                open.size() == 1 ? "" : ", and others around it"),
                      graph.locations[last.location]);
  }
  const Kernel &kernel = graph.kernel;
  if (kernel.name.empty())
    return makeError(TL_E_INVALID_GRAPH,
                     "the graph has no kernel: tl_graph_kernel gives it a name");
  const std::vector<OpId> &body = graph.block(kernel.body).ops;
  if (kernel.isSequence && std::none_of(body.begin(), body.end(), [&](OpId id) {
        return graph.ops[id].opcode == Opcode::Dispatch;
      }))
    return makeError(TL_E_INVALID_GRAPH, "sequence '%s' dispatches nothing", kernel.name.c_str());
  if (!kernel.isSequence && kernel.grid.empty())
    return makeError(TL_E_INVALID_GRAPH, "kernel '%s' has no grid", kernel.name.c_str());
  TL_TRY(checkHead());
  TL_TRY(checkDimensions());
  for (ValueId condition : kernel.requires_)
    if (graph.constantInt(condition) != 1)
      return requirementFailure(graph, condition, "");
  return {};
}

Result<Graph> GraphBuilder::finish() && {
  if (!ok())
    return std::move(firstError);
  TL_TRY(checkWhole());
  return std::move(graph);
}

Result<Graph> GraphBuilder::snapshot() const {
  if (!ok())
    return std::make_unique<Error>(*firstError);
  TL_TRY(checkWhole());
  return graph;
}

} // namespace tl
