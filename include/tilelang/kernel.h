/* Kernels: building, saving, loading, inspecting. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception
 *
 * A kernel is immutable and may be used by any number of threads at once. */
#ifndef TILELANG_KERNEL_H
#define TILELANG_KERNEL_H

#include "tilelang/device.h"
#include "tilelang/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What to put beside the code. Since: 0.1 */
#define TL_LISTING_LLVM 1   /**< the LLVM IR, as text */
#define TL_LISTING_ASM 2    /**< the assembly, as text */
#define TL_LISTING_PASSES 4 /**< the graph after each pass, as text */

/** Flags of a build. Since: 0.1 */
#define TL_BUILD_NO_DEBUG_INFO 1 /**< no line tables */
#define TL_BUILD_NO_GRAPH                                                                          \
  2 /**< do not keep the graph in the artifact (it cannot be checked then) */

/** Options of a build; zero means the default. Since: 0.1 */
typedef struct tl_build_options {
  size_t struct_size;
  const char *const *param_names; /**< parameters to bind; others take their defaults */
  const int64_t *param_values;
  size_t n_params;
  int32_t opt_level; /**< 1 to 3; 0 = the default (2); -1 = no optimization */
  uint32_t
      threads; /**< threads per program on a GPU; 0 = the kernel's hint or the compiler's choice */
  uint32_t flags;    /**< TL_BUILD_* */
  uint32_t listings; /**< TL_LISTING_* */
} tl_build_options;
#define TL_BUILD_OPTIONS_INIT {sizeof(tl_build_options), NULL, NULL, 0, 0, 0, 0, 0}

/** What a kernel uses on one target, and how long its build took. Strings are borrowed from the
 * kernel. Since: 0.1 */
typedef struct tl_kernel_info {
  size_t struct_size;
  const char *name;
  const char *target;
  const char
      *key; /**< 32 hexadecimal digits that name the request it was built from; "" if unknown */
  uint64_t code_bytes;
  uint32_t threads; /**< per program */
  uint32_t vgpr, agpr, sgpr;
  uint32_t lds_bytes;
  uint32_t scratch_bytes;
  uint32_t vgpr_spills, sgpr_spills;
  uint32_t occupancy_waves; /**< waves per SIMD; 0 where it does not apply */
  uint32_t arena_bytes;     /**< host: scratch per worker thread */
  uint32_t built; /**< 1 if this handle's code was compiled now, 0 if it came from the cache or from
                     bytes */
  double ms_passes, ms_llvm_opt, ms_llvm_codegen, ms_link, ms_total;
} tl_kernel_info;
#define TL_KERNEL_INFO_INIT                                                                        \
  {sizeof(tl_kernel_info),                                                                         \
   NULL,                                                                                           \
   NULL,                                                                                           \
   NULL,                                                                                           \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0,                                                                                              \
   0.0,                                                                                            \
   0.0,                                                                                            \
   0.0,                                                                                            \
   0.0,                                                                                            \
   0.0}

/** One argument of a kernel. Strings and arrays are borrowed from the kernel. Since: 0.1 */
typedef struct tl_kernel_argument {
  size_t struct_size;
  const char *name;
  tl_type_kind kind;
  tl_dtype dtype;
  uint32_t rank;
  uint32_t flags;   /**< TL_ARGUMENT_* */
  uint32_t written; /**< 1 if the kernel stores to it */
  tl_generator generator;
  const int64_t *extents; /**< numbers, TL_DYNAMIC, or -1 - i for the value of scalar argument i */
  const int64_t *strides; /**< the same, in elements; NULL = row-major contiguous */
  int64_t default_int;
  double default_float;
  double low, high;     /**< of the generator */
  int32_t low_argument; /**< scalar argument that replaces low, or -1 */
  int32_t high_argument;
} tl_kernel_argument;
#define TL_KERNEL_ARGUMENT_INIT                                                                    \
  {sizeof(tl_kernel_argument), NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0.0, 0.0, 0.0, 0, 0}

/** Compiles a graph for a device, or finds the same request in the device's context. Blocks; equal
 * builds at the same time are joined. `options` may be NULL. The kernel is owned by the caller.
 *  Errors: those of tl_graph_verify, TL_E_PARAM, TL_E_LIMIT, TL_E_NO_COMPILER,
 * TL_E_COMPILER_POISONED, TL_E_UNSUPPORTED, TL_E_INTERNAL. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_build(const tl_device *device, const tl_graph *graph,
                                       const tl_build_options *options, tl_kernel **kernel,
                                       tl_error **error);
/** Like tl_kernel_build, but never compiles. (The device "interp" compiles nothing, so there it
 * finds every valid graph.) Errors: TL_E_NOT_CACHED if the request was not built before in this
 * context; those of tl_graph_verify, TL_E_PARAM, TL_E_UNSUPPORTED. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_lookup(const tl_device *device, const tl_graph *graph,
                                        const tl_build_options *options, tl_kernel **kernel,
                                        tl_error **error);
/** Compiles for targets ("amdgcn:gfx942", "host", "host:x86-64-v3", ...) without a device: the
 * kernel can be saved and inspected, not launched. A target named twice counts once. Errors: as
 * tl_kernel_build, TL_E_UNKNOWN_TARGET. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_compile(tl_context *context, const tl_graph *graph,
                                         const char *const *targets, size_t n_targets,
                                         const tl_build_options *options, tl_kernel **kernel,
                                         tl_error **error);
/** Releases the handle; code stays loaded while launches or captured graphs may need it. NULL does
 * nothing. Since: 0.1 */
