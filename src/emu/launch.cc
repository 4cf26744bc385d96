#include "emu/launch.h"

#include "emu/arguments.h"
#include "emu/chips.h"
#include "emu/findings.h"
#include "emu/line_table.h"
#include "emu/workgroup.h"

#include <immintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

namespace tl::emu {
namespace {

// Stack of kernels that call through pointers or recurse, beside what the metadata says.
constexpr uint32_t kDynamicStackBytes = 16384;
constexpr uint64_t kDefaultBudget = uint64_t(1) << 32;
// After so many instructions a workgroup lets the worker's next one run: it may wait for it.
constexpr uint64_t kQuantum = 1 << 19, kCooperativeQuantum = 1 << 15;
constexpr size_t kResidentBytes = size_t(256) << 20; // of waves' registers and scratch, a worker

struct FreeDeleter {
  void operator()(void *p) const { std::free(p); }
};

/// The wave's MODE says what the host's word says elsewhere.
struct DefaultControlWord {
  const unsigned before = _mm_getcsr();
  DefaultControlWord() { _mm_setcsr(0x1f80); }
  ~DefaultControlWord() { _mm_setcsr(before); }
};

// A workgroup in flight and the memory of its waves.
struct Slot {
  Workgroup group;
  std::unique_ptr<uint32_t, FreeDeleter> vectorFile;
  std::unique_ptr<uint8_t, FreeDeleter> scratch;
};

class WorkerLoop {
public:
  explicit WorkerLoop(LaunchContext &launch) : launch(launch), worker(launch) {
    const LaunchRequest &request = *launch.request;
    uint32_t threads = request.block[0] * request.block[1] * request.block[2];
    waves = (threads + launch.program->waveSize - 1) / launch.program->waveSize;
    fileBytes = size_t(launch.vectorLines + kSpareLines) * kLineLanes * 4 * waves;
    scratchBytes = size_t(launch.scratchBytes) * kLineLanes * waves;
    if (launch.options->profile) {
      worker.profile = std::make_unique<Profile>();
      worker.profile->ops.resize(launch.program->ops.size());
    }
    limit = request.cooperative ? SIZE_MAX
                                : std::max<size_t>(2, kResidentBytes / (fileBytes + scratchBytes));
  }

  void run() {
    const DefaultControlWord control;
    if (launch.request->cooperative)
      while (admit()) {
      }
    bool idle = false;
    while (!launch.stop.load(std::memory_order_relaxed)) {
      if (resident.empty() || current >= resident.size()) {
        current = 0;
        if (resident.empty() && !admit())
          break;
      }
      bool progress = turn(*resident[current]);
      if (resident[current]->group.live == 0) {
        spare.push_back(std::move(resident[current]));
        resident.erase(resident.begin() + ptrdiff_t(current));
        idle = false;
        continue;
      }
      // It is not done: perhaps it waits for a workgroup that has not started.
      if (resident.size() < limit)
        admit();
      if (++current >= resident.size()) {
        current = 0;
        if (idle && !progress)
          std::this_thread::yield();
        idle = !progress;
      }
    }
    reportProfile();
  }

private:
  void reportProfile() {
    if (!worker.profile)
      return;
    for (size_t i = 0; i < worker.profile->ops.size(); ++i) {
      const OpProfile &counts = worker.profile->ops[i];
      if (!counts.executions)
        continue;
      const MicroOp &op = launch.program->ops[i];
      SourceLine source = launch.lines ? launch.lines->find(op.pc) : SourceLine();
      launch.findings->count(
          {launch.device, launch.record->info.name, mnemonic(op.opcode), source, op.pc, counts});
    }
  }

  bool admit() {
    uint64_t number = launch.nextGroup.fetch_add(1);
    if (number >= launch.groups) {
      launch.nextGroup = launch.groups;
      return false;
    }
    std::unique_ptr<Slot> slot;
    if (!spare.empty()) {
      slot = std::move(spare.back());
      spare.pop_back();
    } else {
      slot = std::make_unique<Slot>();
      slot->vectorFile.reset(static_cast<uint32_t *>(std::aligned_alloc(64, fileBytes)));
      if (scratchBytes)
        slot->scratch.reset(static_cast<uint8_t *>(std::aligned_alloc(64, scratchBytes)));
      if (!slot->vectorFile || (scratchBytes && !slot->scratch)) {
        launch.failForMemory("the registers of a workgroup");
        return false;
      }
    }
    std::memset(slot->vectorFile.get(), 0, fileBytes);
    initializeGroup(slot->group, launch, worker, number, slot->vectorFile.get(),
                    slot->scratch.get());
    resident.push_back(std::move(slot));
    return true;
  }

