// Kernels around one matrix instruction each, and running them on many inputs at once.
#pragma once

#include "emu_test.h"
#include "matrix_facts.h"

#include <functional>

namespace emutest {

struct MatrixCode {
  std::string mnemonic;
  unsigned a = 1, b = 1, d = 1; // registers
  bool index = false;           // the third operand is an index, C is what D holds before
  bool scales = false;
  bool tied = false;     // C is D's registers
  bool overlaps = false; // A lies in D's registers
  bool agprs = false;    // all matrices but B are in accumulation registers
  std::string constant;  // in place of C
  std::string modifiers; // "cbsz:1 abid:1"
  uint64_t exec = ~0ull;
};

/// What one wave gets; D is what its registers hold before.
struct MatrixInput {
  RegisterSet a, b, c, d, index, scaleA, scaleB;
};

/// The registers of D afterwards, for each input.
using MatrixOutputs = std::vector<RegisterSet>;

/// All instructions of one chip and wave size, assembled together.
class MatrixSuite {
public:
  MatrixSuite(std::string chip, unsigned waveSize, Options options = {});
  /// `inputs` and `check` are called by run().
  void add(MatrixCode code, std::function<std::vector<MatrixInput>()> inputs,
           std::function<void(const std::vector<MatrixInput> &, const MatrixOutputs &)> check);
  /// The emulator's names of the instructions that were executed. Empty after a failure.
  std::vector<std::string> run();
  std::string report() const { return machine.emulator->report(ReportFormat::Text); }

  const std::string chip;
  const unsigned waveSize;

private:
  struct Job {
    MatrixCode code;
    std::function<std::vector<MatrixInput>()> inputs;
    std::function<void(const std::vector<MatrixInput> &, const MatrixOutputs &)> check;
  };
  std::string assembly() const;
  MatrixOutputs launch(size_t job, const std::vector<MatrixInput> &inputs);

  Machine machine;
  std::vector<Job> jobs;
};

} // namespace emutest
