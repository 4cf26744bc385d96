/* Other LLVMs in the process, loaded with all their symbols before or after ours, do no harm and
 * take none: the compiler library with LLVM hidden inside builds kernels beside them, and they go
 * on working. test-timeout: 300 */
#define _GNU_SOURCE
#include "tilelang.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

static const char kernel_text[] = "tile 0.1\n"
                                  "kernel @scale(%a: view<f32, [%n]>, %n: i64 = 1000)\n"
                                  "    grid [ceildiv(%n, 256)] {\n"
                                  "  %pid = program_id 0\n"
                                  "  %c = const 256 : i64\n"
                                  "  %off = mul %pid, %c\n"
                                  "  %x = load %a[%off] : tile<256 x f32>\n"
                                  "  %y = add %x, %x\n"
                                  "  store %y, %a[%off]\n"
                                  "}\n";

/* ---- The child: loads another LLVM and builds kernels, in the order asked for. */

static void give_up(const char *what, const tl_error *error) {
  fprintf(stderr, "%s: %s\n", what, error ? tl_error_message(error) : dlerror());
  exit(1);
}

/* Makes and drops a module with the C API of the LLVM in `library`. */
static void use_llvm(void *library) {
  void *(*create_context)(void);
  void *(*create_module)(const char *, void *);
  void (*dispose_module)(void *);
  void (*dispose_context)(void *);
  *(void **)&create_context = dlsym(library, "LLVMContextCreate");
  *(void **)&create_module = dlsym(library, "LLVMModuleCreateWithNameInContext");
  *(void **)&dispose_module = dlsym(library, "LLVMDisposeModule");
  *(void **)&dispose_context = dlsym(library, "LLVMContextDispose");
  if (!create_context || !create_module || !dispose_module || !dispose_context)
    give_up("symbols of the other LLVM", NULL);
  void *context = create_context();
  dispose_module(create_module("m", context));
  dispose_context(context);
}

static const int not_installed = 77;

static void *load_llvm(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    exit(not_installed);
  use_llvm(library);
  return library;
}

static void build_kernel(const char *compiler) {
  const char *const targets[] = {"amdgcn:gfx942", "host"};
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  options.compiler_path = compiler;
  tl_context *context = NULL;
  tl_graph *graph = NULL;
  tl_kernel *kernel = NULL;
  tl_error *error = NULL;
  if (tl_context_create(&options, &context, &error))
    give_up("tl_context_create", error);
  if (tl_graph_parse(kernel_text, strlen(kernel_text), "scale.tile", &graph, &error))
    give_up("tl_graph_parse", error);
  if (tl_kernel_compile(context, graph, targets, 2, NULL, &kernel, &error))
    give_up("tl_kernel_compile", error);
  tl_kernel_destroy(kernel);
  tl_graph_destroy(graph);
  tl_context_destroy(context);
}

static int child(const char *order, const char *llvm, const char *compiler) {
  alarm(120); /* a hang is a failure too */
  void *library = NULL;
  if (strcmp(order, "before") == 0)
    library = load_llvm(llvm);
  build_kernel(compiler);
  if (!library)
    library = load_llvm(llvm);
  build_kernel(compiler);
  use_llvm(library);
  return 0;
}

/* ---- The tests: one child process for each order and library. */

static char compiler_path[4096];

static void run(const char *order, const char *llvm) {
  if (access(compiler_path, R_OK) != 0) {
    printf("SKIP %s %s: %s was not built\n", order, llvm, compiler_path);
    skip();
  }
  char *arguments[] = {"two_llvms", (char *)order, (char *)llvm, compiler_path, NULL};
  pid_t pid;
  int status = 0;
  assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_installed) {
    printf("SKIP %s %s: not installed here\n", order, llvm);
    skip();
  }
  assert_int_equal(status, 0);
}

#define TEST_LLVM(name, library)                                                                   \
  static void test_##name##_before(void **state) {                                                 \
    (void)state;                                                                                   \
    run("before", library);                                                                        \
  }                                                                                                \
  static void test_##name##_after(void **state) {                                                  \
    (void)state;                                                                                   \
    run("after", library);                                                                         \
  }

TEST_LLVM(llvm22, "libLLVM.so.22.1")
TEST_LLVM(llvm15, "libLLVM-15.so.1")
TEST_LLVM(llvm14, "libLLVM-14.so.1")

int main(int argc, char **argv) {
  if (argc == 4)
    return child(argv[1], argv[2], argv[3]);
  const char *build = getenv("TL_BUILD_DIR");
  snprintf(compiler_path, sizeof compiler_path, "%s/static/libtilelang-compiler.so",
           build ? build : ".");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_llvm22_before), cmocka_unit_test(test_llvm22_after),
      cmocka_unit_test(test_llvm15_before), cmocka_unit_test(test_llvm15_after),
      cmocka_unit_test(test_llvm14_before), cmocka_unit_test(test_llvm14_after),
  };
  return cmocka_run_group_tests_name("two_llvms", tests, NULL, NULL);
}
