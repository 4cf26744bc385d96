// Random LLVM IR, compiled for the host and for AMD chips, executed by the processor and by the
// emulator: the results must be equal bit by bit; any NaN equals any NaN. Independent of our
// reading of the manuals, since the compiler is AMD's. Arguments: first seed, number of seeds.
// test-timeout: 1200
#include "emu/random_ir.h"

#include "codegen/llvm/link.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"
#include "driver/host/image.h"
#include "emu/emulator.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tl;
using namespace tl::test;

namespace {

constexpr unsigned kThreads = 96, kGroups = 2, kAll = kThreads * kGroups;
constexpr uint32_t kWorking = kAll - 7; // some waves and threads have nothing to do

struct Arguments {
  int32_t a;
  int64_t b;
  float f;
  int32_t n = kWorking;
};

struct Compiled {
  Bytes code;
  std::vector<OutputSlot> slots;
  std::string text;
};

Result<Compiled> compile(const std::string &target, Machine machine, uint64_t seed, int level) {
  Compiled result;
  Status status = runCompileSession([&](CompileSession &session) -> Status {
    TL_ASSIGN(TargetSpec spec, parseTarget(target));
    TL_ASSIGN(auto targetMachine, createTargetMachine(spec, level));
    auto module = createModule(session, *targetMachine, "random");
    result.slots = makeRandomKernel(*module, machine, {seed, kThreads}).slots;
    result.text = moduleText(*module);
    TL_TRY(optimizeModule(session, *module, *targetMachine, level));
    TL_ASSIGN(Bytes object, emitObject(session, *module, *targetMachine));
    if (machine == Machine::Host) {
      TL_ASSIGN(result.code, linkHostImage(session, object, *targetMachine));
    } else {
      TL_ASSIGN(result.code, linkCodeObject(session, object));
    }
    return {};
  });
  if (!status.ok())
    return std::move(status).takeError();
  return result;
}

Bytes randomInput(std::mt19937_64 &random) {
  Bytes input(size_t(kAll) * kInputBytes);
  for (size_t i = 0; i + 8 <= input.size(); i += 8) {
    uint64_t word = random();
    if (i / 8 % 3 == 1) { // two floats of ordinary size
      float pair[2] = {float(int64_t(word % 20001) - 10000) / 64,
                       float(int64_t(word >> 40) - 8000000) / 1e5f};
      std::memcpy(&word, pair, 8);
    }
    std::memcpy(input.data() + i, &word, 8);
  }
  return input;
}

Result<Bytes> runOnHost(const Compiled &kernel, const Arguments &arguments, Bytes input) {
  TL_ASSIGN(auto image, HostImage::load({kernel.code.data(), kernel.code.size()}));
  using Entry =
      void (*)(const void *, void *, int32_t, int64_t, float, int32_t, int32_t, int32_t, void *);
  auto entry = reinterpret_cast<Entry>(image->find("kernel"));
  if (!entry)
    return makeError(TL_E_INTERNAL, "the image has no kernel");
  Bytes output(size_t(kAll) * kOutputBytes);
  alignas(16) static uint8_t lds[kThreads * kLdsBytes];
  for (unsigned group = 0; group < kGroups; ++group)
    for (unsigned thread = 0; thread < kThreads; ++thread)
      entry(input.data(), output.data(), arguments.a, arguments.b, arguments.f, arguments.n,
            int32_t(thread), int32_t(group), lds);
  return output;
}

Result<Bytes> runEmulated(emu::Emulator &emulator, uint32_t device, const Compiled &kernel,
                          const Arguments &arguments, const Bytes &input) {
  emu::LoadResult loaded = emulator.load(kernel.code.data(), kernel.code.size(), device);
  if (!loaded.module)
    return makeError(TL_E_INTERNAL, "loading: %s", loaded.message.c_str());
  const emu::Kernel *entry = loaded.module->findKernel("kernel");
  if (!entry)
    return makeError(TL_E_INTERNAL, "the code object has no kernel");
  Bytes output(size_t(kAll) * kOutputBytes);
  uint64_t in = emulator.allocate(input.size(), emu::MemoryKind::Device, device);
  uint64_t out = emulator.allocate(output.size(), emu::MemoryKind::Device, device);
  std::string message;
  emu::Operation operation;
  bool copied = emulator.copy(in, uint64_t(input.data()), input.size(), operation, &message) &&
                emulator.fill(out, 0, 1, output.size(), operation, &message);
  uint8_t kernarg[40] = {};
  std::memcpy(kernarg, &in, 8);
  std::memcpy(kernarg + 8, &out, 8);
  std::memcpy(kernarg + 16, &arguments.a, 4);
  std::memcpy(kernarg + 24, &arguments.b, 8);
  std::memcpy(kernarg + 32, &arguments.f, 4);
  std::memcpy(kernarg + 36, &arguments.n, 4);
  emu::LaunchRequest request;
  request.kernel = entry;
  request.grid[0] = kGroups;
  request.block[0] = kThreads;
  request.kernarg = kernarg;
  request.kernargBytes = sizeof kernarg;
  request.operation.name = "kernel";
  emu::LaunchResult launched;
  if (copied)
    launched = emulator.launch(request);
  copied =
      copied && emulator.copy(uint64_t(output.data()), out, output.size(), operation, &message);
  emulator.release(in, nullptr);
  emulator.release(out, nullptr);
  if (launched.status != emu::LaunchStatus::Ok)
    return makeError(TL_E_INTERNAL, "%s", launched.message.c_str());
  if (!copied)
    return makeError(TL_E_INTERNAL, "copying: %s", message.c_str());
  return output;
}

bool isNan(SlotType type, uint64_t bits) {
  if (type == SlotType::F16)
    return (bits & 0x7fff) > 0x7c00;
  if (type == SlotType::F32)
    return (bits & 0x7fffffff) > 0x7f800000;
  return type == SlotType::F64 && (bits & (~uint64_t(0) >> 1)) > uint64_t(0x7ff) << 52;
}

/// Empty, or the first difference.
std::string difference(const std::vector<OutputSlot> &slots, const Bytes &want, const Bytes &got) {
  for (unsigned thread = 0; thread < kWorking; ++thread)
    for (const OutputSlot &slot : slots) {
      uint64_t a = 0, b = 0;
      size_t at = size_t(thread) * kOutputBytes + slot.offset;
      std::memcpy(&a, want.data() + at, slotBytes(slot.type));
      std::memcpy(&b, got.data() + at, slotBytes(slot.type));
      if (a == b || (isNan(slot.type, a) && isNan(slot.type, b)))
        continue;
      char text[200];
      std::snprintf(text, sizeof text,
                    "thread %u, offset %u (%u bytes): host %" PRIx64 ", emulator %" PRIx64, thread,
                    slot.offset, slotBytes(slot.type), a, b);
      return text;
    }
  return "";
}

/// Levels in turn. LLVM 22.1 at -O0 copies half of a register before it swaps the bytes of an i64
/// on chips with 16-bit registers of their own (v_mov_b16 v2.l, v0.l; v_perm_b32 v2, 0, v2, s0).
int levelFor(uint64_t seed, const std::string &chip) {
  bool halves = chip.starts_with("gfx11") || chip.starts_with("gfx12");
  return halves ? std::max(int(seed % 4), 1) : int(seed % 4);
}

/// Keeps the IR of a seed that failed beside the build.
void keep(uint64_t seed, const std::string &chip, const Compiled &kernel) {
  const char *build = std::getenv("TL_BUILD_DIR");
  std::filesystem::path directory =
      (build ? std::filesystem::path(build) : std::filesystem::temp_directory_path()) / "random_ir";
  std::filesystem::create_directories(directory);
  std::string stem = "seed-" + std::to_string(seed) + "-" + chip;
  std::ofstream(directory / (stem + ".ll")) << kernel.text;
  std::ofstream(directory / (stem + ".co"), std::ios::binary)
      .write(reinterpret_cast<const char *>(kernel.code.data()),
             std::streamsize(kernel.code.size()));
}

/// What the processes of the seeds tell the one that started them.
struct Shared {
  std::atomic<unsigned> passed{0}, failed{0};
  std::atomic<bool> compiling{false};
  /// Instructions that the code had whose results were right, "gfx942 v_add_f32", ended by an empty
  /// name. One process writes at a time.
  char instructions[8192][56];

