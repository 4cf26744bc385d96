// The printer of the text form: text_print.cc (names, numbers in place, statements) and
// text_print_head.cc (what stands before the body).
#pragma once

#include "graph/text.h"

#include <unordered_map>

namespace tl {

/// A message between double quotes, with escapes.
std::string quotedText(std::string_view message);

class Printer {
public:
  explicit Printer(const Graph &graph) : g(graph) {}
  /// The text after `before`, whose lines count.
  PrintedText print(const std::string &before);

private:
  /// The ops of a block and of the regions in it, flattened.
  struct Event {
    enum class Kind : uint8_t {
      Op,   // an op without regions
      Open, // an op with regions: its first region follows
      Next, // its next region follows
      Close // its last region has ended
    };
    Kind kind;
    OpId op;
    BlockId region; // Open, Next: the region that follows
  };
  /// A value of the head that is used once and may be written in place.
  struct Pending {
    ValueId value = 0;
    std::string text;
    unsigned depth = 0;
    bool isConstant = false;
    std::vector<OpId> ops;
  };

  const Graph &g;
  std::string out;
  uint32_t line = 1;
  std::vector<uint32_t> opLine;
  std::vector<std::string> labels; // by value: "%x"; empty until defined
  std::vector<uint32_t> uses;      // by value
  std::vector<bool> keepsName;     // by value
  std::vector<bool> inPlace;       // by op: a Const that its only user writes as a number
  uint32_t nextNumber = 0;
  std::unordered_map<ValueId, size_t>
      requirement; // values of kernel.requires_: the last such entry
  size_t requirementsDone = 0;

  // text_print.cc
  std::vector<Event> flatten(BlockId block) const;
  void countUses(const std::vector<Event> &events);
  void chooseNames(const std::vector<Event> &head, const std::vector<Event> &body);
  void chooseNumbersInPlace(const std::vector<Event> &events);
  void placeNumbers(const Op &user, std::span<const OpId> constants);
  void printBody(const std::vector<Event> &events);
  void printCarried(const Op &op);
  void printOpen(const Op &op, unsigned depth);
  bool isEmptyRegion(BlockId block) const;
  void newLine();
  void define(ValueId v);
  const std::string &label(ValueId v) const { return labels[v]; }
  std::string constantText(const Op &op) const;
  std::string operandText(ValueId v) const;
  std::string listText(std::span<const ValueId> values) const;
  std::string dimsText(const Attr &dims, DType dtype) const;
  std::string operationText(const Op &op) const;
  std::string leadingText(const Op &op) const;
  std::string operandsText(const Op &op) const;
  std::string trailingText(const Op &op) const;

  // text_print_head.cc
  void printHeader();
  std::string argumentText(const Argument &arg) const;
  std::string viewDimsText(const std::vector<ViewDim> &dims) const;
  std::string generatorText(const InputGenerator &generator) const;
  void defineHeader();
  void item(const std::string &text, const std::vector<OpId> &ops = {});
  void printHead();
  void printHeadOp(OpId id, std::vector<Pending> &pending);
  bool writeCall(const Op &op, std::vector<Pending> &pending, Pending &call) const;
  void flush(std::vector<Pending> &pending);
  bool require(const Pending &pending);
  void printRequirements(size_t end, const std::vector<OpId> &ops = {});
  void printGrid(const std::vector<OpId> &ops);
  void printGridAndRequirements(std::vector<Pending> &pending);
};

} // namespace tl
