// Calls that fail because a test wants them to: "hipMalloc:3=2" makes the third call of hipMalloc
// from now return 2 (hipErrorOutOfMemory), "hipMalloc:*=2" all of them.
#pragma once

#include "hipemu/function_ids.h"
#include "support/result.h"

#include <array>
#include <mutex>
#include <string_view>

namespace tl::hipemu {

class FaultInjection {
public:
  /// Whether a list "f:n=e,f:n=e" is well formed and names functions that exist.
  static Status check(std::string_view list);
  /// Replaces what was ordered before; counting starts anew.
  void configure(std::string_view list);
  /// Counts a call: the error that it is to return, or 0.
  int next(FunctionId function);

private:
  struct Order {
    FunctionId function;
    uint64_t call; // 0 = every one
    int error;
  };
  static Result<std::vector<Order>> parse(std::string_view list);

  std::mutex mutex;
  std::vector<Order> orders;
  std::array<uint64_t, kFunctionCount> calls{};
};

} // namespace tl::hipemu
