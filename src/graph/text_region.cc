// Parsing, part four: loops, branches and combine regions.
#include "graph/text_parser.h"

namespace tl {

/// for %i = %lo to %hi step %s carry %x = %init, ... {
bool Parser::parseFor(std::vector<Token> results) {
  Statement statement;
  statement.opcode = Opcode::For;
  statement.token = tok;
  statement.results = std::move(results);
  advance();
  if (tok.kind != TokenKind::Value)
    return expected("the loop's counter, as in for %i = 0 to %n {");
  std::vector<Token> arguments = {tok};
  Operand lo, hi, step;
  advance();
  if (!take('=', "and the first value of the counter") || !parseOperand(lo) || !takeWord("to") ||
      !parseOperand(hi))
    return false;
  if (tok.isWord("step")) {
    advance();
    if (!parseOperand(step))
      return false;
  } else {
    step.literal = parseLiteral("1");
    step.token = statement.token;
  }
  statement.operands = {std::move(lo), std::move(hi), std::move(step)};
  return parseCarried(statement, arguments) && openRegion(statement, arguments);
}

/// "while %go" or "if %c": what the operation has before its regions.
bool Parser::parseCondition(Statement &statement, Opcode opcode, std::vector<Token> results) {
  statement.opcode = opcode;
  statement.token = tok;
  statement.results = std::move(results);
  advance();
  Operand condition;
  if (!parseOperand(condition))
    return false;
  statement.operands.push_back(std::move(condition));
  return true;
}

/// while %go carry %x = %init, ... {
bool Parser::parseWhile(std::vector<Token> results) {
  Statement statement;
  std::vector<Token> arguments;
  return parseCondition(statement, Opcode::While, std::move(results)) &&
         parseCarried(statement, arguments) && openRegion(statement, arguments);
}

/// "carry %x = %init, ..." or nothing: appends to the operands and to the region's arguments.
bool Parser::parseCarried(Statement &statement, std::vector<Token> &arguments) {
  size_t carried = 0;
  if (tok.isWord("carry"))
    do {
      advance();
      Operand init;
      if (tok.kind != TokenKind::Value)
        return expected("the name of a carried value");
      arguments.push_back(tok);
      ++carried;
      advance();
      if (!take('=', "and the value's start") || !parseOperand(init))
        return false;
      statement.operands.push_back(std::move(init));
    } while (tok.is(','));
  if (carried != statement.results.size())
    return fail(statement.token,
                formatString("this loop carries %zu value%s and needs as many names before '=', "
                             "not %zu",
                             carried, carried == 1 ? "" : "s", statement.results.size()));
  return true;
}

/// if %c {
bool Parser::parseIf(std::vector<Token> results) {
  Statement statement;
  return parseCondition(statement, Opcode::If, std::move(results)) && openRegion(statement, {});
}

/// reduce_with %a, %b, axis 1 combine (%a0, %b0) with (%a1, %b1) {
bool Parser::parseCombine(Opcode opcode, std::vector<Token> results) {
  Statement statement;
  statement.opcode = opcode;
  statement.token = tok;
  statement.results = std::move(results);
  advance();
  do {
    if (!statement.operands.empty())
      advance();
    if (tok.isWord("axis"))
      break;
    Operand operand;
    if (!parseOperand(operand))
      return false;
    statement.operands.push_back(std::move(operand));
  } while (tok.is(','));
  int64_t axis = 0;
  if (!takeWord("axis") || !parseInteger(axis, "the number of an axis") || !takeWord("combine"))
    return false;
  statement.attrs.push_back({AttrKey::Axis, false, axis, 0, {}, {}});
  std::vector<Token> arguments;
  size_t count = statement.operands.size();
  if (!parseArgumentNames(count, arguments) || !takeWord("with") ||
      !parseArgumentNames(count, arguments))
    return false;
  if (count != statement.results.size())
    return fail(statement.token,
                formatString("%s of %zu operand%s needs as many names before '=', not %zu",
                             opInfo(opcode).text.data(), count, count == 1 ? "" : "s",
                             statement.results.size()));
  return openRegion(statement, arguments);
}

/// "(%a, %b)": as many names as `count`.
bool Parser::parseArgumentNames(size_t count, std::vector<Token> &arguments) {
  Token open = tok;
  if (!take('(', "and the names of a partial result, one for each operand"))
    return false;
  size_t given = 0;
  while (tok.kind == TokenKind::Value) {
    arguments.push_back(tok);
    ++given;
    advance();
    if (!tok.is(','))
      break;
    advance();
  }
  if (given == count)
    return take(')', "after the names");
  return fail(open, formatString("a partial result has %zu part%s, one for each operand", count,
                                 count == 1 ? "" : "s"));
}

bool Parser::openRegion(Statement &statement, const std::vector<Token> &arguments) {
  if (!tok.is('{'))
    return expectedOnLine("'{' before a region");
  std::vector<ValueId> operands;
  if (!materialize(statement, operands))
    return false;
  locate(statement.token);
  std::vector<ValueId> values = builder.begin(statement.opcode, operands, statement.attrs);
  if (!checkBuilder())
    return false;
  advance();
  names.push();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!define(arguments[i], values[i]))
      return false;
  Frame frame;
  frame.opcode = statement.opcode;
  frame.token = statement.token;
  frame.results = std::move(statement.results);
  frame.yielding =
      frame.results.size() + (isLoop(statement.opcode) ? carriedYieldsAt(statement.opcode) : 0);
  frames.push_back(std::move(frame));
  return true;
}

