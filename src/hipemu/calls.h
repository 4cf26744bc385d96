// What the functions of functions.def do. Called through the entries of entry.cc, which have
// checked what the table's rules ask for.
#pragma once

#include "hipemu/abi.h"

namespace tl::hipemu::calls {

#define TL_HIP(NODE, SINCE, RULES, NAME, PARAMETERS, ARGUMENTS) int NAME PARAMETERS;
#define TL_HIP_OTHER(NODE, SINCE, RETURN, NAME, PARAMETERS, ARGUMENTS) RETURN NAME PARAMETERS;
#include "hipemu/functions.def"

} // namespace tl::hipemu::calls
