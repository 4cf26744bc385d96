#include "capi/device_log.h"

#include "graph/interface.h"
#include "interp/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace tl {

namespace {

std::string elementText(DType type, uint64_t word) {
  if (!isFloat(type))
    return type == DType::U64 ? std::to_string(word)
                              : std::to_string(interp::decodeInteger(type, word));
  const double value = interp::decodeFloat(type, word);
  char text[64], *end = text;
  double read = 0;
  for (int digits = 1; digits <= 17; ++digits) { // the fewest that mean this value in its type
    end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
    std::from_chars(text, end, read);
    if (interp::roundTo(type, read) == value)
      break;
  }
  return std::isnan(value) ? "nan" : std::string(text, end);
}

/// Rows in brackets.
std::string valueText(const LogSite::Value &value, std::span<const uint64_t> words) {
  std::string s;
  const size_t rank = value.extents.size();
  for (size_t i = 0; i < words.size(); ++i) {
    size_t opens = 0, below = 1; // how many rows begin here
    for (size_t axis = rank; axis-- > 0; ++opens) {
      below *= size_t(value.extents[axis]);
      if (i % below != 0)
        break;
    }
    if (i > 0)
      s += std::string(opens, ']') + ", ";
    s += std::string(i == 0 ? rank : opens, '[') + elementText(value.dtype, words[i]);
  }
  return s + std::string(rank, ']');
}

std::string valuesText(const LogSite &site, std::span<const uint64_t> words) {
  if (site.isAssert)
    return site.values.empty() ? "" : std::to_string(words[0]);
  std::string s;
  for (const LogSite::Value &value : site.values) {
    size_t n = 1;
    for (int64_t extent : value.extents)
      n *= size_t(extent);
    s += (s.empty() ? "" : ", ") + valueText(value, words.first(n));
    words = words.subspan(n);
  }
  return s;
}

LogLine lineOf(const LogSite &site, std::span<const uint64_t> words) {
  LogLine line;
  line.kind = site.isAssert ? TL_LOG_ASSERT : TL_LOG_PRINT;
  line.message = site.message;
  line.values = valuesText(site, words);
  return line;
}

std::string wholeText(const LogLine &line) {
  if (line.kind == TL_LOG_LOST)
    return line.message;
  std::string s =
      line.place.line ? line.place.file + ":" + std::to_string(line.place.line) + ": " : "";
  s += formatString("kernel '%s', program (%lld, %lld, %lld): ", line.kernel.c_str(),
                    (long long)line.program[0], (long long)line.program[1],
                    (long long)line.program[2]);
  if (line.kind == TL_LOG_ASSERT)
    return s + "assertion failed" + (line.values.empty() ? "" : " at element " + line.values) +
           ": " + line.message;
  return s + line.message + (line.message.empty() || line.values.empty() ? "" : " ") + line.values;
}

} // namespace

DeviceLog::~DeviceLog() {
  if (uint64_t *ring = memory.load())
    (void)device->free(ring);
}

/// On a stream of its own: the default one may not be waited for while another is captured.
Status DeviceLog::clear(void *ring, size_t bytes) {
  TL_ASSIGN(void *stream, device->createStream());
  Status status = device->fill(ring, 0, 1, bytes, stream);
  if (status.ok())
    status = device->synchronize(stream);
  Status destroyed = device->destroyStream(stream);
  return status.ok() ? std::move(destroyed) : std::move(status);
}

Result<uint32_t> DeviceLog::enroll(const Artifact &artifact) {
  std::lock_guard lock(mutex);
  if (!memory.load()) {
    constexpr size_t bytes = 8 * (kLogControlWords + kLogWords);
    TL_ASSIGN(void *ring, device->allocate(bytes));
    if (Status cleared = clear(ring, bytes); !cleared.ok()) {
      (void)device->free(ring);
      return cleared.takeError();
    }
    memory.store(static_cast<uint64_t *>(ring), std::memory_order_release);
  }
  kernels.push_back({artifact.kernel, artifact.logSites, artifact.locations});
  return uint32_t(kernels.size());
}

void DeviceLog::fillSlots(uint32_t kernel, uint64_t *slots, size_t count) noexcept {
  slots[count - 5] = uint64_t(reinterpret_cast<uintptr_t>(memory.load(std::memory_order_acquire)));
  slots[count - 4] = uint64_t(kernel) << 32 | nextLaunch();
}

void DeviceLog::add(std::vector<LogLine> lines) {
  std::lock_guard lock(mutex);
  waiting.insert(waiting.end(), std::move_iterator(lines.begin()), std::move_iterator(lines.end()));
}

Status DeviceLog::copyFrom(size_t word, uint64_t *to, size_t words, void *stream) {
  TL_TRY(device->copyToHost(to, memory.load() + word, 8 * words, stream));
  return device->synchronize(stream);
}

