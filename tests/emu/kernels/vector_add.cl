#include "kernel.h"

kernel void vectorAdd(global const float *a, global const float *b, global float *c, int n) {
  int i = GLOBAL_ID;
  if (i < n)
    c[i] = a[i] + b[i];
}
