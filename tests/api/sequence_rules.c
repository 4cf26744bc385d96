/* Rules of sequences and libraries: names, options, the order of kernels, targets; and what the
 * interpreter says of an access beyond memory in one. */
#include "api/host_fixture.h"

static tl_graph *parsed(const char *text) {
  tl_graph *g = NULL;
  OK(tl_graph_parse(text, strlen(text), "given.tile", &g, &error));
  return g;
}

#define OWN_NAME "'@k' is defined already; a sequence and its kernels each have a name of their own"

/* A text has one kernel or sequence of each name, and so has what is made by calls. */
static void names(void **state) {
  tl_graph *k = parsed("tile 0.1\nkernel @k(%n: i64) grid [1] {\n}\n"), *g = NULL, *text = NULL;
  tl_graph *same = parsed("tile 0.1\nkernel @k(%n: i64) grid [1] {\n}\n");
  tl_graph *other = parsed("tile 0.1\nkernel @k(%n: i64) grid [2] {\n}\n");
  (void)state;
  for (int named_first = 0; named_first < 2; ++named_first) {
    OK(tl_graph_create(&g));
    tl_graph_location(g, "names.c", 11);
    if (named_first)
      (void)tl_graph_kernel(g, "k");
    assert_int_equal(tl_graph_callee(g, k), !named_first);
    if (!named_first)
      (void)tl_graph_kernel(g, "k");
    FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
          named_first ? "names.c:11: tl_graph_callee: " OWN_NAME
                      : "names.c:11: tl_graph_kernel: " OWN_NAME);
    tl_graph_destroy(g);
  }

  /* Of a parsed text: a kernel that the sequence does not dispatch. */
  text = parsed("tile 0.1\nkernel @k(%n: i64) grid [1] {\n}\nkernel @b(%n: i64) grid [1] {\n}\n"
                "sequence @s(%n: i64) {\n  dispatch @b(%n)\n}\n");
  assert_int_equal(tl_graph_callee(text, same), 2); /* no other graph than the text's */
  OK(tl_graph_verify(text, &error));
  tl_graph_location(text, "names.c", 12);
  assert_int_equal(tl_graph_callee(text, other), 0);
  FAILS(tl_graph_verify(text, &error), TL_E_INVALID_GRAPH,
        "names.c:12: tl_graph_callee: the text that the graph comes from has another member named "
        "'k'");
  tl_graph_destroy(text);
  tl_graph_destroy(k);
  tl_graph_destroy(same);
  tl_graph_destroy(other);
}

/* A sequence has no options of kernels, whichever was said first. */
static void options_of_kernels(void **state) {
  static const struct {
    tl_graph_option_key key;
    int64_t value;
    const char *words;
  } options[] = {{TL_GRAPH_CONTRACT, 0, "a sequence has no contract; its kernels have theirs"},
                 {TL_GRAPH_THREADS, 64, "a sequence has no threads; its kernels have theirs"}};
  static const int64_t defaults[] = {1, 0};
  tl_graph *k = parsed("tile 0.1\nkernel @k(%n: i64) grid [1] {\n}\n"), *g = NULL;
  (void)state;
  for (size_t i = 0; i < 2; ++i)
    for (int before = 0; before < 2; ++before) {
      OK(tl_graph_create(&g));
      (void)tl_graph_kernel(g, "s");
      tl_graph_location(g, "options.c", 3);
      assert_int_equal(tl_graph_option(g, options[i].key, defaults[i]), TL_OK);
      if (before)
        assert_int_equal(tl_graph_option(g, options[i].key, options[i].value), TL_OK);
      assert_int_equal(tl_graph_callee(g, k), !before);
      if (!before) /* a default says nothing */
        assert_int_equal(tl_graph_option(g, options[i].key, defaults[i]), TL_OK);
      if (!before)
        assert_int_equal(tl_graph_option(g, options[i].key, options[i].value), TL_E_INVALID_GRAPH);
      FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH, options[i].words);
      FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
            before ? "options.c:3: tl_graph_callee: " : "options.c:3: tl_graph_option: ");
      tl_graph_destroy(g);
    }
  tl_graph_destroy(k);
}

