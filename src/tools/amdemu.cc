// amdemu: runs a kernel of an AMDGPU code object in the emulator, or lists the instructions that
// code objects use.
#include "amdemu_launch.h"

#include "emu/census.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace amdemu;

namespace {

bool readFile(const std::string &path, std::vector<uint8_t> &bytes) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return false;
  bytes.assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

int census(const std::vector<std::string> &files) {
  uint64_t missing = 0;
  for (const std::string &path : files) {
    std::vector<uint8_t> bytes;
    if (!readFile(path, bytes)) {
      std::fprintf(stderr, "amdemu: cannot read %s\n", path.c_str());
      return 2;
    }
    auto rows = tl::emu::takeCensus(bytes);
    if (!rows) {
      std::fprintf(stderr, "amdemu: %s: %s\n", path.c_str(), rows.error().message.c_str());
      return 2;
    }
    for (const tl::emu::CensusRow &row : *rows) {
      std::printf("%8llu %s%s\n", static_cast<unsigned long long>(row.count), row.mnemonic.c_str(),
                  row.implemented ? "" : "  UNIMPLEMENTED");
      missing += !row.implemented;
    }
  }
  return missing ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Executes AMDGPU code objects on the CPU"};
  std::vector<std::string> files;
  LaunchArguments arguments;
  bool wantsCensus = false;
  app.add_option("CODEOBJECT", files, "code objects; one, unless --census is given")->required();
  app.add_option("--launch", arguments.launchFile, "what to launch: a JSON file");
  app.add_flag("--census", wantsCensus,
               "list the instructions used; status 1 when the emulator does not know one");
  app.add_flag("--report", arguments.report, "print what the checks found");
  app.add_flag("--json", arguments.json, "print the report as JSON");
  app.add_flag("!--no-checks", arguments.checks, "only look for faults");
  app.add_option("--threads", arguments.threads, "workers; default: all processors");
  app.add_option("--seed", arguments.seed, "order of waves");
  app.add_option("--budget", arguments.budget, "wave instructions until a launch counts as hung");
  CLI11_PARSE(app, argc, argv);
  if (wantsCensus)
    return census(files);
  if (files.size() != 1 || arguments.launchFile.empty()) {
    std::fprintf(stderr, "amdemu: give one code object and --launch FILE, or --census\n");
    return 2;
  }
  if (!readFile(files[0], arguments.codeObject)) {
    std::fprintf(stderr, "amdemu: cannot read %s\n", files[0].c_str());
    return 2;
  }
  return launchCommand(arguments);
}
