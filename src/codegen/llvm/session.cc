// The one file of the compiler that throws and catches. The throw crosses LLVM's frames, which are
// built without exceptions: they are passed over without running a destructor, hence the poisoned
// flag and the leaked session.
#include "codegen/llvm/session.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <new>
#include <pthread.h>
#include <signal.h>

namespace tl {
namespace {

struct FatalError {
  std::string reason;
};

std::atomic<bool> poisoned{false};
thread_local unsigned guardDepth = 0;

// On threads without a guard (another user of a shared libLLVM) both return, and LLVM does as it
// always does.
void onFatalError(void *, const char *reason, bool) {
  if (guardDepth)
    throw FatalError{reason ? reason : "unknown reason"};
}

void onBadAlloc(void *, const char *, bool) {
  if (guardDepth)
    throw std::bad_alloc();
}

void installHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onBadAlloc);
  });
}

ErrorPtr poisonedError() {
  return makeError(
      TL_E_COMPILER_POISONED,
      "an earlier build in this process made LLVM fail fatally; further builds need a new process");
}

class DiagnosticCollector : public llvm::DiagnosticHandler {
public:
  explicit DiagnosticCollector(CompileSession &session) : session(session) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    Severity severity = Severity::Note;
    switch (info.getSeverity()) {
    case llvm::DS_Error:
      severity = Severity::Error;
      break;
    case llvm::DS_Warning:
      severity = Severity::Warning;
      break;
    case llvm::DS_Remark:
      return true;
    case llvm::DS_Note:
      break;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    SourceLocation location;
    if (auto *unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      location = locate(*unsupported);
    else if (auto *limit = llvm::dyn_cast<llvm::DiagnosticInfoResourceLimit>(&info))
      location = locate(*limit);
    session.report(severity, std::move(text), std::move(location));
    return true;
  }

private:
  static SourceLocation locate(const llvm::DiagnosticInfoWithLocationBase &info) {
    SourceLocation location;
    if (info.isLocationAvailable()) {
      llvm::StringRef file;
      info.getLocation(file, location.line, location.column);
      location.file = file.str();
    }
    return location;
  }

  CompileSession &session;
};

// What the compile thread is given and leaves behind.
struct Job {
  llvm::function_ref<Status(CompileSession &)> work;
  Status status;
};

Status runInSession(llvm::function_ref<Status(CompileSession &)> work) {
  auto session = std::make_unique<CompileSession>();
  Status status = callGuarded([&] { return work(*session); });
  ErrorPtr error = status.ok() ? nullptr : status.takeError();
  if (error)
    error->diagnostics.insert(error->diagnostics.end(), session->diagnostics().begin(),
                              session->diagnostics().end());
  if (compilerPoisoned())
    session.release(); // NOLINT: dead frames may still be linked into its lists
  return error ? Status(std::move(error)) : Status();
}

void *threadMain(void *argument) {
  Job &job = *static_cast<Job *>(argument);
  // Outside callGuarded only our own allocations can fail.
  try {
    job.status = runInSession(job.work);
  } catch (const std::bad_alloc &) {
    poisonCompiler();
    job.status = makeError(TL_E_OUT_OF_MEMORY, "out of memory while compiling");
  }
  return nullptr;
}

// All signals but those that a fault of the thread itself raises.
sigset_t processSignals() {
  sigset_t set;
  sigfillset(&set);
  for (int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&set, synchronous);
  return set;
}

} // namespace

CompileSession::CompileSession() : llvmContext(std::make_unique<llvm::LLVMContext>()) {
  llvmContext->setDiagnosticHandler(std::make_unique<DiagnosticCollector>(*this));
}

CompileSession::~CompileSession() = default;

void CompileSession::report(Severity severity, std::string text, SourceLocation location) {
  errors += severity == Severity::Error;
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.pass = stage;
  diagnostic.location = std::move(location);
  diagnostic.text = std::move(text);
  collected.push_back(std::move(diagnostic));
}

Status CompileSession::check() const {
  for (const Diagnostic &diagnostic : collected)
    if (diagnostic.severity == Severity::Error)
      return internalError("%s: %s", diagnostic.pass.c_str(), diagnostic.text.c_str());
  return {};
}

bool compilerPoisoned() { return poisoned.load(std::memory_order_acquire); }
void poisonCompiler() { poisoned.store(true, std::memory_order_release); }

void failFatally(std::string_view reason) { throw FatalError{std::string(reason)}; }

Status callGuarded(llvm::function_ref<Status()> work) {
  if (compilerPoisoned())
    return poisonedError();
  installHandlers();
  struct Depth {
    Depth() { ++guardDepth; }
    ~Depth() { --guardDepth; }
  } depth;
  try {
    return work();
  } catch (const FatalError &error) {
    poisonCompiler();
    return internalError("LLVM failed: %s", error.reason.c_str());
  } catch (const std::bad_alloc &) {
    poisonCompiler();
    return makeError(TL_E_OUT_OF_MEMORY, "out of memory while compiling");
  }
}

Status runCompileSession(llvm::function_ref<Status(CompileSession &)> work) {
  if (compilerPoisoned())
    return poisonedError();
  constexpr size_t stackBytes = size_t(8) << 20;
  Job job{work, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  sigset_t blocked = processSignals(), previous;
  pthread_sigmask(SIG_BLOCK, &blocked, &previous);
  pthread_t thread;
  int failure = pthread_create(&thread, &attributes, threadMain, &job);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  pthread_attr_destroy(&attributes);
  if (failure)
    return makeError(TL_E_OUT_OF_MEMORY, "the compile thread could not be started (error %d)",
                     failure);
  pthread_join(thread, nullptr);
  return std::move(job.status);
}

} // namespace tl
