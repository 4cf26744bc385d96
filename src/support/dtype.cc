#include "support/dtype.h"

#include "tilelang/types.h"

#include <cassert>

namespace tl {

static constexpr DTypeInfo table[] = {
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  {DType::NAME,                                                                                    \
   TEXT,                                                                                           \
   BITS,                                                                                           \
   BYTES,                                                                                          \
   DTypeClass::CLASS,                                                                              \
   PRECISION,                                                                                      \
   EMAX,                                                                                           \
   EMIN,                                                                                           \
   FloatSpecials::SPECIALS},
#include "support/dtypes.def"
};

#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  static_assert(TL_DTYPE_##NAME == VALUE, "dtypes.def disagrees with tilelang/types.h");
#include "support/dtypes.def"

const DTypeInfo &dtypeInfo(DType type) {
  for (const DTypeInfo &row : table)
    if (row.type == type)
      return row;
  assert(false && "not an element type");
  return table[0];
}

bool dtypeKnown(int32_t value) {
  for (const DTypeInfo &row : table)
    if (int32_t(row.type) == value)
      return true;
  return false;
}

std::optional<DType> dtypeFromText(std::string_view text) {
  for (const DTypeInfo &row : table)
    if (row.text == text)
      return row.type;
  return std::nullopt;
}

} // namespace tl
