/* Sequences: kernels launched one after the other, with temporaries in a workspace; and libraries
 * of several kernels. The running sum of small integers is exact in f32, so that every device must
 * give it bit by bit. test-timeout: 300 */
#include "api/host_fixture.h"

#include <pthread.h>

/* The example, whose last member is the sequence. */
static tl_graph *example(void) {
  char path[4096], *text;
  FILE *file;
  long size;
  tl_graph *g = NULL;
  snprintf(path, sizeof path, "%s/examples/kernels/prefix_sum.tile", getenv("TL_SOURCE_DIR"));
  file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  text = malloc((size_t)size);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  OK(tl_graph_parse(text, (size_t)size, "prefix_sum.tile", &g, &error));
  free(text);
  return g;
}
static tl_graph *member(const tl_graph *g, size_t index, const char *name) {
  tl_graph *found = NULL;
  const char *named = NULL;
  OK(tl_graph_member(g, index, &named, &found, &error));
  assert_string_equal(named, name);
  return found;
}

static void fill(float *x, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    x[i] = (float)((i * 7 + i / 13) % 5 - 1);
}
/* Up to 2^24 / 3 elements the sums are exact. */
static void assert_sums(const float *x, const float *y, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    sum += x[i];
    if (y[i] != sum)
      fail_msg("element %lld is %g, not %g", (long long)i, (double)y[i], (double)sum);
  }
}

/* x, y, n of a launch in memory of the host. */
typedef struct launch {
  float *x, *y;
  int64_t n;
  tl_arg args[3];
} launch;
static launch make_launch(int64_t n) {
  launch l;
  l.n = n;
  l.x = calloc((size_t)n + 1, sizeof(float));
  l.y = malloc(((size_t)n + 1) * sizeof(float));
  memset(l.y, 0xff, ((size_t)n + 1) * sizeof(float));
  fill(l.x, n);
  l.args[0] = tl_arg_pointer(l.x), l.args[1] = tl_arg_pointer(l.y), l.args[2] = tl_arg_int(n);
  return l;
}
static void end_launch(launch l) {
  free(l.x);
  free(l.y);
}
static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

static void sizes(void **state) {
  static const int64_t ns[] = {0, 1, 2, 1023, 1024, 1025, 4099, 300000, 1048577};
  tl_graph *g = example();
  tl_kernel *k = NULL;
  uint64_t before = 0, after = 0;
  (void)state;
  OK(tl_context_compile_count(context, &before));
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  OK(tl_context_compile_count(context, &after));
  assert_int_equal(after - before, 3);
  for (size_t i = 0; i < sizeof ns / sizeof *ns; ++i) {
    launch l = make_launch(ns[i]);
    size_t bytes = 1;
    OK(tl_kernel_workspace(k, l.args, 3, &bytes, &error));
    assert_int_equal(bytes, ns[i] ? 2 * aligned((size_t)(ns[i] + 1023) / 1024 * sizeof(float))
                                  : 2 * aligned(1)); /* an empty one has a place too */
    OK(tl_launch(k, NULL, l.args, 3, NULL));
    OK(tl_stream_synchronize(host, NULL));
    assert_sums(l.x, l.y, ns[i]);
    end_launch(l);
  }
  OK(tl_context_compile_count(context, &before));
  assert_int_equal(after, before);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
}

/* Another value of the sequence's parameter reaches its kernels. */
static void parameters(void **state) {
  static const char *const names[] = {"B"};
  static const int64_t values[] = {256};
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  tl_graph *g = example();
  tl_kernel *k = NULL;
  launch l = make_launch(10000);
  size_t bytes = 0;
  (void)state;
  options.param_names = names, options.param_values = values, options.n_params = 1;
  OK(tl_kernel_build(host, g, &options, &k, &error));
  OK(tl_kernel_workspace(k, l.args, 3, &bytes, &error));
  assert_int_equal(bytes, 2 * aligned(40 * sizeof(float)));
  OK(tl_launch(k, NULL, l.args, 3, NULL));
  OK(tl_stream_synchronize(host, NULL));
  assert_sums(l.x, l.y, l.n);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  end_launch(l);
}