  void add(const std::string &name) {
    for (auto &known : instructions) {
      if (!known[0])
        std::snprintf(known, sizeof known, "%s", name.c_str());
      if (name == known || name.size() >= sizeof known)
        return;
    }
  }
  void print() const {
    std::map<std::string, std::vector<std::string>> byChip;
    for (size_t i = 0; i < std::size(instructions) && instructions[i][0]; ++i) {
      std::string name = instructions[i];
      byChip[name.substr(0, name.find(' '))].push_back(name.substr(name.find(' ') + 1));
    }
    for (auto &[chip, names] : byChip) {
      std::sort(names.begin(), names.end());
      std::printf("%s: %zu instructions:", chip.c_str(), names.size());
      for (const std::string &name : names)
        std::printf(" %s", name.c_str());
      std::printf("\n");
    }
  }
};

/// One seed on all chips, in a process of its own: LLVM itself crashes on a few.
class Trial {
public:
  Trial(uint64_t seed, const std::vector<std::string> &chips, Shared &shared)
      : seed(seed), chips(chips), shared(shared) {}

  void run() {
    std::string message;
    std::unique_ptr<emu::Emulator> emulator(tl_emu_create(emu::kInterface, chips, {}, &message));
    if (!emulator)
      return fail("the emulator", message);
    std::mt19937_64 random(seed * 2654435761u);
    Arguments arguments;
    arguments.a = int32_t(random());
    arguments.b = int64_t(random());
    arguments.f = float(int32_t(random())) / 65536;
    Bytes input = randomInput(random);
    auto host = build("host:x86-64-v3", Machine::Host, 1);
    auto want =
        host.ok() ? runOnHost(*host, arguments, input) : Result<Bytes>(std::move(host).takeError());
    if (!want.ok())
      return fail("host", want.error().message);
    for (uint32_t device = 0; device < chips.size(); ++device) {
      int level = levelFor(seed, chips[device]);
      auto kernel = build("amdgcn:" + chips[device], Machine::Amdgpu, level);
      if (!kernel.ok()) {
        fail(chips[device], kernel.error().message);
        continue;
      }
      auto got = runEmulated(*emulator, device, *kernel, arguments, input);
      std::string wrong = got.ok() ? difference(kernel->slots, *want, *got) : got.error().message;
      if (wrong.empty() && emulator->findingCount() != 0)
        wrong = emulator->report(emu::ReportFormat::Text);
      emulator->clearReport();
      if (wrong.empty()) {
        ++shared.passed;
        std::vector<emu::CensusRow> rows;
        emulator->census(kernel->code.data(), kernel->code.size(), rows, &message);
        for (const emu::CensusRow &row : rows)
          shared.add(row.chip + " " + row.mnemonic);
      } else {
        fail(chips[device] + " at -O" + std::to_string(level), wrong);
        keep(seed, chips[device], *kernel);
      }
    }
  }

private:
  uint64_t seed;
  const std::vector<std::string> &chips;
  Shared &shared;

