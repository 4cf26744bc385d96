/* Memory, modules, launches, registration and errors, as compiled programs and loaders use them. */
#include "hip_test.h"

static void memory(void **state) {
  (void)state;
  char *data;
  void *base;
  size_t bytes, free_, total;
  hipPointerAttribute_t a;
  OK(hipMalloc((void **)&data, 0));
  assert_null(data);
  OK(hipFree(NULL));
  OK(hipMalloc((void **)&data, 1000));
  OK(hipMemGetAddressRange(&base, &bytes, data + 10));
  assert_ptr_equal(base, data);
  assert_int_equal(bytes, 1000);
  OK(hipPointerGetAttributes(&a, data + 999));
  assert_int_equal(a.type, 2);
  assert_int_equal(a.device, 0);
  assert_ptr_equal(a.devicePointer, data + 999);
  assert_null(a.hostPointer);
  assert_int_equal(hipMemcpy(data + 1, &bytes, 1000, H2D), 1);
  assert_int_equal(hipMemcpy(data, &bytes, 8, D2H), 1);
  assert_int_equal(hipMemcpy(data, &bytes, 8, 77), 21);
  assert_int_equal(hipMemset(data + 999, 0, 2), 1);
  assert_int_equal(hipFree(data + 8), 1);
  OK(hipMemGetInfo(&free_, &total));
  assert_int_equal(total - free_, 1000);
  assert_int_equal(hipMalloc(&base, total), 2);
  OK(hipFree(data));
  assert_int_equal(hipFree(data), 1);
  assert_int_equal(hipMemcpy(&bytes, data, 8, ANY), 1);
  assert_int_equal(hipPointerGetAttributes(&a, data), 1);
  OK(hipPointerGetAttributes(&a, &bytes)); /* unregistered */
  assert_int_equal(a.type, 0);
  assert_null(a.devicePointer);

  OK(hipHostMalloc((void **)&data, 64, 0));
  memset(data, 3, 64);
  OK(hipPointerGetAttributes(&a, data));
  assert_int_equal(a.type, 1);
  assert_ptr_equal(a.hostPointer, data);
  assert_int_equal(hipFree(data), 17);
  OK(hipHostFree(data));
  assert_int_equal(hipHostFree(data), 1);
  OK(hipMallocManaged((void **)&data, 64, 1));
  OK(hipPointerGetAttributes(&a, data));
  assert_int_equal(a.type, 3);
  assert_int_equal(a.isManaged, 1);
  OK(hipMemset(data, 9, 64)); /* waits: the host may read it */
  assert_int_equal(data[63], 9);
  OK(hipFree(data));

  static char own[4096];
  OK(hipHostRegister(own, sizeof own, 0));
  assert_int_equal(hipHostRegister(own, sizeof own, 0), 712);
  OK(hipHostUnregister(own));
  assert_int_equal(hipHostUnregister(own), 713);
}

