// Host targets as text, and what this CPU offers, against the operating system's own list.
#include "driver/host/cpu.h"
#include "unit_test.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace tl;

UNIT_TEST(grammar) {
  auto plain = parseHostTarget("host:x86-64-v3");
  REQUIRE_OK(plain);
  CHECK_EQ(plain->level, 3);
  CHECK_EQ(plain->cpuName(), "x86-64-v3");
  CHECK(plain->has("avx2") && plain->has("fma") && plain->has("f16c") && !plain->has("avx512f"));
  CHECK_EQ(plain->text(), "host:x86-64-v3");

  // Any order in, the table's order out; what the level contains is not repeated.
  auto more = parseHostTarget("host:x86-64-v4+gfni+avx512bf16+avx2+avx512ifma");
  REQUIRE_OK(more);
  CHECK_EQ(more->text(), "host:x86-64-v4+avx512ifma+gfni+avx512bf16");
  CHECK(more->has("avx512vl") && more->has("avx512bf16"));
}

static std::string complaint(const char *text) {
  auto target = parseHostTarget(text);
  if (target.ok())
    return "taken";
  CHECK_EQ(target.error().status, TL_E_UNKNOWN_TARGET);
  return target.error().message;
}

UNIT_TEST(bad_targets_are_named) {
  CHECK_EQ(complaint("x86-64-v3"), "'x86-64-v3' is no host target: it does not start with 'host:'");
  CHECK_EQ(complaint("host:"),
           "'host:' is no host target: the level '' is neither x86-64-v3 nor x86-64-v4");
  CHECK_EQ(complaint("host:x86-64-v2"), "'host:x86-64-v2' is no host target: the level 'x86-64-v2' "
                                        "is neither x86-64-v3 nor x86-64-v4");
  CHECK_EQ(complaint("host:x86-64-v3+avx99"),
           "'host:x86-64-v3+avx99' is no host target: the feature 'avx99' is unknown");
  CHECK_EQ(complaint("host:x86-64-v3+"),
           "'host:x86-64-v3+' is no host target: the feature '' is unknown");
}

// /proc/cpuinfo: the kernel's view of the same bits, with names of its own.
static std::set<std::string> kernelFlags() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("flags")) {
      std::istringstream words(line.substr(line.find(':') + 1));
      std::set<std::string> flags;
      for (std::string word; words >> word;)
        flags.insert(word);
      return flags;
    }
  return {};
}

UNIT_TEST(detection_agrees_with_the_kernel) {
  std::set<std::string> flags = kernelFlags();
  if (flags.empty())
    SKIP("/proc/cpuinfo lists no flags");
  auto target = detectHostTarget();
  if (!target.ok()) {
    CHECK_EQ(target.error().status, TL_E_CPU_FEATURES);
    SKIP(target.error().message);
  }
  const std::pair<const char *, const char *> names[] = {{"sse3", "pni"},
                                                         {"ssse3", "ssse3"},
                                                         {"fma", "fma"},
                                                         {"cx16", "cx16"},
                                                         {"sse4.1", "sse4_1"},
                                                         {"sse4.2", "sse4_2"},
                                                         {"movbe", "movbe"},
                                                         {"popcnt", "popcnt"},
                                                         {"avx", "avx"},
                                                         {"f16c", "f16c"},
                                                         {"bmi", "bmi1"},
                                                         {"avx2", "avx2"},
                                                         {"bmi2", "bmi2"},
                                                         {"sahf", "lahf_lm"},
                                                         {"lzcnt", "abm"},
                                                         {"avx512f", "avx512f"},
                                                         {"avx512dq", "avx512dq"},
                                                         {"avx512cd", "avx512cd"},
                                                         {"avx512bw", "avx512bw"},
                                                         {"avx512vl", "avx512vl"},
                                                         {"avx512ifma", "avx512ifma"},
                                                         {"avx512vbmi", "avx512vbmi"},
                                                         {"avx512vbmi2", "avx512_vbmi2"},
                                                         {"gfni", "gfni"},
                                                         {"vaes", "vaes"},
                                                         {"vpclmulqdq", "vpclmulqdq"},
                                                         {"avx512vnni", "avx512_vnni"},
                                                         {"avx512bitalg", "avx512_bitalg"},
                                                         {"avx512vpopcntdq", "avx512_vpopcntdq"},
                                                         {"avx512fp16", "avx512_fp16"},
                                                         {"avxvnni", "avx_vnni"},
                                                         {"avx512bf16", "avx512_bf16"}};
  for (auto [ours, theirs] : names)
    if (target->has(ours) != (flags.count(theirs) > 0))
      unit::fail(__FILE__, __LINE__,
                 std::string(ours) + " is detected as " + (target->has(ours) ? "there" : "absent"));
  CHECK(checkHostTarget(hostTarget()).ok());
  CHECK_EQ(parseHostTarget(hostTarget())->text(), hostTarget());
}

UNIT_TEST(missing_features_are_named) {
  auto own = detectHostTarget();
  if (!own.ok())
    SKIP(own.error().message);
  if (own->has("avx512fp16") || own->has("avxvnniint16"))
    SKIP("this CPU has the features that the test asks for");
  auto status = checkHostTarget("host:x86-64-v3+avx512fp16+avxvnniint16");
  REQUIRE(!status.ok());
  CHECK_EQ(status.error().status, TL_E_CPU_FEATURES);
  CHECK_EQ(status.error().message,
           "code for host:x86-64-v3+avx512fp16+avxvnniint16 does not run on this CPU (" +
               cpuBrand() + "), which lacks avx512fp16, avxvnniint16");
}

UNIT_TEST_MAIN
