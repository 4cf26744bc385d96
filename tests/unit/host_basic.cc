// test-timeout: 600
#include "codegen/codegen.h"
#include "unit/host_test.h"

using namespace tl;
using namespace tl::test;

UNIT_TEST(vector_add) {
  for (int64_t n : {0, 1, 3, 7, 8, 31, 32, 33, 80, 1000, 1024, 1025}) {
    Launch k("tile 0.1\nkernel @add(%a: view<f32, [%n]>, %b: view<f32, [%n]>, %c: view<f32, [%n]>, "
             "%n: i64)\n grid [ceildiv(%n, 32)] {\n %p = program_id 0\n %o = mul %p, 32\n"
             " %x = load %a[%o] : tile<32xf32>\n %y = load %b[%o] : tile<32xf32>\n"
             " %z = add %x, %y\n store %z, %c[%o]\n}\n");
    k.set("a", someFloats(size_t(n), 1));
    k.set("b", someFloats(size_t(n), 2));
    k.set("c", std::vector<double>(size_t(n), 9));
    k.setInts("n", {n});
    Request request;
    request.listings = {"llvm"};
    if (!hostAgrees(k, request, n == 0 && getenv("TL_PRINT")))
      return;
  }
}

UNIT_TEST_MAIN
