// Loaded code objects, the kernels in them, and the host's stubs of compiled programs.
#pragma once

#include "hipemu/action.h"

#include <map>

namespace tl::hipemu {

class Runtime;

struct Function {
  Module *module = nullptr;
  KernelCode code;
  int device = 0;
  int maxDynamicShared = 0; // what was set; 0: the default
};

struct Module {
  std::shared_ptr<emu::Module> code;
  int device = 0;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

/// Loads an image on a device; the module is not in the table of live handles yet.
int loadModule(Runtime &runtime, const void *image, size_t bytes, int device,
               std::unique_ptr<Module> &module);
/// The kernel of a module by name, made a handle on first use. NULL: there is none.
Function *findFunction(Runtime &runtime, Module &module, const std::string &name);
/// A variable of a module: its address, 0 when there is none. From then on copies accept it.
uint64_t findVariable(Runtime &runtime, const Module &module, const std::string &name,
                      uint64_t *bytes);
/// The kernel behind a hipFunction_t or a host function that a program has registered, for a
/// device.
int resolveFunction(Runtime &runtime, const void *handle, int device, Function **function);

} // namespace tl::hipemu