bool Parser::checkYieldCount(const Frame &frame, const Token &at, size_t count) {
  size_t wanted = frame.caller ? frame.results.size() : frame.yielding;
  if (count == wanted)
    return true;
  std::string reason;
  if (frame.caller)
    reason = formatString("the call names %zu value%s", wanted, wanted == 1 ? "" : "s");
  else if (frame.opcode == Opcode::For)
    reason = wanted == 0
                 ? "the loop carries no values"
                 : formatString("the loop carries %zu value%s", wanted, wanted == 1 ? "" : "s");
  else if (frame.opcode == Opcode::While)
    reason = formatString("this loop yields whether to go on and %zu carried value%s", wanted - 1,
                          wanted == 2 ? "" : "s");
  else if (hasCombineRegion(frame.opcode))
    reason = formatString("a partial result has %zu part%s", wanted, wanted == 1 ? "" : "s");
  else
    reason = wanted == 0 ? "no results of this if are named"
                         : formatString("%zu result%s of this if %s named", wanted,
                                        wanted == 1 ? "" : "s", wanted == 1 ? "is" : "are");
  fail(TL_E_INVALID_GRAPH, at,
       frame.caller  ? reason + formatString(", the function yields %zu", count)
       : count == 0  ? reason + ", so its region must end with a yield of as many"
       : wanted == 0 ? reason + ", so its region yields none"
                     : reason + formatString(", so its region must yield as many, not %zu", count));
  if (!frame.caller) // then it is said to be called there
    note(frame.token, "opened here");
  return false;
}

bool Parser::parseYield() {
  if (frames.empty())
    return fail(tok, "yield ends a region, and the kernel's body is none");
  Frame &frame = frames.back();
  frame.yielded = true;
  frame.yieldToken = tok;
  frame.yields.clear();
  advance();
  if (!tok.firstOnLine && !tok.is('}')) {
    for (;;) {
      Operand operand;
      if (!parseOperand(operand))
        return false;
      if (operand.literal)
        return fail(operand.token, "a number has no type here; define it before, as in "
                                   "%zero = const 0.0 : f32");
      frame.yields.push_back(operand.value);
      if (!tok.is(','))
        break;
      advance();
    }
  }
  return checkYieldCount(frame, frame.yieldToken, frame.yields.size()) && endStatement();
}

/// tok is the '}' of the innermost region.
bool Parser::closeRegion() {
  Frame &frame = frames.back();
  if (!frame.yielded && !checkYieldCount(frame, tok, 0))
    return false;
  locate(frame.yielded ? frame.yieldToken : tok);
  bool done = true;
  std::vector<ValueId> values = builder.end(frame.yields, &done);
  if (!checkBuilder())
    return false;
  names.pop();
  advance();
  if (!done)
    return closeThen(frame);
  Frame closed = std::move(frame);
  frames.pop_back();
  return bindResults(closed, values);
}

/// After the first region of an if: opens the second, or leaves it empty.
bool Parser::closeThen(Frame &frame) {
  frame.yielded = false;
  frame.yields.clear();
  if (tok.isWord("else")) {
    advance();
    names.push();
    return take('{', "after else");
  }
  if (!frame.results.empty())
    return fail(tok,
                "an if that gives results needs an else; expected 'else', found " + shown(tok));
  builder.end({});
  frames.pop_back();
  return checkBuilder() && endStatement();
}

bool Parser::bindResults(const Frame &frame, const std::vector<ValueId> &values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (!define(frame.results[i], values[i]))
      return false;
  return endStatement();
}

} // namespace tl
