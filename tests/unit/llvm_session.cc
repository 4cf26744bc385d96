// The guard around LLVM and lld: every way in which they end a process comes back as an Error.
#include "codegen/llvm/link.h"
#include "codegen/llvm/provoke.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"
#include "unit/llvm_kernel.h"
#include "unit/unit_test.h"

#include "llvm/IR/IRBuilder.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tl;

namespace {

// Runs `body` in a child, since poisoning lasts for the life of a process; its value is the exit
// code.
int inChild(int (*body)()) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    // Whatever LLVM writes to stderr must show as a failure.
    int silence[2];
    if (pipe(silence) != 0 || dup2(silence[1], 2) < 0)
      _exit(90);
    int code = body();
    close(silence[1]);
    close(2);
    char byte;
    _exit(read(silence[0], &byte, 1) != 0 ? 91 : code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

// An object for `target` with one exported function; it may copy memory or call an undefined
// function.
enum class Content { Plain, CopiesMemory, CallsUndefined };
Result<Bytes> makeObject(CompileSession &session, llvm::TargetMachine &machine, Content content) {
  auto module = createModule(session, machine, "test");
  llvm::IRBuilder<> ir(session.context());
  llvm::Type *pointer = ir.getPtrTy(), *size = ir.getInt64Ty();
  auto *type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, size}, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", *module);
  addCommonAttributes(*function);
  ir.SetInsertPoint(llvm::BasicBlock::Create(session.context(), "entry", function));
  if (content == Content::CopiesMemory) {
    ir.CreateMemCpy(function->getArg(0), {}, function->getArg(1), {}, function->getArg(2));
    ir.CreateMemSet(function->getArg(1), ir.getInt8(7), function->getArg(2), {});
    ir.CreateMemMove(function->getArg(1), {}, ir.CreatePtrAdd(function->getArg(0), ir.getInt64(1)),
                     {}, ir.getInt64(1000));
  }
  if (content == Content::CallsUndefined)
    ir.CreateCall(module->getOrInsertFunction("absent_function", ir.getVoidTy()));
  ir.CreateRetVoid();
  TL_TRY(optimizeModule(session, *module, machine, 2));
  return emitObject(session, *module, machine);
}

Result<Bytes> buildImage(Content content, const char *target = "host:x86-64-v3") {
  Bytes image;
  Status status = runCompileSession([&](CompileSession &session) -> Status {
    TL_ASSIGN(TargetSpec spec, parseTarget(target));
    TL_ASSIGN(auto machine, createTargetMachine(spec, 2));
    TL_ASSIGN(Bytes object, makeObject(session, *machine, content));
    if (spec.family == TargetFamily::Host) {
      TL_ASSIGN(image, linkHostImage(session, object, *machine));
    } else {
      TL_ASSIGN(image, linkCodeObject(session, object));
    }
    return {};
  });
  if (!status.ok())
    return status.takeError();
  return image;
}

// 0 if provoking gives an Error with `expected` and the next build gives `next`.
int provokeThenBuild(Provocation which, tl_status expected, tl_status next) {
  Status status = provokeFailure(which);
  if (status.ok() || status.error().status != expected)
    return 1;
  auto image = buildImage(Content::Plain);
  tl_status got = image.ok() ? TL_OK : image.error().status;
  return got == next ? 0 : 2;
}

int fatalError() {
  return provokeThenBuild(Provocation::FatalError, TL_E_INTERNAL, TL_E_COMPILER_POISONED);
}
int outOfMemory() {
  return provokeThenBuild(Provocation::OutOfMemory, TL_E_OUT_OF_MEMORY, TL_E_COMPILER_POISONED);
}
int linkerError() {
  return provokeThenBuild(Provocation::LinkerError, TL_E_INTERNAL, TL_E_COMPILER_POISONED);
}
int errorDiagnostic() {
  Status status = provokeFailure(Provocation::ErrorDiagnostic);
  if (status.ok() || status.error().diagnostics.empty())
    return 1;
  if (status.error().message.find("no libcall available") == std::string::npos)
    return 2;
  return buildImage(Content::Plain).ok() ? 0 : 3;
}

int throwBadAlloc() {
  Status status = runCompileSession([](CompileSession &) -> Status { throw std::bad_alloc(); });
  return !status.ok() && status.error().status == TL_E_OUT_OF_MEMORY ? 0 : 1;
}

} // namespace

UNIT_TEST(a_fatal_error_comes_back_and_poisons) { CHECK_EQ(inChild(fatalError), 0); }
UNIT_TEST(an_error_diagnostic_comes_back_and_does_not_poison) {
  CHECK_EQ(inChild(errorDiagnostic), 0);
}
UNIT_TEST(running_out_of_memory_inside_llvm_comes_back) { CHECK_EQ(inChild(outOfMemory), 0); }
UNIT_TEST(a_fatal_linker_error_comes_back_and_poisons) { CHECK_EQ(inChild(linkerError), 0); }
UNIT_TEST(bad_alloc_comes_back) { CHECK_EQ(inChild(throwBadAlloc), 0); }

UNIT_TEST(a_stack_of_eight_megabytes) {
  size_t bytes = 0;
  bool interruptBlocked = false, faultBlocked = true;
  Status status = runCompileSession([&](CompileSession &) -> Status {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    interruptBlocked = sigismember(&blocked, SIGINT) == 1;
    faultBlocked = sigismember(&blocked, SIGSEGV) == 1;
    return {};
  });
  REQUIRE_OK(status);
  CHECK(bytes >= size_t(8) << 20);
  CHECK(interruptBlocked);
  CHECK(!faultBlocked);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK_EQ(sigismember(&blocked, SIGINT), 0);
}

