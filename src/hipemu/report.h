// What the machine has found, as text or JSON, and the library's own C functions for programs that
// use it as a tool: libtilelang's emu devices and tlc.
#pragma once

#include "emu/emulator.h"

#include <string>

namespace tl::hipemu {

class Runtime;

/// Writes the report to a file ("-": stderr); JSON when its name ends so. Work must be finished.
void writeReportFile(Runtime &runtime, const std::string &path);

} // namespace tl::hipemu

#pragma GCC visibility push(default)
extern "C" {
/// Changes settings, "key=value;key=value"; "key?=value" sets only what the environment has not.
/// 0, or 1 with a message of at most `bytes` characters.
int tl_hipemu_configure(const char *settings, char *message, size_t bytes);
/// Waits for all streams and copies the report (0 = text, 1 = JSON) to `text`, at most `bytes` with
/// the end mark. Returns the length of the whole report.
size_t tl_hipemu_report(int format, char *text, size_t bytes);
/// Faults found by the checks.
uint64_t tl_hipemu_finding_count(void);
/// Forgets what was found; waits for all streams before.
void tl_hipemu_clear(void);
/// Why a device answers with errors since a fault, or why there is no device (-1): copied as by
/// tl_hipemu_report; empty when all is well.
size_t tl_hipemu_fault(int device, char *text, size_t bytes);
/// From the next launch on, reports and faults name files[i]:places[i] for line lines[i] of a
/// module's debug info. A HIP error code.
int tl_hipemu_map_lines(void *module, size_t count, const uint32_t *lines, const char *const *files,
                        const uint32_t *places);
}
#pragma GCC visibility pop
