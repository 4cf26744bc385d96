#include "amdemu_launch.h"

#include "emu/emulator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace amdemu {
namespace {

using json = nlohmann::json;
using namespace tl::emu;

class Launcher {
public:
  explicit Launcher(const LaunchArguments &arguments) : arguments(arguments) {}

  int run() {
    if (!readLaunch() || !createMachine() || !loadKernel() || !fillArguments()) {
      std::fprintf(stderr, "amdemu: %s\n", error.c_str());
      return 2;
    }
    LaunchResult result = machine->launch(request);
    bool failed = result.status != LaunchStatus::Ok;
    if (failed)
      std::fprintf(stderr, "amdemu: %s\n", result.message.c_str());
    else if (!writeOutputs()) {
      std::fprintf(stderr, "amdemu: %s\n", error.c_str());
      return 2;
    }
    if (arguments.report || arguments.json)
      std::fputs(machine->report(arguments.json ? ReportFormat::Json : ReportFormat::Text).c_str(),
                 stdout);
    return failed ? 1 : 0;
  }

private:
  bool refuse(std::string text) {
    error = arguments.launchFile + ": " + text;
    return false;
  }

  bool readLaunch() {
    std::ifstream in(arguments.launchFile, std::ios::binary);
    if (!in)
      return refuse("cannot be read");
    std::string text(std::istreambuf_iterator<char>(in), {});
    launch = json::parse(text, nullptr, false);
    if (!launch.is_object())
      return refuse("is no JSON object");
    static const char *const known[] = {"chip",        "kernel", "grid",     "block",
                                        "dynamic_lds", "args",   "remainder"};
    for (const auto &[key, value] : launch.items())
      if (std::none_of(std::begin(known), std::end(known), [&](auto k) { return key == k; }))
        return refuse("unknown key \"" + key + "\"");
    if (!launch["chip"].is_string() || !launch["kernel"].is_string())
      return refuse("needs \"chip\" and \"kernel\", both strings");
    if (!launch.contains("args") || !launch["args"].is_array())
      return refuse("needs \"args\", a list");
    return readTriple("grid", request.grid, 1) && readTriple("block", request.block, 1) &&
           readTriple("remainder", request.remainder, 0) && readLds();
  }

  bool readTriple(const char *key, uint32_t *out, uint32_t otherwise) {
    for (unsigned axis = 0; axis < 3; ++axis)
      out[axis] = otherwise;
    if (!launch.contains(key))
      return otherwise == 0 || refuse(std::string("needs \"") + key + "\", a list of up to three");
    const json &list = launch[key];
    if (!list.is_array() || list.empty() || list.size() > 3)
      return refuse(std::string("\"") + key + "\" is a list of up to three numbers");
    for (size_t axis = 0; axis < list.size(); ++axis) {
      uint64_t value;
      if (!number(list[axis], UINT32_MAX, value))
        return refuse(std::string("\"") + key + "\" has numbers from 0 to 4294967295");
      out[axis] = uint32_t(value);
    }
    return true;
  }

  bool readLds() {
    uint64_t value = 0;
    if (launch.contains("dynamic_lds") && !number(launch["dynamic_lds"], UINT32_MAX, value))
      return refuse("\"dynamic_lds\" is a number of bytes");
    request.dynamicLds = uint32_t(value);
    return true;
  }

  static bool number(const json &value, uint64_t most, uint64_t &out) {
    if (!value.is_number_unsigned())
      return false;
    out = value.get<uint64_t>();
    return out <= most;
  }

  bool createMachine() {
    Options options;
    options.checks = arguments.checks;
    options.threads = arguments.threads;
    options.seed = arguments.seed;
    options.instructionBudget = arguments.budget;
    std::string message;
    machine.reset(
        tl_emu_create(kInterface, {launch["chip"].get<std::string>()}, options, &message));
    return machine || refuse(message);
  }

  bool loadKernel() {
    LoadResult loaded = machine->load(arguments.codeObject.data(), arguments.codeObject.size(), 0);
    if (loaded.status != LoadStatus::Ok)
      return refuse(loaded.message);
    module = std::move(loaded.module);
    std::string name = launch["kernel"].get<std::string>();
    request.kernel = module->findKernel(name);
    if (request.kernel)
      return true;
    std::string names;
    for (size_t i = 0; i < module->kernelCount() && i < 20; ++i)
      names += (i ? ", " : "") + module->kernel(i)->info().name;
    return refuse("the code object has no kernel " + name + ", only: " + names);
  }

  bool fillArguments() {
    const KernelInfo &info = request.kernel->info();
    std::vector<const KernelArgument *> wanted;
    for (const KernelArgument &argument : info.arguments)
      if (!argument.hidden())
        wanted.push_back(&argument);
    const json &given = launch["args"];
    if (given.size() != wanted.size())
      return refuse("kernel " + info.name + " takes " + std::to_string(wanted.size()) +
                    " arguments, not " + std::to_string(given.size()));
    kernarg.resize(info.explicitBytes);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (!fillArgument(i, *wanted[i], given[i]))
        return false;
    request.kernarg = kernarg.data();
    request.kernargBytes = kernarg.size();
    return true;
  }

