// The emulator's report for commands that ran something on an emu device: asked of the stand-in HIP
// runtime that libtilelang has opened.
#pragma once

#include <cstdint>
#include <string>

namespace tlc {

/// Lets the emulator count what a profile needs; before the context is made.
void askForReport();
/// Whether the emulator was opened.
bool emulatorIsThere();
/// The report as text or JSON; fails when no emu device was used.
std::string emulatorReport(bool json);
/// How many findings a report would have; 0 without an emulated device.
uint64_t emulatorFindings();
/// The sentence behind the faults of emulated devices, "" when there was none.
std::string emulatorFault();

} // namespace tlc
