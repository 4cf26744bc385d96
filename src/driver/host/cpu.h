// Host targets as text, and what this CPU can run. The code generator reads targets with the same
// function.
//
//   target  = "host:" level { "+" feature }        level = "x86-64-v3" | "x86-64-v4"
//
// Features carry LLVM's names (cpu_features.def), stand in that file's order, once, and only where
// the level does not contain them, so that equal targets are equal texts.
#pragma once

#include "support/result.h"

#include <string_view>

namespace tl {

/// A host target, taken apart.
struct HostTarget {
  int level = 3;     // of the x86-64 psABI
  uint64_t features; // bit i: row i of cpu_features.def; those of the level included

  /// LLVM's CPU name: "x86-64-v3".
  std::string cpuName() const;
  /// "host:x86-64-v3+..."
  std::string text() const;
  bool has(std::string_view feature) const;
};

/// Reads the text form; TL_E_UNKNOWN_TARGET says what is wrong with it. Takes features in any
/// order.
Result<HostTarget> parseHostTarget(std::string_view text);
/// What this CPU and operating system offer; TL_E_CPU_FEATURES names what x86-64-v3 lacks.
Result<HostTarget> detectHostTarget();
/// The target string for this machine: the best code it runs. Empty on a CPU below x86-64-v3.
std::string hostTarget();
/// TL_E_CPU_FEATURES names the features of `target` that this CPU lacks.
Status checkHostTarget(std::string_view target);
/// "AMD EPYC 7B13 64-Core Processor", or "x86-64 CPU" where the CPU does not say.
std::string cpuBrand();

} // namespace tl
