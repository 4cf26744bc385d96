/* The rest of the C API, each function once for what it promises: places, checks that fail, memory,
 * events, DLPack, optional arguments, flags, the host's own thread pool. test-timeout: 300 */
#include "api/api_test.h"

#include <sys/wait.h>

static const char *const scale_text =
    "tile 0.1\n"
    "kernel @scale(%x: view<f32, [%n]>, %y: view<f32, [%n]>, %w: view<f32, [%n]> optional,\n"
    "    %n: i64 = 10, %s: f32 = 2.0)\n"
    "    param %B = 64 in [64, 128]\n"
    "    require lt(%B, 100)\n"
    "    grid [ceildiv(%n, %B)] {\n"
    "  %p = program_id 0\n"
    "  %o = mul %p, %B\n"
    "  %v = load %x[%o] : tile<%B x f32>\n"
    "  %r = mul %v, %s\n"
    "  store %r, %y[%o]\n"
    "}\n";

enum { N = 100 };

typedef struct fixture {
  tl_context *context;
  tl_device *device;
  tl_graph *graph;
  tl_kernel *kernel;
  float x[N], y[N];
  int64_t n;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  int i;
  OK(tl_context_create(NULL, &f->context, &error));
  OK(tl_device_open(f->context, "host", &f->device, &error));
  OK(tl_graph_parse(scale_text, strlen(scale_text), "scale.tile", &f->graph, &error));
  OK(tl_kernel_build(f->device, f->graph, NULL, &f->kernel, &error));
  for (i = 0; i < N; ++i)
    f->x[i] = (float)i, f->y[i] = -1;
  f->n = N;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tl_kernel_destroy(f->kernel);
  tl_graph_destroy(f->graph);
  tl_device_destroy(f->device);
  tl_context_destroy(f->context);
  free(f);
  return 0;
}

static void arguments(fixture *f, float *x, float *y, tl_arg *args) {
  args[0] = tl_arg_tensor(x, TL_DTYPE_F32, 1, &f->n);
  args[1] = tl_arg_tensor(y, TL_DTYPE_F32, 1, &f->n);
  args[2] = tl_arg_pointer(NULL);
  args[3] = tl_arg_int(N);
  args[4] = tl_arg_float(3);
}

static void launch(fixture *f, const tl_arg *args, const tl_launch_options *options) {
  assert_int_equal(tl_launch(f->kernel, NULL, args, 5, options), TL_OK);
  assert_int_equal(tl_stream_synchronize(f->device, NULL), TL_OK);
}

/* Two builds of one request from different places: one compile, and each kernel knows its own
 * places. */
static void places(void **state) {
  fixture *f = *state;
  char moved[2048] = "# a comment moves every line by one\n";
  const char *text = NULL, *p;
  size_t size = 0;
  uint32_t line = 1;
  uint64_t before = 0, after = 0;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_source_place place = TL_SOURCE_PLACE_INIT, other = TL_SOURCE_PLACE_INIT;
  tl_kernel_info a = TL_KERNEL_INFO_INIT, b = TL_KERNEL_INFO_INIT;
  const void *bytes = NULL;
  /* The comment stands behind the version line. */
  strcpy(moved, "tile 0.1\n# a comment moves every line by one\n");
  strcat(moved, scale_text + strlen("tile 0.1\n"));
  OK(tl_graph_parse(moved, strlen(moved), "moved.tile", &g, &error));
  OK(tl_context_compile_count(f->context, &before));
  OK(tl_kernel_build(f->device, g, NULL, &k, &error));
  OK(tl_context_compile_count(f->context, &after));
  assert_int_equal(before, 1);
  assert_int_equal(after, 1);
  OK(tl_kernel_get_info(f->kernel, 0, &a));
  OK(tl_kernel_get_info(k, 0, &b));
  assert_string_equal(a.key, b.key);
  assert_int_equal(a.built, 1);
  assert_int_equal(b.built, 0);
  OK(tl_kernel_get_part(f->kernel, 0, TL_PART_TEXT, &bytes, &size));
  text = bytes;
  for (p = text; p < text + size && !(strstr(p, " load ") && strstr(p, " load ") < strchr(p, '\n'));
       p = strchr(p, '\n') + 1)
    ++line;
  OK(tl_kernel_locate(f->kernel, line, &place));
  OK(tl_kernel_locate(k, line, &other));
  assert_string_equal(place.file, "scale.tile");
  assert_string_equal(other.file, "moved.tile");
  assert_int_equal(place.line, 9);
  assert_int_equal(other.line, 10);
  assert_int_equal(tl_kernel_locate(k, 1, &place), TL_E_INVALID_ARGUMENT);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
}

