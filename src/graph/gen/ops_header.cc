#include "graph/gen/gen.h"

#include <algorithm>

namespace tl::gen {

namespace {

/// Operands that one helper call can pass; more go through tl_graph_op directly.
constexpr unsigned maxOperands = 64;

/// Builds the text of one helper: parameters and the statements that fill operands and attributes.
class Helper {
public:
  Helper(const OpInfo &op, std::string name, bool extended)
      : op(op), name(std::move(name)), extended(extended) {}

  /// `number`: the C type of a Number attribute that is required ("double" or "int64_t").
  std::string text(std::string_view number = "") {
    for (const OperandSpec &spec : op.operands)
      operand(spec);
    for (const AttrSpec &spec : op.attrs)
      if (!spec.optional || extended)
        attribute(spec, number);
    if (!returnsValue() && hasResult(op))
      parameter("tl_value *", "results");
    return comment() + signature() + body();
  }

private:
  const OpInfo &op;
  std::string name;
  bool extended;
  std::string parameters;
  std::string operandCode;        // statements after the declarations
  std::vector<std::string> fixed; // operands known by name
  bool counted = false;           // operands are gathered at run time
  std::string attrCode;
  unsigned attrCount = 0;

  bool returnsValue() const { return resultCount(op) == 1 && !resultPerOperand(op); }
  std::string resultCountText() const {
    return resultPerOperand(op) ? "n_tiles" : std::to_string(resultCount(op));
  }

  void parameter(std::string_view type, std::string_view what) {
    parameters += ", " + std::string(type) + (type.ends_with('*') ? "" : " ") + std::string(what);
  }

  void count() {
    if (counted)
      return;
    counted = true;
    for (const std::string &value : fixed)
      operandCode += "  n = tl_ops_put(operands, n, " + value + ");\n";
  }

  void gather(std::string_view list, std::string_view n) {
    count();
    operandCode +=
        "  n = tl_ops_append(operands, n, " + std::string(list) + ", " + std::string(n) + ");\n";
  }

  void operand(const OperandSpec &spec) {
    std::string value(spec.name);
    if (op.rule == Rule::MakeView && spec.arity == Arity::Variadic) {
      parameter("const tl_value *", "extents");
      parameter("const tl_value *", "strides");
      parameter("size_t", "rank");
      gather("extents", "rank");
      gather("strides", "rank");
    } else if (spec.arity == Arity::Variadic) {
      parameter("const tl_value *", value);
      parameter("size_t", "n_" + value);
      gather(value, "n_" + value);
    } else if (spec.arity == Arity::Optional) {
      parameter("tl_value", value);
      count();
      operandCode += "  if (" + value + " != 0)\n    n = tl_ops_put(operands, n, " + value + ");\n";
    } else {
      parameter("tl_value", value);
      fixed.push_back(value);
    }
  }

  void addAttr(std::string_view condition, const std::string &expression) {
    ++attrCount;
    attrCode += condition.empty() ? "  " : "  if (" + std::string(condition) + ")\n    ";
    attrCode += "attrs[n_attrs++] = " + expression + ";\n";
  }

  void attribute(const AttrSpec &spec, std::string_view number) {
    std::string word(attrInfo(int32_t(spec.key))->text);
    std::string key = "TL_ATTR_" + upper(word);
    switch (spec.kind) {
    case AttrKind::Int:
      parameter("int64_t", word);
      addAttr("", "tl_attr_int(" + key + ", " + word + ")");
      break;
    case AttrKind::DType:
      parameter("tl_dtype", word);
      addAttr("", "tl_attr_int(" + key + ", " + word + ")");
      break;
    case AttrKind::Pred:
    case AttrKind::Reduce:
      parameter(spec.kind == AttrKind::Pred ? "tl_pred" : "tl_reduce_kind", word);
      addAttr("", "tl_attr_int(" + key + ", " + word + ")");
      break;
    case AttrKind::Round: // 0 and false stand for what is so without it
      parameter("tl_rounding", word);
      addAttr(word + " != 0", "tl_attr_int(" + key + ", " + word + ")");
      break;
    case AttrKind::Order:
    case AttrKind::Scope:
      parameter(spec.kind == AttrKind::Order ? "tl_memory_order" : "tl_memory_scope", word);
      addAttr(word + " != 0", "tl_attr_int(" + key + ", " + word + ")");
      break;
    case AttrKind::Text:
      parameter("const char *", word);
      addAttr("", "tl_attr_text(" + key + ", " + word + ")");
      break;
    case AttrKind::Flag:
      parameter("int", word);
      addAttr(word + " != 0", "tl_attr_int(" + key + ", 1)");
      break;
    case AttrKind::Dims:
      parameter("const int64_t *", word);
      parameter("size_t", "rank");
      addAttr("", "tl_attr_ints(" + key + ", " + word + ", rank)");
      break;
    case AttrKind::Ints:
      parameter("const int64_t *", word);
      parameter("size_t", "n_" + word);
      addAttr(spec.optional ? word + " != NULL" : "",
              "tl_attr_ints(" + key + ", " + word + ", n_" + word + ")");
      break;
    case AttrKind::Number:
      if (!spec.optional) {
        parameter(number, word);
        addAttr("",
                (number == "double" ? "tl_attr_float(" : "tl_attr_int(") + key + ", " + word + ")");
        break;
      }
      parameter("const tl_attr *", word);
      addAttr(word + " != NULL", "*" + word);
      break;
    }
  }