/* The order in which kernels were added does not matter, nor one that is never dispatched. */
static void order_of_callees(void **state) {
  tl_graph *kernels[3];
  char keys[4][2][40];
  static const int orders[4][3] = {{0, 1, -1}, {1, 0, -1}, {2, 0, 1}, {1, 2, 0}};
  tl_context *fresh = NULL;
  tl_device *devices[2] = {NULL, NULL};
  uint64_t compiled = 0;
  (void)state;
  kernels[0] = parsed("tile 0.1\nkernel @a(%n: i64) grid [1] {\n}\n");
  kernels[1] = parsed("tile 0.1\nkernel @b(%n: i64) grid [2] {\n}\n");
  kernels[2] = parsed("tile 0.1\nkernel @unused(%n: i64) grid [3] {\n}\n");
  OK(tl_context_create(NULL, &fresh, &error));
  OK(tl_device_open(fresh, "host", &devices[0], &error));
  OK(tl_device_open(fresh, "interp", &devices[1], &error));
  for (size_t i = 0; i < 4; ++i) {
    int32_t number[3] = {0, 0, 0};
    tl_graph *g = NULL;
    tl_value n;
    OK(tl_graph_create(&g));
    (void)tl_graph_kernel(g, "s");
    n = api_scalar(g, "n", TL_DTYPE_I64);
    for (size_t at = 0; at < 3; ++at)
      if (orders[i][at] >= 0)
        number[orders[i][at]] = tl_graph_callee(g, kernels[orders[i][at]]);
    (void)tl_dispatch(g, &n, 1, number[1]);
    (void)tl_dispatch(g, &n, 1, number[0]);
    (void)tl_dispatch(g, &n, 1, number[1]);
    for (size_t d = 0; d < 2; ++d) {
      tl_kernel *k = NULL;
      const tl_kernel *step = NULL;
      tl_kernel_info info = TL_KERNEL_INFO_INIT;
      OK(tl_kernel_build(devices[d], g, NULL, &k, &error));
      OK(tl_kernel_get_info(k, 0, &info));
      snprintf(keys[i][d], sizeof keys[i][d], "%s", info.key);
      assert_string_equal(keys[i][d], keys[0][d]);
      for (size_t m = 0; d == 0 && m < 2; ++m) { /* in the order of their first dispatches */
        OK(tl_kernel_member(k, m, &step));
        OK(tl_kernel_get_info(step, 0, &info));
        assert_string_equal(info.name, m == 0 ? "b" : "a");
      }
      assert_int_equal(tl_kernel_member(k, 2, &step), TL_E_INVALID_ARGUMENT);
      tl_kernel_destroy(k);
    }
    tl_graph_destroy(g);
  }
  OK(tl_context_compile_count(fresh, &compiled));
  assert_int_equal(compiled, 2);
  for (size_t i = 0; i < 3; ++i)
    tl_graph_destroy(kernels[i]);
  tl_device_destroy(devices[0]);
  tl_device_destroy(devices[1]);
  tl_context_destroy(fresh);
}

