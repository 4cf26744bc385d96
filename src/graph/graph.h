// Storage of the tile graph: arrays of plain records named by u32 ids (0 = none); blocks own lists
// of ops. Ids never mean order. What may stand where is decided by infer.h and verify.h, not here.
#pragma once

#include "graph/opcode.h"
#include "graph/types.h"
#include "support/result.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tl {

using ValueId = uint32_t;
using OpId = uint32_t;
using BlockId = uint32_t;

/// An attribute of an op. Which field holds it follows from attrInfo(key)->kind:
/// Int, DType, Pred, Reduce: `i`; Number: `i` for integers and i1, `f` for floats; Dims, Ints:
/// `list`.
struct Attr {
  AttrKey key{};
  bool isFloat = false; // Number only: the value is in `f`
  int64_t i = 0;
  double f = 0;
  std::vector<int64_t> list; // Dims: entry >= 0 is an extent, entry < 0 is the value -entry
  std::string text;
  bool operator==(const Attr &) const = default;
};

/// A run of entries of one of the graph's pools.
struct Range {
  uint32_t begin = 0;
  uint32_t count = 0;
};

enum class ValueKind : uint8_t {
  None,
  OpResult,
  BlockArg,
  Argument,    // a kernel argument
  ImplicitDim, // a dynamic extent or stride of a view argument, an i64 scalar
  Param,
};

struct Value {
  Type type;
  ValueKind kind = ValueKind::None;
  OpId op = 0;           // OpResult: the op
  BlockId block = 0;     // BlockArg: the block
  uint32_t index = 0;    // which result, block argument, kernel argument or parameter
  uint8_t axis = 0;      // ImplicitDim: which axis of argument `index`
  bool isStride = false; // ImplicitDim: a stride, not an extent
};

struct Op {
  Opcode opcode = Opcode::Invalid;
  BlockId block = 0;     // where it stands
  uint32_t location = 0; // index into Graph::locations, 0 = unknown
  Range operands, results, attrs, regions;
};

/// A list of ops. The blocks of regions end with a Yield; the kernel's body and head do not.
struct Block {
  OpId parent = 0; // the op whose region it is; 0 for body and head
  std::vector<ValueId> args;
  std::vector<OpId> ops;
};

/// An extent or stride of a view argument: a literal, a scalar argument or parameter (by value), or
/// dynamic.
struct ViewDim {
  enum class Kind : uint8_t { Literal = 1, Value = 2, Dynamic = 3 };
  Kind kind = Kind::Literal;
  int64_t literal = 0;
  ValueId value = 0; // Value: a scalar argument or parameter. Dynamic: the implicit i64 argument
  bool operator==(const ViewDim &) const = default;
};

enum class GeneratorKind : uint8_t {
  None = 0,
  Zeros = 1,
  Arange = 2,
  Uniform = 3,
  Randn = 4,
  Const = 5
};

/// How an example input is made when a kernel is run as it stands.
struct InputGenerator {
  GeneratorKind kind = GeneratorKind::None;
  double low = 0, high = 1;            // Uniform (integers: high excluded); Const: low
  ValueId lowValue = 0, highValue = 0; // scalar arguments that replace the bounds, or 0
};

/// One argument of the kernel, in launch order.
struct Argument {
  std::string name;
  ValueId value = 0;
  std::vector<ViewDim> extents; // views
  std::vector<ViewDim> strides; // views, in elements; empty = row-major contiguous
  bool optional = false;        // a NULL pointer is allowed
  bool distinct = false;        // overlaps no other argument
  bool hasDefault = false;      // scalars
  int64_t defaultInt = 0;
  double defaultFloat = 0;
  InputGenerator generator;
};

/// A template value of the graph, an i64 scalar.
struct Param {
  std::string name;
  ValueId value = 0;
  int64_t defaultValue = 0;
  std::vector<int64_t> choices; // empty = any value
};

class Graph;

/// A kernel, or a sequence of launches of others.
struct Kernel {
  std::string name;
  /// A sequence has no grid; its body computes i64 scalars, makes temporaries and dispatches the
  /// callees, which are kernels. Each callee has a name of its own; a Dispatch names it by its
  /// number here, counted from 1.
  bool isSequence = false;
  std::vector<std::shared_ptr<const Graph>> callees;
  std::vector<Argument> args;
  std::vector<Param> params;
  BlockId head = 0; // scalar ops of the grid and requirements, on arguments and parameters only
  std::vector<ValueId> grid;      // 1 to 3 integer scalars of head
  std::vector<ValueId> requires_; // i1 scalars of head, on parameters only, that must be true
  BlockId body = 0;
  bool contract = true; // contraction of a * b + c to fma allowed
  int64_t threads = 0;  // hint: threads per program, 0 = the compiler's choice
};

/// One kernel, or a sequence with the kernels that it launches.
class Graph {
public:
  Graph();

