// test-timeout: 900
// Every elementwise operation on every element type as host code, in one kernel for each type, on
// tiles of odd extents, against the interpreter.
#include "codegen/codegen.h"
#include "unit/host_test.h"

using namespace tl;
using namespace tl::test;

namespace {

/// What views can hold.
std::vector<DType> storedTypes() {
  std::vector<DType> types;
  for (DType t : {
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  DType::NAME,
#include "support/dtypes.def"
       })
    if (!isPacked(t))
      types.push_back(t);
  return types;
}
const std::vector<DType> allTypes = storedTypes();

std::string text(DType type) { return std::string(dtypeText(type)); }

struct Line {
  std::string op; // with %a, %b, %c for operands
  DType result;
};

/// All that can be computed from elements of a type.
std::vector<Line> linesFor(DType t) {
  std::vector<Line> lines;
  auto add = [&](std::initializer_list<const char *> names, const char *operands) {
    for (const char *name : names)
      lines.push_back({std::string(name) + " " + operands, t});
  };
  if (!isBool(t) && !isNarrowFloat(t))
    add({"add", "sub", "mul", "div", "min", "max"}, "%a, %b");
  if (isInteger(t)) {
    add({"rem", "floordiv", "floormod", "ceildiv", "and", "or", "xor", "shl", "shr"}, "%a, %b");
    add({"neg", "abs", "not"}, "%a");
  } else if (isWideFloat(t)) {
    add({"neg", "abs", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "tanh"}, "%a");
    add({"rcp", "sigmoid", "expm1", "log1p", "sin", "cos", "tan", "erf"}, "%a");
    add({"floor", "ceil", "round", "trunc"}, "%a");
    add({"pow"}, "%a, %b");
    add({"fma"}, "%a, %b, %c");
  } else if (isBool(t)) {
    add({"and", "or", "xor"}, "%a, %b");
    add({"not"}, "%a");
  }
  for (const char *pred : {"eq", "ne", "lt", "le", "gt", "ge"})
    lines.push_back({std::string("cmp ") + pred + " %a, %b", DType::I1});
  lines.push_back({"select %m, %a, %b", t});
  for (DType to : allTypes) {
    lines.push_back({"cast %a : " + text(to), to});
    if (isFloat(t) && isFloat(to))
      lines.push_back({"cast %a round up saturate : " + text(to), to});
  }
  return lines;
}

std::string kernelText(DType t, const std::string &dims, const std::string &zeros,
                       const std::vector<Line> &lines) {
  std::string s = "tile 0.1\nkernel @ops(", body;
  std::string extents = dims;
  for (size_t at; (at = extents.find('x')) != std::string::npos;)
    extents.replace(at, 1, ", ");
  for (const char *name : {"a", "b", "c"}) {
    s += std::string("%") + name + "0: view<" + text(t) + ", [" + extents + "]>, ";
    body += std::string("  %") + name + " = load %" + name + "0[" + zeros + "] : tile<" + dims +
            "x" + text(t) + ">\n";
  }
  s += "%m0: view<i1, [" + extents + "]>";
  body += "  %m = load %m0[" + zeros + "] : tile<" + dims + "xi1>\n";
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string n = std::to_string(i);
    s += ", %o" + n + ": view<" + text(lines[i].result) + ", [" + extents + "]>";
    body +=
        "  %r" + n + " = " + lines[i].op + "\n  store %r" + n + ", %o" + n + "[" + zeros + "]\n";
  }
  return s + ")\n grid [1] {\n" + body + "}\n";
}

/// Bits of n elements: whole numbers and moderate fractions, every fourth anything at all.
std::vector<uint64_t> someBits(DType t, size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> list(n);
  for (uint64_t &bits : list) {
    uint64_t any = random();
    double moderate = (int(random() % 1025) - 512) / 64.0;
    if (isBool(t))
      bits = any & 1;
    else if (any % 4 == 0 || isInteger(t))
      bits = any >> 2 & (dtypeBits(t) == 64 ? ~uint64_t(0) : (uint64_t(1) << dtypeBits(t)) - 1);
    else
      bits = interp::encodeFloat(t, interp::roundTo(t, moderate));
    if (isInteger(t) && any % 3 == 0) // small ones, 0 and -1 among them
      bits = uint64_t(int64_t(random() % 5) - 2) &
             (dtypeBits(t) == 64 ? ~uint64_t(0) : (uint64_t(1) << dtypeBits(t)) - 1);
  }
  return list;
}

