/* Softmax and RMSNorm are alike: a kernel over the rows of a matrix, one program a row, the row in
 * one tile. */
#ifndef ROWS_H
#define ROWS_H

#include "demo.h"

typedef tl_value (*row_function)(tl_graph *g, tl_value x, tl_value columns, tl_value width);

static tl_graph *row_graph(const char *name, row_function row, double pad) {
  tl_graph *g = NULL;
  tl_argument scalar = TL_ARGUMENT_INIT, view = TL_ARGUMENT_INIT;
  tl_attr padding = tl_attr_float(TL_ATTR_PAD, pad);
  tl_value m, n, x, y, width, index[2];
  int64_t extents[2], dims;
  demo_check(tl_graph_create(&g), NULL, "graph");
  tl_graph_kernel(g, name);
  scalar.kind = TL_TYPE_TILE;
  scalar.dtype = TL_DTYPE_I64;
  scalar.name = "m";
  m = tl_graph_argument(g, &scalar);
  scalar.name = "n";
  n = tl_graph_argument(g, &scalar);
  extents[0] = TL_DIM(m);
  extents[1] = TL_DIM(n);
  view.kind = TL_TYPE_VIEW;
  view.dtype = TL_DTYPE_F32;
  view.rank = 2;
  view.extents = extents;
  view.name = "x";
  x = tl_graph_argument(g, &view);
  view.name = "y";
  y = tl_graph_argument(g, &view);
  width = tl_graph_param(g, "B", 1024, NULL, 0); /* a row must fit: n <= B */
  tl_graph_grid(g, &m, 1);
  index[0] = tl_program_id(g, 0);
  index[1] = tl_const_i(g, 0, TL_DTYPE_I64);
  dims = TL_DIM(width);
  tl_store(g, row(g, tl_load_ex(g, x, index, 2, &dims, 1, NULL, 0, &padding), n, width), y, index,
           2);
  return g;
}

/* The reference: one row in double precision. */
typedef void (*row_reference)(const float *x, double *y, int64_t n);

static int row_main(int argc, char **argv, const char *name, tl_graph *graph,
                    row_reference reference, double bound) {
  demo d = demo_open(argc, argv, name, "x");
  int64_t shape[2] = {4096, 1000}, r, i, width = 1;
  const char *param = "B";
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  size_t count, bytes;
  float *x, *y;
  double *want, ms, error = 0;
  void *dx, *dy;
  tl_kernel *kernel;
  tl_arg args[4];
  char text[64];
  demo_shape(&d, 0, 2, shape);
  while (width < shape[1])
    width *= 2;
  options.param_names = &param;
  options.param_values = &width;
  options.n_params = 1;
  count = (size_t)(shape[0] * shape[1]);
  bytes = count * sizeof *x;
  x = demo_input(&d, 0, 2, shape);
  y = malloc(bytes);
  want = malloc((size_t)shape[1] * sizeof *want);
  dx = demo_upload(&d, x, bytes);
  dy = demo_upload(&d, NULL, bytes);
  kernel = demo_build(&d, graph, &options);
  args[0] = tl_arg_int(shape[0]);
  args[1] = tl_arg_int(shape[1]);
  args[2] = tl_arg_tensor(dx, TL_DTYPE_F32, 2, shape);
  args[3] = tl_arg_tensor(dy, TL_DTYPE_F32, 2, shape);
  ms = demo_run(&d, kernel, args, 4);
  demo_download(&d, y, dy, bytes);
  for (r = 0; r < shape[0]; ++r) {
    reference(x + r * shape[1], want, shape[1]);
    for (i = 0; i < shape[1]; ++i)
      error = demo_worse(error, (double)y[r * shape[1] + i] - want[i]);
  }
  sprintf(text, "%lldx%lld f32", (long long)shape[0], (long long)shape[1]);
  tl_free(d.device, dx), tl_free(d.device, dy);
  tl_kernel_destroy(kernel);
  free(x), free(y), free(want);
  r = demo_report(&d, text, ms, 2.0 * (double)bytes, "GB/s", error, bound);
  demo_close(&d);
  return (int)r;
}

#endif
