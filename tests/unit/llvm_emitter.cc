// Every elementwise, comparing, choosing and converting row of ops.def on every element type it
// takes: corner and random operands against results from mathematics (llvm_reference.h), as scalars
// and as vectors of 8, on the host; and compiled for every AMD chip. The mathematical functions
// have a test of their own (math.cc). test-timeout: 300
#include "codegen/llvm/emitter.h"
#include "unit/llvm_kernel.h"
#include "unit/llvm_reference.h"
#include "unit/unit_test.h"

#include <random>

using namespace tl;
using namespace unit;

namespace {

const DType allTypes[] = {
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX) DType::NAME,
#include "support/dtypes.def"
};
const Pred allPreds[] = {
#define TL_PRED(NAME, NUMBER, TEXT) Pred::NAME,
#include "graph/attrs.def"
};

// One function under test.
struct Row {
  Opcode opcode;
  DType from, to;
  Pred pred;
  unsigned operands;
  std::string name;
};

bool takes(OperandClass cls, DType t) {
  switch (cls) {
  case OperandClass::Num:
    return !isBool(t);
  case OperandClass::Int:
    return isInteger(t);
  case OperandClass::Float:
    return isFloat(t);
  case OperandClass::Bits:
    return !isFloat(t);
  case OperandClass::Any:
    return true;
  default:
    return false;
  }
}

std::vector<Row> makeRows() {
  std::vector<Row> rows;
  auto add = [&](const OpInfo &info, DType from, DType to, Pred pred) {
    std::string name = std::string(info.text) + "_" + std::string(dtypeText(from)) + "_" +
                       std::string(dtypeText(to)) + "_" + std::string(predText(pred));
    rows.push_back({info.opcode, from, to, pred, unsigned(info.operands.size()), name});
  };
  for (const OpInfo &info : allOps())
    for (DType t : allTypes) {
      if (info.rule == Rule::Elementwise && info.group != "Math" && takes(info.operands[0].cls, t))
        add(info, t, t, Pred::Eq);
      if (info.rule == Rule::Compare && takes(info.operands[0].cls, t))
        for (Pred pred : allPreds)
          if (isFloat(t) || !isFloatPred(pred))
            add(info, t, DType::I1, pred);
      if (info.rule == Rule::Classify && isFloat(t))
        add(info, t, DType::I1, Pred::Eq);
      if (info.rule == Rule::Bitcast)
        for (DType to : allTypes)
          if (!isBool(t) && !isBool(to) && dtypeBits(t) == dtypeBits(to))
            add(info, t, to, Pred::Eq);
      if (info.rule == Rule::Select)
        add(info, t, t, Pred::Eq);
      if (info.rule == Rule::Cast)
        for (DType to : allTypes)
          add(info, t, to, Pred::Eq);
    }
  return rows;
}

DType operandType(const Row &row, unsigned operand) {
  return row.opcode == Opcode::Select && operand == 0 ? DType::I1 : row.from;
}

void addRow(llvm::Module &module, TargetFamily family, const Row &row, unsigned lanes,
            bool contract = true) {
  EmitterOptions options{contract, family == TargetFamily::Amdgcn};
  llvm::IRBuilder<> types(module.getContext());
  std::vector<llvm::Type *> inputs;
  for (unsigned i = 0; i < row.operands; ++i)
    inputs.push_back(ElementEmitter(types, options).memoryType(operandType(row, i)));
  auto body = [&](llvm::IRBuilder<> &ir, const std::vector<llvm::Value *> &loaded) {
    ElementEmitter emitter(ir, options);
    std::vector<llvm::Value *> operands;
    for (unsigned i = 0; i < row.operands; ++i)
      operands.push_back(emitter.fromMemory(loaded[i], operandType(row, i)));
    return emitter.toMemory(emitter.emit(row.opcode, operands, row.from, row.to, row.pred), row.to);
  };
  addLoop(module, family, row.name + "_" + std::to_string(lanes), inputs, lanes, body);
}

std::vector<uint64_t> integerCorners(DType t, std::mt19937_64 &random) {
  unsigned width = dtypeBits(t);
  std::vector<uint64_t> values;
  for (int64_t v : {0, 1, 2, 3, 7, 10, 100, 127, 128, -1, -2, -3, -7, -10, -128})
    values.push_back(uint64_t(v));
  uint64_t high = uint64_t(1) << (width - 1);
  for (uint64_t v : {high, high - 1, high + 1, high - 2, uint64_t(width), uint64_t(width - 1),
                     uint64_t(width + 1), uint64_t(0x5555555555555555), high >> 1})
    values.push_back(v);
  for (int i = 0; i < 16; ++i)
    values.push_back(random() >> (i * 4));
  for (uint64_t &v : values)
    v &= maskOf(t);
  return values;
}