/* A library is loaded for one device. */
static void libraries_of_no_target(void **state) {
  static const char *const host_target[] = {"host", "amdgcn:gfx90a"}, *const gpu[] = {
                                                                          "amdgcn:gfx942",
                                                                          "amdgcn:gfx90a"};
  tl_graph *text = parsed("tile 0.1\nkernel @scan(%n: i64) grid [1] {\n}\n"
                          "sequence @prefix_sum(%n: i64) {\n  dispatch @scan(%n)\n}\n");
  tl_graph *sums = parsed("tile 0.1\nkernel @scan_sums(%n: i64) grid [1] {\n}\n");
  tl_kernel *kernels[3] = {NULL, NULL, NULL}, *library = NULL;
  const tl_kernel *list[3];
  (void)state;
  OK(tl_kernel_compile(context, sums, host_target, 1, NULL, &kernels[0], &error));
  OK(tl_kernel_compile(context, text, gpu, 1, NULL, &kernels[1], &error));
  OK(tl_kernel_compile(context, text, gpu, 2, NULL, &kernels[2], &error));
  list[0] = kernels[0], list[1] = kernels[1];
  FAILS(tl_kernel_bundle(list, 2, &library, &error), TL_E_INVALID_ARGUMENT,
        "kernel 'prefix_sum' has code for amdgcn:gfx942, but not for host as the library's kernels "
        "before it");
  assert_null(library);
  list[0] = kernels[1], list[1] = kernels[0];
  FAILS(tl_kernel_bundle(list, 2, &library, &error), TL_E_INVALID_ARGUMENT,
        "kernel 'scan_sums' has code for host, but not for amdgcn:gfx942 as the library's kernels");
  tl_kernel_destroy(kernels[0]);
  /* One target of several is enough. */
  OK(tl_kernel_compile(context, sums, gpu + 1, 1, NULL, &kernels[0], &error));
  list[0] = kernels[2], list[1] = kernels[0];
  OK(tl_kernel_bundle(list, 2, &library, &error));
  {
    tl_arg none = tl_arg_int(0);
    size_t bytes = 0;
    FAILS(tl_kernel_prepare(library, NULL, 0, &error), TL_E_UNSUPPORTED,
          "a library is not launched, but its members are (tl_kernel_member)");
    FAILS(tl_kernel_workspace(library, &none, 1, &bytes, &error), TL_E_UNSUPPORTED,
          "a library is not launched, but its members are (tl_kernel_member)");
    FAILS(tl_kernel_check(library, &none, &none, 1, NULL, &error), TL_E_UNSUPPORTED,
          "a library is not checked, but its members are (tl_kernel_member)");
  }
  tl_kernel_destroy(library);
  for (size_t i = 0; i < 3; ++i)
    tl_kernel_destroy(kernels[i]);
  tl_graph_destroy(sums);
  tl_graph_destroy(text);
}

/* The interpreter says where in the author's text an access beyond memory is, and which program
 * makes it. */
static void beyond_memory(void **state) {
  static const char *const kernel = "tile 0.1\n"
                                    "kernel @beyond(%p: ptr<f32>) grid [4, 2] {\n"
                                    "  %x = program_id 0\n"
                                    "  %y = program_id 1\n"
                                    "  %big = mul %y, 100\n"
                                    "  %at = add %x, %big\n"
                                    "  %v = view %p, [200], [1]\n"
                                    "  %w = load %v[%at] : tile<2xf32>\n"
                                    "  store %w, %v[%at]\n"
                                    "}\n"
                                    "sequence @s(%p: ptr<f32>) {\n"
                                    "  dispatch @beyond(%p)\n"
                                    "}\n";
  static const char *const words =
      "given.tile:8: load: an access is 12 bytes from the start of argument 'p', which has 12 "
      "bytes, in program (2, 0, 0) of kernel 'beyond'";
  tl_device *interp = NULL;
  int64_t three = 3;
  float x[8] = {0};
  tl_arg arg = tl_arg_tensor(x, TL_DTYPE_F32, 1, &three);
  tl_graph *text = parsed(kernel), *graphs[2];
  (void)state;
  OK(tl_device_open(context, "interp", &interp, &error));
  OK(tl_graph_member(text, 0, NULL, &graphs[0], &error));
  graphs[1] = text;
  for (size_t i = 0; i < 2; ++i)
    for (size_t d = 0; d < 2; ++d) {
      tl_kernel *k = NULL;
      OK(tl_kernel_build(d ? interp : host, graphs[i], NULL, &k, &error));
      FAILS(tl_kernel_check(k, &arg, &arg, 1, NULL, &error), TL_E_INVALID_ARGUMENT, words);
      tl_kernel_destroy(k);
    }
  tl_device_destroy(interp);
  tl_graph_destroy(graphs[0]);
  tl_graph_destroy(text);
}

/* What only the code generator can refuse, and what the options of a build get wrong, with kernel
 * and place. */
