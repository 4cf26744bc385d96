// The others in the same run: plain loops and memcpy on all cores, OpenBLAS where its library is
// found, PyTorch where a python3 on the PATH has it.
#pragma once

#include "tl_bench_rows.h"

#include <functional>
#include <optional>

namespace tlbench {

/// Something that can be run again and again, and its name.
struct Contender {
  std::string name;
  std::function<void()> run;
};

/// A rival that runs in this process, on memory of its own; nothing where it is not found. What it
/// is says `why` then.
std::optional<Contender> contender(Rival rival, const Row &row, std::string *why);

/// Milliseconds of PyTorch for rows, by their number; empty, with a reason, where there is none. It
/// runs in a process of its own, before the rows here.
struct TorchTimes {
  std::string version;
  std::vector<std::optional<double>> median;
  std::string reason;
};
TorchTimes timeTorch(const std::vector<Row> &rows, const std::string &device);

} // namespace tlbench
