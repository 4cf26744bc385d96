// The elementwise operations as AMD code, executed by the emulator, against mathematics: every row
// of ops.def and every type, the operands and expectations of unit/llvm_rows.h. One element a lane,
// and four. test-timeout: 600
#include "emu_test.h"

#include "unit/llvm_kernel.h"
#include "unit/llvm_rows.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace unit;
using emutest::Machine;

namespace {

constexpr unsigned kThreads = 64;

// void name(const In *..., Out *, i64 count): each thread works on `lanes` elements, if they are
// all below count.
void addKernel(llvm::Module &module, const Row &row, unsigned lanes) {
  llvm::IRBuilder<> ir(module.getContext());
  std::vector<llvm::Type *> inputs = memoryTypes(module.getContext(), row);
  std::vector<llvm::Type *> parameters(inputs.size() + 1, ir.getPtrTy(1));
  parameters.push_back(ir.getInt64Ty());
  auto *type = llvm::FunctionType::get(ir.getVoidTy(), parameters, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                          row.name + "_" + std::to_string(lanes), module);
  addCommonAttributes(*function);
  function->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  function->addFnAttr("amdgpu-flat-work-group-size", "64,64");
  auto *entry = llvm::BasicBlock::Create(ir.getContext(), "entry", function);
  auto *work = llvm::BasicBlock::Create(ir.getContext(), "work", function);
  auto *exit = llvm::BasicBlock::Create(ir.getContext(), "exit", function);
  ir.SetInsertPoint(entry);
  llvm::Value *group = ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_workgroup_id_x, {});
  llvm::Value *item = ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, {});
  llvm::Value *thread = ir.CreateAdd(ir.CreateMul(group, ir.getInt32(kThreads)), item);
  llvm::Value *index = ir.CreateMul(ir.CreateZExt(thread, ir.getInt64Ty()), ir.getInt64(lanes));
  ir.CreateCondBr(ir.CreateICmpSLT(index, function->getArg(unsigned(inputs.size()) + 1)), work,
                  exit);
  ir.SetInsertPoint(work);
  auto block = [&](llvm::Type *element) -> llvm::Type * {
    return lanes > 1 ? llvm::FixedVectorType::get(element, lanes) : element;
  };
  std::vector<llvm::Value *> loaded;
  for (unsigned i = 0; i < inputs.size(); ++i)
    loaded.push_back(ir.CreateAlignedLoad(
        block(inputs[i]), ir.CreateGEP(inputs[i], function->getArg(i), index), llvm::Align(1)));
  llvm::Value *result = emitRow(ir, {true, true}, row, loaded);
  ir.CreateAlignedStore(result,
                        ir.CreateGEP(result->getType()->getScalarType(),
                                     function->getArg(unsigned(inputs.size())), index),
                        llvm::Align(1));
  ir.CreateBr(exit);
  ir.SetInsertPoint(exit);
  ir.CreateRetVoid();
}

void checkChip(const char *chip, unsigned lanes, int optLevel) {
  Image image;
  Fill fill = [&](llvm::Module &module, TargetFamily) {
    for (const Row &row : makeRows())
      addKernel(module, row, lanes);
  };
  REQUIRE_BUILT(image.build(fill, (std::string("amdgcn:") + chip).c_str(), optLevel));
  emutest::Options options;
  options.checks = false;
  Machine machine(chip, options);
  REQUIRE(machine.load({image.codeObject().begin(), image.codeObject().end()}) ==
          emutest::LoadStatus::Ok);
  for (const Row &row : makeRows()) {
    auto columns = makeOperands(row);
    auto inputs = columnBytes(row, columns);
    size_t count = columns[0].size(), bytes = count * dtypeBytes(row.to);
    uint64_t in[3] = {};
    for (unsigned i = 0; i < row.operands; ++i)
      in[i] = machine.upload(inputs[i]);
    uint64_t out = machine.upload(std::vector<uint8_t>(bytes, 0xa5));
    std::string name = row.name + "_" + std::to_string(lanes);
    std::vector<uint32_t> grid = {uint32_t((count + lanes * kThreads - 1) / (lanes * kThreads))};
    auto n = int64_t(count);
    emutest::LaunchResult result =
        row.operands == 1   ? machine.launch(name, grid, {kThreads}, in[0], out, n)
        : row.operands == 2 ? machine.launch(name, grid, {kThreads}, in[0], in[1], out, n)
                            : machine.launch(name, grid, {kThreads}, in[0], in[1], in[2], out, n);
    if (result.status != emutest::LaunchStatus::Ok)
      return unit::fail(__FILE__, __LINE__, result.message);
    checkResults(row, columns, machine.download<uint8_t>(out, bytes), chip);
    for (unsigned i = 0; i < row.operands; ++i)
      machine.emulator->release(in[i], nullptr);
    machine.emulator->release(out, nullptr);
  }
}

} // namespace

UNIT_TEST(gfx942_one_element_a_lane) { checkChip("gfx942", 1, 2); }
UNIT_TEST(gfx942_four_elements_a_lane) { checkChip("gfx942", 4, 2); }
UNIT_TEST(gfx1100_one_element_a_lane) { checkChip("gfx1100", 1, 2); }
UNIT_TEST(gfx1100_four_elements_a_lane) { checkChip("gfx1100", 4, 2); }
UNIT_TEST(gfx90a_two_elements_a_lane) { checkChip("gfx90a", 2, 2); }
UNIT_TEST(gfx950_two_elements_a_lane) { checkChip("gfx950", 2, 2); }
UNIT_TEST(gfx1201_two_elements_a_lane) { checkChip("gfx1201", 2, 2); }

UNIT_TEST_MAIN
