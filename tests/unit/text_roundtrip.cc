// The text form loses nothing: graphs made at random over every operation print, parse and print to
// the same text, and the parsed graph has the same ops in the same order.
#include "unit/text_random.h"
#include "unit/unit_test.h"

#include "graph/binary.h"
#include "graph/text.h"
#include "graph/verify.h"

#include <functional>

using namespace tl;

/// Lines of all ops in printed order, from a function of the op.
static std::vector<uint32_t> linesOf(const Graph &g, const std::function<uint32_t(OpId)> &line) {
  std::vector<uint32_t> lines;
  std::vector<BlockId> work = {g.kernel.body, g.kernel.head};
  while (!work.empty()) {
    BlockId block = work.back();
    work.pop_back();
    for (OpId id : g.block(block).ops) {
      lines.push_back(line(id));
      for (BlockId region : g.regions(g.ops[id]))
        work.push_back(region);
    }
  }
  return lines;
}

static size_t opsIn(const Graph &g) {
  return linesOf(g, [](OpId) { return 0; }).size();
}

UNIT_TEST(randomGraphsRoundTrip) {
  std::map<Opcode, unsigned> count;
  size_t ops = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    test::RandomGraph random(seed);
    auto graph = random.build(unsigned(5 + seed % 60));
    REQUIRE_OK(graph);
    REQUIRE_OK(verify(*graph));
    for (auto [opcode, n] : random.count)
      count[opcode] += n;
    ops += opsIn(*graph);
    PrintedText first = printText(*graph);
    auto parsed = parseText(first.text, "first.tile");
    if (!parsed.ok())
      std::printf("seed %llu:\n%s\n%s\n", (unsigned long long)seed, first.text.c_str(),
                  parsed.error().diagnostics[0].excerpt.c_str());
    REQUIRE_OK(parsed);
    REQUIRE_OK(verify(*parsed));
    PrintedText second = printText(*parsed);
    bool same = writeGraph(*graph) == writeGraph(*parsed) && first.text == second.text;
    if (!same)
      std::printf("seed %llu:\n%s\n-----\n%s\n", (unsigned long long)seed, first.text.c_str(),
                  second.text.c_str());
    REQUIRE(same);
    // Where printing put each op is where parsing found it.
    auto printed = linesOf(*graph, [&](OpId id) { return first.opLine[id]; });
    auto found =
        linesOf(*parsed, [&](OpId id) { return parsed->locations[parsed->ops[id].location].line; });
    REQUIRE(printed == found);
  }
  for (const OpInfo &op : allOps()) {
    if (isSequenceOp(op.opcode) || isScheduled(op.opcode))
      continue;
    if (count[op.opcode] < 100)
      std::printf("%s: %u times\n", op.text.data(), count[op.opcode]);
    CHECK(count[op.opcode] >= 100);
  }
  std::printf("%zu operations in 1500 graphs\n", ops);
}

UNIT_TEST_MAIN
