// tl_kernel_check: a launch's results against the reference interpreter.
#include "capi/arguments.h"
#include "capi/handles.h"
#include "capi/interp_launch.h"
#include "interp/compare.h"

using namespace tl;

namespace {

tl_check_report summary(const Comparison &found) {
  tl_check_report out = TL_CHECK_REPORT_INIT;
  out.compared = found.elements;
  out.mismatches = found.mismatches;
  out.inexact = found.inexact;
  out.undecided = found.undecided;
  out.max_abs_error = found.maxError;
  out.max_bound_share = found.maxShare;
  if (!found.first.empty()) {
    out.argument = found.first[0].arg;
    out.element = found.first[0].offset;
  }
  return out;
}

Result<Comparison> compare(const tl_kernel &kernel, const tl_arg *before, const tl_arg *after,
                           size_t n, std::string *words) {
  TL_ASSIGN(Graph graph, embeddedGraph(kernel.artifact));
  auto reference = std::make_unique<LaunchBlock>(), actual = std::make_unique<LaunchBlock>();
  ErrorPtr why;
  if (reference->fill(kernel.artifact, before, n, true, &why) != TL_OK ||
      actual->fill(kernel.artifact, after, n, true, &why) != TL_OK)
    return why;
  for (size_t i = 0; i < n; ++i)
    if (!pointerBytes(kernel.artifact, *reference, i))
      return makeError(
          TL_E_ARG_SHAPE,
          "kernel '%s', argument %zu (%s): memory behind a pointer is contiguous, of 0 to "
          "%d axes",
          kernel.artifact.kernel.c_str(), i, kernel.artifact.args[i].name.c_str(),
          TL_MAX_VIEW_RANK);
  std::vector<InterpArg> args = interpArgs(kernel.artifact, *reference);
  TL_ASSIGN(InterpReport report, interpret(graph, args));
  std::vector<const void *> memory(n);
  for (size_t i = 0; i < n; ++i)
    memory[i] = actual->pointers[i];
  TL_ASSIGN(Comparison found, compareOutputs(graph, report, args, memory));
  if (!found.equal())
    *words = found.text(graph);
  return found;
}

} // namespace

tl_status tl_kernel_check(const tl_kernel *kernel, const tl_arg *before, const tl_arg *after,
                          size_t n, tl_check_report *report, tl_error **error) {
  return guarded(error, [&]() -> Status {
    if (!kernel)
      return nullArgument("kernel");
    TL_TRY(refuseLibrary(*kernel, "checked"));
    std::string words;
    TL_ASSIGN(Comparison found, compare(*kernel, before, after, n, &words));
    if (report) {
      tl_check_report out = summary(found);
      TL_TRY(writeInfo(report, out, "report"));
    }
    if (found.equal())
      return {};
    return makeError(TL_E_MISMATCH, "kernel '%s' %s: %s", kernel->artifact.kernel.c_str(),
                     found.mismatches ? "differs from the reference"
                                      : "cannot be compared with the reference",
                     words.c_str());
  });
}
