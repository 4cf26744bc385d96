// Names and texts of errors, and the thread's last one. Up to HIP 6, hipGetLastError gives the
// result of the thread's last call, success included; since 7.0 the last error.

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

#include <utility>

namespace tl::hipemu {

namespace {

struct ErrorRow {
  int value;
  const char *name, *text;
};
constexpr ErrorRow kErrors[] = {
#define TL_HIP_ERROR(NAME, VALUE, TEXT) {VALUE, #NAME, TEXT},
#include "hipemu/errors.def"
};

// HIP 10 has given the number a meaning.
constexpr ErrorRow kClusterSize = {hipErrorTbd, "hipErrorInvalidClusterSize",
                                   "invalid cluster size"};

const ErrorRow *findError(int value) {
  if (value == hipErrorTbd && Runtime::get().settings().version >= 1000)
    return &kClusterSize;
  for (const ErrorRow &row : kErrors)
    if (row.value == value)
      return &row;
  return nullptr;
}

bool lastErrorSurvives() { return Runtime::get().settings().version >= 700; }

} // namespace

namespace calls {

const char *hipGetErrorName(int error) {
  const ErrorRow *row = findError(error);
  return row ? row->name : "hipErrorUnknown";
}

const char *hipGetErrorString(int error) {
  const ErrorRow *row = findError(error);
  return row ? row->text : "unknown error";
}

int hipDrvGetErrorName(int error, const char **text) {
  const ErrorRow *row = findError(error);
  if (!text)
    return hipErrorInvalidValue;
  *text = row ? row->name : nullptr;
  return row ? hipSuccess : hipErrorInvalidValue;
}

int hipDrvGetErrorString(int error, const char **text) {
  const ErrorRow *row = findError(error);
  if (!text)
    return hipErrorInvalidValue;
  *text = row ? row->text : nullptr;
  return row ? hipSuccess : hipErrorInvalidValue;
}

int hipGetLastError() {
  Thread &thread = Thread::current();
  if (lastErrorSurvives())
    return std::exchange(thread.lastError, hipSuccess);
  thread.lastError = hipSuccess;
  return std::exchange(thread.lastResult, hipSuccess);
}

int hipPeekAtLastError() {
  Thread &thread = Thread::current();
  return lastErrorSurvives() ? thread.lastError : thread.lastResult;
}

int hipExtGetLastError() { return std::exchange(Thread::current().lastResult, hipSuccess); }

// hipDriverProcAddressQueryResult
static constexpr int kFound = 0, kNotFound = 1, kTooOld = 2;

int hipGetProcAddress(const char *symbol, void **function, int version, uint64_t, int *status) {
  if (!symbol || !function)
    return hipErrorInvalidValue;
  *function = nullptr;
  std::string name = symbol;
  // As HIP's header does: the plain name means the newer layout to programs of 6.0 and later.
  if (version >= 600 && name == "hipGetDeviceProperties")
    name += "R0600";
  FunctionId id = functionNamed(name);
  int found = id == FunctionId::None || functionHidden(id) ? kNotFound
              : int(functionInfo(id).since) > version      ? kTooOld
                                                           : kFound;
  if (status)
    *status = found;
  if (found != kFound)
    return hipErrorInvalidValue;
  *function = functionInfo(id).entry;
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
