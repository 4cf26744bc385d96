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

/// The memory behind a plain pointer, as far as a tensor's shape says; 0 = not known.
Result<size_t> pointerBytes(const tl_kernel &kernel, const LaunchBlock &block, size_t i) {
  const ArtifactArg &arg = kernel.artifact.args[i];
  if (arg.kind != ArgKind::Pointer || !block.shapes[i])
    return size_t(0);
  const int64_t *strides = block.strides[i];
  size_t elements = 1, bytes = 0;
  bool valid = block.ranks[i] >= 0 && block.ranks[i] <= TL_MAX_VIEW_RANK;
  for (int32_t axis = valid ? block.ranks[i] : 0; valid && axis-- > 0;) {
    int64_t n = block.shapes[i][axis];
    bool contiguous = !strides || n <= 1 || uint64_t(strides[axis]) == elements;
    valid = n >= 0 && contiguous && !__builtin_mul_overflow(elements, size_t(n), &elements);
  }
  valid = valid && !__builtin_mul_overflow(elements, size_t(dtypeBytes(arg.dtype)), &bytes);
  if (!valid)
    return makeError(
        TL_E_ARG_SHAPE,
        "kernel '%s', argument %zu (%s): memory behind a pointer is contiguous, of 0 to "
        "%d axes",
        kernel.artifact.kernel.c_str(), i, arg.name.c_str(), TL_MAX_VIEW_RANK);
  return bytes;
}

Result<Comparison> compare(const tl_kernel &kernel, const tl_arg *before, const tl_arg *after,
                           size_t n, std::string *words) {
  TL_ASSIGN(Graph graph, embeddedGraph(kernel.artifact));
  auto reference = std::make_unique<LaunchBlock>(), actual = std::make_unique<LaunchBlock>();
  ErrorPtr why;
  if (reference->fill(kernel.artifact, before, n, true, &why) != TL_OK ||
      actual->fill(kernel.artifact, after, n, true, &why) != TL_OK)
    return why;
  std::vector<InterpArg> args = interpArgs(kernel.artifact, *reference);
  for (size_t i = 0; i < n; ++i) {
    TL_ASSIGN(args[i].bytes, pointerBytes(kernel, *reference, i));
  }
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
