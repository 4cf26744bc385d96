// Clang's offload bundles, plain ("__CLANG_OFFLOAD_BUNDLE__") and compressed ("CCOB").
#pragma once

#include "support/bytes.h"
#include "support/result.h"

namespace tl::emu {

/// The code object of `chip` ("gfx942"; the features after a colon in an entry's id are ignored,
/// the code object itself has them). `bytes` may be SIZE_MAX. TL_E_UNSUPPORTED: none for this chip.
Result<Bytes> readOffloadBundle(const uint8_t *data, size_t bytes, const std::string &chip);

} // namespace tl::emu
