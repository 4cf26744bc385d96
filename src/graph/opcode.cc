#include "graph/opcode.h"

#include <cassert>
#include <deque>
#include <vector>

namespace tl {

namespace {

constexpr AttrInfo attrTable[] = {
#define TL_ATTR_KEY(NAME, NUMBER, TEXT, KIND) {AttrKey::NAME, TEXT, AttrKind::KIND},
#include "graph/attrs.def"
};

struct ClassRow {
  std::string_view text;
  OperandClass cls;
  std::string_view words;
};
constexpr ClassRow classTable[] = {
    {"num", OperandClass::Num, "a tile of integers or floats"},
    {"int", OperandClass::Int, "a tile of integers"},
    {"float", OperandClass::Float, "a tile of floats"},
    {"bits", OperandClass::Bits, "a tile of integers or i1"},
    {"bool", OperandClass::Bool, "a tile of i1"},
    {"any", OperandClass::Any, "a tile"},
    {"index", OperandClass::Index, "a scalar i32 or i64"},
    {"itile", OperandClass::IndexTile, "a tile of i32 or i64"},
    {"scalar", OperandClass::Scalar, "a scalar"},
    {"view", OperandClass::View, "a view"},
    {"ptr", OperandClass::Pointer, "a pointer"},
    {"u64", OperandClass::U64, "a tile of u64"},
    {"real", OperandClass::Real, "a tile of floats"},
    {"value", OperandClass::Value, "a scalar, a view or a pointer"},
    {"u32", OperandClass::U32, "a tile of u32"},
    {"byte", OperandClass::Byte, "a tile of u8"},
    {"f32", OperandClass::F32, "a tile of f32"},
    {"packed", OperandClass::Packed, "a tile of elements of 4 or 6 bits"},
};

/// Takes the next space-separated word off `rest`.
std::string_view nextWord(std::string_view &rest) {
  size_t begin = rest.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    rest = {};
    return {};
  }
  size_t end = rest.find(' ', begin);
  std::string_view word = rest.substr(begin, end == std::string_view::npos ? end : end - begin);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end);
  return word;
}

std::vector<OperandSpec> parseOperands(std::string_view text) {
  std::vector<OperandSpec> specs;
  for (std::string_view word = nextWord(text); !word.empty(); word = nextWord(text)) {
    size_t colon = word.find(':');
    OperandSpec spec{word.substr(0, colon), OperandClass::Any, Arity::One};
    std::string_view cls = word.substr(colon + 1);
    if (cls.back() == '*' || cls.back() == '?') {
      spec.arity = cls.back() == '*' ? Arity::Variadic : Arity::Optional;
      cls.remove_suffix(1);
    }
    bool found = false;
    for (const ClassRow &row : classTable)
      if (row.text == cls) {
        spec.cls = row.cls;
        found = true;
      }
    assert(found && "unknown operand class in ops.def");
    (void)found;
    specs.push_back(spec);
  }
  return specs;
}

std::vector<AttrSpec> parseAttrs(std::string_view text) {
  std::vector<AttrSpec> specs;
  for (std::string_view word = nextWord(text); !word.empty(); word = nextWord(text)) {
    std::string_view name = word.substr(0, word.find(':'));
    bool found = false;
    for (const AttrInfo &row : attrTable)
      if (row.text == name) {
        specs.push_back({row.key, row.kind, word.back() == '?'});
        found = true;
      }
    assert(found && "unknown attribute in ops.def");
    (void)found;
  }
  return specs;
}

struct Table {
  std::vector<OpInfo> ops;
  std::deque<std::vector<OperandSpec>> operandPool;
  std::deque<std::vector<AttrSpec>> attrPool;
  std::vector<const OpInfo *> byNumber;

  Table() {
    struct Row {
      Opcode opcode;
      std::string_view name, text, group, operands, attrs;
      Rule rule;
      Effect effect;
      std::string_view semantics;
    };
    const Row rows[] = {
#define TL_OP(NAME, NUMBER, TEXT, GROUP, OPERANDS, ATTRIBUTES, RULE, EFFECT, SEMANTICS)            \
  {Opcode::NAME, #NAME, TEXT, #GROUP, OPERANDS, ATTRIBUTES, Rule::RULE, Effect::EFFECT, SEMANTICS},
#include "graph/ops.def"
    };
    for (const Row &row : rows) {
      operandPool.push_back(parseOperands(row.operands));
      attrPool.push_back(parseAttrs(row.attrs));
      ops.push_back({row.opcode, row.name, row.text, row.group, row.semantics, row.rule, row.effect,
                     operandPool.back(), attrPool.back()});
    }
    for (const OpInfo &op : ops) {
      if (byNumber.size() <= size_t(op.opcode))
        byNumber.resize(size_t(op.opcode) + 1);
      byNumber[size_t(op.opcode)] = &op;
    }
  }
};

const Table &table() {
  static const Table t;
  return t;
}

} // namespace

