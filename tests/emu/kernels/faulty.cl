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

kernel void divergentBarrier(global u32 *out) {
  u32 wave = __builtin_amdgcn_readfirstlane(LOCAL_ID / 64);
  if (wave) {
    out[LOCAL_ID] = 1;
    __builtin_amdgcn_s_barrier(); // line 47
    out[LOCAL_ID] += 2;
  } else {
    out[LOCAL_ID] = 3;
    __builtin_amdgcn_s_barrier(); // line 51
    out[LOCAL_ID] *= 4;
  }
}

// Access patterns for the counts, not faults.
kernel void patterns(global const u32 *in, global u32 *out) {
  local u32 space[64 * 32];
  u32 t = LOCAL_ID;
  u32 near = in[t];      // line 60: consecutive
  u32 far = in[t * 32];  // line 61: a cache line of 128 bytes for each lane
  space[t] = near;       // line 62
  space[t * 2] = far;    // line 63: two lanes a bank
  space[t * 8] = near;   // line 64: eight lanes a bank
  out[t] = space[t] + space[t * 8];
}
