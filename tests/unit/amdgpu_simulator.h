// Runs the LLVM IR that the AMD code generator makes for a kernel, on the CPU: every thread of a
// workgroup is a fiber, barriers and operations between lanes are meeting points, and threads run
// in an order of choice between them, so that a missing barrier gives wrong results. What LLVM's
// back end makes of the IR is not tested here.
#pragma once

#include "codegen/amdgpu/amd_target.h"
#include "codegen/gpu/kernel.h"
#include "codegen/llvm/emitter.h"
#include "unit/llvm_kernel.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <algorithm>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>

namespace unit {

/// The order in which threads run between meeting points.
enum class Schedule { Forward, Backward, Random };

/// One workgroup at a time; there is one running simulator in the process.
class Workgroup {
public:
  Workgroup(uint32_t threads, uint32_t waveSize)
      : threads(threads), waveSize(waveSize), fibers(threads) {
    stacks = static_cast<char *>(mmap(nullptr, threads * stackBytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  ~Workgroup() { munmap(stacks, threads * stackBytes); }
  Workgroup(const Workgroup &) = delete;

  /// Runs program `group` of a kernel; the words of what went wrong, or nothing.
  std::string run(void (*kernel)(const uint64_t *), const uint64_t *slotArray,
                  std::array<uint32_t, 3> group, Schedule schedule, uint32_t seed) {
    current() = this;
    entry = kernel;
    slots = slotArray;
    ids = group;
    error.clear();
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < threads; ++i) {
      Fiber &fiber = fibers[i];
      fiber.state = State::Ready;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = stacks + i * stackBytes;
      fiber.context.uc_stack.ss_size = stackBytes;
      fiber.context.uc_link = &scheduler;
      makecontext(&fiber.context, &Workgroup::fiberMain, 0);
    }
    while (error.empty()) {
      std::vector<uint32_t> ready;
      for (uint32_t i = 0; i < threads; ++i)
        if (fibers[i].state == State::Ready)
          ready.push_back(i);
      if (ready.empty() && !meet())
        break;
      if (schedule == Schedule::Random)
        std::shuffle(ready.begin(), ready.end(), random);
      if (schedule == Schedule::Backward)
        std::reverse(ready.begin(), ready.end());
      for (uint32_t i : ready) {
        running = i;
        swapcontext(&scheduler, &fibers[i].context);
      }
    }
    current() = nullptr;
    return error;
  }

  /// Report values that are made uniform but are not. NaNs from sums in different orders may differ
  /// in their payloads.
  bool checksUniform = true;

  // What the kernel calls, by number in the table.
  enum Call { Thread, Group, Barrier, Dpp, Permute, First, Kernarg, Calls };
  static std::array<void *, Calls> table() {
    return {(void *)&thread,  (void *)&groupId, (void *)&barrier, (void *)&dpp,
            (void *)&permute, (void *)&first,   (void *)&kernarg};
  }

private:
  enum class State { Ready, Done, AtBarrier, AtDpp, AtPermute, AtFirst };
  struct Fiber {
    ucontext_t context;
    State state = State::Done;
    uint32_t a = 0, b = 0, result = 0;
  };
  static constexpr size_t stackBytes = 1 << 18;

  uint32_t threads, waveSize;
  std::vector<Fiber> fibers;
  char *stacks = nullptr;
  ucontext_t scheduler;
  uint32_t running = 0;
  void (*entry)(const uint64_t *) = nullptr;
  const uint64_t *slots = nullptr;
  std::array<uint32_t, 3> ids{};
  std::string error;

  static Workgroup *&current() {
    static Workgroup *one = nullptr;
    return one;
  }
  static void fiberMain() {
    Workgroup &group = *current();
    group.entry(group.slots);
    group.fibers[group.running].state = State::Done;
  }
  static uint32_t meetAt(State state, uint32_t a, uint32_t b) {
    Workgroup &group = *current();
    Fiber &fiber = group.fibers[group.running];
    fiber.state = state;
    fiber.a = a;
    fiber.b = b;
    swapcontext(&fiber.context, &group.scheduler);
    return fiber.result;
  }
  static uint32_t thread() { return current()->running; }
  static uint32_t groupId(uint32_t axis) { return current()->ids[axis]; }
  static void barrier() { meetAt(State::AtBarrier, 0, 0); }
  static uint32_t dpp(uint32_t value, uint32_t control) {
    return meetAt(State::AtDpp, value, control);
  }
  static uint32_t permute(uint32_t address, uint32_t value) {
    return meetAt(State::AtPermute, value, address);
  }
  static uint32_t first(uint32_t value) { return meetAt(State::AtFirst, value, 0); }
  static const void *kernarg() { return current()->slots; }

  uint32_t dppSource(uint32_t lane, uint32_t control) {
    if (control < 0x100) // quad_perm
      return (lane & ~3u) | (control >> 2 * (lane & 3) & 3);
    if (control >= 0x160 && control < 0x170) // row_xmask
      return lane ^ (control & 15);
    error = "unknown DPP control";
    return lane;
  }

  /// All threads stand somewhere: lets those go on that met. False when all are done.
  bool meet() {
    auto all = [&](uint32_t begin, uint32_t end, State state) {
      return std::all_of(fibers.begin() + begin, fibers.begin() + end,
                         [&](const Fiber &fiber) { return fiber.state == state; });
    };
    if (all(0, threads, State::Done))
      return false;
    if (all(0, threads, State::AtBarrier)) {
      for (Fiber &fiber : fibers)
        fiber.state = State::Ready;
      return true;
    }
    bool any = false;
    for (uint32_t wave = 0; wave < threads; wave += waveSize) {
      State state = fibers[wave].state;
      if (state == State::Done || state == State::AtBarrier)
        continue;
      if (!all(wave, wave + waveSize, state)) {
        error = "lanes of a wave stand at different operations";
        return true;
      }
      meetWave(wave, state);
      any = true;
    }
    if (!any)
      error = "some threads wait at a barrier, some are done";
    return true;
  }

  void meetWave(uint32_t wave, State state) {
    for (uint32_t lane = 0; lane < waveSize; ++lane) {
      Fiber &fiber = fibers[wave + lane];
      uint32_t source = state == State::AtDpp       ? dppSource(lane, fiber.b)
                        : state == State::AtPermute ? fiber.b / 4 % waveSize
                                                    : 0;
      fiber.result = fibers[wave + source].a;
      if (checksUniform && state == State::AtFirst && fiber.a != fibers[wave].a)
        error = "a value that should be uniform is not";
      fiber.state = State::Ready;
    }
  }
};

/// The IR of a kernel, compiled for the host.
class SimulatedKernel {
public:
  uint32_t threads = 0, waveSize = 0;

  /// The error's message, or nothing.
  std::string build(const tl::Graph &graph, const std::vector<tl::KernargSlot> &slots,
                    const tl::AmdChip &chip, uint32_t wantedThreads) {
    tl::Request request;
    request.debugInfo = false;
    tl::PrintedText text;
    std::string problem;
    std::string message = image.build(
        [&](llvm::Module &module, tl::TargetFamily) {
          tl::LayoutAssignment layouts =
              tl::assignLayouts(graph, {chip.waveSize, 1024, wantedThreads});
          threads = layouts.threads;
          waveSize = layouts.waveSize;
          tl::CodegenInput input{graph, text, slots, request};
          tl::KernelDebugInfo debugInfo(module, input);
          tl::Result<llvm::Function *> kernel =
              tl::gpu::emitKernel(input, tl::amdgpu::AmdTarget(chip), layouts, module, debugInfo);
          if (!kernel.ok()) {
            problem = kernel.error().message;
            return;
          }
          adapt(module, **kernel);
        },
        "host:x86-64-v3", 1);
    if (!problem.empty() || !message.empty())
      return problem.empty() ? message : problem;
    auto *calls = image.find<void *>("calls");
    kernel = image.find<void(const uint64_t *)>("start");
    std::array<void *, Workgroup::Calls> table = Workgroup::table();
    std::copy(table.begin(), table.end(), calls);
    return "";
  }

  std::string run(const std::vector<uint64_t> &slots, std::array<int64_t, 3> grid,
                  Schedule schedule, uint32_t seed, bool checksUniform = true) {
    Workgroup group(threads, waveSize);
    group.checksUniform = checksUniform;
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x)
          if (std::string error = group.run(kernel, slots.data(), {x, y, z}, schedule, seed++);
              !error.empty())
            return error;
    return "";
  }

private:
  Image image;
  void (*kernel)(const uint64_t *) = nullptr;

  /// Makes a host module of one for a GPU: intrinsics become calls through a table, and "start"
  /// unpacks the slots.
  static void adapt(llvm::Module &module, llvm::Function &kernel) {
    llvm::IRBuilder<> ir(module.getContext());
    auto *tableType = llvm::ArrayType::get(ir.getPtrTy(), Workgroup::Calls);
    auto *table =
        new llvm::GlobalVariable(module, tableType, false, llvm::GlobalValue::ExternalLinkage,
                                 llvm::Constant::getNullValue(tableType), "calls");
    std::vector<llvm::IntrinsicInst *> found;
    for (llvm::BasicBlock &block : kernel)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
          found.push_back(call);
    for (llvm::IntrinsicInst *call : found) {
      std::vector<llvm::Value *> arguments(call->arg_begin(), call->arg_end());
      int number = callNumber(call->getIntrinsicID(), arguments, ir);
      if (number < 0)
        continue;
      ir.SetInsertPoint(call);
      llvm::Type *result =
          number == Workgroup::Kernarg ? (llvm::Type *)ir.getPtrTy() : call->getType();
      std::vector<llvm::Type *> types;
      for (llvm::Value *argument : arguments)
        types.push_back(argument->getType());
      llvm::Value *target = ir.CreateLoad(
          ir.getPtrTy(), ir.CreateConstInBoundsGEP2_32(tableType, table, 0, unsigned(number)));
      llvm::Value *value =
          ir.CreateCall(llvm::FunctionType::get(result, types, false), target, arguments);
      if (number == Workgroup::Kernarg)
        value = ir.CreateAddrSpaceCast(value, call->getType());
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
    replaceConversions(kernel, ir);
    // LDS is shared with other fibers, which run inside the calls: nothing may be assumed about it.
    for (llvm::GlobalVariable &global : module.globals())
      global.setLinkage(llvm::GlobalValue::ExternalLinkage);
    kernel.setCallingConv(llvm::CallingConv::C);
    kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
    kernel.setMetadata("reqd_work_group_size", nullptr);
    auto *start =
        llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false),
                               llvm::GlobalValue::ExternalLinkage, "start", module);
    ir.SetInsertPoint(llvm::BasicBlock::Create(ir.getContext(), "", start));
    std::vector<llvm::Value *> arguments;
    for (llvm::Argument &argument : kernel.args())
      arguments.push_back(
          ir.CreateLoad(argument.getType(), ir.CreateConstGEP1_64(ir.getInt64Ty(), start->getArg(0),
                                                                  argument.getArgNo())));
    ir.CreateCall(&kernel, arguments);
    ir.CreateRetVoid();
  }

