#include "tlc_device.h"

namespace tlc {

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
