#include "graph/gen/gen.h"

#include <algorithm>
#include <cassert>

namespace tl::gen {

std::string upper(std::string_view text) {
  std::string s(text);
  for (char &c : s)
    c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  return s;
}

std::string wrap(std::string_view text, std::string_view prefix, size_t width) {
  std::string out, line(prefix);
  bool empty = true;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = prefix;
      empty = true;
    }
    line += (empty ? "" : " ") + std::string(word);
    empty = false;
  }
  return out + line + "\n";
}

std::string_view ruleText(Rule rule) {
  switch (rule) {
  case Rule::ProgramIndex:
    return "The result is an i64 scalar.";
  case Rule::Const:
    return "The result is a scalar of `dtype`.";
  case Rule::Full:
    return "The result has extents `dims` and the element type of `value`.";
  case Rule::Iota:
    return "The result has extents `dims` (at least one axis) and the integer type `dtype`.";
  case Rule::Elementwise:
    return "All operands have one element type, and one shape unless they are scalars, which stand "
           "for tiles of equal elements. The result has that element type and shape.";
  case Rule::Compare:
    return "Both operands have one element type, and one shape unless they are scalars, which "
           "stand for tiles of equal elements. The result is a tile of i1 of that shape.";
  case Rule::Classify:
    return "The result is a tile of i1 of the shape of `a`.";
  case Rule::Select:
    return "`a` and `b` have one element type; all three have one shape unless they are scalars, "
           "which stand for tiles of equal elements. The result has the element type of `a` and "
           "that shape.";
  case Rule::Cast:
    return "The result has the shape of `a` and the element type `dtype`.";
  case Rule::Bitcast:
    return "The result has the shape of `a` and the element type `dtype`.";
  case Rule::Broadcast:
    return "The result has extents `dims` and the element type of `a`.";
  case Rule::Reshape:
    return "The result has extents `dims` and the element type of `a`.";
  case Rule::Permute:
    return "The result has the extents of `a` in the order of `perm`.";
  case Rule::ExpandDims:
    return "The result has one axis more than `a`, at most 5.";
  case Rule::Slice:
    return "`a` has at least one axis; the result has as many, and its element type.";
  case Rule::InsertSlice:
    return "Both operands have one element type and the same number of axes, at least one; `part` "
           "lies within `into`. The result has the type of `into`.";
  case Rule::Concat:
    return "All operands have one element type, and one shape but for their extents along `axis`. "
           "The result's extent along it is the sum of theirs.";
  case Rule::Join:
    return "Both operands have one type, of at most 4 axes; the result has one axis more.";
  case Rule::Split:
    return "The last axis of `a` has extent 2; the results lack it.";
  case Rule::Flip:
    return "`axes` are different axes of `a`, at least one. The result has the type of `a`.";
  case Rule::Take:
    return "`index` has as many axes as `a`, and its extents but along `axis`. The result has the "
           "shape of `index` and the element type of `a`.";
  case Rule::Sort:
    return "At least one tile, all of one shape. As many results, each of the type of its tile.";
  case Rule::TopK:
    return "The first result has the element type of `a`, the second is a tile of i32.";
  case Rule::Histogram:
    return "`dims` is one extent, the number of counts, and `dtype` i32, u32, i64 or u64. The mask "
           "has the shape of `a` or is a scalar.";
  case Rule::Reduce:
    return "The result has the extents of `a` without `axis`.";
  case Rule::ArgReduce:
    return "The result is a tile of i32 with the extents of `a` without `axis`.";
  case Rule::Scan:
    return "The result has the type of `a`.";
  case Rule::ReduceWith:
    return "The operands have one shape; each result has the element type of its operand and the "
           "extents without `axis`. The region has two arguments for each operand and yields one.";
  case Rule::ScanWith:
    return "The operands have one shape; each result has the type of its operand. The region has "
           "two arguments for each operand and yields one.";
  case Rule::Dot:
    return "`a`, `b` and `acc` have two axes each; `acc` is f32 for f16, bf16, f32 and floats of 8 "
           "bits "
           "(whose kinds may be mixed), f64 for f64, i32 for i8 and u8 (which may be mixed). The "
           "result has the type of `acc`.";
  case Rule::MakeView:
    return "The result is a view of as many axes as there are extents, 1 to 8, of the pointer's "
           "element type.";
  case Rule::Address:
    return "One index for each axis of the view. The result is a pointer to the view's element "
           "type.";
  case Rule::ByteOffset:
    return "The result is a pointer to `dtype`.";
  case Rule::Pointer:
    return "`address` is a scalar. The result is a pointer to `dtype`.";
  case Rule::Extent:
    return "The result is an i64 scalar.";
  case Rule::Load:
    return "One index for each axis of the view. The result has extents `dims` and the view's "
           "element type.";
  case Rule::Store:
    return "One index for each axis of the view; `value` and the view have one element type. No "
           "result.";
  case Rule::Gather:
    return "One index for each axis of the view; indices and mask have one shape unless they are "
           "scalars. The result has that shape and the view's element type.";
  case Rule::Scatter:
    return "One index for each axis of the view; value, indices and mask have one shape unless "
           "they are scalars; `value` and the view have one element type. No result.";
  case Rule::Atomic:
    return "One index for each axis of the view; values, indices and mask have one shape unless "
           "they are scalars; values and view have one element type. The result, but for "
           "atomic_store, has that shape and type.";
  case Rule::Temporary:
    return "At least one extent, at most 8. The result is a view of `dtype`.";
  case Rule::Dispatch:
    return "One argument for each of the kernel's: for a view one of its element type and number "
           "of "
           "axes, for a pointer a pointer or a view of its element type, for a scalar one of its "
           "type "
           "or, for integers, an i64 that the type holds at launch. No result.";
  case Rule::For:
    return "`lo`, `hi` and `step` have one type. Results have the types of the carried values.";
  case Rule::While:
    return "`cond` is a scalar. Results have the types of the carried values.";
  case Rule::Exit:
    return "`cond` is a scalar. No result.";
  case Rule::Print:
    return "No result.";
  case Rule::Assert:
    return "No result.";
  case Rule::LaunchLog:
    return "The result is a u64 scalar.";
  case Rule::AllocShared:
    return "The result is a view of extents `dims`, at least one, and `dtype`.";
  case Rule::Copy:
    return "One index for each axis of `to`, then one for each of `from`; both views have one "
           "element "
           "type and at least as many axes as `dims`. No result.";
  case Rule::Wait:
    return "`count` is from 0 to 64. No result.";
  case Rule::Barrier:
    return "No result.";
  case Rule::Random:
    return "The operands have one shape unless they are scalars, which stand for tiles of equal "
           "elements. The result has that shape and the element type `dtype`, f16, bf16, f32 or "
           "f64.";
  case Rule::RandomInt:
    return "`lo` and `hi` have one element type; all operands have one shape unless they are "
           "scalars, which stand for tiles of equal elements. The result has that shape and the "
           "element type of `lo`.";
  case Rule::CastStochastic:
    return "Both operands have one shape unless they are scalars, which stand for tiles of equal "
           "elements. The result has that shape and the element type `dtype`, which is not "
           "f8e8m0fnu.";
  case Rule::Unpack:
    return "`a` has at least one axis; for elements of 6 bits its last extent is a multiple of 3. "
           "The result has the shape of `a` but along the last axis, which is 2 times as long, or "
           "4/3.";
  case Rule::Pack:
    return "`a` has at least one axis, whose last extent is a multiple of 2, or of 4 for elements "
           "of 6 bits. The result is a tile of u8 with the shape of `a` but along the last axis.";
  case Rule::Im2col:
    return "The view has 4 axes; the lists have 2 numbers each, from 1 (padding: 0) to 65,536. The "
           "result has extents `dims`, two of them, and the view's element type.";
  case Rule::If:
    return "`cond` is a scalar. Both regions yield values of the same types; the results have "
           "them.";
  case Rule::Yield:
    return "Last operation of a region, and nowhere else. No result.";
  }
  return "";
}