  std::string comment() const {
    std::string s = std::string(op.semantics) + " " + std::string(ruleText(op.rule));
    // Operands of one class are described together.
    for (size_t i = 0, end = 0; i < op.operands.size(); i = end) {
      const OperandSpec &spec = op.operands[i];
      std::string names(spec.name);
      for (end = i + 1; end < op.operands.size() && op.operands[end].cls == spec.cls &&
                        op.operands[end].arity == spec.arity;
           ++end)
        names += ", " + std::string(op.operands[end].name);
      if (op.rule == Rule::MakeView && spec.arity == Arity::Variadic)
        names = "extents, strides (`rank` of each)";
      s += " " + names + ": " + (end > i + 1 ? "each " : "") + classText(spec) +
           (spec.arity == Arity::Optional ? " (0)." : ".");
    }
    for (const AttrSpec &spec : op.attrs) {
      if (spec.optional && !extended)
        continue;
      if (spec.kind == AttrKind::Dims)
        s += " dims: `rank` extents, numbers or TL_DIM(value).";
      else if (spec.kind == AttrKind::Ints && spec.optional)
        s += " " + std::string(attrInfo(int32_t(spec.key))->text) + ": NULL for the default.";
      else if (spec.kind == AttrKind::Round)
        s += " round: 0 for nearest.";
      else if (spec.kind == AttrKind::Order)
        s += " order: 0 for relaxed.";
      else if (spec.kind == AttrKind::Scope)
        s += " scope: 0 for device.";
      else if (spec.kind == AttrKind::Text)
        s += " message: printable characters, copied.";
      else if (spec.kind == AttrKind::Number && spec.optional)
        s += " pad: from tl_attr_float or tl_attr_int with key TL_ATTR_PAD, or NULL for 0.";
    }
    if (resultPerOperand(op))
      s += " results: receives as many, 0 after an error.";
    else if (resultCount(op) > 1)
      s += " results: receives both, 0 after an error.";
    s += returnsValue() ? " Returns the result, 0 after an error." : " Returns the graph's status.";
    std::string lines = wrap(s + " Since: 0.1 */", " *  ", 100);
    lines.replace(0, 4, "/** ");
    return "\n" + lines;
  }

  std::string signature() const {
    std::string head = std::string("static inline ") +
                       (returnsValue() ? "tl_value " : "tl_status ") + name + "(tl_graph *g" +
                       parameters + ")";
    std::string lines, line;
    for (size_t at = 0; at < head.size();) { // a line ends between parameters
      size_t end = std::min(head.find(", ", at), head.size() - 1) + 1;
      std::string_view piece = std::string_view(head).substr(at, end - at);
      if (line.size() + piece.size() > 98) {
        lines += line + "\n";
        line = std::string(4, ' ') + std::string(piece.substr(1));
      } else {
        line += piece;
      }
      at = end;
    }
    lines += line;
    return lines + " {\n";
  }

