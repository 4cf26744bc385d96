// tlc check, print, build and devices.
#include "tlc_commands.h"
#include "tlc_common.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

namespace tlc {

using Json = nlohmann::ordered_json;

/// Checks member `index` of a file.
static void verify(const Graph &graph, size_t index, const std::string &file) {
  tl_graph *member = nullptr;
  tl_error *error = nullptr;
  tl_status status = tl_graph_member(graph.get(), index, nullptr, &member, &error);
  check(status, error, file);
  Graph own(member);
  status = tl_graph_verify(member, &error);
  check(status, error, file);
}

void checkCommand(const std::vector<std::string> &files) {
  bool good = true;
  for (const std::string &file : files)
    try {
      Graph graph = readGraph(file);
      for (size_t i = 0, n = memberNames(graph).size(); i < n; ++i)
        verify(graph, i, file);
    } catch (const Failed &) {
      good = false; // the others are checked all the same
    }
  if (!good)
    throw Failed{};
}

void printCommand(const std::string &file, const std::string &kernel, bool canonical,
                  const std::vector<std::string> &set) {
  Graph graph = member(readGraph(file), kernel, file);
  std::vector<Setting> others;
  ParamBindings params = takeParams(paramNames(graph), splitSettings(set, "--set"), others);
  if (!others.empty())
    fail("the kernel has no parameter %s", others[0].name.c_str());
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  params.apply(options);
  const char *text = nullptr;
  tl_error *error = nullptr;
  tl_status status =
      canonical || options.n_params
          ? tl_graph_print_canonical(graph.get(), options.param_names, options.param_values,
                                     options.n_params, &text, nullptr, &error)
          : tl_graph_print(graph.get(), &text, nullptr, &error);
  check(status, error, file);
  std::fputs(text, stdout);
}

namespace {

struct EmitKind {
  const char *name;
  const char *ending;  // of the output file
  tl_kernel_part part; // 0: the whole artifact
};
constexpr EmitKind emitKinds[] = {{"artifact", ".tlk", 0},
                                  {"graph", ".tlg", TL_PART_GRAPH},
                                  {"llvm", ".ll", TL_PART_LLVM},
                                  {"asm", ".s", TL_PART_ASM},
                                  {"passes", ".passes.tile", TL_PART_PASSES},
                                  {"object", ".o", TL_PART_CODE}};

const EmitKind &emitKind(const std::string &name) {
  for (const EmitKind &kind : emitKinds)
    if (name == kind.name)
      return kind;
  fail("--emit %s: kinds are artifact, graph, passes, llvm, asm and object", name.c_str());
}

void applyOptions(const std::vector<std::string> &opt, tl_build_options &options) {
  for (const Setting &setting : splitSettings(opt, "--opt")) {
    int64_t value = parseInteger(setting.value, "--opt " + setting.name);
    if (setting.name == "level" && value >= 0 && value <= 3)
      options.opt_level = value == 0 ? -1 : int32_t(value);
    else if (setting.name == "threads" && value >= 0 && value <= 1024)
      options.threads = uint32_t(value);
    else if (setting.name == "debug" && (value == 0 || value == 1))
      options.flags |= value ? 0 : TL_BUILD_NO_DEBUG_INFO;
    else
      fail("--opt %s=%lld: options are level=0..3, threads=0..1024 and debug=0|1",
           setting.name.c_str(), (long long)value);
  }
}

Json stats(const tl_kernel_info &info) {
  return {{"target", info.target},
          {"kernel", info.name},
          {"vgpr", info.vgpr},
          {"agpr", info.agpr},
          {"sgpr", info.sgpr},
          {"lds_bytes", info.lds_bytes},
          {"scratch_bytes", info.scratch_bytes},
          {"vgpr_spills", info.vgpr_spills},
          {"threads", info.threads},
          {"occupancy_waves", info.occupancy_waves},
          {"code_bytes", info.code_bytes},
          {"arena_bytes", info.arena_bytes},
          {"ms",
           {{"passes", info.ms_passes},
            {"llvm_opt", info.ms_llvm_opt},
            {"llvm_codegen", info.ms_llvm_codegen},
            {"link", info.ms_link},
            {"total", info.ms_total}}}};
}

/// How the files of each target are told apart: "host-x86-64-v3", with the features behind it where
/// two targets have that name.
std::vector<std::string> targetNames(const std::vector<std::string> &targets) {
  auto nameOf = [](const std::string &target) {
    std::string name = target;
    for (char &c : name)
      c = c == ':' || c == '+' ? '-' : c;
    return name;
  };
  auto shortName = [](const std::string &target) { return target.substr(0, target.find('+')); };
  std::vector<std::string> names;
  for (const std::string &target : targets) {
    size_t alike = 0;
    for (const std::string &other : targets)
      alike += shortName(other) == shortName(target);
    names.push_back(nameOf(alike > 1 ? target : shortName(target)));
  }
  return names;
}

/// "dir/name.tile" with another ending; with several targets the listings carry the target's name
/// (else empty), and those of a sequence the kernel's.
std::string outputPath(const std::string &file, const std::string &out, const EmitKind &kind,
                       const std::string &target = "", const std::string &kernel = "") {
  if (!out.empty())
    return out;
  std::string stem = file == "-"               ? "kernel"
                     : endsWith(file, ".tile") ? file.substr(0, file.size() - 5)
                     : endsWith(file, ".tlg")  ? file.substr(0, file.size() - 4)
                                               : file;
  if (!kernel.empty())
    stem += "." + kernel;
  if (!target.empty())
    stem += "." + target;
  return stem + kind.ending;
}

/// The kernels whose code `kernel` launches: those of a sequence, or itself.
std::vector<const tl_kernel *> parts(const Kernel &kernel) {
  std::vector<const tl_kernel *> list;
  const tl_kernel *part = nullptr;
  while (tl_kernel_member(kernel.get(), list.size(), &part) == TL_OK)
    list.push_back(part);
  return list.empty() ? std::vector<const tl_kernel *>{kernel.get()} : list;
}

/// What a build writes when all of it has been made, under names that it chose itself: none twice,
/// and no file that is read.
class Outputs {
public:
  explicit Outputs(const std::vector<std::string> &inputs) {
    for (const std::string &input : inputs)
      taken.insert(fileOf(input));
  }

