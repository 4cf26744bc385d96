#include "driver/cuda/library.h"

#include "driver/library_search.h"

#include <dlfcn.h>

namespace tl {

static constexpr const char *names[] = {"libcuda.so.1"};

std::string CudaLibrary::errorName(int code) const {
  const char *name = nullptr;
  if (cuGetErrorName && cuGetErrorName(code, &name) == cuda::success && name)
    return name;
  return formatString("error %d", code);
}

tl_status CudaLibrary::statusOf(int code) {
  if (code == cuda::success)
    return TL_OK;
  return code == cuda::errorOutOfMemory ? TL_E_OUT_OF_MEMORY : TL_E_DRIVER;
}

ErrorPtr CudaLibrary::error(int code, const char *call) const {
  ErrorPtr error = makeError(statusOf(code), "%s: %s (%d)", call, errorName(code).c_str(), code);
  error->native = code;
  return error;
}

std::string CudaLibrary::fill() {
#define TL_CUDA(NEED, NAME, PARAMETERS)                                                            \
  NAME = reinterpret_cast<decltype(NAME)>(dlsym(handle, #NAME));                                   \
  if (!NAME && std::string_view(#NEED) == "Required")                                              \
    return #NAME;
#include "driver/cuda/symbols.def"
  cuGetErrorName = reinterpret_cast<decltype(cuGetErrorName)>(dlsym(handle, "cuGetErrorName"));
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(cuInit), &info) && info.dli_fname)
    path = info.dli_fname;
  return "";
}

Result<std::shared_ptr<CudaLibrary>> CudaLibrary::open(const CudaDriverOptions &options) {
  std::shared_ptr<CudaLibrary> library(new CudaLibrary);
  auto missing = [&](void *handle) {
    library->handle = handle;
    return library->fill();
  };
  TL_ASSIGN(FoundLibrary found,
            findLibrary({.what = "NVIDIA driver",
                         .handle = options.handle,
                         .path = options.path,
                         .variable = options.ignoreEnvironment ? nullptr : "TL_CUDA_LIBRARY",
                         .names = names},
                        missing));
  library->owned = found.owned;
  return library;
}

CudaLibrary::~CudaLibrary() {
  if (owned)
    dlclose(handle);
}

CudaCurrentContext::CudaCurrentContext(const CudaLibrary &library, void *context) noexcept
    : library(library) {
  void *current = nullptr;
  status = library.cuCtxGetCurrent(&current);
  if (status != cuda::success || current == context)
    return;
  status = library.cuCtxPushCurrent_v2(context);
  pushed = status == cuda::success;
}

CudaCurrentContext::~CudaCurrentContext() {
  void *popped = nullptr;
  if (pushed)
    library.cuCtxPopCurrent_v2(&popped);
}

CudaRelaxedCapture::CudaRelaxedCapture(const CudaLibrary &library) noexcept : library(library) {
  exchanged = library.cuThreadExchangeStreamCaptureMode(&mode) == cuda::success;
}

CudaRelaxedCapture::~CudaRelaxedCapture() {
  if (exchanged)
    library.cuThreadExchangeStreamCaptureMode(&mode);
}

} // namespace tl
