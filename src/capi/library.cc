// Several kernels and sequences as one artifact.
#include "capi/handles.h"

#include <set>

using namespace tl;

tl_status tl_kernel_bundle(const tl_kernel *const *kernels, size_t n, tl_kernel **library,
                           tl_error **error) {
  if (library)
    *library = nullptr;
  return guarded(error, [&]() -> Status {
    if (!kernels || !library)
      return nullArgument(kernels ? "library" : "kernels");
    if (n == 0)
      return makeError(TL_E_INVALID_ARGUMENT, "a library holds at least one kernel");
    auto whole = std::make_unique<tl_kernel>();
    std::set<std::string> names;
    for (size_t i = 0; i < n; ++i) {
      if (!kernels[i])
        return nullArgument("kernels");
      const Artifact &artifact = kernels[i]->artifact;
      if (artifact.isLibrary())
        return makeError(TL_E_INVALID_ARGUMENT, "a library holds kernels, not other libraries");
      if (!names.insert(artifact.kernel).second)
        return makeError(TL_E_INVALID_ARGUMENT, "two kernels of the library are named '%s'",
                         artifact.kernel.c_str());
      whole->artifact.members.push_back(artifact);
    }
    whole->context = kernels[0]->context;
    TL_TRY(finishKernel(*whole));
    *library = whole.release();
    return {};
  });
}

tl_status tl_kernel_member(const tl_kernel *kernel, size_t index, const tl_kernel **member) {
  if (member)
    *member = nullptr;
  return guarded(nullptr, [&]() -> Status {
    if (!kernel || !member)
      return nullArgument(kernel ? "member" : "kernel");
    if (index >= kernel->members.size())
      return makeError(TL_E_INVALID_ARGUMENT, "there are %zu members, none with index %zu",
                       kernel->members.size(), index);
    *member = kernel->members[index].get();
    return {};
  });
}