/* The check says no when one element is wrong, when a store is missing, and when code and graph
 * differ. */
static void check_can_fail(void **state) {
  fixture *f = *state;
  static float before_x[N], before_y[N];
  tl_arg args[5], reference[5];
  tl_check_report report = TL_CHECK_REPORT_INIT;
  arguments(f, f->x, f->y, args);
  launch(f, args, NULL);
  memcpy(before_x, f->x, sizeof before_x);
  arguments(f, before_x, before_y, reference);
  OK(tl_kernel_check(f->kernel, reference, args, 5, &report, &error));
  assert_true(report.compared >= N);
  assert_int_equal(report.mismatches, 0);
  f->y[73] = nextafterf(f->y[73], 1e9f);
  memset(before_y, 0, sizeof before_y);
  FAILS(tl_kernel_check(f->kernel, reference, args, 5, &report, &error), TL_E_MISMATCH, "73");
  assert_int_equal(report.mismatches, 1);
  assert_int_equal(report.argument, 1);
  assert_int_equal(report.element, 73);
  f->y[73] = -1; /* as if it had not been stored */
  FAILS(tl_kernel_check(f->kernel, reference, args, 5, &report, &error), TL_E_MISMATCH, "73");
  f->y[73] = 3 * f->x[73];
  OK(tl_kernel_check(f->kernel, reference, args, 5, NULL, &error));
  args[4] = reference[4] = tl_arg_float(2); /* other arguments than the launch had */
  FAILS(tl_kernel_check(f->kernel, reference, args, 5, &report, &error), TL_E_MISMATCH, "differs");
  assert_true(report.mismatches >= N - 1);
}

static void without_graph(void **state) {
  fixture *f = *state;
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  tl_kernel *k = NULL, *loaded = NULL;
  tl_device *interp = NULL;
  tl_arg args[5];
  const void *bytes = NULL;
  size_t size = 0;
  arguments(f, f->x, f->y, args);
  options.flags = TL_BUILD_NO_GRAPH | TL_BUILD_NO_DEBUG_INFO;
  OK(tl_kernel_build(f->device, f->graph, &options, &k, &error));
  assert_int_equal(tl_kernel_get_part(k, 0, TL_PART_GRAPH, &bytes, &size), TL_E_UNSUPPORTED);
  FAILS(tl_kernel_check(k, args, args, 5, NULL, &error), TL_E_UNSUPPORTED, "without its graph");
  OK(tl_kernel_save(k, &bytes, &size));
  OK(tl_device_open(f->context, "interp", &interp, &error));
  FAILS(tl_kernel_load(interp, bytes, size, &loaded, &error), TL_E_UNSUPPORTED,
        "without its graph");
  tl_kernel_destroy(k);
  tl_device_destroy(interp);
}

static void parameters_and_arguments(void **state) {
  fixture *f = *state;
  tl_param param = TL_PARAM_INIT;
  tl_kernel_argument arg = TL_KERNEL_ARGUMENT_INIT;
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  tl_kernel *k = NULL;
  const char *name = "B";
  int64_t value = 128;
  size_t count = 0;
  OK(tl_graph_param_count(f->graph, &count));
  assert_int_equal(count, 1);
  OK(tl_graph_get_param(f->graph, 0, &param));
  assert_string_equal(param.name, "B");
  assert_int_equal(param.default_value, 64);
  assert_int_equal(param.n_choices, 2);
  assert_int_equal(param.choices[1], 128);
  assert_int_equal(tl_graph_get_param(f->graph, 1, &param), TL_E_INVALID_ARGUMENT);
  /* 128 is a choice, but breaks the requirement. */
  options.param_names = &name, options.param_values = &value, options.n_params = 1;
  FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_PARAM, "B = 128");
  FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_PARAM,
        "scale.tile:5: kernel 'scale': the requirement lt(%B, 100) does not hold");
  OK(tl_kernel_argument_count(f->kernel, &count));
  assert_int_equal(count, 5);
  OK(tl_kernel_get_argument(f->kernel, 1, &arg));
  assert_string_equal(arg.name, "y");
  assert_int_equal(arg.kind, TL_TYPE_VIEW);
  assert_int_equal(arg.dtype, TL_DTYPE_F32);
  assert_int_equal(arg.written, 1);
  assert_int_equal(arg.extents[0], -1 - 3);
  OK(tl_kernel_get_argument(f->kernel, 2, &arg));
  assert_int_equal(arg.flags, TL_ARGUMENT_OPTIONAL);
  assert_int_equal(arg.written, 0);
  OK(tl_kernel_get_argument(f->kernel, 3, &arg));
  assert_int_equal(arg.flags, TL_ARGUMENT_HAS_DEFAULT);
  assert_int_equal(arg.default_int, 10);
}