std::string_view className(OperandClass cls) {
  constexpr std::string_view names[] = {"num",   "int",   "float",  "bits", "bool", "any",
                                        "index", "itile", "scalar", "view", "ptr",  "u64",
                                        "value", "real",  "u32",    "byte", "f32",  "packed"};
  assert(size_t(cls) < std::size(names));
  return names[size_t(cls)];
}

std::string classText(const OperandSpec &spec) {
  std::string words(operandClassText(spec.cls));
  if (spec.arity == Arity::Variadic)
    return "any number, each " + words;
  return spec.arity == Arity::Optional ? words + ", may be absent" : words;
}

std::string_view kindName(AttrKind kind) {
  constexpr std::string_view names[] = {"int",    "number", "dtype", "dims",  "ints",  "pred",
                                        "reduce", "round",  "flag",  "order", "scope", "text"};
  assert(size_t(kind) < std::size(names));
  return names[size_t(kind)];
}

std::string_view effectName(Effect effect) {
  constexpr std::string_view names[] = {"pure", "read", "write", "control"};
  return names[size_t(effect)];
}

bool hasResult(const OpInfo &op) { return givesResult(op.opcode); }

bool resultPerOperand(const OpInfo &op) { return op.rule == Rule::Sort; }

unsigned resultCount(const OpInfo &op) {
  return op.rule == Rule::Split || op.rule == Rule::TopK ? 2 : hasResult(op) ? 1 : 0;
}

