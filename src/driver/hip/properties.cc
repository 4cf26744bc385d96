#include "driver/hip/properties.h"

#include <algorithm>
#include <cstring>

namespace tl {

namespace {

// hipDeviceProp_t, read from the headers of HIP 5.2.3, 5.7.1 (792 bytes, "R0000") and 6.0.0, 6.2.2
// and the bindings of 7.2 (1,472 bytes, "R0600"). hipGetDeviceProperties fills R0000 in every
// version; 6.0 and later export hipGetDevicePropertiesR0600 too. Both texts are char[256].
constexpr size_t kTextBytes = 256;
constexpr size_t kNameOffset = 0; // both layouts
constexpr size_t kArchOffsetR0000 = 396;
constexpr size_t kArchOffsetR0600 = 1160;
// More than any layout has, for later ones that have grown.
constexpr size_t kBufferBytes = 4096;

std::string textAt(const char *bytes, size_t offset) {
  return std::string(bytes + offset, strnlen(bytes + offset, kTextBytes));
}

} // namespace

Result<HipProperties> readHipProperties(const HipLibrary &library, int device) {
  alignas(16) char bytes[kBufferBytes] = {};
  size_t archOffset = kArchOffsetR0600;
  int code;
  if (library.hipGetDevicePropertiesR0600) {
    code = library.hipGetDevicePropertiesR0600(bytes, device);
  } else if (library.hipGetDeviceProperties) {
    archOffset = kArchOffsetR0000;
    code = library.hipGetDeviceProperties(bytes, device);
  } else {
    return makeError(TL_E_DRIVER, "%s has no hipGetDeviceProperties", library.path.c_str());
  }
  if (code != hip::kSuccess)
    return library.error(code, "hipGetDeviceProperties");
  HipProperties properties{textAt(bytes, kNameOffset), textAt(bytes, archOffset)};
  // "gfx90a:sramecc+:xnack-": the modes after the colon do not matter to code without them.
  properties.arch.resize(std::min(properties.arch.find(':'), properties.arch.size()));
  return properties;
}

} // namespace tl
