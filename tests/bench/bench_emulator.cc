// How fast the emulator is: a product of 512 x 512 f16 matrices with matrix instructions on two
// threads.
#include "emu/matmul.h"

#include <algorithm>
#include <chrono>

using namespace emutest;

namespace {

double milliseconds(Matmul &product) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    LaunchResult result = product.run();
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (result.status != LaunchStatus::Ok)
      std::printf("%s\n", result.message.c_str());
    best = std::min(best, time.count());
  }
  return best;
}

} // namespace

int main() {
  for (const char *chip : {"gfx942", "gfx1100"})
    for (auto mode : {Options::Accumulation::Cdna, Options::Accumulation::Ordered})
      for (bool checks : {false, true}) {
        Options options;
        options.threads = 2;
        options.checks = checks;
        options.accumulation = mode;
        Machine machine(chip, options);
        Matmul product(machine, chip, 3, 512);
        double time = milliseconds(product);
        std::printf("%-8s matmul 512 f16, %s, %s: %.1f ms, %zu wrong\n", chip,
                    mode == Options::Accumulation::Cdna ? "cdna model" : "in order",
                    checks ? "checked" : "unchecked", time, product.wrong());
      }
  return 0;
}