  std::string body() const {
    std::string s;
    bool anyOperands = counted || !fixed.empty();
    if (counted) {
      s += "  tl_value operands[TL_OPS_MAX_OPERANDS];\n  size_t n = 0;\n";
    } else if (anyOperands) {
      s += "  tl_value operands[" + std::to_string(fixed.size()) + "];\n";
    }
    if (attrCount)
      s += "  tl_attr attrs[" + std::to_string(attrCount) + "];\n  size_t n_attrs = 0;\n";
    if (returnsValue())
      s += "  tl_value result = 0;\n";
    if (!counted)
      for (size_t i = 0; i < fixed.size(); ++i)
        s += "  operands[" + std::to_string(i) + "] = " + fixed[i] + ";\n";
    s += operandCode + attrCode;
    std::string number = counted ? "n" : std::to_string(fixed.size());
    std::string list = counted       ? "n > TL_OPS_MAX_OPERANDS ? NULL : operands"
                       : anyOperands ? "operands"
                                     : "NULL";
    std::string call = "tl_graph_op(g, TL_OP_" + upper(op.text) + ", " + list + ", " + number +
                       ", " + (attrCount ? "attrs, n_attrs" : "NULL, 0") + ", " +
                       (returnsValue()  ? "&result, 1"
                        : hasResult(op) ? "results, " + resultCountText()
                                        : "NULL, 0") +
                       ")";
    if (returnsValue())
      s += "  (void)" + call + ";\n  return result;\n";
    else
      s += "  return " + call + ";\n";
    return s + "}\n";
  }
};

bool hasOptionalAttr(const OpInfo &op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [](const AttrSpec &spec) { return spec.optional; });
}

/// Two helpers, which open and close the region.
std::string combineHelpers(const OpInfo &op) {
  std::string name = "tl_" + std::string(op.text), s = R"(
/** Opens the combine region of %OP%: of the n tiles `a`, of one shape, along `axis`. args receives 2 n scalars
 *  that live in the region: the parts of one partial result, then those of the other. The region computes with
 *  scalars alone and ends with %NAME%_end. Returns the graph's status. Since: 0.1 */
static inline tl_status %NAME%_begin(tl_graph *g, const tl_value *a, size_t n, int64_t axis, tl_value *args) {
  tl_attr attrs[1];
  attrs[0] = tl_attr_int(TL_ATTR_AXIS, axis);
  return tl_graph_begin(g, %OPCODE%, a, n, attrs, 1, args, 2 * n);
}

/** Closes the region with the n parts of the combination; results receives the n tiles. Returns the graph's
 *  status. Since: 0.1 */
static inline tl_status %NAME%_end(tl_graph *g, const tl_value *yields, size_t n, tl_value *results) {
  return tl_graph_end(g, yields, n, results, n);
}
)";
  const std::pair<std::string_view, std::string> words[] = {
      {"%OP%", std::string(op.text)}, {"%NAME%", name}, {"%OPCODE%", "TL_OP_" + upper(op.text)}};
  for (const auto &[word, text] : words)
    for (size_t at; (at = s.find(word)) != std::string::npos;)
      s.replace(at, word.size(), text);
  return s;
}

std::string helpers(const OpInfo &op) {
  if (hasCombineRegion(op.opcode))
    return combineHelpers(op);
  std::string name = "tl_" + std::string(op.text);
  for (const AttrSpec &spec : op.attrs)
    if (spec.kind == AttrKind::Number && !spec.optional)
      return Helper(op, name + "_f", false).text("double") +
             Helper(op, name + "_i", false).text("int64_t");
  std::string s = Helper(op, name, false).text();
  if (hasOptionalAttr(op))
    s += Helper(op, name + "_ex", true).text();
  return s;
}

std::string constants() {
  std::string s = "\n/** Operations. Values are frozen. Since: 0.1 */\n";
  for (const OpInfo &op : allOps())
    s += "#define TL_OP_" + upper(op.text) + " ((int32_t)" + std::to_string(int32_t(op.opcode)) +
         ")\n";
  s += "\n/** Keys of attributes. Values are frozen. Since: 0.1 */\n";
  for (const AttrInfo &attr : allAttrs())
    s += "#define TL_ATTR_" + upper(attr.text) + " ((int32_t)" + std::to_string(int32_t(attr.key)) +
         ")\n";
  s += "\n/** Predicates of tl_cmp. Values are frozen. Since: 0.1 */\ntypedef int32_t tl_pred;\n";
#define TL_PRED(NAME, NUMBER, TEXT)                                                                \
  s += "#define TL_PRED_" + upper(TEXT) + " ((tl_pred)" #NUMBER ")\n";
#include "graph/attrs.def"
  s += "\n/** Roundings of tl_cast_ex: nearest (the even one of two), or towards zero, minus "
       "infinity or "
       "infinity.\n *  Values are frozen. Since: 0.1 */\ntypedef int32_t tl_rounding;\n";
#define TL_ROUNDING(NAME, NUMBER, TEXT)                                                            \
  s += "#define TL_ROUND_" + upper(TEXT) + " ((tl_rounding)" #NUMBER ")\n";
#include "graph/attrs.def"
  s +=
      "\n/** What an atomic operation says of the memory around it: see tl_atomic_load. Values are "
      "frozen. Since: 0.1 */\ntypedef int32_t tl_memory_order;\n";
#define TL_ORDER(NAME, NUMBER, TEXT)                                                               \
  s += "#define TL_ORDER_" + upper(TEXT) + " ((tl_memory_order)" #NUMBER ")\n";
#include "graph/attrs.def"
  s += "\n/** Who sees an atomic operation as one. Values are frozen. Since: 0.1 */\ntypedef "
       "int32_t "
       "tl_memory_scope;\n";
#define TL_SCOPE(NAME, NUMBER, TEXT)                                                               \
  s += "#define TL_SCOPE_" + upper(TEXT) + " ((tl_memory_scope)" #NUMBER ")\n";
#include "graph/attrs.def"
  s += "\n/** Kinds of tl_reduce. Values are frozen. Since: 0.1 */\ntypedef int32_t "
       "tl_reduce_kind;\n";
#define TL_REDUCE_KIND(NAME, NUMBER, TEXT)                                                         \
  s += "#define TL_REDUCE_" + upper(TEXT) + " ((tl_reduce_kind)" #NUMBER ")\n";
#include "graph/attrs.def"
  return s;
}

