// The parser of the text form. It holds one token of lookahead and calls the graph builder, which
// checks types; regions and header expressions are explicit stacks, so no input can exhaust the
// machine's. Implemented in text_parse.cc (tokens, errors, operands), text_header.cc (arguments,
// parameters, grid), text_body.cc (operations), text_region.cc (regions) and text_call.cc
// (functions, calls, dispatches).
#pragma once

#include "graph/builder.h"
#include "graph/module.h"
#include "graph/text_lexer.h"
#include "graph/text_literal.h"
#include "graph/text_names.h"

namespace tl {

class Parser {
public:
  Parser(std::string_view text, const std::string &fileName)
      : text(text), file(fileName), lexer(text) {}
  /// What the text holds, or the first error.
  Result<Module> run();

private:
  // Member functions that return bool give false after an error, which is then in `failure`.

  /// An operand as written: a value, or a number that becomes a constant right before its op.
  struct Operand {
    ValueId value = 0;
    std::optional<Literal> literal;
    Token token;
  };
  /// What a statement says before its op is made.
  struct Statement {
    Opcode opcode = Opcode::Invalid;
    Token token; // of the operation's name
    std::vector<Token> results;
    std::vector<Operand> operands;
    std::vector<Attr> attrs;
    std::optional<Literal> number; // value of a const, pad of a load
    Token numberToken;
    DType suffix = DType::None; // element type after ':'
    Token suffixToken;
  };
  /// A function: a piece of text that each call reads again, with the arguments under the names of
  /// its parameters.
  struct Function {
    Token name;
    std::vector<Token> parameters;
    Token open;             // the '{' of its body
    Lexer body = Lexer(""); // right after it
    size_t bytes = 0;       // of the body
  };
  /// Where the text goes on after a call.
  struct Caller {
    size_t function; // that is called
    Lexer lexer;
    Token tok, previous;
    NameScopes names;
  };
  /// An open region of the body, or a call.
  struct Frame {
    std::unique_ptr<Caller> caller; // of a call
    Opcode opcode = Opcode::Invalid;
    Token token;
    std::vector<Token> results;
    size_t yielding = 0; // how many values a region yields, where that is known at its start
    bool yielded = false;
    Token yieldToken;
    std::vector<ValueId> yields;
  };
  /// A dimension or bound that names what may follow later in the header.
  struct PendingDim {
    size_t argument;
    bool stride;
    size_t axis;
    Token token;
  };
  struct PendingGenerator {
    size_t argument;
    InputGenerator generator;
    Token low, high; // Value tokens, or End
  };
  std::string_view text;
  const std::string &file;
  Lexer lexer;
  Token tok;
  Token previous; // the one before tok
  Token gridToken;
  size_t bodyOffset = 0; // of the body's '{', 0 before it is met
  GraphBuilder builder;
  NameScopes names;
  ErrorPtr failure;
  Token located; // where the builder's errors are shown
  std::vector<Frame> frames;
  std::vector<PendingDim> pendingDims;
  std::vector<PendingGenerator> pendingGenerators;
  bool contractSeen = false, threadsSeen = false;
  Module module;
  std::vector<Function> functions;
  size_t calledBytes = 0; // of the bodies of all calls

