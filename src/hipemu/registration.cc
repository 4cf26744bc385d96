// What compiled HIP programs call before main: they register their code for all chips, and for each
// kernel and variable a host symbol that stands for it. Code is loaded on a device when it is first
// used there. And the configuration of <<<>>>, which a kernel's host function takes over.

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

namespace tl::hipemu {

namespace {

// __CudaFatBinaryWrapper of clang's code generator.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const void *binary;
  void *unused;
};
constexpr uint32_t kFatBinaryMagic = 0x48495046; // "HIPF"

struct FatBinary {
  const void *image = nullptr;
  std::map<int, Module *> modules; // by device
  std::map<int, int> failures;
};
struct Symbol {
  FatBinary *binary;
  std::string name;
  size_t bytes; // variables
};
/// Under the runtime's lock.
struct Registry {
  std::map<FatBinary *, std::unique_ptr<FatBinary>> binaries;
  std::map<const void *, Symbol> kernels, variables;
};

Registry &registry() {
  static Registry *all = new Registry;
  return *all;
}

FatBinary *binaryOf(void **handle) { return reinterpret_cast<FatBinary *>(handle); }

int moduleOn(Runtime &runtime, FatBinary &binary, int device, Module **module) {
  if (auto loaded = binary.modules.find(device); loaded != binary.modules.end()) {
    *module = loaded->second;
    return hipSuccess;
  }
  if (auto failed = binary.failures.find(device); failed != binary.failures.end())
    return failed->second;
  std::unique_ptr<Module> made;
  if (int code = loadModule(runtime, binary.image, SIZE_MAX, device, made)) {
    binary.failures[device] = code;
    return code;
  }
  *module = binary.modules[device] = made.get();
  runtime.modules.emplace(made.get(), std::move(made));
  return hipSuccess;
}

bool findSymbol(const std::map<const void *, Symbol> Registry::*table, const void *address,
                Symbol *symbol) {
  auto found = (registry().*table).find(address);
  if (found == (registry().*table).end())
    return false;
  *symbol = found->second;
  return true;
}

/// A registered variable's address on the current device.
int findRegistered(const void *symbol, void **address, size_t *bytes) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Symbol variable;
  if (!findSymbol(&Registry::variables, symbol, &variable))
    return hipErrorInvalidSymbol;
  Module *module = nullptr;
  if (int code = moduleOn(runtime, *variable.binary, Thread::current().device, &module))
    return code;
  uint64_t size = 0, found = findVariable(runtime, *module, variable.name, &size);
  if (!found)
    return hipErrorInvalidSymbol;
  *address = reinterpret_cast<void *>(found);
  *bytes = size;
  return hipSuccess;
}

} // namespace

int resolveFunction(Runtime &runtime, const void *handle, int device, Function **function) {
  auto *direct = static_cast<Function *>(const_cast<void *>(handle));
  if (runtime.functions.count(direct)) {
    *function = direct;
    return hipSuccess;
  }
  Symbol kernel;
  if (!findSymbol(&Registry::kernels, handle, &kernel))
    return handle ? hipErrorInvalidDeviceFunction : hipErrorInvalidHandle;
  Module *module = nullptr;
  if (int code = moduleOn(runtime, *kernel.binary, device, &module))
    return code;
  *function = findFunction(runtime, *module, kernel.name);
  return *function ? hipSuccess : hipErrorInvalidDeviceFunction;
}

namespace calls {

void **__hipRegisterFatBinary(const void *data) {
  auto *wrapper = static_cast<const FatBinaryWrapper *>(data);
  if (!wrapper || wrapper->magic != kFatBinaryMagic || wrapper->version != 1)
    return nullptr;
  auto made = std::make_unique<FatBinary>();
  made->image = wrapper->binary;
  FatBinary *binary = made.get();
  Lock lock(Runtime::get().mutex);
  registry().binaries.emplace(binary, std::move(made));
  return reinterpret_cast<void **>(binary);
}

// Programs call it when they end, with work in flight perhaps: the code stays, the symbols go.
void __hipUnregisterFatBinary(void **handle) {
  Lock lock(Runtime::get().mutex);
  std::erase_if(registry().kernels,
                [&](const auto &item) { return item.second.binary == binaryOf(handle); });
  std::erase_if(registry().variables,
                [&](const auto &item) { return item.second.binary == binaryOf(handle); });
}

void __hipRegisterFunction(void **handle, const void *hostFunction, char *, const char *name,
                           unsigned, void *, void *, dim3 *, dim3 *, int *) {
  Lock lock(Runtime::get().mutex);
  if (registry().binaries.count(binaryOf(handle)))
    registry().kernels[hostFunction] = {binaryOf(handle), name, 0};
}

void __hipRegisterVar(void **handle, void *variable, char *, char *name, int, size_t bytes, int,
                      int) {
  Lock lock(Runtime::get().mutex);
  if (registry().binaries.count(binaryOf(handle)))
    registry().variables[variable] = {binaryOf(handle), name, bytes};
}

int __hipPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, hipStream_t stream) {
  Thread::current().configurations.push_back({grid, block, sharedBytes, stream});
  return hipSuccess;
}

int __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, hipStream_t *stream) {
  auto &stack = Thread::current().configurations;
  if (stack.empty())
    return hipErrorMissingConfiguration;
  *grid = stack.back().grid;
  *block = stack.back().block;
  *sharedBytes = stack.back().sharedBytes;
  *stream = stack.back().stream;
  stack.pop_back();
  return hipSuccess;
}

int hipGetSymbolAddress(void **address, const void *symbol) {
  size_t bytes;
  return address ? findRegistered(symbol, address, &bytes) : int(hipErrorInvalidValue);
}

int hipGetSymbolSize(size_t *bytes, const void *symbol) {
  void *address;
  return bytes ? findRegistered(symbol, &address, bytes) : int(hipErrorInvalidValue);
}

int hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
  void *address;
  size_t size;
  if (int code = findRegistered(symbol, &address, &size))
    return code;
  if (offset > size || bytes > size - offset || kind == hipMemcpyDeviceToHost)
    return hipErrorInvalidValue;
  return hipMemcpy(static_cast<char *>(address) + offset, from, bytes, hipMemcpyDefault);
}

int hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
  void *address;
  size_t size;
  if (int code = findRegistered(symbol, &address, &size))
    return code;
  if (offset > size || bytes > size - offset || kind == hipMemcpyHostToDevice)
    return hipErrorInvalidValue;
  return hipMemcpy(to, static_cast<char *>(address) + offset, bytes, hipMemcpyDefault);
}

} // namespace calls
} // namespace tl::hipemu
