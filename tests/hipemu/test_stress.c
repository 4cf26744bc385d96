/* Several threads at once, each with streams, events, pool memory, graphs and host functions of its
 * own, over both devices: every result is exact, with operations held up at random. Meant for
 * thread sanitizer as well. */
#include "hip_test.h"

enum { THREADS = 4, ROUNDS = 12, STEPS = 20 };

struct worker {
  pthread_t thread;
  unsigned seed;
  int device, wrong;
};

static unsigned next(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 16;
}

static void count_up(void *user) { ++*(int *)user; }

/* A chain of additions and doublings over three streams, each step after the one before by an
 * event. */
static int chain(struct worker *w, hipFunction_t add, hipFunction_t twice) {
  hipStream_t streams[3] = {NULL, NULL, STREAM_PER_THREAD};
  hipEvent_t event;
  int *data, count = 1, expected = 1, result = 0, calls = 0;
  hipStreamCreateWithFlags(&streams[0], NON_BLOCKING);
  hipStreamCreate(&streams[1]);
  hipEventCreate(&event);
  hipMallocAsync((void **)&data, 4, streams[0]);
  hipMemsetD32Async(data, 1, 1, streams[0]);
  hipEventRecord(event, streams[0]);
  hipStream_t last = streams[0];
  for (int step = 0; step < STEPS; ++step) {
    last = streams[next(&w->seed) % 3];
    hipStreamWaitEvent(last, event, 0);
    if (next(&w->seed) % 2) {
      int amount = (int)(next(&w->seed) % 10);
      void *params[] = {&data, &count, &amount};
      hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, last, params, NULL);
      expected += amount;
    } else {
      void *params[] = {&data, &count};
      hipModuleLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, last, params, NULL);
      expected = (int)((unsigned)expected * 2u);
    }
    hipLaunchHostFunc(last, count_up, &calls);
    hipEventRecord(event, last);
  }
  hipMemcpyAsync(&result, data, 4, D2H, last);
  hipFreeAsync(data, last);
  hipStreamSynchronize(last);
  hipStreamDestroy(streams[0]);
  hipStreamDestroy(streams[1]);
  hipEventDestroy(event);
  return result != expected || calls != STEPS;
}

/* A captured graph with a branch, launched with other parameters each time. */
static int replay(struct worker *w, hipFunction_t add) {
  hipStream_t a, b;
  hipEvent_t forked, joined;
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t nodes[3];
  size_t nodeCount = 3;
  int *data, one = 1, amount = 0, expected = 0, result[2] = {0, 0};
  hipStreamCreateWithFlags(&a, NON_BLOCKING);
  hipStreamCreateWithFlags(&b, NON_BLOCKING);
  hipEventCreate(&forked);
  hipEventCreate(&joined);
  hipMallocAsync((void **)&data, 8, a);
  hipMemsetAsync(data, 0, 8, a);
  hipStreamSynchronize(a); /* the first launch may be in the other stream */
  int *second = data + 1;
  void *params[] = {&data, &one, &amount}, *other[] = {&second, &one, &one};
  if (hipStreamBeginCapture(a, CAPTURE_THREAD_LOCAL))
    return 1;
  hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, a, params, NULL);
  hipEventRecord(forked, a);
  hipStreamWaitEvent(b, forked, 0);
  hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, b, other, NULL);
  hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, a, params, NULL);
  hipEventRecord(joined, b);
  hipStreamWaitEvent(a, joined, 0);
  if (hipStreamEndCapture(a, &graph) || hipGraphInstantiate(&exec, graph, NULL, NULL, 0) ||
      hipGraphGetNodes(graph, nodes, &nodeCount))
    return 1;
  hipKernelNodeParams node;
  hipGraphKernelNodeGetParams(nodes[0], &node);
  node.kernelParams = params;
  for (int i = 0; i < STEPS; ++i) {
    amount = (int)(next(&w->seed) % 100);
    expected += amount;
    hipGraphExecKernelNodeSetParams(exec, nodes[0], &node);
    hipGraphLaunch(exec, next(&w->seed) % 2 ? a : b);
  }
  hipGraphExecDestroy(exec);
  hipGraphDestroy(graph);
  hipStreamSynchronize(a);
  hipStreamSynchronize(b);
  hipMemcpyAsync(result, data, 8, D2H, a);
  hipFreeAsync(data, a);
  hipStreamSynchronize(a);
  hipStreamDestroy(a);
  hipStreamDestroy(b);
  hipEventDestroy(forked);
  hipEventDestroy(joined);
  return result[0] != expected || result[1] != STEPS;
}

static void *work(void *user) {
  struct worker *w = user;
  hipFunction_t add, twice;
  hipModule_t module;
  hipSetDevice(w->device);
  if (hipModuleLoadData(&module, &kImage) || hipModuleGetFunction(&add, module, "add") ||
      hipModuleGetFunction(&twice, module, "twice")) {
    w->wrong = 1000;
    return NULL;
  }
  for (int i = 0; i < ROUNDS; ++i)
    w->wrong += i % 2 ? replay(w, add) : chain(w, add, twice);
  hipModuleUnload(module);
  return NULL;
}

static void threads(void **state) {
  (void)state;
  struct worker workers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (struct worker){.seed = (unsigned)i * 77 + 1, .device = i % 2, .wrong = 0};
    pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(workers[i].thread, NULL);
    assert_int_equal(workers[i].wrong, 0);
  }
  for (int device = 0; device < 2; ++device) {
    size_t free_, total;
    OK(hipSetDevice(device));
    OK(hipDeviceSynchronize());
    OK(hipMemGetInfo(&free_, &total));
    assert_int_equal(free_, total);
  }
}

int main(void) {
  int mode = CAPTURE_RELAXED; /* threads that load code do not disturb those that capture */
  start_machine("delay=200;seed=3");
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