  bool put(size_t i, const KernelArgument &argument, const void *value, size_t bytes) {
    if (bytes != argument.bytes)
      return refuse("argument " + std::to_string(i) + " has " + std::to_string(argument.bytes) +
                    " bytes in the kernel and " + std::to_string(bytes) + " here");
    std::memcpy(kernarg.data() + argument.offset, value, bytes);
    return true;
  }

  bool fillArgument(size_t i, const KernelArgument &argument, const json &given) {
    std::string which = "argument " + std::to_string(i);
    if (!given.is_object() || given.empty())
      return refuse(which + " is an object such as {\"i32\": 5}");
    if (given.contains("buf"))
      return fillBuffer(i, argument, given);
    if (given.size() != 1)
      return refuse(which + " has more than one value");
    const std::string type = given.begin().key();
    const json &value = given.begin().value();
    if (!value.is_number())
      return refuse(which + ": \"" + type + "\" is a number");
    if (type == "f32") {
      float f = value.get<float>();
      return put(i, argument, &f, 4);
    }
    if (type == "f64") {
      double f = value.get<double>();
      return put(i, argument, &f, 8);
    }
    static const struct {
      const char *name;
      unsigned bytes;
    } integers[] = {{"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2}, {"i32", 4},
                    {"u32", 4}, {"i64", 8}, {"u64", 8}, {"ptr", 8}};
    for (const auto &integer : integers)
      if (type == integer.name) {
        if (!value.is_number_integer())
          return refuse(which + ": \"" + type + "\" is a whole number");
        uint64_t bits =
            value.is_number_unsigned() ? value.get<uint64_t>() : uint64_t(value.get<int64_t>());
        int64_t extended = int64_t(bits << (64 - 8 * integer.bytes)) >> (64 - 8 * integer.bytes);
        uint64_t truncated = bits & (~uint64_t(0) >> (64 - 8 * integer.bytes));
        if (bits != truncated && bits != uint64_t(extended))
          return refuse(which + ": the value does not fit \"" + type + "\"");
        return put(i, argument, &bits, integer.bytes);
      }
    return refuse(which + ": unknown type \"" + type + "\"");
  }

  std::filesystem::path relative(const std::string &name) const {
    return std::filesystem::path(arguments.launchFile).parent_path() / name;
  }

  bool fillBuffer(size_t i, const KernelArgument &argument, const json &given) {
    std::string which = "argument " + std::to_string(i);
    std::vector<char> bytes;
    uint64_t size = 0;
    bool written = true;
    const json &source = given["buf"];
    if (source.is_string()) {
      std::ifstream in(relative(source.get<std::string>()), std::ios::binary);
      if (!in)
        return refuse(which + ": cannot read " + relative(source.get<std::string>()).string());
      bytes.assign(std::istreambuf_iterator<char>(in), {});
      size = bytes.size();
    } else if (source.is_object() && source.contains("bytes") &&
               number(source["bytes"], uint64_t(1) << 40, size)) {
      uint64_t fill = 0;
      written = source.contains("fill");
      if (written && !number(source["fill"], 255, fill))
        return refuse(which + ": \"fill\" is a byte");
      if (written)
        bytes.assign(size, char(fill));
    } else {
      return refuse(which + ": \"buf\" is a file's name or {\"bytes\": N, \"fill\": BYTE}");
    }
    if (given.contains("out") && !given["out"].is_string())
      return refuse(which + ": \"out\" is a file's name");
    uint64_t address = machine->allocate(size, MemoryKind::Device, 0);
    if (!address)
      return refuse(which + ": no memory for " + std::to_string(size) + " bytes");
    std::string message;
    if (written && !machine->copy(address, reinterpret_cast<uint64_t>(bytes.data()), size,
                                  Operation(), &message))
      return refuse(message);
    if (given.contains("out"))
      outputs.push_back({relative(given["out"].get<std::string>()), address, size});
    return put(i, argument, &address, 8);
  }

  bool writeOutputs() {
    for (const Output &output : outputs) {
      std::vector<char> bytes(output.bytes);
      std::string message;
      if (!machine->copy(reinterpret_cast<uint64_t>(bytes.data()), output.address, output.bytes,
                         Operation(), &message))
        return refuse(message);
      std::ofstream out(output.path, std::ios::binary);
      out.write(bytes.data(), std::streamsize(bytes.size()));
      if (!out.flush())
        return refuse("cannot write " + output.path.string());
    }
    return true;
  }

  struct Output {
    std::filesystem::path path;
    uint64_t address, bytes;
  };

  const LaunchArguments &arguments;
  json launch;
  std::unique_ptr<Emulator> machine;
  std::unique_ptr<Module> module;
  LaunchRequest request;
  std::vector<uint8_t> kernarg;
  std::vector<Output> outputs;
  std::string error;
};

} // namespace

int launchCommand(const LaunchArguments &arguments) { return Launcher(arguments).run(); }

} // namespace amdemu
