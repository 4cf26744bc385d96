/* Status codes of libtilelang. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TILELANG_STATUS_H
#define TILELANG_STATUS_H

#include <stdint.h>

/** Result of a call: 0 is success, negative values are errors. Values are frozen. Since: 0.1 */
typedef int32_t tl_status;

#define TL_OK ((tl_status)0)
/** An argument is NULL, out of range, or an unknown enum value. */
#define TL_E_INVALID_ARGUMENT ((tl_status)-1)
/** Memory (host or device) could not be allocated. */
#define TL_E_OUT_OF_MEMORY ((tl_status)-2)
/** The text form does not parse. */
#define TL_E_SYNTAX ((tl_status)-3)
/** An operation is ill-typed, has the wrong arity or attributes, or breaks a rule of the tile graph. */
#define TL_E_INVALID_GRAPH ((tl_status)-4)
/** A size is over a limit of the library or of the chip. */
#define TL_E_LIMIT ((tl_status)-5)
/** The request is well-formed but this library, target or device does not offer it. */
#define TL_E_UNSUPPORTED ((tl_status)-6)
/** Bytes of a graph or artifact are truncated, damaged or inconsistent. */
#define TL_E_CORRUPT ((tl_status)-7)
/** Bytes come from a newer, incompatible version of the format. */
#define TL_E_VERSION ((tl_status)-8)
/** A file could not be read or written. */
#define TL_E_IO ((tl_status)-9)
/** The compiler library (libtilelang-compiler) cannot be opened or does not fit. */
#define TL_E_NO_COMPILER ((tl_status)-10)
/** The target name is unknown. */
#define TL_E_UNKNOWN_TARGET ((tl_status)-11)
/** The device name is unknown. */
#define TL_E_UNKNOWN_DEVICE ((tl_status)-12)
/** The device's runtime library or the device itself is not there. */
#define TL_E_NO_DEVICE ((tl_status)-13)
/** The vendor runtime reported an error; tl_error_native() gives its code. */
#define TL_E_DRIVER ((tl_status)-14)
/** The kernel is not in the cache. */
#define TL_E_NOT_CACHED ((tl_status)-15)
/** The kernel was not prepared and preparing is not possible now (stream capture). */
#define TL_E_NOT_PREPARED ((tl_status)-16)
/** A launch has the wrong number of arguments. */
#define TL_E_ARG_COUNT ((tl_status)-17)
/** A launch argument has the wrong kind or element type. */
#define TL_E_ARG_TYPE ((tl_status)-18)
/** A launch argument has the wrong rank, extents or strides. */
#define TL_E_ARG_SHAPE ((tl_status)-19)
/** A launch argument is a NULL pointer where memory is needed. */
#define TL_E_ARG_NULL ((tl_status)-20)
/** A launch argument's pointer is not aligned to its element. */
#define TL_E_ARG_ALIGNMENT ((tl_status)-21)
/** The grid is negative or over the device's limit. */
#define TL_E_GRID ((tl_status)-22)
/** The CPU lacks features the kernel was compiled for. */
#define TL_E_CPU_FEATURES ((tl_status)-23)
/** Parameter values break the kernel's constraints. */
#define TL_E_PARAM ((tl_status)-24)
/** The compiler failed in a way that makes further builds in this process unsafe. */
#define TL_E_COMPILER_POISONED ((tl_status)-25)
/** A defect of the library itself; please report it. */
#define TL_E_INTERNAL ((tl_status)-26)
/** A result differs from the reference beyond its bound. */
#define TL_E_MISMATCH ((tl_status)-27)

#endif
