// An Error as bytes: how the compiler library hands its diagnostics to libtilelang.
#pragma once

#include "support/bytes.h"
#include "support/result.h"

namespace tl {

Bytes encodeError(const Error &error);
/// Never fails: malformed bytes give a TL_E_CORRUPT error that says so.
ErrorPtr decodeError(std::span<const uint8_t> bytes);

} // namespace tl