static void modules(void **state) {
  (void)state;
  static const struct fake_image other = {FAKE_MAGIC, "gfx1100", kKernels, NULL, 0};
  static const char nonsense[64] = "no image";
  hipModule_t module;
  hipFunction_t function;
  void *address;
  size_t bytes;
  int value = 0;
  assert_int_equal(hipModuleLoadData(&module, &other), 209);
  assert_int_equal(hipModuleLoadData(&module, nonsense), 200);
  assert_int_equal(hipModuleLoadData(&module, NULL), 1);
  OK(hipModuleLoadData(&module, &kImage));
  assert_int_equal(hipModuleGetFunction(&function, module, "nothing"), 500);
  OK(hipModuleGetFunction(&function, module, "twice"));
  OK(hipModuleGetGlobal(&address, &bytes, module, "table"));
  assert_int_equal(bytes, 256);
  assert_int_equal(hipModuleGetGlobal(&address, &bytes, module, "chair"), 500);
  OK(hipFuncGetAttribute(&value, 0, function));
  assert_int_equal(value, 256);
  OK(hipFuncGetAttribute(&value, 1, function));
  assert_int_equal(value, 1024);
  OK(hipFuncGetAttribute(&value, 8, function));
  assert_int_equal(value, 65536 - 1024);
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 256, 0));
  assert_int_equal(value, 8);
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 257, 0));
  assert_int_equal(value, 0);
  int grid, block;
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, 0, 0));
  assert_int_equal(block, 256);
  assert_int_equal(grid, 8 * 304);
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, (size_t)1 << 32, 0));
  assert_int_equal(block, 0);
  assert_int_equal(grid, 0);
  /* A launch in flight keeps the code. */
  struct gate gate = GATE_INIT;
  hipStream_t stream;
  int *data, count = 1, result;
  OK(hipMalloc((void **)&data, 4));
  OK(hipMemset(data, 1, 4));
  OK(hipStreamCreateWithFlags(&stream, NON_BLOCKING));
  OK(hipDeviceSynchronize());
  void *params[] = {&data, &count};
  OK(hipLaunchHostFunc(stream, pass_gate, &gate));
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
  OK(hipModuleUnload(module));
  assert_int_equal(hipModuleUnload(module), 400);
  assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL), 98);
  open_gate(&gate);
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(&result, data, 4, D2H));
  assert_int_equal(result, 0x02020202);
  OK(hipFree(data));
  OK(hipStreamDestroy(stream));
}

static hipError_t try_launch(const char *name, unsigned grid, unsigned block, unsigned shared) {
  int *data = NULL, count = 0, amount = 0;
  void *params[] = {&data, &count, &amount};
  return hipModuleLaunchKernel(kernel_named(name), grid, 1, 1, block, 1, 1, shared, NULL, params,
                               NULL);
}

static void launch_limits(void **state) {
  (void)state;
  OK(try_launch("add", 1, 1024, 65536));
  assert_int_equal(try_launch("add", 0, 1, 0), 9);
  assert_int_equal(try_launch("add", 1, 0, 0), 9);
  assert_int_equal(try_launch("add", 1, 1025, 0), 9);
  assert_int_equal(try_launch("add", 0x7fffffff, 64, 0), 9);
  assert_int_equal(try_launch("add", 1, 64, 65537), 1);
  assert_int_equal(try_launch("twice", 1, 64, 65536 - 1023), 1);
  assert_int_equal(try_launch("twice", 1, 257, 0), 701);
  struct add_arguments arguments = {NULL, 0, 0};
  size_t bytes = sizeof arguments;
  void *extra[] = {(void *)1, &arguments, (void *)2, &bytes, (void *)3};
  void *params[] = {&arguments.data, &arguments.count, &arguments.amount};
  hipFunction_t add = kernel_named("add");
  /* More workgroups than 64 bits count. */
  assert_int_equal(hipModuleLaunchKernel(add, ~0u, ~0u, ~0u, 1, 1, 1, 0, NULL, params, NULL), 9);
  OK(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  assert_int_equal(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra), 1);
  assert_int_equal(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 1);
  bytes = 12;
  assert_int_equal(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), 1);
  assert_int_equal(hipModuleLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 400);
  /* 304 compute units, two workgroups of 1,024 on each. */
  OK(hipModuleLaunchCooperativeKernel(add, 608, 1, 1, 1024, 1, 1, 0, NULL, params));
  assert_int_equal(hipModuleLaunchCooperativeKernel(add, 609, 1, 1, 1024, 1, 1, 0, NULL, params),
                   720);
  /* A kernel of one device is none of the other's. */
  hipStream_t stream;
  OK(hipSetDevice(1));
  OK(hipStreamCreate(&stream));
  assert_int_equal(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL), 400);
  OK(hipStreamDestroy(stream));
  OK(hipSetDevice(0));
  OK(hipDeviceSynchronize());
}

static void stub(void) {}
static void unknown_stub(void) { abort(); }
static char variable[256];