  // Runs a workgroup until it is done, waits, or its quantum is used up.
  bool turn(Slot &slot) {
    uint64_t quantum = launch.request->cooperative ? kCooperativeQuantum : kQuantum;
    uint64_t start = worker.instructions;
    bool progress = true;
    while (slot.group.live && progress && worker.instructions - start < quantum &&
           !launch.stop.load(std::memory_order_relaxed) && !worker.overBudget())
      progress = runGroup(slot.group);
    uint64_t total = launch.instructions += worker.instructions - worker.reported;
    worker.reported = worker.instructions;
    if (launch.stop)
      return progress;
    noticeTime(total);
    if (launch.interrupted && launch.interrupted->load(std::memory_order_relaxed)) {
      launch.fail(LaunchStatus::Hang, "the process ends before the kernel: " + where(slot.group));
    } else if (total > launch.budget) {
      // Also when this was the end: whether a launch fails must not depend on who ran what.
      launch.fail(LaunchStatus::Hang, formatString("%llu wave instructions and no end: ",
                                                   static_cast<unsigned long long>(total)) +
                                          where(slot.group));
    } else if (slot.group.live) {
      bool runnable = std::any_of(slot.group.waves.begin(), slot.group.waves.end(),
                                  [](const Wave &w) { return w.state == WaveState::Running; });
      if (!runnable)
        launch.fail(LaunchStatus::Hang, "a barrier that not all waves reach: " + where(slot.group));
    }
    return progress;
  }

  // A kernel that does not come to its end says so long before its budget is used up.
  void noticeTime(uint64_t total) {
    constexpr uint32_t first = 10, others = 60; // seconds
    auto seconds = uint32_t(std::chrono::duration_cast<std::chrono::seconds>(
                                std::chrono::steady_clock::now() - launch.start)
                                .count());
    uint32_t due = seconds < first ? 0 : 1 + (seconds - first) / others;
    uint32_t said = launch.notices.load(std::memory_order_relaxed);
    if (due > said && launch.notices.compare_exchange_strong(said, due))
      std::fprintf(
          stderr,
          "emulator: kernel %s has run for %u s: %llu million wave instructions, workgroup "
          "%llu of %llu (it may take %llu million: TL_EMU_BUDGET)\n",
          launch.record->shownName.c_str(), seconds,
          static_cast<unsigned long long>(total / 1000000),
          static_cast<unsigned long long>(std::min(launch.nextGroup.load(), launch.groups)),
          static_cast<unsigned long long>(launch.groups),
          static_cast<unsigned long long>(launch.budget / 1000000));
  }

  std::string where(const Workgroup &group) const {
    std::string text =
        formatString("workgroup (%u, %u, %u)", group.id[0], group.id[1], group.id[2]);
    unsigned named = 0;
    for (const Wave &wave : group.waves) {
      if (wave.state == WaveState::Ended || ++named > 4)
        continue;
      const MicroOp &op = wave.program->ops[wave.pc];
      text += formatString(", wave %u at ", wave.number) + launch.place(op);
    }
    if (!named)
      text += formatString(" of kernel %s", launch.record->shownName.c_str());
    return text;
  }

