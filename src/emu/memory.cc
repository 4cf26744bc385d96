#include "emu/memory.h"

#include "emu/checks/race_cell.h"
#include "support/result.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tl::emu {
namespace {

constexpr uint64_t kAlignment = 256, kRedZone = 256, kPage = 4096;
constexpr uint64_t kLargest = uint64_t(1) << 39, kSmallest = uint64_t(1) << 30;
// Pages of blocks this large are given back to the system when the block is released.
constexpr uint64_t kGiveBack = 64 * 1024;
// Races are looked for in blocks up to this size: they take up to eight times as much memory again.
constexpr uint64_t kLargestChecked = uint64_t(256) << 20;
// Bytes for each byte of a block, and where they begin, in regions.
constexpr uint64_t kCells = 4, kSecondReaders = 2, kAtomics = 2;
constexpr uint64_t kSecondReadersAt = kCells, kAtomicsAt = kSecondReadersAt + kSecondReaders,
                   kMarks = kAtomicsAt + kAtomics;

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

uint8_t *reserve(uint64_t bytes, int protection, int flags, int file) {
  void *p = mmap(nullptr, bytes, protection, flags | MAP_NORESERVE, file, 0);
  return p == MAP_FAILED ? nullptr : static_cast<uint8_t *>(p);
}

/// Zeros memory of ours; gives whole pages of much of it back to the system.
void clear(void *memory, uint64_t bytes) {
  auto *start = static_cast<uint8_t *>(memory), *end = start + bytes;
  if (bytes >= kGiveBack) {
    auto first = roundUp(reinterpret_cast<uint64_t>(start), kPage),
         last = reinterpret_cast<uint64_t>(end) / kPage * kPage;
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
    std::memset(start, 0, first - reinterpret_cast<uint64_t>(start));
    start = reinterpret_cast<uint8_t *>(last);
  }
  std::memset(start, 0, size_t(end - start));
}

} // namespace

AddressSpace::Use::Use(const AddressSpace &space) : space(space) {
  std::unique_lock guard(space.lock);
  space.uses.insert(number = space.nextUse++);
}

AddressSpace::Use::~Use() {
  std::unique_lock guard(space.lock);
  space.uses.erase(number);
  space.dropForgotten();
}

