// Every elementwise, comparing, choosing and converting row of ops.def on every element type it
// takes: corner and random operands against results from mathematics (llvm_reference.h), as scalars
// and as vectors of 8, on the host; and compiled for every AMD chip. The mathematical functions
// have a test of their own (math.cc). test-timeout: 300
#include "codegen/llvm/emitter.h"
#include "unit/llvm_kernel.h"
#include "unit/llvm_rows.h"
#include "unit/unit_test.h"

#include <random>

using namespace tl;
using namespace unit;

namespace {

void addRow(llvm::Module &module, TargetFamily family, const Row &row, unsigned lanes) {
  EmitterOptions options{true, family == TargetFamily::Amdgcn};
  addLoop(module, family, row.name + "_" + std::to_string(lanes),
          memoryTypes(module.getContext(), row), lanes,
          [&](llvm::IRBuilder<> &ir, const std::vector<llvm::Value *> &loaded) {
            return emitRow(ir, options, row, loaded);
          });
}

void checkRow(Image &image, const Row &row) {
  auto columns = makeOperands(row);
  auto inputs = columnBytes(row, columns);
  auto count = int64_t(columns[0].size());
  for (unsigned lanes : {0u, 8u}) {
    std::vector<uint8_t> output(columns[0].size() * dtypeBytes(row.to));
    void *function = image.find<void>((row.name + "_" + std::to_string(lanes)).c_str());
    REQUIRE(function);
    using In = const void *;
    if (row.operands == 1)
      reinterpret_cast<void (*)(In, void *, int64_t)>(function)(inputs[0].data(), output.data(),
                                                                count);
    else if (row.operands == 2)
      reinterpret_cast<void (*)(In, In, void *, int64_t)>(function)(
          inputs[0].data(), inputs[1].data(), output.data(), count);
    else
      reinterpret_cast<void (*)(In, In, In, void *, int64_t)>(function)(
          inputs[0].data(), inputs[1].data(), inputs[2].data(), output.data(), count);
    checkResults(row, columns, output, std::to_string(lanes) + " lanes");
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
