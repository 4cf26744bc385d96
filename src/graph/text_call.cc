// Parsing, part five: functions and their calls, and dispatches of kernels.
//
// A function is text that each call reads anew, with the arguments' values under the names of its
// parameters: its operations have the types that follow from them. It sees nothing else, and may
// call functions that stand before it, so that calls end.
#include "graph/text_parser.h"

namespace tl {

/// func @name(%a, %b) { ... yield %x }
bool Parser::parseFunction() {
  Function function;
  advance();
  if (tok.kind != TokenKind::Symbol)
    return expected("the function's name, as in @gelu");
  function.name = tok;
  for (const Function &other : functions)
    if (other.name.text == tok.text) {
      fail(tok, "the function '@" + std::string(tok.text) + "' is defined already");
      note(other.name, "the first definition");
      return false;
    }
  advance();
  if (!take('(', "before the function's parameters"))
    return false;
  while (!tok.is(')')) {
    if (!function.parameters.empty() && !take(',', "or ')' after a parameter"))
      return false;
    if (tok.kind != TokenKind::Value || !isValueName(tok.text))
      return expected("a parameter's name, as in %x");
    for (const Token &other : function.parameters)
      if (other.text == tok.text)
        return fail(tok, "'%" + std::string(tok.text) + "' is defined already");
    function.parameters.push_back(tok);
    advance();
  }
  advance();
  if (!tok.is('{'))
    return expectedOnLine("'{' before the function's body");
  return skipBody(function);
}

/// Goes past the '}' that matches tok, a '{'.
bool Parser::skipBody(Function &function) {
  function.open = tok;
  function.body = lexer;
  size_t depth = 1;
  while (depth > 0) {
    advance();
    if (tok.kind == TokenKind::End) {
      fail(tok, "the function's body ends without '}'");
      note(function.open, "opened here");
      return false;
    }
    depth += tok.is('{') ? 1 : 0;
    depth -= tok.is('}') ? 1 : 0;
  }
  function.bytes = tok.offset - function.open.offset;
  functions.push_back(std::move(function));
  return advance();
}

const Parser::Frame *Parser::innermostCall() const {
  for (size_t i = frames.size(); i-- > 0;)
    if (frames[i].caller)
      return &frames[i];
  return nullptr;
}

/// Says for an error inside of functions which calls led there, the innermost first.
void Parser::noteCallers() {
  constexpr size_t most = 8;
  size_t said = 0;
  for (size_t i = frames.size(); i-- > 0 && said < most;)
    if (frames[i].caller) {
      note(frames[i].token, "called from here");
      ++said;
    }
}

/// %r, ... = call @name(%x, ...): the function's body follows.
bool Parser::parseCall(std::vector<Token> results) {
  constexpr size_t maxBytes = size_t(16) << 20;
  Frame frame;
  frame.token = tok;
  frame.results = std::move(results);
  advance();
  if (tok.kind != TokenKind::Symbol)
    return expected("the name of a function, as in call @gelu(%x)");
  const Frame *caller = innermostCall();
  size_t visible = caller ? caller->caller->function : functions.size();
  size_t callee = 0;
  while (callee < visible && functions[callee].name.text != tok.text)
    ++callee;
  if (callee == visible)
    return fail(tok, "there is no function '@" + std::string(tok.text) + "' before this place");
  const Function &function = functions[callee];
  Token name = tok;
  advance();
  Statement statement;
  if (!parseOperandList(statement.operands, '(', ')'))
    return false;
  if (statement.operands.size() != function.parameters.size())
    return fail(TL_E_INVALID_GRAPH, name,
                formatString("function '@%s' takes %zu argument%s, not %zu",
                             std::string(name.text).c_str(), function.parameters.size(),
                             function.parameters.size() == 1 ? "" : "s",
                             statement.operands.size()));
  for (const Operand &operand : statement.operands)
    if (operand.literal)
      return fail(operand.token, "a number has no type here; define it before, as in "
                                 "%zero = const 0.0 : f32");
  calledBytes += function.bytes;
  if (calledBytes > maxBytes)
    return fail(TL_E_LIMIT, name, formatString("calls expand to over %zu bytes", maxBytes));
  frame.caller = std::make_unique<Caller>(Caller{callee, lexer, tok, previous, std::move(names)});
  names = NameScopes();
  for (size_t i = 0; i < statement.operands.size(); ++i)
    names.define(function.parameters[i], statement.operands[i].value);
  frames.push_back(std::move(frame));
  lexer = function.body;
  tok = function.open;
  return advance();
}

/// tok is the '}' of a function's body: its yields are the values of the call.
bool Parser::closeCall() {
  if (!frames.back().yielded && !checkYieldCount(frames.back(), tok, 0))
    return false;
  Frame call = std::move(frames.back());
  frames.pop_back();
  names = std::move(call.caller->names);
  lexer = call.caller->lexer;
  tok = call.caller->tok;
  previous = call.caller->previous;
  for (size_t i = 0; i < call.results.size(); ++i)
    if (!define(call.results[i], call.yields[i]))
      return false;
  return endStatement();
}

/// The kernel of a dispatch: "@name" of one before this place.
bool Parser::parseCallee(Statement &statement) {
  if (!builder.current().kernel.isSequence)
    return fail(TL_E_INVALID_GRAPH, statement.token,
                shown(statement.token) + " belongs to the body of a sequence");
  if (tok.kind != TokenKind::Symbol)
    return expected("the name of a kernel, as in dispatch @scan(%x, %n)");
  std::shared_ptr<const Graph> kernel = module.find(tok.text);
  if (!kernel)
    return fail(tok, "there is no kernel '@" + std::string(tok.text) + "' before this place");
  locate(tok);
  Attr callee;
  callee.key = AttrKey::Callee;
  callee.i = builder.addCallee(std::move(kernel));
  statement.attrs.push_back(std::move(callee));
  return checkBuilder() && advance();
}

} // namespace tl
