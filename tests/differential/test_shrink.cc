// Failures become small, and processes that die become failures.
// test-timeout: 300
#include "differential/isolate.h"
#include "differential/plain_arguments.h"
#include "differential/shrink.h"
#include "graph/verify.h"
#include "unit/unit_test.h"

#include <algorithm>
#include <csignal>
#include <set>

using namespace tl;
using namespace tl::test;

namespace {

/// A device that takes every `From` for `To`: the interpreter on a graph that was changed so.
class Mistaken final : public tl::test::Device {
public:
  Mistaken(Opcode from, Opcode to) : from(from), to(to) {}
  Status run(const Case &, const Graph &canonical, const Memory &memory, const int64_t (&)[3],
             double *) override {
    Graph wrong = canonical;
    for (Op &op : wrong.ops)
      if (op.opcode == from)
        op.opcode = to;
    auto report = interpret(wrong, memory.interpArgs());
    return report.ok() ? Status() : Status(report.takeError());
  }

private:
  Opcode from, to;
};

/// A device that behaves as `body` does.
class Scripted final : public tl::test::Device {
public:
  explicit Scripted(void (*body)()) : body(body) {}
  Status run(const Case &, const Graph &, const Memory &, const int64_t (&)[3], double *) override {
    body();
    return {};
  }

private:
  void (*body)();
};

size_t countOf(const Graph &g, Opcode opcode) {
  return size_t(
      std::count_if(g.ops.begin(), g.ops.end(), [&](const Op &op) { return op.opcode == opcode; }));
}

} // namespace

UNIT_TEST(failures_shrink) {
  const std::pair<Opcode, Opcode> mistakes[] = {
      {Opcode::Min, Opcode::Max}, {Opcode::Xor, Opcode::And}, {Opcode::Exp, Opcode::Exp2}};
  for (auto [from, to] : mistakes) {
    Mistaken device(from, to);
    bool found = false;
    for (uint64_t seed = 0; seed < 300 && !found; ++seed) {
      auto c = generateCase(seed);
      REQUIRE_OK(c);
      if (countOf(c->graph, from) == 0 || check(*c, device).verdict != Verdict::Differ)
        continue;
      found = true;
      Case small = shrink(*c, [&](const Case &candidate) {
        return check(candidate, device).verdict == Verdict::Differ;
      });
      CHECK(check(small, device).verdict == Verdict::Differ);
      REQUIRE_OK(verify(small.graph));
      CHECK_EQ(countOf(small.graph, from), 1u);
      CHECK_EQ(countOf(small.graph, Opcode::Store) + countOf(small.graph, Opcode::Scatter), 1u);
      CHECK(small.graph.ops.size() < 40 && small.graph.kernel.args.size() < 16);
      CHECK_EQ(small.args.size(), small.graph.kernel.args.size());
      std::string text = caseText(small);
      CHECK(text.find(std::string(opInfo(from).text)) != std::string::npos);
      if (small.graph.ops.size() >= 40 || small.graph.kernel.args.size() >= 16)
        std::printf("%s\n", text.c_str());
    }
    CHECK(found);
  }
}

UNIT_TEST(plain_arguments_hold_the_same_elements) {
  size_t changed = 0, runnable = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    auto c = generateCase(seed);
    REQUIRE_OK(c);
    Case plain = *c;
    for (size_t i = 0; i < plain.args.size(); ++i)
      if (auto next = withPlainArgument(plain, i)) {
        ++changed;
        // Element by element where the view says that it is.
        const CaseArg &before = plain.args[i], &after = next->args[i];
        CHECK(after.extents == before.extents);
        size_t size = dtypeBytes(plain.graph.typeOf(plain.graph.kernel.args[i].value).dtype);
        if (before.extents.size() == 1 && before.extents[0] > 0) {
          auto last = size_t(before.extents[0] - 1);
          const uint8_t *from = plain.buffers[size_t(before.buffer)].data() + before.offset;
          from += int64_t(last) * before.strides[0] * int64_t(size);
          CHECK(std::equal(from, from + size, &next->buffers[size_t(after.buffer)][last * size]));
        }
        plain = std::move(*next);
      }
    runnable += runInputs(plain, "x").ok();
  }
  CHECK(changed > 100);
  CHECK(runnable > 50);
}

