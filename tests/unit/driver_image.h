// Builds host kernels from C at test time, as the code generator does from graphs: an object, and
// the image that lld links from it.
#pragma once

#include "artifact/artifact.h"
#include "driver/host/cpu.h"
#include "unit_test.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace driver_test {

inline const std::string &llvmBin() {
  static const std::string directory = "/usr/lib/llvm-22/bin/";
  return directory;
}

/// Why images cannot be built here; empty when they can.
inline std::string missingTool() {
  for (const char *tool : {"clang", "ld.lld"})
    if (access((llvmBin() + tool).c_str(), X_OK) != 0)
      return llvmBin() + tool + " is missing";
  return tl::hostTarget().empty() ? "this CPU is below x86-64-v3" : "";
}

/// A directory of its own, removed with the object.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    char name[] = "/tmp/tl-driver-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

inline tl::Bytes readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return tl::Bytes(std::istreambuf_iterator<char>(in), {});
}

inline void writeFile(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Output of a command (both streams); `status` as of std::system.
inline std::string runCommand(const std::string &command, int &status) {
  TemporaryDirectory directory;
  std::string log = directory.path() + "/log";
  status = std::system((command + " >" + log + " 2>&1 </dev/null").c_str());
  tl::Bytes bytes = readFile(log);
  return std::string(bytes.begin(), bytes.end());
}

struct BuildOptions {
  std::string compile = "-O2 -g -fPIC -march=x86-64-v3 -ffreestanding -fvisibility=hidden";
  std::string link = "-shared -Bsymbolic -z noexecstack -z max-page-size=4096 --build-id=none "
                     "--hash-style=sysv --no-eh-frame-hdr --strip-debug";
  std::string fileName = "kernel.c"; // what debug information calls the source
};

/// Code of the function `symbol` in C text `source`; an empty target when the tools failed
/// (reported).
inline tl::TargetCode buildKernel(const std::string &source, const std::string &symbol,
                                  const BuildOptions &options = {}) {
  TemporaryDirectory directory;
  std::string object = directory.path() + "/kernel.o", image = directory.path() + "/kernel.img";
  writeFile(directory.path() + "/" + options.fileName,
            "#include <stdint.h>\n#define KERNEL __attribute__((visibility(\"default\"))) void\n"
            "#line 1\n" +
                source);
  int status;
  std::string log =
      runCommand("cd " + directory.path() + " && " + llvmBin() + "clang " + options.compile +
                     " -c " + options.fileName + " -o " + object + " && " + llvmBin() + "ld.lld " +
                     options.link + " " + object + " -o " + image,
                 status);
  tl::TargetCode code;
  if (status != 0) {
    unit::fail(__FILE__, __LINE__, log);
    return code;
  }
  code.target = "host:x86-64-v3";
  code.symbol = symbol;
  code.code = readFile(image);
  code.object = readFile(object);
  return code;
}

} // namespace driver_test