/* What clang makes of a program with kernel<<<...>>>. */
static void registration(void **state) {
  (void)state;
  const struct {
    uint32_t magic, version;
    const void *binary;
    void *unused;
  } wrapper = {0x48495046, 1, &kImage, NULL};
  void **binary = __hipRegisterFatBinary(&wrapper);
  assert_non_null(binary);
  __hipRegisterFunction(binary, (void *)stub, "add", "add", 0, NULL, NULL, NULL, NULL, NULL);
  __hipRegisterVar(binary, variable, "table", "table", 0, 256, 0, 0);
  dim3 grid = {1, 1, 1}, block = {64, 1, 1}, gotGrid, gotBlock;
  size_t shared = 5;
  hipStream_t stream = (hipStream_t)1;
  OK(__hipPushCallConfiguration(grid, block, 16, NULL));
  OK(__hipPopCallConfiguration(&gotGrid, &gotBlock, &shared, &stream));
  assert_int_equal(gotBlock.x, 64);
  assert_int_equal(shared, 16);
  assert_null(stream);
  assert_int_equal(__hipPopCallConfiguration(&gotGrid, &gotBlock, &shared, &stream), 52);
  int value = 5, result = 0, *data;
  size_t bytes = 0;
  OK(hipGetSymbolSize(&bytes, variable));
  assert_int_equal(bytes, 256);
  OK(hipMemcpyToSymbol(variable, &value, 4, 8, H2D));
  OK(hipMemcpyFromSymbol(&result, variable, 4, 8, D2H));
  assert_int_equal(result, 5);
  assert_int_equal(hipMemcpyToSymbol(variable, &value, 4, 253, H2D), 1);
  assert_int_equal(hipMemcpyToSymbol(&value, &value, 4, 0, H2D), 13);
  for (int device = 0; device < 2; ++device) { /* loaded where it is used */
    OK(hipSetDevice(device));
    OK(hipMalloc((void **)&data, 4));
    OK(hipMemset(data, 0, 4));
    int count = 1;
    void *params[] = {&data, &count, &value};
    OK(hipLaunchKernel((void *)stub, grid, block, params, 0, NULL));
    OK(hipMemcpy(&result, data, 4, D2H));
    assert_int_equal(result, 5);
    OK(hipFree(data));
  }
  OK(hipSetDevice(0));
  void *none[] = {NULL};
  assert_int_equal(hipLaunchKernel((void *)unknown_stub, grid, block, none, 0, NULL), 98);
  __hipUnregisterFatBinary(binary);
  assert_int_equal(hipLaunchKernel((void *)stub, grid, block, none, 0, NULL), 98);
}

/* A fault stays until the device is reset; the other device goes on. */
struct waits {
  void *device, *host, *registered;
  int codes[4];
};
static void try_to_wait(void *user) {
  struct waits *waits = user;
  waits->codes[0] = hipFree(waits->device);
  waits->codes[1] = hipHostFree(waits->host);
  waits->codes[2] = hipHostUnregister(waits->registered);
  waits->codes[3] = hipDeviceReset();
}

/* What waits for streams is refused inside a function of a stream, and has done nothing. */
static void host_functions_may_not_wait(void **state) {
  (void)state;
  static char own[4096];
  struct waits waits = {.registered = own};
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipMalloc(&waits.device, 64));
  OK(hipHostMalloc(&waits.host, 64, 0));
  OK(hipHostRegister(own, sizeof own, 0));
  OK(hipLaunchHostFunc(stream, try_to_wait, &waits));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < 4; ++i)
    assert_int_equal(waits.codes[i], 801);
  OK(hipFree(waits.device));
  OK(hipHostFree(waits.host));
  OK(hipHostUnregister(own));
  OK(hipStreamDestroy(stream));
}

