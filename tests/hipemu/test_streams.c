/* Streams are asynchronous, events order them, the NULL stream is ordered with blocking streams
 * only, and the vector clocks that the emulator gets say exactly that. */
#include "hip_test.h"

#include <unistd.h>

/* A stream that is held up holds up nobody but itself. */
static void asynchronous(void **state) {
  (void)state;
  struct gate gate = GATE_INIT;
  hipStream_t slow, other;
  int *data;
  OK(hipStreamCreateWithFlags(&slow, NON_BLOCKING));
  OK(hipStreamCreateWithFlags(&other, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 16));
  OK(hipMemset(data, 0, 16));
  OK(hipDeviceSynchronize());
  OK(hipLaunchHostFunc(slow, pass_gate, &gate));
  OK(launch_add(data, 4, 5, slow));
  await_gate(&gate);
  assert_int_equal(hipStreamQuery(slow), 600);
  OK(hipStreamQuery(other));
  int seen = -1;
  OK(hipMemcpyAsync(&seen, data, 4, D2H, other));
  OK(hipStreamSynchronize(other));
  assert_int_equal(seen, 0); /* the addition has not run */
  open_gate(&gate);
  OK(hipStreamSynchronize(slow));
  OK(hipStreamQuery(slow));
  OK(hipMemcpy(&seen, data, 4, D2H));
  assert_int_equal(seen, 5);
  OK(hipFree(data));
  OK(hipStreamDestroy(slow));
  OK(hipStreamDestroy(other));
}

/* Pageable memory is read at once, written when the stream comes by. */
static void pageable_copies(void **state) {
  (void)state;
  struct gate gate = GATE_INIT;
  hipStream_t stream;
  int *data, source = 42, target = -1;
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 4));
  OK(hipLaunchHostFunc(stream, pass_gate, &gate));
  OK(hipMemcpyAsync(data, &source, 4, H2D, stream));
  OK(hipMemcpyAsync(&target, data, 4, D2H, stream));
  source = 0;
  assert_int_equal(target, -1);
  open_gate(&gate);
  OK(hipStreamSynchronize(stream));
  assert_int_equal(target, 42);
  OK(hipFree(data));
  OK(hipStreamDestroy(stream));
}

static void event_orders(void **state) {
  (void)state;
  struct gate gate = GATE_INIT;
  hipStream_t a, b;
  hipEvent_t event, later;
  int *data, result = 0;
  float ms = -1;
  OK(hipStreamCreateWithFlags(&a, NON_BLOCKING));
  OK(hipStreamCreateWithFlags(&b, NON_BLOCKING));
  OK(hipEventCreate(&event));
  OK(hipEventCreate(&later));
  OK(hipMalloc((void **)&data, 4));
  OK(hipMemset(data, 0, 4));
  OK(hipDeviceSynchronize());
  OK(hipEventQuery(event)); /* never recorded: nothing to wait for */
  OK(hipStreamWaitEvent(b, event, 0));
  OK(hipLaunchHostFunc(a, pass_gate, &gate));
  OK(launch_add(data, 1, 3, a));
  OK(hipEventRecord(event, a));
  OK(hipStreamWaitEvent(b, event, 0));
  OK(launch_twice(data, 1, b));
  OK(hipEventRecord(later, b));
  assert_int_equal(hipEventQuery(event), 600);
  assert_int_equal(hipEventElapsedTime(&ms, event, later), 600);
  /* A record after the wait does not change what is waited for. */
  OK(hipEventRecord(event, b));
  open_gate(&gate);
  OK(hipEventSynchronize(later));
  OK(hipMemcpy(&result, data, 4, D2H));
  assert_int_equal(result, 6);
  struct fake_operation add = operation("add"), twice = operation("twice");
  assert_true(is_before(&add, &twice));
  assert_false(is_before(&twice, &add));
  OK(hipEventSynchronize(event));
  OK(hipEventElapsedTime(&ms, later, event));
  assert_true(ms >= 0);
  OK(hipEventDestroy(event));
  OK(hipEventDestroy(later));
  assert_int_equal(hipEventQuery(event), 400);
  OK(hipFree(data));
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
  assert_int_equal(hipStreamQuery(a), 709);
}

/* Two streams without an event: no order, and the fake's check sees the race. */
static void unordered_streams(void **state) {
  (void)state;
  hipStream_t a, b;
  char *data;
  OK(hipStreamCreateWithFlags(&a, NON_BLOCKING));
  OK(hipStreamCreateWithFlags(&b, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 64));
  OK(hipDeviceSynchronize());
  fake_forget();
  OK(hipMemsetAsync(data, 1, 32, a));
  OK(hipMemsetD16Async(data + 16, 2, 8, b));
  OK(hipStreamSynchronize(a));
  OK(hipStreamSynchronize(b));
  struct fake_operation first = operation("hipMemsetAsync"),
                        second = operation("hipMemsetD16Async");
  assert_int_not_equal(first.stream, second.stream);
  assert_false(is_before(&first, &second));
  assert_false(is_before(&second, &first));
  assert_int_equal(tl_hipemu_finding_count(), 1);
  /* The host has waited: what comes now is ordered, in any stream. */
  tl_hipemu_clear();
  OK(hipMemsetAsync(data, 1, 32, b));
  OK(hipStreamSynchronize(b));
  OK(hipMemsetAsync(data, 1, 32, a));
  OK(hipStreamSynchronize(a));
  assert_int_equal(tl_hipemu_finding_count(), 0);
  OK(hipFree(data));
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
}

