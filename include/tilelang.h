/* libtilelang: GPU kernels written at run time. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception */
#ifndef TILELANG_H
#define TILELANG_H

#include "tilelang/device.h"
#include "tilelang/graph.h"
#include "tilelang/kernel.h"
#include "tilelang/launch.h"
#include "tilelang/ops.h"
#include "tilelang/status.h"
#include "tilelang/types.h"

/** Version of these headers. Since: 0.1 */
#define TL_VERSION_MAJOR 0
#define TL_VERSION_MINOR 1
#define TL_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library: major * 1000000 + minor * 1000 + patch. Since: 0.1 */
uint32_t tl_version(void);
/** Names the build: version and source hash. Static storage. Since: 0.1 */
const char *tl_build_info(void);

#ifdef __cplusplus
}
#endif
#endif
