// The builder's part of arguments and parameters.
#include "graph/builder.h"
#include "graph/fold_int.h"
#include "graph/infer_composite.h"
#include "graph/text_names.h"

#include <algorithm>

namespace tl {

ValueId GraphBuilder::addArgument(Argument argument, TypeKind kind, DType dtype) {
  if (!ok())
    return 0;
  Type type = kind == TypeKind::Pointer ? Type::pointer(dtype) : Type::scalar(dtype);
  if (kind == TypeKind::View)
    type = Type::view(dtype, unsigned(std::min<size_t>(argument.extents.size(), 255)));
  auto bad = [&](tl_status status, const char *what) {
    report(makeError(status, "argument '%s': %s", argument.name.c_str(), what));
    return 0;
  };
  if (Status inMemory = checkInMemory(dtype); !inMemory.ok())
    return bad(inMemory.error().status, inMemory.error().message.c_str());
  if (!isIdentifier(argument.name))
    return bad(TL_E_INVALID_GRAPH, "the name must be an identifier");
  for (const Argument &other : graph.kernel.args)
    if (other.name == argument.name)
      return bad(TL_E_INVALID_GRAPH, "there is an argument of that name already");
  for (const Param &other : graph.kernel.params)
    if (other.name == argument.name)
      return bad(TL_E_INVALID_GRAPH, "there is a parameter of that name already");
  if (graph.kernel.args.size() == maxArguments)
    return bad(TL_E_LIMIT, "a kernel has at most 256 arguments");
  if (argument.hasDefault && kind != TypeKind::Tile)
    return bad(TL_E_INVALID_GRAPH, "only scalars have defaults");
  if ((argument.optional || argument.distinct) && kind == TypeKind::Tile)
    return bad(TL_E_INVALID_GRAPH, "only views and pointers can be optional or distinct");
  if (argument.hasDefault && !isFloat(dtype) &&
      argument.defaultInt != (isBool(dtype) ? int64_t(argument.defaultInt != 0)
                                            : wrapInteger(argument.defaultInt, dtype)))
    return bad(TL_E_INVALID_GRAPH, "the default is not a value of its type");
  if (argument.generator.kind != GeneratorKind::None && kind != TypeKind::View)
    return bad(TL_E_INVALID_GRAPH, "only views have generators");
  if (kind == TypeKind::View && (argument.extents.empty() || argument.extents.size() > maxViewRank))
    return bad(TL_E_LIMIT, "a view has 1 to 8 axes");
  if (!argument.strides.empty() && argument.strides.size() != argument.extents.size())
    return bad(TL_E_INVALID_GRAPH, "a view needs as many strides as extents");
  if (kind != TypeKind::View && !(argument.extents.empty() && argument.strides.empty()))
    return bad(TL_E_INVALID_GRAPH, "only views have extents and strides");
  for (const std::vector<ViewDim> *dims : {&argument.extents, &argument.strides})
    for (const ViewDim &dim : *dims) {
      if (dim.kind == ViewDim::Kind::Literal && dims == &argument.extents && dim.literal < 0)
        return bad(TL_E_INVALID_GRAPH, "an extent is at least 0");
      if (dim.kind == ViewDim::Kind::Value && dim.value != 0 && !isIndexSource(dim.value))
        return bad(TL_E_INVALID_GRAPH,
                   "an extent or stride must be a scalar integer argument or a parameter");
    }
  return graph.addArgument(std::move(argument), type);
}

/// A scalar i32 or i64 argument, or a parameter.
bool GraphBuilder::isIndexSource(ValueId v) const {
  if (v == 0 || v >= graph.values.size())
    return false;
  ValueKind kind = graph.values[v].kind;
  return (kind == ValueKind::Argument && graph.typeOf(v).isIndex()) || kind == ValueKind::Param;
}

void GraphBuilder::setViewDim(size_t arg, bool stride, size_t axis, ValueId value) {
  if (!ok())
    return;
  Argument &argument = graph.kernel.args[arg];
  if (!isIndexSource(value))
    return report(makeError(
        TL_E_INVALID_GRAPH,
        "argument '%s': an extent or stride must be a scalar i32 or i64 argument or a parameter",
        argument.name.c_str()));
  (stride ? argument.strides : argument.extents)[axis].value = value;
}

void GraphBuilder::setGenerator(size_t arg, const InputGenerator &generator) {
  if (!ok())
    return;
  for (ValueId v : {generator.lowValue, generator.highValue})
    if (v != 0 && !(v < graph.values.size() && graph.values[v].kind == ValueKind::Argument &&
                    graph.typeOf(v).isScalar() && !isFloat(graph.typeOf(v).dtype)))
      return report(makeError(TL_E_INVALID_GRAPH,
                              "argument '%s': a generator's bound must be a number or a scalar "
                              "integer argument",
                              graph.kernel.args[arg].name.c_str()));
  if (generator.kind != GeneratorKind::None && !graph.typeOf(graph.kernel.args[arg].value).isView())
    return report(makeError(TL_E_INVALID_GRAPH, "argument '%s': only views have generators",
                            graph.kernel.args[arg].name.c_str()));
  graph.kernel.args[arg].generator = generator;
}

ValueId GraphBuilder::addParam(std::string name, int64_t defaultValue,
                               std::vector<int64_t> choices) {
  if (!ok())
    return 0;
  auto taken = [&](const auto &list) {
    return std::any_of(list.begin(), list.end(), [&](const auto &x) { return x.name == name; });
  };
  if (!isIdentifier(name) || taken(graph.kernel.params) || taken(graph.kernel.args)) {
    report(makeError(TL_E_INVALID_GRAPH,
                     "parameter '%s': the name must be an identifier that is not taken",
                     name.c_str()));
    return 0;
  }
  if (graph.kernel.params.size() == maxParameters) {
    report(makeError(TL_E_LIMIT, "parameter '%s': a kernel has at most %u parameters", name.c_str(),
                     maxParameters));
    return 0;
  }
  if (!choices.empty() &&
      std::find(choices.begin(), choices.end(), defaultValue) == choices.end()) {
    report(makeError(TL_E_PARAM, "parameter '%s': the default %lld is not among its choices",
                     name.c_str(), (long long)defaultValue));
    return 0;
  }
  return graph.addParam(std::move(name), defaultValue, std::move(choices));
}

/// What the views of the arguments may look like once all is known.
Status GraphBuilder::checkDimensions() const {
  const Kernel &kernel = graph.kernel;
  for (const Argument &arg : kernel.args)
    for (const std::vector<ViewDim> *dims : {&arg.extents, &arg.strides})
      for (const ViewDim &dim : *dims)
        if (dim.kind == ViewDim::Kind::Value && dim.value == 0)
          return makeError(TL_E_INVALID_GRAPH,
                           "argument '%s' has an extent or stride without a value",
                           arg.name.c_str());
  for (const Argument &arg : kernel.args)
    for (const ViewDim &dim : arg.extents) {
      if (dim.kind != ViewDim::Kind::Value || graph.values[dim.value].kind != ValueKind::Param)
        continue;
      const Param &param = kernel.params[graph.values[dim.value].index];
      if (param.defaultValue < 0)
        return makeError(TL_E_INVALID_GRAPH,
                         "argument '%s': an extent is at least 0, but parameter '%s' is %lld by "
                         "default",
                         arg.name.c_str(), param.name.c_str(), (long long)param.defaultValue);
    }
  return {};
}

} // namespace tl
