// The exported functions, made from functions.def: each one looks for an ordered failure, starts
// the machine, applies the table's rules, calls what does the work, keeps the thread's last error
// and writes the trace.
//
// Every export is an indirect function (STT_GNU_IFUNC), so that dlsym finds nothing for one that is
// hidden: that is how the versions of HIP differ, and how a program's handling of a missing
// function is tested. A program that is linked to a hidden function ends when it calls it.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/function_ids.h"
#include "hipemu/runtime.h"

#include <atomic>

namespace tl::hipemu {

namespace {

enum class Rules { Quiet, Free, Device, Unsafe };

int refusal(Runtime &runtime, Rules rules) {
  if (rules < Rules::Device)
    return hipSuccess;
  if (runtime.isForked()) // as for CUDA's, a child cannot go on with its parent's devices
    return hipErrorNotInitialized;
  if (int code = runtime.start())
    return code;
  Lock lock(runtime.mutex);
  if (int code = runtime.currentDevice().fault.code)
    return code;
  return rules == Rules::Unsafe ? captureRefusesUnsafe(runtime) : hipSuccess;
}

void remember(int result) {
  Thread &thread = Thread::current();
  thread.lastResult = result;
  if (result != hipSuccess && result != hipErrorNotReady)
    thread.lastError = result;
}

template <class Call, class Arguments>
int invoke(FunctionId id, Rules rules, Call call, Arguments arguments) {
  Runtime &runtime = Runtime::get();
  const bool traced = runtime.trace.on();
  Time begin = traced ? now() : Time();
  int result = runtime.faults.next(id);
  if (result == hipSuccess)
    result = refusal(runtime, rules);
  if (result == hipSuccess)
    result = call();
  if (rules != Rules::Quiet)
    remember(result);
  if (traced)
    runtime.trace.call(functionInfo(id).name, Thread::current().number, arguments(), result, begin,
                       now());
  return result;
}

// Read by the resolvers of indirect functions, which the dynamic loader may run before any
// constructor of this library: plain zero-initialized memory.
std::atomic<bool> hidden[kFunctionCount];

// hipStreamCallback_t and the like have no name of their own in the table's parameter lists.
#define TL_HIP(NODE, SINCE, RULES, NAME, PARAMETERS, ARGUMENTS)                                    \
  int entry_##NAME PARAMETERS {                                                                    \
    return invoke(                                                                                 \
        FunctionId::NAME, Rules::RULES, [&] { return calls::NAME ARGUMENTS; },                     \
        [&] { return traceArguments ARGUMENTS; });                                                 \
  }
#define TL_HIP_OTHER(NODE, SINCE, RETURN, NAME, PARAMETERS, ARGUMENTS)                             \
  RETURN entry_##NAME PARAMETERS { return calls::NAME ARGUMENTS; }
#include "hipemu/functions.def"

FunctionInfo infos[] = {
#define TL_HIP(NODE, SINCE, RULES, NAME, PARAMETERS, ARGUMENTS)                                    \
  {#NAME, SINCE, reinterpret_cast<void *>(entry_##NAME)},
#define TL_HIP_OTHER(NODE, SINCE, RETURN, NAME, PARAMETERS, ARGUMENTS)                             \
  {#NAME, SINCE, reinterpret_cast<void *>(entry_##NAME)},
#include "hipemu/functions.def"
};

} // namespace

const FunctionInfo &functionInfo(FunctionId function) { return infos[size_t(function)]; }

FunctionId functionNamed(std::string_view name) {
  for (size_t i = 0; i < kFunctionCount; ++i)
    if (name == infos[i].name)
      return FunctionId(i);
  return FunctionId::None;
}

void hideFunctions(uint32_t version, std::string_view list) {
  std::vector<std::string> names = split(list, ',');
  for (size_t i = 0; i < kFunctionCount; ++i) {
    bool hide = infos[i].since > version;
    for (const std::string &name : names)
      hide = hide || name == infos[i].name;
    hidden[i] = hide;
  }
}

bool functionHidden(FunctionId function) { return hidden[size_t(function)]; }

// Settings of the environment hold for what is looked up before the first call.
__attribute__((constructor)) static void readEnvironment() { Runtime::get(); }

} // namespace tl::hipemu

#define TL_HIP_EXPORT(RETURN, NAME, PARAMETERS)                                                    \
  __attribute__((                                                                                  \
      no_sanitize("thread", "address", "undefined"))) decltype(&tl::hipemu::entry_##NAME)          \
  tl_hipemu_resolve_##NAME() {                                                                     \
    return tl::hipemu::hidden[size_t(tl::hipemu::FunctionId::NAME)].load(                          \
               std::memory_order_relaxed)                                                          \
               ? nullptr                                                                           \
               : tl::hipemu::entry_##NAME;                                                         \
  }                                                                                                \
  __attribute__((visibility("default"), ifunc("tl_hipemu_resolve_" #NAME))) RETURN NAME PARAMETERS;

extern "C" {
using namespace tl::hipemu;
#define TL_HIP(NODE, SINCE, RULES, NAME, PARAMETERS, ARGUMENTS) TL_HIP_EXPORT(int, NAME, PARAMETERS)
#define TL_HIP_OTHER(NODE, SINCE, RETURN, NAME, PARAMETERS, ARGUMENTS)                             \
  TL_HIP_EXPORT(RETURN, NAME, PARAMETERS)
#include "hipemu/functions.def"
}
