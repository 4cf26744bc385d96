// Where the library or program that this code is linked into lies: its partners are looked for
// there first.
#pragma once

#include <string>

namespace tl {

/// With a slash at its end; empty if unknown.
std::string ownDirectory();

} // namespace tl
