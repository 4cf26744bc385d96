// A HIP program as clang compiles it, for test_program.py: two devices, on each two streams joined by an event, memory of
// a pool, and a captured graph that is launched 100 times with other parameters each time. Prints "ok" when every byte is
// what the host computes. With -DWITHOUT_WAIT the one hipStreamWaitEvent between the streams is missing, with
// -DWITHOUT_JOIN the one before memory is released.
#define HIP_API_OWN_DIM3
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#include "hip_api.h"

extern "C" int printf(const char *format, ...);
extern "C" void exit(int status);

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define CALL(EXPRESSION)                                                                                               \
  do {                                                                                                                 \
    int code_ = EXPRESSION;                                                                                            \
    if (code_) {                                                                                                       \
      printf("%s:%d: %s is %d\n", __FILE__, __LINE__, #EXPRESSION, code_);                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

constexpr unsigned kThreads = 64, kBlocks = 8, kCount = kThreads * kBlocks - 5, kLaunches = 100;

__device__ unsigned place() { return __builtin_amdgcn_workgroup_id_x() * kThreads + __builtin_amdgcn_workitem_id_x(); }

// x <- x * 5 + k
__global__ void advance(unsigned *x, unsigned count, unsigned k) {
  unsigned i = place();
  if (i < count)
    x[i] = x[i] * 5 + k;
}

// to <- x with its neighbour, in one way or the other
__global__ void rotate(unsigned *to, const unsigned *x, unsigned count, unsigned shift) {
  unsigned i = place();
  if (i < count)
    to[i] = (x[i] << shift | x[i] >> (32 - shift)) + x[i + shift < count ? i + shift : i + shift - count];
}

__global__ void combine(unsigned *x, const unsigned *a, const unsigned *b, unsigned count) {
  unsigned i = place();
  if (i < count)
    x[i] = a[i] ^ b[i];
}

__global__ void produce(unsigned *to, const unsigned *x, unsigned count) {
  unsigned i = place();
  if (i < count)
    to[i] = x[i] + 1; // PRODUCE
}

__global__ void consume(unsigned *to, const unsigned *from, unsigned count) {
  unsigned i = place();
  if (i < count)
    to[i] = from[count - 1 - i] * 3; // CONSUME
}

struct Work {
  hipStream_t a, b;
  hipEvent_t forked, joined, produced;
  unsigned *x, *left, *right, *made, *used;
};

// Calls something for each of the work's buffers.
template <class F> static void for_all_memory(Work &w, F &&f) {
  unsigned **all[] = {&w.x, &w.left, &w.right, &w.made, &w.used};
  for (unsigned **memory : all)
    f(memory);
}

static const dim3 kGrid(kBlocks), kBlock(kThreads);

static hipGraphExec_t capture(Work &w, hipGraph_t *graph) {
  hipGraphExec_t exec;
  CALL(hipStreamBeginCapture(w.a, CAPTURE_GLOBAL));
  advance<<<kGrid, kBlock, 0, w.a>>>(w.x, kCount, 0);
  CALL(hipEventRecord(w.forked, w.a));
  CALL(hipStreamWaitEvent(w.b, w.forked, 0));
  rotate<<<kGrid, kBlock, 0, w.a>>>(w.left, w.x, kCount, 7);
  rotate<<<kGrid, kBlock, 0, w.b>>>(w.right, w.x, kCount, 13);
  CALL(hipEventRecord(w.joined, w.b));
  CALL(hipStreamWaitEvent(w.a, w.joined, 0));
  combine<<<kGrid, kBlock, 0, w.a>>>(w.x, w.left, w.right, kCount);
  CALL(hipStreamEndCapture(w.a, graph));
  CALL(hipGraphInstantiate(&exec, *graph, nullptr, nullptr, 0));
  return exec;
}

static void start(Work &w) {
  CALL(hipStreamCreateWithFlags(&w.a, NON_BLOCKING));
  CALL(hipStreamCreateWithFlags(&w.b, NON_BLOCKING));
  CALL(hipEventCreate(&w.forked));
  CALL(hipEventCreate(&w.joined));
  CALL(hipEventCreate(&w.produced));
  for_all_memory(w, [&](unsigned **memory) { CALL(hipMallocAsync((void **)memory, kCount * 4, w.a)); });
  CALL(hipMemsetD32Async(w.x, 17, kCount, w.a));
}

// The first node is the root: advance, whose k changes with every launch.
static void replay(Work &w) {
  hipGraph_t graph;
  hipGraphExec_t exec = capture(w, &graph);
  hipGraphNode_t root;
  size_t one = 1;
  CALL(hipGraphGetRootNodes(graph, &root, &one));
  hipKernelNodeParams params;
  CALL(hipGraphKernelNodeGetParams(root, &params));
  unsigned k;
  params.kernelParams[2] = &k;
  for (k = 1; k <= kLaunches; ++k) {
    CALL(hipGraphExecKernelNodeSetParams(exec, root, &params));
    CALL(hipGraphLaunch(exec, w.a));
  }
  CALL(hipGraphExecDestroy(exec));
  CALL(hipGraphDestroy(graph));
}

static void join_streams(Work &w) {
  produce<<<kGrid, kBlock, 0, w.a>>>(w.made, w.x, kCount);
  CALL(hipEventRecord(w.produced, w.a));
#ifndef WITHOUT_WAIT
  CALL(hipStreamWaitEvent(w.b, w.produced, 0));
#endif
  consume<<<kGrid, kBlock, 0, w.b>>>(w.used, w.made, kCount);
}

static unsigned turn(unsigned value, unsigned shift) { return value << shift | value >> (32 - shift); }

static void expect(unsigned *used) {
  static unsigned x[kCount], left[kCount], right[kCount];
  for (unsigned &value : x)
    value = 17;
  for (unsigned k = 1; k <= kLaunches; ++k) {
    for (unsigned &value : x)
      value = value * 5 + k;
    for (unsigned i = 0; i < kCount; ++i) {
      left[i] = turn(x[i], 7) + x[(i + 7) % kCount];
      right[i] = turn(x[i], 13) + x[(i + 13) % kCount];
    }
    for (unsigned i = 0; i < kCount; ++i)
      x[i] = left[i] ^ right[i];
  }
  for (unsigned i = 0; i < kCount; ++i)
    used[i] = (x[kCount - 1 - i] + 1) * 3;
}

int main() {
  static unsigned results[2][kCount], moved[kCount], expected[kCount];
  Work work[2];
  unsigned *copy;
  for (int device = 0; device < 2; ++device) {
    CALL(hipSetDevice(device));
    start(work[device]);
    replay(work[device]);
    join_streams(work[device]);
    CALL(hipMemcpyAsync(results[device], work[device].used, sizeof results[device], D2H, work[device].b));
  }
  CALL(hipMallocAsync((void **)&copy, sizeof moved, work[1].b));
  CALL(hipStreamSynchronize(work[0].b));
  CALL(hipMemcpyPeerAsync(copy, 1, work[0].used, 0, sizeof moved, work[1].b));
  CALL(hipMemcpyAsync(moved, copy, sizeof moved, D2H, work[1].b));
  CALL(hipEventRecord(work[1].forked, work[1].b));
  CALL(hipStreamWaitEvent(work[0].b, work[1].forked, 0)); // the other device reads memory of this one
  CALL(hipFreeAsync(copy, work[1].b));
  for (int device = 0; device < 2; ++device) {
    Work &w = work[device];
    CALL(hipSetDevice(device));
    CALL(hipEventRecord(w.joined, w.b)); // what b has read may go when b has come by
#ifndef WITHOUT_JOIN
    CALL(hipStreamWaitEvent(w.a, w.joined, 0));
#endif
    for_all_memory(w, [&](unsigned **memory) { CALL(hipFreeAsync(*memory, w.a)); });
    CALL(hipDeviceSynchronize());
  }
  expect(expected);
  unsigned *all[] = {results[0], results[1], moved};
  for (unsigned i = 0; i < kCount; ++i)
    for (unsigned *got : all)
      if (got[i] != expected[i]) {
        printf("element %u is %u, expected %u\n", i, got[i], expected[i]);
        return 2;
      }
  printf("ok\n");
  return 0;
}
