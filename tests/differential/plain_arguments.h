// Cases whose arguments are as plain as they can be, and how `tlc run` is given them.
#pragma once

#include "differential/generate.h"

#include <optional>

namespace tl::test {

/// The case with argument `i` in memory of its own. A view's extents become numbers and its
/// elements lie one after the other. Nothing where it is so already, or is no memory.
std::optional<Case> withPlainArgument(const Case &c, size_t i);

/// The case without memory that no argument shows.
Case withoutUnusedBuffers(const Case &c);

/// What `tlc run` needs beside the kernel's text to run on the same numbers.
struct RunInputs {
  std::string options;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> files; // .npy, by name
};

/// Files are named after `stem` and the argument. An error says why the command cannot have the
/// case: arguments that share memory, or memory laid out otherwise than the kernel says.
Result<RunInputs> runInputs(const Case &c, const std::string &stem);

} // namespace tl::test