std::string textForm(const OpInfo &op) {
  if (op.rule == Rule::For)
    return "%r, ... = for %i = %lo to %hi [step %step] [carry %x = %init, ...] { ... yield %y, ... "
           "}";
  if (op.rule == Rule::While)
    return "%r, ... = while %cond [carry %x = %init, ...] { ... yield %again, %y, ... }";
  if (op.rule == Rule::If)
    return "%r, ... = if %cond { ... yield %x, ... } [else { ... yield %y, ... }]";
  if (hasCombineRegion(op.opcode))
    return "%r, ... = " + std::string(op.text) +
           " %a, ..., axis AXIS combine (%x, ...) with (%y, ...) { ... yield %z, ... }";
  if (op.rule == Rule::Yield)
    return "yield %value, ...";
  if (op.rule == Rule::Print)
    return "print \"message\", %value, ...";
  if (op.rule == Rule::Assert)
    return "assert %cond, \"message\"";
  if (op.rule == Rule::Dispatch)
    return "dispatch @kernel(%arg, ...)";
  std::string s = (resultPerOperand(op)   ? "%r, ... = "
                   : resultCount(op) == 2 ? "%r, %s = "
                   : hasResult(op)        ? "%r = "
                                          : "") +
                  std::string(op.text);
  for (const AttrSpec &attr : op.attrs)
    if (attr.kind == AttrKind::Pred || attr.kind == AttrKind::Reduce ||
        attr.key == AttrKey::Value ||
        (attr.key == AttrKey::Axis && !attr.optional && op.operands.empty()))
      s += " " + upper(attrInfo(int32_t(attr.key))->text);
  bool first = true;
  for (const OperandSpec &operand : op.operands) {
    if (op.rule == Rule::MakeView && operand.arity == Arity::Variadic)
      s += ", [%extent, ...], [%stride, ...]";
    else if (operand.arity == Arity::Variadic)
      s += (first ? " [%" : "[%") + std::string(operand.name) + ", ...]";
    else if (operand.arity == Arity::Optional)
      s += "[, mask %" + std::string(operand.name) + "]";
    else
      s += (first ? " %" : ", %") + std::string(operand.name);
    first = false;
  }
  std::string suffix;
  for (const AttrSpec &attr : op.attrs) {
    if (attr.key == AttrKey::Perm)
      s += ", [PERM, ...]";
    else if (attr.key == AttrKey::Axis && op.rule == Rule::Extent)
      s += ", AXIS";
    else if (attr.key == AttrKey::Axis && !op.operands.empty())
      s += ", axis AXIS";
    else if (attr.key == AttrKey::Axis && attr.optional)
      s += " [axis AXIS]";
    else if (attr.kind == AttrKind::Ints) {
      std::string word(attrInfo(int32_t(attr.key))->text);
      std::string list = word + (attr.key == AttrKey::Axes ? " [AXIS, ...]" : " [N, ...]");
      s += attr.optional ? " [" + list + "]" : " " + list;
    } else if (attr.key == AttrKey::Pad)
      s += " [pad VALUE]";
    else if (attr.kind == AttrKind::Round || attr.kind == AttrKind::Order ||
             attr.kind == AttrKind::Scope) {
      std::string word(attrInfo(int32_t(attr.key))->text);
      s += " [" + word + " " + upper(word) + "]";
    } else if (attr.kind == AttrKind::Flag)
      s += " [" + std::string(attrInfo(int32_t(attr.key))->text) + "]";
    else if (attr.key == AttrKey::Dims)
      suffix = " : tile<...>";
    else if (attr.key == AttrKey::DType && suffix.empty())
      suffix = " : DTYPE";
  }
  return s + suffix;
}

std::vector<std::string_view> groups() {
  std::vector<std::string_view> list;
  for (const OpInfo &op : allOps())
    if (!isScheduled(op.opcode) && std::find(list.begin(), list.end(), op.group) == list.end())
      list.push_back(op.group);
  return list;
}

std::string_view groupTitle(std::string_view group) {
  constexpr std::pair<std::string_view, std::string_view> titles[] = {
      {"Program", "Program"},
      {"Constant", "Constants"},
      {"Arithmetic", "Arithmetic"},
      {"Bits", "Bits"},
      {"Compare", "Compare and choose"},
      {"Convert", "Convert"},
      {"Math", "Mathematics"},
      {"Shape", "Shape"},
      {"Reduce", "Reduce"},
      {"Matrix", "Matrices"},
      {"View", "Views"},
      {"Memory", "Memory"},
      {"Shared", "Shared memory"},
      {"Random", "Random numbers"},
      {"Control", "Control"},
      {"Debug", "Debugging"},
      {"Sequence", "Sequences"}};
  for (const auto &[name, title] : titles)
    if (name == group)
      return title;
  return group;
}

} // namespace tl::gen
