/* A test double of the HIP runtime: memory is the host's, nothing is executed, every call is
 * written down. Built in three variants: as HIP 6 and later, as HIP 5 (FAKE_HIP5: the old
 * properties only), and FAKE_INCOMPLETE, which lacks a function that is needed. The fake_hip_
 * functions are for the tests. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static char calls[1 << 16];
static size_t used;
static int devices = 1, counted = 0, initialized = 0;
static int capturing = 0;
static char failing[64];
static int failure;
static __thread int current;
static __thread int mode;

EXPORT void fake_hip_reset(int count) {
  used = 0;
  calls[0] = 0;
  devices = count;
  counted = count ? 0 : 100;
  initialized = count ? 0 : 101;
  capturing = 0;
  failing[0] = 0;
  current = 0;
  mode = 0;
}

/** The calls since the last one of these, separated by "; ". */
EXPORT const char *fake_hip_calls(void) {
  static char copy[sizeof calls];
  memcpy(copy, calls, sizeof calls);
  used = 0;
  calls[0] = 0;
  return copy;
}

/** Lets the next call of a function fail. */
EXPORT void fake_hip_fail(const char *name, int code) {
  snprintf(failing, sizeof failing, "%s", name);
  failure = code;
}

EXPORT void fake_hip_set_capturing(int status) { capturing = status; }
EXPORT int fake_hip_current(void) { return current; }
EXPORT int fake_hip_mode(void) { return mode; }
EXPORT void fake_hip_make_current(int device) { current = device; }

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

EXPORT int hipInit(unsigned flags) {
  CALL("(%u)", flags);
  return initialized;
}
EXPORT int hipGetDeviceCount(int *count) {
  CALL("()");
  *count = devices;
  return counted;
}
EXPORT int hipRuntimeGetVersion(int *version) {
#ifdef FAKE_HIP5
  *version = 50221153;
#else
  *version = 60241134;
#endif
  return 0;
}
EXPORT const char *hipGetErrorName(int code) {
  return code == 0     ? "hipSuccess"
         : code == 1   ? "hipErrorInvalidValue"
         : code == 2   ? "hipErrorOutOfMemory"
         : code == 100 ? "hipErrorNoDevice"
         : code == 209 ? "hipErrorNoBinaryForGpu"
         : code == 500 ? "hipErrorNotFound"
         : code == 719 ? "hipErrorLaunchFailure"
                       : NULL;
}
/* Must never be called: it would take the host's error away. */
EXPORT int hipGetLastError(void) {
  CALL("()");
  return 0;
}
EXPORT int hipGetDevice(int *device) {
  *device = current;
  return 0;
}
EXPORT int hipSetDevice(int device) {
  CALL("(%d)", device);
  current = device;
  return 0;
}
EXPORT int hipDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
  case 29:
    *value = 2147483647;
    return 0;
  case 30:
  case 31:
    *value = 65536;
    return 0;
  case 56:
    *value = 1024;
    return 0;
  case 63:
    *value = 304;
    return 0;
  case 74:
    *value = 65536;
    return 0;
  case 87:
    *value = 64;
    return 0;
  }
  return 1;
}
EXPORT int hipDeviceTotalMem(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)192 << 30;
  return 0;
}

static void properties(char *to, size_t size, size_t archOffset, int device) {
  memset(to, 0x55, size);
  memset(to + archOffset, 0, 256);
  snprintf(to, 256, "Fake GPU %d", device);
  snprintf(to + archOffset, 256, device == 0 ? "gfx942:sramecc+:xnack-" : "gfx1100");
}
/* The old layout under the plain name, as in every version of HIP. */
EXPORT int hipGetDeviceProperties(void *to, int device) {
  CALL("(%d)", device);
  properties(to, 792, 396, device);
  return 0;
}
#ifndef FAKE_HIP5
EXPORT int hipGetDevicePropertiesR0600(void *to, int device) {
  CALL("(%d)", device);
  properties(to, 1472, 1160, device);
  return 0;
}
#endif

