// libtilelang-compiler, opened at run time on the first build.
#pragma once

#include "artifact/artifact.h"
#include "codegen/compiler_abi.h"

#include <memory>

namespace tl {

class CompilerLibrary {
public:
  /// Opens `path`, or if empty: $TL_COMPILER_LIBRARY (unless the environment is to be ignored), the
  /// directory that libtilelang was loaded from, the system's search. TL_E_NO_COMPILER names what
  /// was tried.
  static Result<std::shared_ptr<CompilerLibrary>> open(const std::string &path,
                                                       bool ignoreEnvironment);

  /// Request bytes to artifact bytes.
  Result<Bytes> compile(std::span<const uint8_t> request, BuildTiming &timing) const;

private:
  decltype(&tl_compiler_compile) compileFunction = nullptr;
  decltype(&tl_compiler_free) freeFunction = nullptr;
};

} // namespace tl
