/* Memory that runs out, at every place where the library asks for some: each call gives
 * TL_E_OUT_OF_MEMORY, nothing is lost, and afterwards all works. C++'s operators are defined here
 * under their own names, so that the library's allocations come by. What LLVM allocates cannot be
 * survived: no scenario compiles. */
#define _GNU_SOURCE
#include "api/api_test.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>

static atomic_long live, until_failure = LONG_MAX;
static atomic_int keeps_failing, failed;

/* std::__throw_bad_alloc(), of the C++ library that libtilelang brings. */
static void throw_bad_alloc(void) {
  void (*function)(void);
  *(void **)&function = dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
  function();
}

static void *allocate(size_t bytes, size_t align) {
  void *memory = NULL;
  long left = atomic_fetch_sub(&until_failure, 1);
  if (left == 0 || (left < 0 && atomic_load(&keeps_failing))) {
    atomic_store(&failed, 1);
    throw_bad_alloc();
  }
  if (posix_memalign(&memory, align < 16 ? 16 : align, bytes ? bytes : 1) != 0)
    throw_bad_alloc();
  atomic_fetch_add(&live, 1);
  return memory;
}
static void release(void *memory) {
  if (memory)
    atomic_fetch_sub(&live, 1);
  free(memory);
}

#pragma GCC visibility push(default)
/* operator new and delete, of objects and arrays, with sizes and alignments */
void *_Znwm(size_t bytes) { return allocate(bytes, 16); }
void *_Znam(size_t bytes) { return allocate(bytes, 16); }
void *_ZnwmSt11align_val_t(size_t bytes, size_t align) { return allocate(bytes, align); }
void *_ZnamSt11align_val_t(size_t bytes, size_t align) { return allocate(bytes, align); }
void _ZdlPv(void *memory) { release(memory); }
void _ZdaPv(void *memory) { release(memory); }
void _ZdlPvm(void *memory, size_t bytes) { (void)bytes, release(memory); }
void _ZdaPvm(void *memory, size_t bytes) { (void)bytes, release(memory); }
void _ZdlPvSt11align_val_t(void *memory, size_t align) { (void)align, release(memory); }
void _ZdaPvSt11align_val_t(void *memory, size_t align) { (void)align, release(memory); }
void _ZdlPvmSt11align_val_t(void *memory, size_t bytes, size_t align) {
  (void)bytes, (void)align, release(memory);
}
void _ZdaPvmSt11align_val_t(void *memory, size_t bytes, size_t align) {
  (void)bytes, (void)align, release(memory);
}

#pragma GCC visibility pop

/* A scenario gives its first status that is not TL_OK; it releases all that it made. */
typedef tl_status (*scenario)(void);

#define STEP(CALL)                                                                                 \
  do {                                                                                             \
    if (status == TL_OK)                                                                           \
      status = (CALL);                                                                             \
  } while (0)

/* The program is not sanitized, the library may be. */
static void skip_if_sanitized(void) {
  if (!dlsym(RTLD_DEFAULT, "__asan_init"))
    return;
  print_message("skip: the sanitizer has operators new and delete of its own\n");
  skip();
}

/* Fails allocation number n, or all from there on, for n = 0, 1, ... up to the first that is not
 * reached; further on some are passed over. */
static void survive(scenario run) {
  skip_if_sanitized();
  assert_int_equal(run(), TL_OK); /* what is made once in a process is made now */
  for (int all = 0; all < 2; ++all)
    for (long n = 0;; n += 1 + n / 64) {
      long before = atomic_load(&live);
      tl_status status;
      atomic_store(&failed, 0);
      atomic_store(&keeps_failing, all);
      atomic_store(&until_failure, n);
      status = run();
      atomic_store(&until_failure, LONG_MAX);
      if (!atomic_load(&failed)) {
        assert_int_equal(status, TL_OK);
        print_message("%ld allocations\n", n);
        assert_true(n > 100); /* they come by here */
        break;
      }
      if (status != TL_E_OUT_OF_MEMORY)
        fail_msg("allocation %ld failed: %s", n, tl_status_name(status));
      if (atomic_load(&live) != before)
        fail_msg("allocation %ld failed: %ld are left", n, atomic_load(&live) - before);
    }
  assert_int_equal(run(), TL_OK);
}