  Result<Compiled> build(const std::string &target, Machine machine, int level) {
    shared.compiling = true;
    auto result = compile(target, machine, seed, level);
    shared.compiling = false;
    return result;
  }
  void fail(const std::string &where, const std::string &why) {
    std::printf("FAIL seed %" PRIu64 " on %s: %s\n", seed, where.c_str(), why.c_str());
    ++shared.failed;
  }
};

} // namespace

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 40;
  std::vector<std::string> chips = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};
  if (argc > 3)
    chips.assign(argv + 3, argv + argc);
  void *memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  auto *shared = new (memory) Shared;
  unsigned crashed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
      Trial(seed, chips, *shared).run();
      std::fflush(nullptr);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status))
      continue;
    bool compiler = shared->compiling.exchange(false);
    std::printf("%s seed %" PRIu64 ": signal %d in %s\n", compiler ? "SKIP" : "FAIL", seed,
                WTERMSIG(status), compiler ? "LLVM" : "the emulator");
    if (compiler)
      ++crashed;
    else
      ++shared->failed;
  }
  shared->print();
  // A crash of the compiler is rare, or it is ours.
  bool often = crashed * 200 > count + 200;
  std::printf("%u passed, %u failed, %u skipped\n", shared->passed.load(),
              shared->failed.load() + often, crashed);
  return shared->failed || often;
}
