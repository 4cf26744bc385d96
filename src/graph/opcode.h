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
  Take,
  Sort,
  TopK,
  Histogram,
  Pointer,
  While,
  Exit,
  Print,
  Assert,
  LaunchLog,
  AllocShared,
  Copy,
  Wait,
  Barrier,
  Random,
  RandomInt,
  CastStochastic,
  Unpack,
  Pack,
  Im2col,
};

/// What an operation does besides giving results. Control: as its regions do.
enum class Effect : uint8_t { Pure, Read, Write, Control };

enum class AttrKey : int32_t {
#define TL_ATTR_KEY(NAME, NUMBER, TEXT, KIND) NAME = NUMBER,
#include "graph/attrs.def"
};
enum class AttrKind : uint8_t {
  Int,
  Number,
  DType,
  Dims,
  Ints,
  Pred,
  Reduce,
  Round,
  Flag,
  Order,
  Scope,
  Text
};

enum class Pred : int32_t {
#define TL_PRED(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};
enum class ReduceKind : int32_t {
#define TL_REDUCE_KIND(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};

enum class Rounding : int32_t {
#define TL_ROUNDING(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};

/// What an atomic operation says of the memory around it, and to whom.
enum class MemoryOrdering : int32_t {
#define TL_ORDER(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};
enum class MemoryScope : int32_t {
#define TL_SCOPE(NAME, NUMBER, TEXT) NAME = NUMBER,
#include "graph/attrs.def"
};
struct AtomicMode {
  MemoryOrdering order = MemoryOrdering::Relaxed;
  MemoryScope scope = MemoryScope::Device;
  /// What was done before it is seen by whoever acquires.
  bool releases() const { return order >= MemoryOrdering::Release; }
  /// What is done after it sees what was released.
  bool acquires() const {
    return order != MemoryOrdering::Relaxed && order != MemoryOrdering::Release;
  }
};

/// How a cast between floats rounds, and whether what is too large becomes the largest finite
/// value.
struct CastMode {
  Rounding rounding = Rounding::Nearest;
  bool saturate = false;
  bool operator==(const CastMode &) const = default;
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
  Value,
  Real,
  U32,
  Byte,
  F32,
  Packed
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
/// Reads or writes elements of memory atomically.
inline bool isAtomic(Opcode opcode) { return opInfo(opcode).rule == Rule::Atomic; }
/// Writes elements of a view.
inline bool writesMemory(Opcode opcode) {
  Rule rule = opInfo(opcode).rule;
  return rule == Rule::Store || rule == Rule::Scatter ||
         (rule == Rule::Atomic && opcode != Opcode::AtomicLoad) || rule == Rule::Copy;
}
/// Gives the host a line of the device's log.
inline bool writesLog(Opcode opcode) { return opcode == Opcode::Print || opcode == Opcode::Assert; }
/// Written by passes only; refused wherever a graph comes in.
bool isScheduled(Opcode opcode);
/// Of sequences alone.
inline bool isSequenceOp(Opcode opcode) {
  return opcode == Opcode::Temporary || opcode == Opcode::Dispatch;
}
/// Rules ReduceWith and ScanWith: a region says how.
bool hasCombineRegion(Opcode opcode);
/// A For or While: the region runs again and again, and carries values from one time to the next.
inline bool isLoop(Opcode opcode) { return opcode == Opcode::For || opcode == Opcode::While; }
/// The operand of a loop where its first carried value starts.
inline size_t firstCarried(Opcode loop) { return loop == Opcode::For ? 3 : 1; }
/// How many region arguments of a loop stand before the carried values: the counter of a For.
inline size_t carriedArgumentsAt(Opcode loop) { return loop == Opcode::For ? 1 : 0; }
/// How many yields of a loop stand before the carried values: the condition of a While.
inline size_t carriedYieldsAt(Opcode loop) { return loop == Opcode::While ? 1 : 0; }
/// From the last element to the first.
bool isReverseScan(Opcode opcode);
/// Whether it gives anything; those with regions may, by their attributes and yields.
bool givesResult(Opcode opcode);
/// How many regions an operation has.
unsigned regionCount(Opcode opcode);
/// Whether a combine region may hold it, on scalars.
bool computesElements(Opcode opcode);
/// Puts elements in order along an axis, or counts them: passes/lower_order.h writes them as
/// others.
bool isOrdering(Opcode opcode);
/// Short for several operations on elements: passes/lower_composite.h writes it so.
bool isComposite(Opcode opcode);
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
std::string_view roundingText(Rounding r);
std::optional<Rounding> roundingFromText(std::string_view text);
bool roundingKnown(int64_t number);
std::string_view orderText(MemoryOrdering o);
std::optional<MemoryOrdering> orderFromText(std::string_view text);
bool orderKnown(int64_t number);
std::string_view scopeText(MemoryScope s);
std::optional<MemoryScope> scopeFromText(std::string_view text);
bool scopeKnown(int64_t number);

/// Words of operand classes for messages: "a tile of floats".
std::string_view operandClassText(OperandClass cls);

} // namespace tl
