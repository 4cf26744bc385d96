/* A test double of NVIDIA's driver library: memory is the host's, nothing is executed, every call
 * is written down. FAKE_INCOMPLETE lacks a function that is needed. The fake_cuda_ functions are
 * for the tests. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static char calls[1 << 16];
static size_t used;
static int devices = 1;
static char failing[64];
static int failure;
static char contexts[2]; /* their addresses are the devices' primary contexts */
static __thread void *stack[8];
static __thread int depth;
static __thread int mode;

EXPORT void fake_cuda_reset(int count) {
  used = 0;
  calls[0] = 0;
  devices = count;
  failing[0] = 0;
  depth = 0;
  mode = 0;
}

/** The calls since the last one of these, separated by "; ". */
EXPORT const char *fake_cuda_calls(void) {
  static char copy[sizeof calls];
  memcpy(copy, calls, sizeof calls);
  used = 0;
  calls[0] = 0;
  return copy;
}

/** Lets the next call of a function fail. */
EXPORT void fake_cuda_fail(const char *name, int code) {
  snprintf(failing, sizeof failing, "%s", name);
  failure = code;
}

/** How many contexts this thread has pushed. */
EXPORT int fake_cuda_depth(void) { return depth; }
EXPORT int fake_cuda_mode(void) { return mode; }

/* Writes a call down; its result is the failure that a test has ordered, or 0. */
static int note(const char *name, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (used + 512 < sizeof calls) {
    used += (size_t)snprintf(calls + used, sizeof calls - used, "%s%s", used ? "; " : "", name);
    used += (size_t)vsnprintf(calls + used, sizeof calls - used, format, args);
  }
  va_end(args);
  if (strcmp(failing, name) != 0)
    return 0;
  failing[0] = 0;
  return failure;
}

#define CALL(...)                                                                                  \
  do {                                                                                             \
    int code = note(__func__, __VA_ARGS__);                                                        \
    if (code)                                                                                      \
      return code;                                                                                 \
  } while (0)

