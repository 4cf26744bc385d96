// What the inferences of infer.cc and the files beside it (infer_parts.cc, infer_shared.cc, ...)
// share: the op's operands and attributes, and errors that name it.
#pragma once

#include "graph/fold_int.h"
#include "graph/infer.h"

namespace tl {

class OpInference {
public:
  using Types = Result<std::vector<Type>>;

  OpInference(const Graph &g, Opcode opcode, std::span<const ValueId> operands,
              std::span<const Attr> attrs)
      : g(g), info(opInfo(opcode)), operands(operands), attrs(attrs) {}

protected:
  const Graph &g;
  const OpInfo &info;
  std::span<const ValueId> operands;
  std::span<const Attr> attrs;

  const Type &type(size_t i) const { return g.typeOf(operands[i]); }
  /// The attribute or null.
  const Attr *attr(AttrKey key) const {
    for (const Attr &a : attrs)
      if (a.key == key)
        return &a;
    return nullptr;
  }
  static Types one(const Type &t) { return std::vector<Type>{t}; }
  std::string signature() const { return signatureText(g, info.opcode, operands); }
  ErrorPtr invalid(const std::string &rule) const {
    return makeError(TL_E_INVALID_GRAPH, "%s: %s", signature().c_str(), rule.c_str());
  }
  /// Whether a pad, if there is one, is a value of the type.
  Status checkPad(DType d) const {
    const Attr *pad = attr(AttrKey::Pad);
    if (!pad || isFloat(d))
      return {};
    if (pad->isFloat ||
        (isBool(d) ? (pad->i != 0 && pad->i != 1) : wrapInteger(pad->i, d) != pad->i))
      return invalid("pad is not a value of " + std::string(dtypeText(d)));
    return {};
  }
  /// The tile extents that the op says.
  Result<std::vector<int64_t>> dims() const {
    return resolveDims(g, info.opcode, *attr(AttrKey::Dims));
  }
};

} // namespace tl
