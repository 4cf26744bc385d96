// The checks for races against a model that forgets nothing: random operations of several streams,
// with so few numbers that they are given again and again.
#include "emu/checks/global_races.h"
#include "emu/findings.h"
#include "unit/unit_test.h"

#include <random>

using namespace tl::emu;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

constexpr u32 kStreams = 6, kWords = 5;

/// Operations of streams, as a runtime numbers them.
struct Streams {
  std::vector<std::vector<u64>> clocks =
      std::vector<std::vector<u64>>(kStreams, std::vector<u64>(kStreams));

  Operation next(u32 stream) {
    Operation operation{stream, clocks[stream][stream] + 1, clocks[stream], "operation"};
    ++clocks[stream][stream];
    return operation;
  }
  void wait(u32 stream, u32 other) {
    for (u32 s = 0; s < kStreams; ++s)
      clocks[stream][s] = std::max(clocks[stream][s], clocks[other][s]);
  }
};

struct Past {
  u32 stream;
  u64 sequence;
  Access access;
};

bool isOrdered(const Past &past, const Operation &later) {
  return past.stream == later.stream || later.clock[past.stream] >= past.sequence;
}

/// A word of memory and all that has been done to it.
struct Word {
  const MemoryBlock *block = nullptr;
  std::vector<Past> past;
};

class Model {
public:
  Model(u32 seed, u32 numbers)
      : random(seed), findings({"gfx942"}), log(space, findings, numbers), words(kWords) {
    for (Word &word : words)
      word.block = space.allocate(4, MemoryKind::Device, 0);
  }

  void step() {
    const u32 stream = draw(kStreams);
    if (draw(3) == 0)
      return streams.wait(stream, draw(kStreams));
    Word &word = words[draw(kWords)];
    const auto access = Access(std::min(draw(4), 2u)); // half of them atomic
    const Operation operation = streams.next(stream);
    bool races = false;
    for (const Past &past : word.past)
      races |= (access != past.access || access == Access::Write) && !isOrdered(past, operation);
    findings.clear();
    {
      RaceChecker checker(log, findings, operation);
      checker.access(*word.block, word.block->address, 4, access, 0, 0, Acquired());
    }
    const std::string report = findings.print(ReportFormat::Text);
    if (races != (findings.count() != 0) || report.find("not-checked") != std::string::npos)
      unit::fail(__FILE__, __LINE__, std::string(races ? "a race" : "no race") + ": " + report);
    word.past.push_back({stream, operation.sequence, access});
    if (races || draw(50) == 0)
      renew(word);
  }

private:
  /// After a race, what is kept is no longer what the model says. Released and allocated again.
  void renew(Word &word) {
    space.release(word.block->address);
    word.block = space.allocate(4, MemoryKind::Device, 0);
    word.past.clear();
  }
  u32 draw(u32 below) { return u32(random() % below); }

  std::mt19937 random;
  AddressSpace space{{u64(1) << 30}};
  Findings findings;
  OperationLog log;
  Streams streams;
  std::vector<Word> words;
};

} // namespace

UNIT_TEST(numbers_that_are_given_again) {
  for (u32 seed = 1; seed <= 20; ++seed) {
    Model model(seed, 400);
    for (u32 i = 0; i < 5000; ++i)
      model.step();
  }
}

// As many readers as are kept: whichever of them a writer is not ordered behind, the race is found.
UNIT_TEST(readers_of_many_streams) {
  constexpr u32 most = 32;
  for (u32 missing = 0; missing <= most; ++missing) {
    AddressSpace space({u64(1) << 30});
    Findings findings({"gfx942"});
    OperationLog log(space, findings, 400);
    const MemoryBlock &block = *space.allocate(4, MemoryKind::Device, 0);
    for (u32 stream = 0; stream < most; ++stream) {
      const Operation operation{stream, 1, {}, "reader"};
      RaceChecker(log, findings, operation)
          .access(block, block.address, 4, Access::Read, 0, 0, Acquired());
    }
    std::vector<u64> clock(most + 1, 1);
    clock[most] = 0;
    if (missing < most)
      clock[missing] = 0;
    const Operation operation{most, 1, clock, "writer"};
    RaceChecker(log, findings, operation)
        .access(block, block.address, 4, Access::Write, 0, 0, Acquired());
    CHECK_EQ(findings.count(), u64(missing < most));
    CHECK(findings.print(ReportFormat::Text).find("not-checked") == std::string::npos);
  }
}

// Beside an operation that does not end no number is given again; the first ones that are too many
// are said, and once it has ended there are enough again.
UNIT_TEST(too_few_numbers) {
  AddressSpace space({u64(1) << 30});
  Findings findings({"gfx942"});
  OperationLog log(space, findings, 100);
  const MemoryBlock &block = *space.allocate(4, MemoryKind::Device, 0);
  Streams streams;
  auto write = [&](u32 stream) {
    const Operation operation = streams.next(stream);
    RaceChecker(log, findings, operation)
        .access(block, block.address, 4, Access::Write, 0, 0, Acquired());
  };
  {
    const Operation endless = streams.next(1);
    RaceChecker runs(log, findings, endless);
    for (u32 i = 0; i < 99; ++i)
      write(0);
    CHECK_EQ(findings.print(ReportFormat::Text), "");
    write(0);
    CHECK(
        findings.print(ReportFormat::Text).rfind("not-checked: races of operations that ran", 0) ==
        0);
  }
  findings.clear();
  write(0);
  CHECK_EQ(findings.print(ReportFormat::Text), "");
  write(1);
  CHECK_EQ(findings.count(), u64(1));
}

// Blocks that are gone do not add up: there is one for the arguments of each launch.
UNIT_TEST(blocks_of_launches) {
  AddressSpace space({u64(1) << 30});
  const u64 first = space.allocate(100, MemoryKind::Device, 0, true)->address;
  u64 highest = 0;
  for (u32 i = 0; i < 1000; ++i) { // overlapping in pairs
    const u64 one = space.allocate(600, MemoryKind::Device, 0, true)->address,
              two = space.allocate(1200, MemoryKind::Device, 0, true)->address;
    highest = std::max({highest, one, two});
    space.release(one);
    space.release(two);
  }
  CHECK(highest - first < 4096);
  CHECK_EQ(space.forgottenCount(), size_t(0));
  {
    AddressSpace::Use use(space);
    const MemoryBlock *block = space.allocate(600, MemoryKind::Device, 0, true);
    space.release(block->address);
    CHECK(!block->live);
    CHECK_EQ(space.forgottenCount(), size_t(1));
    AddressSpace::Use later(space);
  }
  CHECK_EQ(space.forgottenCount(), size_t(0));
}

UNIT_TEST_MAIN
