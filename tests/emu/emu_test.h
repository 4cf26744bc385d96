// A machine, its memory, and launches with little ceremony.
#pragma once

#include "emu/emulator.h"
#include "unit/unit_test.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace emutest {

using namespace tl::emu;

inline std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The code object of tests/emu/kernels/NAME.cl.
inline std::vector<uint8_t> kernelFile(const std::string &name, const std::string &chip,
                                       int level) {
  return readFile(std::string(TL_EMU_KERNELS) + "/" + name + "_" + chip + "_O" +
                  std::to_string(level) + ".co");
}

/// Assembles a code object; empty when clang complains.
inline std::vector<uint8_t> assemble(const std::string &text, const std::string &chip) {
  std::string base =
      std::string(TL_EMU_KERNELS) + "/assembled_" + chip + "_" + std::to_string(getpid());
  std::ofstream(base + ".s") << text;
  std::string command = std::string(TL_CLANG) +
                        " -x assembler -target amdgcn-amd-amdhsa -mcpu=" + chip + " " + base +
                        ".s -o " + base + ".co";
  bool good = std::system(command.c_str()) == 0;
  std::vector<uint8_t> object = good ? readFile(base + ".co") : std::vector<uint8_t>();
  std::filesystem::remove(base + ".co");
  if (good)
    std::filesystem::remove(base + ".s");
  return object;
}

struct Machine {
  explicit Machine(const std::string &chip, Options options = {}) {
    std::string message;
    emulator.reset(tl_emu_create(kInterface, {chip}, options, &message));
    if (!emulator)
      unit::fail(__FILE__, __LINE__, message);
  }
  LoadStatus load(const std::vector<uint8_t> &image) {
    LoadResult result = emulator->load(image.data(), image.size(), 0);
    message = result.message;
    module = std::move(result.module);
    return result.status;
  }
  /// Device memory with the contents of a vector.
  template <class T> uint64_t upload(const std::vector<T> &values) {
    uint64_t address = emulator->allocate(values.size() * sizeof(T), MemoryKind::Device, 0);
    emulator->copy(address, reinterpret_cast<uint64_t>(values.data()), values.size() * sizeof(T),
                   Operation(), &message);
    return address;
  }
  template <class T> std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    emulator->copy(reinterpret_cast<uint64_t>(values.data()), address, count * sizeof(T),
                   Operation(), &message);
    return values;
  }
  /// Arguments are laid out one after the other, aligned to their sizes.
  template <class... A>
  LaunchResult launch(const std::string &kernel, std::vector<uint32_t> grid,
                      std::vector<uint32_t> block, A... arguments) {
    LaunchRequest request;
    request.kernel = module ? module->findKernel(kernel) : nullptr;
    if (!request.kernel) {
      unit::fail(__FILE__, __LINE__, "no kernel " + kernel);
      return {};
    }
    for (size_t i = 0; i < grid.size(); ++i)
      request.grid[i] = grid[i];
    for (size_t i = 0; i < block.size(); ++i)
      request.block[i] = block[i];
    std::vector<uint8_t> bytes;
    [[maybe_unused]] auto append = [&](auto value) {
      bytes.resize((bytes.size() + sizeof(value) - 1) / sizeof(value) * sizeof(value));
      auto *raw = reinterpret_cast<const uint8_t *>(&value);
      bytes.insert(bytes.end(), raw, raw + sizeof(value));
    };
    (append(arguments), ...);
    request.kernarg = bytes.data();
    request.kernargBytes = bytes.size();
    request.dynamicLds = dynamicLds;
    LaunchResult result = emulator->launch(request);
    message = result.message;
    return result;
  }

  std::unique_ptr<Emulator> emulator;
  std::unique_ptr<Module> module;
  std::string message;
  uint32_t dynamicLds = 0;
};

} // namespace emutest
