// tl-bench: times of kernels that most programs need, each checked against the interpreter on a
// smaller problem, and of rivals that compute the same in the same run.
#include "tl_bench_rival.h"
#include "tl_bench_rows.h"
#include "tlc_device.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>

#include <regex.h>

using namespace tlc;
using namespace tlbench;
using Json = nlohmann::ordered_json;

namespace {

struct Options {
  std::string device = "auto", only, json;
  bool list = false, baseline = false;
  double seconds = 1;
};

double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 2];
}

/// A kernel with its arguments in device memory.
class Problem {
public:
  Problem(const Device &device, const Row &row, const std::vector<std::string> &settings)
      : device(device), buffers(device) {
    const char *text = kernelText(row.kernel);
    tl_graph *parsed = nullptr;
    tl_error *error = nullptr;
    tl_status status = tl_graph_parse(text, std::strlen(text), row.kernel.c_str(), &parsed, &error);
    Graph graph(parsed);
    check(status, error);
    InputOptions input;
    ParamBindings params =
        takeParams(paramNames(graph), splitSettings(settings, row.name.c_str()), input.set);
    tl_build_options options = TL_BUILD_OPTIONS_INIT;
    params.apply(options);
    tl_kernel *built = nullptr;
    status = tl_kernel_build(device.get(), graph.get(), &options, &built, &error);
    check(status, error);
    kernel = own(built);
    args = makeInputs(kernel, input);
    buffers.upload(args);
    launchList = launchArgs(args, buffers.pointers);
    status = tl_kernel_prepare(kernel.get(), launchList.data(), launchList.size(), &error);
    check(status, error);
  }

  void launch() {
    check(tl_launch(kernel.get(), nullptr, launchList.data(), launchList.size(), nullptr),
          "launching");
  }
  void synchronize() { buffers.synchronize(); }

  /// Milliseconds of one launch by the device's own clock.
  double timed() { return timeLaunches(device, kernel, launchList, 1)[0]; }

  /// The largest error against the interpreter; fails when it is beyond its bound.
  double largestError() {
    launch();
    synchronize();
    tl_check_report report = TL_CHECK_REPORT_INIT;
    tl_error *error = nullptr;
    check(compareResults(kernel, args, downloadResults(buffers, args), report, &error), error);
    return report.max_abs_error;
  }

private:
  const Device &device;
  Buffers buffers;
  Kernel kernel;
  std::vector<HostArg> args;
  std::vector<tl_arg> launchList;
};

struct Times {
  std::vector<double> ours, theirs;
};

/// Both in turn, so that they see the same machine, for about as long as was asked for.
Times race(Problem &problem, const std::optional<Contender> &rival, double seconds) {
  Times times;
  double begin = now();
  for (int i = -2; i < 5 || (now() - begin < 1000 * seconds && i < 2000); ++i) {
    double ours = problem.timed(), theirs = 0;
    if (rival) {
      double start = now();
      rival->run();
      theirs = now() - start;
    }
    if (i < 0)
      continue; // the first ones warm up
    times.ours.push_back(ours);
    times.theirs.push_back(theirs);
  }
  return times;
}

Json measure(const Device &device, const std::string &deviceName, const Row &row,
             const Options &options) {
  Json result = {
      {"name", row.name}, {"shape", row.shape}, {"dtype", row.dtype}, {"device", deviceName}};
  double error = Problem(device, row, row.check).largestError();
  Problem problem(device, row, row.set);
  std::optional<Contender> rival;
  std::string why;
  for (Rival r : row.rivals)
    if (options.baseline && deviceName == "host" && !rival)
      rival = contender(r, row, &why);
  Times times = race(problem, rival, options.seconds);
  double ms = median(times.ours);
  result["ms_median"] = ms;
  result["ms_min"] = *std::min_element(times.ours.begin(), times.ours.end());
  result["ms_max"] = *std::max_element(times.ours.begin(), times.ours.end());
  result["tflops"] = row.flops ? Json(row.flops / ms * 1e-9) : Json();
  result["gbps"] = row.bytes ? Json(row.bytes / ms * 1e-6) : Json();
  result["percent_of_peak"] = Json();
  result["max_err"] = error;
  result["baselines"] = Json::array();
  if (rival)
    result["baselines"].push_back({{"name", rival->name},
                                   {"ms_median", median(times.theirs)},
                                   {"ratio", median(times.theirs) / ms}});
  else if (!why.empty())
    result["no_baseline"] = why;
  return result;
}

