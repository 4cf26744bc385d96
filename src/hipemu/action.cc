#include "hipemu/action.h"

#include "hipemu/runtime.h"

namespace tl::hipemu {

static int codeOf(emu::LaunchStatus status) {
  switch (status) {
  case emu::LaunchStatus::Ok:
    return hipSuccess;
  case emu::LaunchStatus::BadConfiguration:
    return hipErrorInvalidConfiguration;
  case emu::LaunchStatus::OutOfResources:
    return hipErrorLaunchOutOfResources;
  case emu::LaunchStatus::BadArguments:
    return hipErrorInvalidValue;
  case emu::LaunchStatus::MemoryFault:
    return hipErrorIllegalAddress;
  case emu::LaunchStatus::Trap:
    return hipErrorAssert;
  case emu::LaunchStatus::Hang:
    return hipErrorLaunchTimeOut;
  case emu::LaunchStatus::IllegalState:
  case emu::LaunchStatus::Unimplemented:
    return hipErrorLaunchFailure;
  }
  return hipErrorUnknown;
}

static Fault performLaunch(emu::Emulator &emulator, const Action &action,
                           const emu::Operation &operation) {
  const Launch &launch = action.launch;
  emu::LaunchRequest request;
  request.kernel = launch.code.kernel;
  const dim3 &grid = launch.grid, &block = launch.block;
  for (int axis = 0; axis < 3; ++axis) {
    request.grid[axis] = axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
    request.block[axis] = axis == 0 ? block.x : axis == 1 ? block.y : block.z;
  }
  request.dynamicLds = launch.dynamicLds;
  request.kernarg = launch.kernarg.data();
  request.kernargBytes = launch.kernarg.size();
  request.cooperative = launch.cooperative;
  request.operation = operation;
  emu::LaunchResult result = emulator.launch(request);
  return {codeOf(result.status), std::move(result.message)};
}

static Fault performNow(emu::Emulator &emulator, const Action &action,
                        const emu::Operation &operation) {
  Fault fault;
  switch (action.type) {
  case NodeType::Kernel:
    return performLaunch(emulator, action, operation);
  case NodeType::Memcpy:
    if (!emulator.copy(action.to, action.from, action.bytes, operation, &fault.message))
      fault.code = hipErrorIllegalAddress;
    return fault;
  case NodeType::Memset:
    if (!emulator.fill(action.to, action.pattern, action.patternBytes, action.bytes, operation,
                       &fault.message))
      fault.code = hipErrorIllegalAddress;
    return fault;
  case NodeType::Host:
    Thread::current().inHostFunction = true;
    if (action.function)
      action.function(action.user);
    else
      action.callback(action.callbackStream, hipSuccess, action.user);
    Thread::current().inHostFunction = false;
    return fault;
  case NodeType::MemFree:
    emulator.release(action.to, &operation);
    return fault;
  case NodeType::Empty:
  case NodeType::MemAlloc:
    return fault;
  }
  return fault;
}

Fault perform(Runtime &runtime, const Action &action, const emu::Operation &operation) {
  if (!runtime.trace.on())
    return performNow(*runtime.emulator, action, operation);
  Time begin = now();
  Fault fault = performNow(*runtime.emulator, action, operation);
  runtime.trace.action(action, operation, fault, begin, now());
  return fault;
}

} // namespace tl::hipemu