  std::vector<Value> values; // [0] is the invalid value
  std::vector<Op> ops;       // [0] unused
  std::vector<Block> blocks; // [0] unused
  std::vector<ValueId> operandPool;
  std::vector<ValueId> resultPool;
  std::vector<Attr> attrPool;
  std::vector<BlockId> regionPool;
  std::vector<SourceLocation> locations; // [0] = unknown
  std::vector<std::string>
      valueNames; // by ValueId; may be shorter; names are for people, not identity
  std::vector<std::optional<int64_t>>
      known; // by ValueId: integer scalars known now (parameters at their defaults)
  Kernel kernel;

  std::span<const ValueId> operands(const Op &op) const;
  std::span<const ValueId> results(const Op &op) const;
  std::span<const Attr> attrs(const Op &op) const;
  std::span<const BlockId> regions(const Op &op) const;
  /// The attribute or null.
  const Attr *attr(const Op &op, AttrKey key) const;
  /// Of a Cast.
  CastMode castMode(const Op &op) const;
  /// The author takes fewer right bits for speed.
  bool isFast(const Op &op) const { return attr(op, AttrKey::Fast) != nullptr; }
  AtomicMode atomicMode(const Op &op) const;
  /// Of an atomic operation: the view's element type, in the shape of what has one of the values,
  /// indices and mask.
  Type elementsType(const Op &op) const;
  int64_t intAttr(const Op &op, AttrKey key, int64_t otherwise = 0) const;
  const Type &typeOf(ValueId v) const { return values[v].type; }
  /// The op that gives `v`, or null for arguments, parameters and block arguments.
  const Op *definingOp(ValueId v) const;
  Block &block(BlockId id) { return blocks[id]; }
  const Block &block(BlockId id) const { return blocks[id]; }
  ValueId operand(const Op &op, size_t i) const { return operands(op)[i]; }
  ValueId result(const Op &op, size_t i = 0) const { return results(op)[i]; }
  /// Operands of a Gather or Scatter or Load or Store by role.
  /// The index operands (without value, view and mask).
  std::span<const ValueId> indexOperands(const Op &op) const;
  /// The view operand of Load, Store, Gather, Scatter, Address, Extent.
  ValueId viewOperand(const Op &op) const;
  /// What a Store, Scatter or atomic operation writes, or combines with what is there.
  ValueId writtenOperand(const Op &op) const;
  /// The mask operand, or 0.
  ValueId maskOperand(const Op &op) const;
  /// View axes of a Load's or Store's tile axes (the attribute, or the last axes in order).
  std::vector<unsigned> tileAxes(const Op &op) const;

  BlockId addBlock(OpId parent);
  ValueId addBlockArg(BlockId block, const Type &type);
  /// Adds an op at the end of `block` with fresh result values; regions must exist already (their
  /// parent is set).
  OpId addOp(BlockId block, Opcode opcode, std::span<const ValueId> operands,
             std::span<const Attr> attrs, std::span<const Type> resultTypes,
             std::span<const BlockId> regions = {}, uint32_t location = 0);
  ValueId addValue(const Type &type, ValueKind kind, uint32_t index);
  void setName(ValueId v, std::string name);
  std::string_view nameOf(ValueId v) const;
  /// Adds a location (or finds it when it equals the last one).
  uint32_t addLocation(SourceLocation location);

  /// The value as an integer constant: constants, parameters at their default values, and integer
  /// arithmetic of those. nullopt when it is not known (or is not an integer scalar).
  std::optional<int64_t> constantInt(ValueId v) const {
    return v < known.size() ? known[v] : std::nullopt;
  }
  /// Adds an argument to the kernel, gives it and its dynamic extents and strides their values, and
  /// returns its value.
  ValueId addArgument(Argument argument, const Type &type);
  /// Adds a parameter to the kernel and gives its value.
  ValueId addParam(std::string name, int64_t defaultValue, std::vector<int64_t> choices);
  /// Extents and strides of a view as values; defined for view arguments and results of MakeView
  /// and AllocShared (whose parameters have values).
  ViewDim viewExtent(ValueId view, unsigned axis) const;
  /// Strides: nullopt means row-major contiguous (the product of the following extents).
  std::optional<ViewDim> viewStride(ValueId view, unsigned axis) const;
};

/// What the regions of an op do, and the op itself: Pure, Read, or Write (an op with effects in its
/// regions counts as them; Control never results).
Effect effectOf(const Graph &graph, const Op &op);

/// The argument whose memory a view or pointer shows; nothing for shared memory, and for a pointer
/// that was itself loaded from memory, which may lead anywhere but there.
std::optional<unsigned> rootArgument(const Graph &graph, ValueId viewOrPointer);
/// Whether it shows shared memory.
bool isShared(const Graph &graph, ValueId viewOrPointer);
/// Whether two views or pointers are known to show no common memory: one is of a distinct argument,
/// or of shared memory, and the other is not.
bool areApart(const Graph &graph, ValueId a, ValueId b);

} // namespace tl
