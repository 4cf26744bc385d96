#include "codegen/llvm/target_machine.h"

#include "codegen/llvm/llvm_passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <mutex>

namespace tl {
namespace {

constexpr const char *amdgcnTriple = "amdgcn-amd-amdhsa";
constexpr const char *nvptxTriple = "nvptx64-nvidia-cuda";
constexpr const char *hostTriple = "x86_64-unknown-linux-gnu";

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // for inline assembly
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
}

Result<const llvm::Target *> findTarget(const llvm::Triple &triple) {
  initializeTargets();
  std::string text;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, text);
  if (!target)
    return internalError("LLVM lacks the target %s: %s", triple.str().c_str(), text.c_str());
  return target;
}

// LLVM's table of processors and features. Asked before anything else is, because LLVM itself
// answers an unknown name on stderr and goes on.
Result<std::unique_ptr<llvm::MCSubtargetInfo>> subtargetTable(const char *tripleText) {
  llvm::Triple triple(tripleText);
  TL_ASSIGN(const llvm::Target *target, findTarget(triple));
  return std::unique_ptr<llvm::MCSubtargetInfo>(target->createMCSubtargetInfo(triple, "", ""));
}

Result<TargetSpec> parseAmdgcn(llvm::StringRef chip) {
  TL_ASSIGN(auto table, subtargetTable(amdgcnTriple));
  if (!chip.starts_with("gfx") || !table->isCPUStringValid(chip))
    return makeError(TL_E_UNKNOWN_TARGET, "LLVM does not know the AMD chip '%s'",
                     chip.str().c_str());
  return TargetSpec{TargetFamily::Amdgcn, amdgcnTriple, chip.str(), ""};
}

// The version of PTX is the oldest that has the chip, so that every driver that knows the chip
// takes it.
Result<TargetSpec> parseNvptx(llvm::StringRef chip) {
  TL_ASSIGN(auto table, subtargetTable(nvptxTriple));
  if (!chip.starts_with("sm_") || !table->isCPUStringValid(chip))
    return makeError(TL_E_UNKNOWN_TARGET, "LLVM does not know the NVIDIA GPU '%s'",
                     chip.str().c_str());
  return TargetSpec{TargetFamily::Nvptx, nvptxTriple, chip.str(), ""};
}

Result<TargetSpec> parseHost(llvm::StringRef text) {
  auto [level, rest] = text.split('+');
  if (level == "x86-64" || level == "x86-64-v2")
    return makeError(TL_E_UNSUPPORTED,
                     "host code needs x86-64-v3 (AVX2, FMA, F16C) or better, not '%s'",
                     level.str().c_str());
  if (level != "x86-64-v3" && level != "x86-64-v4")
    return makeError(TL_E_UNKNOWN_TARGET, "unknown host level '%s' (known: x86-64-v3, x86-64-v4)",
                     level.str().c_str());
  TL_ASSIGN(auto table, subtargetTable(hostTriple));
  TargetSpec spec{TargetFamily::Host, hostTriple, level.str(), ""};
  llvm::SmallVector<llvm::StringRef> features;
  if (text.contains('+'))
    rest.split(features, '+');
  for (llvm::StringRef feature : features) {
    auto named = [&](const llvm::SubtargetFeatureKV &row) { return feature == row.Key; };
    if (llvm::none_of(table->getAllProcessorFeatures(), named))
      return makeError(TL_E_UNKNOWN_TARGET, "unknown host feature '%s'", feature.str().c_str());
    spec.features += (spec.features.empty() ? "+" : ",+") + feature.str();
  }
  return spec;
}

