// Calls of the C API short of compiling: the input says which building calls follow each other,
// with which values and attributes. Nothing may crash or leak, and what verifies must print, parse
// and be read back.
#include "fuzz/fuzz.h"
#include "tilelang.h"

#include <cstring>
#include <string>
#include <vector>

namespace {

/// The input as an endless list of small numbers; zeros follow its end.
class Input {
public:
  Input(const uint8_t *data, size_t size) : data(data), left(size) {}
  bool done() const { return left == 0; }
  uint8_t byte() {
    if (left == 0)
      return 0;
    --left;
    return *data++;
  }
  /// Mostly small, of any size now and then.
  int64_t number() {
    uint8_t b = byte();
    if (b < 224)
      return int64_t(b) - 32;
    int64_t n = 0;
    for (int i = 0; i < (b & 7) + 1; ++i)
      n = int64_t(uint64_t(n) << 8 | byte());
    return n;
  }

private:
  const uint8_t *data;
  size_t left;
};

class Session {
public:
  explicit Session(Input input) : in(input) { MUST(tl_graph_create(&graph) == TL_OK); }
  ~Session() {
    tl_graph_destroy(graph);
    tl_graph_destroy(other);
  }
  Session(const Session &) = delete;

  void run() {
    for (int calls = 0; !in.done() && calls < 200; ++calls)
      call();
    for (int i = 0; i < 4 && open > 0; ++i)
      end();
    finish();
  }

private:
  Input in;
  tl_graph *graph = nullptr, *other = nullptr;
  std::vector<tl_value> values = {0};
  int open = 0;

  /// A value, or a number that is none.
  tl_value value() {
    uint8_t b = in.byte();
    return b == 255 ? tl_value(in.number()) : values[values.size() - 1 - b % values.size()];
  }
  std::vector<tl_value> list(unsigned most) {
    std::vector<tl_value> v(in.byte() % (most + 1));
    for (tl_value &x : v)
      x = value();
    return v;
  }
  void keep(tl_value v) {
    if (v != 0)
      values.push_back(v);
  }

  void call() {
    switch (in.byte() % 16) {
    case 0:
      return argument();
    case 1: {
      int64_t choices[3] = {in.number(), in.number(), in.number()};
      std::string name = "p" + std::to_string(in.byte() % 8);
      return keep(
          tl_graph_param(graph, name.c_str(), choices[in.byte() % 3], choices, in.byte() % 4));
    }
    case 2: {
      std::vector<tl_value> axes = list(4);
      (void)tl_graph_grid(graph, axes.data(), axes.size());
      return;
    }
    case 3:
      (void)tl_graph_require(graph, value());
      return;
    case 4:
      (void)tl_graph_option(graph, in.byte() % 4, in.number());
      return;
    case 5:
      return begin();
    case 6:
      return end();
    case 7:
      return swap();
    case 8:
      tl_graph_location(graph, "f", in.byte());
      return tl_graph_name(graph, value(), in.byte() % 2 ? "name" : "9 no");
    case 9: {
      // The constants that most operations need.
      static const tl_dtype types[] = {TL_DTYPE_I64, TL_DTYPE_F32, TL_DTYPE_I32,
                                       TL_DTYPE_F16, TL_DTYPE_I1,  TL_DTYPE_U8};
      return keep(tl_const_i(graph, in.number(), types[in.byte() % 6]));
    }
    case 10: {
      int64_t dims[3] = {1 + in.byte() % 9, 1 + in.byte() % 9, 1 + in.byte() % 9};
      return keep(tl_full(graph, value(), dims, in.byte() % 4));
    }
    default:
      return op();
    }
  }

