// Atomic operations as compilers make them where a chip has none: a load, then instructions that
// compare and swap.
#include "kernel.h"

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define ADD_TO(SPACE, PLACE, SCOPE)                                                                \
  u32 old = *(SPACE u32 *)(PLACE);                                                                 \
  while (!__opencl_atomic_compare_exchange_strong(                                                 \
      PLACE, &old, old + 3, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_##SCOPE))

kernel void addBySwaps(global atomic_uint *data, global u32 *out) {
  ADD_TO(global, data + LOCAL_ID, DEVICE);
}
kernel void addBySwapsInLds(global u32 *in, global u32 *out) {
  local atomic_uint bins[256];
  u32 t = LOCAL_ID;
  ((local u32 *)bins)[t] = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  ADD_TO(local, bins + (255 - t), WORK_GROUP);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[t] = ((local u32 *)bins)[t];
}