AddressSpace::AddressSpace(std::vector<uint64_t> deviceBytes)
    : limits(std::move(deviceBytes)), used(limits.size()) {
  file = memfd_create("tilelang-emu", MFD_CLOEXEC);
  // As much as the process may map; limits on address space (ulimit -v) make it less.
  for (uint64_t size = kLargest; file >= 0 && size >= kSmallest && !regionBytes; size /= 2) {
    if (ftruncate(file, off_t(size)) != 0)
      continue;
    uint8_t *guard = reserve(size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    alias = reserve(size, PROT_READ | PROT_WRITE, MAP_SHARED, file);
    shadowBase = reserve(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (guard && alias && shadowBase) {
      // Without them races are not found.
      raceBase = reserve(size * kMarks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
      guardBase = reinterpret_cast<uint64_t>(guard);
      regionBytes = size;
    } else {
      for (uint8_t *p : {guard, alias, shadowBase})
        if (p)
          munmap(p, size);
    }
  }
  deviceBump = guardBase + kPage;
  for (uint64_t size = kLargest / 8; size >= kSmallest / 4 && !hostBytes; size /= 2)
    if (uint8_t *p = reserve(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)) {
      hostBase = reinterpret_cast<uint64_t>(p);
      hostBytes = size;
    }
  hostBump = hostBase + kPage;
}

AddressSpace::~AddressSpace() {
  if (regionBytes) {
    munmap(reinterpret_cast<void *>(guardBase), regionBytes);
    munmap(alias, regionBytes);
    munmap(shadowBase, regionBytes);
    if (raceBase)
      munmap(raceBase, regionBytes * kMarks);
  }
  if (hostBytes)
    munmap(reinterpret_cast<void *>(hostBase), hostBytes);
  if (file >= 0)
    close(file);
}

uint64_t AddressSpace::takeRange(uint64_t bytes, uint64_t &bump, uint64_t end,
                                 std::map<uint64_t, uint64_t> &freeRanges) {
  if (bytes <= end - bump) {
    uint64_t at = bump;
    bump += bytes;
    return at;
  }
  for (auto range = freeRanges.begin(); range != freeRanges.end(); ++range)
    if (range->second >= bytes) {
      uint64_t at = range->first, left = range->second - bytes;
      freeRanges.erase(range);
      if (left)
        freeRanges[at + bytes] = left;
      return at;
    }
  return 0;
}

/// A range that an internal block had; 0 if there is none of this size.
uint64_t AddressSpace::takeInternal(uint64_t bytes) {
  auto free = freeInternal.find(bytes);
  if (free == freeInternal.end())
    return 0;
  uint64_t at = free->second.back();
  free->second.pop_back();
  if (free->second.empty())
    freeInternal.erase(free);
  return at;
}

/// Nobody holds such an address: it needs no quarantine, and there is one for each launch.
void AddressSpace::releaseInternal(MemoryBlock &block) {
  const uint64_t at = block.address,
                 size = roundUp(std::max<uint64_t>(block.bytes, 1) + kRedZone, kAlignment);
  if (block.shadow)
    std::memset(block.shadow, 0, block.bytes);
  forgetMarks(block);
  if (at + size == deviceBump)
    deviceBump = at;
  else
    freeInternal[size].push_back(at);
  auto found = blocks.find(at);
  forget(std::move(found->second));
  blocks.erase(found);
}

void AddressSpace::forgetMarks(MemoryBlock &block) {
  if (!block.races)
    return;
  const uint64_t cells = (block.bytes + 3) / 4;
  clear(block.races, cells * sizeof(RaceCell));
  if (block.hasAtomics)
    clear(block.atomics, cells * sizeof(uint64_t));
}

/// The lock is held, here and below.
void AddressSpace::forget(std::unique_ptr<MemoryBlock> block) {
  forgotten.emplace_back(nextUse, std::move(block));
  dropForgotten();
}

void AddressSpace::dropForgotten() const {
  while (!forgotten.empty() && (uses.empty() || forgotten.front().first <= *uses.begin()))
    forgotten.pop_front();
}

static void addRange(std::map<uint64_t, uint64_t> &ranges, uint64_t start, uint64_t size) {
  auto next = ranges.lower_bound(start);
  if (next != ranges.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == start) {
      start = before->first, size += before->second;
      ranges.erase(before);
    }
  }
  if (next != ranges.end() && start + size == next->first) {
    size += next->second;
    ranges.erase(next);
  }
  ranges[start] = size;
}

void AddressSpace::forgetReleased(MemoryKind kind) {
  bool device = kind == MemoryKind::Device;
  auto &ranges = device ? freeDevice : freeHost;
  if (device) {
    for (const auto &[size, starts] : freeInternal)
      for (uint64_t start : starts)
        addRange(ranges, start, size);
    freeInternal.clear();
  }
  for (auto it = blocks.begin(); it != blocks.end();) {
    MemoryBlock &block = *it->second;
    if (block.live || (block.kind == MemoryKind::Device) != device ||
        block.kind == MemoryKind::Registered) {
      ++it;
      continue;
    }
    if (block.shadow)
      std::memset(block.shadow, 0, block.bytes);
    forgetMarks(block);
    addRange(ranges, block.address, roundUp(block.bytes + kRedZone, kAlignment));
    forget(std::move(it->second));
    it = blocks.erase(it);
  }
}

MemoryBlock *AddressSpace::place(uint64_t bytes, MemoryKind kind, bool internal) {
  bool device = kind == MemoryKind::Device;
  uint64_t size = roundUp(std::max<uint64_t>(bytes, 1) + kRedZone, kAlignment);
  uint64_t at = internal ? takeInternal(size) : 0;
  for (unsigned attempt = 0; attempt < 2 && !at; ++attempt) {
    if (attempt)
      forgetReleased(kind);
    at = device ? takeRange(size, deviceBump, guardBase + regionBytes, freeDevice)
                : takeRange(size, hostBump, hostBase + hostBytes, freeHost);
  }
  if (!at)
    return nullptr;
  auto block = std::make_unique<MemoryBlock>();
  block->address = at;
  block->host = device ? alias + (at - guardBase) : reinterpret_cast<uint8_t *>(at);
  block->shadow = device ? shadowBase + (at - guardBase) : nullptr;
  bool races = device && raceBase && bytes <= kLargestChecked;
  uint64_t offset = at - guardBase;
  auto marks = [&](uint64_t start, uint64_t each) {
    return races ? raceBase + regionBytes * start + offset * each : nullptr;
  };
  block->races = reinterpret_cast<RaceCell *>(marks(0, kCells));
  block->secondReaders =
      reinterpret_cast<std::atomic<uint64_t> *>(marks(kSecondReadersAt, kSecondReaders));
  block->atomics = reinterpret_cast<std::atomic<uint64_t> *>(marks(kAtomicsAt, kAtomics));
  MemoryBlock *result = block.get();
  blocks[at] = std::move(block);
  return result;
}

MemoryBlock *AddressSpace::allocate(uint64_t bytes, MemoryKind kind, uint32_t device,
                                    bool internal) {
  std::unique_lock guard(lock);
  if (device >= limits.size() || bytes > kLargest)
    return nullptr;
  bool counts = kind == MemoryKind::Device && !internal;
  if (counts && bytes > limits[device] - used[device])
    return nullptr;
  if (kind == MemoryKind::Device ? !regionBytes : !hostBytes)
    return nullptr;
  MemoryBlock *block = place(bytes, kind, internal);
  if (!block)
    return nullptr;
  block->bytes = bytes;
  block->kind = kind;
  block->device = device;
  block->internal = internal;
  if (counts)
    used[device] += bytes;
  return block;
}

MemoryBlock *AddressSpace::registerHost(void *memory, uint64_t bytes, uint32_t device) {
  std::unique_lock guard(lock);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  if (!bytes || address + bytes < address)
    return nullptr;
  auto next = blocks.lower_bound(address + bytes);
  while (next != blocks.begin()) {
    --next;
    MemoryBlock &other = *next->second;
    if (other.address + other.bytes <= address)
      break;
    if (other.live || other.kind != MemoryKind::Registered)
      return nullptr;
    forget(std::move(next->second));
    next = blocks.erase(next);
  }
  auto block = std::make_unique<MemoryBlock>();
  block->address = address;
  block->bytes = bytes;
  block->host = static_cast<uint8_t *>(memory);
  block->shadow = nullptr;
  block->races = nullptr;
  block->secondReaders = nullptr;
  block->atomics = nullptr;
  block->kind = MemoryKind::Registered;
  block->device = device;
  block->internal = false;
  MemoryBlock *result = block.get();
  blocks[address] = std::move(block);
  return result;
}

bool AddressSpace::release(uint64_t address, uint32_t operation) {
  std::unique_lock guard(lock);
  auto found = blocks.find(address);
  if (found == blocks.end() || !found->second->live)
    return false;
  MemoryBlock &block = *found->second;
  block.releasedBy = operation;
  block.live = false;
  if (block.kind == MemoryKind::Device && !block.internal)
    used[block.device] -= block.bytes;
  if (block.internal) {
    releaseInternal(block);
    return true;
  }
  if (block.bytes >= kGiveBack && block.kind != MemoryKind::Registered) {
    uint64_t first = roundUp(block.address, kPage),
             last = (block.address + block.bytes) / kPage * kPage;
    if (last > first && block.kind == MemoryKind::Device) {
      fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(first - guardBase),
                off_t(last - first));
      madvise(shadowBase + (first - guardBase), last - first, MADV_DONTNEED);
      if (block.races)
        for (auto [start, each] : {std::pair(uint64_t(0), kCells),
                                   {kSecondReadersAt, kSecondReaders},
                                   {kAtomicsAt, kAtomics}})
          madvise(raceBase + regionBytes * start + (first - guardBase) * each,
                  (last - first) * each, MADV_DONTNEED);
    } else if (last > first) {
      madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
    }
  }
  return true;
}

MemoryBlock *AddressSpace::find(uint64_t address) const {
  std::shared_lock guard(lock);
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin())
    return nullptr;
  MemoryBlock *block = std::prev(next)->second.get();
  return address - block->address < block->bytes ? block : nullptr;
}

