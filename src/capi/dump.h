// TL_DUMP=after:PASS, for whoever works on the passes: each build prints the graph as it is after
// that pass to stderr; after:all prints it after every pass.
#pragma once

#include <string>

namespace tl {

/// The pass that TL_DUMP names, or "" (also for programs that run with other rights than their
/// user).
std::string dumpAfter(bool ignoreEnvironment);
/// Prints its part of a listing of passes; "" does nothing.
void printDump(const std::string &pass, const std::string &listing);

} // namespace tl