static void streams_and_events(void **state) {
  fixture *f = *state;
  void *one = NULL, *two = NULL, *event = NULL, *later = NULL, *memory = NULL;
  unsigned char bytes[64];
  tl_arg args[5];
  double ms = -1;
  int i;
  OK(tl_stream_create(f->device, &one));
  OK(tl_stream_create(f->device, &two));
  OK(tl_event_create(f->device, &event));
  OK(tl_event_create(f->device, &later));
  arguments(f, f->x, f->y, args);
  for (i = 0; i < 50; ++i) { /* x is scaled in place in one stream, copied on in the other */
    OK(tl_event_record(f->device, event, one));
    args[1] = tl_arg_pointer(f->x);
    args[4] = tl_arg_float(i % 2 ? 0.5 : 2);
    assert_int_equal(tl_launch(f->kernel, one, args, 5, NULL), TL_OK);
    OK(tl_event_record(f->device, later, one));
    OK(tl_event_wait(f->device, two, later));
    OK(tl_copy(f->device, f->y, f->x, sizeof f->x, TL_COPY_ON_DEVICE, two));
    OK(tl_event_record(f->device, event, two));
    OK(tl_event_synchronize(f->device, event));
    assert_true(f->y[N - 1] == (i % 2 ? 1 : 2) * (float)(N - 1));
  }
  OK(tl_event_elapsed(f->device, later, event, &ms));
  assert_true(ms >= 0 && ms < 60000);
  OK(tl_alloc(f->device, 64, &memory, &error));
  OK(tl_fill(f->device, memory, 0x5a, 64, one));
  OK(tl_copy(f->device, bytes, memory, 64, TL_COPY_TO_HOST, one));
  OK(tl_stream_synchronize(f->device, one));
  assert_int_equal(bytes[0], 0x5a);
  assert_int_equal(bytes[63], 0x5a);
  assert_int_equal(tl_copy(f->device, bytes, memory, 64, 99, one), TL_E_INVALID_ARGUMENT);
  OK(tl_free(f->device, memory));
  OK(tl_event_destroy(f->device, event));
  OK(tl_event_destroy(f->device, later));
  OK(tl_stream_destroy(f->device, one));
  OK(tl_stream_destroy(f->device, two));
}

static void dlpack_and_flags(void **state) {
  fixture *f = *state;
  dl_tensor x = {NULL, 1, 0, 1, 2, 32, 1, NULL, NULL, 0};
  tl_launch_options options = TL_LAUNCH_OPTIONS_INIT;
  tl_arg args[5];
  arguments(f, f->x, f->y, args);
  x.data = f->x - 4, x.byte_offset = 16, x.shape = &f->n;
  args[0] = tl_arg_dlpack(&x);
  launch(f, args, NULL);
  assert_true(f->y[N - 1] == 3 * (N - 1));
  x.bits = 64;
  FAILS(tl_kernel_prepare(f->kernel, args, 5, &error), TL_E_ARG_TYPE, "64 bits");
  options.flags = TL_LAUNCH_UNCHECKED; /* then it is the caller's word that counts */
  args[4] = tl_arg_float(5);
  launch(f, args, &options);
  assert_true(f->y[N - 1] == 5 * (N - 1));
  assert_int_equal(tl_launch(f->kernel, NULL, args, 4, &options), TL_E_ARG_COUNT);
  args[0] = tl_arg_dlpack(NULL);
  assert_int_equal(tl_launch(f->kernel, NULL, args, 5, &options), TL_E_ARG_NULL);
  arguments(f, f->x, f->y, args);
  options.flags = TL_LAUNCH_CHECK_POINTERS;
  launch(f, args, &options);
  options.flags = 0x100;
  assert_int_equal(tl_launch(f->kernel, NULL, args, 5, &options), TL_E_UNSUPPORTED);
}

