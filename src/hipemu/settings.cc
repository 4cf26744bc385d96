#include "hipemu/settings.h"

#include "hipemu/fault_injection.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace tl::hipemu {

namespace {

/// The words of an option that takes one of a few.
struct Choice {
  const char *word;
  int value;
};
constexpr Choice kSwitch[] = {{"0", 0}, {"1", 1}, {"off", 0}, {"on", 1}};
constexpr Choice kVersion[] = {{"5.7", 507}, {"6.2", 602}, {"7.0", 700}, {"10", 1000}};
constexpr Choice kAccumulation[] = {{"cdna", int(emu::Options::Accumulation::Cdna)},
                                    {"ordered", int(emu::Options::Accumulation::Ordered)}};
constexpr Choice kBufferRange[] = {{"dword", int(emu::Options::BufferRange::PerDword)},
                                   {"access", int(emu::Options::BufferRange::PerAccess)}};
constexpr Choice kPageable[] = {{"staged", int(Pageable::Staged)},
                                {"async", int(Pageable::Async)},
                                {"sync", int(Pageable::Sync)}};

template <class T, size_t N>
Status choose(T &member, std::string_view key, std::string_view value, const Choice (&choices)[N]) {
  std::string words;
  for (const Choice &choice : choices) {
    if (value == choice.word) {
      member = T(choice.value);
      return {};
    }
    words += (words.empty() ? "" : ", ") + std::string(choice.word);
  }
  return makeError(TL_E_INVALID_ARGUMENT, "%s is one of %s, not '%s'", std::string(key).c_str(),
                   words.c_str(), std::string(value).c_str());
}

template <class T, size_t N> std::string wordOf(T value, const Choice (&choices)[N]) {
  for (const Choice &choice : choices)
    if (T(choice.value) == value)
      return choice.word;
  return "";
}

Status readText(std::string &member, std::string_view, std::string_view value) {
  member = value;
  return {};
}
std::string showText(const std::string &member) { return member; }

/// A count, with k, m or g for 2^10, 2^20, 2^30.
template <class T> Status readNumber(T &member, std::string_view key, std::string_view value) {
  std::string text(value);
  char *end = nullptr;
  errno = 0;
  unsigned long long number = std::strtoull(text.c_str(), &end, 0);
  unsigned shift = 0;
  if (*end == 'k' || *end == 'm' || *end == 'g')
    shift = *end == 'k' ? 10 : *end == 'm' ? 20 : 30, ++end;
  T result = T(number << shift);
  if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0])) || *end || errno ||
      (uint64_t(result) >> shift) != number)
    return makeError(TL_E_INVALID_ARGUMENT, "%s is a number, not '%s'", std::string(key).c_str(),
                     text.c_str());
  member = result;
  return {};
}
template <class T> std::string showNumber(T member) { return std::to_string(member); }

Status readFailures(std::string &member, std::string_view, std::string_view value) {
  TL_TRY(FaultInjection::check(value));
  member = value;
  return {};
}
std::string showFailures(const std::string &member) { return member; }

#define TL_CHOICE(KIND)                                                                            \
  template <class T> Status read##KIND(T &member, std::string_view key, std::string_view value) {  \
    return choose(member, key, value, k##KIND);                                                    \
  }                                                                                                \
  template <class T> std::string show##KIND(T member) { return wordOf(member, k##KIND); }
TL_CHOICE(Switch)
TL_CHOICE(Version)
TL_CHOICE(Accumulation)
TL_CHOICE(BufferRange)
TL_CHOICE(Pageable)
#undef TL_CHOICE

struct Option {
  const char *key;
  bool fixed;
};
constexpr Option kOptions[] = {
#define TL_HIPEMU_OPTION(KEY, MEMBER, KIND, FIXED) {#KEY, FIXED},
#include "hipemu/options.def"
};

/// Null when the variable is not set, or empty.
const char *fromEnvironmentOf(std::string_view key) {
  const char *value = secure_getenv(Settings::variable(key).c_str());
  return value && *value ? value : nullptr;
}

} // namespace

Status Settings::set(std::string_view key, std::string_view value) {
#define TL_HIPEMU_OPTION(KEY, MEMBER, KIND, FIXED)                                                 \
  if (key == #KEY)                                                                                 \
    return read##KIND(MEMBER, key, value);
#include "hipemu/options.def"
  return makeError(TL_E_INVALID_ARGUMENT, "there is no option '%s'", std::string(key).c_str());
}

std::string Settings::text(std::string_view key) const {
#define TL_HIPEMU_OPTION(KEY, MEMBER, KIND, FIXED)                                                 \
  if (key == #KEY)                                                                                 \
    return show##KIND(MEMBER);
#include "hipemu/options.def"
  return "";
}

Settings Settings::fromEnvironment() {
  Settings settings;
  for (const Option &option : kOptions)
    if (const char *value = fromEnvironmentOf(option.key)) {
      Status status = settings.set(option.key, value);
      if (!status.ok())
        settings.problems.push_back(Settings::variable(option.key) + ": " + status.error().message);
    }
  return settings;
}

bool Settings::fixedAtStart(std::string_view key) {
  for (const Option &option : kOptions)
    if (key == option.key)
      return option.fixed;
  return false;
}

std::string Settings::variable(std::string_view key) {
  std::string name = "TL_EMU_";
  for (char c : key)
    name += char(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

bool Settings::inEnvironment(std::string_view key) { return fromEnvironmentOf(key) != nullptr; }

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!part.empty() && std::isspace(static_cast<unsigned char>(part.front())))
      part.remove_prefix(1);
    while (!part.empty() && std::isspace(static_cast<unsigned char>(part.back())))
      part.remove_suffix(1);
    if (!part.empty())
      parts.emplace_back(part);
  }
  return parts;
}

} // namespace tl::hipemu
