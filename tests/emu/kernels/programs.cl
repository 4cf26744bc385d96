#include "programs.h"

#define KERNEL(NAME)                                                                               \
  kernel void k_##NAME(global const u32 *a, global const u32 *b, global u32 *out, int n) {         \
    int i = GLOBAL_ID;                                                                             \
    if (i < n)                                                                                     \
      NAME(a, b, out, i);                                                                          \
  }
PROGRAMS(KERNEL)
