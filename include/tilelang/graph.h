/* Tile graphs: building, parsing, printing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A graph is one kernel: arguments, parameters, a grid, and a body of operations (tilelang/ops.h
 * has a helper for each); or a sequence of launches of kernels (tl_graph_callee). Building is
 * sticky: the first mistake is kept, later calls do nothing and give the value 0, and
 * tl_graph_verify or tl_kernel_build reports it with the place set by tl_graph_location. So a
 * building call that returns a status returns that of the first mistake, which may be an earlier
 * call's. Threads: one thread at a time per graph. */
#ifndef TILELANG_GRAPH_H
#define TILELANG_GRAPH_H

#include "tilelang/status.h"
#include "tilelang/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One attribute of an operation. Frozen layout, 64 bytes; reserved members are 0. Since: 0.1 */
typedef struct tl_attr {
  int32_t key;      /**< TL_ATTR_* of tilelang/ops.h */
  int32_t kind;     /**< TL_ATTR_KIND_* */
  int64_t i;        /**< TL_ATTR_KIND_INT */
  double f;         /**< TL_ATTR_KIND_FLOAT */
  const void *data; /**< TL_ATTR_KIND_INTS: const int64_t *; TL_ATTR_KIND_TEXT: const char * */
  uint64_t count;   /**< entries or bytes at data */
  uint64_t reserved[3];
} tl_attr;
#define TL_ATTR_KIND_INT 1
#define TL_ATTR_KIND_FLOAT 2
#define TL_ATTR_KIND_INTS 3
#define TL_ATTR_KIND_TEXT 4

/** How input for an argument is made when a kernel is run as it stands (tlc run). Since: 0.1 */
typedef int32_t tl_generator;
#define TL_GENERATOR_NONE ((tl_generator)0)
#define TL_GENERATOR_ZEROS ((tl_generator)1)
#define TL_GENERATOR_ARANGE ((tl_generator)2)
#define TL_GENERATOR_UNIFORM ((tl_generator)3) /**< low <= x < high */
#define TL_GENERATOR_RANDN ((tl_generator)4)
#define TL_GENERATOR_CONST ((tl_generator)5) /**< low */

/** Flags of arguments. Since: 0.1 */
#define TL_ARGUMENT_OPTIONAL 1 /**< a NULL pointer is allowed */
#define TL_ARGUMENT_DISTINCT 2 /**< overlaps no other argument */
#define TL_ARGUMENT_HAS_DEFAULT                                                                    \
  4 /**< default_int or default_float is the value when none is given (tools) */

/** Describes an argument. Extents and strides (in elements) are numbers, TL_DIM(v) with v a scalar
 * i32/i64 argument or a parameter, or TL_DYNAMIC. Since: 0.1 */
typedef struct tl_argument {
  size_t struct_size;
  const char *name;  /**< identifier, unique in the kernel */
  tl_type_kind kind; /**< TL_TYPE_TILE (a scalar), TL_TYPE_VIEW or TL_TYPE_POINTER */
  tl_dtype dtype;
  uint32_t rank;          /**< views: 1 to 8 */
  uint32_t flags;         /**< TL_ARGUMENT_* */
  const int64_t *extents; /**< views: `rank` entries */
  const int64_t *strides; /**< views: `rank` entries, or NULL for row-major contiguous */
  int64_t default_int;
  double default_float;
  tl_generator generator;
  uint32_t reserved; /**< 0 */
  double low;        /**< of TL_GENERATOR_UNIFORM and _CONST */
  double high;
  /** A scalar integer argument whose value takes the place of `low`; 0 = none. Since: 0.1 */
  tl_value low_value;
  tl_value high_value; /**< the same for `high` */
} tl_argument;
#define TL_ARGUMENT_INIT                                                                           \
  {sizeof(tl_argument), NULL, 0, 0, 0, 0, NULL, NULL, 0, 0.0, 0, 0, 0.0, 0.0, 0, 0}

/** What a value is. Since: 0.1 */
typedef struct tl_type {
  size_t struct_size;
  tl_type_kind kind;
  tl_dtype dtype;
  uint32_t rank;
  uint32_t reserved;
  int64_t extents[TL_MAX_TILE_RANK]; /**< tiles only */
} tl_type;
#define TL_TYPE_INIT {sizeof(tl_type), 0, 0, 0, 0, {0, 0, 0, 0, 0}}

/** A parameter of a graph. Strings and arrays are borrowed from the graph until it changes. Since:
 * 0.1 */
typedef struct tl_param {
  size_t struct_size;
  const char *name;
  int64_t default_value;
  const int64_t *choices; /**< values it may take */
  size_t n_choices;       /**< 0 = any value */
} tl_param;
#define TL_PARAM_INIT {sizeof(tl_param), NULL, 0, NULL, 0}