/* NULL waits for blocking streams and they for NULL; non-blocking ones take no part. */
static void null_stream(void **state) {
  (void)state;
  struct gate gate = GATE_INIT;
  hipStream_t blocking, free_;
  int *data;
  OK(hipStreamCreate(&blocking));
  OK(hipStreamCreateWithFlags(&free_, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 16));
  OK(hipDeviceSynchronize());
  fake_forget();
  OK(hipLaunchHostFunc(blocking, pass_gate, &gate));
  OK(hipMemsetAsync(data, 1, 4, blocking));
  OK(hipMemsetD16Async(data, 1, 2, free_));
  OK(hipMemsetD32Async(data, 2, 1, NULL));
  OK(launch_add(data, 1, 1, blocking));
  OK(launch_twice(data, 1, free_));
  OK(hipStreamSynchronize(free_)); /* not held up by anyone */
  assert_int_equal(hipStreamQuery(NULL), 600);
  open_gate(&gate);
  OK(hipStreamSynchronize(NULL)); /* waits for the blocking stream too */
  OK(hipStreamQuery(blocking));
  struct fake_operation before = operation("hipMemsetAsync"), null = operation("hipMemsetD32Async"),
                        after = operation("add"), aside = operation("hipMemsetD16Async"),
                        aside2 = operation("twice");
  assert_true(is_before(&before, &null));
  assert_true(is_before(&null, &after));
  assert_true(is_before(&before, &after));
  assert_false(is_before(&aside, &null));
  assert_false(is_before(&null, &aside2));
  assert_false(is_before(&null, &aside));
  OK(hipFree(data));
  OK(hipStreamDestroy(blocking));
  OK(hipStreamDestroy(free_));
}

/* A destroyed blocking stream still comes before what follows in the NULL stream. */
static void destroyed_stream(void **state) {
  (void)state;
  hipStream_t stream;
  char *data;
  OK(hipMalloc((void **)&data, 16));
  OK(hipDeviceSynchronize());
  tl_hipemu_clear();
  OK(hipStreamCreate(&stream));
  OK(hipMemsetAsync(data, 1, 16, stream));
  OK(hipStreamDestroy(stream));
  usleep(20000); /* its thread ends, most likely */
  OK(hipMemsetD32Async(data, 2, 4, NULL));
  OK(hipStreamSynchronize(NULL));
  assert_int_equal(tl_hipemu_finding_count(), 0);
  OK(hipFree(data));
}

/* Clocks do not grow with streams that are gone, and a stream that gets the number of one is
 * ordered behind it and nothing else. */
static void many_streams(void **state) {
  (void)state;
  hipStream_t stream, other;
  char *data;
  OK(hipMalloc((void **)&data, 16));
  OK(hipDeviceSynchronize());
  tl_hipemu_clear();
  unsigned most = 0, first = 0;
  for (int i = 0; i < 200; ++i) {
    OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
    OK(hipMemsetAsync(data, i, 16, stream));
    OK(hipStreamSynchronize(stream));
    OK(hipStreamDestroy(stream));
    most = operation("hipMemsetAsync").clock_size;
    first = i ? first : most;
  }
  assert_true(most <= first + 1);
  /* Not waited for: its number is not used again. */
  struct gate gate = GATE_INIT;
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipLaunchHostFunc(stream, pass_gate, &gate));
  OK(hipMemsetD16Async(data, 1, 8, stream));
  OK(hipStreamDestroy(stream));
  open_gate(&gate);
  usleep(20000); /* its thread ends, most likely */
  OK(hipStreamCreateWithFlags(&other, NON_BLOCKING));
  OK(hipMemsetD32Async(data, 2, 4, other));
  OK(hipDeviceSynchronize());
  struct fake_operation late = operation("hipMemsetD16Async"),
                        next = operation("hipMemsetD32Async");
  assert_int_not_equal(late.stream, next.stream);
  assert_false(is_before(&late, &next));
  OK(hipStreamDestroy(other));
  OK(hipFree(data));
}

static void *other_thread(void *user) {
  int *data = user;
  OK(hipMemsetD32Async(data, 7, 1, STREAM_PER_THREAD));
  OK(hipStreamSynchronize(STREAM_PER_THREAD));
  OK(hipMemsetD16Async(data + 1, 1, 1, STREAM_PER_THREAD));
  return NULL;
}