EXPORT int cuInit(unsigned flags) {
  CALL("(%u)", flags);
  return devices ? 0 : 100;
}
EXPORT int cuDriverGetVersion(int *version) {
  *version = 12080;
  return 0;
}
EXPORT int cuGetErrorName(int code, const char **name) {
  *name = code == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 100 ? "CUDA_ERROR_NO_DEVICE"
          : code == 218 ? "CUDA_ERROR_INVALID_PTX"
          : code == 500 ? "CUDA_ERROR_NOT_FOUND"
                        : NULL;
  return *name ? 0 : 1;
}
EXPORT int cuDeviceGetCount(int *count) {
  *count = devices;
  return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char *name, int bytes, int device) {
  snprintf(name, (size_t)bytes, "Fake GPU %d", device);
  return 0;
}
/* The first device is a later one than any that there is code for, the second one of 8.6. */
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 1:
    *value = 1024;
    return 0;
  case 5:
    *value = 2147483647;
    return 0;
  case 6:
  case 7:
    *value = 65535;
    return 0;
  case 10:
    *value = 32;
    return 0;
  case 16:
    *value = 132;
    return 0;
  case 75:
    *value = device == 0 ? 10 : 8;
    return 0;
  case 76:
    *value = device == 0 ? 0 : 6;
    return 0;
  case 97:
    *value = 101376;
    return 0;
  }
  return 1;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)80 << 30;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  CALL("(%d)", device);
  *context = &contexts[device];
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  CALL("(%d)", device);
  return 0;
}
EXPORT int cuCtxGetCurrent(void **context) {
  *context = depth ? stack[depth - 1] : NULL;
  return 0;
}
EXPORT int cuCtxPushCurrent_v2(void *context) {
  CALL("(%d)", (int)((char *)context - contexts));
  stack[depth++] = context;
  return 0;
}
EXPORT int cuCtxPopCurrent_v2(void **context) {
  CALL("()");
  *context = stack[--depth];
  return 0;
}
EXPORT int cuCtxSynchronize(void) {
  CALL("()");
  return 0;
}
EXPORT int cuMemAlloc_v2(void **memory, size_t bytes) {
  CALL("(%zu)", bytes);
  *memory = malloc(bytes);
  return 0;
}
EXPORT int cuMemFree_v2(void *memory) {
  CALL("()");
  free(memory);
  return 0;
}
EXPORT int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream) {
  CALL("(%zu, %d)", bytes, stream != NULL);
  memcpy(to, from, bytes);
  return 0;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream) {
  CALL("(%zu, %d)", bytes, stream != NULL);
  memcpy(to, from, bytes);
  return 0;
}
EXPORT int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream) {
  CALL("(%zu, %d)", bytes, stream != NULL);
  memcpy(to, from, bytes);
  return 0;
}
EXPORT int cuMemsetD8Async(void *to, unsigned char value, size_t count, void *stream) {
  (void)to, (void)stream;
  CALL("(%u, %zu)", value, count);
  return 0;
}
EXPORT int cuMemsetD16Async(void *to, unsigned short value, size_t count, void *stream) {
  (void)to, (void)stream;
  CALL("(%u, %zu)", value, count);
  return 0;
}
EXPORT int cuMemsetD32Async(void *to, unsigned value, size_t count, void *stream) {
  (void)to, (void)stream;
  CALL("(%u, %zu)", value, count);
  return 0;
}
EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options,
                              void **values) {
  int code = note(__func__, "(%s)", (const char *)image);
  for (unsigned i = 0; code && i < n; ++i)
    if (options[i] == 5) /* CU_JIT_ERROR_LOG_BUFFER */
      strcpy(values[i], "ptxas error: line 7; wrong");
  *module = malloc(1);
  return code;
}
EXPORT int cuModuleUnload(void *module) {
  CALL("()");
  free(module);
  return 0;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  CALL("(%s)", name);
  *function = module;
  return 0;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  CALL("(%d, %d)", attribute, value);
  return 0;
}
EXPORT int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                          unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                          void *stream, void **params, void **extra) {
  (void)function, (void)stream;
  size_t bytes = extra && extra[2] == (void *)2 ? *(size_t *)extra[3] : 0;
  CALL("(%ux%ux%u, %ux%ux%u, %u, %d, %zu)", gridX, gridY, gridZ, blockX, blockY, blockZ,
       sharedBytes, params != NULL, bytes);
  return 0;
}
EXPORT int cuStreamCreate(void **stream, unsigned flags) {
  CALL("(%u)", flags);
  *stream = malloc(1);
  return 0;
}
EXPORT int cuStreamDestroy_v2(void *stream) {
  CALL("()");
  free(stream);
  return 0;
}
EXPORT int cuStreamSynchronize(void *stream) {
  CALL("(%d)", stream != NULL);
  return 0;
}
EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  (void)stream, (void)event;
  CALL("(%u)", flags);
  return 0;
}
EXPORT int cuStreamIsCapturing(void *stream, int *status) {
  (void)stream;
  CALL("()");
  *status = 1;
  return 0;
}
EXPORT int cuThreadExchangeStreamCaptureMode(int *other) {
  int before = mode;
  mode = *other;
  *other = before;
  return 0;
}
EXPORT int cuEventCreate(void **event, unsigned flags) {
  CALL("(%u)", flags);
  *event = malloc(1);
  return 0;
}
EXPORT int cuEventDestroy_v2(void *event) {
  CALL("()");
  free(event);
  return 0;
}
EXPORT int cuEventRecord(void *event, void *stream) {
  (void)event, (void)stream;
  CALL("()");
  return 0;
}
EXPORT int cuEventSynchronize(void *event) {
  (void)event;
  CALL("()");
  return 0;
}
#ifndef FAKE_INCOMPLETE
EXPORT int cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
  (void)start, (void)stop;
  CALL("()");
  *milliseconds = 1.5f;
  return 0;
}
#endif
