// Checking a launch and copying its arguments.
#pragma once

#include "hipemu/module.h"

namespace tl::hipemu {

struct Device;

/// What a caller asks for; exactly one of `params` and `extra` holds the arguments.
struct LaunchRequest {
  const void *handle = nullptr;
  dim3 grid{}, block{};
  size_t sharedBytes = 0;
  void **params = nullptr, **extra = nullptr;
  bool cooperative = false;
};

/// The action of a launch: arguments copied to the offsets that the kernel's metadata says.
/// Otherwise hipErrorInvalidConfiguration (grid or block), hipErrorInvalidValue (arguments, LDS),
/// hipErrorLaunchOutOfResources (threads for which the kernel was not compiled),
/// hipErrorCooperativeLaunchTooLarge.
int makeLaunch(const Runtime &runtime, const Device &device, const Function &function,
               const LaunchRequest &request, std::shared_ptr<const Action> *action);

} // namespace tl::hipemu
