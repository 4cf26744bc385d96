/* Graphs: captured and made by hand, launched again and again with changed parameters, and the
 * errors of capture. */
#include "hip_test.h"

static int host_calls;
static void count_call(void *user) {
  (void)user;
  __atomic_add_fetch(&host_calls, 1, __ATOMIC_SEQ_CST);
}

static hipGraphExec_t instantiate(hipGraph_t graph) {
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  return exec;
}

/* Nothing runs while it is captured; each launch runs everything, in order. */
static void capture_and_replay(void **state) {
  (void)state;
  hipStream_t stream;
  hipGraph_t graph;
  int *data, result = 0, status = -1, seven = 7;
  unsigned long long id = 0;
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 4));
  OK(hipDeviceSynchronize());
  fake_forget();
  host_calls = 0;
  OK(hipStreamBeginCapture(stream, CAPTURE_GLOBAL));
  assert_int_equal(hipStreamBeginCapture(stream, CAPTURE_GLOBAL), 401);
  OK(hipMemcpyAsync(data, &seven, 4, H2D, stream));
  OK(launch_add(data, 1, 1, stream));
  OK(launch_twice(data, 1, stream));
  OK(hipLaunchHostFunc(stream, count_call, NULL));
  OK(hipMemcpyAsync(&result, data, 4, D2H, stream));
  OK(hipStreamGetCaptureInfo(stream, &status, &id));
  assert_int_equal(status, 1);
  assert_int_not_equal(id, 0);
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipStreamIsCapturing(stream, &status));
  assert_int_equal(status, 0);
  assert_int_equal(fake_operation_count(), 0);
  size_t count = 0;
  OK(hipGraphGetNodes(graph, NULL, &count));
  assert_int_equal(count, 5);
  hipGraphNode_t nodes[5];
  int types[5];
  OK(hipGraphGetNodes(graph, nodes, &count));
  for (int i = 0; i < 5; ++i)
    OK(hipGraphNodeGetType(nodes[i], &types[i]));
  const int expected[] = {1, 0, 0, 3, 1};
  assert_memory_equal(types, expected, sizeof types);
  hipGraphExec_t exec = instantiate(graph);
  OK(hipGraphDestroy(graph));
  for (int i = 0; i < 10; ++i) {
    seven = i; /* a graph reads the host's memory when it runs */
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    assert_int_equal(result, (i + 1) * 2);
  }
  assert_int_equal(host_calls, 10);
  OK(hipGraphExecDestroy(exec));
  assert_int_equal(hipGraphLaunch(exec, stream), 1);
  OK(hipFree(data));
  OK(hipStreamDestroy(stream));
}

/* A fork and a join: the branches are in no order, both before what follows. */
static void fork_and_join(void **state) {
  (void)state;
  hipStream_t a, b;
  hipEvent_t forked, joined;
  hipGraph_t graph;
  int *data;
  OK(hipStreamCreateWithFlags(&a, NON_BLOCKING));
  OK(hipStreamCreateWithFlags(&b, NON_BLOCKING));
  OK(hipEventCreate(&forked));
  OK(hipEventCreate(&joined));
  OK(hipMalloc((void **)&data, 64));
  OK(hipDeviceSynchronize());
  fake_forget();
  OK(hipStreamBeginCapture(a, CAPTURE_THREAD_LOCAL));
  OK(hipMemsetAsync(data, 0, 64, a));
  OK(hipEventRecord(forked, a));
  OK(hipStreamWaitEvent(b, forked, 0));
  OK(hipMemsetD32Async(data, 1, 4, a));
  OK(hipMemsetD16Async(data + 8, 2, 8, b));
  OK(hipEventRecord(joined, b));
  OK(hipStreamWaitEvent(a, joined, 0));
  OK(launch_add(data, 16, 1, a));
  OK(hipStreamEndCapture(a, &graph));
  size_t edges = 0;
  OK(hipGraphGetEdges(graph, NULL, NULL, &edges));
  assert_int_equal(edges, 4);
  hipGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 3; ++i)
    OK(hipGraphLaunch(exec, i == 1 ? b : a)); /* one after the other, in any stream */
  OK(hipStreamSynchronize(a));
  OK(hipStreamSynchronize(b));
  struct fake_operation fill = operation("hipMemsetAsync"), left = operation("hipMemsetD32Async"),
                        right = operation("hipMemsetD16Async"), add = operation("add");
  assert_true(is_before(&fill, &left));
  assert_true(is_before(&fill, &right));
  assert_false(is_before(&left, &right));
  assert_false(is_before(&right, &left));
  assert_true(is_before(&left, &add));
  assert_true(is_before(&right, &add));
  assert_int_equal(tl_hipemu_finding_count(), 0);
  int first[16];
  OK(hipMemcpy(first, data, 64, D2H));
  assert_int_equal(first[0], 2);
  assert_int_equal(first[8], 0x00020002 + 1);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  /* An event that was last recorded in a capture stands for nothing. */
  assert_int_equal(hipEventQuery(joined), 907);
  assert_int_equal(hipStreamWaitEvent(a, joined, 0), 907);
  OK(hipEventDestroy(forked));
  OK(hipEventDestroy(joined));
  OK(hipFree(data));
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
}

