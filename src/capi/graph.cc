#include "capi/handles.h"
#include "graph/binary.h"
#include "graph/canonical.h"
#include "graph/text.h"
#include "graph/verify.h"

#include <algorithm>
#include <map>

using namespace tl;

namespace {

tl_status builderStatus(const tl_graph *graph) {
  return graph->builder.ok() ? TL_OK : graph->builder.error()->status;
}

/// For building calls: runs the body; the status is the graph's. Mistakes are named after
/// `function` (those in operations after the operation: "").
template <class Body>
tl_status building(tl_graph *graph, std::string_view function, Body &&body) noexcept {
  if (!graph)
    return TL_E_INVALID_ARGUMENT;
  tl_status status = guarded(nullptr, [&]() -> Status {
    (void)graph->whole();
    graph->builder.setCall(function);
    body(graph->builder);
    return {};
  });
  graph->exhausted |= status == TL_E_OUT_OF_MEMORY;
  return status != TL_OK ? status : builderStatus(graph);
}

void give(std::span<const ValueId> from, tl_value *to, size_t n) {
  for (size_t i = 0; to && i < n; ++i)
    to[i] = i < from.size() ? from[i] : 0;
}

/// Records a mistake in a call, named after its operation or function, at the caller's place.
void reportIn(GraphBuilder &builder, std::string_view what, ErrorPtr error) {
  error->message = std::string(what) + ": " + error->message;
  builder.report(std::move(error));
}

/// What mistakes in a call with this number for its operation are named after.
std::string_view operationName(int32_t opcode, const char *function) {
  return opcodeKnown(opcode) ? opInfo(Opcode(opcode)).text : function;
}

/// What passes write is unknown to callers.
Opcode authorsOp(int32_t opcode) {
  return opcodeKnown(opcode) && isScheduled(Opcode(opcode)) ? Opcode::Invalid : Opcode(opcode);
}

/// A C attribute as one of the graph's.
Result<Attr> attribute(const tl_attr &in) {
  const AttrInfo *info = attrInfo(in.key);
  if (!info)
    return makeError(TL_E_INVALID_ARGUMENT, "attribute key %d is unknown", in.key);
  for (uint64_t r : in.reserved)
    if (r)
      return makeError(TL_E_UNSUPPORTED, "a reserved member of an attribute is set");
  bool wantsList = info->kind == AttrKind::Dims || info->kind == AttrKind::Ints;
  bool wantsNumber = info->kind == AttrKind::Number;
  bool fits = info->kind == AttrKind::Text    ? in.kind == TL_ATTR_KIND_TEXT
              : wantsList                     ? in.kind == TL_ATTR_KIND_INTS
              : in.kind == TL_ATTR_KIND_FLOAT ? wantsNumber
                                              : in.kind == TL_ATTR_KIND_INT;
  if (!fits)
    return makeError(TL_E_INVALID_ARGUMENT,
                     "attribute '%s' is given as kind %d, which does not fit it", info->text.data(),
                     in.kind);
  Attr out;
  out.key = info->key;
  if (in.kind == TL_ATTR_KIND_FLOAT) {
    out.isFloat = true;
    out.f = in.f;
  } else if (in.kind == TL_ATTR_KIND_INT) {
    bool known = info->kind == AttrKind::DType  ? in.i == int32_t(in.i) && dtypeKnown(int32_t(in.i))
                 : info->kind == AttrKind::Pred ? predKnown(in.i)
                 : info->kind == AttrKind::Reduce ? reduceKnown(in.i)
                 : info->kind == AttrKind::Round  ? roundingKnown(in.i)
                 : info->kind == AttrKind::Order  ? orderKnown(in.i)
                 : info->kind == AttrKind::Scope  ? scopeKnown(in.i)
                 : info->kind == AttrKind::Flag   ? in.i == 1
                                                  : true;
    if (!known)
      return makeError(TL_E_INVALID_ARGUMENT, "attribute '%s' has no value %lld", info->text.data(),
                       (long long)in.i);
    out.i = in.i;
  } else if (in.kind == TL_ATTR_KIND_TEXT) {
    if (!in.data || in.count > maxMessageBytes)
      return makeError(TL_E_INVALID_ARGUMENT, "attribute '%s' is NULL or of over %zu bytes",
                       info->text.data(), maxMessageBytes);
    out.text.assign(static_cast<const char *>(in.data), size_t(in.count));
  } else {
    if (in.count > 256 || (in.count && !in.data))
      return makeError(TL_E_INVALID_ARGUMENT,
                       "attribute '%s' has a list without data or of over 256 entries",
                       info->text.data());
    auto *list = static_cast<const int64_t *>(in.data);
    out.list.assign(list, list + in.count);
    // Negative entries of Dims name values; a fresh graph has none with that number, which
    // inference reports.
    for (int64_t &entry : out.list)
      if (info->kind == AttrKind::Dims && entry < -int64_t(UINT32_MAX))
        return makeError(TL_E_INVALID_ARGUMENT, "%lld is neither an extent nor TL_DIM of a value",
                         (long long)entry);
  }
  return out;
}

/// Attributes of a call, `what`; on failure the builder carries the error.
std::vector<Attr> attributes(GraphBuilder &builder, std::string_view what, const tl_attr *attrs,
                             size_t n) {
  std::vector<Attr> list;
  for (size_t i = 0; i < n && builder.ok(); ++i) {
    auto a = attribute(attrs[i]);
    if (a.ok())
      list.push_back(std::move(*a));
    else
      reportIn(builder, what, a.takeError());
  }
  return list;
}

bool listsFit(GraphBuilder &builder, std::string_view what, const void *operands, size_t n,
              const void *attrs, size_t nAttrs) {
  constexpr size_t limit = 1 << 16;
  if ((n && !operands) || (nAttrs && !attrs) || n > limit || nAttrs > limit)
    reportIn(
        builder, what,
        makeError(TL_E_INVALID_ARGUMENT, "a list of operands or attributes is NULL or too long"));
  return builder.ok();
}

ViewDim viewDim(int64_t entry) {
  if (entry == TL_DYNAMIC)
    return {ViewDim::Kind::Dynamic, 0, 0};
  if (entry < 0 && entry >= -int64_t(UINT32_MAX))
    return {ViewDim::Kind::Value, 0, ValueId(-entry)};
  return {ViewDim::Kind::Literal, entry, 0};
}

ValueId addArgument(GraphBuilder &builder, const tl_argument &in) {
  auto bad = [&](const char *what) {
    builder.report(makeError(TL_E_INVALID_ARGUMENT, "'%s': %s", in.name ? in.name : "", what));
    return 0;
  };
  if (!in.name)
    return bad("the name is NULL");
  if (in.kind < TL_TYPE_TILE || in.kind > TL_TYPE_POINTER || !dtypeKnown(in.dtype))
    return bad("the kind or the element type is unknown");
  if (in.rank > TL_MAX_VIEW_RANK || (in.rank && !in.extents))
    return bad("the rank is over 8, or extents are NULL");
  if (in.flags & ~uint32_t(TL_ARGUMENT_OPTIONAL | TL_ARGUMENT_DISTINCT | TL_ARGUMENT_HAS_DEFAULT))
    return bad("a flag is unknown");
  if (in.generator < TL_GENERATOR_NONE || in.generator > TL_GENERATOR_CONST)
    return bad("the generator is unknown");
  if (in.reserved) {
    builder.report(makeError(TL_E_UNSUPPORTED, "'%s': a reserved member is set", in.name));
    return 0;
  }
  if ((in.low_value || in.high_value) && in.generator != TL_GENERATOR_UNIFORM &&
      (in.high_value || in.generator != TL_GENERATOR_CONST))
    return bad("this generator does not take the bound that is given");
  Argument arg;
  arg.name = in.name;
  for (uint32_t i = 0; i < in.rank; ++i) {
    arg.extents.push_back(viewDim(in.extents[i]));
    if (in.strides)
      arg.strides.push_back(viewDim(in.strides[i]));
  }
  for (const std::vector<ViewDim> *dims : {&arg.extents, &arg.strides})
    for (const ViewDim &dim : *dims)
      if (dim.kind == ViewDim::Kind::Value && dim.value >= builder.current().values.size())
        return bad("an extent or stride names a value that does not exist (a negative one cannot "
                   "be given)");
  arg.optional = in.flags & TL_ARGUMENT_OPTIONAL;
  arg.distinct = in.flags & TL_ARGUMENT_DISTINCT;
  arg.hasDefault = in.flags & TL_ARGUMENT_HAS_DEFAULT;
  arg.defaultInt = in.default_int;
  arg.defaultFloat = in.default_float;
  arg.generator.kind = GeneratorKind(in.generator);
  arg.generator.low = in.low;
  arg.generator.high = in.high;
  InputGenerator generator = arg.generator;
  generator.lowValue = in.low_value;
  generator.highValue = in.high_value;
  size_t index = builder.current().kernel.args.size();
  ValueId value = builder.addArgument(std::move(arg), TypeKind(in.kind), DType(in.dtype));
  if (value && (in.low_value || in.high_value))
    builder.setGenerator(index, generator);
  return builder.ok() ? value : 0;
}

/// What is printed of a parsed text has one member of each name. (The last member is the graph
/// itself.)
Status checkMemberName(const tl_graph &graph, const Graph &kernel) {
  const auto &members = graph.module.members;
  for (size_t i = 0; i + 1 < members.size(); ++i)
    if (members[i]->kernel.name == kernel.kernel.name &&
        writeGraph(*members[i]) != writeGraph(kernel))
      return makeError(TL_E_INVALID_GRAPH,
                       "the text that the graph comes from has another member "
                       "named '%s'",
                       kernel.kernel.name.c_str());
  return {};
}

} // namespace

