/* Bad input gives a named error that says what and where; what is legal though odd works.
 * test-timeout: 300 */
#include "api/api_test.h"

#include <pthread.h>

static const char *const add_text =
    "tile 0.1\n"
    "kernel @add(%a: view<f32, [%m, %n]>, %b: view<f32, [?, ?], [?, 1]>, %c: view<f32, [%m, %n]>,\n"
    "    %m: i64, %n: i64, %s: f32, %small: i8)\n"
    "    param %B = 64 in [64, 128]\n"
    "    grid [%m] {\n"
    "  %row = program_id 0\n"
    "  %x = load %a[%row, 0] : tile<%B x f32>\n"
    "  %y = load %b[%row, 0] : tile<%B x f32>\n"
    "  %z = add %x, %y\n"
    "  %w = mul %z, %s\n"
    "  store %w, %c[%row, 0]\n"
    "}\n";

typedef struct fixture {
  tl_context *context;
  tl_device *device;
  tl_graph *graph;
  tl_kernel *kernel;
  float a[4][8], b[4][8], c[4][8];
  int64_t shape[2], strides[2];
} fixture;

static int setup_on(void **state, const char *device) {
  fixture *f = calloc(1, sizeof *f);
  OK(tl_context_create(NULL, &f->context, &error));
  OK(tl_device_open(f->context, device, &f->device, &error));
  OK(tl_graph_parse(add_text, strlen(add_text), "add.tile", &f->graph, &error));
  OK(tl_kernel_build(f->device, f->graph, NULL, &f->kernel, &error));
  f->shape[0] = 4, f->shape[1] = 8, f->strides[0] = 8, f->strides[1] = 1;
  *state = f;
  return 0;
}
static int setup(void **state) { return setup_on(state, "host"); }
static int teardown(void **state) {
  fixture *f = *state;
  /* In an order that a careless host might choose. */
  tl_context_destroy(f->context);
  tl_device_destroy(f->device);
  tl_graph_destroy(f->graph);
  tl_kernel_destroy(f->kernel);
  free(f);
  return 0;
}

static void good_args(fixture *f, tl_arg *args) {
  args[0] = tl_arg_tensor(f->a, TL_DTYPE_F32, 2, f->shape);
  args[1] = tl_arg_tensor(f->b, TL_DTYPE_F32, 2, f->shape);
  args[2] = tl_arg_tensor(f->c, TL_DTYPE_F32, 2, f->shape);
  args[3] = tl_arg_int(4);
  args[4] = tl_arg_int(8);
  args[5] = tl_arg_float(2);
  args[6] = tl_arg_int(-128);
}

/* tl_kernel_prepare says it in words, tl_launch gives the same status. */
static void refuses(fixture *f, const tl_arg *args, size_t n, tl_status status, const char *part) {
  FAILS(tl_kernel_prepare(f->kernel, args, n, &error), status, part);
  assert_int_equal(tl_launch(f->kernel, NULL, args, n, NULL), status);
}

