#include "differential/generator.h"

namespace tl::test {

/// One or two random operations; regions too, while they are not deep.
void Generator::fillRegion() {
  static const std::vector<Feature> features = allFeatures();
  for (size_t n = 1 + random.below(2); n > 0;) {
    const Feature &f = random.pick(features);
    bool region = isLoop(f.opcode) || f.opcode == Opcode::If;
    if (region && (depth >= 3 || random.chance(50)))
      continue;
    emitFeature(f);
    --n;
  }
}

void Generator::closeScope(size_t firstEntry) {
  for (size_t i = firstEntry; i < pool.size(); ++i)
    whereInPool.erase(pool[i].value);
  pool.resize(firstEntry);
}

ValueId Generator::condition() {
  if (random.chance(40))
    return tile(DType::I1, {}, Want::Decided);
  DType type = indexType();
  Attr pred = intAttr(AttrKey::Pred, random.between(1, 6));
  ValueId a = random.chance(50) || type == DType::I32 ? loadedNumber(type, Fill::Counts) : pid;
  return emit(Opcode::Cmp, {a, constant(type, random.between(0, 3))}, {pred});
}

std::vector<Type> Generator::carriedTypes(DType dtype, const Dims &dims) {
  std::vector<Type> types = {Type::tile(dtype, dims)};
  while (types.size() < 3 && random.chance(40))
    types.push_back(typeOf(random.pick(pool).value));
  return types;
}

std::vector<ValueId> Generator::startCarried(const std::vector<Type> &types) {
  std::vector<ValueId> values;
  for (const Type &t : types) {
    values.push_back(tile(t.dtype, dimsOf(t), isFloat(t.dtype) ? Want::Any : Want::Decided));
    if (Entry *entry = entryOf(values.back()))
      entry->used = true;
  }
  return values;
}

/// What a float may become in later rounds is not known.
void Generator::rememberCarried(std::span<const ValueId> values) {
  for (ValueId v : values) {
    remember(v, Opcode::Const, {});
    pool.back().open = pool.back().product = isFloat(typeOf(v).dtype);
  }
}

std::vector<ValueId> Generator::nextCarried(const std::vector<Type> &types,
                                            std::span<const ValueId> carried) {
  std::vector<ValueId> yields;
  for (size_t i = 0; i < types.size(); ++i) {
    const Type &t = types[i];
    ValueId next = tile(t.dtype, dimsOf(t), isFloat(t.dtype) ? Want::Any : Want::Decided);
    if (random.chance(60) && !isNarrowFloat(t.dtype)) // make it depend on the value before
      next = emit(isBool(t.dtype)     ? Opcode::Xor
                  : random.chance(70) ? Opcode::Add
                                      : Opcode::Max,
                  {carried[random.below(types.size())] == carried[i] ? next : carried[i], next});
    if (Entry *entry = entryOf(next))
      entry->used = true;
    yields.push_back(next);
  }
  return yields;
}

void Generator::emitFor(DType dtype, const Dims &dims) {
  DType type = indexType();
  auto bound = [&](int64_t lo, int64_t hi) {
    if (random.chance(60))
      return constant(type, random.between(lo, hi));
    made.traits.memoryBounds = true;
    return loadedNumber(type, Fill::Counts);
  };
  std::vector<ValueId> operands = {bound(-2, 2), bound(1, 6), bound(random.chance(5) ? -1 : 1, 3)};
  emitLoop(Opcode::For, operands, carriedTypes(dtype, dims),
           [](ValueId) { return std::vector<ValueId>(); });
}

/// A loop whose region has a counter as its first argument, then values of `types`. `before` gives
/// what the region yields before those, from the counter.
void Generator::emitLoop(Opcode opcode, std::vector<ValueId> operands,
                         const std::vector<Type> &types, const LoopYields &before) {
  for (ValueId v : operands)
    if (Entry *entry = entryOf(v))
      entry->used = true;
  std::vector<ValueId> init = startCarried(types);
  operands.insert(operands.end(), init.begin(), init.end());
  std::vector<ValueId> args = b.begin(opcode, operands);
  std::span<const ValueId> carried = std::span(args).subspan(1);
  size_t scope = pool.size();
  ++depth;
  remember(args[0], Opcode::Const, {});
  counters.push_back(asIndex(args[0], DType::I64));
  for (ValueId v : {args[0], counters.back()})
    entryOf(v)->used = true;
  rememberCarried(carried);
  fillRegion();
  if (random.chance(25))
    stepOverOwn();
  std::vector<ValueId> yields = before(args[0]);
  for (ValueId v : yields)
    if (Entry *entry = entryOf(v))
      entry->used = true;
  std::vector<ValueId> next = nextCarried(types, carried);
  yields.insert(yields.end(), next.begin(), next.end());
  finishBlock(scope);
  counters.pop_back();
  --depth;
  closeScope(scope);
  std::vector<ValueId> results = b.end(yields);
  size_t counted = results.size() - types.size(); // a counter that the loop gives, too
  for (ValueId v : std::span(results).first(counted))
    remember(v, Opcode::Const, {});
  rememberCarried(std::span(results).subspan(counted));
  made.traits.control = true;
}

/// A loop that counts down the first of its carried values, which may have come from memory, and
/// ends by that or by something else.
void Generator::emitWhile(DType dtype, const Dims &dims) {
  DType type = indexType();
  ValueId count =
      random.chance(50) ? constant(type, random.between(0, 4)) : loadedNumber(type, Fill::Counts);
  auto goesOn = [&](ValueId left) {
    return emit(Opcode::Cmp, {left, constant(type, 0)},
                {intAttr(AttrKey::Pred, int64_t(Pred::Gt))});
  };
  emitLoop(Opcode::While, {goesOn(count), count}, carriedTypes(dtype, dims), [&](ValueId counter) {
    ValueId left = emit(Opcode::Sub, {counter, constant(type, 1)}), again = goesOn(left);
    if (random.chance(30))
      again = emit(Opcode::And, {again, condition()});
    return std::vector<ValueId>{again, left};
  });
}

/// Some programs end here, or none, or now and then all.
void Generator::emitExit() {
  ValueId ends = random.chance(20) ? condition() : 0;
  if (ends == 0) {
    Pred pred = random.chance(80) ? Pred::Gt : Pred::Eq;
    ends = emit(Opcode::Cmp, {pid, index(random.between(0, programs - 1))},
                {intAttr(AttrKey::Pred, int64_t(pred))});
  }
  emit(Opcode::Exit, {ends});
  made.traits.control = true;
}

void Generator::emitIf(DType dtype, const Dims &dims) {
  ValueId decide = condition();
  if (Entry *entry = entryOf(decide))
    entry->used = true;
  std::vector<Type> types = {Type::tile(dtype, dims)};
  if (random.chance(30))
    types.push_back(typeOf(random.pick(pool).value));
  b.begin(Opcode::If, {&decide, 1});
  std::vector<Entry> outcome(types.size());
  std::vector<ValueId> results;
  for (int region = 0; region < 2; ++region) {
    size_t scope = pool.size();
    ++depth;
    if (random.chance(80))
      fillRegion();
    std::vector<ValueId> yields;
    for (size_t i = 0; i < types.size(); ++i) {
      ValueId v = tile(types[i].dtype, dimsOf(types[i]));
      if (Entry *entry = entryOf(v)) {
        entry->used = true;
        outcome[i].open |= entry->open;
        outcome[i].product |= entry->product;
      }
      yields.push_back(v);
    }
    finishBlock(scope);
    --depth;
    closeScope(scope);
    results = b.end(yields);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    remember(results[i], Opcode::Const, {});
    pool.back().open = outcome[i].open;
    pool.back().product = outcome[i].product;
  }
  made.traits.control = true;
}

} // namespace tl::test