std::vector<uint64_t> floatCorners(DType t, std::mt19937_64 &random) {
  unsigned width = dtypeBits(t);
  std::vector<uint64_t> values;
  uint64_t infinity = encodeExact(t, INFINITY);
  uint64_t fraction = (uint64_t(1) << (dtypeInfo(t).precision - 1)) - 1;
  for (uint64_t v : {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(3), fraction, fraction - 1,
                     fraction + 1, fraction + 2, infinity - 1, infinity - 2, infinity,
                     infinity | (fraction + 1) / 2, infinity | 1})
    values.push_back(v);
  for (double v :
       {1.0,        0.5,    1.5,     2.0,    3.0,    10.0,   127.5,  128.0,  255.5,   256.0,
        0.99609375, 4096.0, 32768.0, 0x1p31, 0x1p32, 0x1p62, 0x1p63, 0x1p64, 0x1p-20, 1.25}) {
    uint64_t bits = encodeExact(t, t == DType::F16 && v > 65504 ? 65504 : v);
    values.insert(values.end(), {bits, bits - 1, bits + 1});
  }
  for (int i = 0; i < 20; ++i)
    values.push_back(random() & maskOf(t));
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(values[i] ^ (uint64_t(1) << (width - 1)));
  return values;
}

std::vector<uint64_t> corners(DType t, std::mt19937_64 &random) {
  return isBool(t)    ? std::vector<uint64_t>{0, 1}
         : isFloat(t) ? floatCorners(t, random)
                      : integerCorners(t, random);
}

// Numbers at, just below and just above the middle between neighbours of a narrower type, as `from`
// has them: where rounding twice goes wrong.
void addTies(std::vector<uint64_t> &values, DType from, DType to, std::mt19937_64 &random) {
  if (!isFloat(to) || isBool(from))
    return;
  for (int i = 0; i < 4000; ++i) {
    double a = toDouble(to, random() & maskOf(to)), b = toDouble(to, encodeExact(to, a) + 1);
    if (!std::isfinite(a) || !std::isfinite(b))
      continue;
    double middle = a / 2 + b / 2;
    if (isFloat(from)) {
      uint64_t bits = encodeExact(from, from == DType::F16 ? a : middle);
      values.insert(values.end(), {bits, bits - 1, bits + 1});
    } else if (std::fabs(middle) < 0x1p63) {
      uint64_t bits = uint64_t(int64_t(middle));
      values.insert(values.end(), {bits, bits - 1, bits + 1});
    }
  }
  for (int shift = 0; shift < 64 && !isFloat(from); ++shift)
    for (int i = 0; i < 8; ++i)
      for (int64_t step : {-1, 0, 1})
        values.push_back(((random() % 512 | 256) << shift) + uint64_t(step));
  for (uint64_t &v : values)
    v &= maskOf(from);
}

// f16 and bf16 products with an addend far smaller than their last place.
void addFmaTriples(std::vector<std::vector<uint64_t>> &columns, DType t, std::mt19937_64 &random) {
  for (int i = 0; i < 60000; ++i) {
    uint64_t a = random(), b = random(), c = random();
    if (i % 2) {
      // Odd multiples of an ulp times 1.5 or the like give ties in many digits; the addend breaks
      // them.
      a = encodeExact(t, 1 + double(random() % 128) / 128);
      b = encodeExact(t, 1 + double(random() % 128) / 128);
      c = encodeExact(
          t, std::ldexp(random() % 2 ? 1.0 : -1.0, -int(random() % (t == DType::F16 ? 24 : 120))));
    }
    columns[0].push_back(a & maskOf(t));
    columns[1].push_back(b & maskOf(t));
    columns[2].push_back(c & maskOf(t));
  }
}

std::vector<std::vector<uint64_t>> makeOperands(const Row &row) {
  std::mt19937_64 random(uint64_t(row.opcode) * 1000 + uint64_t(row.from) * 30 + uint64_t(row.to));
  std::vector<std::vector<uint64_t>> columns(row.operands);
  std::vector<uint64_t> values = corners(row.from, random);
  if (row.opcode == Opcode::Cast) {
    addTies(values, row.from, row.to, random);
    if (dtypeBits(row.from) == 16)
      for (uint64_t v = 0; v < 65536; ++v)
        values.push_back(v);
  }
  if (row.operands == 1) {
    columns[0] = values;
  } else {
    for (size_t i = 0; i < values.size(); ++i)
      for (size_t j = 0; j < values.size(); ++j) {
        if (row.opcode == Opcode::Select) {
          columns[0].push_back(random() & 1);
          columns[1].push_back(values[i]);
          columns[2].push_back(values[j]);
          continue;
        }
        columns[0].push_back(values[i]);
        columns[1].push_back(values[j]);
        if (row.operands == 3)
          columns[2].push_back(values[random() % values.size()]);
      }
    if (row.opcode == Opcode::Fma)
      addFmaTriples(columns, row.from, random);
  }
  for (auto &column : columns)
    while (column.size() % 8)
      column.push_back(0);
  return columns;
}

