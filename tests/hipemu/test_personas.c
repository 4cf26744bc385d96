/* The versions of HIP that are played, hidden functions, missing devices and libraries, the trace
 * and the report: each in a process of its own that opens the library by name, as a program does
 * that finds its runtime at run time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hip_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child, failed checks print and end it. */
#define CHECK(CONDITION)                                                                           \
  do {                                                                                             \
    if (!(CONDITION)) {                                                                            \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #CONDITION);                                       \
      fflush(stdout);                                                                              \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

static void *library;
static void *find(const char *name) { return dlsym(library, name); }
static void *need(const char *name) {
  void *found = find(name);
  if (!found)
    printf("no %s\n", name);
  CHECK(found);
  return found;
}
#define CALL(NAME, ...) (((__typeof__(NAME) *)need(#NAME))(__VA_ARGS__))

/* Runs `body` in a child with these settings, "NAME=VALUE" separated by blanks. */
static void in_child(const char *settings, void (*body)(void)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", settings);
    setenv("TL_EMU_LIBRARY", FAKE_EMULATOR, 1);
    setenv("TL_EMU_LOG", "0", 1);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
      putenv(strdup(word));
    library = dlopen(HIPEMU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      printf("%s\n", dlerror());
    CHECK(library);
    body();
    exit(0); /* the library's work at exit is part of the test */
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static int version(void) {
  int value = 0;
  CHECK(CALL(hipRuntimeGetVersion, &value) == 0);
  return value;
}

/* gcnArchName in the layout that the plain name has always filled. */
static void check_old_layout(void) {
  hipError_t (*properties)(void *, int) =
      (hipError_t (*)(void *, int))need("hipGetDeviceProperties");
  unsigned char bytes[4096];
  memset(bytes, 0xee, sizeof bytes);
  CHECK(properties(bytes, 0) == 0);
  CHECK(strcmp((char *)bytes, "Fake MI300X") == 0);
  CHECK(strcmp((char *)bytes + 396, "gfx942") == 0);
  int wave, units;
  memcpy(&wave, bytes + 276, 4);
  memcpy(&units, bytes + 336, 4);
  CHECK(wave == 64 && units == 304);
  CHECK(bytes[791] == 0 && bytes[792] == 0xee);
  CHECK(properties(bytes, 1) == 101);
}

static void play57(void) {
  CHECK(version() / 100000 == 507);
  CHECK(!find("hipGetDevicePropertiesR0600") && !find("hipExtGetLastError") &&
        !find("hipGetProcAddress"));
  CHECK(find("hipLaunchHostFunc") && find("hipGraphUpload") && find("hipStreamGetDevice"));
  check_old_layout();
  hipPointerAttribute_t a;
  void *memory;
  int value;
  CHECK(CALL(hipMalloc, &memory, 16) == 0);
  CHECK(CALL(hipPointerGetAttributes, &a, memory) == 0 && a.type == 1);
  CHECK(CALL(hipPointerGetAttributes, &a, &value) == 1);
  CHECK(CALL(hipDeviceGetAttribute, &value, 10003, 0) == 0 && value == 942);
  CHECK(CALL(hipDeviceGetAttribute, &value, 90, 0) == 1);
}

/* The last error is the last call's result, success included. */
static void play62(void) {
  CHECK(version() / 100000 == 602);
  check_old_layout();
  unsigned char bytes[4096];
  memset(bytes, 0xee, sizeof bytes);
  hipError_t (*properties)(void *, int) =
      (hipError_t (*)(void *, int))need("hipGetDevicePropertiesR0600");
  CHECK(properties(bytes, 0) == 0);
  int wave, units;
  memcpy(&wave, bytes + 308, 4);
  memcpy(&units, bytes + 388, 4);
  CHECK(wave == 64 && units == 304);
  CHECK(strcmp((char *)bytes + 1160, "gfx942") == 0);
  CHECK(bytes[1471] == 0 && bytes[1472] == 0xee);
  int status, count, value;
  void *function;
  CHECK(CALL(hipGetProcAddress, "hipGetDeviceProperties", &function, 602, 0, &status) == 0);
  CHECK(function == (void *)properties);
  CHECK(CALL(hipDeviceGetAttribute, &value, 90, 0) == 0 && value == 1);
  CHECK(CALL(hipSetDevice, 9) == 101);
  CHECK(CALL(hipPeekAtLastError) == 101);
  CHECK(CALL(hipGetDeviceCount, &count) == 0);
  CHECK(CALL(hipGetLastError) == 0);
  CHECK(CALL(hipSetDevice, 9) == 101);
  CHECK(CALL(hipGetLastError) == 101);
  CHECK(CALL(hipGetLastError) == 0);
  hipPointerAttribute_t a;
  CHECK(CALL(hipPointerGetAttributes, &a, &value) == 0 && a.type == 0);
}

/* The last error stays until it is asked for. */
static void play70(void) {
  CHECK(version() / 100000 == 700);
  int count;
  CHECK(CALL(hipSetDevice, 9) == 101);
  CHECK(CALL(hipGetDeviceCount, &count) == 0);
  CHECK(CALL(hipExtGetLastError) == 0);
  CHECK(CALL(hipPeekAtLastError) == 101);
  CHECK(CALL(hipGetLastError) == 101);
  CHECK(CALL(hipGetLastError) == 0);
  CHECK(CALL(hipSetDevice, 9) == 101);
  CHECK(CALL(hipExtGetLastError) == 101);
}

/* As 7.0; the layouts are those of 6.0. */
static void play10(void) {
  int count, status;
  unsigned char bytes[4096];
  void *function;
  CHECK(version() / 100000 == 1000);
  CHECK(find("hipGetDevicePropertiesR0600") && find("hipExtGetLastError"));
  check_old_layout();
  CHECK(CALL(hipGetProcAddress, "hipGetDeviceProperties", &function, 1000, 0, &status) == 0);
  memset(bytes, 0xee, sizeof bytes);
  CHECK(((hipError_t (*)(void *, int))function)(bytes, 0) == 0);
  CHECK(strcmp((char *)bytes + 1160, "gfx942") == 0 && bytes[1472] == 0xee);
  CHECK(CALL(hipSetDevice, 9) == 101);
  CHECK(CALL(hipGetDeviceCount, &count) == 0);
  CHECK(CALL(hipGetLastError) == 101);
  CHECK(strcmp(CALL(hipGetErrorName, 1054), "hipErrorInvalidClusterSize") == 0);
}
static void old_name(void) { CHECK(strcmp(CALL(hipGetErrorName, 1054), "hipErrorTbd") == 0); }

static void personas(void **state) {
  (void)state;
  in_child("TL_EMU_VERSION=5.7", play57);
  in_child("TL_EMU_VERSION=6.2", play62);
  in_child("TL_EMU_VERSION=7.0", play70);
  in_child("TL_EMU_VERSION=7.0", old_name);
  in_child("TL_EMU_VERSION=10", play10);
}

static void without_functions(void) {
  CHECK(!find("hipMallocAsync") && !find("hipGraphLaunch"));
  CHECK(find("hipMalloc"));
  int status;
  void *function;
  CHECK(CALL(hipGetProcAddress, "hipMallocAsync", &function, 602, 0, &status) == 1 && status == 1);
}

static void hidden(void **state) {
  (void)state;
  in_child("TL_EMU_HIDE=hipMallocAsync,hipGraphLaunch", without_functions);
}

static void without_device(void) {
  int count = 5;
  CHECK(CALL(hipGetDeviceCount, &count) == 100 && count == 0);
  CHECK(CALL(hipInit, 0) == 100);
  void *memory;
  CHECK(CALL(hipMalloc, &memory, 4) == 100);
}
static void without_device57(void) {
  int count = 5;
  CHECK(CALL(hipInit, 0) == 101); /* as HIP 5.2.3 answers */
  CHECK(CALL(hipGetDeviceCount, &count) == 100 && count == 0);
}
static void why_none(void) {
  char text[256];
  without_device();
  CHECK(CALL(tl_hipemu_fault, -1, text, sizeof text) > 0);
  CHECK(strstr(text, "nowhere.so") || strstr(text, "an unknown chip"));
}

static void no_device(void **state) {
  (void)state;
  in_child("TL_EMU_DEVICES=none", without_device);
  in_child("TL_EMU_DEVICES=none TL_EMU_VERSION=5.7", without_device57);
  in_child("TL_EMU_DEVICES=gfx000", why_none);
  in_child("TL_EMU_LIBRARY=/nowhere.so", why_none);
}

static void little_memory(void) {
  void *a, *b;
  size_t free_, total;
  CHECK(CALL(hipMemGetInfo, &free_, &total) == 0 && total == 1 << 20);
  CHECK(CALL(hipMalloc, &a, 1 << 19) == 0);
  CHECK(CALL(hipMalloc, &b, (1 << 19) + 1) == 2);
  CHECK(CALL(hipMalloc, &b, 1 << 19) == 0);
  CHECK(CALL(hipFree, a) == 0);
  CHECK(CALL(hipMalloc, &a, 1 << 19) == 0);
}

static void nth_call(void) {
  hipStream_t stream;
  CHECK(CALL(hipStreamCreate, &stream) == 0);
  CHECK(CALL(hipStreamCreate, &stream) == 2);
  CHECK(CALL(hipStreamCreate, &stream) == 0);
}

static void ordered_failures(void **state) {
  (void)state;
  in_child("TL_EMU_MEMORY=1m", little_memory);
  in_child("TL_EMU_FAIL=hipStreamCreate:2=2", nth_call);
}

static int held, target;
static void hold(void *user) {
  (void)user;
  usleep(50000);
}
static void waits_for_copies(void) {
  hipStream_t stream;
  void *memory;
  int seven = 7;
  CHECK(CALL(hipStreamCreate, &stream) == 0);
  CHECK(CALL(hipMalloc, &memory, 4) == 0);
  CHECK(CALL(hipMemcpy, memory, &seven, 4, H2D) == 0);
  CHECK(CALL(hipLaunchHostFunc, stream, hold, &held) == 0);
  CHECK(CALL(hipMemcpyAsync, &target, memory, 4, D2H, stream) == 0);
  CHECK(target == 7);
}

static void pageable(void **state) {
  (void)state;
  in_child("TL_EMU_PAGEABLE=sync", waits_for_copies);
}

static char scratch[] = "/tmp/hipemu.XXXXXX";
static void some_work(void) {
  void *memory;
  CHECK(CALL(hipMalloc, &memory, 64) == 0);
  CHECK(CALL(hipMemset, memory, 0, 64) == 0);
  CHECK(CALL(hipStreamQuery, (hipStream_t)(uintptr_t)77) == 709);
}

static char *contents(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static void trace_and_report(void **state) {
  (void)state;
  char settings[256], path[64];
  assert_non_null(mkdtemp(scratch));
  snprintf(settings, sizeof settings, "TL_EMU_TRACE=%s/trace TL_EMU_REPORT=%s/report.json", scratch,
           scratch);
  in_child(settings, some_work);
  snprintf(path, sizeof path, "%s/trace", scratch);
  char *text = contents(path);
  assert_non_null(strstr(text, "{\"call\":\"hipMalloc\",\"thread\":1,\"args\":[\"0x"));
  assert_non_null(strstr(
      text, "{\"run\":\"fill\",\"name\":\"hipMemset\",\"device\":0,\"stream\":0,\"sequence\":1"));
  assert_non_null(
      strstr(text, "{\"call\":\"hipStreamQuery\",\"thread\":1,\"args\":[\"0x4d\"],\"result\":709"));
  unlink(path);
  snprintf(path, sizeof path, "%s/report.json", scratch);
  assert_string_equal(contents(path), "{\"findings\":[]}");
  unlink(path);
  rmdir(scratch);
}

/* What cannot be written is said, once, with the setting's file and the reason. */
static void unwritable(void **state) {
  (void)state;
  static const struct {
    const char *settings, *words[3];
  } cases[] = {
      {"TL_EMU_LOG=1 TL_EMU_TRACE=/tmp", {"TL_EMU_TRACE: cannot write /tmp: ", "directory"}},
      {"TL_EMU_TRACE=/dev/full", {"trace is not complete: cannot write /dev/full: ", "space"}},
      {"TL_EMU_REPORT=/tmp", {"cannot write the report to /tmp: ", "directory"}},
      {"TL_EMU_REPORT=/dev/full", {"cannot write the report to /dev/full: ", "space"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char path[] = "/tmp/hipemu.XXXXXX";
    int file = mkstemp(path), kept = dup(2);
    assert_true(file >= 0 && kept >= 0);
    fflush(stderr);
    dup2(file, 2);
    in_child(cases[i].settings, some_work);
    dup2(kept, 2);
    close(file);
    close(kept);
    const char *text = contents(path);
    unlink(path);
    for (const char *const *word = cases[i].words; *word; ++word)
      if (!strstr(text, *word))
        fail_msg("%s: no \"%s\" in: %s", cases[i].settings, *word, text);
    const char *first = strstr(text, "cannot write");
    assert_null(strstr(first + 1, "cannot write"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(personas),   cmocka_unit_test(hidden),
      cmocka_unit_test(no_device),  cmocka_unit_test(ordered_failures),
      cmocka_unit_test(pageable),   cmocka_unit_test(trace_and_report),
      cmocka_unit_test(unwritable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
