#include "capi/sequence.h"

#include "interp/numbers.h"

namespace tl {

namespace {

constexpr uint64_t alignment = 256;         // of temporaries, within the workspace
constexpr uint64_t workspaceAlignment = 64; // as tl_alloc has it
constexpr uint64_t maxWorkspace = uint64_t(1) << 47;

ExprEnv environment(const LaunchBlock &block) {
  ExprEnv env;
  env.scalars = block.scalars;
  env.extents = block.shapes;
  env.strides = block.strides;
  return env;
}

tl_status explain(tl_status status, ErrorPtr *words, ErrorPtr error) {
  if (words)
    *words = std::move(error);
  return status;
}

} // namespace

tl_status TemporaryPlan::fill(const Artifact &sequence, const LaunchBlock &block, ErrorPtr *words) {
  ExprEnv env = environment(block);
  bytes = 0;
  for (size_t t = 0; t < sequence.temporaries.size(); ++t) {
    const ArtifactTemporary &temporary = sequence.temporaries[t];
    uint64_t size = dtypeBytes(temporary.dtype);
    bool fits = true, empty = false;
    for (size_t axis = 0; axis < temporary.extents.size(); ++axis) {
      int64_t extent = evaluate(temporary.extents[axis], env);
      if (extent < 0)
        return explain(TL_E_ARG_SHAPE, words,
                       words ? makeError(TL_E_ARG_SHAPE,
                                         "sequence '%s': extent %lld of axis %zu of temporary %zu "
                                         "is negative",
                                         sequence.kernel.c_str(), (long long)extent, axis, t)
                             : nullptr);
      entries[t].shape[axis] = extent;
      empty |= extent == 0;
      fits = fits && !__builtin_mul_overflow(size, uint64_t(extent), &size);
    }
    // An empty one has a place too: a pointer to it is not NULL.
    size = empty ? 1 : size;
    fits |= empty;
    entries[t].offset = bytes;
    fits = fits && size <= maxWorkspace;
    bytes += fits ? (size + alignment - 1) / alignment * alignment : 0;
    if (!fits || bytes > maxWorkspace)
      return explain(TL_E_LIMIT, words,
                     words ? makeError(TL_E_LIMIT,
                                       "sequence '%s': temporary %zu takes the workspace over 2^47 "
                                       "bytes",
                                       sequence.kernel.c_str(), t)
                           : nullptr);
  }
  return TL_OK;
}

/// A u64 argument of the sequence as it is, whose upper half an i64 shows as negative numbers.
static bool isUnsignedArgument(const Artifact &sequence, const Expr &expr) {
  return expr.size() == 1 && expr[0].op == ExprNode::Op::Scalar &&
         sequence.args[size_t(expr[0].value)].dtype == DType::U64;
}

tl_status StepArguments::fill(const Artifact &sequence, const Step &step, const LaunchBlock &block,
                              const TemporaryPlan &plan, const void *workspace, ErrorPtr *words) {
  ExprEnv env = environment(block);
  const std::vector<ArtifactArg> &want = sequence.members[step.member].args;
  for (size_t i = 0; i < want.size(); ++i) {
    const StepArg &from = step.args[i];
    switch (from.kind) {
    case StepArg::Kind::Integer:
      args[i] = tl_arg_int(evaluate(from.expr, env));
      if (want[i].dtype == DType::U64 && args[i].int_value < 0 &&
          !isUnsignedArgument(sequence, from.expr))
        return explain(TL_E_ARG_TYPE, words,
                       words ? makeError(TL_E_ARG_TYPE,
                                         "sequence '%s': kernel '%s', argument %zu (%s): %lld is "
                                         "not a value of u64",
                                         sequence.kernel.c_str(),
                                         sequence.members[step.member].kernel.c_str(), i,
                                         want[i].name.c_str(), (long long)args[i].int_value)
                             : nullptr);
      break;
    case StepArg::Kind::Float:
      args[i] = tl_arg_float(from.number);
      break;
    case StepArg::Kind::Temporary: {
      const TemporaryPlan::Entry &entry = plan.entries[from.index];
      auto *data = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(workspace) + entry.offset);
      args[i] =
          tl_arg_tensor(data, tl_dtype(want[i].dtype),
                        int32_t(sequence.temporaries[from.index].extents.size()), entry.shape);
      break;
    }
    case StepArg::Kind::Argument: {
      const ArtifactArg &given = sequence.args[from.index];
      if (given.kind == ArgKind::Scalar) {
        args[i] =
            tl_arg_float(interp::decodeFloat(given.dtype, uint64_t(block.scalars[from.index])));
        break;
      }
      args[i] = tl_arg_pointer(block.pointers[from.index]);
      if (want[i].kind != ArgKind::View)
        break;
      block.viewDims(from.index, shapes[i], strides[i]);
      args[i] = tl_arg_tensor(block.pointers[from.index], tl_dtype(given.dtype),
                              int32_t(given.extents.size()), shapes[i]);
      args[i].strides = strides[i];
      break;
    }
    }
  }
  return TL_OK;
}

