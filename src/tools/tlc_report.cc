#include "tlc_report.h"
#include "tlc_common.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tlc {

// By its SONAME, and only if it is loaded already.
static void *findRuntime(const char *name) {
  void *library = dlopen("libtilelang-hipemu.so.0.1", RTLD_NOW | RTLD_NOLOAD);
  return library ? dlsym(library, name) : nullptr;
}

void askForReport() { setenv("TL_EMU_PROFILE", "1", 0); }

bool emulatorIsThere() { return findRuntime("tl_hipemu_report"); }

std::string emulatorReport(bool json) {
  auto report = reinterpret_cast<size_t (*)(int, char *, size_t)>(findRuntime("tl_hipemu_report"));
  if (!report)
    fail("--report: only emu devices have one");
  std::string text(report(json, nullptr, 0), 0);
  report(json, text.data(), text.size() + 1);
  return text;
}

uint64_t emulatorFindings() {
  auto count = reinterpret_cast<uint64_t (*)()>(findRuntime("tl_hipemu_finding_count"));
  return count ? count() : 0;
}

std::string emulatorFault() {
  auto fault = reinterpret_cast<size_t (*)(int, char *, size_t)>(findRuntime("tl_hipemu_fault"));
  auto count = reinterpret_cast<int (*)(int *)>(findRuntime("hipGetDeviceCount"));
  int devices = 0;
  if (!fault || !count || count(&devices))
    return "";
  std::string all;
  for (int device = 0; device < devices; ++device) {
    char text[1024] = "";
    fault(device, text, sizeof text);
    if (*text)
      all += (all.empty() ? "" : "\n") + std::string(text);
  }
  return all;
}

} // namespace tlc
