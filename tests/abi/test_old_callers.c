/* Callers compiled against other versions of the headers: an option struct may be shorter (an old
 * caller) or longer (a newer one) than the library's; an info struct is filled as far as the
 * caller's goes and not a byte further. */
#include "tilelang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "tile 0.1\n"
                           "kernel @copy(%a: view<f32, [%n]>, %b: view<f32, [%n]>, %n: i64)\n"
                           "    param %B = 1 in [1, 2]\n"
                           "    grid [ceildiv(%n, 256)] {\n"
                           "  %pid = program_id 0\n"
                           "  %c = const 256 : i64\n"
                           "  %off = mul %pid, %c\n"
                           "  %x = load %a[%off] : tile<256 x f32>\n"
                           "  store %x, %b[%off]\n"
                           "}\n";

typedef struct fixture {
  tl_context *context;
  tl_device *device;
  tl_graph *graph;
  tl_kernel *kernel;
  tl_device *host;
  tl_kernel *host_kernel; /* launches of the interpreter cannot be packed */
} fixture;

static int set_up(void **state) {
  static fixture f;
  *state = &f;
  return tl_context_create(NULL, &f.context, NULL) ||
         tl_device_open(f.context, "interp", &f.device, NULL) ||
         tl_graph_parse(text, sizeof text - 1, "copy.tile", &f.graph, NULL) ||
         tl_kernel_build(f.device, f.graph, NULL, &f.kernel, NULL) ||
         tl_device_open(f.context, "host", &f.host, NULL) ||
         tl_kernel_build(f.host, f.graph, NULL, &f.host_kernel, NULL);
}

static int tear_down(void **state) {
  fixture *f = *state;
  tl_kernel_destroy(f->host_kernel);
  tl_device_destroy(f->host);
  tl_kernel_destroy(f->kernel);
  tl_graph_destroy(f->graph);
  tl_device_destroy(f->device);
  tl_context_destroy(f->context);
  return 0;
}

/* ---- Structs that go in */

/* Passes an option struct to the function that takes it; gives its status. */
typedef tl_status (*take)(fixture *f, const void *options);

static tl_status take_context(fixture *f, const void *options) {
  tl_context *context = NULL;
  (void)f;
  tl_status status = tl_context_create(options, &context, NULL);
  tl_context_destroy(context);
  return status;
}
static tl_status take_build(fixture *f, const void *options) {
  tl_kernel *kernel = NULL;
  tl_status status = tl_kernel_build(f->device, f->graph, options, &kernel, NULL);
  tl_kernel_destroy(kernel);
  return status;
}
static tl_status take_launch(fixture *f, const void *options) {
  float a[4] = {1, 2, 3, 4}, b[4] = {0};
  const tl_arg args[] = {tl_arg_pointer(a), tl_arg_pointer(b), tl_arg_int(4)};
  tl_status status = tl_launch(f->kernel, NULL, args, 3, options);
  if (status == TL_OK)
    status = tl_stream_synchronize(f->device, NULL);
  return status;
}
/* An argument needs a name and a kind, so that it is legal at all. */
static tl_status take_argument(fixture *f, const void *options) {
  const tl_argument *argument = options;
  tl_argument scalar = TL_ARGUMENT_INIT;
  unsigned char *copy =
      calloc(1, argument->struct_size < sizeof scalar ? sizeof scalar : argument->struct_size);
  tl_graph *graph = NULL;
  (void)f;
  assert_non_null(copy);
  memcpy(copy, options, argument->struct_size);
  scalar.struct_size = argument->struct_size;
  scalar.name = "n";
  scalar.kind = TL_TYPE_TILE;
  scalar.dtype = TL_DTYPE_I64;
  memcpy(copy, &scalar, offsetof(tl_argument, rank));
  assert_int_equal(tl_graph_create(&graph), TL_OK);
  tl_value value = tl_graph_argument(graph, (const tl_argument *)copy);
  tl_error *error = NULL;
  tl_status status = TL_OK;
  if (value == 0) {
    status = tl_graph_verify(graph, &error);
    assert_int_not_equal(status, TL_OK);
  }
  tl_error_destroy(error);
  tl_graph_destroy(graph);
  free(copy);
  return status;
}

/* `shortest` is the smallest size that says enough. */
static void check_options(void **state, take call, size_t size, size_t shortest) {
  enum { tail = 24 };
  fixture *f = *state;
  unsigned char *options = calloc(1, size + tail);
  assert_non_null(options);

  for (size_t given = shortest; given <= size; given += 8) {
    memcpy(options, &given, sizeof given);
    assert_int_equal(call(f, options), TL_OK);
  }
  size_t longer = size + tail;
  memcpy(options, &longer, sizeof longer);
  assert_int_equal(call(f, options), TL_OK);
  options[size + tail - 1] = 1;
  assert_int_equal(call(f, options), TL_E_UNSUPPORTED);
  options[size + tail - 1] = 0;
  for (size_t given = 0; given < sizeof given; ++given) {
    memcpy(options, &given, sizeof given);
    assert_int_equal(call(f, options), TL_E_INVALID_ARGUMENT);
  }
  free(options);
}

static void test_context_options(void **state) {
  check_options(state, take_context, sizeof(tl_context_options), sizeof(size_t));
}
static void test_build_options(void **state) {
  check_options(state, take_build, sizeof(tl_build_options), sizeof(size_t));
}
static void test_launch_options(void **state) {
  check_options(state, take_launch, sizeof(tl_launch_options), sizeof(size_t));
}
static void test_argument(void **state) {
  check_options(state, take_argument, sizeof(tl_argument), offsetof(tl_argument, rank));
}

