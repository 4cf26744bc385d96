/* Status codes of libtilelang. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TILELANG_STATUS_H
#define TILELANG_STATUS_H

#include <stddef.h>
#include <stdint.h>

/** Result of a call: 0 is success, negative values are errors. Values are frozen. Since: 0.1 */
typedef int32_t tl_status;

#define TL_OK ((tl_status)0)
/** An argument is NULL, out of range, or an unknown enum value. */
#define TL_E_INVALID_ARGUMENT ((tl_status) - 1)
/** Memory (host or device) could not be allocated. */
#define TL_E_OUT_OF_MEMORY ((tl_status) - 2)
/** The text form does not parse. */
#define TL_E_SYNTAX ((tl_status) - 3)
/** An operation is ill-typed, has the wrong arity or attributes, or breaks a rule of the tile
 * graph. */
#define TL_E_INVALID_GRAPH ((tl_status) - 4)
/** A size is over a limit of the library or of the chip. */
#define TL_E_LIMIT ((tl_status) - 5)
/** The request is well-formed but this library, target or device does not offer it. */
#define TL_E_UNSUPPORTED ((tl_status) - 6)
/** Bytes of a graph or artifact are truncated, damaged or inconsistent. */
#define TL_E_CORRUPT ((tl_status) - 7)
/** Bytes come from a newer, incompatible version of the format. */
#define TL_E_VERSION ((tl_status) - 8)
/** A file could not be read or written. */
#define TL_E_IO ((tl_status) - 9)
/** The compiler library (libtilelang-compiler) cannot be opened or does not fit. */
#define TL_E_NO_COMPILER ((tl_status) - 10)
/** The target name is unknown. */
#define TL_E_UNKNOWN_TARGET ((tl_status) - 11)
/** The device name is unknown. */
#define TL_E_UNKNOWN_DEVICE ((tl_status) - 12)
/** The device's runtime library or the device itself is not there. */
#define TL_E_NO_DEVICE ((tl_status) - 13)
/** The vendor runtime reported an error; tl_error_native() gives its code. */
#define TL_E_DRIVER ((tl_status) - 14)
/** The kernel is not in the cache. */
#define TL_E_NOT_CACHED ((tl_status) - 15)
/** A launch inside a stream capture needs a kernel that tl_kernel_prepare made ready. */
#define TL_E_NOT_PREPARED ((tl_status) - 16)
/** A launch has the wrong number of arguments. */
#define TL_E_ARG_COUNT ((tl_status) - 17)
/** A launch argument has the wrong kind or element type. */
#define TL_E_ARG_TYPE ((tl_status) - 18)
/** A launch argument has the wrong rank, extents or strides. */
#define TL_E_ARG_SHAPE ((tl_status) - 19)
/** A launch argument is a NULL pointer where memory is needed. */
#define TL_E_ARG_NULL ((tl_status) - 20)
/** A launch argument's pointer is not aligned to its element. */
#define TL_E_ARG_ALIGNMENT ((tl_status) - 21)
/** The grid is negative or over the device's limit. */
#define TL_E_GRID ((tl_status) - 22)
/** The CPU lacks features the kernel was compiled for. */
#define TL_E_CPU_FEATURES ((tl_status) - 23)
/** Parameter values break the kernel's constraints. */
#define TL_E_PARAM ((tl_status) - 24)
/** The compiler failed in a way that makes further builds in this process unsafe. */
#define TL_E_COMPILER_POISONED ((tl_status) - 25)
/** A defect of the library itself; please report it. */
#define TL_E_INTERNAL ((tl_status) - 26)
/** A result differs from the reference beyond its bound. */
#define TL_E_MISMATCH ((tl_status) - 27)
/** An assert of a kernel found its condition false. */
#define TL_E_ASSERT ((tl_status) - 28)

/** Marks functions whose result must not be ignored. */
#if defined(__GNUC__)
#define TL_NODISCARD __attribute__((warn_unused_result))
#else
#define TL_NODISCARD
#endif

/** Why a call failed: status, message, diagnostics. Immutable, may be used on any thread. Since:
 * 0.1 */
typedef struct tl_error tl_error;

/** Severity of a diagnostic. Since: 0.1 */
typedef int32_t tl_severity;
#define TL_SEVERITY_ERROR ((tl_severity)1)
#define TL_SEVERITY_WARNING ((tl_severity)2)
#define TL_SEVERITY_NOTE ((tl_severity)3)

/** One message about one place. Strings are borrowed from the error; absent ones are "". Since: 0.1
 */
typedef struct tl_diagnostic {
  size_t struct_size;
  tl_severity severity;
  uint32_t value;      /**< graph value concerned, or 0 */
  const char *pass;    /**< who speaks: "parse", "graph", "amdgpu", ... */
  const char *file;    /**< of the author's source */
  uint32_t line;       /**< 1-based; 0 = unknown */
  uint32_t column;     /**< 1-based; 0 = unknown */
  const char *text;    /**< the message */
  const char *excerpt; /**< the source line and a caret below it */
} tl_diagnostic;
#define TL_DIAGNOSTIC_INIT {sizeof(tl_diagnostic), 0, 0, NULL, NULL, 0, 0, NULL, NULL}

#ifdef __cplusplus
extern "C" {
#endif

/** The name of a status: "TL_E_SYNTAX"; "unknown status" for other numbers. Static storage. Since:
 * 0.1 */
const char *tl_status_name(tl_status status);
/** A status in words: "syntax error". Static storage. Since: 0.1 */
const char *tl_status_text(tl_status status);

/** The status of an error; TL_OK for NULL. Since: 0.1 */
tl_status tl_error_status(const tl_error *error);
/** One line that says what is wrong and where; "" for NULL. Borrowed from the error. Since: 0.1 */
const char *tl_error_message(const tl_error *error);
/** The vendor runtime's own code (hipError_t, CUresult), or 0. Since: 0.1 */
int64_t tl_error_native(const tl_error *error);
/** How many diagnostics the error carries. Since: 0.1 */
size_t tl_error_diagnostic_count(const tl_error *error);
/** Fills `diagnostic` (struct_size set by the caller) with number `index`.
 *  Errors: TL_E_INVALID_ARGUMENT. Since: 0.1 */
TL_NODISCARD tl_status tl_error_diagnostic(const tl_error *error, size_t index,
                                           tl_diagnostic *diagnostic);
/** Releases an error; NULL does nothing. Since: 0.1 */
void tl_error_destroy(tl_error *error);

#ifdef __cplusplus
}
#endif

#endif
