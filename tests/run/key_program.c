/* Builds a graph whose operations are arguments of one another, so that compilers may make them in
 * different orders, and prints what must not depend on that: the canonical text, and key and code
 * for each target. Compiled by test_compilers.sh. */
#include "tilelang.h"

#include <stdio.h>

static tl_graph *g;

static tl_value at(int line, tl_value v) {
  tl_graph_location(g, __FILE__, (uint32_t)line);
  return v;
}
#define AT(CALL) at(__LINE__, CALL)

int main(void) {
  static const char *const targets[] = {"host:x86-64-v3", "amdgcn:gfx942", "amdgcn:gfx1100"};
  const int64_t block = 256;
  tl_argument scalar = TL_ARGUMENT_INIT, view = TL_ARGUMENT_INIT;
  tl_context *context = NULL;
  tl_kernel *kernel = NULL;
  tl_error *error = NULL;
  tl_value n, a, b, c, grid, o;
  int64_t extent;
  size_t i, j, size = 0;
  const void *bytes = NULL;
  if (tl_graph_create(&g) != TL_OK || tl_context_create(NULL, &context, NULL) != TL_OK)
    return 1;
  tl_graph_kernel(g, "order");
  scalar.name = "n";
  scalar.kind = TL_TYPE_TILE;
  scalar.dtype = TL_DTYPE_I64;
  n = tl_graph_argument(g, &scalar);
  extent = TL_DIM(n);
  view.kind = TL_TYPE_VIEW;
  view.dtype = TL_DTYPE_F32;
  view.rank = 1;
  view.extents = &extent;
  view.name = "a";
  a = tl_graph_argument(g, &view);
  view.name = "b";
  b = tl_graph_argument(g, &view);
  view.name = "c";
  c = tl_graph_argument(g, &view);
  grid = tl_ceildiv(g, n, tl_const_i(g, block, TL_DTYPE_I64));
  tl_graph_grid(g, &grid, 1);
  o = tl_mul(g, tl_program_id(g, 0), tl_const_i(g, block, TL_DTYPE_I64));
  tl_store(g,
           AT(tl_add(g,
                     AT(tl_mul(g, AT(tl_load(g, a, &o, 1, &block, 1)),
                               AT(tl_exp(g, tl_load(g, b, &o, 1, &block, 1))))),
                     AT(tl_sub(g, AT(tl_sqrt(g, tl_load(g, b, &o, 1, &block, 1))),
                               AT(tl_neg(g, tl_load(g, a, &o, 1, &block, 1))))))),
           c, &o, 1);
  if (tl_kernel_compile(context, g, targets, 3, NULL, &kernel, &error) != TL_OK) {
    fprintf(stderr, "%s\n", tl_error_message(error));
    return 1;
  }
  for (i = 0; i < 3; ++i) {
    tl_kernel_info info = TL_KERNEL_INFO_INIT;
    uint64_t sum = 1469598103934665603u;
    if (tl_kernel_get_info(kernel, i, &info) != TL_OK ||
        tl_kernel_get_part(kernel, i, TL_PART_CODE, &bytes, &size) != TL_OK)
      return 1;
    for (j = 0; j < size; ++j)
      sum = (sum ^ ((const unsigned char *)bytes)[j]) * 1099511628211u;
    printf("%s key %s, %zu bytes of code, %016llx\n", info.target, info.key, size,
           (unsigned long long)sum);
  }
  if (tl_kernel_get_part(kernel, 0, TL_PART_TEXT, &bytes, &size) != TL_OK)
    return 1;
  fwrite(bytes, 1, size, stdout);
  tl_kernel_destroy(kernel);
  tl_graph_destroy(g);
  tl_context_destroy(context);
  return 0;
}
