#include "tl_bench_rival.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tlbench {

namespace {

using Array = std::shared_ptr<std::vector<float>>;

Array numbers(size_t n) {
  auto array = std::make_shared<std::vector<float>>(n);
  for (size_t i = 0; i < n; ++i)
    (*array)[i] = float(i * 2654435761u % 1000) * 0.002f - 1;
  return array;
}

/// Parts of [0, n) on all cores, this thread taking the first; small ones alone.
template <class Body> void onAllCores(size_t n, Body body) {
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  if (n < (1u << 20))
    cores = 1;
  std::vector<std::thread> others;
  for (size_t i = 1; i < cores; ++i)
    others.emplace_back([=] { body(n * i / cores, n * (i + 1) / cores); });
  body(size_t(0), n / cores);
  for (std::thread &thread : others)
    thread.join();
}

size_t elementsOf(const Row &row) { return size_t(std::strtoull(row.shape.c_str(), nullptr, 10)); }

Contender copyLoop(const Row &row) {
  Array x = numbers(elementsOf(row)), y = numbers(elementsOf(row));
  return {"memcpy", [x, y] {
            onAllCores(x->size(), [&](size_t begin, size_t end) {
              std::memcpy(y->data() + begin, x->data() + begin, (end - begin) * sizeof(float));
            });
          }};
}

__attribute__((optimize("O3"), target_clones("avx2", "default"))) void
addLoop(const float *__restrict a, const float *__restrict b, float *__restrict c, size_t n) {
  for (size_t i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

Contender plainAdd(const Row &row) {
  size_t n = elementsOf(row);
  Array a = numbers(n), b = numbers(n), c = numbers(n);
  return {"C loop", [a, b, c] {
            onAllCores(a->size(), [&](size_t begin, size_t end) {
              addLoop(a->data() + begin, b->data() + begin, c->data() + begin, end - begin);
            });
          }};
}

std::optional<Contender> openBlas(const Row &row, std::string *why) {
  using Gemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                        float, float *, int);
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  auto gemm = library ? Gemm(dlsym(library, "cblas_sgemm")) : nullptr;
  if (!gemm) {
    *why = "libopenblas.so.0 is not found";
    return std::nullopt;
  }
  auto core = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_corename"));
  int n = int(elementsOf(row)); // square
  size_t count = size_t(n) * size_t(n);
  Array a = numbers(count), b = numbers(count), c = numbers(count);
  constexpr int rowMajor = 101, asItIs = 111;
  return Contender{std::string("OpenBLAS") + (core ? std::string(" (") + core() + ")" : ""), [=] {
                     gemm(rowMajor, asItIs, asItIs, n, n, n, 1, a->data(), n, b->data(), n, 0,
                          c->data(), n);
                   }};
}

/// Reads rows as JSON from its first argument and prints their medians.
constexpr const char *script = R"(
import json, statistics, sys, time
import torch
device = sys.argv[2]
types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
def work(name, shape, dtype):
    t = types[dtype]
    r = lambda *s: torch.randn(*s, device=device, dtype=torch.float32).to(t)
    if name == "copy":
        x, y = r(*shape), r(*shape)
        return lambda: y.copy_(x)
    if name == "vector_add":
        x, y, z = r(*shape), r(*shape), r(*shape)
        return lambda: torch.add(x, y, out=z)
    if name == "softmax":
        x = r(*shape)
        return lambda: torch.softmax(x, -1)
    if name == "rmsnorm":
        x, w = r(*shape), r(shape[1])
        return lambda: torch.nn.functional.rms_norm(x, (shape[1],), w, 1e-5)
    if name == "matmul":
        x, y = r(shape[0], shape[2]), r(shape[2], shape[1])
        return lambda: x @ y
    q, k, v = r(*shape), r(*shape), r(*shape)
    return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=name == "attention_causal")
def measure(run):
    wait = torch.cuda.synchronize if device != "cpu" else lambda: None
    times, begin = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begin < 1 and len(times) < 200):
        wait()
        t = time.perf_counter()
        run()
        wait()
        times.append((time.perf_counter() - t) * 1e3)
    return statistics.median(times[2:])
result = []
with torch.no_grad():
    for name, shape, dtype in json.loads(sys.argv[1]):
        try:
            result.append(measure(work(name, shape, dtype)))
        except Exception:
            result.append(None)
print(json.dumps({"version": torch.__version__, "median": result}))
)";

std::vector<int64_t> extentsOf(const std::string &shape) {
  std::vector<int64_t> extents;
  for (const char *at = shape.c_str(); *at;) {
    char *end;
    extents.push_back(std::strtoll(at, &end, 10));
    at = *end ? end + 1 : end;
  }
  return extents;
}

/// What a command without a shell prints; empty when it fails.
std::string outputOf(const std::vector<std::string> &command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  bool runs = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; runs && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(n));
  close(ends[0]);
  if (runs)
    waitpid(child, nullptr, 0);
  return text;
}

} // namespace

std::optional<Contender> contender(Rival rival, const Row &row, std::string *why) {
  switch (rival) {
  case Rival::Copy:
    return copyLoop(row);
  case Rival::Add:
    return plainAdd(row);
  case Rival::Gemm:
    return openBlas(row, why);
  case Rival::Torch:
  case Rival::None:
    break;
  }
  return std::nullopt;
}

TorchTimes timeTorch(const std::vector<Row> &rows, const std::string &device) {
  TorchTimes times;
  auto list = nlohmann::json::array();
  for (const Row &row : rows)
    list.push_back({row.name, extentsOf(row.shape), row.dtype});
  std::string text = outputOf({"python3", "-c", script, list.dump(), device});
  nlohmann::json found = nlohmann::json::parse(text, nullptr, false);
  if (!found.is_object() || !found.contains("median") || found["median"].size() != rows.size()) {
    times.reason = "python3 has no PyTorch";
    return times;
  }
  times.version = found["version"];
  for (const auto &value : found["median"])
    times.median.push_back(value.is_number() ? std::optional<double>(value.get<double>())
                                             : std::nullopt);
  return times;
}

} // namespace tlbench
