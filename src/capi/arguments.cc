#include "capi/arguments.h"

#include "interp/numbers.h"

#include <cmath>
#include <cstdarg>
#include <cstring>

namespace tl {

namespace {

/// DLPack's DLTensor (dlpack.h, stable since 0.2), declared here so that no header is needed.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};

DType dlpackType(uint8_t code, uint8_t bits) {
  // DLDataTypeCode: 0 int, 1 uint, 2 float, 4 bfloat, 6 bool, 10 to 14 floats of 8 bits.
  struct Row {
    uint8_t code, bits;
    DType type;
  };
  static constexpr Row rows[] = {
      {0, 8, DType::I8},          {0, 16, DType::I16},    {0, 32, DType::I32},
      {0, 64, DType::I64},        {1, 8, DType::U8},      {1, 16, DType::U16},
      {1, 32, DType::U32},        {1, 64, DType::U64},    {2, 16, DType::F16},
      {2, 32, DType::F32},        {2, 64, DType::F64},    {4, 16, DType::BF16},
      {6, 8, DType::I1},          {1, 1, DType::I1},      {10, 8, DType::F8E4M3FN},
      {11, 8, DType::F8E4M3FNUZ}, {12, 8, DType::F8E5M2}, {13, 8, DType::F8E5M2FNUZ},
      {14, 8, DType::F8E8M0FNU}};
  for (const Row &row : rows)
    if (row.code == code && row.bits == bits)
      return row.type;
  return DType::None;
}

bool integerFits(DType type, int64_t v) {
  if (isBool(type))
    return v == 0 || v == 1;
  unsigned bits = dtypeBits(type);
  if (isUnsigned(type))
    return bits == 64 || (v >= 0 && uint64_t(v) >> bits == 0);
  return bits == 64 || (v >= -(int64_t(1) << (bits - 1)) && v < int64_t(1) << (bits - 1));
}

} // namespace

tl_status LaunchBlock::fail(tl_status status, size_t i, const char *format, ...) const {
  if (!words)
    return status;
  char text[256];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const char *what = kernel->isSequence() ? "sequence" : "kernel";
  *words = i < kernel->args.size()
               ? makeError(status, "%s '%s', argument %zu (%s): %s", what, kernel->kernel.c_str(),
                           i, kernel->args[i].name.c_str(), text)
               : makeError(status, "%s '%s': %s", what, kernel->kernel.c_str(), text);
  return status;
}

int64_t LaunchBlock::extent(size_t i, size_t axis) const {
  const DimSpec &dim = kernel->args[i].extents[axis];
  return dim.kind == DimSpec::Kind::Literal  ? dim.value
         : dim.kind == DimSpec::Kind::Scalar ? scalars[dim.value]
                                             : shapes[i][axis];
}

/// The stride that is declared, or given where it is dynamic.
int64_t LaunchBlock::stride(size_t i, size_t axis, int64_t contiguousStride) const {
  const ArtifactArg &want = kernel->args[i];
  if (want.strides.empty())
    return contiguousStride;
  const DimSpec &dim = want.strides[axis];
  return dim.kind == DimSpec::Kind::Literal  ? dim.value
         : dim.kind == DimSpec::Kind::Scalar ? scalars[dim.value]
         : strides[i]                        ? strides[i][axis]
                                             : contiguousStride;
}

void LaunchBlock::viewDims(size_t i, int64_t *shape, int64_t *elementStrides) const {
  uint64_t contiguousStride = 1;
  for (size_t axis = kernel->args[i].extents.size(); axis-- > 0;) {
    shape[axis] = extent(i, axis);
    elementStrides[axis] = stride(i, axis, int64_t(contiguousStride));
    contiguousStride *= uint64_t(shape[axis]);
  }
}

tl_status LaunchBlock::readScalar(size_t i, const tl_arg &arg) {
  DType type = kernel->args[i].dtype;
  if (isFloat(type)) {
    if (arg.kind != TL_ARG_FLOAT)
      return fail(TL_E_ARG_TYPE, i, "a float (%s) is wanted: use tl_arg_float",
                  dtypeText(type).data());
    scalars[i] = int64_t(interp::encodeFloat(type, interp::roundTo(type, arg.float_value)));
    return TL_OK;
  }
  if (arg.kind != TL_ARG_INT)
    return fail(TL_E_ARG_TYPE, i, "an integer (%s) is wanted: use tl_arg_int",
                dtypeText(type).data());
  if (!integerFits(type, arg.int_value))
    return fail(TL_E_ARG_TYPE, i, "%lld is not a value of %s", (long long)arg.int_value,
                dtypeText(type).data());
  scalars[i] = arg.int_value;
  return TL_OK;
}

tl_status LaunchBlock::readDLPack(size_t i, const void *p) {
  if (!p)
    return fail(TL_E_ARG_NULL, i, "the DLTensor is NULL");
  const auto *t = static_cast<const DLTensor *>(p);
  if (checked && (t->lanes != 1 || dlpackType(t->code, t->bits) != kernel->args[i].dtype))
    return fail(TL_E_ARG_TYPE, i, "the DLTensor has type code %u, %u bits, %u lanes; %s is wanted",
                t->code, t->bits, t->lanes, dtypeText(kernel->args[i].dtype).data());
  uintptr_t address = reinterpret_cast<uintptr_t>(t->data);
  if (t->data && __builtin_add_overflow(address, t->byteOffset, &address))
    return fail(TL_E_ARG_SHAPE, i,
                "the DLTensor's byte_offset of %llu leads out of the address space",
                (unsigned long long)t->byteOffset);
  pointers[i] = reinterpret_cast<void *>(address);
  shapes[i] = t->shape;
  strides[i] = t->strides;
  ranks[i] = t->ndim;
  return TL_OK;
}

/// Contiguous strides for a tensor that came without, if the kernel takes strides from it.
void LaunchBlock::addStrides(size_t i) {
  const ArtifactArg &want = kernel->args[i];
  bool wanted = false;
  for (const DimSpec &dim : want.strides)
    wanted |= dim.kind == DimSpec::Kind::Dynamic;
  if (!wanted || strides[i])
    return;
  uint64_t stride = 1;
  for (size_t axis = want.extents.size(); axis-- > 0;) {
    contiguous[i][axis] = int64_t(stride);
    stride *= uint64_t(shapes[i][axis]);
  }
  strides[i] = contiguous[i];
}

tl_status LaunchBlock::readArg(size_t i, const tl_arg &arg) {
  const ArtifactArg &want = kernel->args[i];
  shapes[i] = strides[i] = nullptr;
  pointers[i] = nullptr;
  scalars[i] = 0;
  if (checked && (arg.reserved0 || arg.reserved1))
    return fail(TL_E_UNSUPPORTED, i, "a reserved member of tl_arg is set");
  if (want.kind == ArgKind::Scalar)
    return readScalar(i, arg);
  switch (arg.kind) {
  case TL_ARG_DLPACK:
    if (tl_status s = readDLPack(i, arg.data); s != TL_OK)
      return s;
    break;
  case TL_ARG_POINTER:
    pointers[i] = arg.data;
    ranks[i] = 0;
    break;
  case TL_ARG_TENSOR:
    if (checked && arg.dtype != int32_t(want.dtype))
      return fail(TL_E_ARG_TYPE, i, "the tensor is of %s, the kernel wants %s",
                  dtypeKnown(arg.dtype) ? dtypeText(DType(arg.dtype)).data() : "an unknown type",
                  dtypeText(want.dtype).data());
    pointers[i] = arg.data;
    shapes[i] = arg.shape;
    strides[i] = arg.strides;
    ranks[i] = arg.rank;
    break;
  default:
    return fail(TL_E_ARG_TYPE, i, "memory is wanted: use tl_arg_tensor or tl_arg_pointer");
  }
  if (want.kind == ArgKind::Pointer)
    return TL_OK;
  size_t rank = want.extents.size();
  bool given = arg.kind != TL_ARG_POINTER;
  if (given && (ranks[i] < 0 || size_t(ranks[i]) != rank || !shapes[i]))
    return fail(TL_E_ARG_SHAPE, i, "the tensor has rank %d%s, the kernel wants %zu", ranks[i],
                shapes[i] ? "" : " and no shape", rank);
  if (!given)
    for (const std::vector<DimSpec> *dims : {&want.extents, &want.strides})
      for (const DimSpec &dim : *dims)
        if (dim.kind == DimSpec::Kind::Dynamic)
          return fail(TL_E_ARG_SHAPE, i,
                      "the kernel takes extents or strides from the tensor; a pointer has none");
  if (given)
    addStrides(i);
  return TL_OK;
}

/// Extents, strides, size and alignment of a view, once all scalars are known.
tl_status LaunchBlock::checkView(size_t i) const {
  const ArtifactArg &want = kernel->args[i];
  size_t rank = want.extents.size();
  bool empty = false;
  unsigned __int128 reach = 0; // of the farthest element, in elements
  __int128 contiguous = 1;
  for (size_t back = 0; back < rank; ++back) {
    size_t axis = rank - 1 - back;
    int64_t n = extent(i, axis);
    if (n < 0)
      return fail(TL_E_ARG_SHAPE, i, "extent %lld of axis %zu is negative", (long long)n, axis);
    if (shapes[i] && shapes[i][axis] != n)
      return fail(TL_E_ARG_SHAPE, i, "axis %zu has extent %lld, the kernel wants %lld", axis,
                  (long long)shapes[i][axis], (long long)n);
    __int128 step = stride(i, axis, int64_t(contiguous));
    if (strides[i] && n > 1 && strides[i][axis] != step)
      return fail(TL_E_ARG_SHAPE, i, "axis %zu has stride %lld, the kernel wants %lld", axis,
                  (long long)strides[i][axis], (long long)step);
    empty |= n == 0;
    if (n > 0)
      reach += (unsigned __int128)(n - 1) * (unsigned __int128)(step < 0 ? -step : step);
    contiguous *= n > 0 ? n : 1;
    if (contiguous > INT64_MAX || reach > (unsigned __int128)INT64_MAX / 8)
      return fail(TL_E_ARG_SHAPE, i, "its size overflows 64 bits");
  }
  if (!pointers[i])
    return empty || want.optional ? TL_OK : fail(TL_E_ARG_NULL, i, "the pointer is NULL");
  return TL_OK;
}

tl_status LaunchBlock::makeSlots() {
  slotCount = kernel->slots.size();
  for (size_t s = 0; s < slotCount; ++s) {
    const KernargSlot &slot = kernel->slots[s];
    switch (slot.kind) {
    case KernargSlot::Kind::Pointer:
      slots[s] = uint64_t(reinterpret_cast<uintptr_t>(pointers[slot.arg]));
      break;
    case KernargSlot::Kind::Scalar:
      slots[s] = uint64_t(scalars[slot.arg]);
      break;
    case KernargSlot::Kind::Extent:
      slots[s] = uint64_t(shapes[slot.arg][slot.axis]);
      break;
    case KernargSlot::Kind::Stride:
      slots[s] = uint64_t(strides[slot.arg][slot.axis]);
      break;
    case KernargSlot::Kind::Log: // where the device's log is known: DeviceLog::fillSlots
      slots[s] = 0;
      break;
    case KernargSlot::Kind::Grid:
      slots[s] = uint64_t(grid[slot.axis]);
      break;
    }
  }
  return TL_OK;
}

tl_status LaunchBlock::makeGrid() {
  ExprEnv env;
  env.scalars = scalars;
  env.extents = shapes;
  env.strides = strides;
  grid[0] = grid[1] = grid[2] = 1;
  for (size_t axis = 0; axis < kernel->grid.size(); ++axis) {
    grid[axis] = evaluate(kernel->grid[axis], env);
    if (grid[axis] < 0)
      return fail(TL_E_GRID, SIZE_MAX, "the grid has %lld programs along axis %zu",
                  (long long)grid[axis], axis);
  }
  return TL_OK;
}

tl_status LaunchBlock::fill(const Artifact &artifact, const tl_arg *args, size_t n, bool check,
                            ErrorPtr *explain) {
  kernel = &artifact;
  checked = check;
  words = explain;
  size_t count = artifact.args.size();
  if (n && !args)
    return fail(TL_E_ARG_COUNT, SIZE_MAX, "it takes %zu arguments, and the list of them is NULL",
                count);
  if (n != count || count > maxLaunchArgs)
    return fail(TL_E_ARG_COUNT, SIZE_MAX, "it takes %zu arguments, not %zu", count, n);
  for (size_t i = 0; i < n; ++i)
    if (tl_status s = readArg(i, args[i]); s != TL_OK)
      return s;
  for (size_t i = 0; checked && i < n; ++i) {
    const ArtifactArg &want = artifact.args[i];
    if (want.kind == ArgKind::Scalar)
      continue;
    if (want.kind == ArgKind::View)
      if (tl_status s = checkView(i); s != TL_OK)
        return s;
    if (want.kind == ArgKind::Pointer && !pointers[i] && !want.optional)
      return fail(TL_E_ARG_NULL, i, "the pointer is NULL");
    if (reinterpret_cast<uintptr_t>(pointers[i]) % dtypeBytes(want.dtype) != 0)
      return fail(TL_E_ARG_ALIGNMENT, i, "the pointer %p is not aligned to its element of %u bytes",
                  pointers[i], dtypeBytes(want.dtype));
  }
  if (tl_status s = makeGrid(); s != TL_OK)
    return s;
  return makeSlots();
}

} // namespace tl
