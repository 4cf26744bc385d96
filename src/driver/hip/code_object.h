// The structure of an AMD code object, checked before a runtime sees it: hipModuleLoadData gets no
// size and follows the file's own offsets.
#pragma once

#include "driver/elf_view.h"

namespace tl {

/// TL_E_CORRUPT unless headers, segments, sections, their names and symbols lie inside the bytes;
/// TL_E_UNSUPPORTED for another machine. The code itself is trusted, as that of a library would be.
Status checkCodeObject(ElfBytes file);

} // namespace tl
