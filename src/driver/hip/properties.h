// The few facts of a HIP device that only hipDeviceProp_t tells. Its layout changed in HIP 6.0
// while the function's name stayed, so it is read from bytes at published offsets.
#pragma once

#include "driver/hip/library.h"

namespace tl {

struct HipProperties {
  std::string name; // "AMD Instinct MI300X"
  std::string arch; // "gfx942", without ":sramecc+:xnack-"
};

Result<HipProperties> readHipProperties(const HipLibrary &library, int device);

} // namespace tl
