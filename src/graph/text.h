// The text form of a graph: printing, and parsing back to the same graph. Grammar:
// docs/text_form.md.
#pragma once

#include "graph/module.h"

namespace tl {

/// A printed graph and where each op stands in it.
struct PrintedText {
  std::string text;
  std::vector<uint32_t> opLine; // by OpId: 1-based line of the op, 0 for ops that are not printed
};

/// Prints a graph, a sequence after the kernels that it launches. Values that have no name, or one
/// that is taken, are numbered. Printing, parsing and printing again gives the same text; parsing a
/// printed graph gives a graph with the same ops in the same order.
PrintedText printText(const Graph &graph);
/// Prints all members, and the kernels that only sequences hold.
std::string printModule(const Module &module);

/// Parses a text. Errors are TL_E_SYNTAX (or TL_E_INVALID_GRAPH, TL_E_LIMIT, TL_E_VERSION, ...)
/// with file:line:column and an excerpt with a caret. `fileName` is used in messages and locations
/// only.
Result<Module> parseModule(std::string_view text, const std::string &fileName);
/// The last kernel or sequence of a text.
Result<Graph> parseText(std::string_view text, const std::string &fileName);

} // namespace tl