/// Does not compile when two rows of ops.def have one number.
[[maybe_unused]] static constexpr bool isRow(Opcode opcode) {
  switch (opcode) {
#define TL_OP(NAME, NUMBER, TEXT, GROUP, OPERANDS, ATTRIBUTES, RULE, EFFECT, SEMANTICS)            \
  case Opcode::NAME:
#include "graph/ops.def"
    return true;
  case Opcode::Invalid:
    break;
  }
  return false;
}

const OpInfo &opInfo(Opcode opcode) {
  assert(opcodeKnown(int32_t(opcode)));
  return *table().byNumber[size_t(opcode)];
}
bool isScheduled(Opcode opcode) { return opInfo(opcode).group == "Scheduled"; }
bool isReduction(Opcode opcode) {
  Rule rule = opInfo(opcode).rule;
  return rule == Rule::Reduce || rule == Rule::ArgReduce || rule == Rule::ReduceWith;
}
bool combinesAlongAxis(Opcode opcode) {
  Rule rule = opInfo(opcode).rule;
  return isReduction(opcode) || rule == Rule::Scan || rule == Rule::ScanWith;
}
bool hasCombineRegion(Opcode opcode) {
  Rule rule = opInfo(opcode).rule;
  return rule == Rule::ReduceWith || rule == Rule::ScanWith;
}
bool isReverseScan(Opcode opcode) {
  return opcode == Opcode::ReverseScan || opcode == Opcode::ReverseScanWith;
}
bool givesResult(Opcode opcode) {
  switch (opInfo(opcode).rule) {
  case Rule::Store:
  case Rule::Scatter:
  case Rule::Exit:
  case Rule::Yield:
  case Rule::Dispatch:
  case Rule::Print:
  case Rule::Assert:
  case Rule::Copy:
  case Rule::Wait:
  case Rule::Barrier:
    return false;
  case Rule::Atomic:
    return opcode != Opcode::AtomicStore;
  default:
    return true;
  }
}
unsigned regionCount(Opcode opcode) {
  return opcode == Opcode::If ? 2 : isLoop(opcode) || hasCombineRegion(opcode) ? 1 : 0;
}
bool isOrdering(Opcode opcode) {
  Rule rule = opInfo(opcode).rule;
  return rule == Rule::Sort || rule == Rule::TopK || rule == Rule::Histogram;
}
bool isComposite(Opcode opcode) {
  switch (opInfo(opcode).rule) {
  case Rule::Random:
  case Rule::RandomInt:
  case Rule::CastStochastic:
  case Rule::Unpack:
  case Rule::Pack:
  case Rule::Im2col:
  case Rule::Copy:
  case Rule::Wait:
    return true;
  default:
    return false;
  }
}
bool computesElements(Opcode opcode) {
  switch (opInfo(opcode).rule) {
  case Rule::Const:
  case Rule::Elementwise:
  case Rule::Compare:
  case Rule::Classify:
  case Rule::Select:
  case Rule::Cast:
  case Rule::Bitcast:
    return true;
  default:
    return false;
  }
}
std::span<const OpInfo> allOps() { return table().ops; }
bool opcodeKnown(int32_t number) {
  return number > 0 && size_t(number) < table().byNumber.size() && table().byNumber[size_t(number)];
}
std::optional<Opcode> opcodeFromText(std::string_view text) {
  for (const OpInfo &op : table().ops)
    if (op.text == text && !isScheduled(op.opcode))
      return op.opcode;
  return std::nullopt;
}

std::span<const AttrInfo> allAttrs() { return attrTable; }
const AttrInfo *attrInfo(int32_t key) {
  for (const AttrInfo &row : attrTable)
    if (int32_t(row.key) == key)
      return &row;
  return nullptr;
}

template <class E> struct WordRow {
  E value;
  std::string_view text;
};
static constexpr WordRow<Pred> predTable[] = {
#define TL_PRED(NAME, NUMBER, TEXT) {Pred::NAME, TEXT},
#include "graph/attrs.def"
};
static constexpr WordRow<ReduceKind> reduceTable[] = {
#define TL_REDUCE_KIND(NAME, NUMBER, TEXT) {ReduceKind::NAME, TEXT},
#include "graph/attrs.def"
};

