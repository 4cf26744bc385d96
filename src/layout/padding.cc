#include "layout/padding.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tl {

static constexpr int64_t maxRepeats = 15;

/// The paddings an axis may take. For each power of two only the fewest blocks that cover the
/// extent make sense, and an even number of them is the next power's candidate; so there are at
/// most five.
static std::vector<AxisPadding> axisCandidates(int64_t extent) {
  std::vector<AxisPadding> candidates;
  for (uint32_t bits = 0;; ++bits) {
    int64_t block = int64_t(1) << bits;
    int64_t repeats = (extent + block - 1) / block;
    int64_t waste = repeats * block - extent;
    bool lowWaste = repeats <= maxRepeats && repeats % 2 == 1 && 8 * waste <= repeats * block;
    if (lowWaste || repeats == 1)
      candidates.push_back({uint32_t(repeats), bits});
    if (repeats == 1)
      return candidates;
  }
}

uint64_t registersPerThread(std::span<const AxisPadding> axes, uint32_t threads) {
  uint64_t repeats = 1;
  unsigned bits = 0;
  for (const AxisPadding &axis : axes) {
    repeats *= axis.repeats;
    bits += axis.bits;
  }
  unsigned threadBits = unsigned(std::countr_zero(threads));
  return repeats << (bits > threadBits ? bits - threadBits : 0);
}

/// The order of preference that choosePadding promises.
static bool isBetter(std::span<const AxisPadding> a, std::span<const AxisPadding> b,
                     uint32_t threads) {
  uint64_t registersA = registersPerThread(a, threads);
  uint64_t registersB = registersPerThread(b, threads);
  if (registersA != registersB)
    return registersA < registersB;
  return std::lexicographical_compare(
      a.rbegin(), a.rend(), b.rbegin(), b.rend(),
      [](const AxisPadding &x, const AxisPadding &y) { return x.bits > y.bits; });
}

std::vector<AxisPadding> choosePadding(std::span<const int64_t> shape, uint32_t threads) {
  assert(std::has_single_bit(threads));
  std::vector<std::vector<AxisPadding>> candidates;
  for (int64_t extent : shape) {
    assert(extent >= 1);
    candidates.push_back(axisCandidates(extent));
  }

  // An odometer over one candidate per axis; the largest case, rank 5, has 5^5 combinations.
  std::vector<size_t> digits(shape.size(), 0);
  std::vector<AxisPadding> current(shape.size()), best;
  for (bool more = true, first = true; more; first = false) {
    for (size_t axis = 0; axis < shape.size(); ++axis)
      current[axis] = candidates[axis][digits[axis]];
    if (first || isBetter(current, best, threads))
      best = current;
    more = false;
    for (size_t axis = 0; axis < shape.size() && !more; ++axis) {
      digits[axis] = (digits[axis] + 1) % candidates[axis].size();
      more = digits[axis] != 0;
    }
  }
  return best;
}

} // namespace tl
