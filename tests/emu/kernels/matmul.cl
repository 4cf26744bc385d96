#include "kernel.h"

// c = a * b of n x n matrices, n a multiple of 32; b is given by columns. Each wave computes 32 x 32
// elements with the chip's matrix instructions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#if defined(__gfx942__)
#define WAVE 64
#define STEP 4 // elements of K in a lane
typedef half4 Fragment;
typedef float4 Accumulators;
#define ROWS 4
#define MULTIPLY(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)
// Which elements of K, and which row of the result a lane's register r holds.
#define FIRST(lane) ((lane) / 16 * 4)
#define ROW(lane, r) ((lane) / 16 * 4 + (r))
#else
#define WAVE 32
#define STEP 16
typedef half16 Fragment;
typedef float8 Accumulators;
#define ROWS 8
#define MULTIPLY(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c)
#define FIRST(lane) 0
#define ROW(lane, r) (2 * (r) + (lane) / 16)
#endif

__attribute__((reqd_work_group_size(WAVE, 1, 1))) kernel void
matmul(global const half *a, global const half *b, global float *c, int n) {
  int lane = __builtin_amdgcn_workitem_id_x();
  int row = __builtin_amdgcn_workgroup_id_y() * 32, column = __builtin_amdgcn_workgroup_id_x() * 32;
  global const half *rows = a + (row + lane % 16) * n + FIRST(lane);
  global const half *columns = b + (column + lane % 16) * n + FIRST(lane);
  Accumulators sums[2][2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < n; k += 16) {
    Fragment x[2], y[2];
    for (int i = 0; i < 2; ++i) {
      x[i] = *(global const Fragment *)(rows + i * 16 * n + k);
      y[i] = *(global const Fragment *)(columns + i * 16 * n + k);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        sums[i][j] = MULTIPLY(x[i], y[j], sums[i][j]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < ROWS; ++r)
        c[(row + i * 16 + ROW(lane, r)) * n + column + j * 16 + lane % 16] = sums[i][j][r];
}