  // text_parse.cc
  bool parseFile();
  bool parseMember();
  bool finishMember();
  bool advance() {
    previous = tok;
    tok = lexer.next();
    return true;
  }
  bool fail(tl_status status, const Token &at, std::string message);
  bool fail(const Token &at, std::string message) {
    return fail(TL_E_SYNTAX, at, std::move(message));
  }
  bool expected(const std::string &what);
  bool expectedOnLine(const std::string &what);
  Token afterPrevious() const;
  void note(const Token &at, std::string message);
  bool checkBuilder();
  void locate(const Token &at);
  Diagnostic diagnosticAt(Severity severity, const Token &at, std::string message) const;
  std::string shown(const Token &token) const { return tokenText(token, text); }
  bool take(char punct, const char *what);
  bool takeWord(std::string_view word);
  bool parseInteger(int64_t &value, const char *what);
  bool parseIntegers(std::vector<int64_t> &list, const char *what);
  bool parseLiteralToken(Literal &literal);
  bool atLiteral() const;
  bool parseDType(DType &dtype);
  bool parseOperand(Operand &operand);
  bool parseOperandList(std::vector<Operand> &operands, char open = '[', char close = ']');
  bool parseTileType(DType &dtype, std::vector<int64_t> &dims);
  bool parseTileItems(DType &dtype, std::vector<int64_t> &dims);
  bool resolve(const Token &token, ValueId &value);
  bool resolveImplicit(const Token &token, size_t dot, ValueId &value);
  bool failUndefined(const Token &token);
  const Token *findLaterDefinition(const Token &token, Token &storage) const;
  bool define(const Token &token, ValueId value);
  bool checkFree(const Token &token);
  /// Gives the first result, or 0.
  bool emit(Statement &statement, ValueId &result);
  bool checkDispatchedNumber(const Statement &statement, size_t i);
  bool materialize(Statement &statement, std::vector<ValueId> &operands);

  // text_header.cc
  bool parseKernel(bool isSequence);
  bool parseArgument();
  bool parseViewType(Argument &argument, DType &dtype);
  bool parseDims(std::vector<ViewDim> &dims, bool strides);
  bool parseInput(Argument &argument, TypeKind kind, DType dtype);
  bool parseBound(double &number, Token &value);
  bool parseItem();
  bool parseParam();
  bool parseContract();
  bool parseThreads();
  bool parseLet();
  bool parseRequire();
  bool parseGrid();
  bool resolveHeader();
  bool parseExpression(ValueId &value);
  bool openCall(std::vector<Statement> &calls);
  bool closeCall(Statement &call, Operand &result);
  bool parseCastType(Statement &call);

  // text_body.cc
  bool parseBody(const Token &open);
  bool parseStatement();
  bool parseResults(std::vector<Token> &results);
  bool parseOperation(Statement &statement);
  bool parseOpcode(Statement &statement);
  bool parseOperands(Statement &statement);
  bool parseViewDims(Statement &statement);
  bool parseCopy(Statement &statement);
  bool parseMask(Statement &statement);
  bool parseTrailing(Statement &statement);
  bool parseAtomicMode(Statement &statement);
  bool parseListAttr(Statement &statement, AttrKey key);
  bool parseSuffix(Statement &statement);
  bool checkSuffix(const Statement &statement);
  bool failComma(const Statement &statement);
  bool failArity(const Statement &statement, size_t given);
  bool defineAll(const Statement &statement, const std::vector<ValueId> &values);
  bool finishStatement(Statement &statement);
  bool parseFor(std::vector<Token> results);
  bool parseCondition(Statement &statement, Opcode opcode, std::vector<Token> results);
  bool parseWhile(std::vector<Token> results);
  bool parseCarried(Statement &statement, std::vector<Token> &arguments);
  bool parseIf(std::vector<Token> results);
  bool parseYield();
  bool parseCombine(Opcode opcode, std::vector<Token> results);
  bool parseArgumentNames(size_t count, std::vector<Token> &arguments);
  bool openRegion(Statement &statement, const std::vector<Token> &arguments);
  bool closeRegion();
  bool closeThen(Frame &frame);
  bool bindResults(const Frame &frame, const std::vector<ValueId> &values);
  bool checkYieldCount(const Frame &frame, const Token &at, size_t count);
  bool endStatement();

  // text_message.cc
  bool parseMessage(Statement &statement);
  bool parsePrint(Statement &statement);

  // text_call.cc
  bool parseFunction();
  bool skipBody(Function &function);
  bool parseCall(std::vector<Token> results);
  bool closeCall();
  bool parseCallee(Statement &statement);
  const Frame *innermostCall() const;
  void noteCallers();
};

} // namespace tl
