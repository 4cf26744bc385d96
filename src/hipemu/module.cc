// Loading code and looking up kernels and variables in it.

#include "hipemu/module.h"

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

#include <cstdio>

namespace tl::hipemu {

static int codeOf(emu::LoadStatus status) {
  switch (status) {
  case emu::LoadStatus::Ok:
    return hipSuccess;
  case emu::LoadStatus::NotAnImage:
    return hipErrorInvalidImage;
  case emu::LoadStatus::WrongChip:
    return hipErrorNoBinaryForGpu;
  case emu::LoadStatus::OutOfMemory:
    return hipErrorOutOfMemory;
  }
  return hipErrorUnknown;
}

int loadModule(Runtime &runtime, const void *image, size_t bytes, int device,
               std::unique_ptr<Module> &module) {
  emu::LoadResult loaded = runtime.emulator->load(image, bytes, uint32_t(device));
  if (int code = codeOf(loaded.status)) {
    logFault(runtime, device, {code, loaded.message});
    return code;
  }
  module = std::make_unique<Module>();
  module->code = std::move(loaded.module);
  module->device = device;
  return hipSuccess;
}

Function *findFunction(Runtime &runtime, Module &module, const std::string &name) {
  auto known = module.functions.find(name);
  if (known != module.functions.end())
    return known->second.get();
  const emu::Kernel *kernel = module.code->findKernel(name);
  if (!kernel)
    return nullptr;
  auto made = std::make_unique<Function>();
  made->module = &module;
  made->code = {module.code, kernel};
  made->device = module.device;
  Function *function = made.get();
  runtime.functions.insert(function);
  module.functions.emplace(name, std::move(made));
  return function;
}

uint64_t findVariable(Runtime &runtime, const Module &module, const std::string &name,
                      uint64_t *bytes) {
  uint64_t address = module.code->findGlobal(name, bytes);
  if (address && *bytes)
    runtime.blocks[address] = {address, *bytes, emu::MemoryKind::Device, module.device, 0,
                               nullptr, &module};
  return address;
}

static int loadOnCurrent(hipModule_t *module, const void *image, size_t bytes) {
  Runtime &runtime = Runtime::get();
  std::unique_ptr<Module> made;
  if (int code = loadModule(runtime, image, bytes, Thread::current().device, made))
    return code;
  *module = made.get();
  Lock lock(runtime.mutex);
  runtime.modules.emplace(*module, std::move(made));
  return hipSuccess;
}

namespace calls {

int hipModuleLoadData(hipModule_t *module, const void *image) {
  if (!module || !image)
    return hipErrorInvalidValue;
  return loadOnCurrent(module, image, SIZE_MAX);
}

int hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned, int *, void **) {
  return hipModuleLoadData(module, image);
}

int hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path)
    return hipErrorInvalidValue;
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return hipErrorFileNotFound;
  std::vector<char> bytes;
  char buffer[1 << 16];
  while (size_t got = std::fread(buffer, 1, sizeof buffer, file))
    bytes.insert(bytes.end(), buffer, buffer + got);
  bool failed = std::ferror(file);
  std::fclose(file);
  if (failed)
    return hipErrorFileNotFound;
  return loadOnCurrent(module, bytes.data(), bytes.size());
}

int hipModuleUnload(hipModule_t module) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  auto found = runtime.modules.find(module);
  if (found == runtime.modules.end())
    return hipErrorInvalidHandle;
  for (auto &[name, function] : module->functions)
    runtime.functions.erase(function.get());
  std::erase_if(runtime.blocks, [&](const auto &item) { return item.second.module == module; });
  std::unique_ptr<Module> gone = std::move(found->second);
  runtime.modules.erase(found);
  lock.unlock(); // the last reference may be this one
  return hipSuccess;
}

int hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  if (!function || !name)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  *function = nullptr;
  if (!runtime.modules.count(module))
    return hipErrorInvalidHandle;
  *function = findFunction(runtime, *module, name);
  return *function ? hipSuccess : hipErrorNotFound;
}

int hipModuleGetGlobal(void **address, size_t *bytes, hipModule_t module, const char *name) {
  if ((!address && !bytes) || !name)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!runtime.modules.count(module))
    return hipErrorInvalidHandle;
  uint64_t size = 0, found = findVariable(runtime, *module, name, &size);
  if (address)
    *address = reinterpret_cast<void *>(found);
  if (bytes)
    *bytes = size;
  return found ? hipSuccess : hipErrorNotFound;
}

// HIP_FUNC_ATTRIBUTE_*
enum : int {
  kMaxThreads = 0,
  kSharedBytes = 1,
  kConstBytes = 2,
  kLocalBytes = 3,
  kRegisters = 4,
  kPtxVersion = 5,
  kBinaryVersion = 6,
  kCacheMode = 7,
  kMaxDynamicShared = 8,
  kCarveout = 9,
};

static int maxDynamicShared(const Runtime &, const Function &function, const Device &device) {
  if (function.maxDynamicShared)
    return function.maxDynamicShared;
  return int(device.chip->ldsBytes - function.code.info().ldsBytes);
}

int hipFuncGetAttribute(int *value, int attribute, hipFunction_t function) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!value)
    return hipErrorInvalidValue;
  if (!runtime.functions.count(function))
    return hipErrorInvalidHandle;
  const emu::KernelInfo &info = function->code.info();
  switch (attribute) {
  case kMaxThreads:
    *value = int(info.maxThreads);
    return hipSuccess;
  case kSharedBytes:
    *value = int(info.ldsBytes);
    return hipSuccess;
  case kLocalBytes:
    *value = int(info.privateBytes);
    return hipSuccess;
  case kRegisters:
    *value = int(info.vgprs);
    return hipSuccess;
  case kMaxDynamicShared:
    *value = maxDynamicShared(runtime, *function, *runtime.device(function->device));
    return hipSuccess;
  case kConstBytes:
  case kPtxVersion:
  case kBinaryVersion:
  case kCacheMode:
  case kCarveout:
    *value = 0;
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

int hipFuncGetAttributes(hipFuncAttributes *attributes, const void *handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!attributes)
    return hipErrorInvalidValue;
  Function *function = nullptr;
  if (int code = resolveFunction(runtime, handle, Thread::current().device, &function))
    return code;
  const emu::KernelInfo &info = function->code.info();
  *attributes = {};
  attributes->localSizeBytes = info.privateBytes;
  attributes->maxDynamicSharedSizeBytes =
      maxDynamicShared(runtime, *function, *runtime.device(function->device));
  attributes->maxThreadsPerBlock = int(info.maxThreads);
  attributes->numRegs = int(info.vgprs);
  attributes->sharedSizeBytes = info.ldsBytes;
  return hipSuccess;
}

int hipFuncSetAttribute(const void *handle, int attribute, int value) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Function *function = nullptr;
  if (int code = resolveFunction(runtime, handle, Thread::current().device, &function))
    return code;
  if (attribute == kCarveout)
    return value >= -1 && value <= 100 ? hipSuccess : hipErrorInvalidValue;
  const Device &device = *runtime.device(function->device);
  if (attribute != kMaxDynamicShared || value < 0 ||
      uint32_t(value) + function->code.info().ldsBytes > device.chip->ldsBytes)
    return hipErrorInvalidValue;
  function->maxDynamicShared = value;
  return hipSuccess;
}

int hipGetFuncBySymbol(hipFunction_t *function, const void *symbol) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!function)
    return hipErrorInvalidValue;
  return resolveFunction(runtime, symbol, Thread::current().device, function);
}

} // namespace calls
} // namespace tl::hipemu
