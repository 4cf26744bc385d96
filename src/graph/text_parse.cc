// Parsing, part one: tokens, errors, names, operands, types.
#include "graph/text.h"
#include "graph/text_parser.h"

#include <bit>

namespace tl {

Result<Module> parseModule(std::string_view text, const std::string &fileName) {
  return Parser(text, fileName).run();
}

Result<Graph> parseText(std::string_view text, const std::string &fileName) {
  TL_ASSIGN(Module module, parseModule(text, fileName));
  return Graph(*module.members.back());
}

Result<Module> Parser::run() {
  constexpr size_t maxBytes = size_t(1) << 30;
  if (text.size() > maxBytes)
    return makeError(TL_E_LIMIT, "%s: a text has at most %zu bytes", file.c_str(), maxBytes);
  if (!parseFile())
    return std::move(failure);
  return std::move(module);
}

bool Parser::parseFile() {
  advance();
  if (!tok.isWord("tile"))
    return fail(tok, "a text begins with its version, 'tile 0.1'; found " + shown(tok));
  advance();
  if (tok.kind != TokenKind::Number)
    return expected("the version number 0.1");
  if (tok.text != "0.1")
    return fail(TL_E_VERSION, tok, "this library reads version 0.1, not " + std::string(tok.text));
  advance();
  do
    if (!parseMember())
      return false;
  while (tok.kind != TokenKind::End || module.members.empty());
  return true;
}

/// A kernel, a sequence or a function.
bool Parser::parseMember() {
  if (tok.isWord("func"))
    return parseFunction();
  if (tok.isWord("kernel") || tok.isWord("sequence"))
    return parseKernel(tok.isWord("sequence")) && finishMember();
  return module.members.empty() ? expected("'kernel'")
                                : expected("the end of the text, or another kernel");
}

bool Parser::finishMember() {
  // What only the whole can show is wrong with the grid, if there is one.
  Token kernel = gridToken.length ? gridToken : located;
  auto graph = std::move(builder).finish();
  if (!graph.ok()) {
    ErrorPtr error = graph.takeError();
    return fail(error->status, kernel,
                error->diagnostics.empty() ? error->message : error->diagnostics[0].text);
  }
  module.members.push_back(std::make_shared<const Graph>(std::move(*graph)));
  builder = GraphBuilder();
  names = NameScopes();
  gridToken = {};
  bodyOffset = 0;
  pendingDims.clear();
  pendingGenerators.clear();
  contractSeen = threadsSeen = false;
  return true;
}

Diagnostic Parser::diagnosticAt(Severity severity, const Token &at, std::string message) const {
  constexpr size_t longest = 4000;
  if (message.size() > longest)
    message = message.substr(0, longest) + "...";
  Diagnostic d;
  d.severity = severity;
  d.pass = "parse";
  d.location = {file, at.line, at.column};
  d.text = std::move(message);
  d.excerpt = sourceExcerpt(text, at.offset, at.length);
  return d;
}

bool Parser::fail(tl_status status, const Token &place, std::string message) {
  if (failure)
    return false;
  Token at = place.kind == TokenKind::End ? afterPrevious() : place;
  Diagnostic d = diagnosticAt(Severity::Error, at, std::move(message));
  failure = std::make_unique<Error>();
  failure->status = status;
  failure->message = formatString("%s:%u:%u: %s", file.c_str(), at.line, at.column, d.text.c_str());
  failure->diagnostics.push_back(std::move(d));
  noteCallers();
  return false;
}

void Parser::note(const Token &at, std::string message) {
  failure->diagnostics.push_back(diagnosticAt(Severity::Note, at, std::move(message)));
}

bool Parser::expected(const std::string &what) {
  return fail(tok, "expected " + what + ", found " + shown(tok));
}

void Parser::locate(const Token &at) {
  located = at;
  builder.setLocation({file, at.line, at.column});
}

/// As expected(), where what is missing belongs to the line before, if tok begins another.
bool Parser::expectedOnLine(const std::string &what) {
  if (tok.kind == TokenKind::End || !tok.firstOnLine)
    return expected(what);
  return fail(afterPrevious(), "expected " + what + ", found the end of the line");
}

/// The place right after the token before tok.
Token Parser::afterPrevious() const {
  Token at = previous;
  at.kind = TokenKind::Punct;
  at.offset += previous.length;
  at.column += uint32_t(previous.length);
  at.length = 0;
  return at;
}

/// Turns an error of the builder into one that shows the place in the text.
bool Parser::checkBuilder() {
  if (builder.ok())
    return true;
  const Error &error = *builder.error();
  return fail(error.status, located,
              error.diagnostics.empty() ? error.message : error.diagnostics[0].text);
}

bool Parser::take(char punct, const char *what) {
  if (!tok.is(punct))
    return expectedOnLine(formatString("'%c' %s", punct, what));
  return advance();
}

bool Parser::takeWord(std::string_view word) {
  if (!tok.isWord(word))
    return expected("'" + std::string(word) + "'");
  return advance();
}

bool Parser::parseInteger(int64_t &value, const char *what) {
  std::optional<Literal> literal;
  if (tok.kind == TokenKind::Number)
    literal = parseLiteral(tok.text);
  std::optional<int64_t> number = literal ? literalInt(*literal) : std::nullopt;
  if (!number)
    return expectedOnLine(std::string(what) + ", an integer");
  value = *number;
  return advance();
}

/// '[' integers ']'.
bool Parser::parseIntegers(std::vector<int64_t> &list, const char *what) {
  if (!take('[', formatString("before %s", what).c_str()))
    return false;
  while (!tok.is(']')) {
    int64_t value = 0;
    if (!list.empty() && !take(',', "or ']'"))
      return false;
    if (!parseInteger(value, what))
      return false;
    list.push_back(value);
  }
  return advance();
}

bool Parser::atLiteral() const {
  return tok.kind == TokenKind::Number ||
         (tok.kind == TokenKind::Word && parseLiteral(tok.text).has_value());
}

/// A number, true, false, inf, nan or nan(0xBITS).
bool Parser::parseLiteralToken(Literal &literal) {
  std::optional<Literal> parsed;
  if (tok.kind == TokenKind::Number || tok.kind == TokenKind::Word)
    parsed = parseLiteral(tok.text);
  if (!parsed && tok.kind == TokenKind::Number)
    return fail(tok, shown(tok) + " is not a number, or not one that a double or 64 bits can hold");
  if (!parsed)
    return expectedOnLine("a number");
  literal = *parsed;
  bool bits = tok.isWord("nan") && lexer.peek() == '(';
  advance();
  if (!bits)
    return true;
  advance();
  std::optional<Literal> payload;
  if (tok.kind == TokenKind::Number)
    payload = parseLiteral(tok.text);
  constexpr uint64_t exponent = uint64_t(0x7ff) << 52;
  if (!payload || payload->kind != Literal::Kind::Integer || payload->negative ||
      (payload->magnitude & exponent) != exponent || payload->magnitude << 12 == 0)
    return expected("the 64 bits of a NaN of type f64, as in nan(0x7ff8000000000001)");
  literal.f = std::bit_cast<double>(payload->magnitude);
  advance();
  return take(')', "after the bits of a NaN");
}

bool Parser::parseDType(DType &dtype) {
  std::optional<DType> known;
  if (tok.kind == TokenKind::Word)
    known = dtypeFromText(tok.text);
  if (!known)
    return expectedOnLine("an element type (f32, f16, i64, ...)");
  dtype = *known;
  return advance();
}

bool Parser::parseOperand(Operand &operand) {
  operand.token = tok;
  if (tok.kind == TokenKind::Value)
    return resolve(tok, operand.value) && advance();
  if (!atLiteral())
    return expectedOnLine("an operand (%name or a number)");
  Literal literal;
  if (!parseLiteralToken(literal))
    return false;
  operand.literal = literal;
  return true;
}

/// '[' operands ']'; appends.
bool Parser::parseOperandList(std::vector<Operand> &operands, char open, char close) {
  if (!take(open, "before a list of operands"))
    return false;
  for (bool first = true; !tok.is(close); first = false) {
    Operand operand;
    if (!first && !take(',', formatString("or '%c'", close).c_str()))
      return false;
    if (!parseOperand(operand))
      return false;
    operands.push_back(std::move(operand));
  }
  return advance();
}

/// "tile<128x%B x f16>" or, for a scalar, "f16". Extents by value are entered as their negated ids.
bool Parser::parseTileType(DType &dtype, std::vector<int64_t> &dims) {
  if (!tok.isWord("tile"))
    return tok.kind == TokenKind::Word && dtypeFromText(tok.text)
               ? parseDType(dtype)
               : expectedOnLine("a type: tile<...> or an element type");
  advance();
  if (!tok.is('<'))
    return expectedOnLine("'<' after 'tile'");
  return parseTileItems(dtype, dims) && advance();
}

bool Parser::parseTileItems(DType &dtype, std::vector<int64_t> &dims) {
  for (;;) {
    previous = tok;
    tok = lexer.nextTileItem();
    if (tok.kind == TokenKind::Word) {
      if (!parseDType(dtype))
        return false;
      return tok.is('>') || expectedOnLine("'>' after the element type of a tile");
    }
    if (tok.kind == TokenKind::Value) {
      ValueId value = 0;
      if (!resolve(tok, value))
        return false;
      dims.push_back(-int64_t(value));
    } else if (tok.kind == TokenKind::Number) {
      if (tok.text[0] == '-')
        return fail(TL_E_INVALID_GRAPH, tok, "the extent of a tile must be at least 1");
      std::optional<Literal> literal = parseLiteral(tok.text);
      std::optional<int64_t> extent = literal ? literalInt(*literal) : std::nullopt;
      if (!extent)
        return fail(TL_E_LIMIT, tok, "the extent of a tile is too large");
      dims.push_back(*extent);
    } else {
      return expected("an extent or the element type of a tile, as in tile<128x%B x f16>");
    }
    previous = tok;
    tok = lexer.nextTileSeparator();
    if (!tok.is('x'))
      return expectedOnLine("'x' after an extent of a tile");
  }
}

bool Parser::resolve(const Token &token, ValueId &value) {
  if (const NameScopes::Definition *definition = names.find(token.text)) {
    value = definition->value;
    return true;
  }
  if (size_t dot = token.text.find('.'); dot != std::string_view::npos)
    return resolveImplicit(token, dot, value);
  return failUndefined(token);
}

/// %a.extent0, %a.stride1: a dynamic dimension of a view argument.
bool Parser::resolveImplicit(const Token &token, size_t dot, ValueId &value) {
  std::string_view word = token.text.substr(dot + 1);
  bool stride = word.starts_with("stride");
  std::optional<Literal> axis;
  if (stride || word.starts_with("extent"))
    axis = parseLiteral(word.substr(6));
  const NameScopes::Definition *base = names.find(token.text.substr(0, dot));
  const Graph &graph = builder.current();
  const Value *view = base ? &graph.values[base->value] : nullptr;
  if (!axis || axis->kind != Literal::Kind::Integer || axis->negative || word.size() != 7)
    return fail(token, "after '.' comes extent or stride and the number of an axis, as in "
                       "%a.extent0");
  if (!view || view->kind != ValueKind::Argument || !view->type.isView())
    return fail(token, "only a view argument has extents and strides of this form");
  const Argument &argument = graph.kernel.args[view->index];
  const std::vector<ViewDim> &dims = stride ? argument.strides : argument.extents;
  if (axis->magnitude >= dims.size() || dims[axis->magnitude].kind != ViewDim::Kind::Dynamic)
    return fail(token, formatString("%s %llu of '%s' is not dynamic ('?' in the view's type)%s",
                                    stride ? "stride" : "extent",
                                    (unsigned long long)axis->magnitude, argument.name.c_str(),
                                    stride ? "" : "; the op 'extent' gives any extent"));
  value = dims[axis->magnitude].value;
  return true;
}

bool Parser::failUndefined(const Token &token) {
  std::string name = "'%" + std::string(token.text) + "'";
  const Token *closed = names.findClosed(token.text);
  if (closed && closed->offset < bodyOffset && !innermostCall()) {
    fail(token, name + " is not visible here: what 'let' names belongs to the kernel's head");
    note(*closed, "defined here");
    return false;
  }
  if (closed) {
    fail(token, name + " is not visible here: it belongs to a region that is closed; yield it, or "
                       "define it outside");
    note(*closed, "defined here");
    return false;
  }
  Token later;
  if (findLaterDefinition(token, later)) {
    fail(token, name + " is used before its definition");
    note(later, "defined here");
    return false;
  }
  std::string_view near = names.nearest(token.text);
  return fail(token, name + " is not defined" +
                         (near.empty() ? "" : "; did you mean '%" + std::string(near) + "'?"));
}

/// Looks through the rest of the text for a statement that defines the name.
const Token *Parser::findLaterDefinition(const Token &token, Token &storage) const {
  Lexer rest = lexer;
  bool inResults = false, found = false;
  Token before;
  for (Token t = rest.next(); t.kind != TokenKind::End; before = t, t = rest.next()) {
    if (before.isWord("kernel") || before.isWord("sequence") || before.isWord("func"))
      return nullptr; // the definitions of another member
    if (t.kind == TokenKind::Value && (t.firstOnLine || inResults)) {
      inResults = true;
      if (t.text == token.text) {
        storage = t;
        found = true;
      }
    } else if (t.is('=') && inResults && found) {
      return &storage;
    } else if (!t.is(',')) {
      inResults = found = false;
    }
  }
  return nullptr;
}

bool Parser::checkFree(const Token &token) {
  const NameScopes::Definition *other = names.find(token.text);
  if (!other)
    return true;
  fail(token, "'%" + std::string(token.text) + "' is defined already");
  note(other->token, "the first definition");
  return false;
}

bool Parser::define(const Token &token, ValueId value) {
  if (token.text.find('.') != std::string_view::npos)
    return fail(token, "a name is made of letters, digits and '_'");
  if (!checkFree(token))
    return false;
  names.define(token, value);
  ValueKind kind = builder.current().values[value].kind;
  if (isValueName(token.text) && (kind == ValueKind::OpResult || kind == ValueKind::BlockArg))
    builder.setName(value, std::string(token.text));
  return true;
}

/// A number among the arguments of a dispatch is an i64, whatever the kernel takes there.
bool Parser::checkDispatchedNumber(const Statement &statement, size_t i) {
  if (opInfo(statement.opcode).rule != Rule::Dispatch)
    return true;
  const Operand &operand = statement.operands[i];
  const auto &callees = builder.current().kernel.callees;
  const Graph &kernel = *callees[size_t(statement.attrs[0].i) - 1];
  if (i >= kernel.kernel.args.size())
    return true; // too many arguments, as the builder says
  const Argument &argument = kernel.kernel.args[i];
  const Type &type = kernel.typeOf(argument.value);
  if (!type.isScalar() || !literalAttr(*operand.literal, AttrKey::Value, type.dtype) ||
      (isInteger(type.dtype) && literalAttr(*operand.literal, AttrKey::Value, DType::I64)))
    return true;
  std::string dtype(dtypeText(type.dtype));
  return fail(TL_E_INVALID_GRAPH, operand.token,
              "argument '" + argument.name + "' of kernel '" + kernel.kernel.name + "' is " +
                  dtype + ", and a number here is an i64; define it before, as in %" +
                  argument.name + " = const " + std::string(operand.token.text) + " : " + dtype);
}

/// Makes the constants that stand for numbers among the operands, in order.
bool Parser::materialize(Statement &statement, std::vector<ValueId> &operands) {
  // Types follow from the operands as written: a constant does not decide the type of another.
  std::vector<ValueId> written;
  for (const Operand &operand : statement.operands)
    written.push_back(operand.value);
  operands = written;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = statement.operands[i];
    if (!operand.literal)
      continue;
    DType dtype = literalType(builder.current(), statement.opcode, written, i, statement.suffix);
    if (dtype == DType::None)
      return fail(operand.token, "a number has no type here; define it before, as in "
                                 "%zero = const 0.0 : f32");
    auto value = literalAttr(*operand.literal, AttrKey::Value, dtype);
    if (!checkDispatchedNumber(statement, i))
      return false;
    if (!value)
      return fail(TL_E_INVALID_GRAPH, operand.token,
                  shown(operand.token) + " is not a value of " + std::string(dtypeText(dtype)) +
                      ", the type it would have here");
    Attr type;
    type.key = AttrKey::DType;
    type.i = int64_t(dtype);
    locate(operand.token);
    operands[i] = builder.op(Opcode::Const, {}, {*value, type});
  }
  return checkBuilder();
}

/// Adds the statement's op; `result` is 0 for ops without one.
bool Parser::emit(Statement &statement, ValueId &result) {
  std::vector<ValueId> operands;
  if (!materialize(statement, operands))
    return false;
  locate(statement.token);
  result = builder.op(statement.opcode, operands, statement.attrs);
  return checkBuilder();
}

} // namespace tl
