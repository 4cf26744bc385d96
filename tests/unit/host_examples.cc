// test-timeout: 900
// The example kernels as host code at small odd sizes, against the interpreter; and what they are
// there to show: in-place use is exact, equal builds give equal bytes, lines are in the object.
#include "codegen/codegen.h"
#include "unit/host_test.h"

#include <fstream>
#include <sstream>

using namespace tl;
using namespace tl::test;

namespace {

std::string example(const std::string &name) {
  const char *root = std::getenv("TL_SOURCE_DIR");
  std::ifstream file(std::string(root ? root : ".") + "/examples/kernels/" + name + ".tile");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void setFloats(Launch &k, const char *name, int64_t n, unsigned seed) {
  k.set(name, someFloats(size_t(n), seed));
}

} // namespace

UNIT_TEST(vector_add) {
  for (int64_t n : {1, 7, 80, 1000, 1024, 1025, 4099}) {
    Launch k(example("vector_add"));
    setFloats(k, "a", n, 1);
    setFloats(k, "b", n, 2);
    setFloats(k, "c", n, 3);
    k.setInts("n", {n});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(softmax) {
  for (int64_t n : {1, 7, 80, 1000, 1024, 1025, 2600}) {
    Launch k(example("softmax"));
    setFloats(k, "x", 3 * n, 1);
    setFloats(k, "y", 3 * n, 2);
    k.setInts("m", {3});
    k.setInts("n", {n});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(rmsnorm_in_place_and_out_of_place) {
  for (int64_t n : {1, 7, 80, 1000, 1024, 1025, 4099}) {
    std::vector<uint64_t> results[2];
    for (bool inPlace : {false, true}) {
      Launch k(example("rmsnorm"));
      setFloats(k, "x", 2 * n, 1);
      setFloats(k, "w", n, 2);
      setFloats(k, "y", 2 * n, 3);
      if (inPlace)
        k.share("y", "x");
      k.setInts("m", {2});
      k.setInts("n", {n});
      k.set("eps", {1e-5});
      CHECK(hostAgrees(k));
      auto kernel = HostKernel::compile(*k.graph);
      REQUIRE(kernel);
      setFloats(k, "x", 2 * n, 1);
      std::vector<uint64_t> slots = kernel->slots(k.args(), {2, 1, 1});
      std::vector<uint8_t> arena(kernel->code().arenaBytes + 64);
      void *aligned = reinterpret_cast<void *>((uintptr_t(arena.data()) + 63) / 64 * 64);
      kernel->function(slots.data(), 0, 2, aligned);
      results[inPlace] = k.bits(inPlace ? "x" : "y");
    }
    CHECK(results[0] == results[1]);
  }
}

UNIT_TEST(matmul) {
  const int64_t sizes[][3] = {{1, 1, 1}, {7, 33, 20}, {130, 40, 33}, {40, 140, 65}, {16, 16, 100}};
  for (const char *name : {"matmul_f32", "matmul_f16", "matmul_bf16"})
    for (auto [m, n, k] : sizes) {
      Launch launch(example(name), {{"BM", 32}, {"BN", 64}});
      setFloats(launch, "a", m * k, 1);
      setFloats(launch, "b", k * n, 2);
      setFloats(launch, "c", m * n, 3);
      launch.setInts("m", {m});
      launch.setInts("n", {n});
      launch.setInts("k", {k});
      CHECK(hostAgrees(launch));
    }
}

UNIT_TEST(attention) {
  for (const char *name : {"attention", "attention_causal"})
    for (auto [queries, keys] :
         {std::pair(1, 1), std::pair(7, 80), std::pair(33, 17), std::pair(65, 65)}) {
      Launch k(example(name), {{"BM", 32}, {"BN", 16}, {"D", 32}});
      setFloats(k, "q", 4 * queries * 32, 1);
      setFloats(k, "k", 2 * keys * 32, 2);
      setFloats(k, "v", 2 * keys * 32, 3);
      setFloats(k, "o", 4 * queries * 32, 4);
      for (auto [argument, value] :
           {std::pair("batch", 1), std::pair("heads", 4), std::pair("key_heads", 2),
            std::pair("queries", queries), std::pair("keys", keys)})
        k.setInts(argument, {value});
      k.set("scale", {0.125});
      CHECK(hostAgrees(k));
    }
}

UNIT_TEST(paged_attention) {
  for (int64_t group : {1, 8}) {
    const int64_t batch = 6, heads = 2, pages = 12, slots = 5, P = 8, D = 32;
    Launch k(example("paged_attention"), {{"P", P}, {"D", D}, {"G", 8}});
    setFloats(k, "q", batch * heads * group * D, 1);
    setFloats(k, "k", pages * P * heads * D, 2);
    setFloats(k, "v", pages * P * heads * D, 3);
    setFloats(k, "o", batch * heads * group * D, 4);
    k.set("table", someIntegers(size_t(batch * slots), 5, -1, int(pages) + 2));
    k.setInts("lengths", {0, 1, 7, 8, 9, 37});
    for (auto [argument, value] :
         {std::pair("batch", batch), std::pair("key_heads", heads), std::pair("group", group),
          std::pair("pages", pages), std::pair("slots", slots)})
      k.setInts(argument, {value});
    k.set("scale", {0.125});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(equal_builds_give_equal_bytes) {
  for (const char *name : {"softmax", "attention"}) {
    Launch k(example(name));
    REQUIRE(k.graph);
    auto a = HostKernel::compile(*k.graph), b = HostKernel::compile(*k.graph);
    REQUIRE(a && b);
    CHECK(writeArtifact(a->artifact) == writeArtifact(b->artifact));
  }
}

UNIT_TEST(every_optimization_level) {
  for (int level : {0, 1, 3}) {
    Launch k(example("attention_causal"), {{"BM", 16}, {"BN", 16}, {"D", 32}});
    setFloats(k, "q", 20 * 32, 1);
    setFloats(k, "k", 20 * 32, 2);
    setFloats(k, "v", 20 * 32, 3);
    setFloats(k, "o", 20 * 32, 4);
    for (auto [argument, value] :
         {std::pair("batch", 1), std::pair("heads", 1), std::pair("key_heads", 1),
          std::pair("queries", 20), std::pair("keys", 20)})
      k.setInts(argument, {value});
    k.set("scale", {0.125});
    Request request;
    request.optLevel = level;
    CHECK(hostAgrees(k, request));
  }
}

UNIT_TEST(wider_vectors) {
  // Compiled for AVX-512, run where the CPU has it.
  Request request;
  request.target = "host:x86-64-v4";
  Launch k(example("matmul_f32"), {{"BM", 32}, {"BN", 64}});
  setFloats(k, "a", 33 * 20, 1);
  setFloats(k, "b", 20 * 70, 2);
  setFloats(k, "c", 33 * 70, 3);
  k.setInts("m", {33});
  k.setInts("n", {70});
  k.setInts("k", {20});
  REQUIRE(k.graph);
  if (checkHostTarget(request.target).ok())
    CHECK(hostAgrees(k, request));
  else
    CHECK(HostKernel::compile(*k.graph, request) != nullptr);
}

UNIT_TEST_MAIN
