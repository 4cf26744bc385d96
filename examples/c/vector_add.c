/* c = a + b: the smallest whole program. Usage: vector_add [-d DEVICE] [a.npy b.npy] */
#include "demo.h"

static tl_graph *vector_add_graph(void) {
  const int64_t blocks[] = {256, 512, 1024, 4096};
  tl_graph *g = NULL;
  tl_argument n_arg = TL_ARGUMENT_INIT, view = TL_ARGUMENT_INIT;
  tl_value n, a, b, c, block, grid, offset, sum;
  int64_t extent, dims;

  demo_check(tl_graph_create(&g), NULL, "graph");
  tl_graph_kernel(g, "vector_add");
  n_arg.name = "n";
  n_arg.kind = TL_TYPE_TILE; /* a scalar */
  n_arg.dtype = TL_DTYPE_I64;
  n = tl_graph_argument(g, &n_arg);
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

  block = tl_graph_param(g, "B", 4096, blocks, 4);
  grid = tl_ceildiv(g, n, block);
  tl_graph_grid(g, &grid, 1);

  /* What each program does with its tile. */
  offset = tl_mul(g, tl_program_id(g, 0), block);
  dims = TL_DIM(block);
  sum = tl_add(g, tl_load(g, a, &offset, 1, &dims, 1), tl_load(g, b, &offset, 1, &dims, 1));
  tl_store(g, sum, c, &offset, 1);
  return g;
}

int main(int argc, char **argv) {
  demo d = demo_open(argc, argv, "vector_add", "a b");
  int64_t n = (1 << 24) + 3, i;
  size_t bytes = (demo_shape(&d, 0, 1, &n), (size_t)n * sizeof(float));
  float *a = demo_input(&d, 0, 1, &n), *b = demo_input(&d, 1, 1, &n), *c = malloc(bytes + 1);
  void *da = demo_upload(&d, a, bytes), *db = demo_upload(&d, b, bytes),
       *dc = demo_upload(&d, NULL, bytes);
  tl_kernel *kernel = demo_build(&d, vector_add_graph(), NULL);
  tl_arg args[4];
  double ms, error = 0;
  char shape[64];

  args[0] = tl_arg_int(n);
  args[1] = tl_arg_tensor(da, TL_DTYPE_F32, 1, &n);
  args[2] = tl_arg_tensor(db, TL_DTYPE_F32, 1, &n);
  args[3] = tl_arg_tensor(dc, TL_DTYPE_F32, 1, &n);
  ms = demo_run(&d, kernel, args, 4);
  demo_download(&d, c, dc, bytes);
  for (i = 0; i < n; ++i)
    error = demo_worse(error, (double)c[i] - (double)(a[i] + b[i]));

  sprintf(shape, "n=%lld f32", (long long)n);
  tl_free(d.device, da), tl_free(d.device, db), tl_free(d.device, dc);
  tl_kernel_destroy(kernel);
  free(a), free(b), free(c);
  i = demo_report(&d, shape, ms, 3.0 * (double)bytes, "GB/s", error, 0);
  demo_close(&d);
  return (int)i;
}
