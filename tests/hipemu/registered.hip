// What a HIP program can ask of kernels and variables that clang's code registers: their attributes, occupancy, addresses,
// and a cooperative launch. Prints "ok".
#define HIP_API_OWN_DIM3
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#include "hip_api.h"

extern "C" {
int printf(const char *format, ...);
void exit(int status);
// As HIP's documentation has them.
struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  size_t constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  size_t sharedSizeBytes;
};
int hipFuncGetAttributes(hipFuncAttributes *attributes, const void *function);
int hipGetFuncBySymbol(hipFunction_t *function, const void *symbol);
int hipGetSymbolAddress(void **address, const void *symbol);
int hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **parameters, unsigned shared, hipStream_t);
int hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared);
int hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads, size_t shared, unsigned);
int hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *function, size_t shared, int limit);
}

#define CHECK(CONDITION)                                                                                               \
  do {                                                                                                                 \
    if (!(CONDITION)) {                                                                                                \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #CONDITION);                                                           \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

__attribute__((device)) unsigned table[64];

// The result is the table's, turned around in shared memory.
__attribute__((global)) void turned(unsigned *out) {
  __attribute__((shared)) static unsigned line[64];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  line[t] = table[t];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[t] = line[63 - t];
}

int main() {
  const void *kernel = (const void *)turned;
  hipFuncAttributes attributes;
  CHECK(hipFuncGetAttributes(&attributes, kernel) == 0);
  CHECK(attributes.sharedSizeBytes == 256 && attributes.maxThreadsPerBlock >= 64 && attributes.numRegs > 0);
  hipFunction_t function = nullptr;
  CHECK(hipGetFuncBySymbol(&function, kernel) == 0 && function);
  CHECK(hipFuncGetAttributes(&attributes, (const void *)&attributes) != 0);
  int blocks = 0, same = 0, grid = 0, block = 0;
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0) == 0 && blocks > 0);
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, kernel, 64, 0, 0) == 0 && same == blocks);
  // 64 KB of LDS hold one block of 40 KB.
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 40000) == 0 && blocks == 1);
  CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0) == 0 && grid > 0 && block >= 64);
  void *place = nullptr, *out = nullptr;
  CHECK(hipGetSymbolAddress(&place, table) == 0 && place);
  unsigned numbers[64], back[64] = {};
  for (unsigned i = 0; i < 64; ++i)
    numbers[i] = i * i + 3;
  CHECK(hipMalloc(&out, sizeof back) == 0);
  CHECK(hipMemcpy(place, numbers, sizeof numbers, 1 /* to the device */) == 0);
  void *parameters[] = {&out};
  CHECK(hipLaunchCooperativeKernel(kernel, dim3(1), dim3(64), parameters, 0, nullptr) == 0);
  CHECK(hipMemcpy(back, out, sizeof back, 2 /* back */) == 0);
  for (unsigned i = 0; i < 64; ++i)
    CHECK(back[i] == numbers[63 - i]);
  CHECK(hipLaunchCooperativeKernel(kernel, dim3(1u << 20), dim3(64), parameters, 0, nullptr) == 720);
  printf("ok\n");
}