/* The caller's workspace is used as far as was asked for, whatever it holds. */
static void workspaces(void **state) {
  tl_graph *g = example();
  tl_kernel *k = NULL;
  launch l = make_launch(5000);
  tl_launch_options options = TL_LAUNCH_OPTIONS_INIT;
  size_t bytes = 0;
  api_memory memory;
  (void)state;
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  OK(tl_kernel_workspace(k, l.args, 3, &bytes, &error));
  memory = api_guarded(bytes, 256);
  memset(memory.data, 0xff, bytes);
  options.workspace = memory.data, options.workspace_bytes = bytes;
  OK(tl_launch(k, NULL, l.args, 3, &options));
  OK(tl_stream_synchronize(host, NULL));
  assert_sums(l.x, l.y, l.n);
  assert_int_not_equal(*(unsigned char *)memory.data, 0xff); /* the sums of the blocks */
  options.workspace_bytes = bytes - 1;
  assert_int_equal(tl_launch(k, NULL, l.args, 3, &options), TL_E_LIMIT);
  options.workspace = (char *)memory.data + 4, options.workspace_bytes = bytes;
  assert_int_equal(tl_launch(k, NULL, l.args, 3, &options), TL_E_ARG_ALIGNMENT);
  api_release(memory);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  end_launch(l);
}

static tl_kernel *shared;
static void *thread_body(void *n) {
  launch l = make_launch(*(const int64_t *)n);
  tl_launch_options options = TL_LAUNCH_OPTIONS_INIT;
  void *stream = NULL, *memory = NULL;
  size_t bytes = 0;
  if (tl_stream_create(host, &stream) != TL_OK ||
      tl_kernel_workspace(shared, l.args, 3, &bytes, NULL) != TL_OK ||
      tl_alloc(host, bytes + 1, &memory, NULL) != TL_OK)
    return "setup";
  options.workspace = memory, options.workspace_bytes = bytes;
  for (int round = 0; round < 20; ++round) {
    memset(l.y, 0xff, (size_t)l.n * sizeof(float));
    if (tl_launch(shared, stream, l.args, 3, &options) != TL_OK ||
        tl_stream_synchronize(host, stream) != TL_OK)
      return "launch";
    assert_sums(l.x, l.y, l.n);
  }
  tl_stream_destroy(host, stream);
  tl_free(host, memory);
  end_launch(l);
  return NULL;
}
/* One kernel, eight streams, a workspace each. */
static void threads(void **state) {
  tl_graph *g = example();
  pthread_t thread[8];
  int64_t n[8];
  (void)state;
  OK(tl_kernel_build(host, g, NULL, &shared, &error));
  for (int i = 0; i < 8; ++i) {
    n[i] = 3000 + 700 * i;
    assert_int_equal(pthread_create(&thread[i], NULL, thread_body, &n[i]), 0);
  }
  for (int i = 0; i < 8; ++i) {
    void *what = NULL;
    pthread_join(thread[i], &what);
    assert_null(what);
  }
  tl_kernel_destroy(shared);
  tl_graph_destroy(g);
}

