// Parsing, part three: operations.
#include "graph/text_parser.h"

namespace tl {

static bool hasAttr(const OpInfo &info, AttrKey key) {
  for (const AttrSpec &spec : info.attrs)
    if (spec.key == key)
      return true;
  return false;
}

static Attr intAttr(AttrKey key, int64_t value) {
  Attr attr;
  attr.key = key;
  attr.i = value;
  return attr;
}

/// Statements up to the '}' that ends the body; tok is the '{'.
bool Parser::parseBody(const Token &open) {
  Token bodyOpen = open;
  advance();
  for (;;) {
    if (tok.kind == TokenKind::End) {
      fail(tok, frames.empty() ? "the kernel's body ends without '}'"
                               : "the text ends within a region: '}' is missing");
      note(frames.empty() ? bodyOpen : frames.back().token, "opened here");
      return false;
    }
    if (tok.is('}')) {
      if (frames.empty())
        return advance();
      if (frames.back().caller ? !closeCall() : !closeRegion())
        return false;
      continue;
    }
    if (!frames.empty() && frames.back().yielded)
      return fail(tok, "yield must be the last statement of its region");
    if (!parseStatement())
      return false;
  }
}

bool Parser::parseStatement() {
  std::vector<Token> results;
  if (!parseResults(results))
    return false;
  if (tok.isWord("for"))
    return parseFor(std::move(results));
  if (tok.isWord("while"))
    return parseWhile(std::move(results));
  if (tok.isWord("if"))
    return parseIf(std::move(results));
  if (tok.isWord("call"))
    return parseCall(std::move(results));
  if (auto opcode = opcodeFromText(tok.text); opcode && hasCombineRegion(*opcode))
    return parseCombine(*opcode, std::move(results));
  if (tok.isWord("yield")) {
    if (!results.empty())
      return fail(tok, "yield gives no value");
    return parseYield();
  }
  Statement statement;
  statement.results = std::move(results);
  return parseOperation(statement) && finishStatement(statement) && endStatement();
}

/// "%a, %b =", or nothing.
bool Parser::parseResults(std::vector<Token> &results) {
  while (tok.kind == TokenKind::Value) {
    if (!checkFree(tok))
      return false;
    results.push_back(tok);
    advance();
    if (tok.is('=')) {
      advance();
      return tok.kind == TokenKind::Word || expected("an operation after '='");
    }
    if (!take(',', "or '=' after a name"))
      return false;
  }
  if (!results.empty())
    return expected("another name");
  return tok.kind == TokenKind::Word || expected("a statement or '}'");
}

bool Parser::endStatement() {
  if (tok.firstOnLine || tok.is('}') || tok.kind == TokenKind::End)
    return true;
  return expected("the end of the line after a statement");
}

/// An operation without regions, up to its type.
bool Parser::parseOperation(Statement &statement) {
  return parseOpcode(statement) && parseOperands(statement) && parseTrailing(statement) &&
         parseSuffix(statement);
}

/// The operation's name and the word, number or axis that some have right after it.
bool Parser::parseOpcode(Statement &statement) {
  statement.token = tok;
  auto opcode = opcodeFromText(tok.text);
  if (!opcode) {
    if (predFromText(tok.text))
      return fail(tok, "unknown operation " + shown(tok) + "; a comparison is written 'cmp " +
                           std::string(tok.text) + " %a, %b'");
    std::vector<std::string_view> words;
    for (const OpInfo &op : allOps())
      if (!isScheduled(op.opcode))
        words.push_back(op.text);
    std::string_view near = nearestWord(tok.text, words);
    // A name without its '%' looks like an operation.
    Lexer rest = lexer;
    if (near.empty() && rest.next().is('='))
      return fail(tok, "unknown operation " + shown(tok) +
                           "; a value's name begins with '%', as in %" + std::string(tok.text) +
                           " = ...");
    return fail(tok, "unknown operation " + shown(tok) +
                         (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
  }
  const OpInfo &info = opInfo(*opcode);
  if (info.effect == Effect::Control)
    return fail(tok, shown(tok) + " cannot stand here");
  statement.opcode = *opcode;
  advance();
  for (const AttrSpec &spec : info.attrs) {
    if (spec.kind == AttrKind::Pred || spec.kind == AttrKind::Reduce) {
      bool isPred = spec.kind == AttrKind::Pred;
      auto pred = predFromText(tok.text);
      auto kind = reduceFromText(tok.text);
      if (tok.kind != TokenKind::Word || (isPred ? !pred : !kind))
        return expected(isPred
                            ? "a comparison: eq, ne, lt, le, gt or ge (or ord, uno, one, ueq, "
                              "ult, ule, ugt, uge)"
                            : "a kind of reduction: sum, max, min, prod, and, or, xor, any or all");
      statement.attrs.push_back(intAttr(spec.key, isPred ? int64_t(*pred) : int64_t(*kind)));
      advance();
    } else if (spec.key == AttrKey::Callee) {
      if (!parseCallee(statement))
        return false;
    } else if (spec.key == AttrKey::Value) {
      Literal literal;
      statement.numberToken = tok;
      if (!parseLiteralToken(literal))
        return false;
      statement.number = literal;
    } else if (spec.key == AttrKey::Axis && !spec.optional && info.operands.empty()) {
      int64_t axis = 0;
      if (!parseInteger(axis, "the number of an axis"))
        return false;
      statement.attrs.push_back(intAttr(spec.key, axis));
    }
  }
  return true;
}

bool Parser::failArity(const Statement &statement, size_t given) {
  const OpInfo &info = opInfo(statement.opcode);
  // Indices stand in brackets behind their view and a mask behind a word: what commas separate are
  // the others.
  std::string list;
  size_t wanted = 0;
  for (const OperandSpec &spec : info.operands)
    if (spec.arity == Arity::One) {
      list += (list.empty() ? "" : ", ") + std::string(spec.name);
      ++wanted;
    } else if (spec.arity == Arity::Variadic) {
      list += "[" + std::string(spec.name) + "]";
    }
  return fail(TL_E_INVALID_GRAPH, statement.token,
              formatString("%s takes %zu operand%s (%s), not %zu%s", info.text.data(), wanted,
                           wanted == 1 ? "" : "s", list.c_str(), given,
                           given > wanted ? " or more" : ""));
}

/// A list of integers that is written as its word and brackets behind the operands.
static bool isWordList(const AttrSpec &spec) {
  return spec.kind == AttrKind::Ints && spec.key != AttrKey::Perm;
}

/// tok is a ','. True, with an error, if an attribute follows that is written without one.
bool Parser::failComma(const Statement &statement) {
  const OpInfo &info = opInfo(statement.opcode);
  Lexer rest = lexer;
  Token next = rest.next();
  for (const AttrSpec &spec : info.attrs) {
    std::string_view word = attrInfo(int32_t(spec.key))->text;
    if ((isWordList(spec) || spec.key == AttrKey::Pad) && next.isWord(word)) {
      fail(tok, "'" + std::string(word) + "' stands behind the operands of " +
                    std::string(info.text) + " without a ','");
      return true;
    }
  }
  return false;
}

bool Parser::parseOperands(Statement &statement) {
  const OpInfo &info = opInfo(statement.opcode);
  if (info.rule == Rule::Print)
    return parsePrint(statement);
  if (info.rule == Rule::Copy)
    return parseCopy(statement);
  size_t given = 0;
  for (size_t i = 0; i < info.operands.size(); ++i) {
    const OperandSpec &spec = info.operands[i];
    if (spec.arity == Arity::Optional && !parseMask(statement))
      return false;
    bool call = info.rule == Rule::Dispatch;
    if (spec.arity == Arity::Variadic && i == 0 &&
        !parseOperandList(statement.operands, call ? '(' : '[', call ? ')' : ']'))
      return false;
    if (spec.arity != Arity::One)
      continue;
    bool onLine = !tok.firstOnLine && !tok.is('}') && tok.kind != TokenKind::End;
    if (given > 0 && !tok.is(',') && onLine)
      return expected("',' and operand '" + std::string(spec.name) + "'");
    if (given == 0 ? !onLine : !tok.is(','))
      return failArity(statement, given);
    if (given > 0)
      advance();
    Operand operand;
    if (!parseOperand(operand))
      return false;
    statement.operands.push_back(std::move(operand));
    ++given;
    bool indexed = i + 1 < info.operands.size() && info.operands[i + 1].arity == Arity::Variadic;
    if (indexed && !(info.rule == Rule::MakeView ? parseViewDims(statement)
                                                 : parseOperandList(statement.operands)))
      return false;
  }
  if (info.rule == Rule::Assert)
    return take(',', "and a message in double quotes") && parseMessage(statement);
  bool more = hasAttr(info, AttrKey::Perm) || hasAttr(info, AttrKey::Axis);
  if (tok.is(',') && info.rule == Rule::Load) {
    Lexer rest = lexer;
    if (rest.next().isWord("mask"))
      return fail(
          tok,
          "load takes no mask: what lies outside of the view reads as 'pad'; gather takes one");
  }
  if (tok.is(',') && !more)
    return !failComma(statement) && failArity(statement, given + 1);
  return true;
}

/// ", [extents], [strides]" of a view.
bool Parser::parseViewDims(Statement &statement) {
  size_t counts[2];
  for (size_t &count : counts) {
    size_t before = statement.operands.size();
    if (!take(',', "and the view's extents and strides in brackets") ||
        !parseOperandList(statement.operands))
      return false;
    count = statement.operands.size() - before;
  }
  if (counts[0] != counts[1])
    return fail(TL_E_INVALID_GRAPH, statement.token,
                formatString("a view needs as many strides as extents, not %zu and %zu", counts[1],
                             counts[0]));
  return true;
}

/// "%to[...], %from[...]": the views, then the indices.
bool Parser::parseCopy(Statement &statement) {
  std::vector<Operand> indices;
  for (int i = 0; i < 2; ++i) {
    Operand view;
    if ((i > 0 && !take(',', "and the view that is copied from")) || !parseOperand(view) ||
        !parseOperandList(indices))
      return false;
    statement.operands.push_back(std::move(view));
  }
  statement.operands.insert(statement.operands.end(), indices.begin(), indices.end());
  return true;
}

/// ", mask %m", or nothing.
bool Parser::parseMask(Statement &statement) {
  if (!tok.is(','))
    return true;
  if (failComma(statement))
    return false;
  advance();
  if (!takeWord("mask"))
    return false;
  if (tok.kind != TokenKind::Value)
    return expected("a tile of i1");
  Operand operand;
  if (!parseOperand(operand))
    return false;
  statement.operands.push_back(std::move(operand));
  return true;
}

/// Attributes after the operands: ", axis 1", ", [1, 0]", "axes [0]", "pad 0",
/// "offsets [0, 8]".
bool Parser::parseTrailing(Statement &statement) {
  const OpInfo &info = opInfo(statement.opcode);
  for (const AttrSpec &spec : info.attrs) {
    if (spec.key == AttrKey::Perm) {
      if (!take(',', "and a permutation in brackets") || !parseListAttr(statement, spec.key))
        return false;
    } else if (spec.key == AttrKey::Axis && !info.operands.empty()) {
      int64_t axis = 0;
      if (!take(',', "and an axis"))
        return false;
      if (tok.isWord("axis"))
        advance();
      if (!parseInteger(axis, "the number of an axis"))
        return false;
      statement.attrs.push_back(intAttr(spec.key, axis));
    } else if (spec.key == AttrKey::Axis && spec.optional && tok.isWord("axis")) {
      int64_t axis = 0;
      advance();
      if (!parseInteger(axis, "the number of an axis"))
        return false;
      statement.attrs.push_back(intAttr(spec.key, axis));
    }
  }
  for (const AttrSpec &spec : info.attrs)
    if (isWordList(spec) && tok.isWord(attrInfo(int32_t(spec.key))->text)) {
      advance();
      if (!parseListAttr(statement, spec.key))
        return false;
    }
  if (hasAttr(info, AttrKey::Round) && tok.isWord("round")) {
    advance();
    auto rounding = roundingFromText(tok.text);
    if (tok.kind != TokenKind::Word || !rounding)
      return expected("a rounding: nearest, zero, down or up");
    statement.attrs.push_back(intAttr(AttrKey::Round, int64_t(*rounding)));
    advance();
  }
  if (hasAttr(info, AttrKey::Order) && !parseAtomicMode(statement))
    return false;
  if (hasAttr(info, AttrKey::Count) && tok.isWord("count")) {
    int64_t count = 0;
    advance();
    if (!parseInteger(count, "a number of copies"))
      return false;
    statement.attrs.push_back(intAttr(AttrKey::Count, count));
  }
  for (const AttrSpec &spec : info.attrs)
    if (spec.kind == AttrKind::Flag && tok.isWord(attrInfo(int32_t(spec.key))->text)) {
      statement.attrs.push_back(intAttr(spec.key, 1));
      advance();
    }
  if (hasAttr(info, AttrKey::Pad) && tok.isWord("pad")) {
    Literal literal;
    advance();
    statement.numberToken = tok;
    if (!parseLiteralToken(literal))
      return false;
    statement.number = literal;
  }
  return true;
}

/// "order acquire", "scope system", or nothing.
bool Parser::parseAtomicMode(Statement &statement) {
  if (tok.isWord("order")) {
    advance();
    auto order = orderFromText(tok.text);
    if (tok.kind != TokenKind::Word || !order)
      return expected("an order: relaxed, acquire, release, acq_rel or seq_cst");
    statement.attrs.push_back(intAttr(AttrKey::Order, int64_t(*order)));
    advance();
  }
  if (tok.isWord("scope")) {
    advance();
    auto scope = scopeFromText(tok.text);
    if (tok.kind != TokenKind::Word || !scope)
      return expected("a scope: program, device or system");
    statement.attrs.push_back(intAttr(AttrKey::Scope, int64_t(*scope)));
    advance();
  }
  return true;
}

bool Parser::parseListAttr(Statement &statement, AttrKey key) {
  Attr attr;
  attr.key = key;
  bool axes = key == AttrKey::Perm || key == AttrKey::Axes;
  if (!parseIntegers(attr.list, axes ? "a list of axes" : "a list of numbers"))
    return false;
  statement.attrs.push_back(std::move(attr));
  return true;
}

/// ": type" for operations that say their type; then the numbers whose type is now known.
bool Parser::parseSuffix(Statement &statement) {
  const OpInfo &info = opInfo(statement.opcode);
  bool hasDims = hasAttr(info, AttrKey::Dims), hasDType = hasAttr(info, AttrKey::DType);
  if (!hasDims && !hasDType && tok.is(':'))
    return fail(tok, std::string(info.text) + " is written without a type; it follows from the "
                                              "operands");
  if (hasDims || hasDType) {
    if (!take(':', "and a type"))
      return false;
    statement.suffixToken = tok;
    Attr dims;
    dims.key = AttrKey::Dims;
    if (hasDims ? !parseTileType(statement.suffix, dims.list) : !parseDType(statement.suffix))
      return false;
    if (hasDims)
      statement.attrs.push_back(std::move(dims));
    if (hasDType)
      statement.attrs.push_back(intAttr(AttrKey::DType, int64_t(statement.suffix)));
    if (!checkSuffix(statement))
      return false;
  }
  if (!statement.number)
    return true;
  bool isConst = info.rule == Rule::Const;
  DType dtype =
      isConst ? statement.suffix : builder.current().typeOf(statement.operands[0].value).dtype;
  if (dtype == DType::None) // not a view: the builder says so
    return true;
  auto attr = literalAttr(*statement.number, isConst ? AttrKey::Value : AttrKey::Pad, dtype);
  if (!attr)
    return fail(TL_E_INVALID_GRAPH, statement.numberToken,
                shown(statement.numberToken) + " is not a value of " +
                    std::string(dtypeText(dtype)));
  statement.attrs.push_back(std::move(*attr));
  return true;
}

/// Where the element type is the operand's, the written one must agree.
bool Parser::checkSuffix(const Statement &statement) {
  const OpInfo &info = opInfo(statement.opcode);
  if (hasAttr(info, AttrKey::DType) || statement.operands.empty() ||
      statement.operands[0].value == 0)
    return true;
  DType dtype = builder.current().typeOf(statement.operands[0].value).dtype;
  if (dtype == statement.suffix || dtype == DType::None)
    return true;
  return fail(TL_E_INVALID_GRAPH, statement.suffixToken,
              formatString("%s keeps the element type: the operand has %s, the type says %s",
                           info.text.data(), dtypeText(dtype).data(),
                           dtypeText(statement.suffix).data()));
}

/// The names of an operation that gives several values.
bool Parser::defineAll(const Statement &statement, const std::vector<ValueId> &values) {
  if (statement.results.size() != values.size())
    return fail(statement.token,
                formatString("%s gives %zu values and needs as many names before '=', not %zu",
                             opInfo(statement.opcode).text.data(), values.size(),
                             statement.results.size()));
  for (size_t i = 0; i < values.size(); ++i)
    if (!define(statement.results[i], values[i]))
      return false;
  return true;
}

bool Parser::finishStatement(Statement &statement) {
  ValueId value = 0;
  if (!emit(statement, value))
    return false;
  std::vector<ValueId> values = builder.resultsOf(value);
  if (values.size() > 1)
    return defineAll(statement, values);
  if (statement.results.size() > 1)
    return fail(statement.results[1],
                std::string(opInfo(statement.opcode).text) + " gives one value at most");
  // What an atomic operation read may not matter.
  if (statement.results.empty())
    return value == 0 || opInfo(statement.opcode).effect == Effect::Write ||
           fail(statement.token, shown(statement.token) + " gives a value: name it, as in %x = " +
                                     std::string(statement.token.text) + " ...");
  if (value == 0)
    return fail(statement.results[0], shown(statement.token) + " gives no value");
  return define(statement.results[0], value);
}

} // namespace tl