constexpr std::string_view top =
    R"(/* Operations of the tile graph and a helper for each. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Generated by tl-gen from src/graph/ops.def; do not edit. docs/tile_ir.md has the same with more words.
 *
 * Helpers are thin: each calls tl_graph_op, tl_graph_begin or tl_graph_end. After an error they return 0 and
 * do nothing (see tilelang/graph.h). */
#ifndef TILELANG_OPS_H
#define TILELANG_OPS_H

#include "tilelang/graph.h"

#ifdef __cplusplus
extern "C" {
#endif
)";

constexpr std::string_view support = R"(
/** Operands that one call of a helper can pass; tl_graph_op has no such limit. Since: 0.1 */
#define TL_OPS_MAX_OPERANDS %u

/** An attribute that holds an integer, element type or other number of a table. Since: 0.1 */
static inline tl_attr tl_attr_int(int32_t key, int64_t value) {
  tl_attr attr = {0, TL_ATTR_KIND_INT, 0, 0.0, NULL, 0, {0, 0, 0}};
  attr.key = key;
  attr.i = value;
  return attr;
}

/** An attribute that holds a float. Since: 0.1 */
static inline tl_attr tl_attr_float(int32_t key, double value) {
  tl_attr attr = {0, TL_ATTR_KIND_FLOAT, 0, 0.0, NULL, 0, {0, 0, 0}};
  attr.key = key;
  attr.f = value;
  return attr;
}

/** An attribute that holds a list of `count` integers; `values` must live until the operation is added.
 *  Since: 0.1 */
static inline tl_attr tl_attr_ints(int32_t key, const int64_t *values, size_t count) {
  tl_attr attr = {0, TL_ATTR_KIND_INTS, 0, 0.0, NULL, 0, {0, 0, 0}};
  attr.key = key;
  attr.data = values;
  attr.count = count;
  return attr;
}

/** An attribute that holds characters up to a NUL; `text` must live until the operation is added. Since: 0.1 */
static inline tl_attr tl_attr_text(int32_t key, const char *text) {
  tl_attr attr = {0, TL_ATTR_KIND_TEXT, 0, 0.0, NULL, 0, {0, 0, 0}};
  attr.key = key;
  attr.data = text;
  while (text != NULL && text[attr.count] != 0)
    ++attr.count;
  return attr;
}

/** Puts a value at place n of a helper's operands, if there is room; returns n + 1. For the helpers.
 *  Since: 0.1 */
static inline size_t tl_ops_put(tl_value *operands, size_t n, tl_value value) {
  if (n < TL_OPS_MAX_OPERANDS)
    operands[n] = value;
  return n + 1;
}

/** Puts `count` values at place n of a helper's operands, as far as there is room; returns n + count, and for
 *  NULL that stands for some more than there is room for, which is an error. For the helpers. Since: 0.1 */
static inline size_t tl_ops_append(tl_value *operands, size_t n, const tl_value *values, size_t count) {
  size_t i;
  if (values == NULL && count > 0)
    return TL_OPS_MAX_OPERANDS + 1;
  for (i = 0; i < count && n + i < TL_OPS_MAX_OPERANDS; ++i)
    operands[n + i] = values[i];
  return n + count;
}
)";

constexpr std::string_view control = R"(
/** Opens a loop: what follows, until tl_for_end, runs for i = lo, lo + step, ... while i < hi, exactly
 *  ceildiv(hi - lo, step) times, never if hi <= lo or step <= 0. lo, hi and step are scalars of one type, i32 or
 *  i64. init: start values of the n carried values (tiles; at most 61 with this helper), NULL if n is 0. args
 *  receives n + 1 values that live in the loop: args[0] is i, args[1 + k] the carried value k.
 *  Returns the graph's status. Since: 0.1 */