/// Lines from `words`, whose first word is number `read`; gives how many words they have.
uint64_t DeviceLog::readLines(std::span<const uint64_t> words, std::vector<LogLine> &lines) const {
  constexpr auto header = size_t(LogHeader::Count);
  size_t at = 0;
  while (words.size() - at >= header && words[at] == read + at + 1) {
    const uint64_t tag = words[at + size_t(LogHeader::Tag)];
    const uint64_t site = words[at + size_t(LogHeader::Site)], kernel = tag >> 32;
    if (kernel == 0 || kernel > kernels.size() || site >= kernels[kernel - 1].sites.size())
      return words.size(); // written over by something else: nothing here can be told apart
    const Kernel &from = kernels[kernel - 1];
    const size_t size = logWordsOf(from.sites[site]);
    if (size > words.size() - at)
      return words.size();
    LogLine line = lineOf(from.sites[site], words.subspan(at + header, size - header));
    line.launch = uint32_t(tag);
    for (size_t axis = 0; axis < 3; ++axis)
      line.program[axis] = int64_t(words[at + size_t(LogHeader::Program) + axis]);
    line.kernel = from.name;
    for (const LocationEntry &entry : from.locations)
      if (entry.line == from.sites[site].line)
        line.place = entry.source;
    lines.push_back(std::move(line));
    at += size;
  }
  return at;
}

Status DeviceLog::readRing(void *stream, std::vector<LogLine> &lines, bool &failed) {
  uint64_t control[kLogControlWords];
  TL_TRY(copyFrom(0, control, kLogControlWords, stream));
  const uint64_t taken = control[size_t(LogControl::Taken)];
  failed = control[size_t(LogControl::Failed)] != failedBefore;
  failedBefore = control[size_t(LogControl::Failed)];
  if (uint64_t lost = control[size_t(LogControl::Lost)] - lostBefore) {
    lostBefore += lost;
    LogLine line;
    line.kind = TL_LOG_LOST;
    line.launch = UINT32_MAX;
    line.message = formatString("%llu lines of kernels found no room and are lost; synchronize "
                                "more often, or print less",
                                (unsigned long long)lost);
    lines.push_back(std::move(line));
  }
  if (taken == read || taken - read > kLogWords)
    return {};
  std::vector<uint64_t> words(size_t(taken - read));
  const size_t from = size_t(read % kLogWords), first = std::min(words.size(), kLogWords - from);
  TL_TRY(copyFrom(kLogControlWords + from, words.data(), first, stream));
  if (first < words.size())
    TL_TRY(copyFrom(kLogControlWords, words.data() + first, words.size() - first, stream));
  read += readLines(words, lines);
  TL_TRY(device->copyToDevice(memory.load() + size_t(LogControl::Read), &read, 8, stream));
  return device->synchronize(stream);
}

void DeviceLog::give(const LogLine &line) const {
  if (!target.callback)
    return;
  const std::string text = wholeText(line);
  tl_log_line out = TL_LOG_LINE_INIT;
  out.kind = line.kind;
  out.line = line.place.line;
  out.file = line.place.file.c_str();
  out.kernel = line.kernel.c_str();
  std::copy(line.program, line.program + 3, out.program);
  out.message = line.message.c_str();
  out.values = line.values.c_str();
  out.text = text.c_str();
  target.callback(target.user, &out);
}

Status DeviceLog::deliver(void *stream) {
  std::vector<LogLine> lines;
  bool failed = false;
  Status status;
  {
    std::lock_guard lock(mutex);
    lines.swap(waiting);
    for (const LogLine &line : lines)
      failed |= line.kind == TL_LOG_ASSERT;
    bool onDevice = false;
    if (memory.load())
      status = readRing(stream, lines, onDevice);
    failed |= onDevice;
  }
  std::stable_sort(lines.begin(), lines.end(), [](const LogLine &a, const LogLine &b) {
    return std::tie(a.launch, a.program[2], a.program[1], a.program[0]) <
           std::tie(b.launch, b.program[2], b.program[1], b.program[0]);
  });
  for (const LogLine &line : lines)
    give(line);
  if (status.ok() && failed)
    return makeError(TL_E_ASSERT, "an assertion failed");
  return status;
}

void InterpLines::line(const Graph &kernel, uint32_t site, const int64_t (&program)[3],
                       std::span<const uint64_t> words) {
  const Op &op = kernel.ops[logOps(kernel)[site]];
  LogLine line = lineOf(logSiteOf(kernel, op), words);
  line.launch = launch;
  line.kernel = kernel.kernel.name;
  line.place = kernel.locations[op.location];
  std::copy(program, program + 3, line.program);
  lines.push_back(std::move(line));
}

} // namespace tl