/* Parameters are copied at the call, changed for later launches only, and read back. */
static void kernel_parameters(void **state) {
  (void)state;
  struct gate gate = GATE_INIT;
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphNode_t node, other;
  int *data, count = 1, amount = 1, result;
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 4));
  OK(hipMemset(data, 0, 4));
  OK(hipDeviceSynchronize());
  void *params[] = {&data, &count, &amount};
  hipKernelNodeParams p;
  memset(&p, 0, sizeof p);
  p.func = kernel_named("add");
  p.gridDim.x = p.gridDim.y = p.gridDim.z = 1;
  p.blockDim = p.gridDim;
  p.kernelParams = params;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddEmptyNode(&other, graph, NULL, 0));
  OK(hipGraphAddKernelNode(&node, graph, &other, 1, &p));
  hipGraphExec_t exec = instantiate(graph);
  OK(hipLaunchHostFunc(stream, pass_gate, &gate));
  for (amount = 10; amount < 15; ++amount) {
    OK(hipGraphExecKernelNodeSetParams(exec, node, &p));
    OK(hipGraphLaunch(exec, stream));
  }
  open_gate(&gate);
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(&result, data, 4, D2H));
  assert_int_equal(result, 10 + 11 + 12 + 13 + 14);
  /* The graph's own node is as it was made. */
  hipKernelNodeParams got;
  OK(hipGraphKernelNodeGetParams(node, &got));
  assert_ptr_equal(got.func, p.func);
  assert_int_equal(got.gridDim.x, 1);
  assert_int_equal(*(int *)got.kernelParams[2], 1);
  assert_ptr_equal(*(int **)got.kernelParams[0], data);
  amount = 100;
  OK(hipGraphKernelNodeSetParams(node, &p));
  OK(hipGraphKernelNodeGetParams(node, &got));
  assert_int_equal(*(int *)got.kernelParams[2], 100);
  /* An update takes the graph's values over. */
  int outcome = -1;
  hipGraphNode_t wrong;
  OK(hipGraphExecUpdate(exec, graph, &wrong, &outcome));
  assert_int_equal(outcome, 0);
  OK(hipMemset(data, 0, 4));
  OK(hipGraphLaunch(exec, NULL));
  OK(hipMemcpy(&result, data, 4, D2H));
  assert_int_equal(result, 100);
  hipGraphNode_t third;
  OK(hipGraphAddEmptyNode(&third, graph, &node, 1));
  assert_int_equal(hipGraphExecUpdate(exec, graph, &wrong, &outcome), 910);
  assert_int_equal(outcome, 2);
  /* A circle is refused. */
  assert_int_equal(hipGraphAddDependencies(graph, &third, &other, 1), 1);
  p.blockDim.x = 2000;
  assert_int_equal(hipGraphExecKernelNodeSetParams(exec, node, &p), 9);
  assert_int_equal(hipGraphExecKernelNodeSetParams(exec, other, &p), 1);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  OK(hipFree(data));
  OK(hipStreamDestroy(stream));
}

/* Arguments given as a buffer come back as one. */
static void extra_parameters(void **state) {
  (void)state;
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphNode_t node;
  size_t one = 1;
  int *data;
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipMalloc((void **)&data, 4));
  struct add_arguments arguments = {data, 1, 4};
  size_t bytes = sizeof arguments;
  void *extra[] = {(void *)1, &arguments, (void *)2, &bytes, (void *)3};
  OK(hipStreamBeginCapture(stream, CAPTURE_RELAXED));
  OK(hipModuleLaunchKernel(kernel_named("add"), 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphGetNodes(graph, &node, &one));
  hipKernelNodeParams got;
  OK(hipGraphKernelNodeGetParams(node, &got));
  assert_null(got.kernelParams);
  assert_ptr_equal(got.extra[0], (void *)1);
  assert_memory_equal(got.extra[1], &arguments, 16);
  assert_int_equal(*(size_t *)got.extra[3], 16);
  OK(hipGraphKernelNodeSetParams(node, &got));
  OK(hipGraphDestroy(graph));
  OK(hipFree(data));
  OK(hipStreamDestroy(stream));
}