  /// "-" is standard output.
  void add(const std::string &path, const void *bytes, size_t size) {
    if (path != "-" && !taken.insert(fileOf(path)).second)
      fail("%s would be written over a file of the same build; name another output with -o",
           path.c_str());
    auto *from = static_cast<const char *>(bytes);
    files.push_back({path, std::string(from, from + size)});
  }

  void write() const {
    for (const auto &[path, content] : files)
      checkWritable(path);
    for (const auto &[path, content] : files)
      writeFile(path, content.data(), content.size());
  }

private:
  std::set<std::string> taken;
  std::vector<std::pair<std::string, std::string>> files; // paths and contents

  /// The same for all names of a file, hard links too.
  static std::string fileOf(const std::string &path) {
    struct stat file;
    if (stat(path.c_str(), &file) == 0)
      return std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
    std::error_code failed;
    std::filesystem::path full =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
    return failed ? path : full.string();
  }

  /// What can be seen before anything is written.
  static void checkWritable(const std::string &path) {
    std::error_code failed;
    std::filesystem::path directory = std::filesystem::path(path).parent_path();
    if (path == "-")
      return;
    if (std::filesystem::is_directory(path, failed))
      fail("cannot write %s: %s", path.c_str(), std::strerror(EISDIR));
    const std::string place = std::filesystem::exists(path, failed) ? path
                              : directory.empty()                   ? "."
                                                                    : directory.string();
    if (access(place.c_str(), W_OK) != 0)
      fail("cannot write %s: %s", path.c_str(), std::strerror(errno));
  }
};

void addKind(const Kernel &kernel, const std::string &file, const std::string &out,
             const EmitKind &kind, Outputs &outputs) {
  auto add = [&](const std::string &path, const void *content, size_t length) {
    outputs.add(path, content, length);
  };
  const void *bytes = nullptr;
  size_t size = 0, targets = 0;
  if (kind.part == 0 || kind.part == TL_PART_GRAPH) {
    check(kind.part == 0 ? tl_kernel_save(kernel.get(), &bytes, &size)
                         : tl_kernel_get_part(kernel.get(), 0, kind.part, &bytes, &size),
          kind.name);
    return add(outputPath(file, out, kind), bytes, size);
  }
  check(tl_kernel_target_count(kernel.get(), &targets), "reading the targets");
  if (!out.empty() && targets > 1)
    fail("-o names one file, but --emit %s gives one for each of %zu targets", kind.name, targets);
  std::vector<const tl_kernel *> kernels = parts(kernel);
  if (!out.empty() && kernels.size() > 1)
    fail("-o names one file, but --emit %s gives one for each of the sequence's %zu kernels",
         kind.name, kernels.size());
  std::vector<std::string> names;
  for (size_t i = 0; i < targets; ++i) {
    tl_kernel_info info = TL_KERNEL_INFO_INIT;
    check(tl_kernel_get_info(kernels[0], i, &info), "reading the kernel");
    names.push_back(info.target);
  }
  names = targetNames(names);
  for (const tl_kernel *one : kernels)
    for (size_t i = 0; i < targets; ++i) {
      tl_kernel_info info = TL_KERNEL_INFO_INIT;
      check(tl_kernel_get_info(one, i, &info), "reading the kernel");
      // On the host an object file is the relocatable one, which a linker takes.
      bool host = std::string(info.target).rfind("host", 0) == 0;
      tl_kernel_part part = kind.part == TL_PART_CODE && host ? TL_PART_OBJECT : kind.part;
      check(tl_kernel_get_part(one, i, part, &bytes, &size), kind.name);
      add(outputPath(file, out, kind, targets > 1 ? names[i] : "",
                     kernels.size() > 1 ? info.name : ""),
          bytes, size);
    }
}

/// What --emit asks for.
std::vector<std::string> emitted(const BuildArguments &arguments) {
  if (arguments.emit.empty() && (!arguments.stats || !arguments.out.empty()))
    return {"artifact"};
  return arguments.emit;
}

/// The graphs of a file that are to be built.
std::vector<Graph> graphsOf(const BuildArguments &arguments, const std::string &file) {
  std::vector<std::string> names = arguments.kernels;
  std::vector<Graph> graphs;
  Graph whole = readGraph(file);
  if (arguments.all)
    names = memberNames(whole);
  if (names.empty())
    graphs.push_back(std::move(whole));
  for (const std::string &name : names)
    graphs.push_back(member(readGraph(file), name, file));
  return graphs;
}

Kernel buildGraph(const Context &context, const BuildArguments &arguments, const Graph &graph,
                  const std::string &file) {
  std::vector<Setting> others;
  ParamBindings params =
      takeParams(paramNames(graph), splitSettings(arguments.set, "--set"), others);
  if (!others.empty())
    fail("%s has no parameter %s", file.c_str(), others[0].name.c_str());
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  params.apply(options);
  applyOptions(arguments.opt, options);
  for (const std::string &name : emitted(arguments)) {
    tl_kernel_part part = emitKind(name).part;
    options.listings |= part == TL_PART_LLVM     ? TL_LISTING_LLVM
                        : part == TL_PART_ASM    ? TL_LISTING_ASM
                        : part == TL_PART_PASSES ? TL_LISTING_PASSES
                                                 : 0;
  }
  std::vector<const char *> targets;
  for (const std::string &target : arguments.targets)
    targets.push_back(target.c_str());
  tl_kernel *built = nullptr;
  tl_error *error = nullptr;
  tl_status status = tl_kernel_compile(context.get(), graph.get(), targets.data(), targets.size(),
                                       &options, &built, &error);
  check(status, error, file);
  return own(built);
}

void printStats(const Kernel &kernel) {
  size_t count = 0; // a target named twice counts once
  check(tl_kernel_target_count(kernel.get(), &count), "reading the targets");
  for (size_t i = 0; i < count; ++i) {
    tl_kernel_info info = TL_KERNEL_INFO_INIT;
    check(tl_kernel_get_info(kernel.get(), i, &info), "reading the kernel");
    std::printf("%s\n", stats(info).dump().c_str());
  }
}

/// A kernel and the file that it comes from.
struct BuiltKernel {
  Kernel kernel;
  std::string file;
};

/// Each kernel of a library has a name of its own.
void checkNames(const std::vector<BuiltKernel> &kernels) {
  std::map<std::string, std::string> files;
  for (const auto &[kernel, file] : kernels) {
    tl_kernel_info info = TL_KERNEL_INFO_INIT;
    check(tl_kernel_get_info(kernel.get(), 0, &info), "reading the kernel");
    auto [first, added] = files.emplace(info.name, file);
    if (!added)
      fail("%s and %s both hold a kernel named '%s', which cannot stand in one library",
           first->second.c_str(), file.c_str(), info.name);
  }
}

/// Several kernels make a library.
void addKernels(const std::vector<BuiltKernel> &kernels, const std::string &file,
                const BuildArguments &arguments, Outputs &outputs) {
  std::vector<std::string> emit = emitted(arguments);
  Kernel whole = kernels[0].kernel;
  if (kernels.size() > 1 && !emit.empty()) {
    if (emit != std::vector<std::string>{"artifact"})
      fail("several kernels make a library, an artifact; --emit %s is of one", emit[0].c_str());
    checkNames(kernels);
    std::vector<const tl_kernel *> members;
    for (const BuiltKernel &built : kernels)
      members.push_back(built.kernel.get());
    tl_kernel *library = nullptr;
    tl_error *error = nullptr;
    tl_status status = tl_kernel_bundle(members.data(), members.size(), &library, &error);
    check(status, error);
    whole = own(library);
  }
  for (const std::string &name : emit)
    addKind(whole, file, arguments.out, emitKind(name), outputs);
}

} // namespace

void buildCommand(const BuildArguments &arguments) {
  if (!arguments.out.empty() && emitted(arguments).size() > 1)
    fail("-o names one file, but several are to be written");
  std::set<std::string> names;
  for (const std::string &name : arguments.kernels)
    if (!names.insert(name).second)
      fail("--kernel %s is given twice", name.c_str());
  if (arguments.all && !arguments.kernels.empty())
    fail("--all builds every kernel; --kernel %s is one of them", arguments.kernels[0].c_str());
  Context context = makeContext();
  std::vector<BuiltKernel> kernels;
  Outputs outputs(arguments.files);
  for (const std::string &file : arguments.files) {
    for (const Graph &graph : graphsOf(arguments, file)) {
      kernels.push_back({buildGraph(context, arguments, graph, file), file});
      if (arguments.stats)
        printStats(kernels.back().kernel);
    }
    if (arguments.out.empty()) {
      addKernels(kernels, file, arguments, outputs);
      kernels.clear();
    }
  }
  if (!kernels.empty())
    addKernels(kernels, arguments.files[0], arguments, outputs);
  outputs.write();
}

void devicesCommand(bool json) {
  Context context = makeContext();
  size_t count = 0;
  check(tl_context_device_count(context.get(), &count), "looking for devices");
  Json list = Json::array();
  for (size_t i = 0; i < count; ++i) {
    tl_device_info d = TL_DEVICE_INFO_INIT;
    check(tl_context_device(context.get(), i, &d), "looking at a device");
    if (json) {
      list.push_back({{"name", d.name},
                      {"usable", d.usable != 0},
                      {"target", d.target},
                      {"description", d.description},
                      {"reason", d.reason},
                      {"compute_units", d.compute_units},
                      {"wave_size", d.wave_size},
                      {"max_threads", d.max_threads},
                      {"shared_bytes", d.shared_bytes},
                      {"memory_bytes", d.memory_bytes}});
      continue;
    }
    if (!d.usable) {
      std::printf("%-8s not usable: %s\n", d.name, d.reason);
      continue;
    }
    std::printf("%-8s %s\n         target %s", d.name, d.description, d.target);
    if (d.compute_units > 1 || d.shared_bytes)
      std::printf(", %u %s", d.compute_units, d.shared_bytes ? "compute units" : "threads");
    if (d.shared_bytes)
      std::printf(", %llu KB shared memory", (unsigned long long)(d.shared_bytes / 1024));
    if (d.memory_bytes)
      std::printf(", %.1f GB memory", double(d.memory_bytes) / 1e9);
    std::printf("\n");
  }
  if (json)
    std::printf("%s\n", list.dump(2).c_str());
}

} // namespace tlc
