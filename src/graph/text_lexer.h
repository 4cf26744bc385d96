// Tokens of the text form, made on demand, and the source lines that messages quote.
#pragma once

#include "support/result.h"

#include <string_view>

namespace tl {

enum class TokenKind : uint8_t {
  End,    // of the text
  Word,   // add, for, f32
  Value,  // %x, %a.extent0; `text` is without the %
  Symbol, // @name; `text` is without the @
  Number, // 12, -0.5, 1e-5, 0x1f, -inf
  Text,   // "words"; `text` is without the quotes, with its escapes
  Punct,  // one of ( ) [ ] { } < > , : = ? x (x only within a tile type)
  Bad     // a byte that starts no token, a lone % or @, or a text without end
};

/// A piece of the text. `offset` and `length` cover all of it; lines and columns (in bytes) count
/// from 1.
struct Token {
  TokenKind kind = TokenKind::End;
  bool firstOnLine = false;
  size_t offset = 0;
  size_t length = 0;
  uint32_t line = 1;
  uint32_t column = 1;
  std::string_view text;

  bool is(char c) const { return kind == TokenKind::Punct && text[0] == c; }
  bool isWord(std::string_view word) const { return kind == TokenKind::Word && text == word; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text);

  /// The next token. Spaces, line ends and comments (// and #) separate tokens and mean nothing.
  Token next();
  /// Within tile<...>: the extent, element type or '>' that comes next ("128x64xf16" is five
  /// tokens there).
  Token nextTileItem();
  /// Within tile<...>, after an extent: the 'x' between items, or whatever stands there instead.
  Token nextTileSeparator();
  /// The byte right after the last token, 0 at the end.
  char peek() const { return position < text.size() ? text[position] : '\0'; }

private:
  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  uint32_t line = 1;

  /// Skips what separates tokens; true if a line ended.
  bool skipSpace();
  Token start(bool firstOnLine) const;
  Token finish(Token token, TokenKind kind, size_t length, size_t prefix = 0);
  size_t wordLength(size_t from) const;
  size_t numberLength(size_t from) const;
  Token textToken(const Token &token);
};

/// Bytes of the character of two or more bytes that begins at `at`; 0 if there is none.
size_t utf8Length(std::string_view text, size_t at);

/// The line of `text` that holds `offset`, a line break, and a caret with tildes below `length`
/// bytes from there. Long lines are cut around the place; bytes that cannot be shown become '?'.
std::string sourceExcerpt(std::string_view text, size_t offset, size_t length);

/// A token as messages show it: "'add'", "the end of the text", "byte 0x00".
std::string tokenText(const Token &token, std::string_view source);

} // namespace tl
