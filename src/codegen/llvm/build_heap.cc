#include "codegen/llvm/build_heap.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace tl {

namespace {

constexpr size_t heapCount = 16;
constexpr size_t heapBytes = size_t(4) << 30; // address space, not memory
/// Memory is made usable in such steps: some huge pages.
constexpr size_t commitBytes = size_t(4) << 20;
/// A heap larger than this at the end of a build gives what is free back to the system.
constexpr size_t keptBytes = size_t(32) << 20;
constexpr size_t pageBytes = 4096;

/// Before each piece of memory. Blocks stand one after another; a block is a header and the memory,
/// which starts at a multiple of 16.
struct Header {
  uint32_t sizeClass;
  uint32_t isFree;
};
static_assert(sizeof(Header) == 8);

/// What free memory holds.
struct FreeBlock {
  FreeBlock *next;
};

// Sizes of blocks: multiples of 16 up to 1024, then four to each doubling.
constexpr uint32_t exactClasses = 64, classCount = exactClasses + 4 * 20;

constexpr size_t classBytes(uint32_t sizeClass) {
  if (sizeClass < exactClasses)
    return 16 * (size_t(sizeClass) + 1);
  uint32_t step = sizeClass - exactClasses;
  return size_t(1024) * (5 + step % 4) / 4 << step / 4;
}

constexpr uint32_t classOf(size_t blockBytes) {
  if (blockBytes <= 1024)
    return uint32_t((blockBytes + 15) / 16 - 1);
  // 1024 << doublings < blockBytes <= 2048 << doublings.
  uint32_t doublings = uint32_t(std::bit_width(blockBytes - 1)) - 11;
  size_t quarter = size_t(256) << doublings;
  return exactClasses + 4 * doublings + uint32_t((blockBytes - 1) / quarter - 4);
}

static_assert(classOf(16) == 0 && classOf(1024) == 63 && classOf(1025) == 64);
static_assert(classBytes(64) == 1280 && classOf(1280) == 64 && classOf(1281) == 65);
static_assert(classBytes(67) == 2048 && classOf(2048) == 67 && classOf(2049) == 68);
static_assert(classBytes(classCount - 1) == size_t(1) << 30);

Header *headerOf(const void *memory) {
  return reinterpret_cast<Header *>(reinterpret_cast<uintptr_t>(memory) - sizeof(Header));
}

/// Address space of all heaps; 0 where the system gave none.
uintptr_t reserve() {
  void *range = mmap(nullptr, heapCount * heapBytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return 0;
  madvise(range, heapCount * heapBytes, MADV_HUGEPAGE);
  return reinterpret_cast<uintptr_t>(range);
}

std::atomic<uintptr_t> reservation{0};
std::once_flag reserveOnce;

} // namespace

class BuildHeap {
public:
  void *allocate(size_t bytes);
  /// On the thread that has the heap.
  void release(void *memory);
  /// On any other.
  void releaseFromElsewhere(void *memory);
  void endBuild();

  std::atomic<bool> isTaken{false};

private:
  uintptr_t begin = 0, end = 0, committed = 0; // blocks are in [begin, end)
  std::array<FreeBlock *, classCount> free{};
  std::atomic<FreeBlock *> elsewhere{nullptr};