tl_status tl_graph_create(tl_graph **graph) {
  if (!graph)
    return TL_E_INVALID_ARGUMENT;
  *graph = nullptr;
  return guarded(nullptr, [&]() -> Status {
    *graph = new tl_graph;
    return {};
  });
}

void tl_graph_destroy(tl_graph *graph) { delete graph; }

tl_status tl_graph_kernel(tl_graph *graph, const char *name) {
  return building(graph, "tl_graph_kernel", [&](GraphBuilder &b) {
    if (name)
      b.setKernel(name);
    else
      b.report(nullArgument("name"));
  });
}

tl_status tl_graph_option(tl_graph *graph, tl_graph_option_key key, int64_t value) {
  return building(graph, "tl_graph_option", [&](GraphBuilder &b) {
    if (key == TL_GRAPH_CONTRACT && (value == 0 || value == 1))
      b.setContract(value == 1);
    else if (key == TL_GRAPH_THREADS)
      b.setThreads(value);
    else
      b.report(makeError(TL_E_INVALID_ARGUMENT, "option %d cannot be set to %lld", key,
                         (long long)value));
  });
}

tl_value tl_graph_argument(tl_graph *graph, const tl_argument *argument) {
  tl_value value = 0;
  building(graph, "tl_graph_argument", [&](GraphBuilder &b) {
    if (!argument)
      return b.report(nullArgument("argument"));
    auto options = readOptions(argument, "tl_argument");
    if (!options.ok())
      return b.report(options.takeError());
    value = addArgument(b, *options);
  });
  return value;
}