/* The sequence of the example, made by calls, is the one that the text describes. */
static void made_by_calls(void **state) {
  tl_graph *text = example(), *g = NULL, *kernels[3];
  static const char *const names[3] = {"scan_blocks", "scan_sums", "add_before"};
  tl_argument a = TL_ARGUMENT_INIT;
  tl_value x, y, n, b, blocks, sums, before, args[5];
  int32_t callee[3];
  int64_t extent;
  const char *ours = NULL, *theirs = NULL;
  tl_kernel *k = NULL;
  launch l = make_launch(4099);
  (void)state;
  OK(tl_graph_create(&g));
  for (size_t i = 0; i < 3; ++i)
    kernels[i] = member(text, i, names[i]);
  (void)tl_graph_kernel(g, "prefix_sum");
  n = api_scalar(g, "n", TL_DTYPE_I64);
  extent = TL_DIM(n);
  a.name = "x", a.kind = TL_TYPE_VIEW, a.dtype = TL_DTYPE_F32, a.rank = 1, a.extents = &extent;
  x = tl_graph_argument(g, &a);
  a.name = "y";
  y = tl_graph_argument(g, &a);
  b = tl_graph_param(g, "B", 1024, NULL, 0);
  blocks = tl_ceildiv(g, n, b);
  for (size_t i = 0; i < 3; ++i) {
    callee[i] = tl_graph_callee(g, kernels[i]);
    assert_int_equal(callee[i], i + 1);
    assert_int_equal(tl_graph_callee(g, kernels[i]), i + 1); /* again */
  }
  sums = tl_temporary(g, &blocks, 1, TL_DTYPE_F32);
  before = tl_temporary(g, &blocks, 1, TL_DTYPE_F32);
  args[0] = x, args[1] = y, args[2] = sums, args[3] = n, args[4] = blocks;
  (void)tl_dispatch(g, args, 5, callee[0]);
  args[0] = sums, args[1] = before, args[2] = blocks;
  (void)tl_dispatch(g, args, 3, callee[1]);
  args[0] = y, args[1] = before, args[2] = n, args[3] = blocks;
  (void)tl_dispatch(g, args, 4, callee[2]);
  OK(tl_graph_verify(g, &error));
  OK(tl_graph_print_canonical(g, NULL, NULL, 0, &ours, NULL, &error));
  OK(tl_graph_print_canonical(text, NULL, NULL, 0, &theirs, NULL, &error));
  /* The arguments stand in another order; the steps are the same. */
  assert_string_equal(strstr(ours, "%0 = ceildiv"), strstr(theirs, "%0 = ceildiv"));
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  {
    tl_arg order[3];
    order[0] = l.args[2], order[1] = l.args[0], order[2] = l.args[1];
    OK(tl_launch(k, NULL, order, 3, NULL));
    OK(tl_stream_synchronize(host, NULL));
    assert_sums(l.x, l.y, l.n);
  }
  tl_kernel_destroy(k);
  for (size_t i = 0; i < 3; ++i)
    tl_graph_destroy(kernels[i]);
  tl_graph_destroy(g);
  tl_graph_destroy(text);
  end_launch(l);
}

