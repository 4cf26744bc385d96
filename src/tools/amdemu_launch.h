// The launch of amdemu: a JSON file, buffers from and to files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace amdemu {

struct LaunchArguments {
  std::vector<uint8_t> codeObject;
  std::string launchFile;
  bool report = false, json = false, checks = true;
  uint32_t threads = 0;
  uint64_t seed = 0, budget = 0;
};

/// 0: ran to its end; 1: the launch failed; 2: wrong input.
int launchCommand(const LaunchArguments &arguments);

} // namespace amdemu
