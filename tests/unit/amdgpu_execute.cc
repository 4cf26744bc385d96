// The AMD code generator's IR computes what the interpreter does, in every order in which threads
// may run. test-timeout: 600
#include "unit/amdgpu_run.h"

using unit::RunCase;

UNIT_TEST(vector_add_at_edges) {
  const char *text = R"(tile 0.1
kernel @vector_add(%a: view<f32, [%n]>, %b: view<f32, [%n]>, %c: view<f32, [%n]>, %n: i64 = 1000)
    param %B = 1024 in [256, 512, 1024, 4096]
    grid [ceildiv(%n, %B)] {
  %pid = program_id 0
  %off = mul %pid, %B
  %x = load %a[%off] : tile<%B x f32>
  %y = load %b[%off] : tile<%B x f32>
  %z = add %x, %y
  store %z, %c[%off]
}
)";
  for (int64_t n : {1, 7, 80, 1000, 1024, 1025, 4099})
    CHECK_RUN({.text = text, .scalars = {{"n", n}}});
}

UNIT_TEST_MAIN
