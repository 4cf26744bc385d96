/* For CMocka tests of the C API: calls that must succeed, arguments in a line, memory that ends at
 * an unmapped page. */
#ifndef API_TEST_H
#define API_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/graph_helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Fails the test with the library's words unless the status is TL_OK; releases the error. */
#define OK(CALL)                                                                                   \
  do {                                                                                             \
    tl_error *error = NULL;                                                                        \
    tl_status status_ = (CALL);                                                                    \
    if (status_ != TL_OK)                                                                          \
      print_error("%s:%d: %s: %s\n", __FILE__, __LINE__, tl_status_name(status_),                  \
                  tl_error_message(error));                                                        \
    tl_error_destroy(error);                                                                       \
    assert_int_equal(status_, TL_OK);                                                              \
  } while (0)

/* The call must fail with this status and words that contain `part`; releases the error. */
#define FAILS(CALL, STATUS, PART)                                                                  \
  do {                                                                                             \
    tl_error *error = NULL;                                                                        \
    tl_status status_ = (CALL);                                                                    \
    if (status_ != (STATUS) || !strstr(tl_error_message(error), PART))                             \
      print_error("%s:%d: got %s: %s\n", __FILE__, __LINE__, tl_status_name(status_),              \
                  tl_error_message(error));                                                        \
    assert_int_equal(status_, STATUS);                                                             \
    assert_int_equal(tl_error_status(error), STATUS);                                              \
    assert_non_null(strstr(tl_error_message(error), PART));                                        \
    tl_error_destroy(error);                                                                       \
  } while (0)

/* Opens a device. Skips the test, with the reason, only where the build has no emulator for it: one
 * that was built must open. */
static inline tl_device *api_open_device(tl_context *context, const char *name) {
  char path[4096];
  tl_device *device = NULL;
  tl_error *error = NULL;
  tl_status status = tl_device_open(context, name, &device, &error);
  snprintf(path, sizeof path, "%s/lib/libtilelang-hipemu.so",
           getenv("TL_BUILD_DIR") ? getenv("TL_BUILD_DIR") : ".");
  if (status == TL_E_NO_DEVICE && strncmp(name, "emu:", 4) == 0 && access(path, F_OK) != 0) {
    print_message("skip: %s\n", tl_error_message(error));
    tl_error_destroy(error);
    skip();
  }
  if (status != TL_OK)
    print_error("%s: %s\n", name, tl_error_message(error));
  tl_error_destroy(error);
  assert_int_equal(status, TL_OK);
  return device;
}

/* DLPack's DLTensor, as dlpack.h declares it. */
typedef struct dl_tensor {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;

/* Memory of `bytes` bytes whose end is the end of a page, with an unmapped page behind it (and
 * before it). */
typedef struct api_memory {
  char *base;
  size_t mapped;
  void *data;
} api_memory;

static inline api_memory api_guarded(size_t bytes, size_t align) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), inner;
  api_memory m;
  bytes = (bytes + align - 1) / align * align;
  inner = (bytes + page - 1) / page * page;
  m.mapped = inner + 2 * page;
  m.base = mmap(NULL, m.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(m.base != MAP_FAILED);
  if (inner)
    assert_int_equal(mprotect(m.base + page, inner, PROT_READ | PROT_WRITE), 0);
  m.data = m.base + page + inner - bytes;
  return m;
}
static inline void api_release(api_memory m) { munmap(m.base, m.mapped); }

/* The device that the environment names, on which a program runs all its tests then (the bundle's
 * run-tests sets it), or NULL. */
static inline const char *api_named_device(void) { return getenv("TL_TEST_DEVICE"); }

/* `bytes` bytes of the host's memory as the device's kernels are to have them: the same memory on
 * the CPU, a copy in the device's own elsewhere. api_out() brings them back and releases a copy. */
static inline int api_shares_memory(const tl_device *device) {
  tl_device_info info = TL_DEVICE_INFO_INIT;
  OK(tl_device_get_info(device, &info));
  return strncmp(info.target, "host", 4) == 0 || strcmp(info.target, "interp") == 0;
}
static inline void *api_in(tl_device *device, void *data, size_t bytes) {
  void *memory = NULL;
  if (api_shares_memory(device))
    return data;
  OK(tl_alloc(device, bytes, &memory, &error));
  OK(tl_copy(device, memory, data, bytes, TL_COPY_TO_DEVICE, NULL));
  return memory;
}
static inline void api_out(tl_device *device, void *data, void *memory, size_t bytes) {
  if (memory == data)
    return;
  OK(tl_copy(device, data, memory, bytes, TL_COPY_TO_HOST, NULL));
  OK(tl_stream_synchronize(device, NULL));
  OK(tl_free(device, memory));
}

/* Numbers in [-1, 1), the same every time. */
static inline float api_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (float)((double)(*state >> 11) / 4503599627370496.0 - 1);
}

#endif
