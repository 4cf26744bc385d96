/* Element types, handles and the plain structs of libtilelang. SPDX-License-Identifier: Apache-2.0
 * WITH LLVM-exception */
#ifndef TILELANG_TYPES_H
#define TILELANG_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element type of a scalar, tile, view or pointer. Values are frozen; 0 is undefined. Since: 0.1
 */
typedef int32_t tl_dtype;
#define TL_DTYPE_I1 ((tl_dtype)1) /**< truth value; one byte in memory, 0 or 1 */
#define TL_DTYPE_I8 ((tl_dtype)2)
#define TL_DTYPE_U8 ((tl_dtype)3)
#define TL_DTYPE_I16 ((tl_dtype)4)
#define TL_DTYPE_U16 ((tl_dtype)5)
#define TL_DTYPE_I32 ((tl_dtype)6)
#define TL_DTYPE_U32 ((tl_dtype)7)
#define TL_DTYPE_I64 ((tl_dtype)8)
#define TL_DTYPE_U64 ((tl_dtype)9)
#define TL_DTYPE_I4 ((tl_dtype)10) /**< in tiles only; memory holds it packed (unpack) */
#define TL_DTYPE_U4 ((tl_dtype)11) /**< in tiles only */
#define TL_DTYPE_F16 ((tl_dtype)16)
#define TL_DTYPE_BF16 ((tl_dtype)17)
#define TL_DTYPE_F32 ((tl_dtype)18)
#define TL_DTYPE_F64 ((tl_dtype)19)
#define TL_DTYPE_F8E4M3FN ((tl_dtype)20)   /**< OCP E4M3: NaN, no infinity, at most 448 */
#define TL_DTYPE_F8E5M2 ((tl_dtype)21)     /**< OCP E5M2: as IEEE, at most 57344 */
#define TL_DTYPE_F8E4M3FNUZ ((tl_dtype)22) /**< one NaN, no infinity, no -0, at most 240 */
#define TL_DTYPE_F8E5M2FNUZ ((tl_dtype)23) /**< one NaN, no infinity, no -0, at most 57344 */
#define TL_DTYPE_F8E8M0FNU ((tl_dtype)24)  /**< OCP scale: 2^-127 to 2^127, or NaN */
#define TL_DTYPE_F6E2M3FN ((tl_dtype)25)   /**< OCP E2M3: at most 7.5, no NaN; in tiles only */
#define TL_DTYPE_F6E3M2FN ((tl_dtype)26)   /**< OCP E3M2: at most 28, no NaN; in tiles only */
#define TL_DTYPE_F4E2M1FN ((tl_dtype)27)   /**< OCP E2M1: at most 6, no NaN; in tiles only */

/** What a value of a graph is. Since: 0.1 */
typedef int32_t tl_type_kind;
#define TL_TYPE_TILE ((tl_type_kind)1)    /**< a block of elements; a scalar is a tile of rank 0 */
#define TL_TYPE_VIEW ((tl_type_kind)2)    /**< pointer + extents + strides */
#define TL_TYPE_POINTER ((tl_type_kind)3) /**< a pointer to elements */

/** Limits of every graph. A GPU holds tiles in registers, so that a build for one may refuse a tile
 * below them: a value takes at most 512 registers in each of at most 1,024 threads. Since: 0.1 */
#define TL_MAX_TILE_RANK 5
#define TL_MAX_VIEW_RANK 8
#define TL_MAX_TILE_ELEMENTS (1 << 20)
#define TL_MAX_REGION_DEPTH 64
#define TL_MAX_ARGUMENTS 256
#define TL_MAX_PARAMETERS 256

/** In lists of extents: the extent is the value `v` of the graph (a parameter, or arithmetic on
 *  parameters) instead of a number. Since: 0.1 */
#define TL_DIM(v) (-(int64_t)(v))
/** In the extents and strides of a view argument: taken from the tensor at launch. Since: 0.1 */
#define TL_DYNAMIC INT64_MIN

/** A value of one graph, an id that means nothing in another graph; 0 is the invalid value. Since:
 * 0.1 */
typedef uint32_t tl_value;

typedef struct tl_context tl_context; /**< drivers, caches, hooks; internally locked */
typedef struct tl_device tl_device;   /**< one GPU, the host CPU, or the interpreter */
typedef struct tl_graph tl_graph;     /**< a tile graph under construction or parsed */
typedef struct tl_kernel tl_kernel;   /**< a compiled kernel for one device */

#ifdef __cplusplus
}
#endif
#endif