tl_value tl_graph_param(tl_graph *graph, const char *name, int64_t default_value,
                        const int64_t *choices, size_t n) {
  tl_value value = 0;
  building(graph, "tl_graph_param", [&](GraphBuilder &b) {
    if (!name || (n && !choices) || n > (1 << 16))
      return b.report(makeError(TL_E_INVALID_ARGUMENT, "the name or the choices are NULL"));
    value = b.addParam(name, default_value, std::vector<int64_t>(choices, choices + n));
  });
  return value;
}

tl_status tl_graph_require(tl_graph *graph, tl_value condition) {
  return building(graph, "tl_graph_require", [&](GraphBuilder &b) { b.addRequirement(condition); });
}

int32_t tl_graph_callee(tl_graph *graph, const tl_graph *kernel) {
  uint32_t number = 0;
  building(graph, "tl_graph_callee", [&](GraphBuilder &b) {
    if (!kernel)
      return b.report(nullArgument("kernel"));
    auto whole = kernel->whole().snapshot();
    if (!whole.ok())
      return b.report(whole.takeError());
    if (Status free = checkMemberName(*graph, *whole); !free.ok())
      return b.report(free.takeError());
    number = b.addCallee(std::make_shared<const Graph>(std::move(*whole)));
  });
  return int32_t(number);
}

tl_status tl_graph_grid(tl_graph *graph, const tl_value *axes, size_t n) {
  return building(graph, "tl_graph_grid", [&](GraphBuilder &b) {
    if (n > 3 || (n && !axes))
      return b.report(makeError(TL_E_INVALID_ARGUMENT, "a grid has 1 to 3 axes"));
    b.setGrid(std::span(axes, n));
  });
}

// Results may be written over the operands or yields they come from: they are given last.

