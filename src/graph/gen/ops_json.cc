#include "graph/gen/gen.h"
#include "support/dtype.h"

#include <concepts>

namespace tl::gen {

namespace {

std::string quote(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      s += '\\';
    s += c;
  }
  return s + "\"";
}

std::string field(std::string_view name, std::string_view value) {
  return quote(name) + ": " + quote(value);
}
std::string field(std::string_view name, int64_t value) {
  return quote(name) + ": " + std::to_string(value);
}
/// For truth values alone: a string literal would rather become a bool than a string_view.
std::string field(std::string_view name, std::same_as<bool> auto value) {
  return quote(name) + (value ? ": true" : ": false");
}

/// "name": [ items ] with one item a line.
std::string list(std::string_view name, const std::vector<std::string> &items,
                 std::string_view indent) {
  std::string s = quote(name) + ": [";
  for (size_t i = 0; i < items.size(); ++i)
    s += (i ? ",\n" : "\n") + std::string(indent) + "  " + items[i];
  return s + (items.empty() ? "]" : "\n" + std::string(indent) + "]");
}

std::string operation(const OpInfo &op) {
  constexpr std::string_view arities[] = {"one", "optional", "variadic"};
  std::vector<std::string> operands, attrs;
  for (const OperandSpec &spec : op.operands)
    operands.push_back("{" + field("name", spec.name) + ", " + field("class", className(spec.cls)) +
                       ", " + field("arity", arities[size_t(spec.arity)]) + "}");
  for (const AttrSpec &spec : op.attrs)
    attrs.push_back("{" + field("name", attrInfo(int32_t(spec.key))->text) + ", " +
                    field("optional", spec.optional) + "}");
  std::string results = isLoop(op.opcode)                                     ? "carried"
                        : op.rule == Rule::If                                 ? "yielded"
                        : hasCombineRegion(op.opcode) || resultPerOperand(op) ? "each operand"
                        : resultCount(op) > 1                                 ? "two"
                        : hasResult(op)                                       ? "one"
                                                                              : "none";
  std::string in = "      ";
  return "{\n" + in + field("name", op.text) + ",\n" + in + field("opcode", int64_t(op.opcode)) +
         ",\n" + in + field("group", op.group) + ",\n" + in + list("operands", operands, in) +
         ",\n" + in + list("attributes", attrs, in) + ",\n" + in +
         field("regions", int64_t(regionCount(op.opcode))) + ",\n" + in +
         field("results", results) + ",\n" + in + field("effect", effectName(op.effect)) + ",\n" +
         in + field("text", textForm(op)) + ",\n" + in + field("semantics", op.semantics) + ",\n" +
         in + field("types", ruleText(op.rule)) + "\n    }";
}

} // namespace

std::string operationsJson() {
  std::vector<std::string> dtypes, classes, attrs, preds, reductions, ops;
  constexpr std::string_view dtypeClasses[] = {"bool", "int", "uint", "float"};
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  dtypes.push_back("{" + field("name", TEXT) + ", " + field("value", int64_t(VALUE)) + ", " +      \
                   field("bits", int64_t(BITS)) + ", " + field("bytes", int64_t(BYTES)) + ", " +   \
                   field("class", dtypeClasses[size_t(DTypeClass::CLASS)]) + "}");
#include "support/dtypes.def"
  for (int cls = 0; cls <= int(OperandClass::Real); ++cls)
    classes.push_back("{" + field("name", className(OperandClass(cls))) + ", " +
                      field("words", operandClassText(OperandClass(cls))) + "}");
  for (const AttrInfo &attr : allAttrs())
    attrs.push_back("{" + field("name", attr.text) + ", " + field("key", int64_t(attr.key)) + ", " +
                    field("kind", kindName(attr.kind)) + "}");
#define TL_PRED(NAME, NUMBER, TEXT)                                                                \
  preds.push_back("{" + field("name", TEXT) + ", " + field("value", int64_t(NUMBER)) + "}");
#include "graph/attrs.def"
#define TL_REDUCE_KIND(NAME, NUMBER, TEXT)                                                         \
  reductions.push_back("{" + field("name", TEXT) + ", " + field("value", int64_t(NUMBER)) + "}");
#include "graph/attrs.def"
  for (const OpInfo &op : allOps())
    ops.push_back(operation(op));
  return "{\n  " + field("format", int64_t(1)) + ",\n  " + field("text_version", "0.1") + ",\n  " +
         list("dtypes", dtypes, "  ") + ",\n  " + list("operand_classes", classes, "  ") + ",\n  " +
         list("attributes", attrs, "  ") + ",\n  " + list("predicates", preds, "  ") + ",\n  " +
         list("reduce_kinds", reductions, "  ") + ",\n  " + list("ops", ops, "  ") + "\n}\n";
}

} // namespace tl::gen
