/* Contexts, devices, memory, streams and events. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception
 *
 * Streams and events are the vendor's own handles (hipStream_t, hipEvent_t) as void pointers,
 * device memory is a plain pointer: what the host program has already is accepted everywhere, and
 * what is made here may be used with the vendor's calls. A NULL stream is the device's default
 * stream. Threads: everything here may be called from any thread; a handle must outlive the calls
 * that use it.
 *
 * After fork(): the child has none of its parent's threads. In it, calls on the devices "host" and
 * "interp" whose threads ran in the parent give TL_E_UNSUPPORTED; make a context after the fork.
 * Runtimes of GPUs do not support use after fork() at all. */
#ifndef TILELANG_DEVICE_H
#define TILELANG_DEVICE_H

#include "tilelang/status.h"
#include "tilelang/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A host program's thread pool: calls body(body_context, i) for every i in [0, count), on any
 * threads, and returns when all are done. Called from a thread of the library. Since: 0.1 */
typedef void (*tl_parallel_for)(void *user, int64_t count,
                                void (*body)(void *body_context, int64_t index),
                                void *body_context);

/** Flags of a context. Since: 0.1 */
#define TL_CONTEXT_IGNORE_ENVIRONMENT 1 /**< read no environment variable */
#define TL_CONTEXT_NO_COMPILE 2         /**< builds that are not cached fail with TL_E_NOT_CACHED */

/** What a line of the log is. Since: 0.1 */
typedef int32_t tl_log_kind;
#define TL_LOG_PRINT ((tl_log_kind)1)  /**< of a print */
#define TL_LOG_ASSERT ((tl_log_kind)2) /**< of an assert that failed */
#define TL_LOG_LOST ((tl_log_kind)3)   /**< how many lines found no room on the device */

/** A line that a kernel gave with print or assert. All is valid during the callback only.
 * Since: 0.1 */
typedef struct tl_log_line {
  size_t struct_size; /**< what the library knows of */
  tl_log_kind kind;
  uint32_t line; /**< of `file`: the operation's place in the author's source; 0 = none */
  const char *file;
  const char *kernel;
  int64_t program[3]; /**< x, y, z */
  const char *message;
  const char *values; /**< "1.5, [1, 2]"; of an assert on a tile which element failed; or "" */
  const char *text;   /**< all of it, as one would show it */
} tl_log_line;
#define TL_LOG_LINE_INIT {sizeof(tl_log_line), 0, 0, NULL, NULL, {0, 0, 0}, NULL, NULL, NULL}

/** Receives what kernels print. Called by tl_stream_synchronize on its thread, a line at a time,
 * in the order of launches, then of programs, then as the program wrote them; it must not call the
 * library. Since: 0.1 */
typedef void (*tl_log_callback)(void *user, const tl_log_line *line);

