#include "emu/findings.h"

#include "support/result.h"

#include <nlohmann/json.hpp>

namespace tl::emu {

void Findings::add(Finding finding) {
  std::string key = finding.kind + '\n' + finding.kernel + '\n' + std::to_string(finding.pc) +
                    '\n' + finding.file + '\n' + std::to_string(finding.line);
  std::lock_guard guard(lock);
  auto [at, isNew] = found.emplace(key, finding);
  at->second.times = isNew ? 1 : at->second.times + 1;
}

uint64_t Findings::count() const {
  std::lock_guard guard(lock);
  return found.size();
}

void Findings::count(const ProfileLine &line) {
  std::lock_guard guard(lock);
  auto [at, isNew] = profile.emplace(std::tuple(line.kernel, line.pc, line.file, line.line), line);
  if (!isNew)
    at->second.counts.add(line.counts);
}

void Findings::count(const LaunchedKernel &launched) {
  std::lock_guard guard(lock);
  launches[{launched.kernel, launched.threads, launched.dynamicLds}] = launched;
}

void Findings::clear() {
  std::lock_guard guard(lock);
  found.clear();
  profile.clear();
  launches.clear();
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
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const auto &[key, p] : profile)
      lines.push_back({{"kernel", p.kernel},
                       {"instruction", p.mnemonic},
                       {"file", p.file},
                       {"line", p.line},
                       {"pc", p.pc},
                       {"executions", p.counts.executions},
                       {"lanes", p.counts.lanes},
                       {"bytes", p.counts.bytes},
                       {"cache_lines", p.counts.lines},
                       {"ideal_cache_lines", p.counts.idealLines},
                       {"lds_passes", p.counts.passes},
                       {"ideal_lds_passes", p.counts.idealPasses}});
    if (!profile.empty())
      root["profile"] = std::move(lines);
    nlohmann::ordered_json occupancies = nlohmann::ordered_json::array();
    for (const auto &[key, l] : launches)
      occupancies.push_back({{"kernel", l.kernel},
                             {"threads", l.threads},
                             {"dynamic_lds", l.dynamicLds},
                             {"workgroups_per_compute_unit", l.occupancy.groups},
                             {"waves_per_simd", l.occupancy.waves},
                             {"most_waves_per_simd", l.occupancy.mostWaves},
                             {"waves_by_registers", l.occupancy.byRegisters},
                             {"workgroups_by_lds", l.occupancy.byLds}});
    if (!launches.empty())
      root["occupancy"] = std::move(occupancies);
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
  return text + printProfile();
}

// Memory instructions by line, then how often each kind of instruction was executed.
std::string Findings::printProfile() const {
  std::string text;
  std::map<std::pair<std::string, std::string>, uint64_t> mix;
  auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  for (const auto &[key, p] : profile) {
    mix[{p.kernel, p.mnemonic}] += p.counts.executions;
    std::string place = p.line ? formatString("%s:%u", p.file.c_str(), p.line)
                               : formatString("%s+0x%x", p.kernel.c_str(), p.pc);
    if (p.counts.idealLines)
      text += formatString("coalescing: %s: %s: %llu bytes in %llu cache lines, %llu would do "
                           "(%.1fx)\n",
                           place.c_str(), p.mnemonic.c_str(), number(p.counts.bytes),
                           number(p.counts.lines), number(p.counts.idealLines),
                           double(p.counts.lines) / double(p.counts.idealLines));
    if (p.counts.passes > p.counts.idealPasses)
      text += formatString("bank-conflicts: %s: %s: %llu passes, %llu without conflicts (%.1fx)\n",
                           place.c_str(), p.mnemonic.c_str(), number(p.counts.passes),
                           number(p.counts.idealPasses),
                           double(p.counts.passes) / double(p.counts.idealPasses));
  }
  for (const auto &[key, l] : launches) {
    text += formatString("occupancy: %s: %u threads: %.4g of %u waves on a SIMD, %u workgroups on "
                         "a compute unit; registers allow %u waves",
                         l.kernel.c_str(), l.threads, l.occupancy.waves, l.occupancy.mostWaves,
                         l.occupancy.groups, l.occupancy.byRegisters);
    if (l.occupancy.byLds)
      text += formatString(", LDS %u workgroups", l.occupancy.byLds);
    text += "\n";
  }
  for (const auto &[key, executions] : mix)
    text += formatString("instructions: %s: %s: %llu\n", key.first.c_str(), key.second.c_str(),
                         number(executions));
  return text;
}

} // namespace tl::emu
