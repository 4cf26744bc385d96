#include "hipemu/trace.h"

#include "support/result.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>

namespace tl::hipemu {

std::string jsonString(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += formatString("\\u%04x", c);
    else
      out += c;
  }
  return out + '"';
}

std::string traceAddress(uint64_t address) {
  return address ? formatString("\"0x%" PRIx64 "\"", address) : "null";
}

bool Trace::open(const std::string &wanted) {
  std::lock_guard lock(mutex);
  if (wanted == path)
    return true;
  if (file && file != stderr)
    std::fclose(file);
  path = wanted;
  complained = false;
  file = wanted.empty() ? nullptr : wanted == "-" ? stderr : std::fopen(wanted.c_str(), "w");
  enabled = file != nullptr;
  return file || wanted.empty();
}

uint64_t Trace::microseconds(Time time) const {
  return uint64_t(std::chrono::duration_cast<std::chrono::microseconds>(time - start).count());
}

void Trace::complain() {
  if (!complained)
    std::fprintf(stderr, "hipemu: the trace is not complete: cannot write %s: %s\n", path.c_str(),
                 std::strerror(errno));
  complained = true;
}

void Trace::write(const std::string &line) {
  std::lock_guard lock(mutex);
  if (file && std::fputs(line.c_str(), file) < 0)
    complain();
}

void Trace::flush() {
  std::lock_guard lock(mutex);
  if (file && std::fflush(file) != 0)
    complain();
}

void Trace::call(const char *function, uint32_t thread, const std::string &arguments, int result,
                 Time begin, Time end) {
  write(
      formatString("{\"call\":\"%s\",\"thread\":%u,\"args\":%s,\"result\":%d,\"start_us\":%" PRIu64
                   ",\"us\":%" PRIu64 "}\n",
                   function, thread, arguments.c_str(), result, microseconds(begin),
                   microseconds(end) - microseconds(begin)));
}

static std::string clockText(const std::vector<uint64_t> &clock) {
  std::string text = "[";
  for (size_t i = 0; i < clock.size(); ++i)
    text += (i ? "," : "") + std::to_string(clock[i]);
  return text + "]";
}

void Trace::action(const Action &action, const emu::Operation &operation, const Fault &fault,
                   Time begin, Time end) {
  static constexpr auto word = [](NodeType type) {
    switch (type) {
    case NodeType::Kernel:
      return "launch";
    case NodeType::Memcpy:
      return "copy";
    case NodeType::Memset:
      return "fill";
    case NodeType::Host:
      return "host";
    case NodeType::MemFree:
      return "release";
    default:
      return "none";
    }
  };
  std::string line =
      formatString("{\"run\":\"%s\",\"name\":%s,\"device\":%d,\"stream\":%u,\"sequence\":%" PRIu64
                   ",\"after\":%s",
                   word(action.type), jsonString(action.name).c_str(), action.device,
                   operation.stream, operation.sequence, clockText(operation.clock).c_str());
  if (action.type == NodeType::Kernel)
    line += ",\"grid\":" + traceValue(action.launch.grid) +
            ",\"block\":" + traceValue(action.launch.block) +
            ",\"dynamic_lds\":" + std::to_string(action.launch.dynamicLds);
  else if (action.type != NodeType::Host)
    line += ",\"to\":" + traceAddress(action.to) + ",\"from\":" + traceAddress(action.from) +
            ",\"bytes\":" + std::to_string(action.bytes * action.patternBytes);
  line += formatString(",\"result\":%d,\"start_us\":%" PRIu64 ",\"us\":%" PRIu64, fault.code,
                       microseconds(begin), microseconds(end) - microseconds(begin));
  if (fault.code)
    line += ",\"message\":" + jsonString(fault.message);
  write(line + "}\n");
}

} // namespace tl::hipemu
