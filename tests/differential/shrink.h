// Makes a failing case small: fewer operations, arguments and numbers, as long as it still fails.
#pragma once

#include "differential/generate.h"

#include <functional>

namespace tl::test {

/// Greedily; `fails` says whether a case still fails and is called at most `attempts` times. The
/// result fails.
Case shrink(const Case &failing, const std::function<bool(const Case &)> &fails,
            unsigned attempts = 1000);

/// The case in words: its text form, and how its arguments are bound, with their elements where
/// they are few.
std::string caseText(const Case &c);

} // namespace tl::test
