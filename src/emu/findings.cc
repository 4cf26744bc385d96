#include "emu/findings.h"

#include "emu/demangle.h"
#include "support/result.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tl::emu {

using Json = nlohmann::ordered_json;

void Findings::add(Finding finding) {
  Place place{finding.device, finding.kernel, finding.source.file, finding.source.line, finding.pc};
  std::lock_guard guard(lock);
  auto [at, isNew] = found.emplace(std::pair(finding.kind, place), finding);
  at->second.times = isNew ? 1 : at->second.times + 1;
}

uint64_t Findings::count() const {
  std::lock_guard guard(lock);
  return found.size();
}

void Findings::count(const ProfileLine &line) {
  std::lock_guard guard(lock);
  auto [at, isNew] = profile.emplace(
      Place{line.device, line.kernel, line.source.file, line.source.line, line.pc}, line);
  if (!isNew)
    at->second.counts.add(line.counts);
}

void Findings::count(const LaunchedKernel &launched) {
  std::lock_guard guard(lock);
  launches[{launched.device, launched.kernel, launched.threads, launched.dynamicLds}] = launched;
}

void Findings::ran(int32_t device) {
  std::lock_guard guard(lock);
  devices.insert(device);
}

void Findings::notChecked(const std::string &what, uint64_t times) {
  std::lock_guard guard(lock);
  gaps[what] += times;
}

void Findings::clear() {
  std::lock_guard guard(lock);
  devices.clear();
  found.clear();
  profile.clear();
  launches.clear();
  gaps.clear();
}

std::string Findings::print(ReportFormat format) const {
  std::lock_guard guard(lock);
  return format == ReportFormat::Json ? printJson() : printText();
}

namespace {

// What a JSON object says of where something is: its first members.
Json placeJson(const std::vector<std::string> &chips, int32_t device, const std::string &kernel) {
  Json object = Json::object();
  if (device >= 0) {
    object["device"] = device;
    object["chip"] = chips[size_t(device)];
  }
  object["kernel"] = kernel;
  if (std::string shown = demangle(kernel); shown != kernel)
    object["kernel_in_source"] = shown;
  return object;
}

Json lineJson(Json object, const SourceLine &source) {
  object["file"] = source.file;
  object["line"] = source.line;
  if (!source.words.empty())
    object["source"] = source.words;
  return object;
}

unsigned long long number(uint64_t value) { return value; }

} // namespace

std::string Findings::printJson() const {
  Json list = Json::array(), lines = Json::array(), mixes = Json::array(),
       occupancies = Json::array(), missing = Json::array();
  for (const auto &[key, f] : found) {
    Json row = {{"kind", f.kind}};
    row.update(lineJson(placeJson(chips, f.device, f.kernel), f.source));
    row.update({{"pc", f.pc}, {"message", f.message}, {"times", f.times}});
    list.push_back(std::move(row));
  }
  for (const auto &[key, p] : profile) {
    Json row = placeJson(chips, p.device, p.kernel);
    row["instruction"] = p.mnemonic;
    row = lineJson(std::move(row), p.source);
    row.update({{"pc", p.pc},
                {"executions", p.counts.executions},
                {"lanes", p.counts.lanes},
                {"bytes", p.counts.bytes},
                {"cache_lines", p.counts.lines},
                {"ideal_cache_lines", p.counts.idealLines},
                {"lds_passes", p.counts.passes},
                {"ideal_lds_passes", p.counts.idealPasses}});
    lines.push_back(std::move(row));
  }
  for (const auto &[place, mix] : instructionMix()) {
    Json row = placeJson(chips, place.device, place.kernel);
    row.update({{"file", place.file}, {"line", place.line}, {"instructions", mix.counts}});
    mixes.push_back(std::move(row));
  }
  for (const auto &[key, l] : launches) {
    Json row = placeJson(chips, l.device, l.kernel);
    row.update({{"threads", l.threads},
                {"dynamic_lds", l.dynamicLds},
                {"workgroups_per_compute_unit", l.occupancy.groups},
                {"waves_per_simd", l.occupancy.waves},
                {"most_waves_per_simd", l.occupancy.mostWaves},
                {"waves_by_registers", l.occupancy.byRegisters},
                {"workgroups_by_lds", l.occupancy.byLds}});
    occupancies.push_back(std::move(row));
  }
  for (const auto &[what, times] : gaps)
    missing.push_back({{"what", what}, {"times", times}});
  Json root = {{"findings", std::move(list)}};
  if (!profile.empty()) {
    root["profile"] = std::move(lines);
    root["instruction_mix"] = std::move(mixes);
  }
  if (!launches.empty())
    root["occupancy"] = std::move(occupancies);
  if (!gaps.empty())
    root["not_checked"] = std::move(missing);
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string Findings::deviceText(int32_t device) const {
  if (device < 0 || devices.size() < 2)
    return "";
  return formatString("device %d (%s): ", device, chips[size_t(device)].c_str());
}

std::string Findings::printText() const {
  std::string text;
  for (const auto &[key, f] : found) {
    text += f.kind + ": " + deviceText(f.device);
    if (f.source.line)
      text += f.source.text() + ": ";
    text += f.message;
    if (f.times > 1)
      text += formatString(" (%llu times)", number(f.times));
    text += "\n";
  }
  for (const auto &[what, times] : gaps)
    text += "not-checked: " + what + formatString(" (%llu times)\n", number(times));
  return text + printProfile();
}

std::map<Findings::Place, Findings::Mix> Findings::instructionMix() const {
  std::map<Place, Mix> mixes;
  for (const auto &[key, p] : profile) {
    const SourceLine known = p.source.line ? p.source : SourceLine();
    Mix &mix = mixes[{p.device, p.kernel, known.file, known.line, 0}];
    mix.place = known.line ? known.text() : "";
    mix.counts[p.mnemonic] += p.counts.executions;
  }
  return mixes;
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
    text += formatString("%s %s %llu", text.empty() ? "" : ",", mnemonic.c_str(), number(count));
  }
  return formatString("%llu:", number(total)) + text + "\n";
}

} // namespace

