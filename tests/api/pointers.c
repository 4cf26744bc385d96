/* Grouped matrix products: one launch, problems of different sizes, whose matrices are found
 * through addresses in a table in device memory. Results are exact small integers. */
#include "api/api_test.h"

static const char text[] = "tile 0.1\n"
                           "kernel @grouped(%table: view<u64, [%groups, 3]>, %sizes: view<i64, "
                           "[%groups, 3]>, %groups: i64)\n"
                           "    grid [%groups] {\n"
                           "  %g = program_id 0\n"
                           "  %m = load %sizes[%g, 0] : i64\n"
                           "  %n = load %sizes[%g, 1] : i64\n"
                           "  %k = load %sizes[%g, 2] : i64\n"
                           "  %none = cmp eq %m, 0\n"
                           "  exit %none\n"
                           "  %pa = load %table[%g, 0] : u64\n"
                           "  %pb = load %table[%g, 1] : u64\n"
                           "  %pc = load %table[%g, 2] : u64\n"
                           "  %qa = pointer %pa : f32\n"
                           "  %qb = pointer %pb : f32\n"
                           "  %qc = pointer %pc : f32\n"
                           "  %a = view %qa, [%m, %k], [%k, 1]\n"
                           "  %b = view %qb, [%k, %n], [%n, 1]\n"
                           "  %c = view %qc, [%m, %n], [%n, 1]\n"
                           "  for %i = 0 to %m step 16 {\n"
                           "    for %j = 0 to %n step 16 {\n"
                           "      %zero = full 0.0 : tile<16x16xf32>\n"
                           "      %sum = for %l = 0 to %k step 16 carry %s = %zero {\n"
                           "        %x = load %a[%i, %l] : tile<16x16xf32>\n"
                           "        %y = load %b[%l, %j] : tile<16x16xf32>\n"
                           "        %t = dot %x, %y, %s\n"
                           "        yield %t\n"
                           "      }\n"
                           "      store %sum, %c[%i, %j]\n"
                           "    }\n"
                           "  }\n"
                           "}\n";

enum { GROUPS = 5 };
static const int64_t sizes[GROUPS][3] = {
    {16, 16, 16}, {1, 1, 1}, {0, 0, 0}, {33, 7, 20}, {5, 40, 3}};

static size_t count(int group, int which) {
  const int64_t *s = sizes[group];
  return (size_t)(which == 0 ? s[0] * s[2] : which == 1 ? s[2] * s[1] : s[0] * s[1]);
}
static float element(int group, int which, size_t i) {
  return (float)((i * 7 + (size_t)(group * 3 + which)) % 9) - 4;
}

static void check_product(int group, const float *c) {
  int64_t m = sizes[group][0], n = sizes[group][1], k = sizes[group][2], i, j, l;
  for (i = 0; i < m; ++i)
    for (j = 0; j < n; ++j) {
      float want = 0;
      for (l = 0; l < k; ++l)
        want += element(group, 0, (size_t)(i * k + l)) * element(group, 1, (size_t)(l * n + j));
      assert_true(c[i * n + j] == want);
    }
}

static void run_on(const char *name) {
  tl_context *context = NULL;
  tl_graph *g = NULL;
  tl_kernel *kernel = NULL;
  uint64_t table[GROUPS][3] = {{0}};
  void *buffers[GROUPS][3], *device_table, *device_sizes;
  float host[2000];
  tl_arg args[3];
  int group, which;
  size_t i;
  OK(tl_context_create(NULL, &context, &error));
  tl_device *device = api_open_device(context, name);
  OK(tl_graph_parse(text, sizeof text - 1, "grouped.tile", &g, &error));
  OK(tl_kernel_build(device, g, NULL, &kernel, &error));
  tl_graph_destroy(g);
  for (group = 0; group < GROUPS; ++group)
    for (which = 0; which < 3; ++which) {
      size_t n = count(group, which), bytes = (n ? n : 1) * sizeof(float);
      assert_true(n <= sizeof host / sizeof *host);
      for (i = 0; i < n; ++i)
        host[i] = which == 2 ? 777 : element(group, which, i);
      OK(tl_alloc(device, bytes, &buffers[group][which], &error));
      OK(tl_copy(device, buffers[group][which], host, n * sizeof(float), TL_COPY_TO_DEVICE, NULL));
      if (n) /* the addresses of an empty problem are never read: 0 */
        table[group][which] = (uint64_t)(uintptr_t)buffers[group][which];
    }
  OK(tl_alloc(device, sizeof table, &device_table, &error));
  OK(tl_alloc(device, sizeof sizes, &device_sizes, &error));
  OK(tl_copy(device, device_table, table, sizeof table, TL_COPY_TO_DEVICE, NULL));
  OK(tl_copy(device, device_sizes, sizes, sizeof sizes, TL_COPY_TO_DEVICE, NULL));
  args[0] = tl_arg_pointer(device_table);
  args[1] = tl_arg_pointer(device_sizes);
  args[2] = tl_arg_int(GROUPS);
  OK(tl_launch(kernel, NULL, args, 3, NULL));
  OK(tl_stream_synchronize(device, NULL));
  for (group = 0; group < GROUPS; ++group) {
    OK(tl_copy(device, host, buffers[group][2], count(group, 2) * sizeof(float), TL_COPY_TO_HOST,
               NULL));
    OK(tl_stream_synchronize(device, NULL));
    check_product(group, host);
    for (which = 0; which < 3; ++which)
      OK(tl_free(device, buffers[group][which]));
  }
  OK(tl_free(device, device_table));
  OK(tl_free(device, device_sizes));
  tl_kernel_destroy(kernel);
  tl_device_destroy(device);
  tl_context_destroy(context);
}

static void on_interp(void **state) {
  (void)state;
  run_on("interp");
}
static void on_host(void **state) {
  (void)state;
  run_on("host");
}
static void on_gfx942(void **state) {
  (void)state;
  run_on("emu:gfx942");
}
static void on_gfx1100(void **state) {
  (void)state;
  run_on("emu:gfx1100");
}

/* An address that is no memory of the process is an error of the reference, not a crash. */
static void bad_address(void **state) {
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_graph *g = NULL;
  tl_kernel *kernel = NULL;
  uint64_t table[3] = {64, 64, 64};
  int64_t shape[3] = {1, 1, 1};
  tl_arg args[3];
  (void)state;
  OK(tl_context_create(NULL, &context, &error));
  OK(tl_device_open(context, "interp", &device, &error));
  OK(tl_graph_parse(text, sizeof text - 1, "grouped.tile", &g, &error));
  OK(tl_kernel_build(device, g, NULL, &kernel, &error));
  args[0] = tl_arg_pointer(table);
  args[1] = tl_arg_pointer(shape);
  args[2] = tl_arg_int(1);
  FAILS(tl_kernel_check(kernel, args, args, 3, NULL, &error), TL_E_INVALID_ARGUMENT,
        "no memory of this process");
  tl_graph_destroy(g);
  tl_kernel_destroy(kernel);
  tl_device_destroy(device);
  tl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_interp),  cmocka_unit_test(on_host),     cmocka_unit_test(on_gfx942),
      cmocka_unit_test(on_gfx1100), cmocka_unit_test(bad_address),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