static int pool_calls;
static void pool(void *user, int64_t count, void (*body)(void *, int64_t), void *context) {
  int64_t i;
  assert_ptr_equal(user, &pool_calls);
  ++pool_calls;
  for (i = count; i-- > 0;) /* in an order of its own */
    body(context, i);
}

static void host_thread_pool(void **state) {
  fixture *f = *state;
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_kernel *k = NULL;
  tl_arg args[5];
  options.parallel_for = pool, options.parallel_for_user = &pool_calls,
  options.flags = TL_CONTEXT_IGNORE_ENVIRONMENT;
  OK(tl_context_create(&options, &context, &error));
  OK(tl_device_open(context, "host", &device, &error));
  OK(tl_kernel_build(device, f->graph, NULL, &k, &error));
  arguments(f, f->x, f->y, args);
  assert_int_equal(tl_launch(k, NULL, args, 5, NULL), TL_OK);
  OK(tl_stream_synchronize(device, NULL));
  assert_true(f->y[N - 1] == 3 * (N - 1));
  assert_true(pool_calls > 0);
  tl_kernel_destroy(k);
  tl_context_trim(context);
  tl_device_destroy(device);
  tl_context_destroy(context);
  options.flags = 0x40;
  FAILS(tl_context_create(&options, &context, &error), TL_E_UNSUPPORTED, "flag");
}

static void builder_options(void **state) {
  static const int64_t choices[2] = {8, 16};
  tl_graph *g = NULL, *back = NULL;
  tl_value b, one;
  tl_type type = TL_TYPE_INIT;
  const void *bytes = NULL;
  const char *text = NULL, *name = "B";
  int64_t dims[1], value = 16;
  size_t size = 0;
  (void)state;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  assert_int_equal(tl_graph_option(g, TL_GRAPH_CONTRACT, 0), TL_OK);
  assert_int_equal(tl_graph_option(g, TL_GRAPH_THREADS, 128), TL_OK);
  b = tl_graph_param(g, "B", 8, choices, 2);
  one = api_i64(g, 1);
  tl_graph_grid(g, &one, 1);
  assert_int_equal(tl_graph_require(g, tl_cmp(g, b, api_i64(g, 9), TL_PRED_LT)), TL_OK);
  dims[0] = TL_DIM(b);
  one = tl_full(g, one, dims, 1);
  tl_graph_name(g, one, "ones");
  OK(tl_graph_type(g, one, &type));
  assert_int_equal(type.kind, TL_TYPE_TILE);
  assert_int_equal(type.rank, 1);
  assert_int_equal(type.extents[0], 8);
  OK(tl_graph_print(g, &text, &size, &error));
  assert_int_equal(strlen(text), size);
  assert_non_null(strstr(text, "contract = off"));
  assert_non_null(strstr(text, "threads = 128"));
  assert_non_null(strstr(text, "%ones"));
  FAILS(tl_graph_print_canonical(g, &name, &value, 1, &text, NULL, &error), TL_E_PARAM, "B = 16");
  value = 8;
  OK(tl_graph_print_canonical(g, &name, &value, 1, &text, NULL, &error));
  OK(tl_graph_save(g, &bytes, &size, &error));
  OK(tl_graph_load(bytes, size, &back, &error));
  tl_graph_destroy(back);
  FAILS(tl_graph_load(bytes, size - 1, &back, &error), TL_E_CORRUPT, "");
  assert_null(back);
  assert_int_equal(tl_graph_option(g, TL_GRAPH_THREADS, 33), TL_E_INVALID_GRAPH);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH, "multiple of 32");
  tl_graph_destroy(g);
}

