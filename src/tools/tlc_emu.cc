// tlc emu: runs a kernel of an AMDGPU code object in the emulator, or lists the instructions that
// code objects use.
#include "tlc_commands.h"
#include "tlc_common.h"
#include "tlc_emu_file.h"

#include "emu/open_emulator.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdlib.h>

namespace tlc {
namespace {

using namespace tl::emu;

/// Of libtilelang, beside which the emulator lies, with its slash. Asked for by name: the run path
/// of tlc is not used where dlopen is somebody else's, as a sanitizer's is.
std::string libraryDirectory() {
  Dl_info info = {};
  void *symbol = dlsym(RTLD_DEFAULT, "tl_version");
  std::string file = symbol && dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "";
  return file.substr(0, file.rfind('/') + 1);
}

std::unique_ptr<Emulator> makeMachine(const std::vector<std::string> &chips,
                                      const Options &options) {
  const char *path = secure_getenv("TL_EMU_LIBRARY");
  std::string message;
  auto machine = openEmulator(path ? path : "", libraryDirectory(), chips, options, &message);
  if (!machine)
    fail("%s", message.c_str());
  return machine;
}

// One launch, as its file says.
class Launcher {
public:
  explicit Launcher(const EmuArguments &arguments) : arguments(arguments) {}

  // Prints the report, and throws when the kernel did not come to its end.
  void run() {
    std::vector<uint8_t> image = readFile(arguments.files[0]);
    std::vector<uint8_t> text = readFile(arguments.launchFile);
    try {
      launch = readLaunchFile({text.begin(), text.end()});
    } catch (const LaunchFileError &error) {
      refuse(error.text);
    }
    machine = makeMachine({launch.chip}, options());
    LoadResult loaded = machine->load(image.data(), image.size(), 0);
    if (loaded.status != LoadStatus::Ok)
      fail("%s: %s", arguments.files[0].c_str(), loaded.message.c_str());
    module = std::move(loaded.module);
    findKernel();
    fillArguments();
    LaunchResult result = machine->launch(request);
    bool finished = result.status == LaunchStatus::Ok;
    if (finished)
      writeOutputs();
    if (arguments.report || arguments.json)
      std::fputs(machine->report(arguments.json ? ReportFormat::Json : ReportFormat::Text).c_str(),
                 stdout);
    else if (uint64_t findings = finished ? machine->findingCount() : 0)
      std::fprintf(stderr, "tlc: %llu finding%s; --report prints them\n",
                   (unsigned long long)findings, findings == 1 ? "" : "s");
    if (!finished)
      fail("%s", result.message.c_str());
  }

private:
  [[noreturn]] void refuse(const std::string &text) {
    std::fprintf(stderr, "tlc: %s: %s\n", arguments.launchFile.c_str(), text.c_str());
    throw Failed{2};
  }

  Options options() const {
    Options options;
    options.checks = arguments.checks;
    options.profile = arguments.report || arguments.json;
    options.threads = arguments.threads;
    options.seed = arguments.seed;
    // What the emulator's notice of a long kernel names.
    const char *budget = std::getenv("TL_EMU_BUDGET");
    options.instructionBudget = arguments.budget;
    if (!arguments.budget && budget && *budget)
      options.instructionBudget = uint64_t(parseInteger(budget, "TL_EMU_BUDGET"));
    options.perturbation = arguments.perturbation;
    if (arguments.accumulation == "ordered")
      options.accumulation = Options::Accumulation::Ordered;
    if (arguments.bufferRange == "access")
      options.bufferRange = Options::BufferRange::PerAccess;
    return options;
  }

  void findKernel() {
    request.kernel = module->findKernel(launch.kernel);
    if (!request.kernel) {
      std::string names;
      for (size_t i = 0; i < module->kernelCount() && i < 20; ++i)
        names += (i ? ", " : "") + module->kernel(i)->info().name;
      refuse("the code object has no kernel \"" + launch.kernel.substr(0, 200) +
             "\", only: " + names);
    }
    std::copy(launch.grid, launch.grid + 3, request.grid);
    std::copy(launch.block, launch.block + 3, request.block);
    std::copy(launch.remainder, launch.remainder + 3, request.remainder);
    request.dynamicLds = launch.dynamicLds;
  }