static constexpr WordRow<Rounding> roundingTable[] = {
#define TL_ROUNDING(NAME, NUMBER, TEXT) {Rounding::NAME, TEXT},
#include "graph/attrs.def"
};

static constexpr WordRow<MemoryOrdering> orderTable[] = {
#define TL_ORDER(NAME, NUMBER, TEXT) {MemoryOrdering::NAME, TEXT},
#include "graph/attrs.def"
};

static constexpr WordRow<MemoryScope> scopeTable[] = {
#define TL_SCOPE(NAME, NUMBER, TEXT) {MemoryScope::NAME, TEXT},
#include "graph/attrs.def"
};

template <class E, size_t N>
static std::string_view wordText(const WordRow<E> (&rows)[N], E value) {
  for (const auto &row : rows)
    if (row.value == value)
      return row.text;
  return "?";
}
template <class E, size_t N>
static std::optional<E> wordValue(const WordRow<E> (&rows)[N], std::string_view text) {
  for (const auto &row : rows)
    if (row.text == text)
      return row.value;
  return std::nullopt;
}
template <class E, size_t N> static bool wordKnown(const WordRow<E> (&rows)[N], int64_t number) {
  for (const auto &row : rows)
    if (int64_t(row.value) == number)
      return true;
  return false;
}

std::optional<Opcode> combiningOp(Opcode atomic) {
  switch (atomic) {
  case Opcode::AtomicAdd:
    return Opcode::Add;
  case Opcode::AtomicMin:
    return Opcode::Min;
  case Opcode::AtomicMax:
    return Opcode::Max;
  case Opcode::AtomicAnd:
    return Opcode::And;
  case Opcode::AtomicOr:
    return Opcode::Or;
  case Opcode::AtomicXor:
    return Opcode::Xor;
  default:
    return std::nullopt;
  }
}

size_t viewOperandAt(Opcode opcode) {
  const std::span<const OperandSpec> specs = opInfo(opcode).operands;
  size_t at = 0;
  while (at < specs.size() && specs[at].cls != OperandClass::View)
    ++at;
  return at;
}

Opcode combiningOp(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return Opcode::Add;
  case ReduceKind::Max:
    return Opcode::Max;
  case ReduceKind::Min:
    return Opcode::Min;
  case ReduceKind::Prod:
    return Opcode::Mul;
  case ReduceKind::And:
  case ReduceKind::All:
    return Opcode::And;
  case ReduceKind::Or:
  case ReduceKind::Any:
    return Opcode::Or;
  case ReduceKind::Xor:
    return Opcode::Xor;
  }
  return Opcode::Invalid;
}

bool reduceTakes(ReduceKind kind, bool isFloatType, bool isTruth) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Max:
  case ReduceKind::Min:
  case ReduceKind::Prod:
    return !isTruth;
  case ReduceKind::And:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    return !isFloatType;
  case ReduceKind::Any:
  case ReduceKind::All:
    return isTruth;
  }
  return false;
}

bool isFloatPred(Pred p) { return p > Pred::Ge; }
std::string_view predText(Pred p) { return wordText(predTable, p); }
std::optional<Pred> predFromText(std::string_view text) { return wordValue(predTable, text); }
bool predKnown(int64_t number) { return wordKnown(predTable, number); }
std::string_view reduceText(ReduceKind k) { return wordText(reduceTable, k); }
std::optional<ReduceKind> reduceFromText(std::string_view text) {
  return wordValue(reduceTable, text);
}
bool reduceKnown(int64_t number) { return wordKnown(reduceTable, number); }

std::string_view roundingText(Rounding r) { return wordText(roundingTable, r); }
std::optional<Rounding> roundingFromText(std::string_view text) {
  return wordValue(roundingTable, text);
}
bool roundingKnown(int64_t number) { return wordKnown(roundingTable, number); }

std::string_view orderText(MemoryOrdering o) { return wordText(orderTable, o); }
std::optional<MemoryOrdering> orderFromText(std::string_view text) {
  return wordValue(orderTable, text);
}
bool orderKnown(int64_t number) { return wordKnown(orderTable, number); }
std::string_view scopeText(MemoryScope s) { return wordText(scopeTable, s); }
std::optional<MemoryScope> scopeFromText(std::string_view text) {
  return wordValue(scopeTable, text);
}
bool scopeKnown(int64_t number) { return wordKnown(scopeTable, number); }

std::string_view operandClassText(OperandClass cls) {
  for (const ClassRow &row : classTable)
    if (row.cls == cls)
      return row.words;
  return "?";
}

} // namespace tl
