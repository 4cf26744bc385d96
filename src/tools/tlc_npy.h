// NumPy's .npy files (format 1.0 to 3.0, little endian, C order).
#pragma once

#include "tilelang/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tlc {

struct Array {
  std::string type; // numpy's type string: "<f4"
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

/// Reads a file; prints and throws Failed if it is not such a file.
Array readNpy(const std::string &path);
/// Writes row-major bytes of a type.
void writeNpy(const std::string &path, const std::string &type, const std::vector<int64_t> &shape,
              const void *bytes, size_t size);

} // namespace tlc
