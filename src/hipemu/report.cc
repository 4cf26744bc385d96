#include "hipemu/report.h"

#include "hipemu/runtime.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tl::hipemu {

void writeReportFile(Runtime &runtime, const std::string &path) {
  const bool json = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
  std::string text =
      runtime.emulator->report(json ? emu::ReportFormat::Json : emu::ReportFormat::Text);
  std::FILE *file = path == "-" ? stderr : std::fopen(path.c_str(), "w");
  bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file && file != stderr)
    good = std::fclose(file) == 0 && good;
  if (!good)
    std::fprintf(stderr, "hipemu: cannot write the report to %s: %s\n", path.c_str(),
                 std::strerror(errno));
}

static size_t copyText(const std::string &from, char *text, size_t bytes) {
  if (text && bytes) {
    size_t fit = std::min(from.size(), bytes - 1);
    std::memcpy(text, from.data(), fit);
    text[fit] = 0;
  }
  return from.size();
}

} // namespace tl::hipemu

using namespace tl::hipemu;

int tl_hipemu_configure(const char *settings, char *message, size_t bytes) {
  copyText("", message, bytes);
  auto status = Runtime::get().configure(settings ? settings : "");
  if (status.ok())
    return 0;
  copyText(status.error().message, message, bytes);
  return 1;
}

size_t tl_hipemu_report(int format, char *text, size_t bytes) {
  Runtime &runtime = Runtime::get();
  if (!runtime.running())
    return copyText("", text, bytes);
  Lock lock(runtime.mutex);
  runtime.drain(lock);
  return copyText(runtime.emulator->report(format == 1 ? tl::emu::ReportFormat::Json
                                                       : tl::emu::ReportFormat::Text),
                  text, bytes);
}

uint64_t tl_hipemu_finding_count(void) {
  Runtime &runtime = Runtime::get();
  return runtime.running() ? runtime.emulator->findingCount() : 0;
}

void tl_hipemu_clear(void) {
  Runtime &runtime = Runtime::get();
  if (!runtime.running())
    return;
  Lock lock(runtime.mutex);
  runtime.drain(lock);
  runtime.emulator->clearReport();
}

size_t tl_hipemu_fault(int ordinal, char *text, size_t bytes) {
  Runtime &runtime = Runtime::get();
  if (ordinal < 0) {
    std::string all;
    for (const std::string &problem : runtime.settings().problems)
      all += (all.empty() ? "" : "; ") + problem;
    return copyText(all, text, bytes);
  }
  Lock lock(runtime.mutex);
  const Device *device = runtime.device(ordinal);
  return copyText(device ? device->fault.message : "", text, bytes);
}

int tl_hipemu_map_lines(void *handle, size_t count, const uint32_t *lines, const char *const *files,
                        const uint32_t *places) {
  auto *module = static_cast<Module *>(handle);
  if (count && (!lines || !files || !places))
    return hipErrorInvalidValue;
  std::vector<tl::emu::LineMapping> map;
  for (size_t i = 0; i < count; ++i)
    map.push_back({lines[i], files[i], places[i]});
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!runtime.modules.count(module))
    return hipErrorInvalidHandle;
  module->code->mapLines(std::move(map));
  return hipSuccess;
}