  /// Operations that end in half or bfloat, for which the host would call a routine of C.
  static void replaceConversions(llvm::Function &kernel, llvm::IRBuilder<> &ir) {
    tl::ElementEmitter rounding(ir, {});
    std::vector<llvm::CastInst *> found;
    for (llvm::BasicBlock &block : kernel)
      for (llvm::Instruction &instruction : block)
        if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
          if ((cast->getType()->isHalfTy() || cast->getType()->isBFloatTy()) &&
              !llvm::isa<llvm::BitCastInst>(cast))
            found.push_back(cast);
    std::vector<llvm::IntrinsicInst *> products;
    for (llvm::BasicBlock &block : kernel)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
          if (call->getIntrinsicID() == llvm::Intrinsic::fma && call->getType()->isHalfTy())
            products.push_back(call);
    for (llvm::IntrinsicInst *call : products) {
      ir.SetInsertPoint(call);
      std::vector<llvm::Value *> operands(call->arg_begin(), call->arg_end());
      call->replaceAllUsesWith(
          rounding.emit(tl::Opcode::Fma, operands, tl::DType::F16, tl::DType::F16));
      call->eraseFromParent();
    }
    for (llvm::CastInst *cast : found) {
      ir.SetInsertPoint(cast);
      llvm::Value *value = cast->getOperand(0);
      tl::DType from = value->getType()->isDoubleTy()      ? tl::DType::F64
                       : value->getType()->isFloatTy()     ? tl::DType::F32
                       : llvm::isa<llvm::UIToFPInst>(cast) ? tl::DType::U64
                                                           : tl::DType::I64;
      if (value->getType()->isIntegerTy())
        value = ir.CreateIntCast(value, ir.getInt64Ty(), from == tl::DType::I64);
      llvm::Value *bits = rounding.cast(
          value, from, cast->getType()->isHalfTy() ? tl::DType::F16 : tl::DType::BF16);
      cast->replaceAllUsesWith(ir.CreateBitCast(bits, cast->getType()));
      cast->eraseFromParent();
    }
  }