/** Options of a kernel, for tl_graph_option. Since: 0.1 */
typedef int32_t tl_graph_option_key;
#define TL_GRAPH_CONTRACT                                                                          \
  ((tl_graph_option_key)1) /**< 1 (default): a * b + c may be fused; 0: never */
#define TL_GRAPH_THREADS                                                                           \
  ((tl_graph_option_key)2) /**< hint: threads per program on a GPU, a multiple of 32; 0 = choose   \
                            */

/** Makes an empty graph, owned by the caller.
 *  Errors: TL_E_INVALID_ARGUMENT (graph is NULL), TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_create(tl_graph **graph);
/** Releases a graph; kernels built from it stay valid. NULL does nothing. Since: 0.1 */
void tl_graph_destroy(tl_graph *graph);

/** Names the kernel or sequence (an identifier; a kernel's becomes a symbol of the code). Errors:
 * of the first mistake; here TL_E_INVALID_ARGUMENT (NULL), TL_E_INVALID_GRAPH (no identifier, the
 * name of one of its kernels), TL_E_UNSUPPORTED (a second kernel). Since: 0.1 */
tl_status tl_graph_kernel(tl_graph *graph, const char *name);
/** Sets an option of the kernel. Errors: of the first mistake; here TL_E_INVALID_ARGUMENT (an
 * unknown option, a value it cannot have), TL_E_INVALID_GRAPH (a number of threads it cannot have,
 * a sequence). Since: 0.1 */
tl_status tl_graph_option(tl_graph *graph, tl_graph_option_key key, int64_t value);
/** Adds an argument, in launch order; returns its value, 0 after an error. Since: 0.1 */
tl_value tl_graph_argument(tl_graph *graph, const tl_argument *argument);
/** Adds a parameter (at most TL_MAX_PARAMETERS), an i64 scalar bound at build: `choices` (n of
 * them, may be none) are the values it may take. Returns its value, 0 after an error. Since: 0.1 */
tl_value tl_graph_param(tl_graph *graph, const char *name, int64_t default_value,
                        const int64_t *choices, size_t n);
/** Requires a scalar i1 computed from parameters to be true for every binding. Errors: of the
 * first mistake; here TL_E_INVALID_GRAPH (no such i1). One that is false for the defaults is
 * TL_E_PARAM of tl_graph_verify. Since: 0.1 */
tl_status tl_graph_require(tl_graph *graph, tl_value condition);
/** Makes the graph a sequence, if it is none yet, and gives it a kernel that it can dispatch, a
 * copy of `kernel` as it is now. Returns its number for tl_dispatch, from 1; the same kernel again
 * has the number it had; 0 after an error. A sequence launches kernels one after the other, each
 * seeing what those before it wrote: its body computes i64 scalars, makes temporaries
 * (tl_temporary) and dispatches kernels (tl_dispatch), and it has no grid. A parameter of a kernel
 * takes the value of the sequence's parameter of that name. It is built, saved and launched as a
 * kernel is; its temporaries lie in the workspace of a launch (tl_kernel_workspace). What is built
 * numbers the kernels by their first dispatch, and those never dispatched are not part of it.
 * Errors, in the graph: those of `kernel`; TL_E_INVALID_ARGUMENT (NULL), TL_E_INVALID_GRAPH (a
 * sequence in a sequence, another kernel of that name or the sequence's own, also in the text that
 * the graph was parsed from; options or operations that no sequence has), TL_E_LIMIT (over 256).
 * Since: 0.1 */
int32_t tl_graph_callee(tl_graph *graph, const tl_graph *kernel);

/** Sets the grid: 1 to 3 integer scalars computed from arguments, extents and parameters.
 *  Errors: of the first mistake; here TL_E_INVALID_ARGUMENT (over 3 axes, NULL), TL_E_INVALID_GRAPH
 * (other values, a second grid). Since: 0.1 */
tl_status tl_graph_grid(tl_graph *graph, const tl_value *axes, size_t n);

/** Adds an operation without regions and writes up to n_results results (0 after an error). The
 * helpers of tilelang/ops.h call this. Operands and attributes are copied. Errors: of the
 * first mistake; here TL_E_INVALID_ARGUMENT (NULL, an unknown operation, attribute or enum value,
 * no value of this graph), TL_E_INVALID_GRAPH (types and rules), TL_E_LIMIT, TL_E_UNSUPPORTED (a
 * reserved member is set). Since: 0.1 */
tl_status tl_graph_op(tl_graph *graph, int32_t opcode, const tl_value *operands, size_t n_operands,
                      const tl_attr *attrs, size_t n_attrs, tl_value *results, size_t n_results);