  void fillArguments() {
    const KernelInfo &info = request.kernel->info();
    std::vector<const KernelArgument *> wanted;
    for (const KernelArgument &argument : info.arguments)
      if (!argument.hidden())
        wanted.push_back(&argument);
    if (launch.arguments.size() != wanted.size())
      refuse("kernel " + info.name + " takes " + std::to_string(wanted.size()) +
             " arguments, not " + std::to_string(launch.arguments.size()));
    kernarg.resize(info.explicitBytes);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const LaunchArgument &given = launch.arguments[i];
      if (given.bytes != wanted[i]->bytes)
        refuse("argument " + std::to_string(i) + " has " + std::to_string(wanted[i]->bytes) +
               " bytes in the kernel and " + std::to_string(given.bytes) + " here");
      uint64_t bits = given.isBuffer ? makeBuffer(i, given.buffer) : given.bits;
      std::memcpy(kernarg.data() + wanted[i]->offset, &bits, given.bytes);
    }
    request.kernarg = kernarg.data();
    request.kernargBytes = kernarg.size();
  }

  std::string beside(const std::string &name) const {
    return (std::filesystem::path(arguments.launchFile).parent_path() / name).string();
  }

  uint64_t makeBuffer(size_t i, const LaunchBuffer &buffer) {
    std::vector<uint8_t> contents;
    if (!buffer.file.empty())
      contents = readFile(beside(buffer.file));
    uint64_t bytes = buffer.file.empty() ? buffer.bytes : contents.size();
    uint64_t address = machine->allocate(bytes, MemoryKind::Device, 0);
    if (!address)
      refuse("argument " + std::to_string(i) + ": no memory for " + std::to_string(bytes) +
             " bytes");
    std::string message;
    bool good = true;
    if (!buffer.file.empty())
      good = machine->copy(address, reinterpret_cast<uint64_t>(contents.data()), bytes, Operation(),
                           &message);
    else if (buffer.filled)
      good = machine->fill(address, buffer.fill, 1, bytes, Operation(), &message);
    if (!good)
      refuse(message);
    if (!buffer.out.empty())
      outputs.push_back({beside(buffer.out), address, bytes});
    return address;
  }

  void writeOutputs() {
    for (const Output &output : outputs) {
      std::vector<uint8_t> bytes(output.bytes);
      std::string message;
      if (!machine->copy(reinterpret_cast<uint64_t>(bytes.data()), output.address, output.bytes,
                         Operation(), &message))
        fail("%s", message.c_str());
      writeFile(output.path, bytes.data(), bytes.size());
    }
  }

  struct Output {
    std::string path;
    uint64_t address, bytes;
  };

  const EmuArguments &arguments;
  LaunchFile launch;
  std::unique_ptr<Emulator> machine;
  std::unique_ptr<Module> module;
  LaunchRequest request;
  std::vector<uint8_t> kernarg;
  std::vector<Output> outputs;
};

void printCensus(const std::vector<std::string> &files) {
  auto machine = makeMachine({"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}, Options());
  bool missing = false;
  for (const std::string &path : files) {
    std::vector<uint8_t> image = readFile(path);
    std::vector<CensusRow> rows;
    std::string message;
    if (!machine->census(image.data(), image.size(), rows, &message))
      fail("%s: %s", path.c_str(), message.c_str());
    for (const CensusRow &row : rows) {
      std::printf("%8llu %s %s%s\n", static_cast<unsigned long long>(row.count), row.chip.c_str(),
                  row.mnemonic.c_str(), row.implemented ? "" : "  UNIMPLEMENTED");
      missing |= !row.implemented;
    }
  }
  if (missing)
    throw Failed();
}

} // namespace

void emuCommand(const EmuArguments &arguments) {
  if (arguments.census == !arguments.launchFile.empty() ||
      (!arguments.census && arguments.files.size() != 1)) {
    std::fprintf(stderr, "tlc: emu takes one code object and --launch FILE, or --census\n");
    throw Failed{2};
  }
  if (arguments.census)
    printCensus(arguments.files);
  else
    Launcher(arguments).run();
}

} // namespace tlc
