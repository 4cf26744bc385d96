// tlc run: a kernel on generated or given input, timed and checked.
#include "tlc_commands.h"
#include "tlc_common.h"
#include "tlc_device.h"
#include "tlc_element.h"
#include "tlc_input.h"
#include "tlc_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tlc {

using Json = nlohmann::ordered_json;

namespace {

std::string nameOf(const tl_kernel *kernel) {
  tl_kernel_info info = TL_KERNEL_INFO_INIT;
  check(tl_kernel_get_info(kernel, 0, &info), "reading the kernel");
  return info.name;
}

/// The member of a library that is to be run, the last one by default; a kernel itself.
Kernel memberOf(Kernel kernel, const RunArguments &arguments) {
  const std::string &name = arguments.kernel;
  size_t targets = 0, count = 0;
  check(tl_kernel_target_count(kernel.get(), &targets), "reading the targets");
  std::vector<const tl_kernel *> members = {kernel.get()};
  if (targets == 0) { // a library
    const tl_kernel *member = nullptr;
    members.clear();
    for (; tl_kernel_member(kernel.get(), count, &member) == TL_OK; ++count)
      members.push_back(member);
  }
  std::string known;
  for (const tl_kernel *member : members) {
    if (!name.empty() && nameOf(member) == name)
      return Kernel(kernel, member);
    known += (known.empty() ? "" : ", ") + nameOf(member);
  }
  if (!name.empty())
    fail("%s has no kernel '%s', it has %s", arguments.file.c_str(), name.c_str(), known.c_str());
  return Kernel(kernel, members.back());
}

Kernel loadOrBuild(const Device &device, const RunArguments &arguments,
                   std::vector<Setting> &scalars) {
  std::vector<Setting> settings = splitSettings(arguments.set, "--set");
  tl_kernel *kernel = nullptr;
  tl_error *error = nullptr;
  tl_status status;
  if (endsWith(arguments.file, ".tlk")) {
    std::vector<uint8_t> bytes = readFile(arguments.file);
    scalars = settings;
    status = tl_kernel_load(device.get(), bytes.data(), bytes.size(), &kernel, &error);
    check(status, error, arguments.file);
    return memberOf(own(kernel), arguments);
  } else {
    Graph graph = member(readGraph(arguments.file), arguments.kernel, arguments.file);
    ParamBindings params = takeParams(paramNames(graph), settings, scalars);
    tl_build_options options = TL_BUILD_OPTIONS_INIT;
    params.apply(options);
    status = tl_kernel_build(device.get(), graph.get(), &options, &kernel, &error);
  }
  check(status, error, arguments.file);
  return own(kernel);
}

/// Runs the interpreter on the inputs and compares; returns whether the results agree.
bool checkResults(const Kernel &kernel, const std::vector<HostArg> &before,
                  const std::vector<HostArg> &after, Json &json, bool print) {
  tl_check_report report = TL_CHECK_REPORT_INIT;
  tl_error *error = nullptr;
  tl_status status = compareResults(kernel, before, after, report, &error);
  if (status != TL_OK && status != TL_E_MISMATCH)
    check(status, error);
  json["check"] = {{"ok", status == TL_OK},
                   {"compared", report.compared},
                   {"mismatches", report.mismatches},
                   {"undecided", report.undecided},
                   {"max_abs_error", report.max_abs_error},
                   {"max_bound_share", report.max_bound_share}};
  if (status == TL_E_MISMATCH)
    json["check"]["message"] = tl_error_message(error);
  if (print && status == TL_OK)
    std::printf(
        "check    ok: %llu elements, max error %.3g (%.0f %% of its bound), %llu undecided\n",
        (unsigned long long)report.compared, report.max_abs_error, 100 * report.max_bound_share,
        (unsigned long long)report.undecided);
  if (status != TL_OK)
    std::fprintf(stderr, "tlc: %s\n", tl_error_message(error));
  tl_error_destroy(error);
  return status == TL_OK;
}

void writeOutputs(const std::vector<HostArg> &args, const std::vector<std::string> &out) {
  for (const Setting &setting : splitSettings(out, "--out")) {
    if (setting.value.empty() || setting.value[0] != '@')
      fail("--out takes NAME=@file.npy, not '%s'", setting.value.c_str());
    const HostArg *found = nullptr;
    for (const HostArg &arg : args)
      if (arg.name == setting.name && arg.info.kind != TL_TYPE_TILE)
        found = &arg;
    if (!found)
      fail("--out %s: the kernel has no view or pointer argument of that name",
           setting.name.c_str());
    std::vector<uint8_t> rows = gatherRows(*found, found->bytes);
    writeNpy(setting.value.substr(1), elementType(found->info.dtype)->npy, found->shape,
             rows.data(), rows.size());
  }
}

void run(const RunArguments &arguments, bool &reported) {
  Context context = makeContext();
  Device device = openDevice(context, arguments.device);
  tl_device_info info = TL_DEVICE_INFO_INIT;
  check(tl_device_get_info(device.get(), &info), "looking at the device");
  InputOptions input;
  Kernel kernel = loadOrBuild(device, arguments, input.set);
  input.in = splitSettings(arguments.in, "--in");
  input.shapes = splitSettings(arguments.shape, "--shape");
  input.seed = arguments.seed;
  std::vector<HostArg> args = makeInputs(kernel, input);

  Buffers buffers(device);
  buffers.upload(args);
  std::vector<tl_arg> launch = launchArgs(args, buffers.pointers);
  tl_error *error = nullptr;
  tl_status status = tl_kernel_prepare(kernel.get(), launch.data(), launch.size(), &error);
  check(status, error);
  status = tl_launch(kernel.get(), nullptr, launch.data(), launch.size(), nullptr);
  if (status != TL_OK && info.name == std::string("interp")) {
    // The interpreter has words for what went wrong; a launch has a status alone.
    status =
        tl_kernel_check(kernel.get(), launch.data(), launch.data(), launch.size(), nullptr, &error);
    check(status, error);
  }
  check(status, "launching");
  buffers.synchronize();
  std::vector<HostArg> results = downloadResults(buffers, args);
  writeOutputs(results, arguments.out);

  tl_kernel_info built = TL_KERNEL_INFO_INIT;
  check(tl_kernel_get_info(kernel.get(), 0, &built), "reading the kernel");
  Json json = {{"kernel", built.name}, {"device", info.name}, {"target", built.target}};
  std::string shapes;
  for (const HostArg &arg : args)
    shapes += (shapes.empty() ? "" : ", ") + describe(arg);
  json["arguments"] = shapes;
  if (!arguments.json)
    std::printf("kernel   %s on %s (%s)\nargs     %s\n", built.name, info.name, info.description,
                shapes.c_str());
  if (arguments.repeat) {
    std::vector<double> times = timeLaunches(device, kernel, launch, arguments.repeat);
    json["ms"] = {
        {"median", times[times.size() / 2]}, {"min", times.front()}, {"max", times.back()}};
    if (!arguments.json)
      std::printf("time     median %.4f ms, min %.4f, max %.4f over %u launches\n",
                  times[times.size() / 2], times.front(), times.back(), arguments.repeat);
  }
  bool agree = !arguments.check || checkResults(kernel, args, results, json, !arguments.json);
  reported = true;
  if (arguments.report && arguments.json)
    json["report"] = Json::parse(emulatorReport(true));
  else if (arguments.report)
    std::printf("%s\n", emulatorReport(false).c_str());
  if (arguments.json)
    std::printf("%s\n", json.dump(2).c_str());
  if (uint64_t findings = arguments.report ? 0 : emulatorFindings())
    std::fprintf(stderr, "tlc: the emulator has %llu finding%s; --report prints what it found\n",
                 (unsigned long long)findings, findings == 1 ? "" : "s");
  if (!agree)
    throw Failed{};
}

} // namespace

void runCommand(const RunArguments &arguments) {
  if (arguments.report)
    askForReport();
  bool reported = false;
  try {
    run(arguments, reported);
  } catch (const Failed &) {
    // What a kernel did wrong is known only to the emulator.
    if (std::string fault = emulatorFault(); !fault.empty())
      std::fprintf(stderr, "tlc: %s\n", fault.c_str());
    // A mismatch comes after the report; what ends earlier has one all the same.
    if (arguments.report && !reported && emulatorIsThere())
      std::printf("%s\n", emulatorReport(arguments.json).c_str());
    throw;
  }
}

} // namespace tlc