static void launch_arguments(void **state) {
  fixture *f = *state;
  tl_arg args[8];
  int64_t shape[2] = {4, 8}, strides[2] = {8, 1};
  good_args(f, args);
  refuses(f, args, 6, TL_E_ARG_COUNT, "7 arguments, not 6");
  refuses(f, args, 8, TL_E_ARG_COUNT, "7 arguments, not 8");
  args[0].dtype = TL_DTYPE_F16;
  refuses(f, args, 7, TL_E_ARG_TYPE, "argument 0 (a): the tensor is of f16");
  args[0].dtype = 1234;
  refuses(f, args, 7, TL_E_ARG_TYPE, "unknown type");
  good_args(f, args);
  args[0] = tl_arg_int(3);
  refuses(f, args, 7, TL_E_ARG_TYPE, "memory is wanted");
  good_args(f, args);
  args[0].kind = 77;
  refuses(f, args, 7, TL_E_ARG_TYPE, "memory is wanted");
  good_args(f, args);
  args[0].rank = 1;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "rank 1");
  args[0].rank = -1;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "rank -1");
  good_args(f, args);
  args[0].shape = NULL;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "no shape");
  good_args(f, args);
  args[0].data = NULL;
  refuses(f, args, 7, TL_E_ARG_NULL, "argument 0 (a): the pointer is NULL");
  good_args(f, args);
  args[0].data = (char *)f->a + 1;
  refuses(f, args, 7, TL_E_ARG_ALIGNMENT, "not aligned");
  good_args(f, args);
  shape[1] = 9, args[0].shape = shape;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "axis 1 has extent 9");
  good_args(f, args);
  strides[0] = 9, args[0].strides = strides;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "stride 9");
  good_args(f, args);
  args[3] = tl_arg_int(-4);
  refuses(f, args, 7, TL_E_ARG_SHAPE, "negative");
  good_args(f, args);
  args[3] = args[4] = tl_arg_int(INT64_MAX);
  shape[0] = shape[1] = INT64_MAX;
  args[0].shape = args[1].shape = args[2].shape = shape;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "overflows");
  good_args(f, args);
  args[5] = tl_arg_int(2);
  refuses(f, args, 7, TL_E_ARG_TYPE, "argument 5 (s): a float");
  good_args(f, args);
  args[3] = tl_arg_float(2);
  refuses(f, args, 7, TL_E_ARG_TYPE, "argument 3 (m): an integer");
  good_args(f, args);
  args[6] = tl_arg_int(128);
  refuses(f, args, 7, TL_E_ARG_TYPE, "128 is not a value of i8");
  good_args(f, args);
  args[1] = tl_arg_pointer(f->b); /* its extents are dynamic: a pointer has none */
  refuses(f, args, 7, TL_E_ARG_SHAPE, "a pointer has none");
  good_args(f, args);
  args[0].reserved1 = 1;
  refuses(f, args, 7, TL_E_UNSUPPORTED, "reserved");
  refuses(f, NULL, 7, TL_E_ARG_COUNT, "7 arguments, and the list of them is NULL");
}

static void dlpack_arguments(void **state) {
  fixture *f = *state;
  dl_tensor tensor = {f->a, 1, 0, 2, 2, 32, 1, NULL, NULL, 0};
  tl_arg args[7];
  good_args(f, args);
  tensor.shape = f->shape;
  args[0] = tl_arg_dlpack(&tensor);
  f->a[1][0] = 5;
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, NULL), TL_OK);
  OK(tl_stream_synchronize(f->device, NULL));
  assert_true(f->c[1][0] == 10);
  tensor.data = (char *)f->a - 4096 + 8;
  tensor.byte_offset = 4096 - 8;
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, NULL), TL_OK);
  OK(tl_stream_synchronize(f->device, NULL));
  tensor.byte_offset = UINT64_MAX - 7;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "byte_offset of 18446744073709551608");
  tensor.byte_offset = UINT64_MAX - (uint64_t)(uintptr_t)tensor.data + 1;
  refuses(f, args, 7, TL_E_ARG_SHAPE, "argument 0 (a): the DLTensor's byte_offset");
  tensor.byte_offset = 0, tensor.bits = 16;
  refuses(f, args, 7, TL_E_ARG_TYPE, "16 bits");
  args[0] = tl_arg_dlpack(NULL);
  refuses(f, args, 7, TL_E_ARG_NULL, "the DLTensor is NULL");
}