/* Where an error stands, what a vendor said, and what kernels without a device hold. */
static void errors_and_targets(void **state) {
  static const char *const targets[2] = {"amdgcn:gfx942", "host:x86-64-v3"};
  static const char bad[] = "tile 0.1\nkernel @k(%a: i64) grid [%b] {\n}\n";
  fixture *f = *state;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_device *emu = NULL;
  tl_error *error = NULL;
  tl_diagnostic d = TL_DIAGNOSTIC_INIT;
  tl_kernel_info info = TL_KERNEL_INFO_INIT;
  void *memory = NULL;
  size_t count = 0;
  assert_int_equal(tl_graph_parse(bad, sizeof bad - 1, "bad.tile", &g, &error), TL_E_SYNTAX);
  assert_int_equal(tl_error_diagnostic_count(error), 1);
  assert_int_equal(tl_error_native(error), 0);
  assert_int_equal(tl_error_diagnostic(error, 0, &d), TL_OK);
  assert_int_equal(d.line, 2);
  assert_string_equal(d.file, "bad.tile");
  assert_int_equal(tl_error_diagnostic(error, 1, &d), TL_E_INVALID_ARGUMENT);
  tl_error_destroy(error);
  OK(tl_kernel_target_count(f->kernel, &count));
  assert_int_equal(count, 1);
  OK(tl_kernel_compile(f->context, f->graph, targets, 2, NULL, &k, &error));
  OK(tl_kernel_target_count(k, &count));
  assert_int_equal(count, 2);
  OK(tl_kernel_get_info(k, 1, &info));
  assert_string_equal(info.target, targets[1]);
  assert_int_equal(tl_kernel_get_info(k, 2, &info), TL_E_INVALID_ARGUMENT);
  tl_kernel_destroy(k);
  OK(tl_device_open(f->context, "emu:gfx942", &emu, &error));
  error = NULL;
  assert_int_equal(tl_alloc(emu, (size_t)1 << 60, &memory, &error), TL_E_OUT_OF_MEMORY);
  assert_int_equal(tl_error_native(error), 2); /* hipErrorOutOfMemory */
  assert_null(memory);
  tl_error_destroy(error);
  tl_device_destroy(emu);
}

/* A bound of a generator that is an argument: the same as `= uniform(0, %pages)` in the text. */
static void generators_of_arguments(void **state) {
  fixture *f = *state;
  tl_argument a = TL_ARGUMENT_INIT;
  tl_kernel_argument table = TL_KERNEL_ARGUMENT_INIT;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_value pages, one, half;
  int64_t extents[1] = {8};
  const char *text = NULL;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  pages = api_scalar(g, "pages", TL_DTYPE_I32);
  a.name = "table", a.kind = TL_TYPE_VIEW, a.dtype = TL_DTYPE_I32, a.rank = 1, a.extents = extents;
  a.generator = TL_GENERATOR_UNIFORM, a.low = -1, a.high_value = pages;
  assert_int_not_equal(tl_graph_argument(g, &a), 0);
  a.name = "fill", a.generator = TL_GENERATOR_CONST, a.low_value = pages, a.high_value = 0;
  assert_int_not_equal(tl_graph_argument(g, &a), 0);
  one = api_i64(g, 1);
  tl_graph_grid(g, &one, 1);
  OK(tl_graph_print(g, &text, NULL, &error));
  assert_non_null(strstr(text, "= uniform(-1, %pages)"));
  assert_non_null(strstr(text, "= const(%pages)"));
  OK(tl_kernel_build(f->device, g, NULL, &k, &error));
  OK(tl_kernel_get_argument(k, 1, &table));
  assert_int_equal(table.low_argument, -1);
  assert_int_equal(table.high_argument, 0);
  assert_true(table.low == -1);
  OK(tl_kernel_get_argument(k, 2, &table));
  assert_int_equal(table.low_argument, 0);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  /* Bounds that are no scalar integer argument, or that the generator does not have. */
  for (int i = 0; i < 5; ++i) {
    OK(tl_graph_create(&g));
    tl_graph_kernel(g, "k");
    pages = api_scalar(g, "pages", TL_DTYPE_I32);
    half = api_scalar(g, "half", TL_DTYPE_F32);
    a.generator = i == 3 ? TL_GENERATOR_RANDN : i == 4 ? TL_GENERATOR_CONST : TL_GENERATOR_UNIFORM;
    a.low_value = i == 0 ? half : i == 1 ? 99 : i == 2 ? api_i64(g, 1) : 0;
    a.high_value = i >= 3 ? pages : 0;
    assert_int_equal(tl_graph_argument(g, &a), 0);
    if (i < 3)
      FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH, "a scalar integer argument");
    else
      FAILS(tl_graph_verify(g, &error), TL_E_INVALID_ARGUMENT, "does not take the bound");
    tl_graph_destroy(g);
  }
}

