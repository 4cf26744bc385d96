#include "differential/slots.h"

namespace tl::test {

Status checkGrid(const Case &c, const Artifact &artifact, const int64_t (&grid)[3]) {
  std::vector<int64_t> scalars;
  std::vector<const int64_t *> extents, strides;
  for (const CaseArg &arg : c.args) {
    scalars.push_back(arg.scalar);
    extents.push_back(arg.extents.data());
    strides.push_back(arg.strides.data());
  }
  for (size_t axis = 0; axis < artifact.grid.size(); ++axis) {
    int64_t programs =
        evaluate(artifact.grid[axis], {scalars.data(), extents.data(), strides.data()});
    if (programs != grid[axis])
      return makeError(TL_E_GRID, "grid axis %zu: %lld programs instead of %lld", axis,
                       (long long)programs, (long long)grid[axis]);
  }
  return {};
}

std::vector<uint64_t> fillSlots(const Case &c, const Artifact &artifact, const int64_t (&grid)[3],
                                const std::function<void *(size_t)> &pointer) {
  std::vector<uint64_t> slots;
  for (const KernargSlot &slot : artifact.slots) {
    const CaseArg &arg = c.args[slot.arg];
    switch (slot.kind) {
    case KernargSlot::Kind::Pointer:
      slots.push_back(uint64_t(reinterpret_cast<uintptr_t>(pointer(slot.arg))));
      break;
    case KernargSlot::Kind::Scalar:
      slots.push_back(uint64_t(arg.scalar));
      break;
    case KernargSlot::Kind::Extent:
      slots.push_back(uint64_t(arg.extents[slot.axis]));
      break;
    case KernargSlot::Kind::Stride:
      slots.push_back(uint64_t(arg.strides[slot.axis]));
      break;
    case KernargSlot::Kind::Grid:
      slots.push_back(uint64_t(grid[slot.axis]));
      break;
    case KernargSlot::Kind::Log: // these kernels print nothing
      slots.push_back(0);
      break;
    }
  }
  return slots;
}

} // namespace tl::test
