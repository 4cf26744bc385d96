// Programs on one element each, compiled for the GPU and for the host: what C says is what the
// emulator must compute. a and b have an element for each i, out has four.
#pragma once

#ifdef __OPENCL_C_VERSION__
#include "kernel.h"
#define GLOBAL global
#define CONSTANT constant
#define NOINLINE __attribute__((noinline))
#else
#include <cstdint>
#define GLOBAL
#define CONSTANT static const
#define NOINLINE __attribute__((noinline))
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#endif
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;

// Every program of this list has a function NAME(a, b, out, i).
// clang-format off
#define PROGRAMS(X) \
  X(arithmetic) X(wide) X(shifts) X(bits) X(bytes) X(halves) X(collatz) X(dispatch) X(nested) \
  X(privateArray) X(calls) X(table) X(floats) X(doubles) X(conversions) X(comparisons) \
  X(rounding) X(select64) X(signs) X(minmax) X(sorting) X(hash) X(polynomial) X(carry)
// clang-format on

#define UNUSED __attribute__((unused))
#define PROGRAM(NAME)                                                                              \
  static inline void NAME(GLOBAL const u32 *a, UNUSED GLOBAL const u32 *b, GLOBAL u32 *out, int i)

static inline float asFloat(u32 bits) {
  union {
    u32 u;
    float f;
  } v;
  v.u = bits;
  return v.f;
}
static inline u32 floatBits(float value) {
  union {
    float f;
    u32 u;
  } v;
  v.f = value;
  // Any NaN is as good as another.
  return value != value ? 0x7fc00000u : v.u;
}
static inline u64 doubleBits(double value) {
  union {
    double d;
    u64 u;
  } v;
  v.d = value;
  return value != value ? 0x7ff8000000000000ul : v.u;
}
// A double with many bits set out of two words.
static inline double asDouble(u32 high, u32 low) {
  return (double)(i32)high * 4294967296.0 + (double)low * 0.7;
}
static inline void put64(GLOBAL u32 *out, u64 value) {
  out[0] = (u32)value;
  out[1] = (u32)(value >> 32);
}