static void sticky_errors(void **state) {
  (void)state;
  const struct {
    int status, error;
  } cases[] = {{4, 700}, {5, 719}, {6, 719}, {7, 710}, {8, 702}, {2, 701}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    void *memory;
    char text[64];
    int ran = 0;
    hipStream_t stream;
    OK(hipStreamCreate(&stream));
    OK(launch_fail(cases[i].status, stream));
    assert_int_equal(hipStreamSynchronize(stream), cases[i].error);
    assert_int_equal(hipMalloc(&memory, 4), cases[i].error);
    assert_int_equal(hipMemcpyAsync(&ran, &ran, 4, H2H, stream), cases[i].error);
    assert_int_equal(hipDeviceSynchronize(), cases[i].error);
    assert_int_equal(hipGetLastError(), cases[i].error);
    assert_true(tl_hipemu_fault(0, text, sizeof text) > 0);
    assert_string_equal(text, "the fake kernel says so");
    OK(hipSetDevice(1));
    OK(hipMalloc(&memory, 4));
    OK(hipFree(memory));
    OK(hipSetDevice(0));
    OK(hipDeviceReset());
    OK(hipMalloc(&memory, 4));
    OK(hipFree(memory));
    assert_int_equal(hipStreamQuery(stream), 709); /* gone with the reset */
  }
}

static void failures_to_order(void **state) {
  (void)state;
  void *memory;
  char message[128];
  assert_int_equal(
      tl_hipemu_configure("fail=hipMalloc:2=2,hipGetDevice:*=999", message, sizeof message), 0);
  OK(hipMalloc(&memory, 4));
  OK(hipFree(memory));
  assert_int_equal(hipMalloc(&memory, 4), 2);
  assert_int_equal(hipGetLastError(), 2);
  OK(hipGetLastError());
  OK(hipMalloc(&memory, 4));
  OK(hipFree(memory));
  int device;
  assert_int_equal(hipGetDevice(&device), 999);
  assert_int_equal(hipGetDevice(&device), 999);
  assert_int_equal(tl_hipemu_configure("fail=hipMaloc:2=2", message, sizeof message), 1);
  assert_string_equal(message, "there is no function 'hipMaloc'");
  assert_int_equal(tl_hipemu_configure("fail=hipMalloc:0=2", message, sizeof message), 1);
  assert_int_equal(tl_hipemu_configure("fail=hipMalloc", message, sizeof message), 1);
  assert_int_equal(tl_hipemu_configure("fail=", message, sizeof message), 0);
  OK(hipGetDevice(&device));
  assert_int_equal(tl_hipemu_configure("devices=gfx942", message, sizeof message), 1);
  assert_string_equal(message, "the machine runs already, with devices=gfx942,gfx1100");
  assert_int_equal(tl_hipemu_configure("devices=gfx942,gfx1100", message, sizeof message), 0);
  assert_int_equal(tl_hipemu_configure("colour=red", message, sizeof message), 1);
  assert_int_equal(tl_hipemu_configure("log=maybe", message, sizeof message), 1);
  assert_string_equal(message, "log is one of 0, 1, off, on, not 'maybe'");
}

static void errors(void **state) {
  (void)state;
  assert_string_equal(hipGetErrorName(209), "hipErrorNoBinaryForGpu");
  assert_string_equal(hipGetErrorString(2), "out of memory");
  assert_string_equal(hipGetErrorName(12345), "hipErrorUnknown");
  int status;
  void *function;
  OK(hipGetProcAddress("hipMalloc", &function, 602, 0, &status));
  assert_int_equal(status, 0);
  void *memory;
  OK(((hipError_t (*)(void **, size_t))function)(&memory, 4));
  OK(hipFree(memory));
  assert_int_equal(hipGetProcAddress("hipNothing", &function, 602, 0, &status), 1);
  assert_int_equal(status, 1);
  assert_int_equal(hipGetProcAddress("hipLaunchHostFunc", &function, 502, 0, &status), 1);
  assert_int_equal(status, 2);
}

int main(void) {
  start_machine("");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory),
      cmocka_unit_test(modules),
      cmocka_unit_test(launch_limits),
      cmocka_unit_test(registration),
      cmocka_unit_test(host_functions_may_not_wait),
      cmocka_unit_test(sticky_errors),
      cmocka_unit_test(failures_to_order),
      cmocka_unit_test(errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
