#include "graph/infer_debug.h"

#include "graph/inference.h"
#include "graph/text_lexer.h"

namespace tl {

namespace {

class DebugInference : OpInference {
public:
  using OpInference::OpInference;

  Types apply() const {
    if (info.rule == Rule::LaunchLog)
      return one(Type::scalar(DType::U64));
    TL_TRY(checkMessage(attr(AttrKey::Message)->text));
    size_t elements = 0;
    for (size_t i = 0; i < operands.size(); ++i)
      elements += size_t(type(i).elements());
    if (info.rule == Rule::Print && elements > maxPrintedElements)
      return invalid(formatString("at most %zu elements can be printed at once, not %zu",
                                  maxPrintedElements, elements));
    return std::vector<Type>{};
  }

private:
  Status checkMessage(std::string_view message) const {
    if (message.size() > maxMessageBytes)
      return invalid(formatString("a message has at most %zu bytes", maxMessageBytes));
    for (size_t i = 0; i < message.size();) {
      size_t length = utf8Length(message, i); // 0 for bytes below 128 too
      unsigned char c = static_cast<unsigned char>(message[i]);
      if (length == 0 && ((c < ' ' && c != '\n' && c != '\t') || c > '~'))
        return invalid(formatString("byte 0x%02x of the message cannot be printed", c));
      i += std::max<size_t>(length, 1);
    }
    return {};
  }
};

} // namespace

Result<std::vector<Type>> inferDebug(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs) {
  return DebugInference(graph, opcode, operands, attrs).apply();
}

} // namespace tl
