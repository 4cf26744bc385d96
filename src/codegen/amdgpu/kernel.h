// One kernel as LLVM IR: walks the graph's ops and emits what each thread of a workgroup does.
#pragma once

#include "codegen/codegen.h"
#include "codegen/debug_info.h"
#include "codegen/targets.h"
#include "passes/assign_layouts.h"

#include "llvm/IR/Module.h"

namespace tl::amdgpu {

/// Adds the kernel to a module of the chip's triple: an amdgpu_kernel with one parameter per kernel
/// argument slot. TL_E_LIMIT when a tile fits neither registers nor LDS of the chip.
Result<llvm::Function *> emitKernel(const CodegenInput &input, const AmdChip &chip,
                                    const LayoutAssignment &layouts, llvm::Module &module,
                                    KernelDebugInfo &debugInfo);

} // namespace tl::amdgpu
