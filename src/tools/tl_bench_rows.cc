#include "tl_bench_rows.h"

#include <cstring>

namespace tlbench {

namespace {

struct Text {
  const char *name, *text;
};
/// The example kernels, made from examples/kernels when this is compiled.
constexpr Text texts[] = {
#include "bench_kernels.inc"
    {"copy", R"(tile 0.1
kernel @copy(%x: view<f32, [%n]> = randn, %y: view<f32, [%n]>, %n: i64 = 1000)
    param %B = 4096
    grid [ceildiv(%n, %B)] {
  %pid = program_id 0
  %at = mul %pid, %B
  %v = load %x[%at] : tile<%B x f32>
  store %v, %y[%at]
}
)"}};

std::string number(int64_t n) { return std::to_string(n); }

Row vectorRow(const std::string &name, int64_t n, int arrays, Rival rival) {
  Row row{name, number(n), "f32", name, {"n=" + number(n), "B=4096"}, {"n=10007", "B=4096"}};
  row.bytes = 4.0 * double(n) * arrays;
  row.rivals = {rival, Rival::Torch};
  return row;
}

/// Rows of a matrix, each read `reads` times and written once.
Row rowsRow(const std::string &name, int64_t m, int64_t n) {
  Row row{name, number(m) + "x" + number(n),          "f32",
          name, {"m=" + number(m), "n=" + number(n)}, {"m=7", "n=" + number(n)}};
  row.bytes = 8.0 * double(m) * double(n);
  row.rivals = {Rival::Torch};
  return row;
}

Row matmulRow(const std::string &dtype, int64_t n, const std::vector<std::string> &blocks) {
  std::string s = number(n);
  Row row{"matmul",          s + "x" + s + "x" + s,          dtype,
          "matmul_" + dtype, {"m=" + s, "n=" + s, "k=" + s}, {"m=150", "n=130", "k=" + s}};
  for (std::vector<std::string> *list : {&row.set, &row.check})
    list->insert(list->end(), blocks.begin(), blocks.end());
  row.flops = 2.0 * double(n) * double(n) * double(n);
  row.rivals = {Rival::Torch};
  if (dtype == "f32")
    row.rivals.insert(row.rivals.begin(), Rival::Gemm);
  return row;
}

Row attentionRow(const std::string &name, int64_t batch, int64_t heads, int64_t length, int64_t d) {
  std::string b = number(batch), h = number(heads), l = number(length);
  Row row{
      name,
      b + "x" + h + "x" + l + "x" + number(d),
      "f16",
      name,
      {"batch=" + b, "heads=" + h, "key_heads=" + h, "queries=" + l, "keys=" + l, "D=" + number(d)},
      {"batch=1", "heads=1", "key_heads=1", "queries=100", "keys=130", "D=" + number(d)}};
  double pairs = double(length) * double(length) * (name == "attention_causal" ? 0.5 : 1);
  row.flops = 4.0 * double(batch * heads * d) * pairs;
  row.rivals = {Rival::Torch};
  return row;
}

} // namespace

const std::vector<Row> &rows() {
  static const std::vector<Row> list = {
      vectorRow("copy", 1 << 25, 2, Rival::Copy),
      vectorRow("vector_add", 1 << 16, 3, Rival::Add),
      vectorRow("vector_add", 1 << 25, 3, Rival::Add),
      rowsRow("softmax", 4096, 1024),
      rowsRow("softmax", 512, 32768),
      rowsRow("rmsnorm", 4096, 4096),
      matmulRow("f32", 1024, {"BM=128", "BN=128", "BK=64"}),
      matmulRow("f16", 1024, {"BM=128", "BN=128", "BK=64"}),
      matmulRow("bf16", 1024, {"BM=128", "BN=128", "BK=64"}),
      attentionRow("attention", 1, 8, 1024, 64),
      attentionRow("attention_causal", 1, 8, 1024, 128),
  };
  return list;
}

const char *kernelText(const std::string &name) {
  for (const Text &text : texts)
    if (name == text.name)
      return text.text;
  return nullptr;
}

} // namespace tlbench
