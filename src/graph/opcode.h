// Opcodes, attribute keys and their facts, expanded from ops.def and attrs.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tl {

enum class Opcode : int32_t {
  Invalid = 0,
#define TL_OP(NAME, NUMBER, TEXT, GROUP, OPERANDS, ATTRIBUTES, RULE, EFFECT, SEMANTICS)            \
  NAME = NUMBER,
#include "graph/ops.def"
};

/// How the result types of an operation follow from its operands and attributes.
enum class Rule : uint8_t {
  ProgramIndex,
  Const,
  Full,
  Iota,
  Elementwise,
  Compare,
  Classify,
  Select,
  Cast,
  Bitcast,
  Broadcast,
  Reshape,
  Permute,
  ExpandDims,
  Reduce,
  ArgReduce,
  Scan,
  ReduceWith,
  ScanWith,
  Dot,
  MakeView,
  Address,
  ByteOffset,
  Extent,
  Load,
  Store,
  Gather,
  Scatter,
  For,
  If,
  Yield,
  Slice,
  InsertSlice,
  Flip,
  Concat,
  Join,
  Split,
  Atomic,
  Temporary,
  Dispatch,
};

/// What an operation does besides giving results. Control: as its regions do.
enum class Effect : uint8_t { Pure, Read, Write, Control };

enum class AttrKey : int32_t {
#define TL_ATTR_KEY(NAME, NUMBER, TEXT, KIND) NAME = NUMBER,
#include "graph/attrs.def"
};
enum class AttrKind : uint8_t { Int, Number, DType, Dims, Ints, Pred, Reduce };

enum class Pred : int32_t {
#define TL_PRED(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};
enum class ReduceKind : int32_t {
#define TL_REDUCE_KIND(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};

/// What an operand may be; see the head of ops.def.
enum class OperandClass : uint8_t {
  Num,
  Int,
  Float,
  Bits,
  Bool,
  Any,
  Index,
  IndexTile,
  Scalar,
  View,
  Pointer,
  U64,
  Value
};
enum class Arity : uint8_t { One, Optional, Variadic };

struct OperandSpec {
  std::string_view name;
  OperandClass cls;
  Arity arity;
};
struct AttrSpec {
  AttrKey key;
  AttrKind kind;
  bool optional;
};

/// One row of ops.def, parsed.
struct OpInfo {
  Opcode opcode;
  std::string_view name;  // "ProgramId"
  std::string_view text;  // "program_id"
  std::string_view group; // "Program"
  std::string_view semantics;
  Rule rule;
  Effect effect;
  std::span<const OperandSpec> operands;
  std::span<const AttrSpec> attrs;
};

/// Facts of an opcode; it must be a row of ops.def.
const OpInfo &opInfo(Opcode opcode);
/// Rules Reduce, ArgReduce and ReduceWith: an axis of the operands is combined away.
bool isReduction(Opcode opcode);
/// Those, and rules Scan and ScanWith: elements are combined along an axis.
bool combinesAlongAxis(Opcode opcode);
/// Reads and writes elements of memory atomically.
inline bool isAtomic(Opcode opcode) { return opInfo(opcode).rule == Rule::Atomic; }
/// Of sequences alone.
inline bool isSequenceOp(Opcode opcode) {
  return opcode == Opcode::Temporary || opcode == Opcode::Dispatch;
}
/// Rules ReduceWith and ScanWith: a region says how.
bool hasCombineRegion(Opcode opcode);
/// From the last element to the first.
bool isReverseScan(Opcode opcode);
/// How many regions an operation has.
unsigned regionCount(Opcode opcode);
/// Whether a combine region may hold it, on scalars.
bool computesElements(Opcode opcode);
/// All rows, in the order of ops.def.
std::span<const OpInfo> allOps();
bool opcodeKnown(int32_t number);
std::optional<Opcode> opcodeFromText(std::string_view text);

struct AttrInfo {
  AttrKey key;
  std::string_view text;
  AttrKind kind;
};
/// All attribute keys.
std::span<const AttrInfo> allAttrs();
/// Null for unknown numbers.
const AttrInfo *attrInfo(int32_t key);

/// The operation on two elements that a reduction repeats.
Opcode combiningOp(ReduceKind kind);
/// The operation on what is there and what is given whose result an atomic one writes; nothing for
/// those that write what they are given.
std::optional<Opcode> combiningOp(Opcode atomic);
/// How many operands stand before the view.
size_t viewOperandAt(Opcode opcode);
/// Whether a reduction of that kind takes elements of that class: numbers, bits (i1 too) or i1.
bool reduceTakes(ReduceKind kind, bool isFloatType, bool isTruth);
/// ord to uge: only floats are compared so.
bool isFloatPred(Pred p);
std::string_view predText(Pred p);
std::optional<Pred> predFromText(std::string_view text);
bool predKnown(int64_t number);
std::string_view reduceText(ReduceKind k);
std::optional<ReduceKind> reduceFromText(std::string_view text);
bool reduceKnown(int64_t number);

/// Words of operand classes for messages: "a tile of floats".
std::string_view operandClassText(OperandClass cls);

} // namespace tl
