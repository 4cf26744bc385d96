// The heaps that builds allocate from, without LLVM.
#include "unit/unit_test.h"

#include "codegen/llvm/build_heap.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace {

struct Piece {
  unsigned char *memory = nullptr;
  size_t bytes = 0;
  unsigned char mark = 0;
};

Piece allocate(size_t bytes, unsigned char mark) {
  Piece piece{static_cast<unsigned char *>(tl::buildAllocate(bytes)), bytes, mark};
  if (piece.memory)
    std::memset(piece.memory, mark, bytes);
  return piece;
}

bool isIntact(const Piece &piece) {
  for (size_t i = 0; i < piece.bytes; ++i)
    if (piece.memory[i] != piece.mark)
      return false;
  return true;
}

/// Allocates and frees at random; what is alive at the end is returned.
std::vector<Piece> churn(unsigned seed, size_t rounds, size_t largest) {
  std::mt19937 random(seed);
  std::vector<Piece> alive;
  for (size_t i = 0; i < rounds; ++i) {
    if (alive.size() > 200 || (!alive.empty() && random() % 3 == 0)) {
      size_t at = random() % alive.size();
      CHECK(isIntact(alive[at]));
      tl::buildFree(alive[at].memory);
      alive[at] = alive.back();
      alive.pop_back();
      continue;
    }
    // Many small ones, some large.
    size_t bytes = random() % (random() % 16 == 0 ? largest : 400);
    alive.push_back(allocate(bytes, (unsigned char)random()));
    CHECK(alive.back().memory != nullptr);
    CHECK_EQ(reinterpret_cast<uintptr_t>(alive.back().memory) % 16, uintptr_t(0));
    CHECK(tl::isBuildMemory(alive.back().memory));
    CHECK(tl::buildCapacity(alive.back().memory) >= bytes);
  }
  return alive;
}

} // namespace

UNIT_TEST(no_heap_without_a_scope) {
  CHECK(tl::buildAllocate(16) == nullptr);
  int local = 0;
  CHECK(!tl::isBuildMemory(&local));
  CHECK(!tl::isBuildMemory(nullptr));
}

UNIT_TEST(every_size_around_a_class_boundary_is_usable) {
  tl::BuildHeapScope scope;
  std::vector<Piece> all;
  for (size_t power = 4; power <= 22; ++power)
    for (size_t part = 4; part < 8; ++part)
      for (int off = -9; off <= 9; ++off)
        all.push_back(allocate((size_t(1) << power) / 4 * part + size_t(off + 9) - 9,
                               (unsigned char)(power * 16 + part)));
  for (const Piece &piece : all) {
    REQUIRE(piece.memory != nullptr);
    CHECK(isIntact(piece));
  }
  for (const Piece &piece : all)
    tl::buildFree(piece.memory);
}

UNIT_TEST(freed_memory_is_used_again) {
  tl::BuildHeapScope scope;
  void *first = tl::buildAllocate(1000);
  tl::buildFree(first);
  CHECK(tl::buildAllocate(1000) == first);
  tl::buildFree(first);
}

UNIT_TEST(more_than_a_heap_holds_is_refused) {
  tl::BuildHeapScope scope;
  CHECK(tl::buildAllocate(size_t(5) << 30) == nullptr);
  CHECK(tl::buildAllocate(SIZE_MAX) == nullptr);
  CHECK(tl::buildAllocate(SIZE_MAX - 7) == nullptr);
  std::vector<void *> all;
  while (void *memory = tl::buildAllocate(size_t(1) << 29))
    all.push_back(memory);         // never touched: address space only
  CHECK_EQ(all.size(), size_t(6)); // of 640 MB each, in 4 GB
  void *small = tl::buildAllocate(100);
  CHECK(small != nullptr);
  tl::buildFree(small);
  for (void *memory : all)
    tl::buildFree(memory);
}

// What outlives a build keeps its bytes while later builds join and give back what is free.
UNIT_TEST(survivors_of_many_builds_stay_intact) {
  std::vector<Piece> survivors;
  for (unsigned build = 0; build < 12; ++build) {
    tl::BuildHeapScope scope;
    std::vector<Piece> alive = churn(build, 4000, 3 << 20);
    for (size_t i = 0; i < alive.size(); ++i) {
      CHECK(isIntact(alive[i]));
      if (i % 64 == build % 64)
        survivors.push_back(alive[i]);
      else
        tl::buildFree(alive[i].memory);
    }
    for (const Piece &piece : survivors)
      CHECK(isIntact(piece));
  }
  // No thread has a heap now: from elsewhere.
  for (const Piece &piece : survivors)
    tl::buildFree(piece.memory);
}

UNIT_TEST(threads_have_heaps_of_their_own_and_free_for_each_other) {
  std::vector<std::vector<Piece>> left(20); // more than there are heaps
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < left.size(); ++i)
    threads.emplace_back([&, i] {
      tl::BuildHeapScope scope;
      if (void *probe = tl::buildAllocate(1)) {
        tl::buildFree(probe);
        left[i] = churn(100 + i, 2000, 100000);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  tl::BuildHeapScope scope;
  for (const std::vector<Piece> &pieces : left)
    for (const Piece &piece : pieces) {
      CHECK(isIntact(piece));
      tl::buildFree(piece.memory);
    }
}

UNIT_TEST_MAIN
