// Parsing, part two: what stands before a kernel's body.
#include "graph/text_parser.h"

#include <algorithm>

namespace tl {

bool Parser::parseKernel(bool isSequence) {
  advance();
  if (tok.kind != TokenKind::Symbol)
    return expected(isSequence ? "the sequence's name, as in @prefix_sum"
                               : "the kernel's name, as in @vector_add");
  Token name = tok;
  if (module.find(name.text))
    return fail(TL_E_INVALID_GRAPH, name, "'@" + std::string(name.text) + "' is defined already");
  locate(name);
  builder.setKernel(std::string(name.text));
  if (isSequence)
    builder.setSequence();
  if (!checkBuilder())
    return false;
  advance();
  if (!take('(', "before the arguments"))
    return false;
  for (bool first = true; !tok.is(')'); first = false) {
    if (!first && !take(',', "or ')' after an argument"))
      return false;
    if (!parseArgument())
      return false;
  }
  advance();
  builder.buildHead(true);
  names.push();
  while (!tok.is('{'))
    if (!parseItem())
      return false;
  names.pop();
  builder.buildHead(false);
  bodyOffset = tok.offset;
  if (!resolveHeader() || !parseBody(tok))
    return false;
  locate(name);
  return true;
}

bool Parser::parseArgument() {
  if (tok.kind != TokenKind::Value)
    return expected("an argument, as in %x: view<f32, [%n]>");
  Token name = tok;
  Argument argument;
  argument.name = std::string(name.text);
  advance();
  if (!take(':', "before the argument's type"))
    return false;
  DType dtype = DType::None;
  TypeKind kind = TypeKind::Tile;
  if (tok.isWord("view")) {
    kind = TypeKind::View;
    if (!parseViewType(argument, dtype))
      return false;
  } else if (tok.isWord("ptr")) {
    kind = TypeKind::Pointer;
    advance();
    if (!take('<', "after 'ptr'") || !parseDType(dtype) || !take('>', "after the element type"))
      return false;
  } else if (!(tok.kind == TokenKind::Word && dtypeFromText(tok.text))) {
    return expected("an argument's type: an element type, view<...> or ptr<...>");
  } else if (!parseDType(dtype)) {
    return false;
  }
  for (;; advance()) {
    if (tok.isWord("distinct"))
      argument.distinct = true;
    else if (tok.isWord("optional"))
      argument.optional = true;
    else
      break;
  }
  if (tok.is('=') && !parseInput(argument, kind, dtype))
    return false;
  locate(name);
  ValueId value = builder.addArgument(std::move(argument), kind, dtype);
  return checkBuilder() && define(name, value);
}

/// view<dtype, [extents], [strides]>; strides are optional.
bool Parser::parseViewType(Argument &argument, DType &dtype) {
  advance();
  if (!take('<', "after 'view'") || !parseDType(dtype) || !take(',', "and the view's extents"))
    return false;
  if (!parseDims(argument.extents, false))
    return false;
  if (tok.is(',')) {
    advance();
    if (!parseDims(argument.strides, true))
      return false;
  }
  return take('>', "at the end of the view's type");
}

bool Parser::parseDims(std::vector<ViewDim> &dims, bool strides) {
  if (!take('[', strides ? "before the view's strides" : "before the view's extents"))
    return false;
  while (!tok.is(']')) {
    if (!dims.empty() && !take(',', "or ']'"))
      return false;
    ViewDim dim;
    if (tok.is('?')) {
      dim.kind = ViewDim::Kind::Dynamic;
      advance();
    } else if (tok.kind == TokenKind::Value) {
      dim.kind = ViewDim::Kind::Value;
      pendingDims.push_back({builder.current().kernel.args.size(), strides, dims.size(), tok});
      advance();
    } else if (tok.kind != TokenKind::Number) {
      return expected("an extent or stride: a number, %name or '?'");
    } else if (!parseInteger(dim.literal, "an extent or stride")) {
      return false;
    }
    dims.push_back(dim);
  }
  return advance();
}

/// '=' and a scalar's default or a view's generator.
bool Parser::parseInput(Argument &argument, TypeKind kind, DType dtype) {
  advance();
  Token at = tok;
  if (kind == TypeKind::Pointer)
    return fail(at, "a pointer has no default");
  if (kind == TypeKind::Tile) {
    Literal literal;
    if (!parseLiteralToken(literal))
      return false;
    auto attr = literalAttr(literal, AttrKey::Value, dtype);
    if (!attr)
      return fail(TL_E_INVALID_GRAPH, at,
                  shown(at) + " is not a value of " + std::string(dtypeText(dtype)));
    argument.hasDefault = true;
    argument.defaultInt = attr->i;
    argument.defaultFloat = attr->f;
    return true;
  }
  constexpr std::pair<std::string_view, GeneratorKind> generators[] = {
      {"zeros", GeneratorKind::Zeros},
      {"arange", GeneratorKind::Arange},
      {"uniform", GeneratorKind::Uniform},
      {"randn", GeneratorKind::Randn},
      {"const", GeneratorKind::Const}};
  PendingGenerator pending;
  pending.argument = builder.current().kernel.args.size();
  for (const auto &[word, generator] : generators)
    if (tok.isWord(word))
      pending.generator.kind = generator;
  if (pending.generator.kind == GeneratorKind::None)
    return expected("a view's input: zeros, arange, randn, uniform(low, high) or const(value)");
  advance();
  bool uniform = pending.generator.kind == GeneratorKind::Uniform;
  if (uniform || pending.generator.kind == GeneratorKind::Const) {
    if (!take('(', "after this generator") || !parseBound(pending.generator.low, pending.low))
      return false;
    if (uniform &&
        (!take(',', "and the upper bound") || !parseBound(pending.generator.high, pending.high)))
      return false;
    if (!take(')', "after the generator's values"))
      return false;
  }
  pendingGenerators.push_back(pending);
  return true;
}

/// A number, or the name of a scalar argument (which may follow).
bool Parser::parseBound(double &number, Token &value) {
  if (tok.kind == TokenKind::Value) {
    value = tok;
    number = 0;
    return advance();
  }
  Literal literal;
  Token at = tok;
  if (!parseLiteralToken(literal))
    return false;
  auto attr = literalAttr(literal, AttrKey::Value, DType::F64);
  if (!attr)
    return fail(at, "a generator's value must be a number or a scalar argument");
  number = attr->f;
  return true;
}

bool Parser::parseItem() {
  constexpr std::string_view words[] = {"param", "contract", "threads", "let", "require", "grid"};
  constexpr bool (Parser::*items[])() = {&Parser::parseParam,   &Parser::parseContract,
                                         &Parser::parseThreads, &Parser::parseLet,
                                         &Parser::parseRequire, &Parser::parseGrid};
  bool ofKernels = tok.isWord("grid") || tok.isWord("contract") || tok.isWord("threads");
  if (ofKernels && builder.current().kernel.isSequence)
    return fail(TL_E_INVALID_GRAPH, tok,
                "a sequence has no " + std::string(tok.text) + "; its kernels have theirs");
  for (size_t i = 0; i < std::size(words); ++i)
    if (tok.isWord(words[i]))
      return (this->*items[i])();
  std::string_view near;
  if (tok.kind == TokenKind::Word)
    near = nearestWord(tok.text, words);
  return expected("param, require, let, grid, contract, threads or the body's '{'" +
                  (near.empty() ? "" : " (did you mean '" + std::string(near) + "'?)"));
}

/// param %B = 1024 in [256, 512, 1024]
bool Parser::parseParam() {
  advance();
  if (tok.kind != TokenKind::Value)
    return expected("the parameter's name, as in param %B = 1024");
  Token name = tok;
  advance();
  if (!take('=', "and the parameter's default"))
    return false;
  int64_t value = 0;
  std::vector<int64_t> choices;
  if (!parseInteger(value, "the parameter's default"))
    return false;
  if (tok.isWord("in")) {
    advance();
    Token list = tok;
    if (!parseIntegers(choices, "the parameter's choices"))
      return false;
    if (choices.empty())
      return fail(TL_E_PARAM, list, "a list of choices holds at least one");
  }
  locate(name);
  ValueId param = builder.addParam(std::string(name.text), value, std::move(choices));
  if (!checkBuilder())
    return false;
  // Parameters are visible in the body, unlike what `let` defines: they join the outer scope.
  if (!checkFree(name))
    return false;
  names.defineOuter(name, param);
  return true;
}

bool Parser::parseContract() {
  if (contractSeen)
    return fail(tok, "contract is given twice");
  contractSeen = true;
  advance();
  if (!take('=', "after 'contract'"))
    return false;
  if (!tok.isWord("on") && !tok.isWord("off"))
    return expected("on or off");
  builder.setContract(tok.isWord("on"));
  return advance();
}

bool Parser::parseThreads() {
  if (threadsSeen)
    return fail(tok, "threads is given twice");
  threadsSeen = true;
  advance();
  if (!take('=', "after 'threads'"))
    return false;
  int64_t threads = 0;
  locate(tok);
  if (!parseInteger(threads, "the number of threads"))
    return false;
  builder.setThreads(threads);
  return checkBuilder();
}

/// let %half = ceildiv(%n, 2)    or any operation: let %wide = cast %n : i64
bool Parser::parseLet() {
  advance();
  if (tok.kind != TokenKind::Value)
    return expected("a name, as in let %tiles = ceildiv(%n, %B)");
  Token name = tok;
  if (!checkFree(name))
    return false;
  advance();
  if (!take('=', "after the name"))
    return false;
  if (tok.kind != TokenKind::Word)
    return expected("an operation");
  ValueId value = 0;
  if (lexer.peek() == '(') {
    if (!parseExpression(value))
      return false;
  } else {
    Statement statement;
    if (!parseOperation(statement) || !emit(statement, value))
      return false;
    if (value == 0)
      return fail(statement.token, shown(statement.token) + " gives no value");
  }
  return define(name, value);
}

bool Parser::parseRequire() {
  Token at = tok;
  advance();
  ValueId condition = 0;
  if (!parseExpression(condition))
    return false;
  locate(at);
  builder.addHeadRequirement(condition);
  if (!checkBuilder())
    return false;
  if (builder.current().constantInt(condition) == 0)
    return fail(TL_E_PARAM, at, "the requirement does not hold for the parameters' defaults");
  return true;
}

bool Parser::parseGrid() {
  Token at = tok;
  advance();
  if (!take('[', "after 'grid'"))
    return false;
  std::vector<ValueId> grid;
  while (!tok.is(']')) {
    ValueId value = 0;
    if (!grid.empty() && !take(',', "or ']'"))
      return false;
    if (!parseExpression(value))
      return false;
    grid.push_back(value);
  }
  advance();
  locate(at);
  gridToken = at;
  builder.setHeadGrid(grid);
  return checkBuilder();
}

/// Dimensions and bounds by name, now that all arguments and parameters are known.
bool Parser::resolveHeader() {
  for (const PendingDim &dim : pendingDims) {
    ValueId value = 0;
    if (!resolve(dim.token, value))
      return false;
    locate(dim.token);
    builder.setViewDim(dim.argument, dim.stride, dim.axis, value);
    if (!checkBuilder())
      return false;
  }
  for (PendingGenerator &pending : pendingGenerators) {
    InputGenerator &generator = pending.generator;
    if (pending.low.kind == TokenKind::Value && !resolve(pending.low, generator.lowValue))
      return false;
    if (pending.high.kind == TokenKind::Value && !resolve(pending.high, generator.highValue))
      return false;
    if (pending.low.kind == TokenKind::Value || pending.high.kind == TokenKind::Value)
      locate(pending.low.kind == TokenKind::Value ? pending.low : pending.high);
    builder.setGenerator(pending.argument, generator);
    if (!checkBuilder())
      return false;
  }
  return true;
}

/// An integer, a name, or op(expression, ...). Calls that are open are a stack.
bool Parser::parseExpression(ValueId &value) {
  std::vector<Statement> calls;
  for (;;) {
    Operand operand;
    if (tok.kind == TokenKind::Word && !atLiteral()) {
      if (!openCall(calls))
        return false;
      continue;
    }
    if (!parseOperand(operand))
      return false;
    for (;;) {
      if (calls.empty()) {
        // A number alone is an i64.
        Statement constant;
        constant.opcode = Opcode::Const;
        constant.operands.push_back(std::move(operand));
        std::vector<ValueId> made;
        if (!materialize(constant, made))
          return false;
        value = made[0];
        return true;
      }
      calls.back().operands.push_back(operand);
      if (tok.is(',')) {
        advance();
        if (calls.back().opcode != Opcode::Cast)
          break;
        if (!parseCastType(calls.back()))
          return false;
      }
      if (!tok.is(')'))
        return expected("',' or ')'");
      if (!closeCall(calls.back(), operand))
        return false;
      calls.pop_back();
      advance();
    }
  }
}

/// OP '(' of a header expression: arithmetic, a comparison by its predicate (lt), select, cast,
/// extent.
bool Parser::openCall(std::vector<Statement> &calls) {
  if (calls.size() >= maxRegionDepth)
    return fail(TL_E_LIMIT, tok,
                formatString("header expressions nest at most %u deep", maxRegionDepth));
  Statement call;
  call.token = tok;
  auto opcode = opcodeFromText(tok.text);
  auto allowed = [](Rule rule) {
    return rule == Rule::Elementwise || rule == Rule::Classify || rule == Rule::Select ||
           rule == Rule::Cast || rule == Rule::Extent;
  };
  if (auto pred = predFromText(tok.text)) {
    call.opcode = Opcode::Cmp;
    Attr attr;
    attr.key = AttrKey::Pred;
    attr.i = int64_t(*pred);
    call.attrs.push_back(attr);
  } else if (opcode && allowed(opInfo(*opcode).rule)) {
    call.opcode = *opcode;
  } else if (opcode) {
    return fail(tok, shown(tok) + " cannot stand in a header expression");
  } else {
    std::vector<std::string_view> words;
    for (const OpInfo &op : allOps())
      if (allowed(op.rule))
        words.push_back(op.text);
    std::string_view near = nearestWord(tok.text, words);
    return fail(tok, "unknown operation " + shown(tok) +
                         (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
  }
  advance();
  calls.push_back(std::move(call));
  return take('(', "after the operation of a header expression");
}

bool Parser::parseCastType(Statement &call) {
  Attr attr;
  attr.key = AttrKey::DType;
  DType dtype = DType::None;
  if (!parseDType(dtype))
    return false;
  attr.i = int64_t(dtype);
  call.attrs.push_back(attr);
  return true;
}

bool Parser::closeCall(Statement &call, Operand &result) {
  const OpInfo &info = opInfo(call.opcode);
  if (info.rule == Rule::Extent) {
    std::optional<int64_t> axis;
    if (call.operands.size() == 2 && call.operands[1].literal)
      axis = literalInt(*call.operands[1].literal);
    if (!axis)
      return fail(call.token, "extent takes a view and the number of an axis");
    Attr attr;
    attr.key = AttrKey::Axis;
    attr.i = *axis;
    call.attrs.push_back(attr);
    call.operands.pop_back();
  }
  if (call.operands.size() != info.operands.size())
    return failArity(call, call.operands.size());
  if (info.rule == Rule::Cast && call.attrs.empty())
    return expected("',' and the element type to cast to");
  Token at = call.token;
  result = {};
  result.token = at;
  return emit(call, result.value);
}

} // namespace tl
