/* Launches into a stream that is being captured: what is not loaded yet is refused, nothing is
 * loaded or allocated, and what is prepared goes through. On a recording double of the HIP runtime.
 */
#include "api/api_test.h"

#include <dlfcn.h>

static const char *const text = "tile 0.1\n"
                                "kernel @fill(%y: view<f32, [%n]>, %n: i64) grid [1] {\n"
                                "  %v = full 1.0 : tile<16xf32>\n"
                                "  store %v, %y[0]\n"
                                "}\n";

static const char *const sequence = "tile 0.1\n"
                                    "kernel @copy(%x: view<f32, [%n]>, %n: i64) grid [1] {\n"
                                    "}\n"
                                    "sequence @s(%x: view<f32, [%n]>, %n: i64) {\n"
                                    "  %t = temporary [%n] : f32\n"
                                    "  dispatch @copy(%t, %n)\n"
                                    "}\n";

/* So does a sequence's workspace; a launch that needs a larger one is refused. */
static void sequence_in_capture(tl_device *device, void *stream, void *memory,
                                const char *(*calls)(void), void (*capturing)(int)) {
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_arg args[2], more[2];
  const char *made;
  OK(tl_graph_parse(sequence, strlen(sequence), NULL, &g, &error));
  OK(tl_kernel_build(device, g, NULL, &k, &error));
  args[0] = more[0] = tl_arg_pointer(memory), args[1] = tl_arg_int(16), more[1] = tl_arg_int(1000);
  capturing(1);
  calls();
  assert_int_equal(tl_launch(k, stream, args, 2, NULL), TL_E_NOT_PREPARED);
  OK(tl_kernel_prepare(k, args, 2, &error));
  made = calls();
  assert_non_null(strstr(made, "hipMalloc(256) on 0 mode 2")); /* relaxed */
  assert_null(strstr(made, "hipModuleLaunchKernel"));
  assert_int_equal(tl_launch(k, stream, args, 2, NULL), TL_OK);
  made = calls();
  assert_non_null(strstr(made, "hipModuleLaunchKernel"));
  assert_null(strstr(made, "hipMalloc"));
  assert_int_equal(tl_launch(k, stream, more, 2, NULL), TL_E_NOT_PREPARED);
  capturing(0);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
}

static const char *const printing = "tile 0.1\n"
                                    "kernel @printing(%n: i64) grid [1] {\n"
                                    "  print \"n\", %n\n"
                                    "}\n";

/* The memory of what is printed comes with the code. */
static void log_in_capture(tl_device *device, void *stream, const char *(*calls)(void),
                           void (*capturing)(int)) {
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_arg args[1] = {tl_arg_int(3)};
  const char *made;
  OK(tl_graph_parse(printing, strlen(printing), NULL, &g, &error));
  OK(tl_kernel_build(device, g, NULL, &k, &error));
  capturing(1);
  calls();
  assert_int_equal(tl_launch(k, stream, args, 1, NULL), TL_E_NOT_PREPARED);
  OK(tl_kernel_prepare(k, args, 1, &error));
  made = calls();
  assert_non_null(strstr(made, "hipModuleLoadData"));
  assert_non_null(strstr(made, "hipMalloc(1048640) on 0 mode 2")); /* relaxed */
  assert_non_null(strstr(made, "hipStreamDestroy")); /* it was cleared on a stream of its own */
  assert_int_equal(tl_launch(k, stream, args, 1, NULL), TL_OK);
  made = calls();
  assert_non_null(strstr(made, "hipModuleLaunchKernel"));
  assert_null(strstr(made, "hipMalloc"));
  assert_null(strstr(made, "Synchronize"));
  capturing(0);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
}

static void capture(void **state) {
  const char *build = getenv("TL_BUILD_DIR");
  char path[4096];
  void *hip;
  void (*reset)(int), (*capturing)(int);
  const char *(*calls)(void);
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  float *y;
  void *memory = NULL, *stream = NULL;
  tl_arg args[2];
  (void)state;
  assert_non_null(build);
  snprintf(path, sizeof path, "%s/tests/libtl_fake_hip.so", build);
  hip = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(hip);
  *(void **)&reset = dlsym(hip, "fake_hip_reset");
  *(void **)&capturing = dlsym(hip, "fake_hip_set_capturing");
  *(void **)&calls = dlsym(hip, "fake_hip_calls");
  reset(1);
  options.hip_handle = hip;
  OK(tl_context_create(&options, &context, &error));
  OK(tl_device_open(context, "hip:0", &device, &error));
  OK(tl_graph_parse(text, strlen(text), NULL, &g, &error));
  OK(tl_kernel_build(device, g, NULL, &k, &error));
  OK(tl_alloc(device, 64, &memory, &error));
  OK(tl_stream_create(device, &stream));
  y = memory;
  args[0] = tl_arg_pointer(y), args[1] = tl_arg_int(16);
  calls();

  capturing(1);
  assert_int_equal(tl_launch(k, stream, args, 2, NULL), TL_E_NOT_PREPARED);
  assert_null(strstr(calls(), "hipModuleLaunchKernel"));
  capturing(2); /* a capture that has failed */
  assert_int_equal(tl_launch(k, stream, args, 2, NULL), TL_E_NOT_PREPARED);
  capturing(1);
  OK(tl_kernel_prepare(k, args, 2, &error)); /* allowed at any time: it loads in relaxed mode */
  assert_non_null(strstr(calls(), "hipModuleLoadData"));
  assert_int_equal(tl_launch(k, stream, args, 2, NULL), TL_OK);
  {
    const char *made = calls();
    assert_non_null(strstr(made, "hipModuleLaunchKernel"));
    assert_null(strstr(made, "hipModuleLoadData"));
    assert_null(strstr(made, "hipMalloc"));
    assert_null(strstr(made, "Synchronize"));
  }
  sequence_in_capture(device, stream, memory, calls, capturing);
  log_in_capture(device, stream, calls, capturing);
  capturing(0);
  assert_int_equal(tl_stream_destroy(device, stream), TL_OK);
  assert_int_equal(tl_free(device, memory), TL_OK);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  tl_device_destroy(device);
  tl_context_destroy(context);
  dlclose(hip);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(capture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