void addTorch(Json &result, const TorchTimes &torch, size_t row) {
  if (row >= torch.median.size() || !torch.median[row])
    return;
  double ms = *torch.median[row];
  result["baselines"].push_back({{"name", "PyTorch " + torch.version},
                                 {"ms_median", ms},
                                 {"ratio", ms / result["ms_median"].get<double>()}});
}

/// What moves memory, as a share of what the copy of this run reached.
void addShare(Json &result, double &copied) {
  if (!result["gbps"].is_number())
    return;
  double gbps = result["gbps"];
  if (result["name"] == "copy")
    copied = gbps;
  if (copied > 0)
    result["percent_of_copy"] = 100 * gbps / copied;
}

void print(const Json &row) {
  std::printf("%-17s %-16s %-5s %9.4f ms (%.4f to %.4f)", row["name"].get<std::string>().c_str(),
              row["shape"].get<std::string>().c_str(), row["dtype"].get<std::string>().c_str(),
              row["ms_median"].get<double>(), row["ms_min"].get<double>(),
              row["ms_max"].get<double>());
  if (row["tflops"].is_number())
    std::printf("  %8.4f TFLOP/s", row["tflops"].get<double>());
  if (row["gbps"].is_number())
    std::printf("  %8.2f GB/s", row["gbps"].get<double>());
  std::printf("  error %.2g", row["max_err"].get<double>());
  for (const Json &rival : row["baselines"])
    std::printf("  %.2f of %s", rival["ratio"].get<double>(),
                rival["name"].get<std::string>().c_str());
  std::printf("\n");
  std::fflush(stdout);
}

std::vector<Row> chosen(const Options &options) {
  std::vector<Row> list;
  regex_t wanted;
  if (regcomp(&wanted, options.only.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    fail("--only %s is no regular expression", options.only.c_str());
  for (const Row &row : rows()) {
    std::string words = row.name + " " + row.shape + " " + row.dtype;
    if (options.only.empty() || regexec(&wanted, words.c_str(), 0, nullptr, 0) == 0)
      list.push_back(row);
  }
  regfree(&wanted);
  if (list.empty())
    fail("no row matches '%s'; --list shows them", options.only.c_str());
  return list;
}

void bench(const Options &options) {
  std::vector<Row> list = chosen(options);
  if (options.list) {
    for (const Row &row : list)
      std::printf("%-17s %-16s %s\n", row.name.c_str(), row.shape.c_str(), row.dtype.c_str());
    return;
  }
  Context context = makeContext();
  Device device = openDevice(context, options.device);
  tl_device_info info = TL_DEVICE_INFO_INIT;
  check(tl_device_get_info(device.get(), &info), "looking at the device");
  std::string name = info.name;
  if (name.starts_with("emu:") || name == "interp")
    fail("times on %s say nothing about a device; take hip:0, cuda:0 or host", name.c_str());
  std::printf("%s: %s (%s)\n", name.c_str(), info.description, info.target);
  TorchTimes torch;
  if (options.baseline) {
    torch = timeTorch(list, name == "host" ? "cpu" : "cuda");
    if (!torch.reason.empty())
      std::printf("no PyTorch: %s\n", torch.reason.c_str());
  }
  Json all = Json::array();
  double copied = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    Json result = measure(device, name, list[i], options);
    addTorch(result, torch, i);
    addShare(result, copied);
    print(result);
    all.push_back(std::move(result));
  }
  if (!options.json.empty()) {
    std::string text = Json{{"device", name},
                            {"description", info.description},
                            {"target", info.target},
                            {"rows", all}}
                           .dump(2) +
                       "\n";
    writeFile(options.json, text.data(), text.size());
  }
}

} // namespace

int main(int argc, char **argv) {
  programName = "tl-bench";
  Options options;
  CLI::App app("Times of kernels on a device, checked against the interpreter, beside rivals in "
               "the same run");
  app.add_option("-d,--device", options.device, "hip:0, cuda:0, host, or auto (default)");
  app.add_flag("--list", options.list, "show the rows and measure nothing");
  app.add_option("--only", options.only, "REGEX: rows whose \"name shape dtype\" it matches");
  app.add_option("--json", options.json, "file for all figures, - is standard output");
  app.add_flag(
      "--baseline", options.baseline,
      "rivals too: memcpy, a C loop and OpenBLAS on the host, PyTorch where python3 has it");
  app.add_option("--seconds", options.seconds, "how long to measure each row (default 1)")
      ->check(CLI::Range(0.0, 600.0));
  CLI11_PARSE(app, argc, argv);
  try {
    bench(options);
  } catch (const Failed &failed) {
    return failed.exitCode;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "tl-bench: out of memory\n");
    return 1;
  }
  return 0;
}
