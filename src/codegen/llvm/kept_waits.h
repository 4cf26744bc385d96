// A workaround for LLVM's AMDGPU back end.
#pragma once

namespace llvm {
class Pass;
} // namespace llvm

namespace tl {

/// LLVM 22 loses waits that fences, barriers and atomic operations need. Its pass
/// si-memory-legalizer writes them as "soft" ones; si-insert-waitcnts walks over the function until
/// nothing changes and erases those with nothing to wait for. But it erases in the first walk, when
/// it does not know yet what comes round a loop: a store at the end of a loop is then not waited
/// for before the barrier, or the release, at its beginning. (`llc -mcpu=gfx90a` on a loop of
/// barrier, LDS load, barrier, LDS store shows it.)
///
/// This pass runs between the two. In a function with a loop it makes soft waits hard, which are
/// kept, but for those that repeat a wait since which the block has not touched memory.
llvm::Pass *createKeepWaits();

/// Whether `pass` is the one that createKeepWaits belongs behind.
bool writesSoftWaits(const llvm::Pass &pass);

} // namespace tl
