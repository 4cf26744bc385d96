// The AMD target: LLVM IR, code object, resource use.
#include "codegen/amdgpu/amd_target.h"
#include "codegen/amdgpu/code_object.h"
#include "codegen/codegen.h"
#include "codegen/gpu/kernel.h"
#include "codegen/llvm/link.h"
#include "codegen/llvm/listings.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"

namespace tl {

namespace {

using amdgpu::AmdTarget;

Result<const AmdChip *> chipOf(const std::string &target) {
  constexpr std::string_view prefix = "amdgcn:";
  std::string_view name = target;
  if (name.starts_with(prefix))
    name.remove_prefix(prefix.size());
  if (const AmdChip *chip = findAmdChip(name))
    return chip;
  std::string known;
  for (const AmdChip &chip : amdChips())
    known += (known.empty() ? "" : ", ") + std::string(chip.name);
  return makeError(TL_E_UNKNOWN_TARGET, "no code generator for '%s'; AMD chips known: %s",
                   target.c_str(), known.c_str());
}

/// Everything that happens inside LLVM and lld, for one kernel.
class Build {
public:
  Build(const CodegenInput &input, const AmdChip &chip, TargetCode &code, BuildTiming &timing)
      : input(input), chip(chip), code(code), timing(timing) {}

  Status run(CompileSession &session) {
    TL_ASSIGN(TargetSpec spec, parseTarget(input.request.target));
    TL_ASSIGN(auto machine, createTargetMachine(spec, input.request.optLevel));
    const std::string &name = input.graph.kernel.name;
    auto module = createModule(session, *machine, name);
    TL_TRY(gpu::emitModule(input, AmdTarget(chip), *module, code));
    LlvmTimes times;
    TL_TRY(optimizeModule(session, *module, *machine, input.request.optLevel, &times));
    TL_TRY(addListings(session, *module, *machine, input.request.listings, code.listings));
    TL_ASSIGN(Bytes object, emitObject(session, *module, *machine, &times));
    double linkTime = 0;
    TL_ASSIGN(code.code, linkCodeObject(session, object, &linkTime));
    timing.llvmOpt += times.optimize;
    timing.llvmCodegen += times.codegen;
    timing.link += linkTime;
    return readResources();
  }

private:
  const CodegenInput &input;
  const AmdChip &chip;
  TargetCode &code;
  BuildTiming &timing;

  Status readResources() {
    TL_ASSIGN(amdgpu::KernelMetadata metadata, amdgpu::readKernelMetadata(code.code, code.symbol));
    // The launcher fills 8 bytes a slot and nothing else; LLVM must not have asked for hidden
    // arguments.
    if (metadata.kernargBytes != 8 * input.slots.size() || metadata.waveSize != chip.waveSize)
      return internalError("kernel '%s' has %u bytes of arguments and waves of %u, not %zu and %u",
                           code.symbol.c_str(), metadata.kernargBytes, metadata.waveSize,
                           8 * input.slots.size(), chip.waveSize);
    code.use = metadata.use;
    code.ldsBytes = metadata.use.ldsBytes;
    code.use.occupancyWaves = occupancyWaves(chip, code.use, code.threads);
    return {};
  }
};

} // namespace

Result<TargetCode> generateAmdgpu(const CodegenInput &input, BuildTiming &timing) {
  TL_ASSIGN(const AmdChip *chip, chipOf(input.request.target));
  TargetCode code;
  code.target = input.request.target;
  code.symbol = input.graph.kernel.name;
  TL_TRY(runCompileSession(
      [&](CompileSession &session) { return Build(input, *chip, code, timing).run(session); }));
  return code;
}

} // namespace tl
