// Kernels with a fault each, for the checks; the tests name the lines.
#include "kernel.h"

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP_ID __builtin_amdgcn_workgroup_id_x()
#define FENCE(ORDER) __builtin_amdgcn_fence(ORDER, "workgroup")

kernel void missingBarrier(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  values[t] = in[t];
  FENCE(__ATOMIC_ACQ_REL);
  out[t] = values[255 - t]; // line 13: reads what another wave wrote
}

kernel void overwrittenTooSoon(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  values[t] = in[t];
  FENCE(__ATOMIC_RELEASE);
  __builtin_amdgcn_s_barrier();
  FENCE(__ATOMIC_ACQUIRE);
  u32 x = values[255 - t];
  FENCE(__ATOMIC_ACQ_REL);
  values[t] = x + 1; // line 25: another wave has read it since the barrier
  out[t] = x;
}

kernel void neighbourGroups(global u32 *data) {
  u32 t = LOCAL_ID, g = GROUP_ID;
  data[g * 64 + t] = t;
  FENCE(__ATOMIC_ACQ_REL);
  data[(g + 1) * 64 + t] += 1; // line 33: the next workgroup's elements
}

kernel void produce(global u32 *data) {
  data[GLOBAL_ID] = GLOBAL_ID; // line 37
}
kernel void consume(global const u32 *data, global u32 *out) {
  out[GLOBAL_ID] = data[GLOBAL_ID] + 1; // line 40
}

// Three readers or writers, one after the other: relaxed atomic operations order them in time, and
// nothing for the checks.
#define WAIT_FOR(TURN, N)                                                                          \
  while (__opencl_atomic_load(TURN, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE) != N)
#define NEXT(TURN)                                                                                 \
  __opencl_atomic_fetch_add(TURN, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)

kernel void groupsReadThenOneWrites(global u32 *data, global atomic_uint *turn, global u32 *out,
                                    u32 writer) {
  u32 g = GROUP_ID;
  if (g == 0) {
    out[0] = data[LOCAL_ID]; // FIRST GROUP
    NEXT(turn);
  } else if (g == 1) {
    WAIT_FOR(turn, 1);
    out[1] = data[LOCAL_ID]; // SECOND GROUP
    NEXT(turn);
  }
  if (g == writer) {
    WAIT_FOR(turn, 2);
    data[LOCAL_ID] = 7; // GROUP WRITES
  }
}

kernel void wavesReadThenOneWrites(global u32 *data, global atomic_uint *turn, global u32 *out,
                                   u32 writer) {
  local u32 values[1];
  u32 wave = __builtin_amdgcn_readfirstlane(LOCAL_ID / __builtin_amdgcn_wavefrontsize());
  if (wave == 0)
    values[0] = data[0];
  FENCE(__ATOMIC_RELEASE);
  __builtin_amdgcn_s_barrier();
  FENCE(__ATOMIC_ACQUIRE);
  if (wave == 0) {
    out[0] = values[0]; // FIRST WAVE
    FENCE(__ATOMIC_ACQ_REL);
    if (__builtin_amdgcn_mbcnt_lo(~0u, 0) == 0)
      NEXT(turn);
  } else if (wave == 1) {
    WAIT_FOR(turn, 1);
    out[1] = values[0]; // SECOND WAVE
    FENCE(__ATOMIC_ACQ_REL);
    if (__builtin_amdgcn_mbcnt_lo(~0u, 0) == 0)
      NEXT(turn);
  }
  if (wave == writer) {
    WAIT_FOR(turn, 2);
    values[0] = 7; // WAVE WRITES
    FENCE(__ATOMIC_ACQ_REL);
    out[2] = *(local volatile u32 *)values;
  }
}

kernel void waits(global atomic_uint *flag) { WAIT_FOR(flag, 1); }
