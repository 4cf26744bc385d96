// What every exported function goes through: nothing throws out of it, and an Error becomes a
// tl_error.
#pragma once

#include "support/result.h"

#include <new>

struct tl_error {
  tl::Error error;
};

namespace tl {

/// The error that out of memory is reported with: static, so that reporting it needs no memory.
tl_error *outOfMemoryError();
/// Gives `error` to the caller if it wants one; returns its status.
tl_status giveError(ErrorPtr error, tl_error **out);
/// An out-parameter starts as NULL.
inline void clearError(tl_error **out) {
  if (out)
    *out = nullptr;
}

/// Runs a body that returns Status; maps its error, bad_alloc and anything else.
template <class Body> tl_status guarded(tl_error **error, Body &&body) noexcept {
  clearError(error);
  try {
    Status status = body();
    return status.ok() ? TL_OK : giveError(status.takeError(), error);
  } catch (const std::bad_alloc &) {
    if (error)
      *error = outOfMemoryError();
    return TL_E_OUT_OF_MEMORY;
  } catch (...) {
    return TL_E_INTERNAL;
  }
}

/// "the argument 'graph' is NULL".
ErrorPtr nullArgument(const char *name);

/// Reads a caller's option struct of any size over zeros: members that ours has and theirs lacks
/// are zero; a non-zero tail that ours does not know is TL_E_UNSUPPORTED. NULL gives all zeros.
Status readStruct(void *ours, size_t ourSize, const void *theirs, const char *name);
/// Writes an info struct into a caller's of any size (struct_size is kept).
Status writeStruct(void *theirs, const void *ours, size_t ourSize, const char *name);

template <class T> Result<T> readOptions(const T *theirs, const char *name) {
  T ours{};
  TL_TRY(readStruct(&ours, sizeof(T), theirs, name));
  return ours;
}
template <class T> Status writeInfo(T *theirs, T &ours, const char *name) {
  return writeStruct(theirs, &ours, sizeof(T), name);
}

} // namespace tl
