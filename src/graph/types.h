// Types of graph values: tiles (scalars are tiles of rank 0), views and pointers. Always concrete.
#pragma once

#include "support/dtype.h"

#include <array>
#include <span>
#include <string>

namespace tl {

/// Values equal TL_TYPE_* of tilelang/types.h.
enum class TypeKind : int32_t { None = 0, Tile = 1, View = 2, Pointer = 3 };

constexpr unsigned maxTileRank = 5;
constexpr unsigned maxViewRank = 8;
constexpr unsigned maxCallees = 256;
/// Of one print or assert.
constexpr size_t maxMessageBytes = 1024, maxPrintedElements = 65536;
constexpr int64_t maxTileElements = int64_t(1) << 20;
constexpr unsigned maxRegionDepth = 64;
constexpr unsigned maxArguments = 256;
constexpr unsigned maxParameters = 256;

struct Type {
  TypeKind kind = TypeKind::None;
  DType dtype = DType::None;
  uint8_t rank = 0;                           // tiles: 0..5, views: 1..8, pointers: 0
  std::array<int32_t, maxTileRank> dims = {}; // tiles only; unused entries are 0

  bool operator==(const Type &) const = default;

  static Type tile(DType dtype, std::span<const int64_t> dims);
  static Type scalar(DType dtype) { return {TypeKind::Tile, dtype, 0, {}}; }
  static Type view(DType dtype, unsigned rank) {
    return {TypeKind::View, dtype, uint8_t(rank), {}};
  }
  static Type pointer(DType dtype) { return {TypeKind::Pointer, dtype, 0, {}}; }

  bool isTile() const { return kind == TypeKind::Tile; }
  bool isScalar() const { return kind == TypeKind::Tile && rank == 0; }
  bool isView() const { return kind == TypeKind::View; }
  bool isPointer() const { return kind == TypeKind::Pointer; }
  /// i32 or i64 scalar.
  bool isIndex() const { return isScalar() && (dtype == DType::I32 || dtype == DType::I64); }
  std::span<const int32_t> extents() const { return {dims.data(), isTile() ? rank : 0u}; }
  /// Elements of a tile (1 for scalars).
  int64_t elements() const;
  bool sameShape(const Type &other) const { return rank == other.rank && dims == other.dims; }
  /// The tile type of the same shape with another element type.
  Type withDType(DType d) const {
    Type t = *this;
    t.dtype = d;
    return t;
  }
  /// "f32", "tile<128x64xf16>", "view<f16, 2>", "ptr<f32>".
  std::string text() const;
};

} // namespace tl
