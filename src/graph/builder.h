// GraphBuilder: the only way a graph comes into being (C API, text parser, binary reader, cloning
// passes). Sticky: the first error is kept, later calls do nothing and give 0, and regions still
// open and close.
#pragma once

#include "graph/graph.h"

namespace tl {

class GraphBuilder {
public:
  GraphBuilder();
  /// Goes on with a finished graph.
  explicit GraphBuilder(Graph finished);

  bool ok() const { return !firstError; }
  /// The first error, or null. Ownership stays.
  const Error *error() const { return firstError.get(); }
  /// Records an error of the caller's own unless there is one already, as one of the current
  /// location and call.
  void report(ErrorPtr error);
  /// The function of the C API that is at work, which errors name; "" for none.
  void setCall(std::string_view function) { call = function; }

  /// Where the following calls stand in the author's source.
  void setLocation(SourceLocation location);

  void setKernel(std::string name);
  /// Makes it a sequence, which it must be before its first dispatch. Options of kernels are not
  /// its.
  void setSequence();
  /// Gives a sequence a kernel to dispatch; returns its number, 0 after an error. The same kernel
  /// again has the number that it had; another one of that name, or of the sequence's, is an error.
  uint32_t addCallee(std::shared_ptr<const Graph> kernel);
  void setContract(bool allowed);
  void setThreads(int64_t threads);

  /// Adds an argument (types: scalar, view of extents.size() axes, pointer); returns its value.
  /// ViewDims of kind Value name scalar integer arguments or parameters added before, or are
  /// patched later with setViewDim (the text form may name an argument that follows).
  ValueId addArgument(Argument argument, TypeKind kind, DType dtype);
  /// Completes a dimension given as Value with value 0.
  void setViewDim(size_t arg, bool stride, size_t axis, ValueId value);
  /// Sets how example input for an argument is made; bounds given by value must be scalar
  /// arguments.
  void setGenerator(size_t arg, const InputGenerator &generator);
  ValueId addParam(std::string name, int64_t defaultValue, std::vector<int64_t> choices);

  /// Sets the grid from values of the body: their expressions are copied into the kernel's head.
  void setGrid(std::span<const ValueId> values);
  /// Adds a requirement on parameters, an i1 value of the body, copied likewise.
  void addRequirement(ValueId condition);
  /// Lets the following ops go to the head (on = true) or back to where they went (the text form
  /// writes grid expressions there directly), and takes finished head values.
  void buildHead(bool on);
  void setHeadGrid(std::span<const ValueId> values);
  void addHeadRequirement(ValueId condition);

  /// Adds an op without regions; the (first) result, or 0 after an error or for ops without
  /// results.
  ValueId op(Opcode opcode, std::span<const ValueId> operands, std::span<const Attr> attrs = {});
  ValueId op(Opcode opcode, std::initializer_list<ValueId> operands,
             std::initializer_list<Attr> attrs = {}) {
    return op(opcode, std::span(operands.begin(), operands.size()),
              std::span(attrs.begin(), attrs.size()));
  }

  /// All results of the op whose first result is `first`; none for 0.
  std::vector<ValueId> resultsOf(ValueId first) const;

  /// Opens an op with regions: its first one is current until end(). Returns the region's arguments
  /// (see regionArguments; 0s after an error).
  std::vector<ValueId> begin(Opcode opcode, std::span<const ValueId> operands,
                             std::span<const Attr> attrs = {});
  /// Closes the current region with `yields`. If the op has another region (the else of an If),
  /// opens that; otherwise returns the op's results. `done` tells which.
  std::vector<ValueId> end(std::span<const ValueId> yields, bool *done = nullptr);
  /// Regions open now.
  size_t depth() const { return open.size(); }

  void setName(ValueId v, std::string name);

  /// True if the value may be used by an op added now.
  bool visible(ValueId v) const;

  /// The graph as it is now (for types of values while building).
  const Graph &current() const { return graph; }
  /// Checks what only the whole can show (name, grid, closed regions, requirements) and gives the
  /// graph.
  Result<Graph> finish() &&;
  /// The same on a copy: building can go on.
  Result<Graph> snapshot() const;

private:
  struct OpenRegion {
    Opcode opcode = Opcode::Invalid; // Invalid: opened after an error, carries no ops
    unsigned index = 0;              // of the region in its op
    BlockId block = 0;
    uint32_t location = 0;
    std::vector<ValueId> operands;
    std::vector<Attr> attrs;
    std::vector<BlockId> finished; // earlier regions
    std::vector<Type> types;       // result types (For: carried; If: of the first region's yields)
  };

  Graph graph;
  ErrorPtr firstError;
  std::string_view call;
  SourceLocation location;
  uint32_t locationId = 0;
  std::vector<OpenRegion> open;
  bool inHead = false;

  BlockId currentBlock() const;
  bool isIndexSource(ValueId v) const;
  bool checkOperands(Opcode opcode, std::span<const ValueId> operands);
  bool checkDims(Opcode opcode, std::span<const Attr> attrs);
  std::vector<ValueId> copyToHead(std::span<const ValueId> values, const char *what);
  Status checkHead() const;
  Status checkDimensions() const;
  Status checkWhole() const;
  bool checkYields(const OpenRegion &region, std::span<const ValueId> yields);
  std::vector<ValueId> closeOp(OpenRegion region);
};

/// True for ops that a grid expression may use, on i64 scalars (Cast: from another integer argument
/// to i64).
bool allowedInGrid(Opcode opcode);

} // namespace tl