/* Saved as a graph and as an artifact, and read back. */
static void saved(void **state) {
  tl_graph *g = example(), *again = NULL;
  tl_kernel *k = NULL, *loaded = NULL;
  const void *bytes = NULL;
  const char *text = NULL;
  char *first;
  size_t size = 0, count = 0;
  tl_kernel_info info = TL_KERNEL_INFO_INIT;
  const tl_kernel *step = NULL;
  launch l = make_launch(70000);
  (void)state;
  OK(tl_graph_save(g, &bytes, &size, &error));
  OK(tl_graph_load(bytes, size, &again, &error));
  OK(tl_graph_print_canonical(g, NULL, NULL, 0, &text, NULL, &error));
  first = strdup(text);
  OK(tl_graph_print_canonical(again, NULL, NULL, 0, &text, NULL, &error));
  assert_string_equal(first, text);
  free(first);
  for (size_t cut = 0; cut < size; cut += 7) { /* what is cut off is an error, and no crash */
    tl_graph *none = NULL;
    assert_int_not_equal(tl_graph_load(bytes, cut, &none, NULL), TL_OK);
    assert_null(none);
  }

  OK(tl_kernel_build(host, again, NULL, &k, &error));
  OK(tl_kernel_save(k, &bytes, &size));
  OK(tl_kernel_load(host, bytes, size, &loaded, &error));
  for (size_t cut = 0; cut < size; cut += 97) {
    tl_kernel *none = NULL;
    assert_int_not_equal(tl_kernel_load(host, bytes, cut, &none, NULL), TL_OK);
    assert_null(none);
  }
  OK(tl_launch(loaded, NULL, l.args, 3, NULL));
  OK(tl_stream_synchronize(host, NULL));
  assert_sums(l.x, l.y, l.n);
  OK(tl_kernel_target_count(loaded, &count));
  assert_int_equal(count, 1);
  OK(tl_kernel_get_info(loaded, 0, &info));
  assert_string_equal(info.name, "prefix_sum");
  assert_true(info.code_bytes > 0);
  assert_int_equal(tl_kernel_get_info(loaded, 1, &info), TL_E_INVALID_ARGUMENT);
  OK(tl_kernel_member(loaded, 1, &step));
  OK(tl_kernel_get_info(step, 0, &info));
  assert_string_equal(info.name, "scan_sums");
  assert_int_equal(tl_kernel_member(loaded, 3, &step), TL_E_INVALID_ARGUMENT);
  assert_null(step);
  assert_int_equal(tl_kernel_get_part(loaded, 0, TL_PART_CODE, &bytes, &size), TL_E_UNSUPPORTED);
  OK(tl_kernel_get_part(loaded, 0, TL_PART_TEXT, &bytes, &size));
  assert_non_null(strstr(bytes, "sequence @prefix_sum"));
  tl_kernel_destroy(loaded);
  tl_kernel_destroy(k);
  tl_graph_destroy(again);
  tl_graph_destroy(g);
  end_launch(l);
}

/* Several kernels as one artifact. */
static void library(void **state) {
  tl_graph *text = example(), *sums = member(text, 1, "scan_sums");
  tl_kernel *kernels[2] = {NULL, NULL}, *whole = NULL, *loaded = NULL;
  const tl_kernel *list[3];
  const tl_kernel *part = NULL;
  const void *bytes = NULL;
  size_t size = 0;
  static const char *const targets[] = {"host", "amdgcn:gfx942"};
  launch l = make_launch(3000);
  (void)state;
  OK(tl_kernel_compile(context, sums, targets, 2, NULL, &kernels[0], &error));
  OK(tl_kernel_compile(context, text, targets, 2, NULL, &kernels[1], &error));
  list[0] = kernels[0], list[1] = kernels[1], list[2] = kernels[0];
  OK(tl_kernel_bundle(list, 2, &whole, &error));
  OK(tl_kernel_save(whole, &bytes, &size));
  OK(tl_kernel_load(host, bytes, size, &loaded, &error));
  OK(tl_kernel_member(loaded, 1, &part));
  OK(tl_launch(part, NULL, l.args, 3, NULL));
  OK(tl_stream_synchronize(host, NULL));
  assert_sums(l.x, l.y, l.n);
  assert_int_equal(tl_launch(loaded, NULL, l.args, 3, NULL), TL_E_UNSUPPORTED);
  FAILS(tl_kernel_prepare(loaded, NULL, 0, &error), TL_E_UNSUPPORTED,
        "a library is not launched, but its members are (tl_kernel_member)");
  {
    tl_kernel *none = NULL;
    const tl_kernel *nested[1];
    nested[0] = whole;
    FAILS(tl_kernel_bundle(nested, 1, &none, &error), TL_E_INVALID_ARGUMENT,
          "a library holds kernels, not other libraries");
    FAILS(tl_kernel_bundle(list, 3, &none, &error), TL_E_INVALID_ARGUMENT,
          "two kernels of the library are named 'scan_sums'");
    FAILS(tl_kernel_bundle(list, 0, &none, &error), TL_E_INVALID_ARGUMENT, "at least one kernel");
    FAILS(tl_kernel_bundle(NULL, 1, &none, &error), TL_E_INVALID_ARGUMENT, "kernels");
    assert_null(none);
  }
  tl_kernel_destroy(loaded);
  tl_kernel_destroy(whole);
  tl_kernel_destroy(kernels[0]);
  tl_kernel_destroy(kernels[1]);
  tl_graph_destroy(sums);
  tl_graph_destroy(text);
  end_launch(l);
}

