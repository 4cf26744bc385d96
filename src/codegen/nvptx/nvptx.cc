// The NVIDIA target: LLVM IR, PTX. The driver compiles that for the GPU at hand.
#include "codegen/codegen.h"
#include "codegen/gpu/kernel.h"
#include "codegen/llvm/listings.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"
#include "codegen/nvptx/nvidia_target.h"
#include "codegen/nvptx/shared_memory.h"

namespace tl {

namespace {

Result<const NvidiaChip *> chipOf(const std::string &target) {
  constexpr std::string_view prefix = "nvptx:";
  if (const NvidiaChip *chip = findNvidiaChip(std::string_view(target).substr(prefix.size())))
    return chip;
  std::string known;
  for (const NvidiaChip &chip : nvidiaChips())
    known += (known.empty() ? "" : ", ") + std::string(chip.name);
  return makeError(TL_E_UNKNOWN_TARGET, "no code generator for '%s'; NVIDIA GPUs known: %s",
                   target.c_str(), known.c_str());
}

Status build(CompileSession &session, const CodegenInput &input, const NvidiaChip &chip,
             TargetCode &code, BuildTiming &timing) {
  const Request &request = input.request;
  TL_ASSIGN(TargetSpec spec, parseTarget(request.target));
  TL_ASSIGN(auto machine, createTargetMachine(spec, request.optLevel));
  auto module = createModule(session, *machine, code.symbol);
  TL_TRY(gpu::emitModule(input, nvptx::NvidiaTarget(chip), *module, code));
  const uint64_t shared = nvptx::gatherSharedMemory(*module);
  if (shared > chip.sharedBytes)
    return internalError("the kernel's shared memory has %llu bytes, and a program of %s has %u",
                         (unsigned long long)shared, std::string(chip.name).c_str(),
                         chip.sharedBytes);
  LlvmTimes times;
  TL_TRY(optimizeModule(session, *module, *machine, request.optLevel, &times));
  TL_TRY(addListings(session, *module, *machine, request.listings, code.listings));
  TL_ASSIGN(std::string ptx, emitAssembly(session, *module, *machine, &times));
  // The driver reads to the first zero byte.
  code.code.assign(ptx.c_str(), ptx.c_str() + ptx.size() + 1);
  code.ldsBytes = code.use.ldsBytes = uint32_t(shared);
  timing.llvmOpt += times.optimize;
  timing.llvmCodegen += times.codegen;
  return {};
}

} // namespace

Result<TargetCode> generateNvptx(const CodegenInput &input, BuildTiming &timing) {
  TL_ASSIGN(const NvidiaChip *chip, chipOf(input.request.target));
  TargetCode code;
  code.target = input.request.target;
  code.symbol = input.graph.kernel.name;
  TL_TRY(runCompileSession(
      [&](CompileSession &session) { return build(session, input, *chip, code, timing); }));
  return code;
}

} // namespace tl
