// Random kernels: interpreter = host, or an AMD chip in the emulator. Arguments: first seed, number
// of seeds, chip.
// test-timeout: 1500
#include "differential/isolate.h"
#include "differential/shrink.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tl;
using namespace tl::test;

namespace {

struct Totals {
  uint64_t agreed = 0, inconclusive = 0, inexact = 0, undecided = 0, written = 0;
  double buildMilliseconds = 0;
  std::vector<std::pair<uint64_t, std::string>> failures;
};

OpenDevice openDevice = openHost;

/// Shrinks a failure, prints it, and keeps it beside the build.
void explain(uint64_t seed) {
  auto c = generateCase(seed);
  if (!c.ok())
    return;
  auto bad = [](const Outcome &o) {
    return o.verdict == Verdict::Differ || o.verdict == Verdict::Failed;
  };
  bool whole =
      std::getenv("TL_KEEP_WHOLE"); // shrinking may end at another fault than it began with
  Case small = whole ? std::move(*c) : shrink(*c, [&](const Case &candidate) {
    return bad(checkIsolated(candidate, openDevice));
  });
  std::string text = caseText(small) + "// " + checkIsolated(small, openDevice).text;
  std::printf("----- shrunk from seed %llu\n%s\n", (unsigned long long)seed, text.c_str());
  const char *build = std::getenv("TL_BUILD_DIR");
  std::filesystem::path directory =
      (build ? std::filesystem::path(build) : std::filesystem::temp_directory_path()) /
      "differential";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / ("seed-" + std::to_string(seed) + ".tile")) << text << "\n";
}

/// Complains about a share or count that is missed; only whole runs promise them.
int shortcomings(const Coverage &coverage, const Totals &totals) {
  int missed = 0;
  auto want = [&](bool reached, const std::string &what) {
    if (!reached)
      std::printf("FAIL %s\n", what.c_str());
    missed += !reached;
  };
  for (const Feature &f : coverage.missing(3))
    want(false, "fewer than three times: " + f.text());
  want(coverage.share(&Traits::control) >= 0.3, "30 % of the graphs with control flow");
  want(coverage.share(&Traits::crossLane) >= 0.3, "30 % of the graphs with cross-lane operations");
  want(totals.inconclusive * 100 <= totals.agreed, "at most 1 % inconclusive");
  want(totals.undecided * 100 <= totals.written, "at most 1 % of the elements undecided");
  return missed;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 3)
    openDevice = [chip = std::string(argv[3])] { return openEmulated(chip); };
  uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : argc > 1 ? 1 : 1000;
  Coverage coverage;
  Totals totals;
  unsigned processes = std::min(8u, std::max(1u, std::thread::hardware_concurrency()));
  checkMany(first, count, openDevice, processes, [&](uint64_t seed, const Outcome &o) {
    totals.inexact += o.inexact;
    totals.undecided += o.undecided;
    totals.written += o.written;
    totals.buildMilliseconds += o.buildMilliseconds;
    totals.inconclusive += o.verdict == Verdict::Inconclusive;
    if (o.verdict == Verdict::Inconclusive)
      std::printf("SKIP seed %llu: %s\n", (unsigned long long)seed, o.text.c_str());
    if (o.verdict == Verdict::Differ || o.verdict == Verdict::Failed) {
      totals.failures.emplace_back(seed, o.text);
    } else if (o.verdict == Verdict::Agree) {
      ++totals.agreed;
      if (auto c = generateCase(seed); c.ok())
        coverage.add(c->graph, c->traits);
    }
  });
  std::printf("%s", coverage.text().c_str());
  std::printf(
      "elements: %llu written, %llu of all with an error bound, %llu undecided; %llu graphs "
      "inconclusive; %.0f ms to build a graph\n",
      (unsigned long long)totals.written, (unsigned long long)totals.inexact,
      (unsigned long long)totals.undecided, (unsigned long long)totals.inconclusive,
      totals.buildMilliseconds / double(count));
  std::sort(totals.failures.begin(), totals.failures.end());
  for (const auto &[seed, text] : totals.failures)
    std::printf("FAIL seed %llu: %s\n", (unsigned long long)seed, text.c_str());
  for (size_t i = 0; i < std::min<size_t>(totals.failures.size(), 3); ++i)
    explain(totals.failures[i].first);
  int missed = count >= 1000 && totals.failures.empty() ? shortcomings(coverage, totals) : 0;
  size_t failed = totals.failures.size() + size_t(missed);
  std::printf("%llu passed, %zu failed, %llu skipped\n", (unsigned long long)totals.agreed, failed,
              (unsigned long long)totals.inconclusive);
  return failed ? 1 : 0;
}
