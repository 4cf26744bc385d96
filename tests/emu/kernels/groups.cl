// Workgroups: LDS, barriers, atomics, waves that wait for each other.
#include "kernel.h"

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP_ID __builtin_amdgcn_workgroup_id_x()

static inline void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// The sum of each group's 256 elements.
kernel void reduce(global const u32 *in, global u32 *out) {
  local u32 sums[256];
  u32 t = LOCAL_ID;
  sums[t] = in[GROUP_ID * 256 + t];
  barrier();
  for (u32 width = 128; width; width >>= 1) {
    if (t < width)
      sums[t] += sums[t + width];
    barrier();
  }
  if (t == 0)
    out[GROUP_ID] = sums[0];
}

// Inclusive prefix sums of each group's 256 elements.
kernel void scan(global const u32 *in, global u32 *out) {
  local u32 values[2][256];
  u32 t = LOCAL_ID, from = 0;
  values[0][t] = in[GROUP_ID * 256 + t];
  barrier();
  for (u32 step = 1; step < 256; step *= 2) {
    values[1 - from][t] = values[from][t] + (t >= step ? values[from][t - step] : 0);
    from = 1 - from;
    barrier();
  }
  out[GROUP_ID * 256 + t] = values[from][t];
}

// A 32x32 transposition through LDS, 256 threads.
kernel void transpose(global const u32 *in, global u32 *out, u32 width) {
  local u32 tile[32][33];
  u32 x = LOCAL_ID & 31, y = LOCAL_ID >> 5;
  u32 column = __builtin_amdgcn_workgroup_id_x() * 32, row = __builtin_amdgcn_workgroup_id_y() * 32;
  for (u32 k = 0; k < 32; k += 8)
    tile[y + k][x] = in[(row + y + k) * width + column + x];
  barrier();
  for (u32 k = 0; k < 32; k += 8)
    out[(column + y + k) * width + row + x] = tile[x][y + k];
}

// Counts of 64 bins, first in LDS.
kernel void histogram(global const u32 *in, global u32 *bins) {
  local u32 counts[64];
  u32 t = LOCAL_ID;
  if (t < 64)
    counts[t] = 0;
  barrier();
  __scoped_atomic_fetch_add(&counts[in[GROUP_ID * 256 + t] & 63], 1u, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_WRKGRP);
  barrier();
  if (t < 64)
    __scoped_atomic_fetch_add(&bins[t], counts[t], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

#define DEVICE __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE
// All threads change the same cells.
kernel void atomics(global u32 *u, global int *s, global u64 *w, global float *f, global double *d) {
  u32 i = GLOBAL_ID;
  __scoped_atomic_fetch_add(&u[0], i, DEVICE);
  __scoped_atomic_fetch_sub(&u[1], 3u, DEVICE);
  __scoped_atomic_fetch_or(&u[2], 1u << (i & 31), DEVICE);
  __scoped_atomic_fetch_and(&u[3], ~(1u << (i & 31) & 0x5555u), DEVICE);
  __scoped_atomic_fetch_xor(&u[4], i * 77u, DEVICE);
  __scoped_atomic_fetch_max(&u[5], i, DEVICE);
  __scoped_atomic_fetch_min(&u[6], i + 5, DEVICE);
  __scoped_atomic_fetch_max(&s[0], (int)i - 500, DEVICE);
  __scoped_atomic_fetch_min(&s[1], (int)i - 500, DEVICE);
  __scoped_atomic_fetch_add(&w[0], (u64)i << 20, DEVICE);
  __scoped_atomic_fetch_max(&w[1], (u64)i << 33, DEVICE);
  __scoped_atomic_fetch_add(&f[0], 1.0f, DEVICE);
  __scoped_atomic_fetch_add(&d[0], 0.5, DEVICE);
  u32 old = __scoped_atomic_load_n(&u[7], DEVICE);
  while (!__scoped_atomic_compare_exchange_n(&u[7], &old, old * 3 + 1, 0, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) {
  }
  u64 seen = __scoped_atomic_load_n(&w[2], DEVICE);
  while (!__scoped_atomic_compare_exchange_n(&w[2], &seen, seen + i, 0, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) {
  }
  // Each thread gets a place of its own.
  u[16 + __scoped_atomic_fetch_add(&u[8], 1u, DEVICE)] = i;
}

// Each workgroup waits for the one before it.
kernel void chain(global u32 *flags, global u32 *out) {
  u32 g = GROUP_ID;
  if (g)
    while (!__scoped_atomic_load_n(&flags[g - 1], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)) {
    }
  if (LOCAL_ID == 0) {
    out[g] = g ? out[g - 1] + g : 1;
    __scoped_atomic_store_n(&flags[g], 1u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  }
}

// A grid barrier: all workgroups must be there at once.
kernel void gridBarrier(global u32 *count, global u32 *values, u32 groups) {
  u32 t = LOCAL_ID, g = GROUP_ID;
  if (t == 0)
    __scoped_atomic_store_n(&values[g], g + 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  barrier();
  if (t == 0) {
    __scoped_atomic_fetch_add(count, 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    while (__scoped_atomic_load_n(count, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < groups)
      __builtin_amdgcn_s_sleep(1);
  }
  barrier();
  u32 sum = 0;
  for (u32 k = 0; k < groups; ++k)
    sum += __scoped_atomic_load_n(&values[k], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (t == 0)
    values[groups + g] = sum;
}

// LDS whose size the launch gives.
kernel void dynamicLds(global const u32 *in, global u32 *out, local u32 *space) {
  u32 t = LOCAL_ID;
  space[t] = in[t] * 3;
  barrier();
  out[t] = space[255 - t];
}

// A pointer of which nobody knows where it points.
static __attribute__((noinline)) u32 sumOf(const u32 *p, u32 n) {
  u32 sum = 0;
  for (u32 k = 0; k < n; ++k)
    sum += p[k];
  return sum;
}
kernel void flatPointers(global const u32 *in, global u32 *out) {
  local u32 shared[8];
  u32 mine[8];
  u32 t = LOCAL_ID;
  if (t < 8)
    shared[t] = in[t] * 2;
  for (u32 k = 0; k < 8; ++k)
    mine[k] = in[k] * t;
  barrier();
  const u32 *p = t % 3 == 0 ? (const u32 *)shared : t % 3 == 1 ? (const u32 *)mine : (const u32 *)in;
  out[t] = sumOf(p, 8);
}

kernel void endless(global u32 *out) {
  while (__scoped_atomic_load_n(out, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) == 0) {
  }
}
kernel void aborts(global u32 *out) {
  if (out[LOCAL_ID])
    __builtin_trap();
}
kernel void ids(global u32 *out) {
  u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
      z = __builtin_amdgcn_workitem_id_z();
  u32 gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(),
      gz = __builtin_amdgcn_workgroup_id_z();
  u32 group = (gz * 3 + gy) * 2 + gx, thread = (z * 4 + y) * 8 + x;
  global u32 *to = out + (group * 64 + thread) * 4;
  to[0] = x | y << 8 | z << 16;
  to[1] = gx | gy << 8 | gz << 16;
  to[2] = __builtin_amdgcn_workgroup_size_x() | __builtin_amdgcn_workgroup_size_y() << 8 |
          __builtin_amdgcn_workgroup_size_z() << 16;
  to[3] = __builtin_amdgcn_grid_size_x() | __builtin_amdgcn_grid_size_y() << 8 |
          __builtin_amdgcn_grid_size_z() << 16;
}
