// Result<T>: a value or an Error. The library's only way of failing inside; capi maps it to
// tl_error.
#pragma once

#include "tilelang/status.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tl {

/// Where in an author's source something stands. line 0 = unknown; column 0 = unknown.
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

enum class Severity : int32_t { Error = 1, Warning = 2, Note = 3 };

/// One message about one place. `pass` names who speaks ("parse", "verify", "amdgpu", ...); `value`
/// is a graph value id or 0; `excerpt` is the source line with a caret line below it, or empty.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string pass;
  uint32_t value = 0;
  SourceLocation location;
  std::string text;
  std::string excerpt;
};

/// Why a call failed. `native` is the vendor's code (hipError_t ...) or 0.
struct Error {
  tl_status status = TL_E_INTERNAL;
  std::string message;
  int64_t native = 0;
  std::vector<Diagnostic> diagnostics;
};

using ErrorPtr = std::unique_ptr<Error>;

/// Builds an Error from a printf-style format (gcc 12 has no std::format).
[[gnu::format(printf, 2, 3)]] ErrorPtr makeError(tl_status status, const char *format, ...);
/// A defect of the library: TL_E_INTERNAL with a request to report it.
[[gnu::format(printf, 1, 2)]] ErrorPtr internalError(const char *format, ...);
/// printf into a std::string.
[[gnu::format(printf, 1, 2)]] std::string formatString(const char *format, ...);
/// "TL_E_SYNTAX" for TL_E_SYNTAX; "unknown status" for others.
const char *statusName(tl_status status);
/// "syntax error" for TL_E_SYNTAX.
const char *statusText(tl_status status);

/// A T or an Error. Test with ok(), then value() / error().
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(ErrorPtr error) : state(std::in_place_index<1>, std::move(error)) {
    assert(std::get<1>(state));
  }
  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &value() & { return std::get<0>(state); }
  const T &value() const & { return std::get<0>(state); }
  T &&value() && { return std::get<0>(std::move(state)); }
  T &operator*() { return value(); }
  const T &operator*() const { return value(); }
  T *operator->() { return &value(); }
  const Error &error() const { return *std::get<1>(state); }
  ErrorPtr takeError() { return std::move(std::get<1>(state)); }

private:
  std::variant<T, ErrorPtr> state;
};

/// Success or an Error.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(ErrorPtr error) : failure(std::move(error)) {}
  bool ok() const { return !failure; }
  explicit operator bool() const { return ok(); }
  const Error &error() const { return *failure; }
  ErrorPtr takeError() { return std::move(failure); }

private:
  ErrorPtr failure;
};

using Status = Result<void>;

} // namespace tl

/// Returns the error of an expression of type Result<...> from the enclosing function.
#define TL_TRY(expression)                                                                         \
  do {                                                                                             \
    auto tlResult_ = (expression);                                                                 \
    if (!tlResult_.ok())                                                                           \
      return tlResult_.takeError();                                                                \
  } while (0)
#define TL_CONCAT_(a, b) a##b
#define TL_CONCAT(a, b) TL_CONCAT_(a, b)
/// TL_ASSIGN(auto x, f()): x = f()'s value, or return its error.
#define TL_ASSIGN(declaration, expression)                                                         \
  auto TL_CONCAT(tlTmp_, __LINE__) = (expression);                                                 \
  if (!TL_CONCAT(tlTmp_, __LINE__).ok())                                                           \
    return TL_CONCAT(tlTmp_, __LINE__).takeError();                                                \
  declaration = std::move(TL_CONCAT(tlTmp_, __LINE__)).value()