static const char module_text[] =
    "tile 0.1\n"
    "func @half(%x) {\n"
    "  %y = mul %x, 0.5\n"
    "  yield %y\n"
    "}\n"
    "kernel @scale(%x: view<f32, [%n]> = randn, %y: view<f32, [%n]>, %n: i64 = 100)\n"
    "    param %B = 32 in [32, 64] require lt(%B, 65) grid [ceildiv(%n, %B)] {\n"
    "  %p = program_id 0\n"
    "  %at = mul %p, %B\n"
    "  %a = load %x[%at] : tile<%B x f32>\n"
    "  %b = call @half(%a)\n"
    "  %s = for %i = 0 to 3 carry %c = %b {\n"
    "    %d = add %c, %a\n"
    "    yield %d\n"
    "  }\n"
    "  %m = reduce max %s, axis 0\n"
    "  %k = isnan %m\n"
    "  %ok = not %k\n"
    "  assert %ok, \"a number\"\n"
    "  print \"largest\", %m\n"
    "  store %s, %y[%at]\n"
    "}\n"
    "sequence @twice(%x: view<f32, [%n]>, %y: view<f32, [%n]>, %n: i64) {\n"
    "  %t = temporary [%n] : f32\n"
    "  dispatch @scale(%x, %t, %n)\n"
    "  dispatch @scale(%t, %y, %n)\n"
    "}\n";

/* Texts and binary graphs, there and back. */
static tl_status texts(void) {
  tl_graph *g = NULL, *member = NULL, *loaded = NULL;
  tl_error *error = NULL;
  const char *text = NULL, *name = NULL;
  const void *bytes = NULL;
  size_t size = 0;
  tl_status status = tl_graph_parse(module_text, sizeof module_text - 1, "m.tile", &g, &error);
  STEP(tl_graph_verify(g, &error));
  STEP(tl_graph_print(g, &text, &size, &error));
  STEP(tl_graph_member(g, 0, &name, &member, &error));
  STEP(tl_graph_print_canonical(member, NULL, NULL, 0, &text, &size, &error));
  STEP(tl_graph_save(g, &bytes, &size, &error));
  STEP(tl_graph_load(bytes, size, &loaded, &error));
  STEP(tl_graph_verify(loaded, &error));
  assert_true(status == TL_OK || tl_error_status(error) == status);
  tl_error_destroy(error);
  tl_graph_destroy(g);
  tl_graph_destroy(member);
  tl_graph_destroy(loaded);
  return status;
}

/* A graph by calls; the first that fails is what is reported. */
static tl_status calls(void) {
  tl_graph *g = NULL;
  tl_error *error = NULL;
  tl_status status = tl_graph_create(&g);
  if (status != TL_OK)
    return status;
  (void)tl_graph_kernel(g, "k");
  tl_graph_location(g, "calls.c", 3);
  tl_value n = api_scalar(g, "n", TL_DTYPE_I64), results[1] = {0}, args[2];
  int64_t extent = TL_DIM(n), dims[1] = {16};
  tl_value x = api_view(g, "x", TL_DTYPE_F32, 1, &extent), grid = tl_ceildiv(g, n, api_i64(g, 16));
  (void)tl_graph_grid(g, &grid, 1);
  tl_value at = tl_mul(g, tl_program_id(g, 0), api_i64(g, 16));
  tl_value v = tl_load(g, x, &at, 1, dims, 1);
  tl_graph_name(g, v, "v");
  (void)tl_for_begin(g, api_i64(g, 0), n, api_i64(g, 1), &v, 1, args);
  tl_value w = tl_add(g, args[1], v);
  (void)tl_for_end(g, &w, 1, results);
  (void)tl_store(g, results[0], x, &at, 1);
  status = tl_graph_verify(g, &error);
  assert_true(status == TL_OK || tl_error_status(error) == status);
  tl_error_destroy(error);
  tl_graph_destroy(g);
  return status;
}