static hipStream_t capturing(unsigned flags, int mode) {
  hipStream_t stream;
  OK(hipStreamCreateWithFlags(&stream, flags));
  OK(hipStreamBeginCapture(stream, mode));
  return stream;
}

static void end_invalid(hipStream_t stream) {
  hipGraph_t graph = (hipGraph_t)1;
  int status = 0;
  OK(hipStreamIsCapturing(stream, &status));
  assert_int_equal(status, 2);
  assert_int_equal(hipMemsetAsync(NULL, 0, 0, stream), 0); /* nothing to do */
  assert_int_equal(launch_fail(0, stream), 901);
  assert_int_equal(hipStreamEndCapture(stream, &graph), 901);
  assert_null(graph);
  OK(hipStreamIsCapturing(stream, &status));
  assert_int_equal(status, 0);
  OK(hipStreamDestroy(stream));
}

static void unsafe_calls(void **state) {
  (void)state;
  void *memory;
  hipStream_t other, stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  OK(hipStreamCreateWithFlags(&other, NON_BLOCKING));
  assert_int_equal(hipMalloc(&memory, 4), 900);
  end_invalid(stream);
  stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  assert_int_equal(hipDeviceSynchronize(), 900);
  end_invalid(stream);
  stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  assert_int_equal(hipStreamSynchronize(stream), 900);
  end_invalid(stream);
  stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  assert_int_equal(hipStreamQuery(other), 900);
  end_invalid(stream);
  /* Relaxed captures, and threads that are relaxed, may do it. */
  stream = capturing(NON_BLOCKING, CAPTURE_RELAXED);
  OK(hipMalloc(&memory, 4));
  OK(hipFree(memory));
  hipGraph_t graph;
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphDestroy(graph));
  OK(hipStreamBeginCapture(stream, CAPTURE_GLOBAL));
  int mode = CAPTURE_RELAXED;
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  assert_int_equal(mode, CAPTURE_GLOBAL);
  OK(hipMalloc(&memory, 4));
  OK(hipFree(memory));
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  assert_int_equal(mode, CAPTURE_RELAXED);
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphDestroy(graph));
  OK(hipStreamDestroy(stream));
  OK(hipStreamDestroy(other));
}

static hipError_t from_thread;
static int thread_mode;
static void *allocate(void *user) {
  (void)user;
  void *memory;
  OK(hipThreadExchangeStreamCaptureMode(&thread_mode));
  from_thread = hipMalloc(&memory, 4);
  if (!from_thread)
    OK(hipFree(memory));
  return NULL;
}

static hipError_t allocate_in_thread(int mode) {
  pthread_t thread;
  thread_mode = mode;
  pthread_create(&thread, NULL, allocate, NULL);
  pthread_join(thread, NULL);
  return from_thread;
}

/* A global capture forbids it to other threads too, a thread-local one does not. */
static void unsafe_in_threads(void **state) {
  (void)state;
  hipGraph_t graph;
  hipStream_t stream = capturing(NON_BLOCKING, CAPTURE_THREAD_LOCAL);
  assert_int_equal(allocate_in_thread(CAPTURE_GLOBAL), 0);
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphDestroy(graph));
  OK(hipStreamDestroy(stream));
  stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  assert_int_equal(allocate_in_thread(CAPTURE_THREAD_LOCAL), 0);
  assert_int_equal(allocate_in_thread(CAPTURE_RELAXED), 0);
  assert_int_equal(allocate_in_thread(CAPTURE_GLOBAL), 900);
  end_invalid(stream);
}

static void legacy_stream(void **state) {
  (void)state;
  int *data, host = 0, status;
  hipGraph_t graph;
  OK(hipMalloc((void **)&data, 4));
  OK(hipMemset(data, 0, 4));
  OK(hipDeviceSynchronize());
  assert_int_equal(hipStreamBeginCapture(NULL, CAPTURE_GLOBAL), 900);
  assert_int_equal(hipStreamEndCapture(NULL, &graph), 401);
  hipStream_t stream = capturing(0, CAPTURE_THREAD_LOCAL);
  assert_int_equal(hipStreamIsCapturing(NULL, &status), 906); /* does no harm */
  OK(hipStreamIsCapturing(stream, &status));
  assert_int_equal(status, 1);
  assert_int_equal(launch_add(data, 1, 1, NULL), 906);
  end_invalid(stream);
  stream = capturing(NON_BLOCKING, CAPTURE_RELAXED);
  OK(launch_add(data, 1, 1, NULL)); /* has no order with a non-blocking stream */
  assert_int_equal(hipMemcpy(&host, data, 4, D2H), 906); /* a synchronous call is refused always */
  end_invalid(stream);
  OK(hipFree(data));
}