/* The interpreter runs a sequence as a whole, and checks another device's results. */
static void interpreted(void **state) {
  tl_graph *g = example();
  tl_device *interp = NULL;
  tl_kernel *k = NULL, *coded = NULL;
  launch l = make_launch(4099), device = make_launch(4099);
  tl_check_report report = TL_CHECK_REPORT_INIT;
  (void)state;
  OK(tl_device_open(context, "interp", &interp, &error));
  OK(tl_kernel_build(interp, g, NULL, &k, &error));
  OK(tl_kernel_prepare(k, l.args, 3, &error));
  OK(tl_launch(k, NULL, l.args, 3, NULL));
  assert_sums(l.x, l.y, l.n);
  OK(tl_kernel_build(host, g, NULL, &coded, &error));
  OK(tl_launch(coded, NULL, device.args, 3, NULL));
  OK(tl_stream_synchronize(host, NULL));
  OK(tl_kernel_check(coded, l.args, device.args, 3, &report, &error));
  assert_int_equal(report.compared, 2 * 4099);
  device.y[1500] += 1000;
  FAILS(tl_kernel_check(coded, l.args, device.args, 3, &report, &error), TL_E_MISMATCH, "y[1500]");
  tl_kernel_destroy(k);
  tl_kernel_destroy(coded);
  tl_device_destroy(interp);
  tl_graph_destroy(g);
  end_launch(l);
  end_launch(device);
}

static const char *const shapes = "tile 0.1\n"
                                  "kernel @two(%x: view<f32, [2]>, %n: u8) grid [1] {\n"
                                  "}\n"
                                  "kernel @any(%t: view<f32, [%k]>, %k: i64) grid [1] {\n"
                                  "}\n"
                                  "sequence @s(%x: view<f32, [%m]>, %m: i64, %n: i64) {\n"
                                  "  %t = temporary [%n] : f32\n"
                                  "  dispatch @any(%t, %n)\n"
                                  "  dispatch @two(%x, %n)\n"
                                  "}\n";