tl_status tl_graph_op(tl_graph *graph, int32_t opcode, const tl_value *operands, size_t n_operands,
                      const tl_attr *attrs, size_t n_attrs, tl_value *results, size_t n_results) {
  std::vector<ValueId> given;
  tl_status status = building(graph, "", [&](GraphBuilder &b) {
    std::string_view what = operationName(opcode, "tl_graph_op");
    if (!listsFit(b, what, operands, n_operands, attrs, n_attrs))
      return;
    std::vector<Attr> list = attributes(b, what, attrs, n_attrs);
    given = b.resultsOf(b.op(authorsOp(opcode), std::span(operands, n_operands), list));
  });
  give(given, results, n_results);
  return status;
}

tl_status tl_graph_begin(tl_graph *graph, int32_t opcode, const tl_value *operands,
                         size_t n_operands, const tl_attr *attrs, size_t n_attrs, tl_value *args,
                         size_t n_args) {
  std::vector<ValueId> given;
  tl_status status = building(graph, "", [&](GraphBuilder &b) {
    std::vector<Attr> list;
    std::string_view what = operationName(opcode, "tl_graph_begin");
    if (listsFit(b, what, operands, n_operands, attrs, n_attrs))
      list = attributes(b, what, attrs, n_attrs);
    else
      n_operands = 0;
    given = b.begin(Opcode(opcode), std::span(operands, n_operands), list);
  });
  give(given, args, n_args);
  return status;
}

tl_status tl_graph_end(tl_graph *graph, const tl_value *yields, size_t n_yields, tl_value *results,
                       size_t n_results) {
  std::vector<ValueId> given;
  tl_status status = building(graph, "", [&](GraphBuilder &b) {
    if (b.depth() == 0)
      b.setCall("tl_graph_end");
    if (!listsFit(b, "tl_graph_end", yields, n_yields, nullptr, 0))
      n_yields = 0;
    given = b.end(std::span(yields, n_yields));
  });
  give(given, results, n_results);
  return status;
}

void tl_graph_location(tl_graph *graph, const char *file, uint32_t line) {
  (void)building(graph, "", [&](GraphBuilder &b) {
    b.setLocation({file && *file ? file : "<unknown>", line, 0});
  });
}

void tl_graph_name(tl_graph *graph, tl_value value, const char *name) {
  (void)building(graph, "", [&](GraphBuilder &b) {
    if (name && value < b.current().values.size())
      b.setName(value, name);
  });
}

tl_status tl_graph_type(const tl_graph *graph, tl_value value, tl_type *type) {
  return guarded(nullptr, [&]() -> Status {
    if (!graph || value == 0 || value >= graph->whole().current().values.size())
      return makeError(TL_E_INVALID_ARGUMENT, "there is no value %u", value);
    const Type &t = graph->whole().current().typeOf(value);
    tl_type out = TL_TYPE_INIT;
    out.kind = tl_type_kind(t.kind);
    out.dtype = tl_dtype(t.dtype);
    out.rank = t.rank;
    for (unsigned i = 0; i < t.extents().size(); ++i)
      out.extents[i] = t.dims[i];
    return writeInfo(type, out, "type");
  });
}

tl_status tl_graph_param_count(const tl_graph *graph, size_t *count) {
  return guarded(nullptr, [&]() -> Status {
    if (!graph || !count)
      return nullArgument(graph ? "count" : "graph");
    *count = graph->whole().current().kernel.params.size();
    return {};
  });
}

tl_status tl_graph_get_param(const tl_graph *graph, size_t index, tl_param *param) {
  return guarded(nullptr, [&]() -> Status {
    if (!graph || index >= graph->whole().current().kernel.params.size())
      return makeError(TL_E_INVALID_ARGUMENT, "there is no parameter %zu", index);
    const Param &p = graph->whole().current().kernel.params[index];
    tl_param out = TL_PARAM_INIT;
    out.name = p.name.c_str();
    out.default_value = p.defaultValue;
    out.choices = p.choices.data();
    out.n_choices = p.choices.size();
    return writeInfo(param, out, "param");
  });
}

tl_status tl_graph_verify(const tl_graph *graph, tl_error **error) {
  return guarded(error, [&]() -> Status {
    if (!graph)
      return nullArgument("graph");
    TL_ASSIGN(Graph whole, graph->whole().snapshot());
    TL_TRY(verify(whole));
    // What only bound parameters show is said now, not by the first build.
    TL_ASSIGN(Graph bound, instantiate(whole, {}));
    return verify(bound);
  });
}

