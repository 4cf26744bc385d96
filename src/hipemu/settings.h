// What a user can set: by environment variables TL_EMU_* (not read by setuid programs), or by
// tl_hipemu_configure. options.def is the table.
#pragma once

#include "emu/emulator.h"
#include "support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tl::hipemu {

/// Copies between devices and ordinary (pageable) host memory by hip*Async functions.
enum class Pageable : uint8_t {
  Staged, // to a device: the host's bytes are read before the call returns; else asynchronous
  Async,  // the host's memory is read and written when the stream comes by
  Sync,   // the call returns when the copy is done, as HIP documents it
};

struct Settings {
  std::string library; // of the emulator; empty: beside this library, then by name
  std::string devices = "gfx942";
  uint32_t version = 602; // major * 100 + minor of the HIP that is played
  emu::Options options;
  uint64_t delay = 0;  // microseconds that an operation is held up at most
  uint64_t memory = 0; // bytes of each device; 0 = as many as the chip has
  std::string fail, hide, trace, report;
  Pageable pageable = Pageable::Staged;
  bool log = true;                   // faults are reported on stderr
  std::vector<std::string> problems; // of the environment

  /// Sets one option from text; a message says what would be right.
  Status set(std::string_view key, std::string_view value);
  /// The text of an option's value now.
  std::string text(std::string_view key) const;
  /// Reads the environment.
  static Settings fromEnvironment();
  /// Whether an option has effect only before the machine is made.
  static bool fixedAtStart(std::string_view key);
  /// The environment variable of an option: TL_EMU_DEVICES.
  static std::string variable(std::string_view key);
  /// Whether the environment has set an option.
  static bool inEnvironment(std::string_view key);
};

/// Splits at a character and drops blanks around the parts; empty parts are left out.
std::vector<std::string> split(std::string_view text, char separator);

} // namespace tl::hipemu
