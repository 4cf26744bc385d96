// One kernel as LLVM IR: walks the graph's ops and emits what each thread of a workgroup does.
#pragma once

#include "codegen/codegen.h"
#include "codegen/debug_info.h"
#include "codegen/gpu/target.h"
#include "passes/assign_layouts.h"

#include "llvm/IR/Module.h"

namespace tl::gpu {

/// How the tiles of a kernel are laid out over its threads.
LayoutAssignment layoutsFor(const CodegenInput &input, const Target &target);

/// Adds the kernel to a module of the target's triple, with one parameter per kernel argument slot.
/// TL_E_LIMIT when a tile fits neither registers nor LDS of the chip.
Result<llvm::Function *> emitKernel(const CodegenInput &input, const Target &target,
                                    const LayoutAssignment &layouts, llvm::Module &module,
                                    KernelDebugInfo &debugInfo);

/// Both, with debug info, for a request: the whole module. Fills in threads and the wave size.
Status emitModule(const CodegenInput &input, const Target &target, llvm::Module &module,
                  TargetCode &code);

} // namespace tl::gpu
