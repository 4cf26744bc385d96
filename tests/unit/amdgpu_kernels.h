// Texts of small kernels, for tests of the AMD code generator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unit {

inline std::string dims(const std::vector<int64_t> &extents, const char *separator) {
  std::string text;
  for (size_t i = 0; i < extents.size(); ++i)
    text += (i ? separator : "") + std::to_string(extents[i]);
  return text;
}

inline std::string tileType(const std::vector<int64_t> &extents, const std::string &dtype) {
  return extents.empty() ? dtype : "tile<" + dims(extents, "x") + "x" + dtype + ">";
}

inline std::string zeros(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += i ? ", 0" : "0";
  return text;
}

/// A kernel that loads a tile from %a, runs `lines` on %x, and stores %r of another shape to %c.
inline std::string unary(const std::vector<int64_t> &from, const std::string &dtype,
                         const std::string &lines, const std::vector<int64_t> &to,
                         const std::string &resultType) {
  std::vector<int64_t> result = to.empty() ? std::vector<int64_t>{1} : to;
  return "tile 0.1\nkernel @k(%a: view<" + dtype + ", [" + dims(from, ", ") + "]>, %c: view<" +
         resultType + ", [" + dims(result, ", ") + "]>)\n    grid [1] {\n  %x = load %a[" +
         zeros(from.size()) + "] : " + tileType(from, dtype) + "\n" + lines + "\n  store %r, %c[" +
         zeros(result.size()) + "]\n}\n";
}

struct DotShape {
  int64_t m, n, k;
};

/// c += a x b with one tile of each.
inline std::string dot(DotShape s, const std::string &a, const std::string &b,
                       const std::string &c) {
  std::vector<int64_t> shapeA = {s.m, s.k}, shapeB = {s.k, s.n}, shapeC = {s.m, s.n};
  return "tile 0.1\nkernel @k(%a: view<" + a + ", [" + dims(shapeA, ", ") + "]>, %b: view<" + b +
         ", [" + dims(shapeB, ", ") + "]>, %c: view<" + c + ", [" + dims(shapeC, ", ") +
         "]>)\n    grid [1] {\n  %x = load %a[0, 0] : " + tileType(shapeA, a) +
         "\n  %y = load %b[0, 0] : " + tileType(shapeB, b) +
         "\n  %z = load %c[0, 0] : " + tileType(shapeC, c) +
         "\n  %r = dot %x, %y, %z\n  store %r, %c[0, 0]\n}\n";
}

inline const std::vector<std::string> numberTypes = {"i8",  "u8",  "i16", "u16",  "i32", "u32",
                                                     "i64", "u64", "f16", "bf16", "f32", "f64"};

} // namespace unit