UNIT_TEST(linking_leaves_signal_handlers_alone) {
  struct sigaction before[32], after;
  for (int signal = 1; signal < 32; ++signal)
    sigaction(signal, nullptr, &before[signal]);
  REQUIRE_OK(buildImage(Content::Plain));
  REQUIRE_OK(buildImage(Content::Plain, "amdgcn:gfx942"));
  for (int signal = 1; signal < 32; ++signal) {
    sigaction(signal, nullptr, &after);
    CHECK_EQ(after.sa_handler == before[signal].sa_handler, true);
    CHECK_EQ(after.sa_flags, before[signal].sa_flags);
  }
}

UNIT_TEST(linking_leaves_no_descriptors) {
  auto lowest = [] {
    int fd = dup(0);
    close(fd);
    return fd;
  };
  REQUIRE_OK(buildImage(Content::Plain));
  int before = lowest();
  REQUIRE_OK(buildImage(Content::CopiesMemory));
  CHECK_EQ(lowest(), before);
}

UNIT_TEST(equal_input_gives_equal_images) {
  auto first = buildImage(Content::CopiesMemory), second = buildImage(Content::CopiesMemory);
  REQUIRE_OK(first);
  REQUIRE_OK(second);
  CHECK(*first == *second);
}

// memcpy, memset and memmove with sizes only known at run time become calls of the image's own
// routines.
UNIT_TEST(runtime_routines_of_the_image_work) {
  unit::Fill fill = [](llvm::Module &module, TargetFamily) {
    llvm::IRBuilder<> ir(module.getContext());
    auto *type = llvm::FunctionType::get(ir.getVoidTy(),
                                         {ir.getPtrTy(), ir.getPtrTy(), ir.getInt64Ty()}, false);
    for (const char *name : {"copy", "move", "fill"}) {
      auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
      addCommonAttributes(*function);
      ir.SetInsertPoint(llvm::BasicBlock::Create(ir.getContext(), "entry", function));
      llvm::Argument *to = function->getArg(0), *from = function->getArg(1);
      if (name[0] == 'c')
        ir.CreateMemCpy(to, {}, from, {}, function->getArg(2));
      else if (name[0] == 'm')
        ir.CreateMemMove(to, {}, from, {}, function->getArg(2));
      else
        ir.CreateMemSet(to, ir.getInt8(0xa5), function->getArg(2), {});
      ir.CreateRetVoid();
    }
  };
  unit::Image image;
  REQUIRE_BUILT(image.build(fill));
  using Routine = void(uint8_t *, uint8_t *, int64_t);
  auto *copy = image.find<Routine>("copy"), *move = image.find<Routine>("move"),
       *set = image.find<Routine>("fill");
  REQUIRE(copy && move && set);
  for (size_t size : {0, 1, 7, 31, 32, 33, 64, 100, 1000})
    for (size_t offset : {0, 1, 5, 32, 1001}) {
      std::vector<uint8_t> initial(3000);
      for (size_t i = 0; i < initial.size(); ++i)
        initial[i] = uint8_t(i * 7 + (i >> 8));
      auto got = initial, wanted = initial;
      move(&got[500], &got[500 + offset], int64_t(size));
      std::memmove(&wanted[500], &wanted[500 + offset], size);
      move(&got[500 + offset], &got[500], int64_t(size));
      std::memmove(&wanted[500 + offset], &wanted[500], size);
      set(&got[offset], nullptr, int64_t(size));
      std::memset(&wanted[offset], 0xa5, size);
      CHECK(got == wanted);
      copy(got.data(), initial.data() + offset, int64_t(size));
      std::memcpy(wanted.data(), initial.data() + offset, size);
      CHECK(got == wanted);
    }
}

UNIT_TEST(undefined_symbols_are_named) {
  for (const char *target : {"host:x86-64-v3", "amdgcn:gfx1100"}) {
    auto image = buildImage(Content::CallsUndefined, target);
    REQUIRE(!image.ok());
    CHECK_EQ(image.error().status, TL_E_INTERNAL);
    CHECK(image.error().message.find("absent_function") != std::string::npos);
  }
  CHECK(!compilerPoisoned());
}

UNIT_TEST(sixteen_builds_at_once) {
  std::atomic<int> built{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      built += buildImage(Content::Plain, i % 2 ? "amdgcn:gfx90a" : "host:x86-64-v3").ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQ(built.load(), 16);
}

UNIT_TEST(targets_are_parsed) {
  struct {
    const char *text;
    tl_status status;
  } rows[] = {
      {"amdgcn:gfx90a", TL_OK},
      {"amdgcn:gfx1201", TL_OK},
      {"host:x86-64-v3", TL_OK},
      {"host:x86-64-v3+avx512f+avx512vl", TL_OK},
      {"host:x86-64-v4", TL_OK},
      {"host:x86-64-v2", TL_E_UNSUPPORTED},
      {"host:", TL_E_UNKNOWN_TARGET},
      {"host:x86-64-v3+nonsense", TL_E_UNKNOWN_TARGET},
      {"host:x86-64-v3+", TL_E_UNKNOWN_TARGET},
      {"amdgcn:gfx9999", TL_E_UNKNOWN_TARGET},
      {"amdgcn:", TL_E_UNKNOWN_TARGET},
      {"nonsense", TL_E_UNKNOWN_TARGET},
  };
  for (auto &row : rows) {
    auto spec = parseTarget(row.text);
    CHECK_EQ(spec.ok() ? TL_OK : spec.error().status, row.status);
  }
  auto spec = parseTarget("host:x86-64-v3+avx512f+avx512vl");
  REQUIRE_OK(spec);
  CHECK_EQ(spec->features, std::string("+avx512f,+avx512vl"));
}

UNIT_TEST_MAIN
