// The address space that devices and the host share.
//
// Memory of devices is one file in memory, mapped twice: without access at the addresses given out,
// so that the host faults when it touches them, and readable at an alias for the emulator. Every
// block has red zones around it, and released blocks stay known until their addresses are needed
// again. For each byte of device memory one shadow byte says what the checks know about it.
#pragma once

#include "emu/emulator.h"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>

namespace tl::emu {

/// ShadowUndefined, in LDS and scratch: written with a value that nothing has written.
enum ShadowBit : uint8_t { ShadowWritten = 1, ShadowUndefined = 2 };

struct RaceCell;

struct MemoryBlock {
  uint64_t address;
  uint64_t bytes;
  uint8_t *host;                                // where the emulator reads and writes it
  uint8_t *shadow;                              // NULL: everything counts as written
  RaceCell *races;                              // one for each four bytes; NULL: not checked
  std::atomic<uint64_t> *secondReaders;         // marks beside those cells; means nothing by itself
  std::atomic<uint64_t> *atomics;               // marks of atomic operations, where `hasAtomics`
  uint64_t racesFrom = 0, racesTo = UINT64_MAX; // checked for races: the bytes between
  MemoryKind kind;
  uint32_t device;
  bool internal; // kernel arguments and code: not the user's, absent from findAllocation
  std::atomic<bool> live{true};
  mutable std::atomic<bool> hasAtomics{false}; // checked launches have changed it atomically
  std::atomic<uint32_t> releasedBy{0};         // number in the operation log; 0: by the host

  bool contains(uint64_t at, uint64_t size) const {
    return at - address < bytes && size <= bytes - (at - address);
  }
};

class AddressSpace {
public:
  /// Memory limits of the devices.
  explicit AddressSpace(std::vector<uint64_t> deviceBytes);
  ~AddressSpace();
  AddressSpace(const AddressSpace &) = delete;

  /// Blocks that are found while one lives can be looked at as long as it does, released or not.
  class Use {
  public:
    explicit Use(const AddressSpace &space);
    ~Use();
    Use(const Use &) = delete;

  private:
    const AddressSpace &space;
    uint64_t number;
  };

  /// NULL when there is no room.
  MemoryBlock *allocate(uint64_t bytes, MemoryKind kind, uint32_t device, bool internal = false);
  MemoryBlock *registerHost(void *memory, uint64_t bytes, uint32_t device);
  /// False when `address` is not the start of a live block. `operation`: see releasedBy.
  bool release(uint64_t address, uint32_t operation = 0);

  /// The block, live or not, that an address lies in; NULL when there is none.
  MemoryBlock *find(uint64_t address) const;
  /// "16 bytes past the end of the allocation 0x... of 4096 bytes", for messages.
  std::string describe(uint64_t address) const;
  /// Whether an address is one that devices' memory has or could have.
  bool isDeviceAddress(uint64_t address) const { return address - guardBase < regionBytes; }
  uint64_t bytesInUse(uint32_t device) const;
  /// False where the process may not map as much as that takes.
  bool looksForRaces() const { return raceBase; }
  /// Blocks that are gone and that some use may still look at.
  size_t forgottenCount() const;
  /// Calls `visit` for every block, live or released; none comes or goes meanwhile.
  void forEachBlock(const std::function<void(MemoryBlock &)> &visit) const;

  /// Resolves a range for copies: ordinary host memory is its own place. False with a message when
  /// it is outside of live blocks, and of devices or made here (pinned, managed).
  bool resolve(uint64_t address, uint64_t bytes, uint8_t *&host, uint8_t *&shadow,
               std::string *message) const;

private:
  MemoryBlock *place(uint64_t bytes, MemoryKind kind, bool internal);
  uint64_t takeRange(uint64_t bytes, uint64_t &bump, uint64_t end,
                     std::map<uint64_t, uint64_t> &freeRanges);
  uint64_t takeInternal(uint64_t bytes);
  void releaseInternal(MemoryBlock &block);
  void forgetReleased(MemoryKind kind);
  void forgetMarks(MemoryBlock &block);
  void forget(std::unique_ptr<MemoryBlock> block);
  void dropForgotten() const;

  mutable std::shared_mutex lock;
  std::map<uint64_t, std::unique_ptr<MemoryBlock>> blocks; // by address
  std::map<uint64_t, uint64_t> freeDevice, freeHost;       // ranges that may be used again
  std::map<uint64_t, std::vector<uint64_t>> freeInternal;  // ranges of internal blocks, by size
  // Blocks that are gone, each with the number of the first use that cannot know it.
  mutable std::deque<std::pair<uint64_t, std::unique_ptr<MemoryBlock>>> forgotten;
  mutable std::set<uint64_t> uses;
  mutable uint64_t nextUse = 0;
  std::vector<uint64_t> limits, used;
  uint64_t guardBase = 0, regionBytes = 0, deviceBump = 0;
  uint8_t *alias = nullptr, *shadowBase = nullptr, *raceBase = nullptr;
  uint64_t hostBase = 0, hostBytes = 0, hostBump = 0;
  int file = -1;
};

/// A worker's view: remembers the blocks it used last.
class Translator {
public:
  explicit Translator(const AddressSpace &space) : space(space), use(space) {}

  /// The block that holds all of a range, NULL when none does.
  const MemoryBlock *block(uint64_t address, uint64_t bytes) {
    const MemoryBlock *b = recent[0];
    if (b && b->contains(address, bytes) && b->live.load(std::memory_order_relaxed)) [[likely]]
      return b;
    return blockSlow(address, bytes);
  }

private:
  const MemoryBlock *blockSlow(uint64_t address, uint64_t bytes) {
    for (unsigned i = 1; i < 4; ++i)
      if (recent[i] && recent[i]->contains(address, bytes) && recent[i]->live) {
        std::swap(recent[i], recent[0]);
        return recent[0];
      }
    const MemoryBlock *found = space.find(address);
    if (!found || !found->live || !found->contains(address, bytes))
      return nullptr;
    for (unsigned i = 3; i > 0; --i)
      recent[i] = recent[i - 1];
    return recent[0] = found;
  }

  const AddressSpace &space;
  const AddressSpace::Use use;
  const MemoryBlock *recent[4] = {};
};

} // namespace tl::emu
