#include "capi/guard.h"
#include "support/build_id.h"
#include "tilelang.h"

#include <algorithm>
#include <cstring>

namespace tl {

tl_error *outOfMemoryError() {
  // Made when the library is loaded; never released.
  static tl_error error{{TL_E_OUT_OF_MEMORY, "out of memory", 0, {}}};
  return &error;
}

// Memory for it is taken at load time, not when memory has run out.
static tl_error *const reserved = outOfMemoryError();

tl_status giveError(ErrorPtr error, tl_error **out) {
  tl_status status = error->status;
  if (out)
    *out = new tl_error{std::move(*error)};
  return status;
}

ErrorPtr nullArgument(const char *name) {
  return makeError(TL_E_INVALID_ARGUMENT, "the argument '%s' is NULL", name);
}

static size_t sizeMember(const void *s) {
  size_t size;
  std::memcpy(&size, s, sizeof size);
  return size;
}

/// Every version of a struct is a whole number of its alignment: another size ends within a member.
static bool possibleSize(size_t size) {
  return size >= sizeof(size_t) && size <= size_t(1) << 16 && size % alignof(size_t) == 0;
}

Status readStruct(void *ours, size_t ourSize, const void *theirs, const char *name) {
  std::memset(ours, 0, ourSize);
  std::memcpy(ours, &ourSize, sizeof ourSize);
  if (!theirs)
    return {};
  size_t theirSize = sizeMember(theirs);
  if (!possibleSize(theirSize))
    return makeError(TL_E_INVALID_ARGUMENT,
                     "%s: struct_size is %zu; initialize the struct with its _INIT macro", name,
                     theirSize);
  auto *bytes = static_cast<const unsigned char *>(theirs);
  for (size_t i = ourSize; i < theirSize; ++i)
    if (bytes[i])
      return makeError(TL_E_UNSUPPORTED,
                       "%s: a member that this version of the library does not know is set", name);
  std::memcpy(ours, theirs, std::min(ourSize, theirSize));
  std::memcpy(ours, &ourSize, sizeof ourSize);
  return {};
}

Status writeStruct(void *theirs, const void *ours, size_t ourSize, const char *name) {
  if (!theirs)
    return nullArgument(name);
  size_t theirSize = sizeMember(theirs);
  if (!possibleSize(theirSize))
    return makeError(TL_E_INVALID_ARGUMENT,
                     "%s: struct_size is %zu; initialize the struct with its _INIT macro", name,
                     theirSize);
  std::memset(static_cast<unsigned char *>(theirs) + sizeof(size_t), 0, theirSize - sizeof(size_t));
  size_t both = std::min(ourSize, theirSize);
  std::memcpy(static_cast<unsigned char *>(theirs) + sizeof(size_t),
              static_cast<const unsigned char *>(ours) + sizeof(size_t), both - sizeof(size_t));
  return {};
}

} // namespace tl

using namespace tl;

const char *tl_status_name(tl_status status) { return statusName(status); }
const char *tl_status_text(tl_status status) { return statusText(status); }
tl_status tl_error_status(const tl_error *error) { return error ? error->error.status : TL_OK; }
const char *tl_error_message(const tl_error *error) {
  return error ? error->error.message.c_str() : "";
}
int64_t tl_error_native(const tl_error *error) { return error ? error->error.native : 0; }
size_t tl_error_diagnostic_count(const tl_error *error) {
  return error ? error->error.diagnostics.size() : 0;
}

tl_status tl_error_diagnostic(const tl_error *error, size_t index, tl_diagnostic *diagnostic) {
  return guarded(nullptr, [&]() -> Status {
    if (!error || index >= error->error.diagnostics.size())
      return makeError(TL_E_INVALID_ARGUMENT, "there is no diagnostic %zu", index);
    const Diagnostic &d = error->error.diagnostics[index];
    tl_diagnostic out = TL_DIAGNOSTIC_INIT;
    out.severity = tl_severity(d.severity);
    out.value = d.value;
    out.pass = d.pass.c_str();
    out.file = d.location.file.c_str();
    out.line = d.location.line;
    out.column = d.location.column;
    out.text = d.text.c_str();
    out.excerpt = d.excerpt.c_str();
    return writeInfo(diagnostic, out, "diagnostic");
  });
}

void tl_error_destroy(tl_error *error) {
  if (error != outOfMemoryError())
    delete error;
}

uint32_t tl_version(void) {
  return TL_VERSION_MAJOR * 1000000 + TL_VERSION_MINOR * 1000 + TL_VERSION_PATCH;
}
const char *tl_build_info(void) { return buildId(); }