/* What only the launch's numbers show. */
static void bad_launches(void **state) {
  tl_device *interp = NULL;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  float x[4] = {0};
  tl_arg args[3];
  size_t bytes = 1;
  tl_packed_launch packed = TL_PACKED_LAUNCH_INIT;
  (void)state;
  OK(tl_graph_parse(shapes, strlen(shapes), "shapes.tile", &g, &error));
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  args[0] = tl_arg_pointer(x), args[1] = tl_arg_int(2), args[2] = tl_arg_int(200);
  OK(tl_kernel_prepare(k, args, 3, &error));
  OK(tl_launch(k, NULL, args, 3, NULL));
  args[1] = tl_arg_int(3);
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_SHAPE,
        "sequence 's': kernel 'two', argument 0 (x): axis 0 has extent 3, the kernel wants 2");
  assert_int_equal(tl_launch(k, NULL, args, 3, NULL), TL_E_ARG_SHAPE);
  args[1] = tl_arg_int(2), args[2] = tl_arg_int(256);
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_TYPE, "256 is not a value of u8");
  OK(tl_stream_synchronize(host, NULL));
  tl_kernel_destroy(k);
  /* The interpreter says the same, and takes no memory to say it. */
  OK(tl_device_open(context, "interp", &interp, &error));
  OK(tl_kernel_build(interp, g, NULL, &k, &error));
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_TYPE,
        "shapes.tile:9: dispatch: argument 'n': 256 is not a value of u8");
  args[2] = tl_arg_int(200);
  OK(tl_kernel_prepare(k, args, 3, &error));
  args[1] = tl_arg_int(3);
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_SHAPE,
        "shapes.tile:9: dispatch: argument 'x': axis 0 has extent 3 and stride 1, the kernel wants "
        "2 and 1");
  args[1] = tl_arg_int(2), args[2] = tl_arg_int((int64_t)1 << 46);
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_LIMIT,
        "shapes.tile:7: temporary: a temporary has at most 2^47 bytes");
  args[2] = tl_arg_int((int64_t)1 << 38); /* the temporary fits; the argument does not */
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_TYPE, "274877906944 is not a value of u8");
  args[2] = tl_arg_int(-1);
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_SHAPE, "extent -1 of axis 0 is negative");
  tl_kernel_destroy(k);
  tl_device_destroy(interp);
  /* So does the host: 2^38 floats would not be had. */
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  args[2] = tl_arg_int((int64_t)1 << 38);
  FAILS(tl_kernel_prepare(k, args, 3, &error), TL_E_ARG_TYPE, "274877906944 is not a value of u8");
  tl_kernel_destroy(k);
  tl_graph_destroy(g);

  g = example();
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  args[0] = args[1] = tl_arg_pointer(x), args[2] = tl_arg_int(INT64_MAX / 2);
  FAILS(tl_kernel_workspace(k, args, 3, &bytes, &error), TL_E_ARG_SHAPE, "overflows");
  assert_int_equal(bytes, 0);
  args[2] = tl_arg_int((int64_t)1 << 59);
  FAILS(tl_kernel_workspace(k, args, 3, &bytes, &error), TL_E_LIMIT,
        "temporary 0 takes the workspace over 2^47 bytes");
  FAILS(tl_kernel_workspace(k, args, 2, &bytes, &error), TL_E_ARG_COUNT, "it takes 3 arguments");
  FAILS(tl_kernel_workspace(NULL, args, 2, &bytes, &error), TL_E_INVALID_ARGUMENT, "kernel");
  assert_int_equal(tl_launch_pack(k, args, 3, &packed), TL_E_UNSUPPORTED);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
}

static const char edges_text[] = "tile 0.1\n"
                                 "kernel @k(%p: ptr<f32>, %u: u64, %g: i64) grid [%g] {\n"
                                 "}\n"
                                 "sequence @s(%n: i64, %q: ptr<f32> optional, %v: u64, %g: i64) {\n"
                                 "  %t = temporary [%n] : f32\n"
                                 "  dispatch @k(%t, %v, %g)\n"
                                 "  dispatch @k(%q, %n, 1)\n"
                                 "}\n";

/* Empty temporaries, missing memory, unsigned numbers and grids: all devices say the same, at the
 * preparation and at the launch. */
static void edges(void **state) {
  static const char *const names[] = {"host", "interp", "emu:gfx942"};
  (void)state;
  for (size_t d = 0; d < 3; ++d) {
    tl_device *device = api_open_device(context, names[d]);
    tl_graph *g = NULL;
    tl_kernel *k = NULL;
    void *memory = NULL;
    tl_arg args[4];
    OK(tl_graph_parse(edges_text, sizeof edges_text - 1, "edges.tile", &g, &error));
    OK(tl_kernel_build(device, g, NULL, &k, &error));
    OK(tl_alloc(device, 64, &memory, &error));
    args[0] = tl_arg_int(0), args[1] = tl_arg_pointer(memory), args[2] = tl_arg_int(-1);
    args[3] = tl_arg_int(2);
    OK(tl_kernel_prepare(k, args, 4, &error));
    assert_int_equal(tl_launch(k, NULL, args, 4, NULL), TL_OK);
    args[1] = tl_arg_pointer(NULL);
    FAILS(tl_kernel_prepare(k, args, 4, &error), TL_E_ARG_NULL, "the pointer is NULL");
    assert_int_equal(tl_launch(k, NULL, args, 4, NULL), TL_E_ARG_NULL);
    args[1] = tl_arg_pointer(memory), args[3] = tl_arg_int(-3);
    FAILS(tl_kernel_prepare(k, args, 4, &error), TL_E_GRID,
          "kernel 'k': the grid has -3 programs along axis 0");
    assert_int_equal(tl_launch(k, NULL, args, 4, NULL), TL_E_GRID);
    OK(tl_stream_synchronize(device, NULL));
    OK(tl_free(device, memory));
    tl_kernel_destroy(k);
    tl_graph_destroy(g);
    tl_device_destroy(device);
  }
}

