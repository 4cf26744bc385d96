// Errors of the code generators that are about one operation.
#pragma once

#include "codegen/codegen.h"

namespace tl {

/// The error with the line of the canonical text that the op came from, unless it has one: a
/// diagnostic without a file, which libtilelang joins with the author's places.
ErrorPtr errorAtOp(ErrorPtr error, const CodegenInput &input, OpId op);

} // namespace tl
