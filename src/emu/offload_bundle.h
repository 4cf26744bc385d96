// Clang's offload bundles, plain ("__CLANG_OFFLOAD_BUNDLE__") and compressed ("CCOB").
#pragma once

#include "support/bytes.h"
#include "support/result.h"

namespace tl::emu {

/// The code object of `chip` ("gfx942"; the features after a colon in an entry's id are ignored,
/// the code object itself has them). `sizeKnown`: whether `bytes` are the image's, or only what can
/// be read there at most. TL_E_UNSUPPORTED: none for this chip.
Result<Bytes> readOffloadBundle(const uint8_t *data, size_t bytes, bool sizeKnown,
                                const std::string &chip);

} // namespace tl::emu
