/* Reports and faults of emulated kernels name the places that tl_graph_location was given; for a
 * kernel from the cache, those of the request that found it. */
#include "api/api_test.h"

#include "tilelang.h"

#include <dlfcn.h>

static tl_context *context;
static tl_device *device;

/* Every program writes c[0:256] = a[start : start + 256]: the store at `file`:`line`, the load one
 * line before. */
static tl_kernel *build(const char *file, uint32_t line) {
  const int64_t tile[1] = {256};
  int64_t extent[1];
  tl_value n, start, a, c, zero, four;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  assert_int_equal(tl_graph_create(&g), TL_OK);
  tl_graph_kernel(g, "copy_part");
  n = api_scalar(g, "n", TL_DTYPE_I64);
  start = api_scalar(g, "start", TL_DTYPE_I64);
  extent[0] = TL_DIM(n);
  a = api_view(g, "a", TL_DTYPE_F32, 1, extent);
  c = api_view(g, "c", TL_DTYPE_F32, 1, extent);
  four = api_i64(g, 4);
  tl_graph_grid(g, &four, 1);
  tl_graph_location(g, file, line - 1);
  a = tl_load(g, a, &start, 1, tile, 1);
  tl_graph_location(g, file, line);
  zero = api_i64(g, 0);
  tl_store(g, a, c, &zero, 1);
  OK(tl_kernel_build(device, g, NULL, &k, &error));
  tl_graph_destroy(g);
  return k;
}

static void run(const tl_kernel *k, float *a, float *c, int64_t n, int64_t start,
                tl_status wanted) {
  tl_arg args[4];
  args[0] = tl_arg_int(n), args[1] = tl_arg_int(start);
  args[2] = tl_arg_pointer(a), args[3] = tl_arg_pointer(c);
  assert_int_equal(tl_launch(k, NULL, args, 4, NULL), TL_OK);
  assert_int_equal(tl_stream_synchronize(device, NULL), wanted);
}

/* The emulator's report; the caller frees it. */
static char *report(void) {
  void *runtime = dlopen("libtilelang-hipemu.so.0.1", RTLD_NOW | RTLD_NOLOAD);
  size_t (*copy)(int, char *, size_t), bytes;
  char *text;
  assert_non_null(runtime);
  *(void **)&copy = dlsym(runtime, "tl_hipemu_report");
  assert_non_null(*(void **)&copy);
  bytes = copy(0, NULL, 0) + 1;
  text = malloc(bytes);
  assert_non_null(text);
  copy(0, text, bytes);
  dlclose(runtime);
  return text;
}

static void places(void **state) {
  void *a, *c;
  uint64_t compiled = 0;
  char *text;
  tl_kernel *first, *second;
  (void)state;
  device = api_open_device(context, "emu:gfx942");
  OK(tl_alloc(device, 1024 * sizeof(float), &a, &error));
  OK(tl_alloc(device, 1024 * sizeof(float), &c, &error));
  assert_int_equal(tl_fill(device, a, 0, 1024 * sizeof(float), NULL), TL_OK);
  first = build("first.c", 1001);
  second = build("dir/second.c", 77);
  assert_int_equal(tl_context_compile_count(context, &compiled), TL_OK);
  assert_int_equal(compiled, 1);

  /* The programs race for c. */
  run(first, a, c, 1024, 0, TL_OK);
  text = report();
  assert_non_null(strstr(text, "global-race: first.c:1001: "));
  assert_null(strstr(text, "second.c"));
  free(text);
  run(second, a, c, 1024, 0, TL_OK);
  text = report();
  assert_non_null(strstr(text, "global-race: dir/second.c:77: "));
  assert_null(strstr(text, ".tile:"));
  free(text);

  /* A view that claims more than there is. */
  run(second, a, c, 1 << 30, 1 << 29, TL_E_DRIVER);
  FAILS(tl_alloc(device, 64, &a, &error), TL_E_DRIVER, "(dir/second.c:76)");
  tl_kernel_destroy(first);
  tl_kernel_destroy(second);
  tl_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(places)};
  int failed;
  OK(tl_context_create(NULL, &context, &error));
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  tl_context_destroy(context);
  return failed;
}