namespace {

/// Calls body(member, arguments) for each step. `words` as in StepArguments::fill.
template <class Body>
tl_status forEachStep(const tl_kernel &kernel, const LaunchBlock &block, const TemporaryPlan &plan,
                      const void *workspace, ErrorPtr *words, Body body) {
  StepArguments step;
  for (const Step &s : kernel.artifact.steps) {
    if (tl_status status = step.fill(kernel.artifact, s, block, plan, workspace, words);
        status != TL_OK)
      return status;
    const tl_kernel &member = *kernel.members[s.member];
    if (tl_status status = body(member, step.args, member.artifact.args.size()); status != TL_OK)
      return status;
  }
  return TL_OK;
}

/// The kernel's own workspace, made larger if it must be. Older ones stay: launches may use them.
Status growWorkspace(const tl_kernel &kernel, uint64_t bytes) {
  std::lock_guard lock(kernel.mutex);
  if (!kernel.workspaces.empty() && kernel.workspaces.back().bytes >= bytes)
    return {};
  TL_ASSIGN(void *memory, kernel.device->device->allocate(bytes));
  kernel.workspaces.push_back({memory, bytes});
  kernel.workspace.store(&kernel.workspaces.back(), std::memory_order_release);
  return {};
}

/// The workspace of a launch, or a failure.
tl_status workspaceFor(const tl_kernel &kernel, void *stream, uint64_t bytes,
                       const tl_launch_options &options, void **workspace) noexcept {
  *workspace = options.workspace;
  if (options.workspace)
    return options.workspace_bytes < bytes ? TL_E_LIMIT
           : reinterpret_cast<uintptr_t>(options.workspace) % workspaceAlignment
               ? TL_E_ARG_ALIGNMENT
               : TL_OK;
  if (bytes == 0)
    return TL_OK;
  const OwnWorkspace *own = kernel.workspace.load(std::memory_order_acquire);
  if (!own || own->bytes < bytes) {
    if (kernel.device->device->captureState(stream) != CaptureState::None)
      return TL_E_NOT_PREPARED;
    if (tl_status s = guarded(nullptr, [&] { return growWorkspace(kernel, bytes); }); s != TL_OK)
      return s;
    own = kernel.workspace.load(std::memory_order_acquire);
  }
  *workspace = own->memory;
  return TL_OK;
}

/// A step's failure, said with the sequence's name.
ErrorPtr inSequence(const tl_kernel &kernel, tl_error *error) {
  auto own = std::make_unique<Error>(error->error);
  tl_error_destroy(error);
  own->message = "sequence '" + kernel.artifact.kernel + "': " + own->message;
  return own;
}

} // namespace

Status prepareSequence(const tl_kernel &kernel, const tl_arg *args, size_t n) {
  for (const auto &member : kernel.members) {
    tl_error *error = nullptr;
    if (tl_kernel_prepare(member.get(), nullptr, 0, &error) != TL_OK)
      return inSequence(kernel, error);
  }
  if (n == 0 && !args)
    return {};
  auto block = std::make_unique<LaunchBlock>();
  auto plan = std::make_unique<TemporaryPlan>();
  ErrorPtr words;
  if (block->fill(kernel.artifact, args, n, true, &words) != TL_OK ||
      plan->fill(kernel.artifact, *block, &words) != TL_OK)
    return words;
  // The steps are checked before memory is taken; where it will be does not matter to them.
  const void *anywhere = reinterpret_cast<const void *>(uintptr_t(alignment));
  ErrorPtr failure;
  forEachStep(kernel, *block, *plan, anywhere, &failure,
              [&](const tl_kernel &member, const tl_arg *list, size_t count) {
                tl_error *error = nullptr;
                tl_status status = tl_kernel_prepare(&member, list, count, &error);
                if (status != TL_OK)
                  failure = inSequence(kernel, error);
                return status;
              });
  if (failure)
    return failure;
  return plan->bytes ? growWorkspace(kernel, plan->bytes) : Status();
}

tl_status launchSequence(const tl_kernel &kernel, void *stream, const LaunchBlock &block,
                         const tl_launch_options &options) noexcept {
  TemporaryPlan plan;
  if (tl_status s = plan.fill(kernel.artifact, block, nullptr); s != TL_OK)
    return s;
  void *workspace = nullptr;
  if (tl_status s = workspaceFor(kernel, stream, plan.bytes, options, &workspace); s != TL_OK)
    return s;
  tl_launch_options inner = options;
  inner.workspace = nullptr;
  inner.workspace_bytes = 0;
  return forEachStep(kernel, block, plan, workspace, nullptr,
                     [&](const tl_kernel &member, const tl_arg *args, size_t n) {
                       return tl_launch(&member, stream, args, n, &inner);
                     });
}

} // namespace tl

using namespace tl;

tl_kernel::~tl_kernel() {
  for (const OwnWorkspace &own : workspaces)
    (void)device->device->free(own.memory); // waits for what uses it
}

tl_status tl_kernel_workspace(const tl_kernel *kernel, const tl_arg *args, size_t n, size_t *bytes,
                              tl_error **error) {
  if (bytes)
    *bytes = 0;
  return guarded(error, [&]() -> Status {
    if (!kernel || !bytes)
      return nullArgument(kernel ? "bytes" : "kernel");
    TL_TRY(refuseLibrary(*kernel, "launched"));
    auto block = std::make_unique<LaunchBlock>();
    auto plan = std::make_unique<TemporaryPlan>();
    ErrorPtr words;
    if (block->fill(kernel->artifact, args, n, true, &words) != TL_OK ||
        plan->fill(kernel->artifact, *block, &words) != TL_OK)
      return words;
    *bytes = size_t(plan->bytes);
    return {};
  });
}
