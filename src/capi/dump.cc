#include "capi/dump.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tl {

namespace {

/// Calls body(name, text) for each pass of a listing; text begins with the line that names it.
template <class Body> void forEachPass(std::string_view listing, Body body) {
  constexpr std::string_view head = "# after ";
  while (listing.starts_with(head)) {
    size_t next = listing.find("\n# after ");
    size_t size = next == std::string_view::npos ? listing.size() : next + 1;
    body(listing.substr(head.size(), listing.find('\n') - head.size()), listing.substr(0, size));
    listing.remove_prefix(size);
  }
}

} // namespace

std::string dumpSetting(bool ignoreEnvironment) {
  const char *text = ignoreEnvironment ? nullptr : secure_getenv("TL_DUMP");
  return text ? text : "";
}

bool printDump(const std::string &setting, const std::string &listing) {
  std::string found; // printed at once: other threads compile too
  forEachPass(listing, [&](std::string_view name, std::string_view text) {
    if (setting == "after:all" || setting == "after:" + std::string(name))
      found += text;
  });
  std::fwrite(found.data(), 1, found.size(), stderr);
  return !found.empty();
}

void printKnownDumps(const std::string &setting, const std::string &listing) {
  std::string known;
  forEachPass(listing, [&](std::string_view name, std::string_view) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  });
  std::fprintf(stderr, "TL_DUMP=%s is unknown: it is after:all or after:PASS, and passes are %s\n",
               setting.c_str(), known.c_str());
}

} // namespace tl
