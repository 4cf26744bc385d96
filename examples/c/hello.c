/* A whole program: describe c = a + b over tiles, compile it in this process, run it, check it.
 * cc hello.c $(pkg-config --cflags --libs tilelang) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilelang.h>

static void check(tl_status status, tl_error **error) {
  if (status == TL_OK)
    return;
  fprintf(stderr, "%s\n", error ? tl_error_message(*error) : tl_status_text(status));
  exit(1);
}

int main(int argc, char **argv) {
  enum { N = 1000003 };
  int64_t length = N, extent, block = 1024;
  tl_error *error = NULL;
  tl_context *context;
  tl_device *device;
  tl_kernel *kernel;
  tl_graph *g;

  if (argc > 2 || (argc > 1 && argv[1][0] == '-'))
    return printf("usage: hello [DEVICE]\n"), strcmp(argv[1], "--help") == 0 ? 0 : 2;
  /* The kernel: arguments, a grid, and what each program does with its tile. */
  check(tl_graph_create(&g), NULL);
  tl_graph_kernel(g, "add");
  tl_argument scalar = TL_ARGUMENT_INIT, view = TL_ARGUMENT_INIT;
  scalar.name = "n", scalar.kind = TL_TYPE_TILE, scalar.dtype = TL_DTYPE_I64;
  tl_value n = tl_graph_argument(g, &scalar);
  extent = TL_DIM(n);
  view.kind = TL_TYPE_VIEW, view.dtype = TL_DTYPE_F32, view.rank = 1, view.extents = &extent;
  view.name = "a";
  tl_value a = tl_graph_argument(g, &view);
  view.name = "b";
  tl_value b = tl_graph_argument(g, &view);
  view.name = "c";
  tl_value c = tl_graph_argument(g, &view);
  tl_value size = tl_const_i(g, block, TL_DTYPE_I64);
  tl_value grid = tl_ceildiv(g, n, size);
  tl_graph_grid(g, &grid, 1);
  tl_value offset = tl_mul(g, tl_program_id(g, 0), size);
  tl_value x = tl_load(g, a, &offset, 1, &block, 1), y = tl_load(g, b, &offset, 1, &block, 1);
  tl_store(g, tl_add(g, x, y), c, &offset, 1);

  /* Compile and launch on the best device there is, or the one named on the command line. */
  check(tl_context_create(NULL, &context, &error), &error);
  check(tl_device_open(context, argc > 1 ? argv[1] : "auto", &device, &error), &error);
  check(tl_kernel_build(device, g, NULL, &kernel, &error), &error);
  tl_graph_destroy(g);

  static float host[3][N];
  tl_arg args[4] = {tl_arg_int(N)};
  void *memory[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < N; ++j)
      host[i][j] = (float)(j % 1000 * (i + 1));
    check(tl_alloc(device, sizeof host[i], &memory[i], &error), &error);
    check(tl_copy(device, memory[i], host[i], sizeof host[i], TL_COPY_TO_DEVICE, NULL), NULL);
    args[1 + i] = tl_arg_tensor(memory[i], TL_DTYPE_F32, 1, &length);
  }
  check(tl_launch(kernel, NULL, args, 4, NULL), NULL);
  check(tl_copy(device, host[2], memory[2], sizeof host[2], TL_COPY_TO_HOST, NULL), NULL);
  check(tl_stream_synchronize(device, NULL), NULL);
  for (int j = 0; j < N; ++j)
    if (host[2][j] != host[0][j] + host[1][j])
      return fprintf(stderr, "wrong at %d\n", j), 1;
  printf("%d sums are right\n", N);

  for (int i = 0; i < 3; ++i)
    tl_free(device, memory[i]);
  tl_kernel_destroy(kernel);
  tl_device_destroy(device);
  tl_context_destroy(context);
  return 0;
}