/* tl_kernel_prepare and tl_launch agree on every grid, and so do the devices. */
static void grids_of_two_axes(void **state) {
  static const char *const text = "tile 0.1\nkernel @k(%n: i64, %i: i64) grid [%n, %i] {\n}\n";
  static const char *const devices[] = {"host", "interp", "emu:gfx942"};
  static const struct {
    int64_t n, i;
    tl_status status;
  } grids[] = {{0, 1, TL_OK},
               {(int64_t)1 << 31, 0, TL_OK},
               {INT64_MAX, 0, TL_OK},
               {0, INT64_MAX, TL_OK},
               {0, INT32_MAX, TL_OK},
               {2, 3, TL_OK},
               {-1, 0, TL_E_GRID},
               {0, INT64_MIN, TL_E_GRID},
               {(int64_t)1 << 31, 1, TL_E_GRID},
               {INT64_MAX, 1 << 20, TL_E_GRID}};
  fixture *f = *state;
  tl_graph *g = NULL;
  size_t d, i;
  OK(tl_graph_parse(text, strlen(text), NULL, &g, &error));
  for (d = 0; d < 3; ++d) {
    tl_device *device = NULL;
    tl_kernel *k = NULL;
    OK(tl_device_open(f->context, devices[d], &device, &error));
    OK(tl_kernel_build(device, g, NULL, &k, &error));
    for (i = 0; i < sizeof grids / sizeof *grids; ++i) {
      tl_arg args[2];
      tl_packed_launch packed = TL_PACKED_LAUNCH_INIT;
      args[0] = tl_arg_int(grids[i].n), args[1] = tl_arg_int(grids[i].i);
      assert_int_equal(tl_kernel_prepare(k, args, 2, NULL), grids[i].status);
      assert_int_equal(tl_launch(k, NULL, args, 2, NULL), grids[i].status);
      OK(tl_stream_synchronize(device, NULL));
      if (grids[i].status == TL_OK)
        OK(tl_kernel_check(k, args, args, 2, NULL, &error));
      if (d == 1)
        continue;
      assert_int_equal(tl_launch_pack(k, args, 2, &packed), grids[i].status);
      if (grids[i].status == TL_OK)
        assert_int_equal(packed.grid[0] * packed.grid[1], grids[i].n == 2 ? 6 : 0);
    }
    tl_kernel_destroy(k);
    tl_device_destroy(device);
  }
  tl_graph_destroy(g);
}

/* A handle that is no stream of the device: the same answer whether the kernel is loaded or not. */
static void streams_of_nobody(void **state) {
  static const char *const text = "tile 0.1\nkernel @k(%n: i64) grid [%n] {\n}\n";
  static char junk[4096];
  fixture *f = *state;
  tl_device *device = NULL;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  void *host_stream = NULL;
  tl_arg n = tl_arg_int(1);
  int prepared;
  OK(tl_graph_parse(text, strlen(text), NULL, &g, &error));
  OK(tl_device_open(f->context, "emu:gfx942", &device, &error));
  OK(tl_kernel_build(device, g, NULL, &k, &error));
  OK(tl_stream_create(f->device, &host_stream));
  for (prepared = 0; prepared < 2; ++prepared) {
    assert_int_equal(tl_launch(k, junk, &n, 1, NULL), TL_E_DRIVER);
    assert_int_equal(tl_launch(k, host_stream, &n, 1, NULL), TL_E_DRIVER);
    OK(tl_kernel_prepare(k, &n, 1, &error));
  }
  assert_int_equal(tl_launch(k, NULL, &n, 1, NULL), TL_OK);
  assert_int_equal(tl_launch(f->kernel, junk, NULL, 0, NULL), TL_E_ARG_COUNT);
  OK(tl_stream_synchronize(device, NULL));
  OK(tl_stream_destroy(f->device, host_stream));
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  tl_device_destroy(device);
}

static void launch_grid(void **state) {
  fixture *f = *state;
  static const char *const text = "tile 0.1\nkernel @big(%n: i64) grid [%n, %n, %n] {\n}\n";
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_arg n = tl_arg_int(INT64_MAX);
  OK(tl_graph_parse(text, strlen(text), NULL, &g, &error));
  OK(tl_kernel_build(f->device, g, NULL, &k, &error));
  FAILS(tl_kernel_prepare(k, &n, 1, &error), TL_E_GRID, "grid");
  assert_int_equal(tl_launch(k, NULL, &n, 1, NULL), TL_E_GRID);
  n = tl_arg_int(-1);
  FAILS(tl_kernel_prepare(k, &n, 1, &error), TL_E_GRID, "-1 programs");
  n = tl_arg_int(0);
  assert_int_equal(tl_launch(k, NULL, &n, 1, NULL), TL_OK);
  tl_graph_destroy(g);
  tl_kernel_destroy(k);
}

