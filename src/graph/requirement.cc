#include "graph/requirement.h"

#include "graph/text.h"

namespace tl {

/// The condition as an expression: what stands behind `require`, or behind the name that it has.
static std::string conditionText(const Graph &graph, ValueId condition) {
  PrintedText printed = printText(graph);
  OpId id = graph.values[condition].op;
  uint32_t line = id < printed.opLine.size() ? printed.opLine[id] : 0;
  size_t begin = 0;
  for (uint32_t i = 1; i < line; ++i)
    begin = printed.text.find('\n', begin) + 1;
  std::string text = printed.text.substr(begin, printed.text.find('\n', begin) - begin);
  for (const char *lead : {"require ", " = "})
    if (size_t at = text.find(lead); line != 0 && at != std::string::npos)
      return text.substr(at + std::char_traits<char>::length(lead));
  return "on its parameters";
}

ErrorPtr requirementFailure(const Graph &graph, ValueId condition, const std::string &bindings) {
  ErrorPtr error = makeError(TL_E_PARAM, "kernel '%s': the requirement %s does not hold with %s",
                             graph.kernel.name.c_str(), conditionText(graph, condition).c_str(),
                             bindings.empty() ? "the parameters' defaults" : bindings.c_str());
  const Op *op = graph.definingOp(condition);
  if (!op)
    return error;
  Diagnostic d;
  d.pass = "graph";
  d.location = graph.locations[op->location];
  d.text = error->message;
  if (d.location.line != 0)
    error->message =
        formatString("%s:%u: %s", d.location.file.c_str(), d.location.line, d.text.c_str());
  error->diagnostics.push_back(std::move(d));
  return error;
}

} // namespace tl
