// Kernels that work on the same memory with and without atomic operations, for the race checks; the
// tests name the lines by their marks.
#include "kernel.h"

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP_ID __builtin_amdgcn_workgroup_id_x()
#define FENCE(ORDER) __builtin_amdgcn_fence(ORDER, "workgroup")
#define BARRIER                                                                                    \
  FENCE(__ATOMIC_RELEASE);                                                                         \
  __builtin_amdgcn_s_barrier();                                                                    \
  FENCE(__ATOMIC_ACQUIRE)
#define ADD(PLACE, SCOPE)                                                                          \
  __opencl_atomic_fetch_add(PLACE, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_##SCOPE)

kernel void add(global atomic_uint *data, global u32 *out) {
  ADD(data + LOCAL_ID, DEVICE); // ADD
}
kernel void write(global u32 *data, global u32 *out) {
  data[LOCAL_ID] = 1; // WRITE
}
kernel void read(global u32 *data, global u32 *out) {
  out[LOCAL_ID] = data[LOCAL_ID]; // READ
}
kernel void writeAndAdd(global u32 *data, global u32 *out) {
  if (GROUP_ID == 0)
    data[LOCAL_ID] = 0;                               // WRITE FIRST
  ADD((global atomic_uint *)data + LOCAL_ID, DEVICE); // ADD LATER
}
#define STORE(PLACE, VALUE)                                                                        \
  __opencl_atomic_store(PLACE, VALUE, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)
#define LOAD(PLACE) __opencl_atomic_load(PLACE, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)
kernel void store(global atomic_uint *data, global u32 *out) {
  STORE(data + LOCAL_ID, 1); // STORE
}
kernel void load(global atomic_uint *data, global u32 *out) {
  out[LOCAL_ID] = LOAD(data + LOCAL_ID);
}
kernel void storeForOnce(global u32 *data, global u32 *out) {
  __builtin_nontemporal_store(GROUP_ID, data + LOCAL_ID); // NOT TEMPORAL
}

// A message from one operation to another that runs beside it.
kernel void publish(global u32 *data, global u32 *flag) {
  data[LOCAL_ID] = 7; // PUBLISH
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  if (LOCAL_ID == 0)
    STORE((global atomic_uint *)flag, 1);
}
#define RECEIVE(NAME, SCOPE, ...)                                                                  \
  kernel void NAME(global u32 *data, global u32 *flag) {                                           \
    while (!LOAD((global atomic_uint *)flag))                                                      \
      ;                                                                                            \
    __VA_ARGS__;                                                                                   \
    flag[64 + LOCAL_ID] = data[LOCAL_ID];                                                          \
  }
RECEIVE(receive, DEVICE, __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"))
RECEIVE(receiveHere, WORK_GROUP, __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
RECEIVE(receiveRelaxed, DEVICE, )

// A lock that is given back by a store.
#define LOCK(NAME, ORDER)                                                                          \
  kernel void NAME(global u32 *data, global u32 *out) {                                            \
    global atomic_uint *lock = (global atomic_uint *)data + 64;                                    \
    if (LOCAL_ID)                                                                                  \
      return;                                                                                      \
    while (__opencl_atomic_exchange(lock, 1, ORDER, __OPENCL_MEMORY_SCOPE_DEVICE))                 \
      ;                                                                                            \
    data[0] += GROUP_ID;                                                                           \
    __opencl_atomic_store(lock, 0, __ATOMIC_RELEASE, __OPENCL_MEMORY_SCOPE_DEVICE);                \
  }
LOCK(lock, __ATOMIC_ACQUIRE)
LOCK(lockRelaxed, __ATOMIC_RELAXED)
kernel void readLock(global u32 *data, global u32 *out) { out[LOCAL_ID] = data[64 + LOCAL_ID]; }

// A byte of each word, then another one.
kernel void writeBytes(global u8 *data, global u32 *out) {
  data[LOCAL_ID * 4] = 1;
  FENCE(__ATOMIC_ACQ_REL);
  data[LOCAL_ID * 4 + 1] = 2;
}
kernel void readBytes(global u8 *data, global u32 *out) { out[LOCAL_ID] = data[LOCAL_ID * 4]; }

global u32 variable[64];
kernel void writeVariable(global u32 *data, global u32 *out) { variable[LOCAL_ID] = 1; } // VARIABLE

// Histograms in LDS: 256 threads.
#define HISTOGRAM(NAME, AFTER_ZERO, AFTER_ADD)                                                     \
  kernel void NAME(global u32 *in, global u32 *out) {                                              \
    local atomic_uint bins[256];                                                                   \
    u32 t = LOCAL_ID;                                                                              \
    ((local u32 *)bins)[t] = 0;                                                                    \
    AFTER_ZERO;                                                                                    \
    ADD(bins + in[t] % 256, WORK_GROUP);                                                           \
    AFTER_ADD;                                                                                     \
    out[t] = ((local u32 *)bins)[t];                                                               \
  }
HISTOGRAM(histogram, BARRIER, BARRIER)
HISTOGRAM(histogramZeroedLate, FENCE(__ATOMIC_ACQ_REL), BARRIER)
HISTOGRAM(histogramReadEarly, BARRIER, FENCE(__ATOMIC_ACQ_REL))

// Through generic pointers, as HIP's code without optimization.
#define EXCHANGE(NAME, BETWEEN)                                                                    \
  kernel void NAME(global u32 *in, global u32 *out) {                                              \
    local u32 values[256];                                                                         \
    u32 t = LOCAL_ID;                                                                              \
    u32 *all = in[0] == 12345 ? (u32 *)out : (u32 *)values;                                        \
    all[t] = in[t];                                                                                \
    BETWEEN;                                                                                       \
    out[t] = all[255 - t];                                                                         \
  }
EXCHANGE(exchangeAnywhere, BARRIER)
EXCHANGE(exchangeAnywhereEarly, FENCE(__ATOMIC_ACQ_REL))
