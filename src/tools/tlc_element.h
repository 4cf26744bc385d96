// Elements of tensors in host memory as doubles or integers, and their types' names.
#pragma once

#include "tilelang/types.h"

#include <string>

namespace tlc {

struct ElementType {
  tl_dtype dtype;
  const char *text; // "f32"
  const char *npy;  // numpy's type string; bf16 and floats of 8 bits have none and travel as bits
  unsigned bytes;
  bool isFloat;
  bool isSigned;
};

/// Null for unknown types.
const ElementType *elementType(tl_dtype dtype);
/// Stores a number rounded to the type (integers: truncated).
void storeNumber(tl_dtype dtype, void *at, double value);
/// Stores an integer, wrapped to the type.
void storeInteger(tl_dtype dtype, void *at, int64_t value);
double loadNumber(tl_dtype dtype, const void *at);

} // namespace tlc
