// Names of values while a text is read: which are visible, which were, and what was meant by one
// that is not.
#pragma once

#include "graph/graph.h"
#include "graph/text_lexer.h"

#include <unordered_map>

namespace tl {

/// True for what may name an argument, a parameter or a value that keeps its name: a letter or '_',
/// then letters, digits and '_'. (Names of digits only are numbers of a printed text.)
bool isValueName(std::string_view name);
/// The same of at most 255 bytes: what may name a kernel, an argument or a parameter.
bool isIdentifier(std::string_view name);

/// A stack of scopes; a name has one meaning within all that are open.
class NameScopes {
public:
  struct Definition {
    ValueId value = 0;
    Token token;
  };
  NameScopes() : scopes(1) {}

  void push() { scopes.emplace_back(); }
  void pop();
  /// The name's definition, or null.
  const Definition *find(std::string_view name) const;
  /// False if the name is visible already.
  bool define(const Token &token, ValueId value);
  /// Defines a name, not visible so far, in the outermost scope.
  void defineOuter(const Token &token, ValueId value);
  /// Where a name that is no longer visible was defined, or null.
  const Token *findClosed(std::string_view name) const;
  /// The visible name most like `name`, or "".
  std::string_view nearest(std::string_view name) const;

private:
  // Keys and tokens point into the text that is parsed.
  std::unordered_map<std::string_view, Definition> visible;
  std::unordered_map<std::string_view, Token> closed;
  std::vector<std::vector<std::string_view>> scopes;
};

/// Edits (insert, delete, replace, swap neighbours) between two words, counted up to `limit`.
size_t editDistance(std::string_view a, std::string_view b, size_t limit);
/// The word of a list most like `word`, or "".
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words);
/// How many edits two words may differ by to be offered for each other.
size_t editTolerance(std::string_view word);

} // namespace tl