void checkAll(DType t, const std::string &dims, const std::string &zeros, size_t n) {
  std::vector<Line> lines = linesFor(t);
  Launch k(kernelText(t, dims, zeros, lines));
  unsigned seed = unsigned(n);
  for (const char *name : {"a0", "b0", "c0"})
    k.setBits(name, someBits(t, n, seed++));
  k.setBits("m0", someBits(DType::I1, n, seed));
  for (size_t i = 0; i < lines.size(); ++i)
    k.setBits("o" + std::to_string(i), std::vector<uint64_t>(n, 1));
  if (!hostAgrees(k))
    std::printf("  elements of %s, tile %s\n", text(t).c_str(), dims.c_str());
}

} // namespace

UNIT_TEST(signed_integers) {
  for (DType t : {DType::I8, DType::I16, DType::I32, DType::I64})
    for (size_t n : {7, 1025})
      checkAll(t, std::to_string(n), "0", n);
}

UNIT_TEST(unsigned_integers) {
  for (DType t : {DType::U8, DType::U16, DType::U32, DType::U64})
    for (size_t n : {3, 1000})
      checkAll(t, std::to_string(n), "0", n);
}

UNIT_TEST(booleans) {
  for (size_t n : {1, 33, 80})
    checkAll(DType::I1, std::to_string(n), "0", n);
}

UNIT_TEST(floats) {
  for (DType t : {DType::F16, DType::BF16, DType::F32, DType::F64})
    for (size_t n : {1, 13, 1025})
      checkAll(t, std::to_string(n), "0", n);
}

UNIT_TEST(tiles_of_every_rank) {
  checkAll(DType::F32, "3x7", "0, 0", 21);
  checkAll(DType::F16, "5x1x9", "0, 0, 0", 45);
  checkAll(DType::I32, "2x3x4x5", "0, 0, 0, 0", 120);
  checkAll(DType::F64, "3x1x2x3x5", "0, 0, 0, 0, 0", 90);
  checkAll(DType::U8, "7x80", "0, 0", 560);
}

UNIT_TEST(scalars) {
  for (DType t : allTypes) {
    std::vector<Line> lines = linesFor(t);
    std::string s = "tile 0.1\nkernel @ops(%a0: view<" + text(t) + ", [3]>, %m0: view<i1, [1]>";
    std::string body = "  %a = load %a0[0] : " + text(t) + "\n  %b = load %a0[1] : " + text(t) +
                       "\n  %c = load %a0[2] : " + text(t) + "\n  %m = load %m0[0] : i1\n";
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string n = std::to_string(i);
      s += ", %o" + n + ": view<" + text(lines[i].result) + ", [1]>";
      body += "  %r" + n + " = " + lines[i].op + "\n  store %r" + n + ", %o" + n + "[0]\n";
    }
    Launch k(s + ")\n grid [1] {\n" + body + "}\n");
    k.setBits("a0", someBits(t, 3, 5));
    k.setBits("m0", {1});
    for (size_t i = 0; i < lines.size(); ++i)
      k.setBits("o" + std::to_string(i), {0});
    if (!hostAgrees(k))
      std::printf("  scalars of %s\n", text(t).c_str());
  }
}

UNIT_TEST(scalar_arguments) {
  for (DType t : allTypes) {
    Launch k("tile 0.1\nkernel @k(%s: " + text(t) + ", %o: view<" + text(t) +
             ", [5]>)\n grid [1] {\n  %f = full %s : tile<5x" + text(t) +
             ">\n  store %f, %o[0]\n}\n");
    k.setBits("s", {someBits(t, 1, 3)[0]});
    k.setBits("o", std::vector<uint64_t>(5, 0));
    CHECK(hostAgrees(k));
  }
}

// sin has a branch; a value that is the same in the whole tile is computed outside of its loops, or
// in place where a loop runs once.
UNIT_TEST(branches_in_values_that_are_hoisted) {
  for (const char *dims : {"1", "17", "33", "3x17", "1x40"}) {
    bool two = std::string(dims).find('x') != std::string::npos;
    std::string extents = dims;
    if (two)
      extents.replace(extents.find('x'), 1, ", ");
    std::string place = two ? "[0, 0]" : "[0]";
    Launch k("tile 0.1\nkernel @k(%s: f64, %o: view<f64, [" + extents + "]>)\n grid [1] {\n" +
             "  %a = sin %s\n  %b = full %a : tile<" + dims + "xf64>\n  %c = cos %b\n" +
             "  %d = tan %c\n  %e = add %d, %b\n  store %e, %o" + place + "\n}\n");
    k.setBits("s", {interp::encodeFloat(DType::F64, 1e300)});
    k.setBits("o", std::vector<uint64_t>(64, 1));
    if (!hostAgrees(k))
      std::printf("  tile %s\n", dims);
  }
}

UNIT_TEST_MAIN