static const char numbers_text[] = "tile 0.1\n"
                                   "kernel @k(%u: u64) grid [1] {\n"
                                   "}\n"
                                   "sequence @s(%n: i64) {\n"
                                   "  dispatch @k(%n)\n"
                                   "}\n";

/* A negative i64 is no u64. */
static void unsigned_numbers(void **state) {
  static const char *const names[] = {"host", "interp", "emu:gfx942"};
  (void)state;
  for (size_t d = 0; d < 3; ++d) {
    tl_device *device = api_open_device(context, names[d]);
    tl_graph *g = NULL;
    tl_kernel *k = NULL;
    tl_arg args[1] = {tl_arg_int(-1)};
    OK(tl_graph_parse(numbers_text, sizeof numbers_text - 1, "numbers.tile", &g, &error));
    OK(tl_kernel_build(device, g, NULL, &k, &error));
    FAILS(tl_kernel_prepare(k, args, 1, &error), TL_E_ARG_TYPE, "-1 is not a value of u64");
    assert_int_equal(tl_launch(k, NULL, args, 1, NULL), TL_E_ARG_TYPE);
    FAILS(tl_kernel_prepare(k, args, 0, &error), TL_E_ARG_COUNT, "sequence 's': it takes 1 arg");
    args[0] = tl_arg_int(INT64_MAX);
    OK(tl_kernel_prepare(k, args, 1, &error));
    tl_kernel_destroy(k);
    tl_graph_destroy(g);
    tl_device_destroy(device);
  }
}