static void options_of_other_versions(void **state) {
  fixture *f = *state;
  struct {
    tl_launch_options known;
    uint64_t more;
  } longer = {{sizeof longer, 0, 0, NULL, 0}, 0};
  tl_launch_options broken = TL_LAUNCH_OPTIONS_INIT, shorter = TL_LAUNCH_OPTIONS_INIT;
  tl_arg args[7];
  broken.struct_size = 3;
  shorter.struct_size = sizeof(size_t), shorter.flags = shorter.reserved = 0xffffffffu;
  good_args(f, args);
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, &longer.known), TL_OK);
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, &shorter),
                   TL_OK); /* its members are not read */
  longer.more = 1;
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, &longer.known), TL_E_UNSUPPORTED);
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, &broken), TL_E_INVALID_ARGUMENT);
  OK(tl_stream_synchronize(f->device, NULL));
}

static void artifacts(void **state) {
  fixture *f = *state;
  const void *bytes = NULL;
  size_t size = 0, i;
  tl_kernel *k = NULL;
  unsigned char *copy;
  OK(tl_kernel_save(f->kernel, &bytes, &size));
  copy = malloc(size);
  for (i = 0; i < size; i += 1 + size / 997) {
    FAILS(tl_kernel_load(f->device, bytes, i, &k, &error), TL_E_CORRUPT, "");
    assert_null(k);
    memcpy(copy, bytes, size);
    copy[i] ^= (unsigned char)(1u << i % 8);
    tl_error *error = NULL;
    tl_status status = tl_kernel_load(f->device, copy, size, &k, &error);
    assert_true(status == TL_E_CORRUPT || status == TL_E_VERSION);
    assert_true(strlen(tl_error_message(error)) > 10);
    tl_error_destroy(error);
  }
  OK(tl_kernel_load(f->device, bytes, size, &k, &error));
  tl_arg args[7];
  good_args(f, args);
  f->a[3][7] = 20, f->b[3][7] = 1;
  assert_int_equal(tl_launch(k, NULL, args, 7, NULL), TL_OK);
  tl_kernel_destroy(k); /* while its launch may be in flight */
  OK(tl_stream_synchronize(f->device, NULL));
  assert_true(f->c[3][7] == 42);
  free(copy);
}

static void names(void **state) {
  fixture *f = *state;
  const char *targets[1] = {"amdgcn:gfx9999"};
  tl_device *d = NULL;
  tl_kernel *k = NULL;
  const char *param = "B";
  int64_t value = 65;
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  FAILS(tl_device_open(f->context, "gpu:0", &d, &error), TL_E_UNKNOWN_DEVICE, "gpu:0");
  FAILS(tl_device_open(f->context, "", &d, &error), TL_E_UNKNOWN_DEVICE, "there is no device ''");
  FAILS(tl_device_open(f->context, "hip:99", &d, &error), TL_E_NO_DEVICE, "hip:99");
  FAILS(tl_device_open(f->context, "cuda:99", &d, &error), TL_E_NO_DEVICE, "cuda:99");
  FAILS(tl_kernel_compile(f->context, f->graph, targets, 1, NULL, &k, &error), TL_E_UNKNOWN_TARGET,
        "gfx9999");
  targets[0] = "nvptx:sm_1";
  FAILS(tl_kernel_compile(f->context, f->graph, targets, 1, NULL, &k, &error), TL_E_UNKNOWN_TARGET,
        "NVIDIA GPUs known: sm_80");
  targets[0] = "sm_80";
  FAILS(tl_kernel_compile(f->context, f->graph, targets, 1, NULL, &k, &error), TL_E_UNKNOWN_TARGET,
        "did you mean 'nvptx:sm_80'?");
  targets[0] = "sparc";
  FAILS(tl_kernel_compile(f->context, f->graph, targets, 1, NULL, &k, &error), TL_E_UNKNOWN_TARGET,
        "sparc");
  targets[0] = "host:x86-64-v3+nonsense";
  FAILS(tl_kernel_compile(f->context, f->graph, targets, 1, NULL, &k, &error), TL_E_UNKNOWN_TARGET,
        "nonsense");
  options.param_names = &param, options.param_values = &value, options.n_params = 1;
  FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_PARAM, "B = 65");
  param = "Q";
  FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_PARAM, "'Q'");
  {
    const char *twice[2] = {"B", "B"};
    const int64_t both[2] = {64, 128};
    options.param_names = twice, options.param_values = both, options.n_params = 2;
    FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_PARAM,
          "parameter 'B' is given twice");
  }
  options.struct_size = 9; /* in the middle of param_names */
  FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_INVALID_ARGUMENT,
        "struct_size is 9");
  options.struct_size = sizeof options;
  options.n_params = 0, options.flags = 0x80000000u;
  FAILS(tl_kernel_build(f->device, f->graph, &options, &k, &error), TL_E_UNSUPPORTED, "flag");
  assert_null(k);
}

