// A record of what a program did: one JSON object on a line for each call and each action that a
// stream ran.
#pragma once

#include "hipemu/action.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace tl::hipemu {

using Time = std::chrono::steady_clock::time_point;
inline Time now() { return std::chrono::steady_clock::now(); }

/// A JSON string with its quotes.
std::string jsonString(std::string_view text);

class Trace {
public:
  /// Starts writing to a file, "-" = stderr; an empty path ends it. False: it cannot be opened.
  bool open(const std::string &path);
  bool on() const { return enabled.load(std::memory_order_relaxed); }
  void call(const char *function, uint32_t thread, const std::string &arguments, int result,
            Time begin, Time end);
  void action(const Action &action, const emu::Operation &operation, const Fault &fault, Time begin,
              Time end);
  /// Writes what is still in a buffer; says on stderr, once, when that was not possible.
  void flush();

private:
  void write(const std::string &line);
  void complain();
  uint64_t microseconds(Time time) const;

  std::atomic<bool> enabled{false};
  std::mutex mutex; // guards what follows
  std::FILE *file = nullptr;
  std::string path;
  bool complained = false;
  Time start = now();
};

inline std::string traceValue(const char *text) { return text ? jsonString(text) : "null"; }
inline std::string traceValue(dim3 d) {
  return "[" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + "]";
}
std::string traceAddress(uint64_t address);
template <class T> std::string traceValue(T value) {
  if constexpr (std::is_pointer_v<T>)
    return traceAddress(reinterpret_cast<uint64_t>(value));
  else
    return std::to_string(value);
}
inline std::string traceArguments() { return "[]"; }
template <class... T> std::string traceArguments(T... values) {
  std::string text;
  ((text += (text.empty() ? "[" : ",") + traceValue(values)), ...);
  return text + "]";
}

} // namespace tl::hipemu
