// Names of C++ kernels as their authors wrote them.
#pragma once

#include <string>

namespace tl::emu {

/// "_Z5scalePff" → "scale(float*, float)"; any other name, and one that would become very long,
/// stays as it is.
std::string demangle(const std::string &name);

} // namespace tl::emu