/** Opens an operation with regions (for, if, reduce_with, scan_with, reverse_scan_with): what
 * follows goes to its first region until tl_graph_end. Writes the region's arguments (for: the
 * counter, then the carried values; reduce_with and its like: the parts of one partial result, a
 * scalar for each operand, then those of the other). Errors: as tl_graph_op; TL_E_LIMIT (over
 * TL_MAX_REGION_DEPTH). Since: 0.1 */
tl_status tl_graph_begin(tl_graph *graph, int32_t opcode, const tl_value *operands,
                         size_t n_operands, const tl_attr *attrs, size_t n_attrs, tl_value *args,
                         size_t n_args);
/** Closes the current region with its yields. The first end of an if opens its else region;
 * otherwise the operation is complete and its results are written. Errors: of the first mistake;
 * here TL_E_INVALID_GRAPH (no open region, other yields than wanted), TL_E_INVALID_ARGUMENT (NULL,
 * no value of this graph). Since: 0.1 */
tl_status tl_graph_end(tl_graph *graph, const tl_value *yields, size_t n_yields, tl_value *results,
                       size_t n_results);

/** Says where in the author's source the following calls stand; a file that is NULL is shown as
 * <unknown>, line 0 is nowhere. Kept out of every key. Since: 0.1 */
void tl_graph_location(tl_graph *graph, const char *file, uint32_t line);
/** Names a value, for printing only. Since: 0.1 */
void tl_graph_name(tl_graph *graph, tl_value value, const char *name);
/** Fills `type` (struct_size set by the caller) with what a value is, parameters at their defaults.
 *  Errors: TL_E_INVALID_ARGUMENT. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_type(const tl_graph *graph, tl_value value, tl_type *type);

/** Number of the graph's parameters. Errors: TL_E_INVALID_ARGUMENT (NULL). Since: 0.1 */
TL_NODISCARD tl_status tl_graph_param_count(const tl_graph *graph, size_t *count);
/** Fills `param` (struct_size set by the caller) with parameter `index`. Errors:
 * TL_E_INVALID_ARGUMENT. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_get_param(const tl_graph *graph, size_t index, tl_param *param);

/** Checks the whole graph, parameters at their defaults; reports the first mistake made while
 * building. Errors: TL_E_INVALID_GRAPH, TL_E_INVALID_ARGUMENT, TL_E_LIMIT, TL_E_PARAM (a
 * requirement does not hold), TL_E_UNSUPPORTED, TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_verify(const tl_graph *graph, tl_error **error);

/** Parses the text form. `file_name` (may be NULL) is used in messages only. The graph is owned by
 * the caller. A text may hold several kernels and sequences: the graph is the last one, and
 * tl_graph_member gives the others. Errors: TL_E_SYNTAX, TL_E_INVALID_GRAPH, TL_E_LIMIT,
 * TL_E_VERSION, TL_E_PARAM, TL_E_INVALID_ARGUMENT, TL_E_OUT_OF_MEMORY. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_parse(const char *text, size_t size, const char *file_name,
                                      tl_graph **graph, tl_error **error);
/** One of the kernels and sequences of a text, in its order, as a graph of its own, owned by the
 * caller; a graph that was not parsed has one member, itself. `*name` is borrowed from `graph`.
 * `name` and `member` may be NULL. Errors: TL_E_INVALID_ARGUMENT (graph is NULL, no such member),
 * those of tl_graph_verify. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_member(const tl_graph *graph, size_t index, const char **name,
                                       tl_graph **member, tl_error **error);
/** Prints the text form, all members of it. `*text` (NUL-terminated, `*size` bytes without it) is
 * borrowed from the graph until the next print or save of it. Errors: as tl_graph_verify. Since:
 * 0.1 */
TL_NODISCARD tl_status tl_graph_print(tl_graph *graph, const char **text, size_t *size,
                                      tl_error **error);
/** Prints the canonical form with parameters bound (names and values, n of each; NULL for the
 * defaults), as artifacts hold it. Borrowed as with tl_graph_print. Errors: as tl_graph_verify,
 * TL_E_PARAM. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_print_canonical(tl_graph *graph, const char *const *param_names,
                                                const int64_t *param_values, size_t n_params,
                                                const char **text, size_t *size, tl_error **error);
/** Writes the binary form. `*bytes` is borrowed from the graph until the next print or save of it.
 *  Errors: as tl_graph_verify. Since: 0.1 */
TL_NODISCARD tl_status tl_graph_save(tl_graph *graph, const void **bytes, size_t *size,
                                     tl_error **error);
/** Reads the binary form. Errors: TL_E_CORRUPT, TL_E_VERSION, TL_E_INVALID_GRAPH, TL_E_LIMIT.
 * Since: 0.1 */
TL_NODISCARD tl_status tl_graph_load(const void *bytes, size_t size, tl_graph **graph,
                                     tl_error **error);

#ifdef __cplusplus
}
#endif
#endif