tl_status tl_graph_parse(const char *text, size_t size, const char *file_name, tl_graph **graph,
                         tl_error **error) {
  if (graph)
    *graph = nullptr;
  return guarded(error, [&]() -> Status {
    if (!graph || (!text && size))
      return nullArgument(graph ? "text" : "graph");
    TL_ASSIGN(Module module,
              parseModule(std::string_view(text, size), file_name ? file_name : "<text>"));
    Graph last = *module.members.back();
    *graph = new tl_graph{GraphBuilder(std::move(last)), {}, {}, std::move(module), false};
    return {};
  });
}

tl_status tl_graph_print(tl_graph *graph, const char **text, size_t *size, tl_error **error) {
  if (text)
    *text = nullptr;
  return guarded(error, [&]() -> Status {
    if (!graph || !text)
      return nullArgument(graph ? "text" : "graph");
    TL_ASSIGN(Graph whole, graph->whole().snapshot());
    // What was parsed may have been changed since.
    Module module = graph->module;
    if (!module.members.empty())
      module.members.pop_back();
    module.members.push_back(std::make_shared<const Graph>(std::move(whole)));
    graph->text = printModule(module);
    *text = graph->text.c_str();
    if (size)
      *size = graph->text.size();
    return {};
  });
}

tl_status tl_graph_member(const tl_graph *graph, size_t index, const char **name, tl_graph **member,
                          tl_error **error) {
  if (name)
    *name = nullptr;
  if (member)
    *member = nullptr;
  return guarded(error, [&]() -> Status {
    if (!graph)
      return nullArgument("graph");
    size_t count = std::max<size_t>(graph->module.members.size(), 1);
    if (index >= count)
      return makeError(TL_E_INVALID_ARGUMENT,
                       "the text has %zu members, there is none with index %zu", count, index);
    if (index + 1 == count) { // may have been changed since it was parsed
      TL_ASSIGN(Graph whole, graph->whole().snapshot());
      if (member)
        *member = new tl_graph{GraphBuilder(std::move(whole)), {}, {}, {}, false};
      if (name)
        *name = graph->whole().current().kernel.name.c_str();
      return {};
    }
    const Graph &at = *graph->module.members[index];
    if (member)
      *member = new tl_graph{GraphBuilder(Graph(at)), {}, {}, {}, false};
    if (name)
      *name = at.kernel.name.c_str();
    return {};
  });
}

tl_status tl_graph_print_canonical(tl_graph *graph, const char *const *param_names,
                                   const int64_t *param_values, size_t n_params, const char **text,
                                   size_t *size, tl_error **error) {
  if (text)
    *text = nullptr;
  return guarded(error, [&]() -> Status {
    if (!graph || !text || (n_params && (!param_names || !param_values)))
      return nullArgument(!graph ? "graph" : !text ? "text" : "param_names");
    std::map<std::string, int64_t> bindings;
    for (size_t i = 0; i < n_params; ++i) {
      if (!param_names[i])
        return nullArgument("param_names");
      if (!bindings.emplace(param_names[i], param_values[i]).second)
        return makeError(TL_E_PARAM, "parameter '%s' is given twice", param_names[i]);
    }
    TL_ASSIGN(Graph whole, graph->whole().snapshot());
    TL_ASSIGN(Graph concrete, instantiate(whole, bindings));
    graph->text = printText(canonicalize(concrete)).text;
    *text = graph->text.c_str();
    if (size)
      *size = graph->text.size();
    return {};
  });
}

tl_status tl_graph_save(tl_graph *graph, const void **bytes, size_t *size, tl_error **error) {
  if (bytes)
    *bytes = nullptr;
  return guarded(error, [&]() -> Status {
    if (!graph || !bytes || !size)
      return nullArgument(!graph ? "graph" : !bytes ? "bytes" : "size");
    TL_ASSIGN(Graph whole, graph->whole().snapshot());
    graph->bytes = writeGraph(whole);
    *bytes = graph->bytes.data();
    *size = graph->bytes.size();
    return {};
  });
}

tl_status tl_graph_load(const void *bytes, size_t size, tl_graph **graph, tl_error **error) {
  if (graph)
    *graph = nullptr;
  return guarded(error, [&]() -> Status {
    if (!graph || (!bytes && size))
      return nullArgument(graph ? "bytes" : "graph");
    TL_ASSIGN(Graph read, readGraph(std::span(static_cast<const uint8_t *>(bytes), size)));
    *graph = new tl_graph{GraphBuilder(std::move(read)), {}, {}, {}, false};
    return {};
  });
}