class Stopwatch {
public:
  explicit Stopwatch(double *target) : target(target), start(Clock::now()) {}
  ~Stopwatch() {
    if (target)
      *target += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double *target;
  Clock::time_point start;
};

// No C library stands beside our code: LLVM may assume only the routines that host_runtime.h
// provides.
llvm::TargetLibraryInfoImpl libraryInfo(const llvm::Triple &triple) {
  llvm::TargetLibraryInfoImpl info(triple);
  info.disableAllFunctions();
  if (triple.isX86())
    for (llvm::LibFunc routine :
         {llvm::LibFunc_memcpy, llvm::LibFunc_memmove, llvm::LibFunc_memset})
      info.setAvailable(routine);
  return info;
}

Status emitFile(CompileSession &session, llvm::Module &module, llvm::TargetMachine &machine,
                llvm::CodeGenFileType type, llvm::SmallVectorImpl<char> &out, LlvmTimes *times) {
  session.setStage("llvm-codegen");
  Stopwatch watch(times ? &times->codegen : nullptr);
  llvm::raw_svector_ostream stream(out);
  CodegenPasses passes(module);
  passes.add(new llvm::TargetLibraryInfoWrapperPass(libraryInfo(machine.getTargetTriple())));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return internalError("LLVM cannot emit this kind of file for %s",
                         machine.getTargetTriple().str().c_str());
  passes.run(module);
  return session.check();
}

} // namespace

Result<TargetSpec> parseTarget(std::string_view target) {
  llvm::StringRef text(target.data(), target.size());
  if (text.consume_front("amdgcn:"))
    return parseAmdgcn(text);
  if (text.consume_front("nvptx:"))
    return parseNvptx(text);
  if (text.consume_front("host:"))
    return parseHost(text);
  return makeError(
      TL_E_UNKNOWN_TARGET,
      "unknown target '%s' (known: amdgcn:<chip>, nvptx:sm_<number>, host:<level>[+feature...])",
      std::string(target).c_str());
}

Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const TargetSpec &spec,
                                                                 int optLevel) {
  llvm::Triple triple(spec.triple);
  TL_ASSIGN(const llvm::Target *target, findTarget(triple));
  std::optional<llvm::CodeGenOptLevel> level = llvm::CodeGenOpt::getLevel(optLevel);
  if (!level)
    return makeError(TL_E_INVALID_ARGUMENT, "optimization level %d is not one of 0 to 3", optLevel);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // only where instructions carry `contract`
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, spec.cpu, spec.features, options, llvm::Reloc::PIC_, std::nullopt, *level));
  if (!machine)
    return internalError("LLVM made no target machine for %s %s", spec.triple.c_str(),
                         spec.cpu.c_str());
  return machine;
}

std::unique_ptr<llvm::Module>
createModule(CompileSession &session, const llvm::TargetMachine &machine, llvm::StringRef name) {
  auto module = std::make_unique<llvm::Module>(name, session.context());
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  // Version 5: ROCm >= 5.7; LLVM 22's own default, 6, needs ROCm 6.3.
  if (machine.getTargetTriple().isAMDGPU())
    module->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  else if (machine.getTargetTriple().isX86())
    module->setPICLevel(llvm::PICLevel::BigPIC);
  return module;
}

void addCommonAttributes(llvm::Function &function) {
  function.setDoesNotThrow();
  function.addFnAttr("denormal-fp-math", "ieee,ieee");
  function.addFnAttr("no-trapping-math", "true");
}

Status optimizeModule(CompileSession &session, llvm::Module &module, llvm::TargetMachine &machine,
                      int optLevel, LlvmTimes *times) {
  session.setStage("llvm-opt");
  Stopwatch watch(times ? &times->optimize : nullptr);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream))
    return internalError("the code generator made a module that LLVM refuses: %s", text.c_str());

  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass(
      [&] { return llvm::TargetLibraryAnalysis(libraryInfo(machine.getTargetTriple())); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes = optimizationPasses(builder, machine.getTargetTriple(), optLevel);
  passes.run(module, modules);
  return session.check();
}

Result<Bytes> emitObject(CompileSession &session, llvm::Module &module,
                         llvm::TargetMachine &machine, LlvmTimes *times) {
  llvm::SmallVector<char, 0> out;
  TL_TRY(emitFile(session, module, machine, llvm::CodeGenFileType::ObjectFile, out, times));
  return Bytes(out.begin(), out.end());
}

Result<std::string> emitAssembly(CompileSession &session, llvm::Module &module,
                                 llvm::TargetMachine &machine, LlvmTimes *times) {
  llvm::SmallVector<char, 0> out;
  TL_TRY(emitFile(session, module, machine, llvm::CodeGenFileType::AssemblyFile, out, times));
  return std::string(out.begin(), out.end());
}

std::string moduleText(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

} // namespace tl
