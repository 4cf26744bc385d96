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