EXPORT int hipDeviceSynchronize(void) {
  CALL("()");
  return 0;
}
EXPORT int hipMalloc(void **memory, size_t bytes) {
  CALL("(%zu) on %d mode %d", bytes, current, mode);
  *memory = malloc(bytes);
  return 0;
}
EXPORT int hipFree(void *memory) {
  CALL("()");
  free(memory);
  return 0;
}
EXPORT int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  CALL("(%zu, kind %d, stream %zu)", bytes, kind, (size_t)stream);
  memcpy(to, from, bytes);
  return 0;
}
EXPORT int hipMemsetAsync(void *to, int value, size_t bytes, void *stream) {
  CALL("(%d, %zu, stream %zu)", value, bytes, (size_t)stream);
  memset(to, value, bytes);
  return 0;
}
EXPORT int hipMemsetD16Async(void *to, unsigned short value, size_t count, void *stream) {
  (void)to;
  CALL("(%u, %zu, stream %zu)", value, count, (size_t)stream);
  return 0;
}
EXPORT int hipMemsetD32Async(void *to, int value, size_t count, void *stream) {
  (void)to;
  CALL("(%d, %zu, stream %zu)", value, count, (size_t)stream);
  return 0;
}
EXPORT int hipModuleLoadData(void **module, const void *image) {
  CALL("(%.4s) on %d mode %d", (const char *)image, current, mode);
  *module = malloc(1);
  return 0;
}
EXPORT int hipModuleUnload(void *module) {
  CALL("() on %d", current);
  free(module);
  return 0;
}
EXPORT int hipModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  CALL("(%s)", name);
  *function = (void *)(size_t)0x1000;
  return 0;
}
#ifndef FAKE_INCOMPLETE
EXPORT int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned shared, void *stream,
                                 void **params, void **extra) {
  unsigned long long last = 0;
  size_t bytes = 0;
  if (params || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3)
    return 1;
  bytes = *(size_t *)extra[3];
  memcpy(&last, (char *)extra[1] + bytes - 8, 8);
  CALL("(%zx, %ux%ux%u of %ux%ux%u, lds %u, stream %zu, %zu bytes, last %llu) on %d",
       (size_t)function, gx, gy, gz, bx, by, bz, shared, (size_t)stream, bytes, last, current);
  return 0;
}
#endif
EXPORT int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  CALL("(%u) on %d", flags, current);
  *stream = (void *)(size_t)0x5000;
  return 0;
}
EXPORT int hipStreamDestroy(void *stream) {
  CALL("(%zu)", (size_t)stream);
  return 0;
}
EXPORT int hipStreamSynchronize(void *stream) {
  CALL("(%zu) on %d", (size_t)stream, current);
  return 0;
}
EXPORT int hipStreamWaitEvent(void *stream, void *event, unsigned flags) {
  CALL("(%zu, %zu, %u)", (size_t)stream, (size_t)event, flags);
  return 0;
}
EXPORT int hipStreamIsCapturing(void *stream, int *status) {
  CALL("(%zu)", (size_t)stream);
  *status = capturing;
  return 0;
}
EXPORT int hipThreadExchangeStreamCaptureMode(int *other) {
  int before = mode;
  mode = *other;
  *other = before;
  return 0;
}
EXPORT int hipEventCreateWithFlags(void **event, unsigned flags) {
  CALL("(%u) on %d", flags, current);
  *event = (void *)(size_t)0x6000;
  return 0;
}
EXPORT int hipEventDestroy(void *event) {
  CALL("(%zu)", (size_t)event);
  return 0;
}
EXPORT int hipEventRecord(void *event, void *stream) {
  CALL("(%zu, %zu)", (size_t)event, (size_t)stream);
  return 0;
}
EXPORT int hipEventSynchronize(void *event) {
  CALL("(%zu)", (size_t)event);
  return 0;
}
EXPORT int hipEventElapsedTime(float *milliseconds, void *start, void *stop) {
  CALL("(%zu, %zu)", (size_t)start, (size_t)stop);
  *milliseconds = 1.5f;
  return 0;
}
EXPORT int hipPointerGetAttributes(void *attributes, const void *pointer) {
  CALL("()");
  if (pointer == (void *)(size_t)0xdead00)
    return 1;
  memcpy((char *)attributes + 8, &pointer, sizeof pointer);
  return 0;
}
