// Only linked when LLVM is static, with the linker's --wrap for each of these functions: malloc and
// its kin of everything inside the compiler library (LLVM, lld, libstdc++'s operator new). Memory
// may come from the C library all the same (before and after builds, and from functions of it that
// allocate), and every function here takes either kind.
#include "codegen/llvm/build_heap.h"

#include <algorithm>
#include <cstring>

extern "C" {

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);

void *__wrap_malloc(size_t bytes) {
  void *memory = tl::buildAllocate(bytes);
  return memory ? memory : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  size_t total = 0;
  void *memory = __builtin_mul_overflow(count, bytes, &total) ? nullptr : tl::buildAllocate(total);
  return memory ? std::memset(memory, 0, total) : __real_calloc(count, bytes);
}

void __wrap_free(void *memory) {
  if (tl::isBuildMemory(memory))
    tl::buildFree(memory);
  else
    __real_free(memory);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  if (!memory)
    return __wrap_malloc(bytes);
  if (!tl::isBuildMemory(memory))
    return __real_realloc(memory, bytes);
  size_t capacity = tl::buildCapacity(memory);
  if (bytes != 0 && bytes <= capacity)
    return memory;
  void *moved = bytes ? __wrap_malloc(bytes) : nullptr;
  if (moved)
    std::memcpy(moved, memory, std::min(bytes, capacity));
  if (moved || bytes == 0)
    tl::buildFree(memory);
  return moved;
}
}