static void *end_capture(void *user) {
  hipGraph_t graph;
  from_thread = hipStreamEndCapture(user, &graph);
  return NULL;
}

static void forks(void **state) {
  (void)state;
  hipGraph_t graph;
  hipEvent_t event, outside;
  int *data;
  OK(hipMalloc((void **)&data, 64));
  OK(hipEventCreate(&event));
  OK(hipEventCreate(&outside));
  hipStream_t other, stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  OK(hipStreamCreateWithFlags(&other, NON_BLOCKING));
  /* Not joined. */
  OK(hipEventRecord(event, stream));
  OK(hipStreamWaitEvent(other, event, 0));
  OK(hipMemsetAsync(data, 0, 4, other));
  assert_int_equal(hipStreamEndCapture(other, &graph), 903);
  assert_int_equal(hipStreamEndCapture(stream, &graph), 904);
  /* An event from outside. */
  OK(hipEventRecord(outside, other));
  OK(hipStreamBeginCapture(stream, CAPTURE_GLOBAL));
  assert_int_equal(hipStreamWaitEvent(stream, outside, 0), 905);
  end_invalid(stream);
  /* Two captures do not become one. */
  stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  OK(hipStreamBeginCapture(other, CAPTURE_GLOBAL));
  OK(hipEventRecord(event, stream));
  assert_int_equal(hipStreamWaitEvent(other, event, 0), 902);
  end_invalid(stream);
  end_invalid(other);
  /* A captured event has no state. */
  stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  OK(hipEventRecord(event, stream));
  assert_int_equal(hipEventSynchronize(event), 907);
  end_invalid(stream);
  /* The thread that began it ends it. */
  pthread_t thread;
  stream = capturing(NON_BLOCKING, CAPTURE_THREAD_LOCAL);
  pthread_create(&thread, NULL, end_capture, stream);
  pthread_join(thread, NULL);
  assert_int_equal(from_thread, 908);
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphDestroy(graph));
  OK(hipStreamBeginCapture(stream, CAPTURE_RELAXED));
  pthread_create(&thread, NULL, end_capture, stream);
  pthread_join(thread, NULL);
  assert_int_equal(from_thread, 0);
  OK(hipStreamDestroy(stream));
  OK(hipEventDestroy(event));
  OK(hipEventDestroy(outside));
  OK(hipFree(data));
}

/* A graph launched into a capture becomes part of it. */
static void graph_in_graph(void **state) {
  (void)state;
  hipGraph_t inner, outer;
  int *data, result;
  OK(hipMalloc((void **)&data, 4));
  OK(hipMemset(data, 0, 4));
  OK(hipDeviceSynchronize());
  hipStream_t stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  OK(launch_add(data, 1, 1, stream));
  OK(hipStreamEndCapture(stream, &inner));
  hipGraphExec_t exec = instantiate(inner);
  OK(hipStreamBeginCapture(stream, CAPTURE_GLOBAL));
  OK(hipGraphLaunch(exec, stream));
  OK(launch_twice(data, 1, stream));
  OK(hipGraphLaunch(exec, stream));
  OK(hipStreamEndCapture(stream, &outer));
  hipGraphExec_t all = instantiate(outer);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(inner));
  OK(hipGraphLaunch(all, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(&result, data, 4, D2H));
  assert_int_equal(result, 3);
  OK(hipGraphExecDestroy(all));
  OK(hipGraphDestroy(outer));
  OK(hipFree(data));
  OK(hipStreamDestroy(stream));
}

/* Memory that a graph allocates is at the same place in every launch. */
static void graph_memory(void **state) {
  (void)state;
  hipGraph_t graph;
  int *data, result = 0;
  hipStream_t stream = capturing(NON_BLOCKING, CAPTURE_GLOBAL);
  OK(hipMallocAsync((void **)&data, 4, stream));
  OK(hipMemsetD32Async(data, 20, 1, stream));
  OK(launch_add(data, 1, 1, stream));
  OK(hipMemcpyAsync(&result, data, 4, D2H, stream));
  OK(hipFreeAsync(data, stream));
  OK(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 3; ++i) {
    result = 0;
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    assert_int_equal(result, 21);
  }
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  OK(hipStreamDestroy(stream));
}

int main(void) {
  start_machine("delay=300;seed=5");
  kernel_named("add"); /* loaded before any capture forbids it */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capture_and_replay), cmocka_unit_test(fork_and_join),
      cmocka_unit_test(kernel_parameters),  cmocka_unit_test(extra_parameters),
      cmocka_unit_test(unsafe_calls),       cmocka_unit_test(unsafe_in_threads),
      cmocka_unit_test(legacy_stream),      cmocka_unit_test(forks),
      cmocka_unit_test(graph_in_graph),     cmocka_unit_test(graph_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