uint64_t expected(const Row &row, const uint64_t *operands) {
  switch (row.opcode) {
  case Opcode::Cmp:
    return compareReference(row.pred, row.from, operands[0], operands[1]);
  case Opcode::Select:
    return operands[0] ? operands[1] : operands[2];
  case Opcode::IsNan:
  case Opcode::IsInf:
  case Opcode::IsFinite:
    return classifyReference(row.opcode, row.from, operands[0]);
  case Opcode::Bitcast:
    return operands[0];
  case Opcode::Cast:
    return castReference(row.from, row.to, operands[0]);
  default:
    return isFloat(row.from) ? floatReference(row.opcode, row.from, operands)
                             : integerReference(row.opcode, row.from, operands);
  }
}

bool same(const Row &row, uint64_t a, uint64_t b) {
  bool bitwise = !isFloat(row.to) || row.opcode == Opcode::Select || row.opcode == Opcode::Neg ||
                 row.opcode == Opcode::Bitcast || row.opcode == Opcode::Abs;
  return a == b || (!bitwise && std::isnan(toDouble(row.to, a)) && std::isnan(toDouble(row.to, b)));
}

void checkRow(Image &image, const Row &row) {
  auto columns = makeOperands(row);
  size_t count = columns[0].size();
  std::vector<std::vector<uint8_t>> inputs(3);
  for (unsigned i = 0; i < row.operands; ++i) {
    unsigned bytes = dtypeBytes(operandType(row, i));
    inputs[i].resize(count * bytes);
    for (size_t k = 0; k < count; ++k)
      std::memcpy(&inputs[i][k * bytes], &columns[i][k], bytes);
  }
  std::vector<uint64_t> wanted(count);
  for (size_t k = 0; k < count; ++k) {
    uint64_t operands[3] = {};
    for (unsigned i = 0; i < row.operands; ++i)
      operands[i] = columns[i][k];
    wanted[k] = expected(row, operands);
  }
  unsigned bytes = dtypeBytes(row.to);
  for (unsigned lanes : {0u, 8u}) {
    std::vector<uint8_t> output(count * bytes);
    void *function = image.find<void>((row.name + "_" + std::to_string(lanes)).c_str());
    REQUIRE(function);
    const void *in[3] = {inputs[0].data(), inputs[1].data(), inputs[2].data()};
    if (row.operands == 1)
      reinterpret_cast<void (*)(const void *, void *, int64_t)>(function)(in[0], output.data(),
                                                                          int64_t(count));
    else if (row.operands == 2)
      reinterpret_cast<void (*)(const void *, const void *, void *, int64_t)>(function)(
          in[0], in[1], output.data(), int64_t(count));
    else
      reinterpret_cast<void (*)(const void *, const void *, const void *, void *, int64_t)>(
          function)(in[0], in[1], in[2], output.data(), int64_t(count));
    size_t wrong = 0;
    for (size_t k = 0; k < count; ++k) {
      uint64_t got = 0;
      std::memcpy(&got, &output[k * bytes], bytes);
      if (!same(row, got, wanted[k]) && wrong++ == 0)
        unit::fail(__FILE__, __LINE__,
                   formatString(
                       "%s, %u lanes: operands 0x%llx 0x%llx 0x%llx give 0x%llx, should be 0x%llx",
                       row.name.c_str(), lanes, (unsigned long long)columns[0][k],
                       (unsigned long long)(row.operands > 1 ? columns[1][k] : 0),
                       (unsigned long long)(row.operands > 2 ? columns[2][k] : 0),
                       (unsigned long long)got, (unsigned long long)wanted[k]));
    }
    if (wrong > 1)
      std::printf("  and %zu more of %zu\n", wrong - 1, count);
  }
}

Fill fillAll(std::vector<unsigned> lanes) {
  return [lanes](llvm::Module &module, TargetFamily family) {
    for (const Row &row : makeRows())
      for (unsigned n : lanes)
        addRow(module, family, row, n);
  };
}

} // namespace

UNIT_TEST(every_row_has_its_meaning) {
  Image image;
  REQUIRE_BUILT(image.build(fillAll({0, 8})));
  size_t checked = 0;
  for (const Row &row : makeRows()) {
    checkRow(image, row);
    ++checked;
  }
  CHECK(checked > 400);
}

