// What a host image must not contain, checked on the linked bytes.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <span>

namespace tl {

/// TL_E_INTERNAL if the image imports anything, has TLS, IFUNCs or constructors, a segment that is
/// writable and executable, or a relocation other than RELATIVE: our loader maps it and runs it
/// without a dynamic linker.
Status checkHostImage(std::span<const uint8_t> image);

} // namespace tl
