#include "graph/canonical.h"
#include "graph/clone.h"
#include "graph/requirement.h"

#include <algorithm>

namespace tl {

namespace {

/// The value of each parameter, by its index.
Result<std::vector<int64_t>> bindParams(const Kernel &kernel,
                                        const std::map<std::string, int64_t> &bindings) {
  std::vector<int64_t> values;
  for (const Param &param : kernel.params) {
    auto it = bindings.find(param.name);
    int64_t value = it == bindings.end() ? param.defaultValue : it->second;
    if (!param.choices.empty() &&
        std::find(param.choices.begin(), param.choices.end(), value) == param.choices.end()) {
      std::string choices;
      for (int64_t c : param.choices)
        choices += (choices.empty() ? "" : ", ") + std::to_string(c);
      return makeError(TL_E_PARAM, "kernel '%s': parameter %s = %lld is not among its choices %s",
                       kernel.name.c_str(), param.name.c_str(), (long long)value, choices.c_str());
    }
    values.push_back(value);
  }
  for (const auto &[name, value] : bindings)
    if (std::none_of(kernel.params.begin(), kernel.params.end(),
                     [&](const Param &p) { return p.name == name; }))
      return makeError(TL_E_PARAM, "kernel '%s' has no parameter '%s'", kernel.name.c_str(),
                       name.c_str());
  return values;
}

std::string bindingText(const Kernel &kernel, const std::vector<int64_t> &values) {
  std::string s;
  for (size_t i = 0; i < values.size(); ++i)
    s += (i ? ", " : "") + kernel.params[i].name + " = " + std::to_string(values[i]);
  return s;
}

/// Gives the builder the callees, their parameters bound to those of the same names.
Status bindCallees(const Kernel &sequence, const std::vector<int64_t> &values,
                   GraphBuilder &builder) {
  for (const auto &callee : sequence.callees) {
    std::map<std::string, int64_t> bindings;
    for (const Param &param : callee->kernel.params)
      for (size_t i = 0; i < values.size(); ++i)
        if (sequence.params[i].name == param.name)
          bindings[param.name] = values[i];
    TL_ASSIGN(Graph bound, instantiate(*callee, bindings));
    builder.addCallee(std::make_shared<const Graph>(std::move(bound)));
  }
  return {};
}

} // namespace

Result<Graph> instantiate(const Graph &graph, const std::map<std::string, int64_t> &bindings) {
  const Kernel &kernel = graph.kernel;
  TL_ASSIGN(std::vector<int64_t> values, bindParams(kernel, bindings));

  // View dimensions that are parameters become literals before the arguments are copied.
  Graph bound = graph;
  for (Argument &arg : bound.kernel.args)
    for (std::vector<ViewDim> *dims : {&arg.extents, &arg.strides})
      for (ViewDim &dim : *dims)
        if (dim.kind == ViewDim::Kind::Value && graph.values[dim.value].kind == ValueKind::Param)
          dim = {ViewDim::Kind::Literal, values[graph.values[dim.value].index], 0};

  GraphBuilder builder;
  GraphCloner cloner(bound, builder);
  cloner.copyArguments();
  TL_TRY(bindCallees(kernel, values, builder));
  auto defineParams = [&] {
    for (size_t i = 0; i < values.size(); ++i) {
      Attr value, dtype;
      value.key = AttrKey::Value;
      value.i = values[i];
      dtype.key = AttrKey::DType;
      dtype.i = int64_t(DType::I64);
      cloner.setMapped(kernel.params[i].value, builder.op(Opcode::Const, {}, {value, dtype}));
    }
  };
  // Literal extents: the builder's graph knows what the mapped values are.
  cloner.literalDims = true;
  builder.buildHead(true);
  defineParams();
  cloner.copyBlock(kernel.head);
  std::vector<ValueId> grid;
  for (ValueId v : kernel.grid)
    grid.push_back(cloner.mapped(v));
  builder.setHeadGrid(grid);
  for (ValueId condition : kernel.requires_)
    if (builder.ok() && builder.current().constantInt(cloner.mapped(condition)) != 1)
      return requirementFailure(graph, condition, bindingText(kernel, values));
  builder.buildHead(false);
  defineParams();
  cloner.copyBlock(kernel.body);
  auto result = std::move(builder).finish();
  if (result.ok() || values.empty())
    return result;
  ErrorPtr error = result.takeError();
  error->message += " (kernel '" + kernel.name + "' with " + bindingText(kernel, values) + ")";
  return error;
}

} // namespace tl