// Memory instructions by line, then what each line and each kernel has executed.
std::string Findings::printProfile() const {
  std::string text;
  for (const auto &[key, p] : profile) {
    const std::string instruction = formatString("%s+0x%x", demangle(p.kernel).c_str(), p.pc);
    const std::string line = p.source.line ? p.source.text() : instruction;
    const std::string place = deviceText(p.device) + line + ": " + p.mnemonic;
    // One line may have several such instructions, in several kernels.
    const std::string end = p.source.line ? " at " + instruction + "\n" : "\n";
    if (p.counts.idealLines)
      text += formatString("coalescing: %s: %llu bytes in %llu cache lines, %llu would do (%.1fx)",
                           place.c_str(), number(p.counts.bytes), number(p.counts.lines),
                           number(p.counts.idealLines),
                           double(p.counts.lines) / double(p.counts.idealLines)) +
              end;
    if (p.counts.passes > p.counts.idealPasses)
      text += formatString("bank-conflicts: %s: %llu passes, %llu without conflicts (%.1fx)",
                           place.c_str(), number(p.counts.passes), number(p.counts.idealPasses),
                           double(p.counts.passes) / double(p.counts.idealPasses)) +
              end;
  }
  for (const auto &[key, l] : launches) {
    text += "occupancy: " + deviceText(l.device) +
            formatString("%s: %u threads: %.4g of %u waves on a SIMD, %u workgroups on a compute "
                         "unit; registers allow %u waves",
                         demangle(l.kernel).c_str(), l.threads, l.occupancy.waves,
                         l.occupancy.mostWaves, l.occupancy.groups, l.occupancy.byRegisters);
    if (l.occupancy.byLds)
      text += formatString(", LDS %u workgroups", l.occupancy.byLds);
    text += "\n";
  }
  std::map<std::pair<int32_t, std::string>, std::map<std::string, uint64_t>> kernels;
  for (const auto &[place, mix] : instructionMix()) {
    if (place.line)
      text += "instructions: " + deviceText(place.device) + mix.place + ": " + mixText(mix.counts);
    for (const auto &[mnemonic, count] : mix.counts)
      kernels[{place.device, place.kernel}][mnemonic] += count;
  }
  for (const auto &[kernel, counts] : kernels)
    text += "instructions: " + deviceText(kernel.first) + "kernel " + demangle(kernel.second) +
            ": " + mixText(counts);
  return text;
}

} // namespace tl::emu