static void wrong_place(void **state) {
  fixture *f = *state;
  const char *amd[1] = {"amdgcn:gfx942"}, *wide[1] = {"host:x86-64-v4+avx512bf16"};
  tl_kernel *k = NULL, *loaded = NULL;
  const void *bytes = NULL;
  size_t size = 0;
  tl_arg args[7];
  good_args(f, args);
  OK(tl_kernel_compile(f->context, f->graph, amd, 1, NULL, &k, &error));
  FAILS(tl_kernel_prepare(k, args, 7, &error), TL_E_UNSUPPORTED, "targets only");
  assert_int_equal(tl_launch(k, NULL, args, 7, NULL), TL_E_UNSUPPORTED);
  OK(tl_kernel_save(k, &bytes, &size));
  FAILS(tl_kernel_load(f->device, bytes, size, &loaded, &error), TL_E_UNSUPPORTED, "amdgcn:gfx942");
  tl_kernel_destroy(k);
  OK(tl_kernel_compile(f->context, f->graph, wide, 1, NULL, &k, &error));
  OK(tl_kernel_save(k, &bytes, &size));
  if (__builtin_cpu_supports("avx512bf16")) {
    print_message("skip: this CPU has the features that should be missing\n");
  } else {
    FAILS(tl_kernel_load(f->device, bytes, size, &loaded, &error), TL_E_CPU_FEATURES, "avx512");
  }
  tl_kernel_destroy(k);
}

static void no_compiler(void **state) {
  fixture *f = *state;
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_kernel *k = NULL;
  options.compiler_path = "/nonexistent/libtilelang-compiler.so";
  OK(tl_context_create(&options, &context, &error));
  OK(tl_device_open(context, "host", &device, &error));
  FAILS(tl_kernel_build(device, f->graph, NULL, &k, &error), TL_E_NO_COMPILER, "/nonexistent/");
  tl_device_destroy(device);
  tl_context_destroy(context);
  options.compiler_path = NULL, options.flags = TL_CONTEXT_NO_COMPILE;
  OK(tl_context_create(&options, &context, &error));
  OK(tl_device_open(context, "host", &device, &error));
  FAILS(tl_kernel_build(device, f->graph, NULL, &k, &error), TL_E_NOT_CACHED, "");
  FAILS(tl_kernel_lookup(device, f->graph, NULL, &k, &error), TL_E_NOT_CACHED, "");
  tl_device_destroy(device);
  tl_context_destroy(context);
  OK(tl_kernel_lookup(f->device, f->graph, NULL, &k, &error));
  tl_kernel_destroy(k);
}