  static int callNumber(llvm::Intrinsic::ID id, std::vector<llvm::Value *> &arguments,
                        llvm::IRBuilder<> &ir) {
    switch (id) {
    case llvm::Intrinsic::amdgcn_workitem_id_x:
      return Workgroup::Thread;
    case llvm::Intrinsic::amdgcn_workgroup_id_x:
    case llvm::Intrinsic::amdgcn_workgroup_id_y:
    case llvm::Intrinsic::amdgcn_workgroup_id_z:
      arguments = {ir.getInt32(id == llvm::Intrinsic::amdgcn_workgroup_id_x   ? 0
                               : id == llvm::Intrinsic::amdgcn_workgroup_id_y ? 1
                                                                              : 2)};
      return Workgroup::Group;
    case llvm::Intrinsic::amdgcn_s_barrier:
      return Workgroup::Barrier;
    case llvm::Intrinsic::amdgcn_update_dpp:
      arguments = {arguments[1], arguments[2]};
      return Workgroup::Dpp;
    case llvm::Intrinsic::amdgcn_ds_bpermute:
      return Workgroup::Permute;
    case llvm::Intrinsic::amdgcn_readfirstlane:
      return Workgroup::First;
    case llvm::Intrinsic::amdgcn_kernarg_segment_ptr:
      return Workgroup::Kernarg;
    default:
      return -1;
    }
  }
};

} // namespace unit
