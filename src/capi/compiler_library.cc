#include "capi/compiler_library.h"

#include "support/build_id.h"
#include "support/error_bytes.h"
#include "support/own_directory.h"

#include <cstring>
#include <dlfcn.h>
#include <stdlib.h>

namespace tl {

namespace {

constexpr const char *libraryName = "libtilelang-compiler.so.0.1";

} // namespace

Result<std::shared_ptr<CompilerLibrary>> CompilerLibrary::open(const std::string &path,
                                                               bool ignoreEnvironment) {
  std::vector<std::string> candidates;
  const char *fromEnvironment = ignoreEnvironment ? nullptr : secure_getenv("TL_COMPILER_LIBRARY");
  if (!path.empty())
    candidates = {path};
  else if (fromEnvironment && *fromEnvironment)
    candidates = {fromEnvironment};
  else {
    if (std::string directory = ownDirectory(); !directory.empty())
      candidates.push_back(directory + libraryName);
    candidates.push_back(libraryName);
  }
  std::string tried;
  void *handle = nullptr;
  for (const std::string &candidate : candidates) {
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) {
      tried = candidate;
      break;
    }
    const char *why = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(why ? why : candidate.c_str());
  }
  if (!handle)
    return makeError(TL_E_NO_COMPILER,
                     "the compiler library cannot be opened (TL_COMPILER_LIBRARY may name it): %s",
                     tried.c_str());

  // Never closed: LLVM does not survive that.
  auto library = std::make_shared<CompilerLibrary>();
  library->compileFunction =
      reinterpret_cast<decltype(&tl_compiler_compile)>(dlsym(handle, "tl_compiler_compile"));
  library->freeFunction =
      reinterpret_cast<decltype(&tl_compiler_free)>(dlsym(handle, "tl_compiler_free"));
  auto buildIdFunction =
      reinterpret_cast<decltype(&tl_compiler_build_id)>(dlsym(handle, "tl_compiler_build_id"));
  if (!library->compileFunction || !library->freeFunction || !buildIdFunction)
    return makeError(TL_E_NO_COMPILER, "%s lacks the functions it should export", tried.c_str());
  const char *theirs = buildIdFunction();
  size_t length = std::strlen(buildId());
  // The compiler's id continues ours with the version of LLVM.
  if (std::strncmp(theirs, buildId(), length) != 0)
    return makeError(TL_E_NO_COMPILER, "%s is of another build: %s, not %s", tried.c_str(), theirs,
                     buildId());
  return library;
}

Result<Bytes> CompilerLibrary::compile(std::span<const uint8_t> request,
                                       BuildTiming &timing) const {
  tl_compiler_output output{};
  output.struct_size = sizeof output;
  int32_t status = compileFunction(request.data(), request.size(), &output);
  std::span<const uint8_t> bytes(output.bytes, output.size);
  timing = {output.ms_passes, output.ms_llvm_opt, output.ms_llvm_codegen, output.ms_link,
            output.ms_total};
  Result<Bytes> result = status == TL_OK ? Result<Bytes>(Bytes(bytes.begin(), bytes.end()))
                         : output.bytes
                             ? Result<Bytes>(decodeError(bytes))
                             : Result<Bytes>(makeError(status, "the compiler library reported: %s",
                                                       statusText(status)));
  freeFunction(&output);
  return result;
}

} // namespace tl
