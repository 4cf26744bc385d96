// How far memory of the host can be read.
#pragma once

#include <cstddef>

namespace tl::emu {

/// The bytes from an address on to the end of what is mapped there without a gap and can be read: 0
/// when nothing is. SIZE_MAX where the system does not say it.
size_t mappedBytes(const void *address);

} // namespace tl::emu
