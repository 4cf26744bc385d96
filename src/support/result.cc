#include "support/result.h"

#include <cstdarg>
#include <cstdio>

namespace tl {

static std::string formatVa(const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(length > 0 ? size_t(length) : 0, '\0');
  if (length > 0)
    std::vsnprintf(text.data(), text.size() + 1, format, args);
  return text;
}

ErrorPtr makeError(tl_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  auto error = std::make_unique<Error>();
  error->status = status;
  error->message = formatVa(format, args);
  va_end(args);
  return error;
}

ErrorPtr internalError(const char *format, ...) {
  va_list args;
  va_start(args, format);
  auto error = std::make_unique<Error>();
  error->status = TL_E_INTERNAL;
  error->message = "internal error: " + formatVa(format, args) +
                   " (this is a defect of libtilelang; please report it with the graph)";
  va_end(args);
  return error;
}

std::string formatString(const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string text = formatVa(format, args);
  va_end(args);
  return text;
}

const char *statusName(tl_status status) {
  switch (status) {
#define TL_STATUS(NAME, VALUE, TEXT)                                                               \
  case TL_##NAME:                                                                                  \
    static_assert(TL_##NAME == VALUE, "status.def disagrees with tilelang/status.h");              \
    return "TL_" #NAME;
#include "support/status.def"
  }
  return "unknown status";
}

const char *statusText(tl_status status) {
  switch (status) {
#define TL_STATUS(NAME, VALUE, TEXT)                                                               \
  case TL_##NAME:                                                                                  \
    return TEXT;
#include "support/status.def"
  }
  return "unknown status";
}

} // namespace tl
