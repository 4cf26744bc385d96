# cmake -DOUTPUT= -DVERSION= -DROOT= -DLIST= -P: writes the source file that defines tl::buildId().
file(STRINGS ${LIST} sources)
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${ROOT})
  string(APPEND all "${hash} ${source}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "support/build_id.h"

namespace tl {
const char *buildId() { return "@VERSION@+@hash@"; }
} // namespace tl
]])
