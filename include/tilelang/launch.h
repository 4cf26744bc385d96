/* Launching kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TILELANG_LAUNCH_H
#define TILELANG_LAUNCH_H

#include "tilelang/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a launch argument is. Since: 0.1 */
typedef int32_t tl_arg_kind;
#define TL_ARG_TENSOR ((tl_arg_kind)1) /**< data + shape + strides */
#define TL_ARG_POINTER                                                                             \
  ((tl_arg_kind)2) /**< data; for a view argument: memory shaped as the kernel declares */
#define TL_ARG_INT                                                                                 \
  ((tl_arg_kind)3) /**< int_value, converted to the argument's integer type (must fit) */
#define TL_ARG_FLOAT ((tl_arg_kind)4)  /**< float_value, rounded to the argument's float type */
#define TL_ARG_DLPACK ((tl_arg_kind)5) /**< data is a const DLTensor * */

/** One launch argument. Frozen layout, 64 bytes; reserved members are 0. Since: 0.1 */
typedef struct tl_arg {
  tl_arg_kind kind;
  tl_dtype dtype; /**< TENSOR: element type, must be the kernel's */
  int32_t rank;   /**< TENSOR */
  int32_t reserved0;
  void *data;             /**< device memory */
  const int64_t *shape;   /**< TENSOR: `rank` extents */
  const int64_t *strides; /**< TENSOR: `rank` strides in elements; NULL = row-major contiguous */
  int64_t int_value;
  double float_value;
  uint64_t reserved1;
} tl_arg;

/** A tensor argument, row-major contiguous. The shape must stay valid for the call. Since: 0.1 */
static inline tl_arg tl_arg_tensor(void *data, tl_dtype dtype, int32_t rank, const int64_t *shape) {
  tl_arg a = {0, 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0};
  a.kind = TL_ARG_TENSOR;
  a.dtype = dtype;
  a.rank = rank;
  a.data = data;
  a.shape = shape;
  return a;
}
/** A plain pointer argument. Since: 0.1 */
static inline tl_arg tl_arg_pointer(void *data) {
  tl_arg a = {0, 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0};
  a.kind = TL_ARG_POINTER;
  a.data = data;
  return a;
}
/** An integer argument. Since: 0.1 */
static inline tl_arg tl_arg_int(int64_t value) {
  tl_arg a = {0, 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0};
  a.kind = TL_ARG_INT;
  a.int_value = value;
  return a;
}
/** A float argument. Since: 0.1 */
static inline tl_arg tl_arg_float(double value) {
  tl_arg a = {0, 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0};
  a.kind = TL_ARG_FLOAT;
  a.float_value = value;
  return a;
}
/** A DLPack tensor argument: `tensor` is a const DLTensor *. Since: 0.1 */
static inline tl_arg tl_arg_dlpack(const void *tensor) {
  tl_arg a = {0, 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0};
  a.kind = TL_ARG_DLPACK;
  a.data = (void *)tensor;
  return a;
}

/** Flags of a launch. Since: 0.1 */
#define TL_LAUNCH_UNCHECKED                                                                        \
  1 /**< skip the checks of types, shapes and alignment (counts are always checked) */
#define TL_LAUNCH_CHECK_POINTERS                                                                   \
  2 /**< refuse pointers that are not the device's (slower; for debugging) */

/** Options of a launch. Since: 0.1 */
typedef struct tl_launch_options {
  size_t struct_size;
  uint32_t flags; /**< TL_LAUNCH_* */
  uint32_t reserved;
  /** Device memory for a sequence's temporaries, aligned as tl_alloc's (64 bytes), used until the
   * launch is done; NULL = memory that the kernel keeps (see tl_kernel_workspace). Since: 0.1 */
  void *workspace;
  size_t workspace_bytes; /**< its size */
} tl_launch_options;
#define TL_LAUNCH_OPTIONS_INIT {sizeof(tl_launch_options), 0, 0, NULL, 0}

/** A launch for the host's own graph nodes (hipKernelNodeParams, CUDA_KERNEL_NODE_PARAMS). Since:
 * 0.1 */
typedef struct tl_packed_launch {
  size_t struct_size;
  void *function;        /**< hipFunction_t, CUfunction */
  uint32_t grid[3];      /**< workgroups */
  uint32_t block[3];     /**< threads of a workgroup */
  uint32_t shared_bytes; /**< dynamic shared memory */
  uint32_t reserved;
  void *kernarg;        /**< in: the caller's buffer, or NULL to ask for the size */
  size_t kernarg_bytes; /**< in: its capacity; out: the bytes used */
} tl_packed_launch;
#define TL_PACKED_LAUNCH_INIT {sizeof(tl_packed_launch), NULL, {0, 0, 0}, {0, 0, 0}, 0, 0, NULL, 0}

