#include "emu/findings.h"

#include "support/result.h"

#include <nlohmann/json.hpp>

namespace tl::emu {

void Findings::add(Finding finding) {
  std::string key = finding.kind + '\n' + finding.kernel + '\n' + std::to_string(finding.pc);
  std::lock_guard guard(lock);
  auto [at, isNew] = found.emplace(key, finding);
  at->second.times = isNew ? 1 : at->second.times + 1;
}

uint64_t Findings::count() const {
  std::lock_guard guard(lock);
  return found.size();
}

void Findings::clear() {
  std::lock_guard guard(lock);
  found.clear();
}

std::string Findings::print(ReportFormat format) const {
  std::lock_guard guard(lock);
  if (format == ReportFormat::Json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto &[key, f] : found)
      list.push_back({{"kind", f.kind},
                      {"kernel", f.kernel},
                      {"file", f.file},
                      {"line", f.line},
                      {"pc", f.pc},
                      {"message", f.message},
                      {"times", f.times}});
    nlohmann::ordered_json root = {{"findings", std::move(list)}};
    return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const auto &[key, f] : found) {
    text += f.kind + ": ";
    if (f.line)
      text += formatString("%s:%u: ", f.file.c_str(), f.line);
    text += f.message;
    if (f.times > 1)
      text += formatString(" (%llu times)", static_cast<unsigned long long>(f.times));
    text += "\n";
  }
  return text;
}

} // namespace tl::emu