/* Building for the interpreter, saving, loading, launching, checking. */
static tl_status interpreted(void) {
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_graph *g = NULL;
  tl_kernel *kernel = NULL, *loaded = NULL;
  tl_error *error = NULL;
  const void *bytes = NULL;
  size_t size = 0;
  float x[100] = {1}, y[100] = {0}, z[100] = {0};
  tl_check_report report = TL_CHECK_REPORT_INIT;
  tl_arg args[3] = {tl_arg_pointer(x), tl_arg_pointer(y), tl_arg_int(100)};
  tl_arg again[3] = {tl_arg_pointer(x), tl_arg_pointer(z), tl_arg_int(100)};
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_status status;
  options.flags = TL_CONTEXT_IGNORE_ENVIRONMENT;
  options.hip_path =
      "/nonexistent/libamdhip64.so"; /* a vendor's library has allocations of its own */
  status = tl_context_create(&options, &context, &error);
  STEP(tl_device_open(context, "interp", &device, &error));
  STEP(tl_graph_parse(module_text, sizeof module_text - 1, "m.tile", &g, &error));
  STEP(tl_kernel_build(device, g, NULL, &kernel, &error));
  STEP(tl_kernel_save(kernel, &bytes, &size));
  STEP(tl_kernel_load(device, bytes, size, &loaded, &error));
  STEP(tl_kernel_prepare(loaded, args, 3, &error));
  STEP(tl_launch(loaded, NULL, args, 3, NULL));
  STEP(tl_stream_synchronize(device, NULL));
  STEP(tl_kernel_check(loaded, again, args, 3, &report, &error));
  tl_error_destroy(error);
  tl_kernel_destroy(kernel);
  tl_kernel_destroy(loaded);
  tl_graph_destroy(g);
  tl_device_destroy(device);
  tl_context_destroy(context);
  return status;
}

/* What this process has compiled for the host, loaded and launched. */
static const void *host_bytes;
static size_t host_size;
static tl_status on_the_host(void) {
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_kernel *kernel = NULL;
  tl_error *error = NULL;
  float x[100] = {1}, y[100] = {0};
  tl_arg args[3] = {tl_arg_pointer(x), tl_arg_pointer(y), tl_arg_int(100)};
  tl_status status;
  options.host_threads = 2;
  options.flags = TL_CONTEXT_IGNORE_ENVIRONMENT;
  options.hip_path = "/nonexistent/libamdhip64.so";
  status = tl_context_create(&options, &context, &error);
  STEP(tl_device_open(context, "host", &device, &error));
  STEP(tl_kernel_load(device, host_bytes, host_size, &kernel, &error));
  STEP(tl_kernel_prepare(kernel, args, 3, &error));
  STEP(tl_launch(kernel, NULL, args, 3, NULL));
  STEP(tl_stream_synchronize(device, NULL));
  tl_error_destroy(error);
  tl_kernel_destroy(kernel);
  tl_device_destroy(device);
  tl_context_destroy(context);
  return status;
}

static void texts_and_graphs(void **state) {
  (void)state;
  survive(texts);
}
static void building_by_calls(void **state) {
  (void)state;
  survive(calls);
}
static void the_interpreter(void **state) {
  (void)state;
  survive(interpreted);
}
static void the_host(void **state) {
  static const char *const target = "host";
  tl_context *context = NULL;
  tl_graph *g = NULL;
  tl_kernel *kernel = NULL;
  (void)state;
  skip_if_sanitized();
  OK(tl_context_create(NULL, &context, &error));
  OK(tl_graph_parse(module_text, sizeof module_text - 1, "m.tile", &g, &error));
  OK(tl_kernel_compile(context, g, &target, 1, NULL, &kernel, &error));
  OK(tl_kernel_save(kernel, &host_bytes, &host_size));
  survive(on_the_host);
  tl_kernel_destroy(kernel);
  tl_graph_destroy(g);
  tl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts_and_graphs),
                                     cmocka_unit_test(building_by_calls),
                                     cmocka_unit_test(the_interpreter), cmocka_unit_test(the_host)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
