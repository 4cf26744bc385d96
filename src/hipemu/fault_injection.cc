#include "hipemu/fault_injection.h"

#include "hipemu/settings.h"

#include <cstdlib>

namespace tl::hipemu {

Result<std::vector<FaultInjection::Order>> FaultInjection::parse(std::string_view list) {
  std::vector<Order> orders;
  for (const std::string &item : split(list, ',')) {
    size_t colon = item.find(':'), equals = item.find('=');
    if (colon == std::string::npos || equals == std::string::npos || equals < colon)
      return makeError(TL_E_INVALID_ARGUMENT, "'%s' is not FUNCTION:CALL=ERROR", item.c_str());
    std::string name = item.substr(0, colon), call = item.substr(colon + 1, equals - colon - 1),
                error = item.substr(equals + 1);
    FunctionId function = functionNamed(name);
    if (function == FunctionId::None)
      return makeError(TL_E_INVALID_ARGUMENT, "there is no function '%s'", name.c_str());
    char *endCall = nullptr, *endError = nullptr;
    Order order{function, call == "*" ? 0 : std::strtoull(call.c_str(), &endCall, 10),
                int(std::strtol(error.c_str(), &endError, 10))};
    if ((call != "*" && (*endCall || order.call == 0)) || *endError || order.error <= 0)
      return makeError(TL_E_INVALID_ARGUMENT,
                       "'%s': the call is a number from 1 or *, the error a positive number",
                       item.c_str());
    orders.push_back(order);
  }
  return orders;
}

Status FaultInjection::check(std::string_view list) {
  TL_TRY(parse(list));
  return {};
}

void FaultInjection::configure(std::string_view list) {
  auto parsed = parse(list);
  std::lock_guard lock(mutex);
  orders = parsed.ok() ? std::move(*parsed) : std::vector<Order>();
  calls = {};
}

int FaultInjection::next(FunctionId function) {
  std::lock_guard lock(mutex);
  uint64_t call = ++calls[size_t(function)];
  for (const Order &order : orders)
    if (order.function == function && (order.call == 0 || order.call == call))
      return order.error;
  return 0;
}

} // namespace tl::hipemu
