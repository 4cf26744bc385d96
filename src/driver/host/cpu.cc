#include "driver/host/cpu.h"

#include <cpuid.h>
#include <cstring>

namespace tl {

namespace {

enum class Register : uint8_t { Eax, Ebx, Ecx, Edx };
enum class State : uint8_t { None, Ymm, Zmm };

struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  State state;
  uint8_t level;
};

constexpr Feature table[] = {
#define TL_CPU_FEATURE(ID, NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE, LEVEL)                       \
  {NAME, LEAF, SUBLEAF, Register::REGISTER, BIT, State::STATE, LEVEL},
#include "driver/host/cpu_features.def"
};
constexpr size_t kFeatures = std::size(table);
static_assert(kFeatures <= 64, "HostTarget::features has 64 bits");

constexpr std::string_view kPrefix = "host:";

uint64_t levelFeatures(int level) {
  uint64_t mask = 0;
  for (size_t i = 0; i < kFeatures; ++i)
    if (table[i].level != 0 && table[i].level <= level)
      mask |= uint64_t(1) << i;
  return mask;
}

bool cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]) {
  return __get_cpuid_count(leaf, subleaf, &out[0], &out[1], &out[2], &out[3]) != 0;
}

// XCR0: the register state that the operating system saves (SDM volume 1, 13.3).
uint64_t savedState() {
  uint32_t leaf1[4] = {};
  constexpr uint32_t osxsave = 1u << 27;
  if (!cpuid(1, 0, leaf1) || !(leaf1[2] & osxsave))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

bool stateSaved(State state, uint64_t xcr0) {
  constexpr uint64_t ymm = 0x6, zmm = 0xe6; // SSE and AVX; with opmask and both halves of ZMM
  switch (state) {
  case State::None:
    return true;
  case State::Ymm:
    return (xcr0 & ymm) == ymm;
  case State::Zmm:
    return (xcr0 & zmm) == zmm;
  }
  return false;
}

uint64_t detectFeatures() {
  uint64_t xcr0 = savedState(), mask = 0;
  for (size_t i = 0; i < kFeatures; ++i) {
    const Feature &f = table[i];
    uint32_t out[4] = {};
    if (f.subleaf > 0 && (!cpuid(f.leaf, 0, out) || out[0] < f.subleaf))
      continue;
    if (cpuid(f.leaf, f.subleaf, out) && (out[size_t(f.reg)] >> f.bit & 1) &&
        stateSaved(f.state, xcr0))
      mask |= uint64_t(1) << i;
  }
  return mask;
}

std::string names(uint64_t mask, const char *prefix, const char *separator) {
  std::string text;
  for (size_t i = 0; i < kFeatures; ++i)
    if (mask >> i & 1)
      text += (text.empty() ? "" : separator) + std::string(prefix) + std::string(table[i].name);
  return text;
}

} // namespace

std::string HostTarget::cpuName() const { return formatString("x86-64-v%d", level); }

std::string HostTarget::text() const {
  return std::string(kPrefix) + cpuName() + names(features & ~levelFeatures(level), "+", "");
}

bool HostTarget::has(std::string_view feature) const {
  for (size_t i = 0; i < kFeatures; ++i)
    if (table[i].name == feature)
      return features >> i & 1;
  return false;
}

Result<HostTarget> parseHostTarget(std::string_view text) {
  std::string whole(text);
  auto unknown = [&](const std::string &why) {
    return makeError(TL_E_UNKNOWN_TARGET, "'%s' is no host target: %s", whole.c_str(), why.c_str());
  };
  if (!text.starts_with(kPrefix))
    return unknown("it does not start with 'host:'");
  text.remove_prefix(kPrefix.size());
  auto word = [&text] {
    size_t end = text.find('+');
    std::string_view first = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end);
    return first;
  };
  HostTarget target;
  std::string_view level = word();
  if (level == "x86-64-v3")
    target.level = 3;
  else if (level == "x86-64-v4")
    target.level = 4;
  else
    return unknown("the level '" + std::string(level) + "' is neither x86-64-v3 nor x86-64-v4");
  target.features = levelFeatures(target.level);
  while (!text.empty()) {
    text.remove_prefix(1);
    std::string_view name = word();
    size_t i = 0;
    while (i < kFeatures && table[i].name != name)
      ++i;
    if (i == kFeatures)
      return unknown("the feature '" + std::string(name) + "' is unknown");
    target.features |= uint64_t(1) << i;
  }
  return target;
}

Result<HostTarget> detectHostTarget() {
  HostTarget target;
  target.features = detectFeatures();
  uint64_t missing = levelFeatures(3) & ~target.features;
  if (missing)
    return makeError(TL_E_CPU_FEATURES, "host code needs an x86-64-v3 CPU; this one (%s) lacks %s",
                     cpuBrand().c_str(), names(missing, "", ", ").c_str());
  target.level = (levelFeatures(4) & ~target.features) ? 3 : 4;
  return target;
}

std::string hostTarget() {
  auto target = detectHostTarget();
  return target.ok() ? target->text() : std::string();
}

Status checkHostTarget(std::string_view text) {
  TL_ASSIGN(HostTarget target, parseHostTarget(text));
  uint64_t missing = target.features & ~detectFeatures();
  if (missing)
    return makeError(
        TL_E_CPU_FEATURES, "code for %.*s does not run on this CPU (%s), which lacks %s",
        int(text.size()), text.data(), cpuBrand().c_str(), names(missing, "", ", ").c_str());
  return {};
}

std::string cpuBrand() {
  char text[49] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t out[4] = {};
    if (!cpuid(0x80000002 + i, 0, out))
      return "x86-64 CPU";
    std::memcpy(text + 16 * i, out, 16);
  }
  std::string brand(text);
  brand.erase(0, brand.find_first_not_of(' '));
  brand.erase(brand.find_last_not_of(' ') + 1);
  return brand.empty() ? "x86-64 CPU" : brand;
}

} // namespace tl
