/* Typed wrappers for CUDA hosts. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Usable with and without <cuda.h> and <cuda_runtime.h>: CUstream and cudaStream_t are
 * struct CUstream_st *. */
#ifndef TILELANG_CUDA_H
#define TILELANG_CUDA_H

#include "tilelang/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/** tl_launch on a CUDA stream. Errors: those of tl_launch. Since: 0.1 */
static inline tl_status tl_launch_cuda(const tl_kernel *kernel, struct CUstream_st *stream,
                                       const tl_arg *args, size_t n,
                                       const tl_launch_options *options) {
  return tl_launch(kernel, (void *)stream, args, n, options);
}

#ifdef __cplusplus
}
#endif
#endif