size_t AddressSpace::forgottenCount() const {
  std::shared_lock guard(lock);
  return forgotten.size();
}

void AddressSpace::forEachBlock(const std::function<void(MemoryBlock &)> &visit) const {
  std::shared_lock guard(lock);
  for (const auto &[address, block] : blocks)
    visit(*block);
}

std::string AddressSpace::describe(uint64_t address) const {
  std::shared_lock guard(lock);
  auto next = blocks.upper_bound(address);
  const MemoryBlock *before = next == blocks.begin() ? nullptr : std::prev(next)->second.get();
  const MemoryBlock *after = next == blocks.end() ? nullptr : next->second.get();
  auto text = [](const MemoryBlock &block) {
    return formatString("the %s allocation 0x%llx of %llu bytes", block.live ? "live" : "released",
                        static_cast<unsigned long long>(block.address),
                        static_cast<unsigned long long>(block.bytes));
  };
  auto distance = [](uint64_t bytes) {
    return formatString("%llu bytes", static_cast<unsigned long long>(bytes));
  };
  if (before && address - before->address < before->bytes)
    return distance(address - before->address) + " into " + text(*before);
  uint64_t past = before ? address - (before->address + before->bytes) : UINT64_MAX;
  uint64_t ahead = after ? after->address - address : UINT64_MAX;
  // Whatever is farther away than this has nothing to do with it.
  constexpr uint64_t kNear = uint64_t(1) << 32;
  if (past <= ahead && past < kNear)
    return distance(past) + " past the end of " + text(*before);
  if (ahead < kNear)
    return distance(ahead) + " before the start of " + text(*after);
  return "far from any allocation";
}

uint64_t AddressSpace::bytesInUse(uint32_t device) const {
  std::shared_lock guard(lock);
  return device < used.size() ? used[device] : 0;
}

bool AddressSpace::resolve(uint64_t address, uint64_t bytes, uint8_t *&host, uint8_t *&shadow,
                           std::string *message) const {
  host = reinterpret_cast<uint8_t *>(address);
  shadow = nullptr;
  if (bytes == 0 || !(isDeviceAddress(address) || address - hostBase < hostBytes))
    return true;
  const MemoryBlock *block = find(address);
  if (block && block->live && block->contains(address, bytes)) {
    host = block->host + (address - block->address);
    shadow = block->shadow ? block->shadow + (address - block->address) : nullptr;
    return true;
  }
  if (message)
    *message = formatString("0x%llx, %llu bytes: %s", static_cast<unsigned long long>(address),
                            static_cast<unsigned long long>(bytes), describe(address).c_str());
  return false;
}

} // namespace tl::emu
