// tests/emu/kernels/matmul.cl on small integers, whose products any order of sums gives exactly.
#pragma once

#include "emu_test.h"

#include <random>

namespace emutest {

class Matmul {
public:
  Matmul(Machine &machine, const std::string &chip, int level, unsigned n)
      : machine(machine), n(n), valuesA(size_t(n) * n), valuesB(size_t(n) * n) {
    if (machine.load(kernelFile("matmul", chip, level)) != LoadStatus::Ok)
      unit::fail(__FILE__, __LINE__, machine.message);
    std::mt19937 random(1);
    auto fill = [&](std::vector<int> &values) {
      std::vector<uint16_t> halves;
      for (int &value : values) {
        value = int(random() % 9) - 4;
        // 1, 2, 3, 4 as f16
        static const uint16_t magnitudes[5] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
        halves.push_back(
            uint16_t(magnitudes[value < 0 ? -value : value] | (value < 0 ? 0x8000 : 0)));
      }
      return machine.upload(halves);
    };
    a = fill(valuesA);
    b = fill(valuesB);
    c = machine.upload(std::vector<float>(size_t(n) * n));
    threads = machine.module && machine.emulator->chip(0).waveSize == 32 ? 32 : 64;
  }

  LaunchResult run() {
    return machine.launch("matmul", {n / 32, n / 32}, {threads}, a, b, c, int(n));
  }

  /// Elements that a plain loop has otherwise.
  size_t wrong() {
    auto got = machine.download<float>(c, size_t(n) * n);
    size_t count = 0;
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j) {
        int sum = 0;
        for (unsigned k = 0; k < n; ++k)
          sum += valuesA[i * n + k] * valuesB[j * n + k];
        count += got[i * n + j] != float(sum);
      }
    return count;
  }

private:
  Machine &machine;
  unsigned n, threads;
  std::vector<int> valuesA, valuesB;
  uint64_t a = 0, b = 0, c = 0;
};

} // namespace emutest