/* The memory behind a plain pointer is compared as far as its shape says. */
static void check_of_pointers(void **state) {
  static const char *const text = "tile 0.1\n"
                                  "kernel @k(%p: ptr<f32>, %n: i64) grid [1] {\n"
                                  "  %v = view %p, [%n], [1]\n"
                                  "  %x = load %v[0] : tile<16xf32>\n"
                                  "  %y = add %x, 1.0\n"
                                  "  store %y, %v[0]\n"
                                  "}\n";
  fixture *f = *state;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_check_report report = TL_CHECK_REPORT_INIT;
  float before[16] = {0}, after[16];
  int64_t n = 16, negative = -1, stride = 1;
  tl_arg reference[2], got[2];
  OK(tl_graph_parse(text, strlen(text), "k.tile", &g, &error));
  OK(tl_kernel_build(f->device, g, NULL, &k, &error));
  memcpy(after, before, sizeof after);
  reference[0] = tl_arg_tensor(before, TL_DTYPE_F32, 1, &n), reference[1] = tl_arg_int(16);
  got[0] = tl_arg_tensor(after, TL_DTYPE_F32, 1, &n), got[1] = reference[1];
  assert_int_equal(tl_launch(k, NULL, got, 2, NULL), TL_OK);
  OK(tl_stream_synchronize(f->device, NULL));
  OK(tl_kernel_check(k, reference, got, 2, &report, &error));
  assert_int_equal(report.compared, 16);
  memset(before, 0, sizeof before);
  after[15] = 0;
  FAILS(tl_kernel_check(k, reference, got, 2, &report, &error), TL_E_MISMATCH, "differs");
  assert_int_equal(report.element, 15);
  got[0].strides = reference[0].strides = &stride; /* contiguous too, and then not */
  OK(tl_kernel_check(k, reference, reference, 2, &report, &error));
  assert_int_equal(report.compared, 16);
  stride = 2;
  FAILS(tl_kernel_check(k, reference, got, 2, NULL, &error), TL_E_ARG_SHAPE, "behind a pointer");
  reference[0].strides = NULL;
  n = 15; /* the kernel goes over the end */
  FAILS(tl_kernel_check(k, reference, got, 2, NULL, &error), TL_E_INVALID_ARGUMENT, "");
  reference[0].shape = &negative;
  FAILS(tl_kernel_check(k, reference, got, 2, NULL, &error), TL_E_ARG_SHAPE, "behind a pointer");
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
}

/* A child of this process has none of the device's threads: it is told so, and does not hang. */
static void after_fork(void **state) {
  fixture *f = *state;
  tl_arg args[5];
  int result = 0;
  void *stream = NULL, *memory = NULL;
  arguments(f, f->x, f->y, args);
  launch(f, args, NULL);
  OK(tl_stream_create(f->device, &stream));
  OK(tl_alloc(f->device, 64, &memory, &error));
  pid_t child = fork();
  if (child == 0) {
    tl_context *own = NULL;
    tl_device *device = NULL;
    tl_kernel *k = NULL;
    int wrong = 0;
    alarm(60);
    wrong |= tl_launch(f->kernel, NULL, args, 5, NULL) != TL_E_UNSUPPORTED;
    wrong |= (tl_launch(f->kernel, stream, args, 5, NULL) != TL_E_UNSUPPORTED) << 1;
    wrong |= (tl_stream_synchronize(f->device, NULL) != TL_E_UNSUPPORTED) << 2;
    wrong |= (tl_stream_destroy(f->device, stream) != TL_E_UNSUPPORTED) << 3;
    wrong |= (tl_free(f->device, memory) != TL_E_UNSUPPORTED) << 4;
    tl_context_trim(f->context);
    tl_kernel_destroy(f->kernel);
    tl_device_destroy(f->device);
    tl_context_destroy(f->context);
    /* A context of the child's own works. */
    wrong |= (tl_context_create(NULL, &own, NULL) || tl_device_open(own, "host", &device, NULL) ||
              tl_kernel_build(device, f->graph, NULL, &k, NULL) ||
              tl_launch(k, NULL, args, 5, NULL) || tl_stream_synchronize(device, NULL))
             << 5;
    tl_kernel_destroy(k);
    tl_device_destroy(device);
    tl_context_destroy(own);
    _exit(wrong);
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  OK(tl_free(f->device, memory));
  OK(tl_stream_destroy(f->device, stream));
  launch(f, args, NULL);
}

#define WITH(TEST) cmocka_unit_test_setup_teardown(TEST, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH(places),
      WITH(check_can_fail),
      WITH(without_graph),
      WITH(parameters_and_arguments),
      WITH(streams_and_events),
      WITH(dlpack_and_flags),
      WITH(host_thread_pool),
      WITH(errors_and_targets),
      WITH(generators_of_arguments),
      WITH(check_of_pointers),
      WITH(after_fork),
      cmocka_unit_test(builder_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
