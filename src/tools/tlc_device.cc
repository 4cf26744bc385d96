#include "tlc_device.h"

namespace tlc {

std::vector<HostArg> downloadResults(Buffers &buffers, const std::vector<HostArg> &args) {
  std::vector<HostArg> results = args;
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].info.written)
      results[i].bytes = buffers.download(i, args[i].bytes.size());
  return results;
}

tl_status compareResults(const Kernel &kernel, std::vector<HostArg> before,
                         std::vector<HostArg> after, tl_check_report &report, tl_error **error) {
  auto pointersOf = [](std::vector<HostArg> &args) {
    std::vector<void *> pointers;
    for (HostArg &arg : args)
      pointers.push_back(arg.bytes.data());
    return pointers;
  };
  std::vector<tl_arg> reference = launchArgs(before, pointersOf(before));
  std::vector<tl_arg> got = launchArgs(after, pointersOf(after));
  return tl_kernel_check(kernel.get(), reference.data(), got.data(), got.size(), &report, error);
}

std::vector<double> timeLaunches(const Device &device, const Kernel &kernel,
                                 const std::vector<tl_arg> &args, uint32_t repeat) {
  std::vector<double> times;
  Event start(device), stop(device);
  for (uint32_t i = 0; i < repeat; ++i) {
    double ms = 0;
    check(tl_event_record(device.get(), start.event, nullptr), "timing");
    check(tl_launch(kernel.get(), nullptr, args.data(), args.size(), nullptr), "launching");
    check(tl_event_record(device.get(), stop.event, nullptr), "timing");
    check(tl_event_elapsed(device.get(), start.event, stop.event, &ms), "timing");
    times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  return times;
}

} // namespace tlc