  bool start();
  bool extend(size_t bytes);
  void makeFree(uintptr_t block, uint32_t sizeClass);
  void takeBack();
  void trim();
  void addFreeRun(uintptr_t from, uintptr_t to);
};

namespace {

// Never destroyed: memory is freed until the process ends.
BuildHeap heaps[heapCount];
thread_local BuildHeap *heapOfThread = nullptr;

} // namespace

bool BuildHeap::start() {
  std::call_once(reserveOnce, [] { reservation.store(reserve(), std::memory_order_release); });
  uintptr_t range = reservation.load(std::memory_order_acquire);
  if (!range)
    return false;
  committed = range + size_t(this - heaps) * heapBytes;
  begin = end = committed + 16 - sizeof(Header);
  return true;
}

/// Room for `bytes` more behind the last block.
bool BuildHeap::extend(size_t bytes) {
  uintptr_t limit =
      reservation.load(std::memory_order_relaxed) + size_t(this - heaps + 1) * heapBytes;
  if (bytes > limit - end)
    return false;
  if (end + bytes <= committed)
    return true;
  size_t missing = (end + bytes - committed + commitBytes - 1) / commitBytes * commitBytes;
  if (missing > limit - committed ||
      mprotect(reinterpret_cast<void *>(committed), missing, PROT_READ | PROT_WRITE) != 0)
    return false;
  committed += missing;
  return true;
}

void *BuildHeap::allocate(size_t bytes) {
  if (bytes > classBytes(classCount - 1) - sizeof(Header))
    return nullptr;
  uint32_t sizeClass = classOf(std::max(bytes + sizeof(Header), size_t(16)));
  if (FreeBlock *block = free[sizeClass]) {
    free[sizeClass] = block->next;
    headerOf(block)->isFree = 0;
    return block;
  }
  if ((!begin && !start()) || !extend(classBytes(sizeClass)))
    return nullptr;
  auto *header = new (reinterpret_cast<void *>(end)) Header{sizeClass, 0};
  end += classBytes(sizeClass);
  return header + 1;
}

void BuildHeap::makeFree(uintptr_t block, uint32_t sizeClass) {
  auto *header = new (reinterpret_cast<void *>(block)) Header{sizeClass, 1};
  free[sizeClass] = new (header + 1) FreeBlock{free[sizeClass]};
}

void BuildHeap::release(void *memory) {
  Header *header = headerOf(memory);
  makeFree(reinterpret_cast<uintptr_t>(header), header->sizeClass);
}

void BuildHeap::releaseFromElsewhere(void *memory) {
  FreeBlock *first = elsewhere.load(std::memory_order_relaxed);
  auto *block = new (memory) FreeBlock{first};
  while (!elsewhere.compare_exchange_weak(block->next, block, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}

void BuildHeap::takeBack() {
  FreeBlock *block = elsewhere.exchange(nullptr, std::memory_order_acquire);
  while (block) {
    FreeBlock *next = block->next;
    release(block);
    block = next;
  }
}

void BuildHeap::endBuild() {
  takeBack();
  if (end - begin > keptBytes)
    trim();
}

/// Joins neighbouring free blocks, and gives the pages inside them back to the system.
void BuildHeap::trim() {
  free.fill(nullptr);
  uintptr_t block = begin, runStart = 0, old = end;
  while (block < old) {
    const Header header = *reinterpret_cast<Header *>(block);
    if (header.isFree && !runStart)
      runStart = block;
    if (!header.isFree && runStart) {
      addFreeRun(runStart, block);
      runStart = 0;
    }
    block += classBytes(header.sizeClass);
  }
  if (!runStart)
    return;
  end = runStart;
  uintptr_t firstPage = (end + pageBytes - 1) / pageBytes * pageBytes;
  if (firstPage < committed)
    madvise(reinterpret_cast<void *>(firstPage), committed - firstPage, MADV_DONTNEED);
}

/// A run of free blocks becomes the fewest that fill it.
void BuildHeap::addFreeRun(uintptr_t from, uintptr_t to) {
  while (from < to) {
    uint32_t sizeClass = std::min(classOf(to - from), classCount - 1);
    if (classBytes(sizeClass) > to - from)
      --sizeClass;
    uintptr_t next = from + classBytes(sizeClass);
    makeFree(from, sizeClass);
    // The page with the header and the link stays.
    uintptr_t firstPage =
        (from + sizeof(Header) + sizeof(FreeBlock) + pageBytes - 1) / pageBytes * pageBytes;
    uintptr_t lastPage = next / pageBytes * pageBytes;
    if (firstPage + 16 * pageBytes <= lastPage)
      madvise(reinterpret_cast<void *>(firstPage), lastPage - firstPage, MADV_DONTNEED);
    from = next;
  }
}

BuildHeapScope::BuildHeapScope() : heap(nullptr) {
  for (BuildHeap &candidate : heaps)
    if (!candidate.isTaken.exchange(true, std::memory_order_acquire)) {
      heap = &candidate;
      break;
    }
  heapOfThread = heap;
}

BuildHeapScope::~BuildHeapScope() {
  heapOfThread = nullptr;
  if (!heap)
    return;
  heap->endBuild();
  heap->isTaken.store(false, std::memory_order_release);
}

void *buildAllocate(size_t bytes) {
  BuildHeap *heap = heapOfThread;
  return heap ? heap->allocate(bytes) : nullptr;
}

bool isBuildMemory(const void *memory) {
  uintptr_t range = reservation.load(std::memory_order_relaxed);
  return range && reinterpret_cast<uintptr_t>(memory) - range < heapCount * heapBytes;
}

size_t buildCapacity(const void *memory) {
  return classBytes(headerOf(memory)->sizeClass) - sizeof(Header);
}

void buildFree(void *memory) {
  uintptr_t range = reservation.load(std::memory_order_relaxed);
  BuildHeap &owner = heaps[(reinterpret_cast<uintptr_t>(memory) - range) / heapBytes];
  if (&owner == heapOfThread)
    owner.release(memory);
  else
    owner.releaseFromElsewhere(memory);
}

} // namespace tl