PROGRAM(arithmetic) {
  u32 x = a[i], y = b[i];
  out[4 * i] = x * y + (x ^ y) - (x & 0xff) * 3;
  out[4 * i + 1] = (x + y) * (x - y);
  out[4 * i + 2] = (u32)(((u64)x * y) >> 32);
  out[4 * i + 3] = (u32)(((i64)(i32)x * (i32)y) >> 32);
}
PROGRAM(wide) {
  u64 x = ((u64)a[i] << 32) | b[i], y = ((u64)b[i] << 32) | a[i];
  put64(out + 4 * i, x * y + (x ^ (y >> 7)));
  put64(out + 4 * i + 2, (x - y) * 0x9e3779b97f4a7c15ul + (u64)(i64)(i32)a[i]);
}
PROGRAM(shifts) {
  u32 x = a[i], n = b[i];
  u64 w = ((u64)x << 32) | (x * 77u);
  out[4 * i] = (x << (n & 31)) ^ (x >> ((n >> 5) & 31)) ^ (u32)((i32)x >> ((n >> 10) & 31));
  put64(out + 4 * i + 1,
        (w << (n & 63)) ^ (w >> ((n >> 6) & 63)) ^ (u64)((i64)w >> (n >> 12 & 63)));
  out[4 * i + 3] = (x << 13) | (x >> 19);
}
PROGRAM(bits) {
  u32 x = a[i], y = b[i] | 1;
  u64 w = ((u64)x << 32) | y;
  out[4 * i] = (u32)__builtin_popcount(x) + 100u * (u32)__builtin_popcountl(w);
  out[4 * i + 1] = (u32)__builtin_clz(y) + 100u * (u32)__builtin_ctz(y);
  out[4 * i + 2] = (u32)__builtin_clzl(w) + 100u * (u32)__builtin_ctzl(w);
  out[4 * i + 3] = (x & y) | (~x & (y << 3)) | ((x >> 9 & 0x1f) << 20);
}
PROGRAM(bytes) {
  GLOBAL const u8 *p = (GLOBAL const u8 *)(a + i);
  GLOBAL u8 *q = (GLOBAL u8 *)(out + 4 * i);
  for (int k = 0; k < 4; ++k) {
    q[k] = (u8)(p[3 - k] + k);
    q[4 + k] = (u8)((i8)p[k] >> 1);
    q[8 + k] = (u8)(p[k] * p[k]);
    q[12 + k] = (u8)(p[k] > 127 ? 255 : p[k] * 2);
  }
}
PROGRAM(halves) {
  GLOBAL const i16 *p = (GLOBAL const i16 *)(a + i);
  GLOBAL u16 *q = (GLOBAL u16 *)(out + 4 * i);
  i32 x = p[0], y = p[1];
  q[0] = (u16)(x + y), q[1] = (u16)(x * y), q[2] = (u16)(x > y ? x : y), q[3] = (u16)(x - y);
  q[4] = (u16)((u16)x >> 3), q[5] = (u16)(x >> 3), q[6] = (u16)(y << 5), q[7] = (u16)~x;
}
PROGRAM(collatz) {
  u32 x = (a[i] & 0xffff) + 1, steps = 0, most = x;
  while (x != 1 && steps < 500) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    most = x > most ? x : most;
    ++steps;
  }
  out[4 * i] = steps, out[4 * i + 1] = most, out[4 * i + 2] = x, out[4 * i + 3] = 0;
}
PROGRAM(dispatch) {
  u32 x = a[i], y = b[i], r;
  switch (x & 15) {
  case 0:
    r = x + y;
    break;
  case 1:
    r = x - y;
    break;
  case 2:
    r = x * y;
    break;
  case 3:
    r = x ^ y;
    break;
  case 4:
    r = x | y;
    break;
  case 5:
    r = x & y;
    break;
  case 6:
    r = x << (y & 31);
    break;
  case 7:
    r = x >> (y & 31);
    break;
  case 11:
    r = y;
    break;
  case 12:
    r = ~y;
    break;
  default:
    r = 42;
  }
  out[4 * i] = r, out[4 * i + 1] = x, out[4 * i + 2] = y, out[4 * i + 3] = r * 3;
}
PROGRAM(nested) {
  u32 x = a[i], sum = 0;
  for (u32 k = 0; k < (x & 7); ++k) {
    if ((x >> k) & 1) {
      for (u32 m = k; m < 12; ++m) {
        if (m == (b[i] & 15))
          break;
        if (m & 1)
          continue;
        sum += m * x;
      }
    } else {
      sum ^= b[i] + k;
      if (sum & 0x100)
        goto done;
    }
  }
  sum += 1;
done:
  out[4 * i] = sum, out[4 * i + 1] = x & 7, out[4 * i + 2] = 0, out[4 * i + 3] = ~sum;
}
PROGRAM(privateArray) {
  u32 own[16];
  for (int k = 0; k < 16; ++k)
    own[k] = a[i] * (u32)k;
  for (int k = 0; k < 16; ++k) {
    u32 from = (b[i] >> k) & 15;
    u32 t = own[from];
    own[from] = own[(u32)k];
    own[(u32)k] = t + 1;
  }
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = own[(a[i] + (u32)k) & 15];
}
static NOINLINE u32 mix(u32 x, u32 y) { return (x ^ (y >> 3)) * 0x85ebca6bu; }
static NOINLINE u64 mixWide(u64 x, u32 y, u32 depth) {
  return depth ? x * 31 + mix((u32)x, y) : x + y;
}
PROGRAM(calls) {
  u32 x = mix(a[i], b[i]);
  u64 w = mixWide(x, b[i], a[i] & 1);
  if (b[i] & 2)
    x = mix(x, (u32)w);
  out[4 * i] = x, out[4 * i + 3] = 0;
  put64(out + 4 * i + 1, w);
}
CONSTANT u32 constants[8] = {3, 1, 4, 1, 5, 9, 2, 6};
PROGRAM(table) {
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = constants[(a[i] >> (4 * k)) & 7] * b[i];
}
PROGRAM(floats) {
  float x = asFloat(a[i]), y = asFloat(b[i]);
  out[4 * i] = floatBits(x + y);
  out[4 * i + 1] = floatBits(x * y - x);
  out[4 * i + 2] = floatBits(__builtin_fmaf(x, y, -x));
  out[4 * i + 3] = floatBits((x - y) * 0.3f + 1.0f);
}
PROGRAM(doubles) {
  double x = asDouble(a[i], b[i]), y = asDouble(b[i], a[i]);
  put64(out + 4 * i, doubleBits(x * y + 0.1 * x));
  put64(out + 4 * i + 2, doubleBits(__builtin_fma(x, y, -x) - (x < y ? x : y)));
}
PROGRAM(conversions) {
  i32 x = (i32)a[i];
  out[4 * i] = floatBits((float)x) ^ floatBits((float)b[i]);
  out[4 * i + 1] = (u32)(i32)((float)(x >> 4) * 0.37f);
  out[4 * i + 2] = floatBits((float)asDouble(a[i], b[i]));
  out[4 * i + 3] = (u32)(i32)((double)x * 0.37) ^ floatBits((float)(a[i] & 0xff));
}
PROGRAM(comparisons) {
  float x = asFloat(a[i]), y = asFloat(b[i]);
  u32 r = 0;
  r |= (x < y) << 0 | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x >= y) << 4 | (x > y) << 5;
  r |= !(x < y) << 6 | !(x <= y) << 7 | (x != x) << 8 | (x == x && y == y) << 9;
  double v = x, w = y;
  r |= (u32)((v < w) << 0 | (v == w) << 1 | !(v > w) << 2) << 10;
  r |= (u32)(((i32)a[i] < (i32)b[i]) << 0 | (a[i] < b[i]) << 1 | (a[i] == b[i]) << 2) << 16;
  out[4 * i] = r, out[4 * i + 1] = 0, out[4 * i + 2] = 0, out[4 * i + 3] = 0;
}
PROGRAM(rounding) {
  float x = (float)(i32)a[i] * 0x1p-20f;
  double y = asDouble(a[i], b[i]) * 0x1p-30;
  out[4 * i] = floatBits(__builtin_floorf(x)) ^ floatBits(__builtin_ceilf(x));
  out[4 * i + 1] = floatBits(__builtin_truncf(x)) ^ floatBits(__builtin_rintf(x));
  put64(out + 4 * i + 2, doubleBits(__builtin_floor(y)) ^ doubleBits(__builtin_trunc(y)) ^
                             doubleBits(__builtin_rint(y)));
}
PROGRAM(select64) {
  u64 x = ((u64)a[i] << 32) | b[i], y = x * 3;
  put64(out + 4 * i, x < y ? x : y);
  put64(out + 4 * i + 2, (i64)x < (i64)y ? x + 1 : y - 1);
}
PROGRAM(signs) {
  float x = asFloat(a[i]), y = asFloat(b[i]);
  out[4 * i] = floatBits(__builtin_fabsf(x) - y);
  out[4 * i + 1] = floatBits(-x * __builtin_fabsf(y));
  out[4 * i + 2] = floatBits(__builtin_copysignf(x, y));
  out[4 * i + 3] = (u32)((i32)a[i] < 0 ? -(i32)(a[i] | 1) : (i32)a[i]);
}
PROGRAM(minmax) {
  i32 x = (i32)a[i], y = (i32)b[i];
  i32 low = x < y ? x : y, high = x < y ? y : x;
  out[4 * i] = (u32)low, out[4 * i + 1] = (u32)high;
  out[4 * i + 2] = (u32)(x < -100 ? -100 : x > 1000 ? 1000 : x);
  out[4 * i + 3] = a[i] < b[i] ? a[i] : b[i];
}
PROGRAM(sorting) {
  u32 v[4] = {a[i], b[i], a[i] * 5, b[i] * 7};
  for (int k = 0; k < 3; ++k)
    for (int m = 0; m < 3 - k; ++m)
      if (v[m] > v[m + 1]) {
        u32 t = v[m];
        v[m] = v[m + 1];
        v[m + 1] = t;
      }
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = v[k];
}
PROGRAM(hash) {
  u64 h = 0xcbf29ce484222325ul;
  for (int k = 0; k < 8; ++k) {
    h ^= (k < 4 ? a[i] >> (8 * k) : b[i] >> (8 * k - 32)) & 0xff;
    h *= 0x100000001b3ul;
  }
  put64(out + 4 * i, h);
  put64(out + 4 * i + 2, h ^ (h >> 33));
}
PROGRAM(polynomial) {
  float x = (float)(a[i] & 0xffff) * 0x1p-16f, r = 0.125f;
  for (int k = 0; k < 12; ++k)
    r = r * x + 0.5f;
  out[4 * i] = floatBits(r), out[4 * i + 1] = 0, out[4 * i + 2] = 0, out[4 * i + 3] = 0;
}
PROGRAM(carry) {
  u64 low = ((u64)a[i] << 32) | b[i], high = a[i];
  u64 sum = low + 0xfedcba9876543210ul;
  high += sum < low;
  put64(out + 4 * i, sum);
  put64(out + 4 * i + 2, high - (low < (u64)b[i] * b[i]));
}
