#include "differential/generator.h"

namespace tl::test {

/// One or two random operations; regions too, while they are not deep.
void Generator::fillRegion() {
  static const std::vector<Feature> features = allFeatures();
  for (size_t n = 1 + random.below(2); n > 0;) {
    const Feature &f = random.pick(features);
    bool region = f.opcode == Opcode::For || f.opcode == Opcode::If;
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

void Generator::emitFor(DType dtype, const Dims &dims) {
  DType type = indexType();
  auto bound = [&](int64_t lo, int64_t hi) {
    if (random.chance(60))
      return constant(type, random.between(lo, hi));
    made.traits.memoryBounds = true;
    return loadedNumber(type, Fill::Counts);
  };
  std::vector<ValueId> operands = {bound(-2, 2), bound(1, 6), bound(random.chance(5) ? -1 : 1, 3)};
  std::vector<Type> types = {Type::tile(dtype, dims)};
  while (types.size() < 3 && random.chance(40)) {
    const Entry &entry = random.pick(pool);
    types.push_back(typeOf(entry.value));
  }
  for (const Type &t : types) {
    Want want = isFloat(t.dtype) ? Want::Any : Want::Decided;
    operands.push_back(tile(t.dtype, dimsOf(t), want));
  }
  for (ValueId v : operands)
    if (Entry *entry = entryOf(v))
      entry->used = true;

  std::vector<ValueId> args = b.begin(Opcode::For, operands);
  size_t scope = pool.size();
  ++depth;
  remember(args[0], Opcode::Const, {});
  counters.push_back(asIndex(args[0], DType::I64));
  for (ValueId v : {args[0], counters.back()})
    entryOf(v)->used = true;
  for (size_t i = 1; i < args.size(); ++i) {
    // What a float may become in later rounds is not known yet.
    remember(args[i], Opcode::Const, {});
    pool.back().open = pool.back().product = isFloat(types[i - 1].dtype);
  }
  fillRegion();
  std::vector<ValueId> yields;
  for (size_t i = 0; i < types.size(); ++i) {
    const Type &t = types[i];
    Want want = isFloat(t.dtype) ? Want::Any : Want::Decided;
    ValueId next = tile(t.dtype, dimsOf(t), want);
    if (random.chance(60)) // make it depend on the value before
      next = emit(isBool(t.dtype)     ? Opcode::Xor
                  : random.chance(70) ? Opcode::Add
                                      : Opcode::Max,
                  {args[1 + random.below(types.size())] == args[1 + i] ? next : args[1 + i], next});
    if (Entry *entry = entryOf(next))
      entry->used = true;
    yields.push_back(next);
  }
  finishBlock(scope);
  counters.pop_back();
  --depth;
  closeScope(scope);
  std::vector<ValueId> results = b.end(yields);
  for (ValueId v : results) {
    remember(v, Opcode::Const, {});
    pool.back().open = pool.back().product = isFloat(typeOf(v).dtype);
  }
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