/** Checks arguments with words, and loads the code: after it tl_launch with such arguments only
 * launches. `args` may be NULL with n = 0 to load only. It puts nothing into a stream and may be
 * called at any time, also while one is captured. Errors: TL_E_ARG_COUNT, TL_E_ARG_TYPE,
 * TL_E_ARG_SHAPE, TL_E_ARG_NULL, TL_E_ARG_ALIGNMENT, TL_E_GRID, TL_E_DRIVER, TL_E_UNSUPPORTED (a
 * kernel without a device, a library as a whole, or after fork), TL_E_CORRUPT (damaged code),
 * TL_E_INVALID_ARGUMENT (kernel is NULL), TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_prepare(const tl_kernel *kernel, const tl_arg *args, size_t n,
                                         tl_error **error);
/** The workspace that a launch with these arguments needs, in bytes: 0 for a kernel, the
 * temporaries for a sequence, each of at least 256 bytes and aligned to them; it never shrinks as
 * an extent grows unless the sequence's own arithmetic does. A launch without a workspace of the
 * caller's uses one that the kernel keeps: tl_kernel_prepare makes it, and a launch outside of a
 * capture does when it is too small, so that it lasts until the kernel is destroyed. Launches that
 * may run at the same time, on several streams, need workspaces of their own, and so does a
 * captured graph that outlives the kernel. Errors: as tl_kernel_prepare for the arguments;
 * TL_E_LIMIT (over 2^47 bytes), TL_E_UNSUPPORTED (a library as a whole). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_workspace(const tl_kernel *kernel, const tl_arg *args, size_t n,
                                           size_t *bytes, tl_error **error);

/** Launches a kernel on a stream of its device (NULL = the default one): asynchronous, in stream
 * order. Arguments are copied. Any number of threads may launch one kernel. A grid with an axis of
 * 0 launches nothing. On the device "interp" the kernel has run when the call returns. `options`
 * may be NULL. A sequence puts its launches into the stream one after the other; a failure leaves
 * those before it there. Errors: as tl_kernel_prepare, without words; TL_E_NOT_PREPARED inside a
 * capture; TL_E_LIMIT for a workspace that is too small;
 * TL_E_INVALID_ARGUMENT for a pointer that is not the device's (TL_LAUNCH_CHECK_POINTERS) or a
 * handle that is no stream of the host device (of a GPU: TL_E_DRIVER); TL_E_UNSUPPORTED for unknown
 * flags. Since: 0.1 */
TL_NODISCARD tl_status tl_launch(const tl_kernel *kernel, void *stream, const tl_arg *args,
                                 size_t n, const tl_launch_options *options);
/** Checks arguments and fills `packed` (struct_size, kernarg and kernarg_bytes set by the caller).
 * An empty grid packs as 0 workgroups along each axis: launch nothing then. Errors: as tl_launch;
 * TL_E_LIMIT if the buffer is too small; TL_E_UNSUPPORTED for a sequence, whose launches are not
 * one. Since: 0.1 */
TL_NODISCARD tl_status tl_launch_pack(const tl_kernel *kernel, const tl_arg *args, size_t n,
                                      tl_packed_launch *packed);

/** What tl_kernel_check found. Since: 0.1 */
typedef struct tl_check_report {
  size_t struct_size;
  uint64_t compared;    /**< elements */
  uint64_t mismatches;  /**< elements outside their bound */
  uint64_t inexact;     /**< elements with a bound above 0 (the others must have equal bits) */
  uint64_t undecided;   /**< elements that hang on a decision inside an error bound: not compared */
  double max_abs_error; /**< largest |got - reference| */
  double max_bound_share; /**< largest |got - reference| / bound, over elements with a bound */
  uint32_t argument;      /**< of the first mismatch */
  uint32_t reserved;
  int64_t element; /**< of the first mismatch: its offset from the argument's data, in elements */
} tl_check_report;
#define TL_CHECK_REPORT_INIT {sizeof(tl_check_report), 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0}

/** Compares what a launch wrote with the reference interpreter. `before` are the arguments in host
 * memory as they were before the launch; the interpreter runs on them in place, so that they hold
 * the reference results afterwards. `after` are the same arguments in host memory as the launch
 * left them. The kernel may belong to any device or none; it must hold its graph. Integers, copies
 * and selections must be equal bit by bit, floats within the bound derived for each element. What
 * lies behind a plain pointer is compared, and its bounds are watched, if it is given as a tensor
 * (tl_arg_tensor) whose shape says how much there is.
 * `report` (struct_size set by the caller) may be NULL. Errors: TL_E_MISMATCH (with the first
 * mismatch in words, or with over 1 % undecided), those of tl_kernel_prepare for the arguments,
 * TL_E_UNSUPPORTED (no graph in the kernel, a library as a whole). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_check(const tl_kernel *kernel, const tl_arg *before,
                                       const tl_arg *after, size_t n, tl_check_report *report,
                                       tl_error **error);

#ifdef __cplusplus
}
#endif
#endif
