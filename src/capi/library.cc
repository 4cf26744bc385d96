// Several kernels and sequences as one artifact.
#include "capi/handles.h"

#include <set>

using namespace tl;

namespace tl {

Status refuseLibrary(const tl_kernel &kernel, const char *what) {
  if (!kernel.artifact.isLibrary())
    return {};
  return makeError(TL_E_UNSUPPORTED, "a library is not %s, but its members are (tl_kernel_member)",
                   what);
}

namespace {

/// What a kernel or sequence has code for. Code for the host counts as one target: the device that
/// has the features of one of two may have those of the other.
std::set<std::string> targetsOf(const Artifact &artifact) {
  std::set<std::string> targets;
  for (const TargetCode &code : artifact.isSequence() ? artifact.members[0].codes : artifact.codes)
    targets.insert(code.target.starts_with("host:") ? "host" : code.target);
  return targets;
}

std::string listOf(const std::set<std::string> &targets) {
  std::string list;
  for (const std::string &target : targets)
    list += (list.empty() ? "" : ", ") + target;
  return list.empty() ? "nothing" : list;
}

/// Takes from `common`, the targets of all kernels before, what this one has no code for.
Status keepCommon(const Artifact &artifact, bool first, std::set<std::string> &common) {
  std::set<std::string> own = targetsOf(artifact), before = common;
  if (first)
    common = own;
  else
    std::erase_if(common, [&](const std::string &target) { return !own.contains(target); });
  if (!common.empty())
    return {};
  return makeError(TL_E_INVALID_ARGUMENT,
                   "kernel '%s' has code for %s, but not for %s as the library's kernels before "
                   "it: a library is loaded for one device, so that its kernels need a target in "
                   "common",
                   artifact.kernel.c_str(), listOf(own).c_str(), listOf(before).c_str());
}

} // namespace

} // namespace tl

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
    std::set<std::string> names, targets;
    for (size_t i = 0; i < n; ++i) {
      if (!kernels[i])
        return makeError(TL_E_INVALID_ARGUMENT, "kernel %zu of the list is NULL", i);
      const Artifact &artifact = kernels[i]->artifact;
      if (artifact.isLibrary())
        return makeError(TL_E_INVALID_ARGUMENT, "a library holds kernels, not other libraries");
      if (!names.insert(artifact.kernel).second)
        return makeError(TL_E_INVALID_ARGUMENT, "two kernels of the library are named '%s'",
                         artifact.kernel.c_str());
      TL_TRY(keepCommon(artifact, i == 0, targets));
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
