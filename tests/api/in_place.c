/* A kernel whose output is its input gives the same bits as one whose output is elsewhere;
 * overlapping arguments too. */
#include "api/api_test.h"

enum { M = 5, N = 1003 };

/* rows of x normalized into y: reads a row, then writes it */
static tl_graph *rmsnorm(void) {
  const int64_t width = 1024;
  tl_graph *g = NULL;
  int64_t shape[2];
  tl_value m, n, x, y, index[2], row, mean;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "rmsnorm");
  m = api_scalar(g, "m", TL_DTYPE_I64);
  n = api_scalar(g, "n", TL_DTYPE_I64);
  shape[0] = TL_DIM(m), shape[1] = TL_DIM(n);
  x = api_view(g, "x", TL_DTYPE_F32, 2, shape);
  y = api_view(g, "y", TL_DTYPE_F32, 2, shape);
  tl_graph_grid(g, &m, 1);
  index[0] = tl_program_id(g, 0), index[1] = api_i64(g, 0);
  row = tl_load(g, x, index, 2, &width, 1);
  mean =
      tl_div(g, tl_reduce(g, tl_mul(g, row, row), TL_REDUCE_SUM, 0), tl_cast(g, n, TL_DTYPE_F32));
  tl_store(g, tl_mul(g, row, tl_rsqrt(g, tl_add(g, mean, api_f32(g, 1e-5)))), y, index, 2);
  return g;
}

/* y[i] = 2 x[i] over a block: exact whatever the overlap, because all reads come before the writes
 */
static tl_graph *twice(void) {
  const int64_t width = 64;
  tl_graph *g = NULL;
  int64_t extent;
  tl_value n, x, y, zero;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "twice");
  n = api_scalar(g, "n", TL_DTYPE_I64);
  extent = TL_DIM(n);
  x = api_view(g, "x", TL_DTYPE_F32, 1, &extent);
  y = api_view(g, "y", TL_DTYPE_F32, 1, &extent);
  zero = api_i64(g, 1);
  tl_graph_grid(g, &zero, 1);
  zero = api_i64(g, 0);
  tl_store(g, tl_mul(g, tl_load(g, x, &zero, 1, &width, 1), api_f32(g, 2)), y, &zero, 1);
  return g;
}

static tl_kernel *build(tl_device *device, tl_graph *g) {
  tl_kernel *kernel = NULL;
  OK(tl_kernel_build(device, g, NULL, &kernel, &error));
  tl_graph_destroy(g);
  return kernel;
}

static void on_device(const char *name) {
  static float x[M * N], y[M * N], z[M * N], line[200], want[200];
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_kernel *kernel;
  tl_arg args[4];
  uint64_t state = 99;
  int i, shift;
  float *from, *to;
  OK(tl_context_create(NULL, &context, &error));
  OK(tl_device_open(context, name, &device, &error));
  kernel = build(device, rmsnorm());
  for (i = 0; i < M * N; ++i)
    x[i] = z[i] = api_random(&state);
  args[0] = tl_arg_int(M), args[1] = tl_arg_int(N);
  from = api_in(device, x, sizeof x), to = api_in(device, y, sizeof y);
  args[2] = tl_arg_pointer(from), args[3] = tl_arg_pointer(to);
  assert_int_equal(tl_launch(kernel, NULL, args, 4, NULL), TL_OK);
  OK(tl_stream_synchronize(device, NULL));
  api_out(device, x, from, sizeof x), api_out(device, y, to, sizeof y);
  to = api_in(device, z, sizeof z);
  args[2] = args[3] = tl_arg_pointer(to);
  assert_int_equal(tl_launch(kernel, NULL, args, 4, NULL), TL_OK);
  OK(tl_stream_synchronize(device, NULL));
  api_out(device, z, to, sizeof z);
  assert_memory_equal(y, z, sizeof y);
  assert_true(y[M * N - 1] != 0);
  tl_kernel_destroy(kernel);

  kernel = build(device, twice());
  for (shift = -9; shift <= 9; ++shift) {
    int n = 61;
    for (i = 0; i < 200; ++i)
      line[i] = want[i] = (float)(i * i % 97);
    for (i = 0; i < n; ++i)
      want[100 + shift + i] = 2 * line[100 + i];
    /* a grid of one program: several would race */
    to = api_in(device, line, sizeof line);
    args[0] = tl_arg_int(n), args[1] = tl_arg_pointer(to + 100),
    args[2] = tl_arg_pointer(to + 100 + shift);
    assert_int_equal(tl_launch(kernel, NULL, args, 3, NULL), TL_OK);
    OK(tl_stream_synchronize(device, NULL));
    api_out(device, line, to, sizeof line);
    assert_memory_equal(line, want, sizeof line);
  }
  tl_kernel_destroy(kernel);
  tl_device_destroy(device);
  tl_context_destroy(context);
}

static void on_interp(void **state) {
  (void)state;
  on_device("interp");
}
static void on_host(void **state) {
  (void)state;
  on_device("host");
}

static void on_named(void **state) {
  (void)state;
  on_device(api_named_device());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_interp), cmocka_unit_test(on_host)};
  const struct CMUnitTest named[] = {cmocka_unit_test(on_named)};
  if (api_named_device())
    return cmocka_run_group_tests(named, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
