// Arguments of a kernel that is run as it stands: scalars from --set or defaults, tensors from
// files or generators.
#pragma once

#include "tlc_common.h"
#include "tlc_npy.h"

namespace tlc {

/// One argument with its host memory.
struct HostArg {
  tl_kernel_argument info = TL_KERNEL_ARGUMENT_INIT;
  std::string name;
  int64_t intValue = 0; // scalars
  double floatValue = 0;
  std::vector<int64_t> shape, strides; // views and pointers; strides in elements
  std::vector<uint8_t> bytes;          // views and pointers: what the kernel gets
};

struct InputOptions {
  std::vector<Setting> set;    // scalars
  std::vector<Setting> in;     // NAME=randn, NAME=const:2.5, NAME=@file.npy, ...
  std::vector<Setting> shapes; // NAME=128x64, for dynamic extents and memory of pointers
  uint64_t seed = 0;
};

/// Makes all arguments; prints and throws Failed on unknown names, missing values, files that do
/// not fit.
std::vector<HostArg> makeInputs(const Kernel &kernel, const InputOptions &options);
/// Launch arguments over memory at `pointers` (one per argument; ignored for scalars).
std::vector<tl_arg> launchArgs(const std::vector<HostArg> &args,
                               const std::vector<void *> &pointers);
/// A view's elements, row-major and contiguous.
std::vector<uint8_t> gatherRows(const HostArg &arg, const std::vector<uint8_t> &bytes);
/// "n=1000, a=f32[1000]"
std::string describe(const HostArg &arg);

} // namespace tlc