// Without optimization every operation reaches instruction selection as it was emitted, scalars
// included.
UNIT_TEST(unoptimized_code_means_the_same) {
  Image image;
  REQUIRE_BUILT(image.build(fillAll({0, 8}), "host:x86-64-v3", 0));
  for (const Row &row : makeRows())
    checkRow(image, row);
}

UNIT_TEST(every_row_compiles_for_every_chip) {
  struct {
    const char *chip;
    std::vector<unsigned> lanes;
  } cases[] = {{"amdgcn:gfx90a", {2}},
               {"amdgcn:gfx942", {0, 4}},
               {"amdgcn:gfx950", {2}},
               {"amdgcn:gfx1100", {2}},
               {"amdgcn:gfx1201", {0}}};
  for (const auto &c : cases) {
    Image object;
    CHECK_EQ(object.build(fillAll(c.lanes), c.chip, 1), std::string());
  }
}

UNIT_TEST(other_numbers_of_lanes_compile) {
  auto fill = [](std::vector<unsigned> lanes) -> Fill {
    return [lanes](llvm::Module &module, TargetFamily family) {
      for (const Row &row : makeRows())
        if (isFloat(row.from) && row.opcode != Opcode::Cmp)
          for (unsigned n : lanes)
            addRow(module, family, row, n);
    };
  };
  Image object;
  CHECK_EQ(object.build(fill({8}), "amdgcn:gfx1201"), std::string());
  Image image;
  REQUIRE_BUILT(image.build(fill({2, 3, 5, 7, 16}), "host:x86-64-v3", 1));
}

// a * b + c with and without contraction, where the two differ.
UNIT_TEST(contraction_is_optional) {
  Fill fill = [](llvm::Module &module, TargetFamily family) {
    for (bool contract : {false, true})
      addLoop(module, family, contract ? "fused" : "separate",
              std::vector<llvm::Type *>(3, llvm::Type::getFloatTy(module.getContext())), 0,
              [&](llvm::IRBuilder<> &ir, const std::vector<llvm::Value *> &v) {
                ElementEmitter emitter(ir, {contract, false});
                llvm::Value *factors[] = {v[0], v[1]};
                llvm::Value *terms[] = {emitter.emit(Opcode::Mul, factors, DType::F32, DType::F32),
                                        v[2]};
                return emitter.emit(Opcode::Add, terms, DType::F32, DType::F32);
              });
  };
  Image image;
  REQUIRE(image.build(fill).empty());
  using Function = void(const float *, const float *, const float *, float *, int64_t);
  float a = 0x1.000002p0f, c = -1, separate, fused;
  image.find<Function>("separate")(&a, &a, &c, &separate, 1);
  image.find<Function>("fused")(&a, &a, &c, &fused, 1);
  CHECK_EQ(separate, 0x1p-22f);
  CHECK_EQ(fused, 0x1.000001p-22f);
}

UNIT_TEST(constants_are_rounded_once_and_wrap) {
  llvm::LLVMContext context;
  llvm::IRBuilder<> ir(context);
  ElementEmitter emitter(ir, {});
  auto bits = [](llvm::Constant *c) {
    if (auto *real = llvm::dyn_cast<llvm::ConstantFP>(c))
      return real->getValueAPF().bitcastToAPInt().getZExtValue();
    return llvm::cast<llvm::ConstantInt>(c)->getZExtValue();
  };
  std::mt19937_64 random(1);
  for (DType t : {DType::F16, DType::BF16, DType::F32, DType::F64})
    for (int i = 0; i < 2000; ++i) {
      double value = toDouble(DType::F64, random());
      if (i % 2)
        value = std::ldexp(1 + double(random() >> 12) * 0x1p-52, int(random() % 60) - 30);
      if (!std::isnan(value))
        CHECK_EQ(bits(emitter.constantFloat(t, value)),
                 castReference(DType::F64, t, encodeExact(DType::F64, value)));
    }
  CHECK_EQ(bits(emitter.constantInt(DType::U8, -1)), 255u);
  CHECK_EQ(bits(emitter.constantInt(DType::I16, 65537)), 1u);
  CHECK_EQ(bits(emitter.reduceIdentity(ReduceKind::Max, DType::I8)), 0x80u);
  CHECK_EQ(bits(emitter.reduceIdentity(ReduceKind::Min, DType::U16)), 0xffffu);
  CHECK_EQ(bits(emitter.reduceIdentity(ReduceKind::Max, DType::BF16)), 0xff80u);
  CHECK_EQ(bits(emitter.reduceIdentity(ReduceKind::Sum, DType::F32)), 0x80000000u);
}

UNIT_TEST_MAIN
