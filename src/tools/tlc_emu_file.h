// The launch file of `tlc emu`: JSON that names a chip, a kernel, a grid and the arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlc {

/// A buffer that a kernel gets a pointer to.
struct LaunchBuffer {
  std::string file;    // raw bytes, relative to the launch file; empty: `bytes` of memory
  uint64_t bytes = 0;  //
  bool filled = false; // with `fill`; otherwise the memory is not written
  uint8_t fill = 0;
  std::string out; // where the bytes go after the launch; may be empty
};

struct LaunchArgument {
  bool isBuffer = false;
  LaunchBuffer buffer;
  uint64_t bits = 0; // of a value, in the low `bytes` bytes
  uint32_t bytes = 0;
};

struct LaunchFile {
  std::string chip, kernel;
  uint32_t grid[3] = {1, 1, 1};      // workgroups
  uint32_t block[3] = {1, 1, 1};     // threads of a workgroup
  uint32_t remainder[3] = {0, 0, 0}; // threads of the last workgroup, 0 = a whole one
  uint32_t dynamicLds = 0;           // bytes
  std::vector<LaunchArgument> arguments;
};

/// What is wrong with a launch file: one sentence without the file's name.
struct LaunchFileError {
  std::string text;
};

/// Reads a launch file's text. Throws LaunchFileError.
LaunchFile readLaunchFile(const std::string &text);

} // namespace tlc