static inline tl_status tl_for_begin(tl_graph *g, tl_value lo, tl_value hi, tl_value step,
                                     const tl_value *init, size_t n, tl_value *args) {
  tl_value operands[TL_OPS_MAX_OPERANDS];
  size_t count = 0;
  count = tl_ops_put(operands, count, lo);
  count = tl_ops_put(operands, count, hi);
  count = tl_ops_put(operands, count, step);
  count = tl_ops_append(operands, count, init, n);
  return tl_graph_begin(g, TL_OP_FOR, count > TL_OPS_MAX_OPERANDS ? NULL : operands, count, NULL, 0, args,
                        n + 1);
}

/** Closes a loop. yields: the n carried values for the next iteration, of the types of init. results
 *  receives the n values after the last iteration (init if there was none); NULL if n is 0. Returns the graph's
 *  status. Since: 0.1 */
static inline tl_status tl_for_end(tl_graph *g, const tl_value *yields, size_t n, tl_value *results) {
  return tl_graph_end(g, yields, n, results, results != NULL ? n : 0);
}

/** Opens a loop: what follows, until tl_while_end, runs again and again while its condition is true: the first
 *  time cond (a scalar i1), then what tl_while_end is given. init: start values of the n carried values (tiles; at
 *  most 63 with this helper), NULL if n is 0. args receives the n carried values that live in the loop. Returns the
 *  graph's status. Since: 0.1 */
static inline tl_status tl_while_begin(tl_graph *g, tl_value cond, const tl_value *init, size_t n,
                                       tl_value *args) {
  tl_value operands[TL_OPS_MAX_OPERANDS];
  size_t count = tl_ops_append(operands, tl_ops_put(operands, 0, cond), init, n);
  return tl_graph_begin(g, TL_OP_WHILE, count > TL_OPS_MAX_OPERANDS ? NULL : operands, count, NULL, 0, args,
                        n);
}

/** Closes such a loop. again: whether to go on, a scalar i1. yields: the n carried values for the next iteration, of
 *  the types of init. results receives the n values after the last iteration (init if there was none); NULL if n is
 *  0. Returns the graph's status. Since: 0.1 */
static inline tl_status tl_while_end(tl_graph *g, tl_value again, const tl_value *yields, size_t n,
                                     tl_value *results) {
  tl_value operands[TL_OPS_MAX_OPERANDS];
  size_t count = tl_ops_append(operands, tl_ops_put(operands, 0, again), yields, n);
  return tl_graph_end(g, count > TL_OPS_MAX_OPERANDS ? NULL : operands, count, results,
                      results != NULL ? n : 0);
}

/** Opens a conditional: what follows, until tl_else, runs if cond (a scalar i1) is true. Returns the
 *  graph's status. Since: 0.1 */
static inline tl_status tl_if_begin(tl_graph *g, tl_value cond) {
  return tl_graph_begin(g, TL_OP_IF, &cond, 1, NULL, 0, NULL, 0);
}

/** Ends the first region of a conditional with the n values that it gives and opens the second, which runs
 *  if cond is false. Every tl_if_begin needs one. Returns the graph's status. Since: 0.1 */
static inline tl_status tl_else(tl_graph *g, const tl_value *yields, size_t n) {
  return tl_graph_end(g, yields, n, NULL, 0);
}

/** Ends the second region of a conditional with n values of the same types; results receives what the
 *  region that ran gave; NULL if n is 0. Returns the graph's status. Since: 0.1 */
static inline tl_status tl_if_end(tl_graph *g, const tl_value *yields, size_t n, tl_value *results) {
  return tl_graph_end(g, yields, n, results, results != NULL ? n : 0);
}

#ifdef __cplusplus
}
#endif
#endif
)";

} // namespace

std::string operationsHeader() {
  std::string s(top);
  s += constants();
  std::string helperSupport(support);
  helperSupport.replace(helperSupport.find("%u"), 2, std::to_string(maxOperands));
  s += helperSupport;
  for (std::string_view group : groups()) {
    if (group == "Control")
      continue;
    s += "\n/* --- " + std::string(groupTitle(group)) + " --- */\n";
    for (const OpInfo &op : allOps())
      if (op.group == group)
        s += helpers(op);
  }
  return s + "\n/* --- Control --- */\n" + std::string(control);
}

} // namespace tl::gen