UNIT_TEST(crashes_and_hangs_are_failures) {
  auto c = generateCase(1);
  REQUIRE_OK(c);
  auto run = [&](void (*body)()) {
    return checkIsolated(*c, [=] { return std::make_unique<Scripted>(body); }, 1);
  };
  Outcome crash = run([] { raise(SIGKILL); });
  CHECK(crash.verdict == Verdict::Failed);
  CHECK(crash.text.find("Killed") != std::string::npos);
  void (*asleep)() = [] {
    for (;;)
      pause();
  };
  void (*busy)() = [] {
    for (volatile bool forever = true; forever;)
      ;
  };
  for (auto body : {asleep, busy}) {
    Outcome hang = run(body);
    CHECK(hang.verdict == Verdict::Failed);
    CHECK(hang.text.find("in time") != std::string::npos);
  }
  Outcome left = run([] { _exit(7); });
  CHECK(left.verdict == Verdict::Failed);
  CHECK(left.text.find("exit status 7") != std::string::npos);
  CHECK(run([] {}).verdict == Verdict::Differ); // nothing was computed
}

UNIT_TEST(many_cases_survive_a_crash) {
  // The device dies at its third case; every seed is reported all the same.
  std::vector<int> seen(12, 0);
  size_t failed = 0;
  static int runs;
  checkMany(
      100, 12,
      [] {
        runs = 0;
        return std::make_unique<Scripted>([] {
          if (++runs == 3)
            raise(SIGKILL);
        });
      },
      2,
      [&](uint64_t seed, const Outcome &o) {
        ++seen[size_t(seed - 100)];
        failed += o.verdict == Verdict::Failed;
        return true;
      });
  CHECK(seen == std::vector<int>(12, 1));
  CHECK_EQ(failed, 4u); // six seeds in each process: the third and the sixth
}

UNIT_TEST(no_case_is_run_after_the_first_failure) {
  // The second case of a process kills it: seed 101 of one process, seed 102 of two.
  for (unsigned processes : {1u, 2u}) {
    std::set<uint64_t> failures, seen;
    static int runs;
    checkMany(
        100, 50,
        [] {
          runs = 0;
          return std::make_unique<Scripted>([] {
            if (++runs == 2)
              raise(SIGKILL);
          });
        },
        processes,
        [&](uint64_t seed, const Outcome &o) {
          seen.insert(seed);
          if (o.verdict == Verdict::Failed)
            failures.insert(seed);
          return o.verdict != Verdict::Failed;
        });
    CHECK(!failures.empty());
    CHECK_EQ(*failures.begin(), processes == 1 ? 101u : 102u);
    // All before it were run, and nothing long after it.
    for (uint64_t seed = 100; seed < *failures.begin(); ++seed)
      CHECK(seen.contains(seed));
    CHECK(*seen.rbegin() < 100 + 3 * processes);
  }
}

UNIT_TEST(guard_pages_stand_at_either_end) {
  auto c = generateCase(3);
  REQUIRE_OK(c);
  for (bool end : {false, true}) {
    Memory memory(*c, end);
    for (size_t i = 0; i < c->args.size(); ++i) {
      if (!memory.pointer(i))
        continue;
      const CaseArg &arg = c->args[i];
      const std::vector<uint8_t> &bytes = c->buffers[size_t(arg.buffer)];
      auto *first = static_cast<uint8_t *>(memory.pointer(i)) - arg.offset;
      CHECK(std::equal(bytes.begin(), bytes.end(), first));
      uintptr_t edge = uintptr_t(end ? first + bytes.size() : first);
      CHECK_EQ(edge % 4096, uintptr_t(0));
    }
  }
}

UNIT_TEST_MAIN
