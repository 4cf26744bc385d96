// The emu devices: the HIP driver over the stand-in runtime, libtilelang-hipemu, which is opened
// when they are first asked for.
#pragma once

#include "driver/driver.h"

namespace tl {

/// Opens $TL_HIPEMU_LIBRARY (unless the environment is to be ignored), or the file beside this
/// library, or what the system finds; devices are named "emu:gfx942". TL_E_NO_DEVICE names what was
/// tried.
Result<std::shared_ptr<Driver>> openEmulator(bool ignoreEnvironment);

} // namespace tl
