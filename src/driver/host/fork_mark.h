// Whether this process is the one that made the mark: threads do not come along through fork(), and
// waiting for one in the child would never end.
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/types.h>

namespace tl {

/// Asked on the launch path, so the answer is a load: of a page that the kernel wipes in a child
/// (MADV_WIPEONFORK, Linux 4.14), or of the process number where it does not.
class ForkMark {
public:
  ForkMark() = default;
  ForkMark(const ForkMark &) = delete;
  ForkMark &operator=(const ForkMark &) = delete;
  ~ForkMark();

  /// Marks this process; later calls change nothing.
  void set() noexcept;
  /// True in a child of the process that called set(); false before it.
  bool crossed() const noexcept;

private:
  std::atomic<uint32_t *> page = nullptr; // holds 1 in the process that set it
  std::atomic<pid_t> owner = 0;           // where there is no such page
};

} // namespace tl
