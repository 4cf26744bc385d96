// The mathematical functions compiled for AMD chips and executed in the emulator give the bits that
// the host's code gives: all values of f16 and bf16, 20,000 random ones and the neighbourhoods of
// special places of f32 and f64.
// test-timeout: 1200
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/math/math.h"
#include "emu/emulator.h"
#include "unit/llvm_kernel.h"
#include "unit/math_functions.h"
#include "unit/unit_test.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace tl;
using namespace mathtest;

namespace {

constexpr unsigned threads = 256;

std::string kernelName(const Function &function, const Format &format) {
  return std::string(function.name) + "_" + std::string(dtypeText(format.type));
}

/// Element of the workgroup times 256 plus the thread.
llvm::Value *elementIndex(llvm::IRBuilder<> &ir) {
  llvm::Value *group = ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_workgroup_id_x, {});
  llvm::Value *thread = ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, {});
  return ir.CreateAdd(ir.CreateMul(group, ir.getInt32(threads)), thread);
}

void addKernel(llvm::Module &module, const Function &function, const Format &format) {
  llvm::IRBuilder<> ir(module.getContext());
  std::vector<llvm::Type *> parameters(3, ir.getPtrTy(1));
  auto *kernel =
      llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), parameters, false),
                             llvm::Function::ExternalLinkage, kernelName(function, format), module);
  addCommonAttributes(*kernel);
  kernel->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  kernel->addFnAttr("amdgpu-flat-work-group-size", "256,256");
  ir.SetInsertPoint(llvm::BasicBlock::Create(ir.getContext(), "entry", kernel));
  ElementEmitter emitter(ir, {true, true});
  llvm::Type *type = emitter.memoryType(format.type);
  llvm::Value *index = elementIndex(ir);
  std::vector<llvm::Value *> operands;
  for (unsigned i = 0; i < (function.binary ? 2u : 1u); ++i)
    operands.push_back(ir.CreateLoad(type, ir.CreateGEP(type, kernel->getArg(i), index)));
  llvm::Value *result = emitter.emit(function.opcode, operands, format.type, format.type);
  ir.CreateStore(result, ir.CreateGEP(type, kernel->getArg(2), index));
  ir.CreateRetVoid();
}

void addLoop(llvm::Module &module, const Function &function, const Format &format) {
  llvm::IRBuilder<> types(module.getContext());
  EmitterOptions options;
  llvm::Type *element = ElementEmitter(types, options).memoryType(format.type);
  unit::addLoop(module, TargetFamily::Host, kernelName(function, format), {element, element}, 8,
                [&](llvm::IRBuilder<> &ir, const std::vector<llvm::Value *> &values) {
                  auto operands = std::span(values).first(function.binary ? 2 : 1);
                  return ElementEmitter(ir, options)
                      .emit(function.opcode, operands, format.type, format.type);
                });
}

void addAll(llvm::Module &module, TargetFamily family) {
  for (const Function &function : functions)
    for (const Format &format : formats)
      family == TargetFamily::Amdgcn ? addKernel(module, function, format)
                                     : addLoop(module, function, format);
}

/// Runs a kernel; empty when that fails, which is reported.
std::vector<uint8_t> emulate(emu::Emulator &emulator, const emu::Module &code,
                             const std::string &name, const std::vector<uint8_t> &x,
                             const std::vector<uint8_t> &y, size_t count) {
  std::vector<uint8_t> output(x.size());
  uint64_t addresses[3];
  std::string message;
  emu::Operation operation;
  for (uint64_t &address : addresses)
    address = emulator.allocate(x.size(), emu::MemoryKind::Device, 0);
  bool ok = emulator.copy(addresses[0], uint64_t(x.data()), x.size(), operation, &message) &&
            emulator.copy(addresses[1], uint64_t(y.data()), y.size(), operation, &message);
  emu::LaunchRequest request;
  request.kernel = code.findKernel(name);
  request.grid[0] = uint32_t(count / threads);
  request.block[0] = threads;
  request.kernarg = addresses;
  request.kernargBytes = sizeof addresses;
  emu::LaunchResult launched;
  if (ok)
    launched = emulator.launch(request);
  ok = ok && launched.status == emu::LaunchStatus::Ok &&
       emulator.copy(uint64_t(output.data()), addresses[2], output.size(), operation, &message);
  for (uint64_t address : addresses)
    emulator.release(address, nullptr);
  if (!ok) {
    unit::fail(__FILE__, __LINE__, name + ": " + message + launched.message);
    output.clear();
  }
  return output;
}

/// Reports the first element in which two results differ; any NaN equals any NaN.
void compare(const std::string &name, const Format &format, const std::vector<uint64_t> &first,
             const std::vector<uint64_t> &second, const std::vector<uint8_t> &expected,
             const std::vector<uint8_t> &got) {
  for (size_t i = 0; i < first.size() && !got.empty(); ++i) {
    uint64_t a = load(format, expected, i), b = load(format, got, i);
    if (a == b || (std::isnan(decode(format, a)) && std::isnan(decode(format, b))))
      continue;
    unit::fail(__FILE__, __LINE__,
               formatString("%s of %.17g, %.17g: host %.17g, chip %.17g", name.c_str(),
                            decode(format, first[i]), decode(format, second[i]), decode(format, a),
                            decode(format, b)));
    return;
  }
}

void compareWithHost(const char *chip, unsigned total) {
  unit::Image host, device;
  REQUIRE_BUILT(host.build(addAll));
  REQUIRE_BUILT(device.build(addAll, (std::string("amdgcn:") + chip).c_str()));
  emu::Options options;
  options.checks = false;
  std::string message;
  std::unique_ptr<emu::Emulator> emulator(
      tl_emu_create(emu::kInterface, {chip}, options, &message));
  REQUIRE(emulator != nullptr);
  emu::LoadResult loaded =
      emulator->load(device.codeObject().data(), device.codeObject().size(), 0);
  REQUIRE(loaded.module != nullptr);
  for (const Function &function : functions)
    for (const Format &format : formats) {
      std::string name = kernelName(function, format);
      std::vector<uint64_t> first = arguments(format, function, total);
      std::vector<uint64_t> second = exponents(format, first);
      std::vector<uint8_t> x = store(format, first), y = store(format, second);
      std::vector<uint8_t> expected(x.size());
      host.find<void(const void *, const void *, void *, int64_t)>(name.c_str())(
          x.data(), y.data(), expected.data(), int64_t(first.size()));
      compare(name + " on " + chip, format, first, second, expected,
              emulate(*emulator, *loaded.module, name, x, y, first.size()));
    }
}

} // namespace

UNIT_TEST(gfx942_gives_the_bits_of_the_host) { compareWithHost("gfx942", 20000); }
UNIT_TEST(gfx1100_gives_the_bits_of_the_host) { compareWithHost("gfx1100", 20000); }
UNIT_TEST_MAIN
