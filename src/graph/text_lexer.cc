#include "graph/text_lexer.h"

#include <algorithm>

namespace tl {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isWordByte(char c) { return isLetter(c) || isDigit(c); }

/// Bytes of the well-formed UTF-8 sequence of more than one byte at `at`; 0 if there is none.
size_t utf8Length(std::string_view text, size_t at) {
  unsigned char lead = static_cast<unsigned char>(text[at]);
  size_t length = lead >= 0xf0 && lead <= 0xf4   ? 4
                  : lead >= 0xe0 && lead <= 0xef ? 3
                  : lead >= 0xc2 && lead <= 0xdf ? 2
                                                 : 0;
  if (length == 0 || at + length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80)
      return 0;
  unsigned char second = static_cast<unsigned char>(text[at + 1]);
  bool malformed = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                   (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  // U+0080 to U+009f are control characters.
  return malformed || (lead == 0xc2 && second < 0xa0) ? 0 : length;
}

Lexer::Lexer(std::string_view text) : text(text) {
  if (text.starts_with("\xef\xbb\xbf"))
    position = lineStart = 3;
}

bool Lexer::skipSpace() {
  bool newLine = position == 0 || (position == 3 && lineStart == 3);
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      newLine = true;
      ++line;
      lineStart = ++position;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position;
    } else if (c == '#' || text.substr(position, 2) == "//") {
      position = std::min(text.find('\n', position), text.size());
    } else {
      break;
    }
  }
  return newLine;
}

Token Lexer::start(bool firstOnLine) const {
  Token token;
  token.firstOnLine = firstOnLine;
  token.offset = position;
  token.line = line;
  token.column = uint32_t(position - lineStart + 1);
  return token;
}

Token Lexer::finish(Token token, TokenKind kind, size_t length, size_t prefix) {
  token.kind = kind;
  token.length = length;
  token.text = text.substr(token.offset + prefix, length - prefix);
  position = token.offset + length;
  return token;
}

size_t Lexer::wordLength(size_t from) const {
  size_t end = from;
  while (end < text.size() && isWordByte(text[end]))
    ++end;
  return end - from;
}

size_t Lexer::numberLength(size_t from) const {
  size_t begin = from + (text[from] == '-');
  bool hex = text.substr(begin, 2) == "0x" || text.substr(begin, 2) == "0X";
  size_t end = begin;
  while (end < text.size()) {
    char c = text[end];
    char last = end > begin ? char(text[end - 1] | 0x20) : '\0';
    bool exponentSign = (c == '-' || c == '+') && last == (hex ? 'p' : 'e') && isDigit(text[begin]);
    if (!isWordByte(c) && c != '.' && !exponentSign)
      break;
    ++end;
  }
  return end - from;
}

Token Lexer::next() {
  Token token = start(skipSpace());
  token = start(token.firstOnLine);
  if (position == text.size())
    return finish(token, TokenKind::End, 0);
  char c = text[position];
  char following = position + 1 < text.size() ? text[position + 1] : '\0';
  if (isLetter(c))
    return finish(token, TokenKind::Word, wordLength(position));
  if (isDigit(c) || (c == '-' && (isDigit(following) || isLetter(following))))
    return finish(token, TokenKind::Number, numberLength(position));
  if ((c == '%' || c == '@') && isWordByte(following)) {
    size_t length = 1 + wordLength(position + 1);
    size_t dot = position + length;
    if (c == '%' && dot + 1 < text.size() && text[dot] == '.' && isLetter(text[dot + 1]))
      length += 1 + wordLength(dot + 1);
    return finish(token, c == '%' ? TokenKind::Value : TokenKind::Symbol, length, 1);
  }
  if (c == '"')
    return textToken(token);
  if (c != '\0' && std::string_view("()[]{}<>,:=?").find(c) != std::string_view::npos)
    return finish(token, TokenKind::Punct, 1);
  return finish(token, TokenKind::Bad, std::max<size_t>(utf8Length(text, position), 1));
}