static void per_thread_streams(void **state) {
  (void)state;
  pthread_t thread;
  int *data;
  OK(hipMalloc((void **)&data, 16));
  OK(hipDeviceSynchronize());
  fake_forget();
  OK(hipMemsetAsync(data, 0, 4, STREAM_PER_THREAD));
  pthread_create(&thread, NULL, other_thread, data);
  pthread_join(thread, NULL);
  OK(launch_add(data, 1, 1,
                NULL)); /* ordered with per-thread streams, also of threads that are gone */
  OK(hipDeviceSynchronize());
  struct fake_operation mine = operation("hipMemsetAsync"), theirs = operation("hipMemsetD16Async"),
                        null = operation("add");
  assert_int_not_equal(mine.stream, theirs.stream);
  assert_true(is_before(&mine, &null));
  assert_true(is_before(&theirs, &null));
  OK(hipFree(data));
}

/* NULL streams of two devices are unrelated; synchronous copies between the devices are ordered
 * with both. */
static void two_devices(void **state) {
  (void)state;
  struct gate gate = GATE_INIT;
  int *here, *there, value = 0, device = -1;
  hipStream_t stream;
  OK(hipSetDevice(1));
  OK(hipMalloc((void **)&there, 4));
  OK(hipMemset(there, 0, 4));
  OK(hipStreamCreate(&stream));
  OK(hipStreamGetDevice(stream, &device));
  assert_int_equal(device, 1);
  OK(hipDeviceSynchronize());
  OK(hipLaunchHostFunc(stream, pass_gate, &gate));
  OK(launch_add(there, 1, 9, stream));
  OK(hipSetDevice(0));
  OK(hipMalloc((void **)&here, 4));
  OK(hipMemset(here, 1, 4));
  OK(hipDeviceSynchronize()); /* only this device's */
  assert_int_equal(hipStreamQuery(stream), 600);
  assert_int_equal(hipStreamDestroy(NULL), 400);
  open_gate(&gate);
  OK(hipMemcpyPeer(here, 0, there, 1, 4));
  OK(hipMemcpy(&value, here, 4, D2H));
  assert_int_equal(value, 9);
  assert_int_equal(hipMemcpyPeer(here, 0, there, 2, 4), 101);
  OK(hipFree(here));
  OK(hipFree(there));
  OK(hipStreamDestroy(stream));
}

/* Freed in stream order: what the stream did before is done before the release, which knows its
 * place. */
static void stream_ordered_memory(void **state) {
  (void)state;
  hipStream_t stream;
  int *data, result = 0;
  size_t before, during, total;
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipMemGetInfo(&before, &total));
  OK(hipMallocAsync((void **)&data, 4096, stream));
  OK(hipMemGetInfo(&during, &total));
  assert_int_equal(before - during, 4096);
  OK(hipMemsetD32Async(data, 11, 1, stream));
  OK(hipMemcpyAsync(&result, data, 4, D2H, stream));
  OK(hipFreeAsync(data, stream));
  assert_int_equal(hipFreeAsync(data, stream), 1);
  assert_int_equal(hipMemcpy(&result, data, 4, D2H), 1);
  OK(hipStreamSynchronize(stream));
  assert_int_equal(result, 11);
  OK(hipMemGetInfo(&during, &total));
  assert_int_equal(before, during);
  struct fake_operation copy = operation("hipMemcpyAsync"), gone = operation("hipFreeAsync");
  assert_string_equal(gone.what, "release");
  assert_true(is_before(&copy, &gone));
  OK(hipStreamDestroy(stream));
}

static void memory_pools(void **state) {
  (void)state;
  hipMemPool_t pool, standard;
  hipMemPoolProps properties;
  memset(&properties, 0, sizeof properties);
  properties.allocType = properties.locationType = 1;
  OK(hipDeviceGetDefaultMemPool(&standard, 0));
  OK(hipMemPoolCreate(&pool, &properties));
  properties.locationId = 7;
  hipMemPool_t none;
  assert_int_equal(hipMemPoolCreate(&none, &properties), 1);
  void *memory;
  uint64_t value = 0;
  OK(hipMallocFromPoolAsync(&memory, 100, pool, NULL));
  OK(hipMemPoolGetAttribute(pool, 7, &value));
  assert_int_equal(value, 100);
  uint64_t threshold = 1 << 20;
  OK(hipMemPoolSetAttribute(pool, 4, &threshold));
  OK(hipMemPoolGetAttribute(pool, 4, &value));
  assert_int_equal(value, threshold);
  OK(hipFreeAsync(memory, NULL));
  OK(hipMemPoolGetAttribute(pool, 7, &value));
  assert_int_equal(value, 0);
  OK(hipMemPoolGetAttribute(pool, 8, &value));
  assert_int_equal(value, 100);
  OK(hipMemPoolDestroy(pool));
  assert_int_equal(hipMemPoolDestroy(pool), 1);
  assert_int_equal(hipMemPoolDestroy(standard), 1);
  OK(hipDeviceSynchronize());
}

int main(void) {
  start_machine("");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asynchronous), cmocka_unit_test(pageable_copies),
      cmocka_unit_test(event_orders), cmocka_unit_test(unordered_streams),
      cmocka_unit_test(null_stream),  cmocka_unit_test(destroyed_stream),
      cmocka_unit_test(many_streams), cmocka_unit_test(per_thread_streams),
      cmocka_unit_test(two_devices),  cmocka_unit_test(stream_ordered_memory),
      cmocka_unit_test(memory_pools),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