/** Options of a context. Since: 0.1 */
typedef struct tl_context_options {
  size_t struct_size;
  uint32_t flags;            /**< TL_CONTEXT_* */
  uint32_t host_threads;     /**< worker threads of the device "host"; 0 = all processors */
  const char *compiler_path; /**< of libtilelang-compiler; NULL = beside libtilelang, then the usual
                                search */
  const char *hip_path; /**< of the HIP runtime library; NULL = a loaded copy, $TL_HIP_LIBRARY, the
                           usual names */
  void *hip_handle;     /**< of dlopen, if the host opened the HIP runtime itself; NULL = none */
  tl_parallel_for parallel_for;
  void *parallel_for_user;
  tl_log_callback log; /**< where lines of print and assert go; NULL = nowhere. Used as long as
                          devices and kernels of the context are. Since: 0.1 */
  void *log_user;
  const char *cuda_path; /**< of NVIDIA's driver library; NULL = a loaded copy, $TL_CUDA_LIBRARY,
                            libcuda.so.1. Since: 0.1 */
  void *cuda_handle;     /**< of dlopen, if the host opened that library itself; NULL = none */
} tl_context_options;
#define TL_CONTEXT_OPTIONS_INIT                                                                    \
  {sizeof(tl_context_options), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/** What a device is and offers. Strings are borrowed from the context. Since: 0.1 */
typedef struct tl_device_info {
  size_t struct_size;
  const char *name;        /**< "hip:0", "cuda:0", "emu:gfx942", "host", "interp" */
  const char *description; /**< the vendor's name of the chip, or of the CPU */
  const char *target;      /**< what kernels are compiled for: "amdgcn:gfx942", "nvptx:sm_90" */
  const char *reason;      /**< why it cannot be used, or "" */
  uint32_t usable;         /**< 1 if kernels can be built and run */
  uint32_t compute_units;
  uint32_t wave_size;
  uint32_t max_threads;  /**< per program */
  uint64_t shared_bytes; /**< shared memory per program; 0 where there is none */
  uint64_t memory_bytes;
} tl_device_info;
#define TL_DEVICE_INFO_INIT {sizeof(tl_device_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0}

/** Makes a context: drivers are opened when first needed. `options` may be NULL.
 *  Errors: TL_E_INVALID_ARGUMENT, TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_context_create(const tl_context_options *options, tl_context **context,
                                         tl_error **error);
/** Releases a context. Devices and kernels made from it keep what they need. NULL does nothing.
 * Since: 0.1 */
void tl_context_destroy(tl_context *context);
/** Unloads the code of destroyed kernels. Call it when nothing runs and no captured graph is kept.
 * Since: 0.1 */
void tl_context_trim(tl_context *context);

/** How often the context has run the compiler: builds that found their kernel in memory do not
 * count. Errors: TL_E_INVALID_ARGUMENT (NULL). Since: 0.1 */
TL_NODISCARD tl_status tl_context_compile_count(tl_context *context, uint64_t *count);

/** Number of entries of tl_context_device: devices found, and runtimes without a device, with the
 * reason. Opens the drivers. Errors: TL_E_INVALID_ARGUMENT (NULL), TL_E_OUT_OF_MEMORY. Since: 0.1
 */
TL_NODISCARD tl_status tl_context_device_count(tl_context *context, size_t *count);
/** Fills `info` (struct_size set by the caller) for entry `index`. Errors: TL_E_INVALID_ARGUMENT
 * (NULL, no such entry, struct_size too small), TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_context_device(tl_context *context, size_t index, tl_device_info *info);

/** Opens a device: "hip:0", "hip" (the first), "cuda:0", "cuda", "host", "interp" (the reference
 * interpreter), "emu:gfx942" (a GPU that is emulated, see docs/emulator.md), or "auto" (hip, then
 * cuda, then host). Errors:
 * TL_E_UNKNOWN_DEVICE, TL_E_NO_DEVICE, TL_E_UNSUPPORTED, TL_E_INVALID_ARGUMENT. Since: 0.1 */
TL_NODISCARD tl_status tl_device_open(tl_context *context, const char *name, tl_device **device,
                                      tl_error **error);
/** Releases the handle; the device itself lives as long as its context or a kernel. NULL does
 * nothing. Since: 0.1 */
void tl_device_destroy(tl_device *device);
/** Fills `info` (struct_size set by the caller). Strings are borrowed from the device.
 *  Errors: TL_E_INVALID_ARGUMENT (NULL, struct_size too small). Since: 0.1 */
TL_NODISCARD tl_status tl_device_get_info(const tl_device *device, tl_device_info *info);

/** Allocates device memory of at least `bytes` bytes (64-byte aligned). Errors: TL_E_OUT_OF_MEMORY,
 * TL_E_DRIVER, TL_E_INVALID_ARGUMENT (NULL). Since: 0.1 */
TL_NODISCARD tl_status tl_alloc(const tl_device *device, size_t bytes, void **memory,
                                tl_error **error);
/** Frees device memory after the work that uses it. NULL does nothing. Errors:
 * TL_E_INVALID_ARGUMENT (device is NULL), TL_E_DRIVER, TL_E_UNSUPPORTED (after fork). Since: 0.1 */
tl_status tl_free(const tl_device *device, void *memory);

/** Direction of a copy. Since: 0.1 */
typedef int32_t tl_copy_kind;
#define TL_COPY_TO_DEVICE ((tl_copy_kind)1)
#define TL_COPY_TO_HOST ((tl_copy_kind)2)
#define TL_COPY_ON_DEVICE ((tl_copy_kind)3)
/** Copies `bytes` bytes in stream order, asynchronously: host memory must stay valid until the
 * stream is synchronized. Errors: TL_E_INVALID_ARGUMENT (NULL, an unknown kind, no
 * stream of the host device), TL_E_DRIVER, TL_E_UNSUPPORTED (after fork). Since: 0.1 */
tl_status tl_copy(const tl_device *device, void *to, const void *from, size_t bytes,
                  tl_copy_kind kind, void *stream);
/** Fills `bytes` bytes with `byte` in stream order. Errors: as tl_copy. Since: 0.1 */
tl_status tl_fill(const tl_device *device, void *to, uint8_t byte, size_t bytes, void *stream);

/** Makes an in-order stream (of the vendor, or of the host device). Errors: TL_E_INVALID_ARGUMENT
 * (NULL), TL_E_OUT_OF_MEMORY, TL_E_DRIVER, TL_E_UNSUPPORTED (after fork). Since: 0.1 */
TL_NODISCARD tl_status tl_stream_create(const tl_device *device, void **stream);
/** Finishes the stream's work and releases it. NULL does nothing. Errors: TL_E_INVALID_ARGUMENT
 * (device is NULL, no stream of the host device), TL_E_DRIVER, TL_E_UNSUPPORTED (after fork).
 * Since: 0.1 */
tl_status tl_stream_destroy(const tl_device *device, void *stream);
/** Waits until all work put into the stream is done, gives what kernels of the device have printed
 * to the context's log callback, and reports what failed.
 *  Errors: TL_E_ASSERT (an assert of a kernel has failed since the last call), TL_E_OUT_OF_MEMORY
 * (a kernel of the host device got no scratch memory), TL_E_DRIVER, TL_E_INVALID_ARGUMENT (device
 * is NULL, no stream of the host device), TL_E_UNSUPPORTED (after fork). Since: 0.1 */
tl_status tl_stream_synchronize(const tl_device *device, void *stream);

/** Makes an event. Errors: TL_E_INVALID_ARGUMENT (NULL), TL_E_OUT_OF_MEMORY, TL_E_DRIVER.
 * Since: 0.1 */
TL_NODISCARD tl_status tl_event_create(const tl_device *device, void **event);
/** Releases an event. NULL does nothing. Errors: TL_E_INVALID_ARGUMENT (device is NULL, no event of
 * the host device), TL_E_DRIVER, TL_E_UNSUPPORTED (after fork). Since: 0.1 */
tl_status tl_event_destroy(const tl_device *device, void *event);
/** Records the event after the work now in the stream. Errors: TL_E_INVALID_ARGUMENT (NULL, no
 * event or stream of the host device), TL_E_DRIVER, TL_E_UNSUPPORTED (after fork). Since: 0.1 */
tl_status tl_event_record(const tl_device *device, void *event, void *stream);
/** Makes later work of the stream wait for what the event recorded last. Errors:
 * TL_E_INVALID_ARGUMENT (NULL, no event or stream of the host device), TL_E_DRIVER,
 * TL_E_UNSUPPORTED (after fork). Since: 0.1 */
tl_status tl_event_wait(const tl_device *device, void *stream, void *event);
/** Waits on the calling thread for what the event recorded last. Errors: TL_E_INVALID_ARGUMENT
 * (NULL, no event or stream of the host device), TL_E_DRIVER, TL_E_UNSUPPORTED (after fork). Since:
 * 0.1 */
tl_status tl_event_synchronize(const tl_device *device, void *event);
/** Milliseconds between two recorded events; waits for both. Errors: TL_E_INVALID_ARGUMENT (NULL,
 * no event of the host device, one that was never recorded), TL_E_DRIVER, TL_E_UNSUPPORTED (after
 * fork). Since: 0.1 */
TL_NODISCARD tl_status tl_event_elapsed(const tl_device *device, void *start, void *stop,
                                        double *milliseconds);

#ifdef __cplusplus
}
#endif
#endif