/// From one quote to the next, on one line; a backslash takes the byte behind it along.
Token Lexer::textToken(const Token &token) {
  size_t end = position + 1;
  while (end < text.size() && text[end] != '"' && text[end] != '\n')
    end += text[end] == '\\' && end + 1 < text.size() && text[end + 1] != '\n' ? 2 : 1;
  if (end >= text.size() || text[end] != '"')
    return finish(token, TokenKind::Bad, std::min(end, text.size()) - position);
  Token done = finish(token, TokenKind::Text, end + 1 - position, 1);
  done.text.remove_suffix(1);
  return done;
}

Token Lexer::nextTileItem() {
  bool newLine = skipSpace();
  if (position < text.size() && isDigit(text[position])) {
    size_t end = position;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    return finish(start(newLine), TokenKind::Number, end - position);
  }
  Token token = next();
  token.firstOnLine |= newLine;
  return token;
}

Token Lexer::nextTileSeparator() {
  bool newLine = skipSpace();
  if (position < text.size() && text[position] == 'x')
    return finish(start(newLine), TokenKind::Punct, 1);
  Token token = next();
  token.firstOnLine |= newLine;
  return token;
}

/// Appends `text` so that it can be shown on one line; returns the columns it takes.
static size_t appendShown(std::string &out, std::string_view text) {
  size_t columns = 0;
  for (size_t i = 0; i < text.size(); ++columns) {
    size_t length = utf8Length(text, i);
    if (length != 0)
      out += text.substr(i, length);
    else if (text[i] >= ' ' && text[i] <= '~')
      out += text[i];
    else
      out += text[i] == '\t' || text[i] == '\r' ? ' ' : '?';
    i += std::max<size_t>(length, 1);
  }
  return columns;
}

std::string sourceExcerpt(std::string_view text, size_t offset, size_t length) {
  constexpr size_t before = 90, after = 60;
  offset = std::min(offset, text.size());
  // At a line break the caret stands after the line's last byte.
  size_t windowBegin = offset > before ? offset - before : 0;
  size_t lineBegin = text.substr(windowBegin, offset - windowBegin).rfind('\n');
  bool cutLeft = lineBegin == std::string_view::npos && windowBegin > 0;
  size_t begin = lineBegin == std::string_view::npos ? windowBegin : windowBegin + lineBegin + 1;
  size_t end = std::min(text.find('\n', offset), text.size());
  size_t windowEnd = std::min(offset + std::min(length, after) + after, end);
  while (windowEnd == end && end > offset && text[end - 1] == '\r')
    windowEnd = --end;
  if (begin == 0 && text.starts_with("\xef\xbb\xbf") && offset >= 3)
    begin = 3;
  std::string line = cutLeft ? "..." : "";
  size_t indent = line.size() + appendShown(line, text.substr(begin, offset - begin));
  size_t marked = std::min(length, windowEnd - offset);
  size_t width = appendShown(line, text.substr(offset, marked));
  appendShown(line, text.substr(offset + marked, windowEnd - offset - marked));
  if (windowEnd < end)
    line += "...";
  line += "\n" + std::string(indent, ' ') + "^";
  if (width > 1)
    line += std::string(width - 1, '~');
  return line;
}

std::string tokenText(const Token &token, std::string_view source) {
  if (token.kind == TokenKind::End)
    return "the end of the text";
  unsigned char first = static_cast<unsigned char>(source[token.offset]);
  if (token.kind == TokenKind::Bad && token.length == 1 && (first < ' ' || first > '~'))
    return formatString("byte 0x%02x", first);
  if (token.kind == TokenKind::Bad && (first == '%' || first == '@'))
    return formatString("'%c' without a name", first);
  constexpr size_t limit = 60;
  std::string shown(source.substr(token.offset, std::min(token.length, limit)));
  return "'" + shown + (token.length > limit ? "..." : "") + "'";
}

} // namespace tl
