#include "codegen/llvm/link.h"

#include "codegen/llvm/host_runtime.h"
#include "codegen/llvm/image_check.h"
#include "codegen/llvm/memory_file.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"

#include <chrono>
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace tl {
namespace {

using Clock = std::chrono::steady_clock;

// lld keeps its state in globals.
std::mutex &lldMutex() {
  static std::mutex mutex;
  return mutex;
}

// What lld prints. An error it goes on after, and one after which it would end the process, look
// the same here; neither can come from sound objects, so the first one leaves to the guard before
// lld acts on it.
class LldOutput : public llvm::raw_ostream {
public:
  LldOutput() : raw_ostream(/*unbuffered=*/true) {}
  std::string text;

private:
  void write_impl(const char *data, size_t size) override {
    text.append(data, size);
    if (text.ends_with('\n') && text.find("error: ") != std::string::npos)
      failFatally("lld: " + text);
  }
  uint64_t current_pos() const override { return text.size(); }
};

Result<Bytes> runLld(CompileSession &session, std::vector<std::string> options,
                     const std::vector<std::span<const uint8_t>> &objects) {
  std::vector<MemoryFile> inputs;
  for (std::span<const uint8_t> object : objects) {
    TL_ASSIGN(MemoryFile file, MemoryFile::create(object));
    options.push_back(file.path());
    inputs.push_back(std::move(file));
  }
  PipeReader output;
  TL_TRY(output.start());
  options.insert(options.end(), {"-o", output.path()});
  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());

  LldOutput said;
  std::lock_guard lock(lldMutex());
  Status status = callGuarded([&]() -> Status {
    lld::Result result = lld::lldMain(arguments, said, said, {{lld::Gnu, &lld::elf::link}});
    if (!result.canRunAgain)
      poisonCompiler();
    if (result.retCode != 0 || !result.canRunAgain)
      return internalError("lld failed with code %d: %s", result.retCode, said.text.c_str());
    return {};
  });
  Bytes image = output.finish();
  TL_TRY(std::move(status));
  if (!said.text.empty())
    session.report(Severity::Warning, said.text);
  return image;
}

Result<std::vector<std::string>> undefinedSymbols(std::span<const uint8_t> object) {
  llvm::MemoryBufferRef buffer(
      llvm::StringRef(reinterpret_cast<const char *>(object.data()), object.size()), "object");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return internalError("the object to link is malformed: %s",
                         llvm::toString(file.takeError()).c_str());
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return internalError("the object to link has a malformed symbol table");
    }
    // The linker itself defines the GOT's symbol.
    if (*flags & llvm::object::SymbolRef::SF_Undefined && !name->empty() &&
        *name != "_GLOBAL_OFFSET_TABLE_")
      names.push_back(name->str());
  }
  return names;
}

void addTime(double *ms, Clock::time_point start) {
  if (ms)
    *ms += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

} // namespace

Result<Bytes> linkCodeObject(CompileSession &session, std::span<const uint8_t> object, double *ms) {
  session.setStage("link");
  Clock::time_point start = Clock::now();
  TL_ASSIGN(std::vector<std::string> missing, undefinedSymbols(object));
  if (!missing.empty())
    return internalError("the code uses '%s', which is defined nowhere", missing[0].c_str());
  auto image = runLld(
      session, {"ld.lld", "-shared", "--threads=1", "--no-undefined", "--build-id=none"}, {object});
  addTime(ms, start);
  return image;
}

Result<Bytes> linkUnchecked(CompileSession &session, std::span<const uint8_t> object) {
  return runLld(session, {"ld.lld", "-shared", "--threads=1"}, {object});
}

Result<Bytes> linkHostImage(CompileSession &session, std::span<const uint8_t> object,
                            llvm::TargetMachine &machine, double *ms) {
  Clock::time_point start = Clock::now();
  TL_ASSIGN(std::vector<std::string> missing, undefinedSymbols(object));
  std::vector<std::span<const uint8_t>> objects = {object};
  Bytes runtime;
  if (!missing.empty()) {
    TL_ASSIGN(runtime, hostRuntimeObject(session, missing, machine));
    objects.push_back(runtime);
  }
  session.setStage("link");
  TL_ASSIGN(Bytes image,
            runLld(session,
                   {"ld.lld", "-shared", "--threads=1", "-Bsymbolic", "-z", "defs", "-z", "text",
                    "-z", "noexecstack", "-z", "max-page-size=4096", "--build-id=none",
                    "--hash-style=sysv", "--no-eh-frame-hdr", "--strip-debug", "--gc-sections"},
                   objects));
  TL_TRY(checkHostImage(image));
  addTime(ms, start);
  return image;
}

} // namespace tl