void tl_kernel_destroy(tl_kernel *kernel);

/** The artifact's bytes (a .tlk file), borrowed from the kernel. Errors: TL_E_INVALID_ARGUMENT
 * (NULL), TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_save(const tl_kernel *kernel, const void **bytes, size_t *size);
/** Makes a kernel from an artifact for a device. All structure is checked; the code inside is
 * trusted as a shared library would be. Errors: TL_E_CORRUPT, TL_E_VERSION, TL_E_UNSUPPORTED (no
 * code for this device), TL_E_CPU_FEATURES. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_load(const tl_device *device, const void *bytes, size_t size,
                                      tl_kernel **kernel, tl_error **error);

/** Puts built kernels and sequences, each under a name of its own, into one library, a kernel that
 * cannot be launched but saved as one artifact. A library is loaded for one device: its kernels
 * must have a target in common, any two of the host counting as one. Errors: TL_E_INVALID_ARGUMENT
 * (NULL, none, a library among them, one name twice, no target in common), TL_E_OUT_OF_MEMORY.
 * Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_bundle(const tl_kernel *const *kernels, size_t n,
                                        tl_kernel **library, tl_error **error);
/** Member `index` of a library, or kernel `index` of a sequence on a device that runs code: what
 * can be launched and looked at by itself. Borrowed from `kernel`, which must outlive its use.
 * Errors: TL_E_INVALID_ARGUMENT (NULL, no such member). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_member(const tl_kernel *kernel, size_t index,
                                        const tl_kernel **member);

/** Where an operation came from in the author's source. Strings are borrowed from the kernel.
 * Since: 0.1 */
typedef struct tl_source_place {
  size_t struct_size;
  const char *file; /**< the text's file, or what tl_graph_location was given */
  uint32_t line;
  uint32_t column; /**< 0 = unknown */
} tl_source_place;
#define TL_SOURCE_PLACE_INIT {sizeof(tl_source_place), NULL, 0, 0}

/** The author's place for a line of the canonical text (TL_PART_TEXT), which is what debug
 * information in the code names. Errors: TL_E_INVALID_ARGUMENT if the line holds no operation or
 * its place is not known. Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_locate(const tl_kernel *kernel, uint32_t text_line,
                                        tl_source_place *place);

/** Number of targets the kernel holds code for; those of its kernels for a sequence, 0 for a
 * library, whose members have theirs. Errors: TL_E_INVALID_ARGUMENT (NULL). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_target_count(const tl_kernel *kernel, size_t *count);
/** Fills `info` (struct_size set by the caller) for target `index`; with a device, 0 is the one it
 * runs. Errors: TL_E_INVALID_ARGUMENT (NULL, no such target, struct_size too small). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_get_info(const tl_kernel *kernel, size_t index,
                                          tl_kernel_info *info);
/** Number of arguments of a launch. Errors: TL_E_INVALID_ARGUMENT (NULL). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_argument_count(const tl_kernel *kernel, size_t *count);
/** Fills `argument` (struct_size set by the caller) for argument `index`. Errors:
 * TL_E_INVALID_ARGUMENT (NULL, no such argument, struct_size too small). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_get_argument(const tl_kernel *kernel, size_t index,
                                              tl_kernel_argument *argument);

/** Parts of a kernel that can be read. Since: 0.1 */
typedef int32_t tl_kernel_part;
#define TL_PART_CODE ((tl_kernel_part)1)   /**< the code object or image */
#define TL_PART_OBJECT ((tl_kernel_part)2) /**< host: the relocatable object */
#define TL_PART_LLVM ((tl_kernel_part)3)   /**< the LLVM IR, if asked for at build */
#define TL_PART_ASM ((tl_kernel_part)4)    /**< the assembly, if asked for at build */
#define TL_PART_TEXT ((tl_kernel_part)5)   /**< the canonical text */
#define TL_PART_GRAPH ((tl_kernel_part)6)  /**< the graph in binary form */
#define TL_PART_PASSES                                                                             \
  ((tl_kernel_part)7) /**< the graph after each pass, if asked for at build                        \
                       */
/** Gives a part of target `index`, borrowed from the kernel. Errors: TL_E_INVALID_ARGUMENT,
 * TL_E_UNSUPPORTED (the part is not there). Since: 0.1 */
TL_NODISCARD tl_status tl_kernel_get_part(const tl_kernel *kernel, size_t index,
                                          tl_kernel_part part, const void **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
