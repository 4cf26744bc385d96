// What tl-bench measures: one table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlbench {

/// Who computes the same in the same run.
enum class Rival { None, Copy, Add, Gemm, Torch };

struct Row {
  std::string name;               // "matmul"
  std::string shape;              // "1024x1024x1024"
  std::string dtype;              // "f32"
  std::string kernel;             // one of the embedded texts
  std::vector<std::string> set;   // NAME=VALUE: parameters and scalar arguments
  std::vector<std::string> check; // the same for a problem that the interpreter can check
  double flops = 0;               // of one launch, 0 where memory is what counts
  double bytes = 0;               // moved at least
  std::vector<Rival> rivals = {};
};

/// All rows, in the order in which they are run.
const std::vector<Row> &rows();
/// The text of an embedded kernel.
const char *kernelText(const std::string &name);

} // namespace tlbench
