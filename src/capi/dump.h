// TL_DUMP=after:PASS, for whoever works on the passes: each compile prints the graph as it is after
// that pass to stderr; after:all prints it after every pass.
#pragma once

#include <string>

namespace tl {

/// TL_DUMP, or "" (also for programs that run with other rights than their user).
std::string dumpSetting(bool ignoreEnvironment);
/// Prints what the setting names of a listing of passes. False if it names none.
bool printDump(const std::string &setting, const std::string &listing);
/// Says what a setting may be.
void printKnownDumps(const std::string &setting, const std::string &listing);

} // namespace tl
