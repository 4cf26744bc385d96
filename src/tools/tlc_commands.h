// The commands of tlc, one function each; they print, and throw Failed when they cannot do what was
// asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlc {

struct BuildArguments {
  std::vector<std::string> files, kernels, targets, set, emit, opt;
  std::string out;
  bool all = false, stats = false;
};

struct RunArguments {
  std::string file, kernel, device = "auto";
  std::vector<std::string> set, in, out, shape;
  uint64_t seed = 0;
  uint32_t repeat = 0;
  bool check = false, json = false, report = false;
};

struct EmuArguments {
  std::vector<std::string> files;
  std::string launchFile;
  bool census = false, report = false, json = false, checks = true;
  uint32_t threads = 0, perturbation = 0;
  uint64_t seed = 0, budget = 0;
  std::string accumulation = "cdna", bufferRange = "dword";
};

void checkCommand(const std::vector<std::string> &files);
void printCommand(const std::string &file, const std::string &kernel, bool canonical,
                  const std::vector<std::string> &set);
void buildCommand(const BuildArguments &arguments);
void runCommand(const RunArguments &arguments);
void emuCommand(const EmuArguments &arguments);
void devicesCommand(bool json);

} // namespace tlc
