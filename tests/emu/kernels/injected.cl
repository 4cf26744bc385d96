// Kernels with one fault each and their twins without it, for test_injected.cc. "AT name" marks the
// line that a report must name.
#include "kernel.h"

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define FENCE(ORDER) __builtin_amdgcn_fence(ORDER, "workgroup")
#define BARRIER()                                                                                  \
  FENCE(__ATOMIC_RELEASE);                                                                         \
  __builtin_amdgcn_s_barrier();                                                                    \
  FENCE(__ATOMIC_ACQUIRE)

kernel void barrierMissing(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  values[t] = in[t];
  FENCE(__ATOMIC_ACQ_REL);
  out[t] = values[255 - t]; // AT barrierMissing
}
kernel void barrierThere(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  values[t] = in[t];
  BARRIER();
  out[t] = values[255 - t]; // AT barrierThere
}

kernel void loadPastEnd(global const u32 *in, global u32 *out) {
  u32 t = LOCAL_ID;
  u32 x = in[t + 1]; // AT loadPastEnd
  out[t] = x;
}
kernel void storePastEnd(global const u32 *in, global u32 *out) {
  u32 t = LOCAL_ID;
  u32 x = in[t];
  out[t + 1] = x; // AT storePastEnd
}
kernel void copy(global const u32 *in, global u32 *out) {
  u32 t = LOCAL_ID;
  u32 x = in[t]; // AT copy
  out[t] = x; // AT copied
}

kernel void ldsElementUnwritten(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  if (t != 77)
    values[t] = in[t];
  BARRIER();
  u32 x = values[255 - t]; // AT ldsElementUnwritten
  out[t] = x + 1; // AT ldsElementUsed
}
kernel void ldsBranch(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  if (t != 77)
    values[t] = in[t];
  BARRIER();
  u32 x = values[255 - t]; // AT ldsBranch
  if (x > 3)
    out[t] = 1;
}
kernel void ldsAddress(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  if (t != 77)
    values[t] = in[t] & 255;
  BARRIER();
  u32 x = values[255 - t]; // AT ldsAddress
  out[t] = in[x];
}
// What is unwritten is read, but nothing depends on it.
kernel void ldsElementUnused(global const u32 *in, global u32 *out) {
  local u32 values[256];
  u32 t = LOCAL_ID;
  if (t != 77)
    values[t] = in[t];
  BARRIER();
  volatile local u32 *all = values;
  u32 x = all[255 - t];
  out[t] = t == 255 - 77 ? 3 : x;
}

kernel void scratchUnwritten(global const u32 *in, global u32 *out) {
  volatile u32 space[16];
  u32 t = LOCAL_ID;
  for (u32 i = 0; i < 15; ++i)
    space[i] = in[t] + i;
  u32 x = space[in[0] + 10]; // AT scratchUnwritten
  out[t] = x;
}
kernel void scratchWritten(global const u32 *in, global u32 *out) {
  volatile u32 space[16];
  u32 t = LOCAL_ID;
  for (u32 i = 0; i < 16; ++i)
    space[i] = in[t] + i;
  u32 x = space[in[0] + 10];
  out[t] = x;
}

kernel void twoWayConflicts(global const u32 *in, global u32 *out) {
  volatile local u32 space[64 * 8];
  u32 t = LOCAL_ID;
  space[t * 2] = in[t]; // AT twoWayConflicts
  out[t] = space[t * 2];
}
kernel void eightWayConflicts(global const u32 *in, global u32 *out) {
  volatile local u32 space[64 * 8];
  u32 t = LOCAL_ID;
  space[t * 8] = in[t]; // AT eightWayConflicts
  out[t] = space[t * 8];
}
kernel void noConflicts(global const u32 *in, global u32 *out) {
  volatile local u32 space[64 * 8];
  u32 t = LOCAL_ID;
  space[t] = in[t]; // AT noConflicts
  out[t] = space[t];
}
kernel void stridedLoad(global const u32 *in, global u32 *out) {
  u32 t = LOCAL_ID;
  u32 x = in[t * 32]; // AT stridedLoad: a line of 128 bytes for each lane
  out[t] = x;
}
kernel void everyOtherElement(global const u32 *in, global u32 *out) {
  u32 t = LOCAL_ID;
  u32 x = in[t * 2]; // AT everyOtherElement
  out[t] = x;
}

kernel void barriersDiffer(global const u32 *in, global u32 *out) {
  u32 wave = __builtin_amdgcn_readfirstlane(LOCAL_ID / 64);
  if (wave) {
    out[LOCAL_ID] = 1;
    __builtin_amdgcn_s_barrier(); // AT barriersDiffer
    out[LOCAL_ID] += 2;
  } else {
    out[LOCAL_ID] = 3;
    __builtin_amdgcn_s_barrier(); // AT otherBarrier
    out[LOCAL_ID] *= 4;
  }
}
kernel void barrierForAll(global const u32 *in, global u32 *out) {
  u32 wave = __builtin_amdgcn_readfirstlane(LOCAL_ID / 64);
  out[LOCAL_ID] = wave ? 1 : 3;
  __builtin_amdgcn_s_barrier();
  out[LOCAL_ID] += 2;
}

kernel void endless(global const u32 *in, global u32 *out) {
  volatile global const u32 *flag = in;
  while (flag[0] != 4) // AT endless
    ;
  out[0] = 1;
}
kernel void ends(global const u32 *in, global u32 *out) {
  volatile global const u32 *flag = in;
  while (flag[0] != 5)
    ;
  out[0] = 1;
}
