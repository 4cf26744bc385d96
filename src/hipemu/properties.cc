// hipDeviceProp_t in its two layouts, and device attributes.

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

#include <cctype>
#include <cstring>

namespace tl::hipemu {

namespace {

constexpr int kMaxGridX = INT32_MAX, kMaxGridYZ = UINT16_MAX;
constexpr int kTimerKHz = 100'000; // s_memrealtime counts 100 MHz
// hipDeviceArch_t: 32-bit and 64-bit atomics, doubles, votes, ballots, shuffles, fences, 3d grids,
// as bits 0 to 10, 12 and 15.
constexpr uint32_t kArchBits = 0x7ff | 1u << 12 | 1u << 15;
constexpr size_t kBytesR0000 = 792, kBytesR0600 = 1472;
constexpr size_t kTextBytes = 256, kArchNameR0000 = 396, kArchNameR0600 = 1160, kUuidR0600 = 256;

/// "gfx942" is 9.4, stepping 2; "gfx1100" 11.0, stepping 0.
struct Arch {
  int major, minor, number;
};

Arch archOf(const emu::ChipInfo &chip) {
  std::string digits;
  for (const char *c = chip.name; *c; ++c)
    if (std::isdigit(static_cast<unsigned char>(*c)) || digits.size() > 1)
      digits += *c;
  size_t last = digits.size() - 1;
  return {std::atoi(digits.substr(0, last - 1).c_str()), digits[last - 1] - '0',
          std::atoi(digits.c_str())};
}

int registersPerBlock(const emu::ChipInfo &chip) {
  return int(chip.vectorRegisters * chip.waveSize * chip.simdsPerUnit);
}

int threadsPerUnit(const emu::ChipInfo &chip) {
  return int(chip.maxWavesPerSimd * chip.simdsPerUnit * chip.waveSize);
}

int pciBus(const Device &device) { return device.ordinal + 1; }

void fillUuid(const Device &device, char *bytes) {
  std::string text = formatString("GPU-emulated%4d", device.ordinal);
  std::memcpy(bytes, text.data(), 16);
}

int fillProperties(void *properties, int ordinal, bool newLayout) {
  Runtime &runtime = Runtime::get();
  if (!properties)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code == hipErrorNoDevice ? int(hipErrorNoDevice) : int(hipErrorInvalidDevice);
  const Device *found = runtime.device(ordinal);
  if (!found)
    return hipErrorInvalidDevice;
  const Device &device = *found;
  const emu::ChipInfo &chip = *device.chip;
  const Arch arch = archOf(chip);
  char *to = static_cast<char *>(properties);
  std::memset(to, 0, newLayout ? kBytesR0600 : kBytesR0000);
  std::snprintf(to, kTextBytes, "%s", chip.product);
  std::snprintf(to + (newLayout ? kArchNameR0600 : kArchNameR0000), kTextBytes, "%s", chip.name);
  if (newLayout)
    fillUuid(device, to + kUuidR0600);
  auto put = [&](int offset, size_t bytes, uint64_t value) {
    if (offset >= 0)
      std::memcpy(to + offset, &value, bytes); // little endian
  };
#define TL_HIP_PROPERTY(NAME, R0000, R0600, BYTES, VALUE)                                          \
  put(newLayout ? R0600 : R0000, BYTES, uint64_t(VALUE));
#include "hipemu/properties.def"
  return hipSuccess;
}

} // namespace

namespace calls {

int hipGetDeviceProperties(void *properties, int device) {
  return fillProperties(properties, device, false);
}
int hipGetDevicePropertiesR0000(void *properties, int device) {
  return fillProperties(properties, device, false);
}
int hipGetDevicePropertiesR0600(void *properties, int device) {
  return fillProperties(properties, device, true);
}

int hipDeviceGetUuid(hipUUID *uuid, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!uuid)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  const Device *device = runtime.device(ordinal);
  if (!device)
    return hipErrorInvalidDevice;
  fillUuid(*device, uuid->bytes);
  return hipSuccess;
}

int hipDeviceGetPCIBusId(char *text, int bytes, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!text || bytes <= 0)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  const Device *device = runtime.device(ordinal);
  if (!device)
    return hipErrorInvalidDevice;
  std::snprintf(text, size_t(bytes), "0000:%02x:00.0", pciBus(*device));
  return hipSuccess;
}

int hipDeviceGetAttribute(int *value, int attribute, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!value)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  const Device *found = runtime.device(ordinal);
  if (!found)
    return hipErrorInvalidDevice;
  const Device &device = *found;
  const emu::ChipInfo &chip = *device.chip;
  const Arch arch = archOf(chip);
  const int version = int(runtime.settings().version);
  switch (attribute) {
#define TL_HIP_ATTRIBUTE(NAME, NUMBER, FIRST, LAST, VALUE)                                         \
  case NUMBER:                                                                                     \
    if (version < FIRST || version > LAST)                                                         \
      return hipErrorInvalidValue;                                                                 \
    *value = int(std::min<uint64_t>(uint64_t(VALUE), INT32_MAX));                                  \
    return hipSuccess;
#include "hipemu/properties.def"
  }
  return hipErrorInvalidValue;
}

int hipDeviceComputeCapability(int *major, int *minor, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!major || !minor)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  const Device *device = runtime.device(ordinal);
  if (!device)
    return hipErrorInvalidDevice;
  *major = archOf(*device->chip).major;
  *minor = archOf(*device->chip).minor;
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
