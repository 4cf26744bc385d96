#include "driver/host/fork_mark.h"

#include <sys/mman.h>
#include <unistd.h>

namespace tl {

static size_t pageBytes() { return size_t(sysconf(_SC_PAGESIZE)); }

ForkMark::~ForkMark() {
  if (uint32_t *memory = page.load())
    munmap(memory, pageBytes());
}

void ForkMark::set() noexcept {
  if (page.load() || owner.load())
    return;
  void *memory =
      mmap(nullptr, pageBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && madvise(memory, pageBytes(), MADV_WIPEONFORK) == 0) {
    *static_cast<uint32_t *>(memory) = 1;
    page.store(static_cast<uint32_t *>(memory), std::memory_order_release);
    return;
  }
  if (memory != MAP_FAILED)
    munmap(memory, pageBytes());
  owner.store(getpid());
}

bool ForkMark::crossed() const noexcept {
  if (const uint32_t *memory = page.load(std::memory_order_acquire))
    return __atomic_load_n(memory, __ATOMIC_RELAXED) == 0;
  pid_t made = owner.load();
  return made != 0 && made != getpid();
}

} // namespace tl