  void argument() {
    tl_argument a = TL_ARGUMENT_INIT;
    std::string name = "a" + std::to_string(in.byte() % 16);
    std::vector<int64_t> dims(size_t(in.byte() % 4)), strides(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      dims[i] = in.byte() % 2 ? TL_DIM(value()) : in.byte() % 3 ? in.number() : TL_DYNAMIC;
      strides[i] = in.byte() % 2 ? TL_DYNAMIC : in.number();
    }
    a.name = name.c_str();
    a.kind = 1 + in.byte() % 3;
    a.dtype = in.byte() % 16;
    a.rank = uint32_t(dims.size());
    a.flags = in.byte() % 8;
    a.extents = dims.data();
    a.strides = in.byte() % 2 ? strides.data() : nullptr;
    a.generator = in.byte() % 6;
    keep(tl_graph_argument(graph, &a));
  }

  std::vector<tl_attr> attributes(std::vector<std::vector<int64_t>> &lists) {
    std::vector<tl_attr> attrs(size_t(in.byte() % 4));
    lists.resize(attrs.size());
    for (size_t i = 0; i < attrs.size(); ++i) {
      tl_attr &a = attrs[i];
      std::memset(&a, 0, sizeof a);
      a.key = 1 + in.byte() % 13;
      a.kind = 1 + in.byte() % 3;
      a.i = in.number();
      a.f = double(in.number()) / 4;
      lists[i].resize(size_t(in.byte() % 5));
      for (int64_t &n : lists[i])
        n = in.number();
      a.data = lists[i].data();
      a.count = lists[i].size();
    }
    return attrs;
  }

  void op() {
    std::vector<std::vector<int64_t>> lists;
    int32_t opcode = in.byte();
    std::vector<tl_value> operands = list(6);
    std::vector<tl_attr> attrs = attributes(lists);
    tl_value results[3] = {0, 0, 0};
    (void)tl_graph_op(graph, opcode, operands.data(), operands.size(), attrs.data(), attrs.size(),
                      results, 3);
    for (tl_value v : results)
      keep(v);
  }

  void begin() {
    static const int32_t opcodes[] = {TL_OP_FOR, TL_OP_IF, TL_OP_REDUCE_WITH, TL_OP_SCAN_WITH};
    std::vector<std::vector<int64_t>> lists;
    int32_t opcode = opcodes[in.byte() % 4];
    std::vector<tl_value> operands = list(5);
    std::vector<tl_attr> attrs = attributes(lists);
    tl_value args[8] = {};
    (void)tl_graph_begin(graph, opcode, operands.data(), operands.size(), attrs.data(),
                         attrs.size(), args, 8);
    ++open;
    for (tl_value v : args)
      keep(v);
  }

  void end() {
    std::vector<tl_value> yields = list(3);
    tl_value results[3] = {0, 0, 0};
    (void)tl_graph_end(graph, yields.data(), yields.size(), results, 3);
    open -= open > 0;
    for (tl_value v : results)
      keep(v);
  }

  /// Goes on with another graph, which may dispatch this one.
  void swap() {
    if (other)
      keep(tl_value(tl_graph_callee(graph, other)));
    else
      MUST(tl_graph_create(&other) == TL_OK);
    if (in.byte() % 2) {
      std::swap(graph, other);
      values = {0};
      open = 0;
    }
    std::string name = "k" + std::to_string(in.byte() % 3);
    (void)tl_graph_kernel(graph, name.c_str());
  }

  void finish() {
    const char *text = nullptr;
    const void *bytes = nullptr;
    size_t size = 0;
    tl_error *error = nullptr;
    tl_status status = tl_graph_verify(graph, &error);
    MUST((status == TL_OK) == (error == nullptr));
    MUST(status != TL_E_INTERNAL);
    tl_error_destroy(error);
    if (status != TL_OK)
      return;
    MUST(tl_graph_print(graph, &text, &size, nullptr) == TL_OK);
    tl_graph *again = nullptr;
    MUST(tl_graph_parse(text, size, nullptr, &again, nullptr) == TL_OK);
    tl_graph_destroy(again);
    MUST(tl_graph_save(graph, &bytes, &size, nullptr) == TL_OK);
    MUST(tl_graph_load(bytes, size, &again, nullptr) == TL_OK);
    tl_graph_destroy(again);
  }
};

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Session(Input(data, size)).run();
  return 0;
}
