/* emu devices: opening them, memory, copies, fills, streams, events and a kernel, all through the
 * HIP driver over the stand-in runtime. */
#include "api/api_test.h"

#include <sys/wait.h>

#include "tilelang.h"

static tl_context *context;

static void two_chips(void **state) {
  (void)state;
  tl_device *cdna = api_open_device(context, "emu:gfx942"),
            *rdna = api_open_device(context, "emu:gfx1100");
  tl_device_info info = TL_DEVICE_INFO_INIT;
  assert_int_equal(tl_device_get_info(cdna, &info), TL_OK);
  assert_string_equal(info.name, "emu:gfx942");
  assert_string_equal(info.target, "amdgcn:gfx942");
  assert_int_equal(info.wave_size, 64);
  assert_int_equal(info.compute_units, 304);
  assert_int_equal(tl_device_get_info(rdna, &info), TL_OK);
  assert_string_equal(info.target, "amdgcn:gfx1100");
  assert_int_equal(info.wave_size, 32);
  tl_device_destroy(cdna);
  tl_device_destroy(rdna);
}

static void memory_and_streams(void **state) {
  (void)state;
  tl_device *device = api_open_device(context, "emu:gfx1100");
  void *a, *b, *first, *second, *event;
  uint32_t host[64], back[64];
  for (uint32_t i = 0; i < 64; ++i)
    host[i] = i * 3;
  OK(tl_alloc(device, sizeof host, &a, &error));
  OK(tl_alloc(device, sizeof host, &b, &error));
  assert_int_equal(tl_stream_create(device, &first), TL_OK);
  assert_int_equal(tl_stream_create(device, &second), TL_OK);
  assert_int_equal(tl_event_create(device, &event), TL_OK);
  assert_int_equal(tl_copy(device, a, host, sizeof host, TL_COPY_TO_DEVICE, first), TL_OK);
  assert_int_equal(tl_fill(device, (char *)a + 16, 0xab, 8, first), TL_OK);
  assert_int_equal(tl_event_record(device, event, first), TL_OK);
  assert_int_equal(tl_event_wait(device, second, event), TL_OK);
  assert_int_equal(tl_copy(device, b, a, sizeof host, TL_COPY_ON_DEVICE, second), TL_OK);
  assert_int_equal(tl_copy(device, back, b, sizeof back, TL_COPY_TO_HOST, second), TL_OK);
  assert_int_equal(tl_stream_synchronize(device, second), TL_OK);
  host[4] = host[5] = 0xabababab;
  assert_memory_equal(host, back, sizeof host);
  tl_event_destroy(device, event);
  tl_stream_destroy(device, first);
  tl_stream_destroy(device, second);
  assert_int_equal(tl_free(device, a), TL_OK);
  assert_int_equal(tl_free(device, b), TL_OK);
  tl_device_destroy(device);
}

static void no_such_chip(void **state) {
  (void)state;
  tl_device_destroy(api_open_device(context, "emu:gfx942"));
  tl_device *device;
  FAILS(tl_device_open(context, "emu:gfx000", &device, &error), TL_E_NO_DEVICE,
        "there is no device 'emu:gfx000'; there is emu:gfx90a, emu:gfx942");
}

/* Without the library: a named error, an entry that says why, and the other devices as ever. */
static void no_library(void **state) {
  (void)state;
  tl_context *other;
  tl_device *device;
  size_t count = 0, found = 0;
  setenv("TL_HIPEMU_LIBRARY", "/nowhere/libnothing.so", 1);
  OK(tl_context_create(NULL, &other, &error));
  FAILS(tl_device_open(other, "emu:gfx942", &device, &error), TL_E_NO_DEVICE,
        "/nowhere/libnothing.so");
  assert_int_equal(tl_context_device_count(other, &count), TL_OK);
  for (size_t i = 0; i < count; ++i) {
    tl_device_info info = TL_DEVICE_INFO_INIT;
    assert_int_equal(tl_context_device(other, i, &info), TL_OK);
    if (strcmp(info.name, "emu") == 0) {
      ++found;
      assert_false(info.usable);
      assert_non_null(strstr(info.reason, "cannot be opened"));
    }
  }
  assert_int_equal(found, 1);
  OK(tl_device_open(other, "host", &device, &error));
  tl_device_destroy(device);
  tl_context_destroy(other);
  unsetenv("TL_HIPEMU_LIBRARY");
}

/* A variable that is not understood is named, whatever it would have set. The runtime reads its
 * environment once: each in a process of its own. */
static void bad_variables(void **state) {
  static const struct {
    const char *name, *value, *part;
  } bad[] = {{"TL_EMU_DEVICES", "garbage", "TL_EMU_DEVICES=garbage: "},
             {"TL_EMU_DEVICES", "-1", "TL_EMU_DEVICES=-1: "},
             {"TL_EMU_ACCUMULATION", "wrong", "TL_EMU_ACCUMULATION: accumulation is one of cdna"},
             {"TL_EMU_VERSION", "9", "TL_EMU_VERSION: version is one of 5.7"},
             {"TL_EMU_THREADS", "abc", "TL_EMU_THREADS: threads is a number, not 'abc'"}};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    int result = 0;
    pid_t child = fork();
    if (child == 0) {
      tl_context *other = NULL;
      tl_device *device = NULL;
      tl_error *error = NULL;
      setenv(bad[i].name, bad[i].value, 1);
      tl_status status = tl_context_create(NULL, &other, NULL);
      if (status == TL_OK)
        status = tl_device_open(other, "emu:gfx942", &device, &error);
      int good = status == TL_E_NO_DEVICE && strstr(tl_error_message(error), bad[i].part);
      if (!good)
        fprintf(stderr, "%s: %s\n", tl_status_name(status), tl_error_message(error));
      _exit(good ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
  }
}

/* "auto" means hardware. */
static void never_automatic(void **state) {
  (void)state;
  tl_device *device;
  size_t count;
  tl_device_info info = TL_DEVICE_INFO_INIT;
  assert_int_equal(tl_context_device_count(context, &count),
                   TL_OK); /* lists the emulated ones too */
  OK(tl_device_open(context, "auto", &device, &error));
  assert_int_equal(tl_device_get_info(device, &info), TL_OK);
  assert_int_not_equal(strncmp(info.name, "emu", 3), 0);
  tl_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_variables), /* first: before this process has opened the runtime */
      cmocka_unit_test(two_chips),       cmocka_unit_test(memory_and_streams),
      cmocka_unit_test(no_such_chip),    cmocka_unit_test(no_library),
      cmocka_unit_test(never_automatic),
  };
  OK(tl_context_create(NULL, &context, &error));
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tl_context_destroy(context);
  return failed;
}
