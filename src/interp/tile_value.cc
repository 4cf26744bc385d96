#include "interp/tile_value.h"

namespace tl::interp {

void TileValue::reset(const Type &newType) {
  type = newType;
  bounds.clear();
  products.clear();
  marks.clear();
  if (isFloat()) {
    floats.resize(size());
    ints.clear();
  } else {
    ints.resize(size());
    floats.clear();
  }
}

void TileValue::setDoubt(size_t i, const Doubt &doubt) {
  auto set = [&](auto &list, auto value) {
    if (value == 0 && list.empty())
      return;
    if (list.empty())
      list.resize(size(), 0);
    list[i] = value;
  };
  set(bounds, doubt.bound);
  set(products, doubt.product);
  set(marks, doubt.marks);
}

void TileValue::copyElement(size_t i, const TileValue &from, size_t j) {
  if (isFloat())
    floats[i] = from.floats[j];
  else
    ints[i] = from.ints[j];
  if (anyDoubt() || from.anyDoubt())
    setDoubt(i, from.doubt(j));
}

} // namespace tl::interp
