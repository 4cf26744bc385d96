#include "driver/driver.h"

#include <algorithm>

namespace tl {

Status Device::accepts(const std::string &target) const {
  if (std::find(targets_.begin(), targets_.end(), target) != targets_.end())
    return {};
  std::string own;
  for (const std::string &t : targets_)
    own += (own.empty() ? "" : ", ") + t;
  return makeError(TL_E_UNSUPPORTED, "code for %s does not run on %s (%s), which runs %s",
                   target.c_str(), name_.c_str(), description_.c_str(),
                   own.empty() ? "no known target" : own.c_str());
}

bool DeviceLimits::gridFits(uint32_t threads, const int64_t grid[3]) const noexcept {
  if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0)
    return false;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true;
  int64_t programs = 1;
  for (int axis = 0; axis < 3; ++axis)
    if (grid[axis] > maxGrid[axis] || __builtin_mul_overflow(programs, grid[axis], &programs))
      return false;
  return grid[0] <= maxThreadsOfAxis / threads;
}

Status DeviceLimits::checkGrid(uint32_t threads, const int64_t grid[3], const char *device) const {
  if (gridFits(threads, grid))
    return {};
  for (int axis = 0; axis < 3; ++axis) {
    int64_t limit = maxGrid[axis];
    if (axis == 0)
      limit = std::min(limit, maxThreadsOfAxis / threads);
    if (grid[axis] < 0)
      return makeError(TL_E_GRID, "the grid has %lld programs along axis %d", (long long)grid[axis],
                       axis);
    if (grid[axis] > limit)
      return makeError(TL_E_GRID,
                       "the grid has %lld programs along axis %d; %s takes at most %lld with %u "
                       "threads per program",
                       (long long)grid[axis], axis, device, (long long)limit, threads);
  }
  return makeError(TL_E_GRID, "the grid of %lld x %lld x %lld has more than 2^63 - 1 programs",
                   (long long)grid[0], (long long)grid[1], (long long)grid[2]);
}

Status Device::checkFill(const void *to, uint32_t patternBytes, size_t count) {
  if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4)
    return makeError(TL_E_INVALID_ARGUMENT, "a fill pattern has 1, 2 or 4 bytes, not %u",
                     patternBytes);
  if (count > 0 && (!to || reinterpret_cast<uintptr_t>(to) % patternBytes != 0))
    return makeError(TL_E_INVALID_ARGUMENT, "a fill of %u-byte elements at %p", patternBytes, to);
  if (count > SIZE_MAX / patternBytes)
    return makeError(TL_E_INVALID_ARGUMENT, "a fill of %zu elements", count);
  return {};
}

void Device::trim() {
  std::vector<std::shared_ptr<LoadedKernel>> dropped;
  std::lock_guard lock(mutex);
  auto unused = [](const std::shared_ptr<LoadedKernel> &kernel) { return kernel.use_count() == 1; };
  auto keep = std::stable_partition(kernels.begin(), kernels.end(), std::not_fn(unused));
  dropped.assign(std::make_move_iterator(keep), std::make_move_iterator(kernels.end()));
  kernels.erase(keep, kernels.end());
}

size_t Device::loadedCount() const {
  std::lock_guard lock(mutex);
  return kernels.size();
}

void Device::retain(const std::shared_ptr<LoadedKernel> &kernel) {
  std::lock_guard lock(mutex);
  kernels.push_back(kernel);
}

void Device::releaseKernels() {
  std::vector<std::shared_ptr<LoadedKernel>> dropped;
  std::lock_guard lock(mutex);
  dropped.swap(kernels);
}

} // namespace tl
