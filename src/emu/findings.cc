#include "emu/findings.h"

#include "support/result.h"

#include <nlohmann/json.hpp>

#include <algorithm>

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
    if (!profile.empty()) {
      root["profile"] = std::move(lines);
      nlohmann::ordered_json mixes = nlohmann::ordered_json::array();
      for (const auto &[place, counts] : instructionMix())
        mixes.push_back({{"kernel", place.kernel},
                         {"file", place.file},
                         {"line", place.line},
                         {"instructions", counts}});
      root["instruction_mix"] = std::move(mixes);
    }
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

std::map<Findings::Place, std::map<std::string, uint64_t>> Findings::instructionMix() const {
  std::map<Place, std::map<std::string, uint64_t>> mix;
  for (const auto &[key, p] : profile)
    mix[{p.kernel, p.line ? p.file : std::string(), p.line}][p.mnemonic] += p.counts.executions;
  return mix;
}

namespace {

// "1200: v_add_f32 800, s_nop 400": the most frequent first.
std::string mixText(const std::map<std::string, uint64_t> &counts) {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) { return a.second > b.second; });
  uint64_t total = 0;
  std::string text;
  for (const auto &[mnemonic, count] : sorted) {
    total += count;
    text += formatString("%s %s %llu", text.empty() ? "" : ",", mnemonic.c_str(),
                         static_cast<unsigned long long>(count));
  }
  return formatString("%llu:", static_cast<unsigned long long>(total)) + text + "\n";
}

} // namespace

// Memory instructions by line, then what each line and each kernel has executed.
std::string Findings::printProfile() const {
  std::string text;
  auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  for (const auto &[key, p] : profile) {
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
  std::map<std::string, std::map<std::string, uint64_t>> kernels;
  for (const auto &[place, counts] : instructionMix()) {
    if (place.line)
      text +=
          formatString("instructions: %s:%u: ", place.file.c_str(), place.line) + mixText(counts);
    for (const auto &[mnemonic, count] : counts)
      kernels[place.kernel][mnemonic] += count;
  }
  for (const auto &[kernel, counts] : kernels)
    text += "instructions: kernel " + kernel + ": " + mixText(counts);
  return text;
}

} // namespace tl::emu
