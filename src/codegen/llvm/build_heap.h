// Memory for builds. LLVM allocates some hundred thousand small objects and arrays of megabytes for
// a build and frees nearly all of them at its end; from the C library, on a new thread, that is a
// system call for every few pages and a page fault for each. Builds have heaps of their own
// instead: one range of address space, in huge pages where the system has them, without locks.
//
// Only the library with LLVM inside uses them (build_malloc.cc puts them below its malloc); hosts'
// own allocations are never touched.
#pragma once

#include <cstddef>

namespace tl {

class BuildHeap;

/// While one is alive, the thread that made it allocates from a heap that no other thread has; when
/// all heaps are taken, from the C library. For the start of a thread: scopes do not nest.
class BuildHeapScope {
public:
  BuildHeapScope();
  ~BuildHeapScope();
  BuildHeapScope(const BuildHeapScope &) = delete;
  BuildHeapScope &operator=(const BuildHeapScope &) = delete;

private:
  BuildHeap *heap;
};

/// 16-byte aligned, from the heap of this thread. Null when it has none or the heap cannot give so
/// much: the C library is to be asked.
void *buildAllocate(size_t bytes);
/// Whether buildAllocate gave it. Any pointer may be asked about.
bool isBuildMemory(const void *memory);
/// Bytes that may be used there, at least those asked for.
size_t buildCapacity(const void *memory);
/// Takes memory of any heap back, on any thread.
void buildFree(void *memory);

} // namespace tl