/* Mistakes that a text cannot make. */
static void mistakes(void **state) {
  tl_graph *text = example(), *g = NULL, *kernel = member(text, 0, "scan_blocks");
  const char *name = "x";
  tl_graph *none = kernel;
  (void)state;
  FAILS(tl_graph_member(text, 4, &name, &none, &error), TL_E_INVALID_ARGUMENT,
        "the text has 4 members, there is none with index 4");
  assert_null(name);
  assert_null(none);
  FAILS(tl_graph_member(NULL, 0, &name, &none, &error), TL_E_INVALID_ARGUMENT, "graph");

  OK(tl_graph_create(&g));
  assert_int_equal(tl_graph_callee(g, NULL), 0);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_ARGUMENT, "kernel");
  tl_graph_destroy(g);

  OK(tl_graph_create(&g)); /* a dispatch of none */
  (void)tl_graph_kernel(g, "s");
  (void)tl_graph_callee(g, kernel);
  (void)tl_dispatch(g, NULL, 0, 2);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
        "dispatch: there is no kernel number 2 (tl_graph_callee gives the numbers)");
  tl_graph_destroy(g);

  OK(tl_graph_create(&g)); /* a grid */
  (void)tl_graph_kernel(g, "s");
  tl_graph_location(g, "grid.c", 5);
  {
    tl_value one = api_i64(g, 1);
    (void)tl_graph_callee(g, kernel);
    (void)tl_graph_grid(g, &one, 1);
  }
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
        "grid.c:5: tl_graph_grid: a sequence has no grid; its kernels have theirs");
  tl_graph_destroy(g);

  OK(tl_graph_create(&g)); /* a kernel with a mistake: its place and the sequence's */
  OK(tl_graph_create(&none));
  (void)tl_graph_kernel(none, "k");
  tl_graph_location(none, "kernel.c", 6);
  (void)tl_program_id(none, 7);
  tl_graph_location(g, "callee.c", 7);
  assert_int_equal(tl_graph_callee(g, none), 0);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
        "callee.c:7: tl_graph_callee: kernel.c:6: program_id");
  tl_graph_destroy(none);
  tl_graph_destroy(g);

  for (int region = 0; region < 2; ++region) { /* within a region */
    tl_value i64s[3], args[1];
    OK(tl_graph_create(&g));
    (void)tl_graph_kernel(g, "s");
    for (int i = 0; i < 3; ++i)
      i64s[i] = api_i64(g, i);
    if (region)
      (void)tl_for_begin(g, i64s[0], i64s[1], i64s[2], NULL, 0, args);
    else
      (void)tl_if_begin(g, tl_const_i(g, 1, TL_DTYPE_I1));
    tl_graph_location(g, "region.c", 8);
    assert_int_equal(tl_graph_callee(g, kernel), 0);
    FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
          "region.c:8: tl_graph_callee: a sequence has no regions: it runs from top to bottom");
    tl_graph_destroy(g);
  }

  OK(tl_graph_create(&g)); /* operations of kernels before it became a sequence */
  (void)tl_graph_kernel(g, "s");
  (void)tl_program_id(g, 0);
  (void)tl_graph_callee(g, kernel);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH, "not program_id of i64");
  tl_graph_destroy(g);

  OK(tl_graph_create(&g)); /* another kernel of one name */
  {
    static const char *const other = "tile 0.1\nkernel @scan_blocks() grid [1] {\n}\n";
    tl_graph *second = NULL;
    OK(tl_graph_parse(other, strlen(other), NULL, &second, &error));
    (void)tl_graph_kernel(g, "s");
    (void)tl_graph_callee(g, kernel);
    (void)tl_graph_callee(g, second);
    FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
          "the sequence has another kernel named 'scan_blocks'");
    tl_graph_destroy(second);
  }
  tl_graph_destroy(g);

  OK(tl_graph_create(&g)); /* too many */
  (void)tl_graph_kernel(g, "s");
  for (int i = 0; i < 257; ++i) {
    char line[64];
    tl_graph *one = NULL;
    snprintf(line, sizeof line, "tile 0.1\nkernel @k%d() grid [1] {\n}\n", i);
    OK(tl_graph_parse(line, strlen(line), NULL, &one, &error));
    (void)tl_graph_callee(g, one);
    tl_graph_destroy(one);
  }
  FAILS(tl_graph_verify(g, &error), TL_E_LIMIT,
        "a sequence dispatches at most 256 different kernels");
  tl_graph_destroy(g);
  tl_graph_destroy(kernel);
  tl_graph_destroy(text);
}

/* Functions that call each other twice, thirty deep: refused before it takes an age. */
static void calls_expand(void **state) {
  size_t size = 0, room = 1 << 17;
  char *text = malloc(room);
  tl_graph *g = NULL;
  (void)state;
  size += (size_t)snprintf(text, room,
                           "tile 0.1\nfunc @f0(%%x) {\n  %%y = add %%x, %%x\n  yield "
                           "%%y\n}\n");
  for (int i = 1; i < 40; ++i)
    size += (size_t)snprintf(text + size, room - size,
                             "func @f%d(%%x) {\n  %%y = call @f%d(%%x)\n  %%z = call @f%d(%%y)\n"
                             "  yield %%z\n}\n",
                             i, i - 1, i - 1);
  size += (size_t)snprintf(text + size, room - size,
                           "kernel @k(%%n: i64) grid [1] {\n  %%r = call @f39(%%n)\n}\n");
  FAILS(tl_graph_parse(text, size, "deep.tile", &g, &error), TL_E_LIMIT,
        "calls expand to over 16777216 bytes");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes),
      cmocka_unit_test(parameters),
      cmocka_unit_test(workspaces),
      cmocka_unit_test(threads),
      cmocka_unit_test(made_by_calls),
      cmocka_unit_test(saved),
      cmocka_unit_test(library),
      cmocka_unit_test(interpreted),
      cmocka_unit_test(bad_launches),
      cmocka_unit_test(edges),
      cmocka_unit_test(unsigned_numbers),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(calls_expand),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
