// HIP's types as the ABI has them, for the functions of functions.def. No HIP header is needed:
// sizes and offsets are those of the headers of HIP 5.2 to 7.2, and a test compares them with
// published facts. Names are HIP's own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl::hipemu {

struct Stream;
struct Event;
struct Module;
struct Function;
struct Graph;
struct GraphNode;
struct GraphExec;
struct MemoryPool;

using hipStream_t = Stream *;
using hipEvent_t = Event *;
using hipModule_t = Module *;
using hipFunction_t = Function *;
using hipGraph_t = Graph *;
using hipGraphNode_t = GraphNode *;
using hipGraphExec_t = GraphExec *;
using hipMemPool_t = MemoryPool *;
using hipHostFn_t = void (*)(void *);
using hipStreamCallback_t = void (*)(hipStream_t, int, void *);

/// hipError_t; functions return it as an int.
enum ErrorCode : int {
#define TL_HIP_ERROR(NAME, VALUE, TEXT) NAME = VALUE,
#include "hipemu/errors.def"
};

// Stream handles that mean a stream of the current device.
inline constexpr uintptr_t kStreamLegacy = 1;
inline constexpr uintptr_t kStreamPerThread = 2;

enum : unsigned { hipStreamDefault = 0, hipStreamNonBlocking = 1 };
enum : unsigned {
  hipEventBlockingSync = 1,
  hipEventDisableTiming = 2,
  hipEventInterprocess = 4,
  hipEventDisableSystemFence = 0x20000000,
  hipEventReleaseToDevice = 0x40000000,
  hipEventReleaseToSystem = 0x80000000,
};
enum : int {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
  hipMemcpyDeviceToDeviceNoCU = 1024,
};
enum : int {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal = 1,
  hipStreamCaptureModeRelaxed = 2,
};
enum : int {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2,
};
enum : int {
  hipGraphExecUpdateSuccess = 0,
  hipGraphExecUpdateError = 1,
  hipGraphExecUpdateErrorTopologyChanged = 2,
  hipGraphExecUpdateErrorNodeTypeChanged = 3,
  hipGraphExecUpdateErrorFunctionChanged = 4,
  hipGraphExecUpdateErrorParametersChanged = 5,
  hipGraphExecUpdateErrorNotSupported = 6,
};
/// hipGraphNodeType of HIP 5.7 and later.
enum class NodeType : int {
  Kernel = 0,
  Memcpy = 1,
  Memset = 2,
  Host = 3,
  Empty = 5,
  MemAlloc = 10,
  MemFree = 11,
};
inline constexpr int kAnyDevice = -2; // hipInvalidDeviceId

struct dim3 {
  uint32_t x, y, z;
};
struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func;
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
};
struct hipMemsetParams {
  void *dst;
  unsigned elementSize;
  size_t height, pitch;
  unsigned value;
  size_t width;
};
struct hipHostNodeParams {
  hipHostFn_t fn;
  void *userData;
};
struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  size_t constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  size_t sharedSizeBytes;
};
struct hipPointerAttribute_t {
  int type, device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
};
struct hipMemPoolProps {
  int allocType, handleTypes, locationType, locationId;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
};
struct hipUUID {
  char bytes[16];
};
static_assert(sizeof(dim3) == 12 && sizeof(hipUUID) == 16);
static_assert(sizeof(hipKernelNodeParams) == 64 && offsetof(hipKernelNodeParams, extra) == 16 &&
              offsetof(hipKernelNodeParams, func) == 24 &&
              offsetof(hipKernelNodeParams, gridDim) == 32 &&
              offsetof(hipKernelNodeParams, kernelParams) == 48 &&
              offsetof(hipKernelNodeParams, sharedMemBytes) == 56);
static_assert(sizeof(hipMemsetParams) == 48 && offsetof(hipMemsetParams, height) == 16 &&
              offsetof(hipMemsetParams, value) == 32 && offsetof(hipMemsetParams, width) == 40);
static_assert(sizeof(hipHostNodeParams) == 16);
static_assert(sizeof(hipFuncAttributes) == 56 && offsetof(hipFuncAttributes, numRegs) == 32 &&
              offsetof(hipFuncAttributes, sharedSizeBytes) == 48);
static_assert(sizeof(hipPointerAttribute_t) == 32 &&
              offsetof(hipPointerAttribute_t, allocationFlags) == 28);
static_assert(sizeof(hipMemPoolProps) == 88 && offsetof(hipMemPoolProps, maxSize) == 24);

} // namespace tl::hipemu
