#include "codegen/op_error.h"

namespace tl {

ErrorPtr errorAtOp(ErrorPtr error, const CodegenInput &input, OpId op) {
  uint32_t line = op < input.text.opLine.size() ? input.text.opLine[op] : 0;
  if (line == 0 || !error->diagnostics.empty())
    return error;
  Diagnostic d;
  d.pass = "codegen";
  d.location.line = line;
  d.text = error->message;
  error->diagnostics.push_back(std::move(d));
  return error;
}

} // namespace tl