static void null_everywhere(void **state) {
  tl_type type = TL_TYPE_INIT;
  (void)state;
  assert_int_equal(tl_graph_create(NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_graph_kernel(NULL, "x"), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_graph_op(NULL, 20, NULL, 0, NULL, 0, NULL, 0), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_graph_argument(NULL, NULL), 0);
  assert_int_equal(tl_graph_type(NULL, 1, &type), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_context_create(NULL, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_device_open(NULL, NULL, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_kernel_build(NULL, NULL, NULL, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_kernel_load(NULL, NULL, 0, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_kernel_save(NULL, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_launch(NULL, NULL, NULL, 0, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_launch_pack(NULL, NULL, 0, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_kernel_check(NULL, NULL, NULL, 0, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_alloc(NULL, 1, NULL, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_copy(NULL, NULL, NULL, 1, 1, NULL), TL_E_INVALID_ARGUMENT);
  assert_int_equal(tl_stream_synchronize(NULL, NULL), TL_E_INVALID_ARGUMENT);
  tl_graph_destroy(NULL), tl_context_destroy(NULL), tl_device_destroy(NULL),
      tl_kernel_destroy(NULL);
  tl_error_destroy(NULL), tl_context_trim(NULL), tl_graph_location(NULL, NULL, 0),
      tl_graph_name(NULL, 0, NULL);
  assert_string_equal(tl_status_name(-12345), "unknown status");
}

/* Building goes on after a mistake and reports the first one, with the host's line. */
static void sticky_builder(void **state) {
  tl_graph *g = NULL;
  tl_value n, x, y, args[2], one;
  int64_t dims[2] = {4, 0};
  int i;
  (void)state;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  n = api_scalar(g, "n", TL_DTYPE_I64);
  tl_graph_grid(g, &n, 1);
  tl_graph_location(g, "host.c", 123);
  x = tl_full(g, api_f32(g, 1), dims, 2); /* an extent of zero */
  assert_int_equal(x, 0);
  y = tl_add(g, x, x);
  assert_int_equal(y, 0);
  one = api_i64(g, 1);
  tl_for_begin(g, one, one, one, &y, 1, args);
  tl_if_begin(g, y);
  tl_else(g, NULL, 0);
  tl_if_end(g, NULL, 0, NULL);
  tl_for_end(g, &y, 1, &y);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH, "host.c:123");
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH, "at least 1, not 0");
  tl_graph_destroy(g);

  /* Mistakes of single calls, each with its sentence. */
  static const struct {
    int64_t dims[2];
    tl_status status;
    const char *part;
  } bad[] = {{{-5, 4}, TL_E_INVALID_GRAPH, "a parameter or arithmetic"},
             {{1 << 20, 2}, TL_E_LIMIT, "1048576 elements"},
             {{INT64_MAX, INT64_MAX}, TL_E_LIMIT, "elements"}};
  for (i = 0; i < 3; ++i) {
    OK(tl_graph_create(&g));
    tl_graph_kernel(g, "k");
    tl_full(g, api_f32(g, 1), bad[i].dims, 2);
    FAILS(tl_graph_verify(g, &error), bad[i].status, bad[i].part);
    tl_graph_destroy(g);
  }
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  dims[0] = 4, dims[1] = 8;
  x = tl_full(g, api_f32(g, 1), dims, 2);
  tl_dot(g, x, x, x);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
        "dot(tile<4x8xf32>, tile<4x8xf32>, tile<4x8xf32>): K differs");
  tl_graph_destroy(g);
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  for (i = 0; i < 10000; ++i)
    tl_if_begin(g, tl_const_i(g, 1, TL_DTYPE_I1));
  FAILS(tl_graph_verify(g, &error), TL_E_LIMIT, "64 deep");
  tl_graph_destroy(g);
  OK(tl_graph_create(&g));
  assert_int_equal(tl_graph_op(g, 4711, NULL, 0, NULL, 0, NULL, 0), TL_E_INVALID_ARGUMENT);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_ARGUMENT, "4711");
  tl_graph_destroy(g);
}

/* Values of enums that do not exist, each in a graph of its own: TL_E_INVALID_ARGUMENT. */
static void unknown_enum_values(void **state) {
  int i;
  (void)state;
  for (i = 0; i < 8; ++i) {
    tl_graph *g = NULL;
    tl_value x;
    int64_t dims[1] = {4};
    tl_argument argument = TL_ARGUMENT_INIT;
    OK(tl_graph_create(&g));
    tl_graph_kernel(g, "k");
    x = tl_full(g, api_f32(g, 1), dims, 1);
    switch (i) {
    case 0:
      x = tl_cast(g, x, 999);
      break;
    case 1:
      x = tl_cmp(g, x, x, 99);
      break;
    case 2:
      x = tl_reduce(g, x, 99, 0);
      break;
    case 3:
      x = tl_const_i(g, 1, 0);
      break;
    case 4:
      x = tl_cast(g, x, -1);
      break;
    case 5: { /* not to be taken for TL_DTYPE_F32 by dropping bits */
      tl_attr attr = {
          TL_ATTR_DTYPE, TL_ATTR_KIND_INT, ((int64_t)1 << 32) + TL_DTYPE_F32, 0, NULL, 0,
          {0, 0, 0}};
      tl_graph_op(g, TL_OP_CAST, &x, 1, &attr, 1, &x, 1);
      break;
    }
    case 6:
      argument.name = "a", argument.kind = 99, argument.dtype = TL_DTYPE_F32;
      x = tl_graph_argument(g, &argument);
      break;
    default:
      tl_graph_option(g, 99, 1);
      x = 0;
    }
    assert_int_equal(x, 0);
    FAILS(tl_graph_verify(g, &error), TL_E_INVALID_ARGUMENT, "");
    tl_graph_destroy(g);
  }
}

/* Reserved members must be zero, in a tl_argument as in a tl_arg. */
static void reserved_of_argument(void **state) {
  tl_graph *g = NULL;
  tl_argument argument = TL_ARGUMENT_INIT;
  (void)state;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  argument.name = "n", argument.kind = TL_TYPE_TILE, argument.dtype = TL_DTYPE_I64;
  argument.reserved = 1;
  assert_int_equal(tl_graph_argument(g, &argument), 0);
  FAILS(tl_graph_verify(g, &error), TL_E_UNSUPPORTED, "'n': a reserved member is set");
  tl_graph_destroy(g);
}

/* What a parameter's default breaks is said by the verifier, not by the first build. */
static void extents_of_parameters(void **state) {
  int64_t extents[1];
  tl_graph *g = NULL;
  tl_value one, c;
  (void)state;
  OK(tl_graph_create(&g));
  tl_graph_kernel(g, "k");
  tl_graph_param(g, "B", 4, NULL, 0);
  c = tl_graph_param(g, "C", -1, NULL, 0);
  extents[0] = TL_DIM(c);
  assert_int_not_equal(api_view(g, "a", TL_DTYPE_F32, 1, extents), 0);
  one = api_i64(g, 1);
  tl_graph_grid(g, &one, 1);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
        "argument 'a': an extent is at least 0, but parameter 'C' is -1 by default");
  tl_graph_destroy(g);
}

static void ten_megabytes_of_noise(void **state) {
  size_t size = 10 << 20, i;
  unsigned char *noise = malloc(size);
  uint64_t x = 88172645463325252u;
  tl_graph *g = NULL;
  (void)state;
  for (i = 0; i < size; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    noise[i] = (unsigned char)x;
  }
  FAILS(tl_graph_parse((char *)noise, size, "noise", &g, &error), TL_E_SYNTAX, "noise:1");
  FAILS(tl_graph_load(noise, size, &g, &error), TL_E_CORRUPT, "");
  memcpy(noise, "tile 0.1\n", 9);
  FAILS(tl_graph_parse((char *)noise, size, "noise", &g, &error), TL_E_SYNTAX, "noise:");
  free(noise);
}

typedef struct worker {
  fixture *f;
  float out[4][8];
  int failed;
} worker;

static void *launch_many(void *p) {
  worker *w = p;
  tl_arg args[7];
  void *stream = NULL;
  int i;
  good_args(w->f, args);
  args[2].data = w->out;
  w->failed = tl_stream_create(w->f->device, &stream) != TL_OK;
  for (i = 0; i < 200 && !w->failed; ++i)
    w->failed = tl_launch(w->f->kernel, stream, args, 7, NULL) != TL_OK;
  w->failed |= tl_stream_synchronize(w->f->device, stream) != TL_OK;
  w->failed |= tl_stream_destroy(w->f->device, stream) != TL_OK;
  return NULL;
}

static void sixteen_threads(void **state) {
  fixture *f = *state;
  pthread_t threads[16];
  static worker workers[16];
  int i;
  f->a[1][2] = 3, f->b[1][2] = 4;
  for (i = 0; i < 16; ++i) {
    workers[i].f = f;
    assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &workers[i]), 0);
  }
  for (i = 0; i < 16; ++i) {
    pthread_join(threads[i], NULL);
    assert_int_equal(workers[i].failed, 0);
    assert_true(workers[i].out[1][2] == 14);
  }
}

static void *build_same(void *p) {
  fixture *f = p;
  tl_kernel *k = NULL;
  const char *param = "B";
  int64_t value = 128;
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  options.param_names = &param, options.param_values = &value, options.n_params = 1;
  if (tl_kernel_build(f->device, f->graph, &options, &k, NULL) != TL_OK)
    return NULL;
  tl_kernel_destroy(k);
  return f;
}

static void equal_builds_are_joined(void **state) {
  fixture *f = *state;
  pthread_t threads[16];
  uint64_t before = 0, after = 0;
  void *result = NULL;
  int i;
  OK(tl_context_compile_count(f->context, &before));
  for (i = 0; i < 16; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, build_same, f), 0);
  for (i = 0; i < 16; ++i) {
    pthread_join(threads[i], &result);
    assert_non_null(result);
  }
  OK(tl_context_compile_count(f->context, &after));
  assert_int_equal(after - before, 1);
}

static void empty_is_legal(void **state) {
  fixture *f = *state;
  tl_arg args[7];
  int64_t empty[2] = {0, 8};
  good_args(f, args);
  args[0] = tl_arg_tensor(NULL, TL_DTYPE_F32, 2, empty);
  args[1] = tl_arg_tensor(NULL, TL_DTYPE_F32, 2, empty);
  args[2] = tl_arg_tensor(NULL, TL_DTYPE_F32, 2, empty);
  args[3] = tl_arg_int(0);
  OK(tl_kernel_prepare(f->kernel, args, 7, &error));
  assert_int_equal(tl_launch(f->kernel, NULL, args, 7, NULL), TL_OK);
}

static void packing(void **state) {
  fixture *f = *state;
  tl_packed_launch packed = TL_PACKED_LAUNCH_INIT;
  uint64_t block[32];
  tl_arg args[7];
  good_args(f, args);
  assert_int_equal(tl_launch_pack(f->kernel, args, 7, &packed), TL_OK);
  /* a, b and its two extents and dynamic stride, c, four scalars, three grid extents */
  assert_int_equal(packed.kernarg_bytes, 8 * (1 + 3 + 1 + 1 + 4 + 3));
  assert_int_equal(packed.grid[0], 4);
  assert_non_null(packed.function);
  packed.kernarg = block, packed.kernarg_bytes = 8;
  assert_int_equal(tl_launch_pack(f->kernel, args, 7, &packed), TL_E_LIMIT);
  packed.kernarg = block, packed.kernarg_bytes = sizeof block;
  assert_int_equal(tl_launch_pack(f->kernel, args, 7, &packed), TL_OK);
  assert_true(block[0] == (uint64_t)(uintptr_t)f->a);
}

#define WITH(TEST) cmocka_unit_test_setup_teardown(TEST, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_everywhere),
      cmocka_unit_test(sticky_builder),
      cmocka_unit_test(unknown_enum_values),
      cmocka_unit_test(reserved_of_argument),
      cmocka_unit_test(extents_of_parameters),
      cmocka_unit_test(ten_megabytes_of_noise),
      WITH(launch_arguments),
      WITH(dlpack_arguments),
      WITH(grids_of_two_axes),
      WITH(streams_of_nobody),
      WITH(launch_grid),
      WITH(options_of_other_versions),
      WITH(artifacts),
      WITH(names),
      WITH(wrong_place),
      WITH(no_compiler),
      WITH(sixteen_threads),
      WITH(equal_builds_are_joined),
      WITH(empty_is_legal),
      WITH(packing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
