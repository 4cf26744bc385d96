// Numbers for the functions of functions.def, and what the table says about each.
#pragma once

#include "hipemu/abi.h"

#include <string_view>

namespace tl::hipemu {

enum class FunctionId : uint16_t {
#define TL_HIP(NODE, SINCE, RULES, NAME, PARAMETERS, ARGUMENTS) NAME,
#define TL_HIP_OTHER(NODE, SINCE, RETURN, NAME, PARAMETERS, ARGUMENTS) NAME,
#include "hipemu/functions.def"
  None,
};
inline constexpr size_t kFunctionCount = size_t(FunctionId::None);

struct FunctionInfo {
  const char *name;
  uint32_t since;
  void *entry; // the exported function
};

const FunctionInfo &functionInfo(FunctionId function);
/// None when there is no such function.
FunctionId functionNamed(std::string_view name);
/// Says which functions can be looked up: those of a HIP version without a comma-separated list.
void hideFunctions(uint32_t version, std::string_view list);
bool functionHidden(FunctionId function);

} // namespace tl::hipemu
