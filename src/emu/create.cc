// The exported function. This file is compiled for any x86-64 CPU, so that an old one gets a
// message and not an illegal instruction; it must not use templates that other files use too.
#include "emu/machine.h"

#include <cpuid.h>

#include <cstring>

extern "C" tl::emu::Emulator *tl_emu_create(const char *interface,
                                            const std::vector<std::string> &chips,
                                            const tl::emu::Options &options, std::string *message) {
  __builtin_cpu_init();
  bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kF16c = 1u << 29;
  able = able && __get_cpuid(1, &a, &b, &c, &d) && (c & kF16c);
  const char *why = nullptr;
  if (!able)
    why = "the emulator needs a CPU with AVX2, BMI2, FMA and F16C";
  else if (!interface || std::strcmp(interface, tl::emu::kInterface) != 0)
    why = "the emulator library is of another build than its user";
  if (why) {
    if (message)
      *message = why;
    return nullptr;
  }
  return tl::emu::createMachine(chips, options, message);
}
