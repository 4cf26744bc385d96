#include "differential/generator.h"

#include "graph/fold_int.h"

#include <cmath>

namespace tl::test {

ValueId Generator::constant(DType dtype, int64_t value) {
  Attr number = intAttr(AttrKey::Value, value);
  if (isFloat(dtype)) {
    number.isFloat = true;
    number.f = double(value);
    number.i = 0;
  }
  ValueId v = emit(Opcode::Const, {}, {number, intAttr(AttrKey::DType, int64_t(dtype))});
  if (Entry *entry = entryOf(v))
    entry->used = true;
  return v;
}

Attr Generator::randomNumber(AttrKey key, DType dtype) {
  Attr a;
  a.key = key;
  if (isFloat(dtype)) {
    static const std::vector<double> numbers = {0,     -0.0,  1,        -1,        0.5,  3.25,
                                                -0.1,  1e-5,  100,      65504,     1e30, -7,
                                                1e-40, 2.5e9, INFINITY, -INFINITY, NAN,  0.1};
    a.isFloat = true;
    do // what a float of 8 bits does not hold is NaN there, which shows little
      a.f = random.pick(numbers);
    while (isNarrowFloat(dtype) && !(std::fabs(a.f) <= 240) && random.chance(90));
  } else if (isBool(dtype)) {
    a.i = int64_t(random.below(2));
  } else {
    int64_t v = random.chance(60) ? random.between(-9, 20) : int64_t(random.bits());
    a.i = wrapInteger(v, dtype);
  }
  return a;
}

ValueId Generator::randomConstant(DType dtype) {
  return emit(Opcode::Const, {},
              {randomNumber(AttrKey::Value, dtype), intAttr(AttrKey::DType, int64_t(dtype))});
}

ValueId Generator::tile(DType dtype, const Dims &dims, Want want) {
  Type type = Type::tile(dtype, dims);
  std::vector<ValueId> found, fresh;
  for (const Entry &entry : pool)
    if (typeOf(entry.value) == type && !(want == Want::Decided && entry.open)) {
      found.push_back(entry.value);
      if (!entry.used)
        fresh.push_back(entry.value);
    }
  if (!fresh.empty() && random.chance(50))
    return random.pick(fresh);
  if (!found.empty() && random.chance(60))
    return random.pick(found);
  return newTile(dtype, dims, want);
}

ValueId Generator::tileOrScalar(DType dtype, const Dims &dims, Want want) {
  return tile(dtype, random.chance(20) ? Dims{} : dims, want);
}

ValueId Generator::newTile(DType dtype, const Dims &dims, Want want) {
  Type type = Type::tile(dtype, dims);
  size_t choice = random.below(100);
  if (choice < 12 && dims.empty())
    return addScalar(dtype, randomBits(dtype, randomFill()));
  if (choice < 35) {
    // From a value of the same shape and another type.
    std::vector<ValueId> found;
    for (const Entry &entry : pool) {
      const Type &t = typeOf(entry.value);
      bool decides = isFloat(t.dtype) && (!isFloat(dtype) || isNarrowFloat(dtype));
      if (t.dtype != dtype && t.sameShape(type) &&
          !(entry.open && (decides || want == Want::Decided)))
        found.push_back(entry.value);
    }
    if (!found.empty())
      return emit(Opcode::Cast, {random.pick(found)}, {intAttr(AttrKey::DType, int64_t(dtype))});
  }
  if (choice < 42 && !dims.empty()) {
    ValueId scalar = random.chance(50) ? randomConstant(dtype) : tile(dtype, {}, want);
    return emit(Opcode::Full, {scalar}, {listAttr(AttrKey::Dims, dims)});
  }
  if (choice < 50 && isInteger(dtype) && !dims.empty())
    return emit(Opcode::Iota, {},
                {listAttr(AttrKey::Dims, dims), intAttr(AttrKey::DType, int64_t(dtype)),
                 intAttr(AttrKey::Axis, int64_t(random.below(dims.size())))});
  if (choice < 57 && !dims.empty())
    return emitGather(dtype, dims);
  if (choice < 65 && want == Want::Any)
    return loadOwn(ownView(dtype, dims), dims);
  return loadInput(dtype, dims);
}

ValueId Generator::asIndex(ValueId v, DType dtype) {
  return typeOf(v).dtype == dtype
             ? v
             : emit(Opcode::Cast, {v}, {intAttr(AttrKey::DType, int64_t(dtype))});
}

ValueId Generator::linearIndices(const Dims &dims, DType dtype) {
  if (dims.empty())
    return constant(dtype, 0);
  ValueId sum = 0;
  int64_t stride = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    ValueId at = emit(Opcode::Iota, {},
                      {listAttr(AttrKey::Dims, dims), intAttr(AttrKey::DType, int64_t(dtype)),
                       intAttr(AttrKey::Axis, int64_t(axis))});
    if (stride != 1)
      at = emit(Opcode::Mul, {at, constant(dtype, stride)});
    sum = sum ? emit(Opcode::Add, {sum, at}) : at;
    stride *= dims[axis];
  }
  return sum;
}

ValueId Generator::boundedIndices(const Dims &dims, int64_t extent) {
  DType dtype = indexType();
  ValueId any = tile(dtype, dims, Want::Decided);
  ValueId in = emit(Opcode::FloorMod, {any, constant(dtype, extent + 2)});
  return emit(Opcode::Sub, {in, constant(dtype, 1)});
}

} // namespace tl::test