static void places_of_compile_errors(void **state) {
  static const char *const large = "tile 0.1\n"
                                   "kernel @large(%x: view<f32, [%n]>, %n: i64) grid [1] {\n"
                                   "  %v = load %x[0] : tile<1048576xf32>\n"
                                   "  store %v, %x[0]\n"
                                   "}\n"
                                   "sequence @s(%x: view<f32, [%n]>, %n: i64) {\n"
                                   "  dispatch @large(%x, %n)\n"
                                   "}\n";
  static const char *const wide = "tile 0.1\n"
                                  "kernel @wide(%x: view<f32, [%n]>, %n: i64) grid [1] {\n"
                                  "  %a = full 1.0 : tile<32768x1xf32>\n"
                                  "  %b = full 1.0 : tile<1x1xf32>\n"
                                  "  %c = full 0.0 : tile<32768x1xf32>\n"
                                  "  %d = dot %a, %b, %c\n"
                                  "  %e = reshape %d : tile<32768xf32>\n"
                                  "  store %e, %x[0]\n"
                                  "}\n";
  static const char *const targets[] = {"amdgcn:gfx942"}, *const twice[] = {"n", "n"},
                           *const zero_name[] = {"B"};
  static const int64_t values[] = {1, 2, 0};
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  tl_graph *text = parsed(large), *graphs[2];
  const int64_t elements = 1 << 20, extents[1] = {1 << 20};
  tl_argument a = TL_ARGUMENT_INIT;
  tl_graph *made = NULL;
  tl_kernel *k = NULL;
  (void)state;
  OK(tl_graph_member(text, 0, NULL, &graphs[0], &error));
  graphs[1] = text;
  for (size_t i = 0; i < 2; ++i)
    FAILS(tl_kernel_compile(context, graphs[i], targets, 1, NULL, &k, &error), TL_E_LIMIT,
          "given.tile:3: kernel 'large': load: tile<1048576xf32> over 1024 threads takes 1024 "
          "registers");
  options.param_names = twice, options.param_values = values, options.n_params = 2;
  FAILS(tl_kernel_compile(context, graphs[0], targets, 1, &options, &k, &error), TL_E_PARAM,
        "kernel 'large': parameter 'n' is given twice");
  FAILS(tl_kernel_lookup(host, graphs[1], NULL, &k, &error), TL_E_NOT_CACHED,
        "kernel 'large': it was not built before in this context");
  tl_graph_destroy(graphs[0]);
  tl_graph_destroy(text);
  text = parsed(
      "tile 0.1\nkernel @p() param %B = 4 grid [1] {\n  %x = full 1.0 : tile<%B x f32>\n}\n");
  options.param_names = zero_name, options.n_params = 1, options.param_values = values + 2;
  FAILS(
      tl_kernel_compile(context, text, targets, 1, &options, &k, &error), TL_E_INVALID_GRAPH,
      "given.tile:3: full: the extent of a tile must be at least 1, not 0 (kernel 'p' with B = 0)");
  tl_graph_destroy(text);
  text = parsed(wide); /* refused where the operation is emitted */
  FAILS(tl_kernel_compile(context, text, targets, 1, NULL, &k, &error), TL_E_LIMIT,
        "given.tile:6: kernel 'wide': dot(");
  tl_graph_destroy(text);
  for (int located = 0; located < 2; ++located) { /* made by calls, with a place and without one */
    tl_value x, zero, one;
    tl_error *error = NULL;
    OK(tl_graph_create(&made));
    (void)tl_graph_kernel(made, "made");
    a.name = "x", a.kind = TL_TYPE_VIEW, a.dtype = TL_DTYPE_F32, a.rank = 1, a.extents = extents;
    x = tl_graph_argument(made, &a);
    zero = api_i64(made, 0), one = api_i64(made, 1);
    (void)tl_graph_grid(made, &one, 1);
    if (located)
      tl_graph_location(made, "made.c", 77);
    tl_store(made, tl_load(made, x, &zero, 1, &elements, 1), x, &zero, 1);
    assert_int_equal(tl_kernel_compile(context, made, targets, 1, NULL, &k, &error), TL_E_LIMIT);
    assert_ptr_equal(strstr(tl_error_message(error),
                            located ? "made.c:77: kernel 'made': load: " : "kernel 'made': load: "),
                     tl_error_message(error));
    tl_error_destroy(error);
    tl_graph_destroy(made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(options_of_kernels),
      cmocka_unit_test(order_of_callees),
      cmocka_unit_test(libraries_of_no_target),
      cmocka_unit_test(beyond_memory),
      cmocka_unit_test(places_of_compile_errors),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
