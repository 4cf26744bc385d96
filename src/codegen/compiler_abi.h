/* The C ABI between libtilelang.so and libtilelang-compiler.so: request bytes in, artifact bytes or
 * error bytes out. Both libraries come from one build; the build ids must be equal. */
#ifndef TL_CODEGEN_COMPILER_ABI_H
#define TL_CODEGEN_COMPILER_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of tl_compiler_compile; release with tl_compiler_free. */
typedef struct tl_compiler_output {
  size_t struct_size;
  int32_t status; /* tl_status */
  int32_t reserved;
  uint8_t *bytes; /* status 0: an artifact; else an Error encoded by encodeError */
  size_t size;
  double ms_passes, ms_llvm_opt, ms_llvm_codegen, ms_link, ms_total;
} tl_compiler_output;

/** Compiles a request (see artifact/request.h). Blocks; callable from any thread; never ends the
 * process. */
__attribute__((visibility("default"))) int32_t tl_compiler_compile(const uint8_t *request,
                                                                   size_t size,
                                                                   tl_compiler_output *output);
__attribute__((visibility("default"))) void tl_compiler_free(tl_compiler_output *output);
/** Identifies the build: version, git description if known, LLVM version. Static storage. */
__attribute__((visibility("default"))) const char *tl_compiler_build_id(void);
/** Provokes one of LLVM's ways to end a process, for tests: 1 fatal error, 2 diagnostic without
 * handler. */
__attribute__((visibility("default"))) int32_t tl_compiler_provoke(int32_t which,
                                                                   tl_compiler_output *output);

#ifdef __cplusplus
}
#endif
#endif