  LaunchContext &launch;
  Worker worker;
  uint32_t waves;
  size_t fileBytes, scratchBytes, limit, current = 0;
  std::vector<std::unique_ptr<Slot>> resident, spare;
};

LaunchResult refuse(LaunchStatus status, std::string message) {
  return {status, std::move(message)};
}

// What a launch may ask for; the status is Ok when all is well.
LaunchResult checkRequest(LaunchContext &context) {
  const LaunchRequest &request = *context.request;
  const KernelInfo &info = context.record->info;
  const ChipInfo &chip = context.chip->info;
  const char *name = context.record->shownName.c_str();
  uint64_t threads = 1;
  context.groups = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const char *why =
        request.grid[axis] == 0                         ? "no axis may be 0"
        : request.block[axis] == 0                      ? "no axis may be 0"
        : request.block[axis] > chip.maxThreads         ? "an axis has too many threads"
        : request.remainder[axis] > request.block[axis] ? "a remainder is larger than a workgroup"
        : gridThreads(request, axis) > UINT32_MAX       ? "an axis has more than 4294967295 threads"
                                                        : nullptr;
    if (why)
      return refuse(LaunchStatus::BadConfiguration,
                    formatString("kernel %s: a grid of %u x %u x %u workgroups of %u x %u x %u "
                                 "threads: %s",
                                 name, request.grid[0], request.grid[1], request.grid[2],
                                 request.block[0], request.block[1], request.block[2], why));
    threads *= request.block[axis];
    if (__builtin_mul_overflow(context.groups, request.grid[axis], &context.groups))
      return refuse(LaunchStatus::BadConfiguration,
                    formatString("kernel %s: more than 2^64 workgroups", name));
    if (info.requiredThreads[axis] && info.requiredThreads[axis] != request.block[axis])
      return refuse(LaunchStatus::BadConfiguration,
                    formatString("kernel %s requires workgroups of %u x %u x %u threads, not "
                                 "%u x %u x %u",
                                 name, info.requiredThreads[0], info.requiredThreads[1],
                                 info.requiredThreads[2], request.block[0], request.block[1],
                                 request.block[2]));
  }
  if (threads > info.maxThreads)
    return refuse(LaunchStatus::BadConfiguration,
                  formatString("kernel %s: %llu threads, but its workgroups have at most %u", name,
                               static_cast<unsigned long long>(threads), info.maxThreads));
  uint64_t lds = uint64_t(info.ldsBytes) + request.dynamicLds;
  if (lds > chip.ldsBytes)
    return refuse(LaunchStatus::OutOfResources,
                  formatString("kernel %s: %llu bytes of LDS, but a workgroup of %s has %u", name,
                               static_cast<unsigned long long>(lds), chip.name, chip.ldsBytes));
  context.ldsUsed = uint32_t(lds);
  uint32_t granule = context.chip->ldsGranule;
  context.ldsBytes = (context.ldsUsed + granule - 1) / granule * granule;
  if (request.kernargBytes < info.explicitBytes || (info.explicitBytes && !request.kernarg))
    return refuse(LaunchStatus::BadArguments,
                  formatString("kernel %s: %zu bytes of arguments, but it takes %u", name,
                               request.kernargBytes, info.explicitBytes));
  return {};
}

void work(LaunchContext &context) {
  try {
    WorkerLoop(context).run();
  } catch (const std::bad_alloc &) {
    context.failForMemory("its workgroups");
  }
}

/// As many threads as asked for, or as the system gives.
void runWorkers(LaunchContext &context, unsigned workers) {
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < workers)
      others.emplace_back(work, std::ref(context));
  } catch (const std::system_error &) {
  } catch (const std::bad_alloc &) {
  }
  work(context);
  for (std::thread &other : others)
    other.join();
}

} // namespace

void LaunchContext::failForMemory(const char *what) {
  fail(LaunchStatus::OutOfResources,
       formatString("kernel %s: no memory for %s", record->shownName.c_str(), what));
}

void LaunchContext::fail(LaunchStatus status, std::string message) {
  std::lock_guard guard(resultLock);
  if (result.status == LaunchStatus::Ok) {
    result.status = status;
    result.message = std::move(message);
  }
  stop = true;
}

std::string LaunchContext::place(const MicroOp &op) const {
  std::string text =
      formatString("kernel %s, %s at 0x%x", record->shownName.c_str(),
                   op.opcode ? mnemonic(op.opcode).c_str() : "no instruction", op.pc);
  if (lines) {
    SourceLine line = lines->find(op.pc);
    if (line.line)
      text += " (" + line.text() + ")";
  }
  return text;
}

LaunchResult runLaunch(LaunchContext &context, unsigned threads) {
  LaunchResult refused = checkRequest(context);
  if (refused.status != LaunchStatus::Ok)
    return refused;
  const KernelDescriptor &descriptor = context.record->descriptor;
  context.scratchBytes = (context.record->info.privateBytes + 15) & ~15u;
  if (context.record->dynamicStack || descriptor.has(KernelDescriptor::DynamicStack))
    context.scratchBytes += kDynamicStackBytes;
  // Firmware that preloads arguments enters behind the code for firmware that does not.
  uint64_t entry = context.record->entryAddress;
  if (context.chip->has(KernargPreload) && descriptor.preloadDwords())
    entry += 256;
  context.entry = context.program->find(entry);
  if (context.entry == kNoInstruction)
    return refuse(LaunchStatus::IllegalState,
                  formatString("kernel %s: no instruction at its entry point 0x%llx",
                               context.record->shownName.c_str(),
                               static_cast<unsigned long long>(entry)));
  context.budget =
      context.options->instructionBudget ? context.options->instructionBudget : kDefaultBudget;
  // Indexed registers may reach what no instruction names.
  context.vectorLines =
      std::max(context.program->vectorLines, std::min(context.record->info.vgprs, 512u));
  LaunchMemory memory(*context.space);
  if (!memory.fill(context, context.request->kernel->device()))
    context.failForMemory("its arguments");
  else
    runWorkers(context, unsigned(std::min<uint64_t>(std::max(threads, 1u), context.groups)));
  return std::move(context.result);
}

} // namespace tl::emu
