#include "driver/hip/library.h"

#include "driver/library_search.h"

#include <dlfcn.h>
#include <link.h>

namespace tl {

// Newest first: a development link, then the versioned names of HIP 8 to 5.
static constexpr const char *kNames[] = {"libamdhip64.so", "libamdhip64.so.8", "libamdhip64.so.7",
                                         "libamdhip64.so.6", "libamdhip64.so.5"};

std::string HipLibrary::errorName(int code) const {
  const char *name = hipGetErrorName ? hipGetErrorName(code) : nullptr;
  return name ? name : formatString("error %d", code);
}

tl_status HipLibrary::statusOf(int code) {
  if (code == hip::kSuccess)
    return TL_OK;
  return code == hip::kErrorOutOfMemory ? TL_E_OUT_OF_MEMORY : TL_E_DRIVER;
}

ErrorPtr HipLibrary::error(int code, const char *call) const {
  ErrorPtr error = makeError(statusOf(code), "%s: %s (%d)", call, errorName(code).c_str(), code);
  // The stand-in runtime can say what a kernel did.
  char sentence[1024] = "";
  int device = 0;
  if (tl_hipemu_fault && hipGetDevice(&device) == hip::kSuccess)
    tl_hipemu_fault(device, sentence, sizeof sentence);
  if (*sentence)
    error->message += std::string(": ") + sentence;
  error->native = code;
  return error;
}

std::string HipLibrary::fill() {
#define TL_HIP(NEED, NAME, PARAMETERS)                                                             \
  NAME = reinterpret_cast<decltype(NAME)>(dlsym(handle, #NAME));                                   \
  if (!NAME && std::string_view(#NEED) == "Required")                                              \
    return #NAME;
#include "driver/hip/symbols.def"
  hipGetErrorName = reinterpret_cast<decltype(hipGetErrorName)>(dlsym(handle, "hipGetErrorName"));
  tl_hipemu_fault = reinterpret_cast<decltype(tl_hipemu_fault)>(dlsym(handle, "tl_hipemu_fault"));
  tl_hipemu_map_lines =
      reinterpret_cast<decltype(tl_hipemu_map_lines)>(dlsym(handle, "tl_hipemu_map_lines"));
  // Where the file is, by one of its functions: a host's handle may be a library that links to it.
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(hipInit), &info) && info.dli_fname)
    path = info.dli_fname;
  return "";
}

Result<std::shared_ptr<HipLibrary>> HipLibrary::open(const HipDriverOptions &options) {
  std::shared_ptr<HipLibrary> library(new HipLibrary);
  auto missing = [&](void *handle) {
    library->handle = handle;
    return library->fill();
  };
  TL_ASSIGN(FoundLibrary found,
            findLibrary({.what = "HIP runtime",
                         .handle = options.handle,
                         .path = options.path,
                         .variable = options.ignoreEnvironment ? nullptr : "TL_HIP_LIBRARY",
                         .names = kNames},
                        missing));
  library->owned = found.owned;
  return library;
}

HipLibrary::~HipLibrary() {
  if (owned)
    dlclose(handle);
}

HipCurrentDevice::HipCurrentDevice(const HipLibrary &library, int device) noexcept
    : library(library) {
  int current = -1;
  status = library.hipGetDevice(&current);
  if (status != hip::kSuccess || current == device)
    return;
  status = library.hipSetDevice(device);
  if (status == hip::kSuccess)
    before = current;
}

HipCurrentDevice::~HipCurrentDevice() {
  if (before >= 0)
    library.hipSetDevice(before);
}

HipRelaxedCapture::HipRelaxedCapture(const HipLibrary &library) noexcept : library(library) {
  exchanged = library.hipThreadExchangeStreamCaptureMode(&mode) == hip::kSuccess;
}

HipRelaxedCapture::~HipRelaxedCapture() {
  if (exchanged)
    library.hipThreadExchangeStreamCaptureMode(&mode);
}

} // namespace tl
