#include "capi/dump.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tl {

std::string dumpAfter(bool ignoreEnvironment) {
  const char *text = ignoreEnvironment ? nullptr : secure_getenv("TL_DUMP");
  if (!text || !*text)
    return "";
  std::string_view wanted = text;
  constexpr std::string_view prefix = "after:";
  if (wanted.starts_with(prefix))
    wanted.remove_prefix(prefix.size());
  return std::string(wanted);
}

void printDump(const std::string &pass, const std::string &listing) {
  constexpr std::string_view head = "# after ";
  std::string known;
  bool found = pass.empty();
  for (size_t at = 0; at < listing.size();) {
    size_t next = listing.find("\n" + std::string(head), at);
    next = next == std::string::npos ? listing.size() : next + 1;
    size_t line = listing.find('\n', at);
    std::string name = listing.substr(at + head.size(), line - at - head.size());
    known += (known.empty() ? "" : ", ") + name;
    if (name == pass || pass == "all") {
      std::fwrite(listing.data() + at, 1, next - at, stderr);
      found = true;
    }
    at = next;
  }
  if (!found)
    std::fprintf(stderr, "TL_DUMP: there is no pass '%s'; passes are %s\n", pass.c_str(),
                 known.c_str());
}

} // namespace tl