/* ---- Structs that come out */

/* Fills an info struct; gives the status. */
typedef tl_status (*fill)(fixture *f, void *info);

static tl_status fill_device(fixture *f, void *info) { return tl_device_get_info(f->device, info); }
static tl_status fill_device_entry(fixture *f, void *info) {
  return tl_context_device(f->context, 0, info);
}
static tl_status fill_kernel(fixture *f, void *info) {
  return tl_kernel_get_info(f->kernel, 0, info);
}
static tl_status fill_argument(fixture *f, void *info) {
  return tl_kernel_get_argument(f->kernel, 2, info);
}
static tl_status fill_type(fixture *f, void *info) { return tl_graph_type(f->graph, 1, info); }
static tl_status fill_diagnostic(fixture *f, void *info) {
  tl_error *error = NULL;
  tl_graph *graph = NULL;
  (void)f;
  assert_int_equal(tl_graph_parse("tile 0.1\nkernel", 15, "bad.tile", &graph, &error), TL_E_SYNTAX);
  tl_status status = tl_error_diagnostic(error, 0, info);
  tl_error_destroy(error);
  return status;
}

static tl_status fill_param(fixture *f, void *info) {
  return tl_graph_get_param(f->graph, 0, info);
}
/* Some line of the canonical text holds an operation whose place is known. */
static tl_status fill_place(fixture *f, void *info) {
  tl_status status = TL_E_INVALID_ARGUMENT;
  for (uint32_t line = 1; line < 20 && status == TL_E_INVALID_ARGUMENT; ++line) {
    tl_source_place whole = TL_SOURCE_PLACE_INIT;
    if (tl_kernel_locate(f->kernel, line, &whole) == TL_OK)
      return tl_kernel_locate(f->kernel, line, info);
  }
  return status;
}
/* Members that go in are read as far as the caller's struct goes: what lies behind is another's. */
static tl_status fill_packed(fixture *f, void *info) {
  float a[4] = {0}, b[4];
  const tl_arg args[] = {tl_arg_pointer(a), tl_arg_pointer(b), tl_arg_int(4)};
  size_t size = *(size_t *)info;
  if (size >= sizeof(size_t))
    memset((char *)info + sizeof(size_t), 0, size - sizeof(size_t));
  return tl_launch_pack(f->host_kernel, args, 3, info);
}
static tl_status fill_report(fixture *f, void *info) {
  float before[2][4] = {{1, 2, 3, 4}}, after[2][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}};
  const tl_arg reference[] = {tl_arg_pointer(before[0]), tl_arg_pointer(before[1]), tl_arg_int(4)};
  const tl_arg got[] = {tl_arg_pointer(after[0]), tl_arg_pointer(after[1]), tl_arg_int(4)};
  return tl_kernel_check(f->kernel, reference, got, 3, info, NULL);
}

static void check_info(void **state, fill call, size_t size) {
  enum { beyond = 24, poison = 0xa5 };
  fixture *f = *state;
  unsigned char *info = malloc(size + beyond);
  assert_non_null(info);
  for (size_t given = sizeof(size_t); given <= size; given += 8) {
    memset(info, poison, size + beyond);
    memcpy(info, &given, sizeof given);
    assert_int_equal(call(f, info), TL_OK);
    assert_memory_equal(info, &given, sizeof given);
    for (size_t i = given; i < size + beyond; ++i)
      assert_int_equal(info[i], poison);
  }
  /* A newer caller's tail reads as zero, as the newer library's defaults do. */
  size_t longer = size + beyond;
  memset(info, poison, size + beyond);
  memcpy(info, &longer, sizeof longer);
  assert_int_equal(call(f, info), TL_OK);
  for (size_t i = size; i < longer; ++i)
    assert_int_equal(info[i], 0);
  for (size_t given = 0; given < sizeof given; ++given) {
    memcpy(info, &given, sizeof given);
    assert_int_equal(call(f, info), TL_E_INVALID_ARGUMENT);
  }
  free(info);
}

static void test_device_info(void **state) {
  check_info(state, fill_device, sizeof(tl_device_info));
  check_info(state, fill_device_entry, sizeof(tl_device_info));
}
static void test_kernel_info(void **state) {
  check_info(state, fill_kernel, sizeof(tl_kernel_info));
}
static void test_kernel_argument(void **state) {
  check_info(state, fill_argument, sizeof(tl_kernel_argument));
}
static void test_type(void **state) { check_info(state, fill_type, sizeof(tl_type)); }
static void test_diagnostic(void **state) {
  check_info(state, fill_diagnostic, sizeof(tl_diagnostic));
}

static void test_param(void **state) { check_info(state, fill_param, sizeof(tl_param)); }
static void test_source_place(void **state) {
  check_info(state, fill_place, sizeof(tl_source_place));
}
static void test_packed_launch(void **state) {
  check_info(state, fill_packed, sizeof(tl_packed_launch));
}
static void test_check_report(void **state) {
  check_info(state, fill_report, sizeof(tl_check_report));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_context_options), cmocka_unit_test(test_build_options),
      cmocka_unit_test(test_launch_options),  cmocka_unit_test(test_argument),
      cmocka_unit_test(test_device_info),     cmocka_unit_test(test_kernel_info),
      cmocka_unit_test(test_kernel_argument), cmocka_unit_test(test_type),
      cmocka_unit_test(test_diagnostic),      cmocka_unit_test(test_param),
      cmocka_unit_test(test_source_place),    cmocka_unit_test(test_packed_launch),
      cmocka_unit_test(test_check_report),
  };
  return cmocka_run_group_tests_name("old callers", tests, set_up, tear_down);
}
