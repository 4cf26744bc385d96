#include "emu/demangle.h"

#include <cstdlib>
#include <cxxabi.h>

namespace tl::emu {

std::string demangle(const std::string &name) {
  if (name.rfind("_Z", 0) != 0 || name.size() > 1000)
    return name;
  // What a name says may double with each substitution, and code objects are not trusted.
  unsigned substitutions = 0;
  for (size_t i = 2; i + 1 < name.size(); ++i)
    substitutions += name[i] == 'S' || name[i] == 'T';
  if (substitutions > 40)
    return name;
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string shown = status == 0 && text ? text : name;
  std::free(text);
  return shown;
}

} // namespace tl::emu
