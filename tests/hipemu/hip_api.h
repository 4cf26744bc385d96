/* The HIP functions that the tests call, declared by hand from HIP's documentation: no HIP header
 * that Debian has fits all the versions that are played. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int hipError_t;
typedef struct ihipStream *hipStream_t;
typedef struct ihipEvent *hipEvent_t;
typedef struct ihipModule *hipModule_t;
typedef struct ihipFunction *hipFunction_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct ihipGraphNode *hipGraphNode_t;
typedef struct ihipGraphExec *hipGraphExec_t;
typedef struct ihipMemPool *hipMemPool_t;
#ifndef HIP_API_OWN_DIM3
typedef struct {
  uint32_t x, y, z;
} dim3;
#endif
typedef struct {
  dim3 blockDim;
  void **extra;
  void *func;
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
} hipKernelNodeParams;
typedef struct {
  int type, device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;
typedef struct {
  int allocType, handleTypes, locationType, locationId;
  void *win32;
  size_t maxSize;
  unsigned char reserved[56];
} hipMemPoolProps;

enum { H2H, H2D, D2H, D2D, ANY };
enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
#define STREAM_LEGACY ((hipStream_t)(uintptr_t)1)
#define STREAM_PER_THREAD ((hipStream_t)(uintptr_t)2)
#define NON_BLOCKING 1u

hipError_t hipInit(unsigned flags);
hipError_t hipRuntimeGetVersion(int *version);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
hipError_t hipExtGetLastError(void);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             int *status);
hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int *device);
hipError_t hipDeviceGetAttribute(int *value, int attribute, int device);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipMemGetInfo(size_t *free, size_t *total);
hipError_t hipMalloc(void **memory, size_t bytes);
hipError_t hipFree(void *memory);
hipError_t hipMallocManaged(void **memory, size_t bytes, unsigned flags);
hipError_t hipHostMalloc(void **memory, size_t bytes, unsigned flags);
hipError_t hipHostFree(void *memory);
hipError_t hipHostRegister(void *memory, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void *memory);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer);
hipError_t hipMemGetAddressRange(void **base, size_t *bytes, void *address);
hipError_t hipMallocAsync(void **memory, size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void *memory, hipStream_t stream);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device);
hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void *value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void *value);
hipError_t hipMallocFromPoolAsync(void **memory, size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream);
hipError_t hipMemcpy(void *to, const void *from, size_t bytes, int kind);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream);
hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes);
hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                              size_t bytes, hipStream_t stream);
hipError_t hipMemset(void *to, int value, size_t bytes);
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream);
hipError_t hipMemsetD32Async(void *to, int value, size_t count, hipStream_t stream);
hipError_t hipMemsetD16Async(void *to, unsigned short value, size_t count, hipStream_t stream);
hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t hipStreamGetDevice(hipStream_t stream, int *device);
hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *user);
hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop);
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleGetGlobal(void **address, size_t *bytes, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY,
                                 unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                 unsigned shared, hipStream_t stream, void **params, void **extra);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX, unsigned gridY,
                                            unsigned gridZ, unsigned blockX, unsigned blockY,
                                            unsigned blockZ, unsigned shared, hipStream_t stream,
                                            void **params);
hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **params,
                           size_t shared, hipStream_t stream);
hipError_t hipFuncGetAttribute(int *value, int attribute, hipFunction_t function);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                              int threads, size_t shared);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function,
                                                   size_t shared, int limit);
void **__hipRegisterFatBinary(const void *wrapper);
void __hipUnregisterFatBinary(void **binary);
void __hipRegisterFunction(void **binary, const void *stub, char *device, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *wave);
void __hipRegisterVar(void **binary, void *variable, char *host, char *name, int external,
                      size_t bytes, int constant, int global);
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream);
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream);
hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol);
hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             int kind);
hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
hipError_t hipStreamBeginCapture(hipStream_t stream, int mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing(hipStream_t stream, int *status);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status, unsigned long long *id);
hipError_t hipThreadExchangeStreamCaptureMode(int *mode);
hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode,
                               char *log, size_t bytes);
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);
hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *errorNode,
                              int *result);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
                            size_t *count);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, int *type);
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t count);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph,
                                const hipGraphNode_t *dependencies, size_t count);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipKernelNodeParams *params);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *params);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *params);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *params);

int tl_hipemu_configure(const char *settings, char *message, size_t bytes);
size_t tl_hipemu_report(int format, char *text, size_t bytes);
uint64_t tl_hipemu_finding_count(void);
void tl_hipemu_clear(void);
size_t tl_hipemu_fault(int device, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
