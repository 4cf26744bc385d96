// Messages of print and assert, in double quotes.
#include "graph/text_parser.h"
#include "graph/text_printer.h"

namespace tl {

namespace {

struct Escape {
  char letter, byte;
};
constexpr Escape escapes[] = {{'"', '"'}, {'\\', '\\'}, {'n', '\n'}, {'t', '\t'}};

} // namespace

std::string quotedText(std::string_view message) {
  std::string s = "\"";
  for (char c : message) {
    char letter = 0;
    for (const Escape &escape : escapes)
      if (escape.byte == c)
        letter = escape.letter;
    s += letter ? std::string{'\\', letter} : std::string{c};
  }
  return s + "\"";
}

bool Parser::parseMessage(Statement &statement) {
  if (tok.kind == TokenKind::Bad && tok.length && text[tok.offset] == '"')
    return fail(tok, "the message ends without '\"'");
  if (tok.kind != TokenKind::Text)
    return expected("a message in double quotes");
  Attr attr;
  attr.key = AttrKey::Message;
  for (size_t i = 0; i < tok.text.size(); ++i) {
    char byte = tok.text[i];
    if (byte == '\\') {
      byte = 0;
      ++i;
      for (const Escape &escape : escapes)
        if (i < tok.text.size() && escape.letter == tok.text[i])
          byte = escape.byte;
      if (byte == 0)
        return fail(tok, "a backslash in a message stands before \\, \", n or t");
    }
    attr.text += byte;
  }
  statement.attrs.push_back(std::move(attr));
  return advance();
}

/// print "message", %value, ...
bool Parser::parsePrint(Statement &statement) {
  if (!parseMessage(statement))
    return false;
  while (tok.is(',')) {
    advance();
    Operand operand;
    if (tok.kind != TokenKind::Value)
      return expected("a value");
    if (!parseOperand(operand))
      return false;
    statement.operands.push_back(std::move(operand));
  }
  return true;
}

} // namespace tl
