// Random kernels: interpreter = host, or an AMD chip in the emulator, or an NVIDIA GPU. Arguments:
// first seed, number of seeds, "gfx942" or "cuda:0"; --first-failure ends the run there.
// test-timeout: 1500
#include "differential/isolate.h"
#include "differential/plain_arguments.h"
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
  struct Failure {
    uint64_t seed;
    std::string text, kind;
  };
  std::vector<Failure> failures;
};

/// What the command line asks for.
struct Options {
  uint64_t first = 0, count = 1000;
  std::string chip; // or "cuda:0"; empty: the host
  bool firstFailure = false;

  Options(int argc, char **argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    firstFailure = std::erase(words, "--first-failure") != 0;
    if (words.size() > 0) {
      first = std::strtoull(words[0].c_str(), nullptr, 10);
      count = 1;
    }
    if (words.size() > 1)
      count = std::strtoull(words[1].c_str(), nullptr, 10);
    if (words.size() > 2)
      chip = words[2];
  }
  bool isCuda() const { return chip == "cuda:0"; }
  std::string device() const { return chip.empty() ? "host" : isCuda() ? chip : "emu:" + chip; }
  OpenDevice open() const {
    if (isCuda())
      return openCuda;
    return chip.empty() ? OpenDevice(openHost) : [chip = chip] { return openEmulated(chip); };
  }
};

bool isBad(const Outcome &o) {
  return o.verdict == Verdict::Differ || o.verdict == Verdict::Failed;
}

/// What a failure is about: its first words, without numbers and places.
std::string kindOf(const Outcome &o) {
  if (o.verdict == Verdict::Differ)
    return "differ";
  std::string kind;
  size_t colons = 0;
  for (char c : o.text) {
    colons += c == ':';
    if (colons == 3 || c == '\n')
      break;
    if (!std::isdigit(c))
      kind += c;
  }
  return kind;
}

std::string commented(const std::string &text) {
  std::string result = "// ";
  for (char c : text)
    result += c == '\n' ? std::string("\n// ") : std::string(1, c);
  return result + "\n";
}

void writeFile(const std::filesystem::path &path, const void *bytes, size_t size) {
  std::ofstream(path, std::ios::binary).write(static_cast<const char *>(bytes), long(size));
}

/// Shrinks a failure, prints it, and keeps it beside the build, with the command that runs it.
void explain(uint64_t seed, const std::string &kind, const Options &options) {
  auto c = generateCase(seed);
  if (!c.ok())
    return;
  OpenDevice open = options.open();
  bool whole =
      std::getenv("TL_KEEP_WHOLE"); // shrinking may end at another fault than it began with
  Case small = whole ? std::move(*c) : shrink(*c, [&](const Case &candidate) {
    Outcome o = checkIsolated(candidate, open);
    return isBad(o) && kindOf(o) == kind;
  });
  const char *build = std::getenv("TL_BUILD_DIR");
  std::filesystem::path directory =
      (build ? std::filesystem::path(build) : std::filesystem::temp_directory_path()) /
      "differential";
  std::filesystem::create_directories(directory);
  std::string stem = "seed-" + std::to_string(seed), head;
  if (auto inputs = runInputs(small, stem); inputs.ok()) {
    head = "// RUN: tlc run %s -d " + options.device() + " --check" + inputs->options + "\n";
    for (const auto &[name, bytes] : inputs->files)
      writeFile(directory / name, bytes.data(), bytes.size());
  } else {
    head = "// tlc cannot run it: " + inputs.error().message + "\n";
  }
  std::string text = head + caseText(small) + commented(checkIsolated(small, open).text);
  std::printf("----- shrunk from seed %llu\n%s", (unsigned long long)seed, text.c_str());
  writeFile(directory / (stem + ".tile"), text.data(), text.size());
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
  const Options options(argc, argv);
  Coverage coverage;
  Totals totals;
  unsigned processes = std::min(8u, std::max(1u, std::thread::hardware_concurrency()));
  checkMany(options.first, options.count, options.open(), processes,
            [&](uint64_t seed, const Outcome &o) {
              totals.inexact += o.inexact;
              totals.undecided += o.undecided;
              totals.written += o.written;
              totals.buildMilliseconds += o.buildMilliseconds;
              totals.inconclusive += o.verdict == Verdict::Inconclusive;
              if (o.verdict == Verdict::Inconclusive)
                std::printf("SKIP seed %llu: %s\n", (unsigned long long)seed, o.text.c_str());
              if (isBad(o)) {
                totals.failures.push_back({seed, o.text, kindOf(o)});
              } else if (o.verdict == Verdict::Agree) {
                ++totals.agreed;
                if (auto c = generateCase(seed); c.ok())
                  coverage.add(c->graph, c->traits);
              }
              return !isBad(o) || !options.firstFailure;
            });
  std::printf("%s", coverage.text().c_str());
  std::printf(
      "elements: %llu written, %llu of all with an error bound, %llu undecided; %llu graphs "
      "inconclusive; %.0f ms to build a graph\n",
      (unsigned long long)totals.written, (unsigned long long)totals.inexact,
      (unsigned long long)totals.undecided, (unsigned long long)totals.inconclusive,
      totals.buildMilliseconds / double(options.count));
  std::sort(totals.failures.begin(), totals.failures.end(),
            [](const auto &a, const auto &b) { return a.seed < b.seed; });
  for (const Totals::Failure &f : totals.failures)
    std::printf("FAIL seed %llu: %s\n", (unsigned long long)f.seed, f.text.c_str());
  size_t explained = std::min<size_t>(totals.failures.size(), options.firstFailure ? 1 : 3);
  for (size_t i = 0; i < explained; ++i)
    explain(totals.failures[i].seed, totals.failures[i].kind, options);
  int missed =
      options.count >= 1000 && totals.failures.empty() ? shortcomings(coverage, totals) : 0;
  size_t failed = totals.failures.size() + size_t(missed);
  std::printf("%llu passed, %zu failed, %llu skipped\n", (unsigned long long)totals.agreed, failed,
              (unsigned long long)totals.inconclusive);
  return failed ? 1 : 0;
}
