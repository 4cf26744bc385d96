// Only linked when LLVM is static. lld's ELF driver and LLVM's LTO library refer to the
// initializers of every LLVM target and to Polly; empty definitions here keep those targets out of
// the library. A target that we generate code for (TL_LLVM_TARGETS in cmake/LLVM.cmake) must not be
// listed.
#include <llvm/Plugins/PassPlugin.h>

#define TL_WITHOUT_TARGET(T)                                                                       \
  extern "C" void LLVMInitialize##T##TargetInfo() {}                                               \
  extern "C" void LLVMInitialize##T##Target() {}                                                   \
  extern "C" void LLVMInitialize##T##TargetMC() {}                                                 \
  extern "C" void LLVMInitialize##T##AsmPrinter() {}                                               \
  extern "C" void LLVMInitialize##T##AsmParser() {}

TL_WITHOUT_TARGET(AArch64)
TL_WITHOUT_TARGET(ARM)
TL_WITHOUT_TARGET(AVR)
TL_WITHOUT_TARGET(BPF)
TL_WITHOUT_TARGET(Hexagon)
TL_WITHOUT_TARGET(Lanai)
TL_WITHOUT_TARGET(LoongArch)
TL_WITHOUT_TARGET(M68k)
TL_WITHOUT_TARGET(MSP430)
TL_WITHOUT_TARGET(Mips)
TL_WITHOUT_TARGET(PowerPC)
TL_WITHOUT_TARGET(RISCV)
TL_WITHOUT_TARGET(SPIRV)
TL_WITHOUT_TARGET(Sparc)
TL_WITHOUT_TARGET(SystemZ)
TL_WITHOUT_TARGET(VE)
TL_WITHOUT_TARGET(WebAssembly)
TL_WITHOUT_TARGET(XCore)
TL_WITHOUT_TARGET(Xtensa)

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }
