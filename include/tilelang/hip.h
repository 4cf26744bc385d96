/* Typed wrappers for HIP hosts. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Usable with and without <hip/hip_runtime.h>: hipStream_t is struct ihipStream_t *. */
#ifndef TILELANG_HIP_H
#define TILELANG_HIP_H

#include "tilelang/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ihipStream_t;

/** tl_launch on a HIP stream. Errors: those of tl_launch. Since: 0.1 */
static inline tl_status tl_launch_hip(const tl_kernel *kernel, struct ihipStream_t *stream,
                                      const tl_arg *args, size_t n,
                                      const tl_launch_options *options) {
  return tl_launch(kernel, (void *)stream, args, n, options);
}

#ifdef __cplusplus
}
#endif
#endif
