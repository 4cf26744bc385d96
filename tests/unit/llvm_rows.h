// The elementwise, comparing, choosing and converting rows of ops.def on every element type they
// take, with operands (corners, ties, random) and what must come of them, from llvm_reference.h.
// The mathematical functions have a test of their own (math.cc).
#pragma once

#include "codegen/llvm/emitter.h"
#include "support/result.h"
#include "unit/llvm_reference.h"
#include "unit/unit_test.h"

#include <random>
#include <string>
#include <vector>

namespace unit {

using namespace tl;

const DType allTypes[] = {
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  DType::NAME,
#include "support/dtypes.def"
};
const Pred allPreds[] = {
#define TL_PRED(NAME, NUMBER, TEXT) Pred::NAME,
#include "graph/attrs.def"
};

/// One function under test.
struct Row {
  Opcode opcode;
  DType from, to;
  Pred pred;
  unsigned operands;
  std::string name;
  CastMode mode = {};
};

inline bool takes(OperandClass cls, DType t) {
  switch (cls) {
  case OperandClass::Num:
    return isInteger(t) || isWideFloat(t);
  case OperandClass::Int:
    return isInteger(t);
  case OperandClass::Float:
    return isWideFloat(t);
  case OperandClass::Bits:
    return isInteger(t) || isBool(t);
  case OperandClass::U64:
    return t == DType::U64;
  case OperandClass::Any:
    return true;
  default:
    return false;
  }
}

inline std::vector<Row> makeRows() {
  std::vector<Row> rows;
  auto add = [&](const OpInfo &info, DType from, DType to, Pred pred) {
    std::string name = std::string(info.text) + "_" + std::string(dtypeText(from)) + "_" +
                       std::string(dtypeText(to)) + "_" + std::string(predText(pred));
    rows.push_back({info.opcode, from, to, pred, unsigned(info.operands.size()), name});
  };
  for (const OpInfo &info : allOps())
    for (DType t : allTypes) {
      if (info.rule == Rule::Elementwise && info.group != "Math" && takes(info.operands[0].cls, t))
        add(info, t, t, Pred::Eq);
      if (info.rule == Rule::Compare && takes(info.operands[0].cls, t))
        for (Pred pred : allPreds)
          // All floats of 8 bits are compared as floats, whichever predicate it is.
          if ((isFloat(t) || !isFloatPred(pred)) &&
              (!isNarrowFloat(t) || t == DType::F8E4M3FN || pred == Pred::Lt))
            add(info, t, DType::I1, pred);
      if (info.rule == Rule::Classify && isFloat(t))
        add(info, t, DType::I1, Pred::Eq);
      if (info.rule == Rule::Bitcast)
        for (DType to : allTypes)
          if (!isBool(t) && !isBool(to) &&
              (dtypeBits(t) == dtypeBits(to) ||
               ((isPacked(t) || isPacked(to)) && dtypeBits(t) <= 8 && dtypeBits(to) <= 8 &&
                isPacked(t) != isPacked(to))) &&
              (!(isNarrowFloat(t) || isNarrowFloat(to)) || isAnyInteger(t) || isAnyInteger(to)))
            add(info, t, to, Pred::Eq);
      if (info.rule == Rule::Select)
        add(info, t, t, Pred::Eq);
      if (info.rule == Rule::Cast)
        for (DType to : allTypes) {
          // Integers of few bits become floats of 8 bits as wider ones do.
          auto few = [](DType i) { return isInteger(i) && dtypeBits(i) < 32 && i != DType::I16; };
          if (!(isNarrowFloat(t) && few(to)) && !(isNarrowFloat(to) && few(t)))
            add(info, t, to, Pred::Eq);
        }
      // Other roundings, and saturation, from the types that all others pass through.
      bool common = t == DType::F32 || t == DType::F64;
      if (info.rule == Rule::Cast && common)
        for (DType to : allTypes)
          for (CastMode mode : {CastMode{Rounding::Zero, false}, CastMode{Rounding::Down, false},
                                CastMode{Rounding::Up, false}, CastMode{Rounding::Nearest, true}})
            if (isFloat(to)) {
              add(info, t, to, Pred::Eq);
              rows.back().mode = mode;
              rows.back().name += "_" + std::string(roundingText(mode.rounding)) +
                                  (mode.saturate ? "_saturate" : "");
            }
    }
  return rows;
}

inline DType operandType(const Row &row, unsigned operand) {
  return row.opcode == Opcode::Select && operand == 0 ? DType::I1 : row.from;
}

/// Bits as a register or the bytes of memory hold them: an i4 fills its byte with its sign.
inline uint64_t asHeld(DType t, uint64_t bits) {
  bits &= maskOf(t);
  return t == DType::I4 && bits >> 3 ? bits | 0xf0 : bits;
}

inline std::vector<uint64_t> integerCorners(DType t, std::mt19937_64 &random) {
  unsigned width = dtypeBits(t);
  std::vector<uint64_t> values;
  for (int64_t v : {0, 1, 2, 3, 7, 10, 100, 127, 128, -1, -2, -3, -7, -10, -128})
    values.push_back(uint64_t(v));
  uint64_t high = uint64_t(1) << (width - 1);
  for (uint64_t v : {high, high - 1, high + 1, high - 2, uint64_t(width), uint64_t(width - 1),
                     uint64_t(width + 1), uint64_t(0x5555555555555555), high >> 1})
    values.push_back(v);
  for (int i = 0; i < 16; ++i)
    values.push_back(random() >> (i * 4));
  for (uint64_t &v : values)
    v = asHeld(t, v);
  return values;
}

inline std::vector<uint64_t> floatCorners(DType t, std::mt19937_64 &random) {
  if (isNarrowFloat(t)) { // all there are
    std::vector<uint64_t> values(size_t(1) << dtypeBits(t));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = i;
    return values;
  }
  unsigned width = dtypeBits(t);
  std::vector<uint64_t> values;
  uint64_t infinity = encodeExact(t, INFINITY);
  uint64_t fraction = (uint64_t(1) << (dtypeInfo(t).precision - 1)) - 1;
  for (uint64_t v : {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(3), fraction, fraction - 1,
                     fraction + 1, fraction + 2, infinity - 1, infinity - 2, infinity,
                     infinity | (fraction + 1) / 2, infinity | 1})
    values.push_back(v);
  for (double v :
       {1.0,        0.5,    1.5,     2.0,    3.0,    10.0,   127.5,  128.0,  255.5,   256.0,
        0.99609375, 4096.0, 32768.0, 0x1p31, 0x1p32, 0x1p62, 0x1p63, 0x1p64, 0x1p-20, 1.25}) {
    uint64_t bits = encodeExact(t, t == DType::F16 && v > 65504 ? 65504 : v);
    values.insert(values.end(), {bits, bits - 1, bits + 1});
  }
  for (int i = 0; i < 20; ++i)
    values.push_back(random() & maskOf(t));
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(values[i] ^ (uint64_t(1) << (width - 1)));
  return values;
}

inline std::vector<uint64_t> corners(DType t, std::mt19937_64 &random) {
  return isBool(t)    ? std::vector<uint64_t>{0, 1}
         : isFloat(t) ? floatCorners(t, random)
                      : integerCorners(t, random);
}

// Numbers at, just below and just above the middle between neighbours of a narrower type, as `from`
// has them: where rounding twice goes wrong.
inline void addTies(std::vector<uint64_t> &values, DType from, DType to, std::mt19937_64 &random) {
  if (!isFloat(to) || isBool(from) || isNarrowFloat(from))
    return;
  for (int i = 0; i < 4000; ++i) {
    double a = toDouble(to, random() & maskOf(to)), b = toDouble(to, encodeExact(to, a) + 1);
    if (!std::isfinite(a) || !std::isfinite(b))
      continue;
    double middle = a / 2 + b / 2;
    if (isFloat(from)) {
      uint64_t bits = encodeExact(from, from == DType::F16 ? a : middle);
      values.insert(values.end(), {bits, bits - 1, bits + 1});
    } else if (std::fabs(middle) < 0x1p63) {
      uint64_t bits = uint64_t(int64_t(middle));
      values.insert(values.end(), {bits, bits - 1, bits + 1});
    }
  }
  for (int shift = 0; shift < 64 && !isFloat(from); ++shift)
    for (int i = 0; i < 8; ++i)
      for (int64_t step : {-1, 0, 1})
        values.push_back(((random() % 512 | 256) << shift) + uint64_t(step));
  for (uint64_t &v : values)
    v = asHeld(from, v);
}

// f16 and bf16 products with an addend far smaller than their last place.
inline void addFmaTriples(std::vector<std::vector<uint64_t>> &columns, DType t,
                          std::mt19937_64 &random) {
  for (int i = 0; i < 60000; ++i) {
    uint64_t a = random(), b = random(), c = random();
    if (i % 2) {
      // Odd multiples of an ulp times 1.5 or the like give ties in many digits; the addend breaks
      // them.
      a = encodeExact(t, 1 + double(random() % 128) / 128);
      b = encodeExact(t, 1 + double(random() % 128) / 128);
      c = encodeExact(
          t, std::ldexp(random() % 2 ? 1.0 : -1.0, -int(random() % (t == DType::F16 ? 24 : 120))));
    }
    columns[0].push_back(a & maskOf(t));
    columns[1].push_back(b & maskOf(t));
    columns[2].push_back(c & maskOf(t));
  }
}

inline std::vector<std::vector<uint64_t>> makeOperands(const Row &row) {
  std::mt19937_64 random(uint64_t(row.opcode) * 1000 + uint64_t(row.from) * 30 + uint64_t(row.to));
  std::vector<std::vector<uint64_t>> columns(row.operands);
  std::vector<uint64_t> values = corners(row.from, random);
  if (row.opcode == Opcode::Cast) {
    addTies(values, row.from, row.to, random);
    if (dtypeBits(row.from) == 16)
      for (uint64_t v = 0; v < 65536; ++v)
        values.push_back(v);
  }
  if (row.operands == 1) {
    columns[0] = values;
  } else {
    for (size_t i = 0; i < values.size(); ++i)
      for (size_t j = 0; j < values.size(); ++j) {
        if (row.opcode == Opcode::Select) {
          columns[0].push_back(random() & 1);
          columns[1].push_back(values[i]);
          columns[2].push_back(values[j]);
          continue;
        }
        columns[0].push_back(values[i]);
        columns[1].push_back(values[j]);
        if (row.operands == 3)
          columns[2].push_back(values[random() % values.size()]);
      }
    if (row.opcode == Opcode::Fma)
      addFmaTriples(columns, row.from, random);
  }
  for (auto &column : columns)
    while (column.size() % 8)
      column.push_back(0);
  return columns;
}

inline uint64_t expected(const Row &row, const uint64_t *operands) {
  switch (row.opcode) {
  case Opcode::Cmp:
    return compareReference(row.pred, row.from, operands[0], operands[1]);
  case Opcode::Select:
    return operands[0] ? operands[1] : operands[2];
  case Opcode::IsNan:
  case Opcode::IsInf:
  case Opcode::IsFinite:
    return classifyReference(row.opcode, row.from, operands[0]);
  case Opcode::Bitcast:
    return asHeld(row.to, operands[0]);
  case Opcode::Cast:
    return asHeld(row.to, castReference(row.from, row.to, operands[0], row.mode));
  default:
    return isFloat(row.from) ? floatReference(row.opcode, row.from, operands)
                             : integerReference(row.opcode, row.from, operands);
  }
}

inline bool same(const Row &row, uint64_t a, uint64_t b) {
  bool bitwise = !isFloat(row.to) || row.opcode == Opcode::Select || row.opcode == Opcode::Bitcast;
  if (row.opcode == Opcode::Neg || row.opcode == Opcode::Abs) // a signalling NaN may become quiet
    return a == b || (std::isnan(toDouble(row.to, b)) &&
                      a == (b | uint64_t(1) << (dtypeInfo(row.to).precision - 2)));
  return a == b || (!bitwise && std::isnan(toDouble(row.to, a)) && std::isnan(toDouble(row.to, b)));
}

/// The row's operation on values as they were loaded.
inline llvm::Value *emitRow(llvm::IRBuilder<> &ir, const EmitterOptions &options, const Row &row,
                            const std::vector<llvm::Value *> &loaded) {
  ElementEmitter emitter(ir, options);
  std::vector<llvm::Value *> operands;
  for (unsigned i = 0; i < row.operands; ++i)
    operands.push_back(emitter.fromMemory(loaded[i], operandType(row, i)));
  return emitter.toMemory(emitter.emit(row.opcode, operands, row.from, row.to, row.pred, row.mode),
                          row.to);
}

inline std::vector<llvm::Type *> memoryTypes(llvm::LLVMContext &context, const Row &row) {
  llvm::IRBuilder<> ir(context);
  std::vector<llvm::Type *> types;
  for (unsigned i = 0; i < row.operands; ++i)
    types.push_back(ElementEmitter(ir, {}).memoryType(operandType(row, i)));
  return types;
}

/// Columns of operands as they lie in memory.
inline std::vector<std::vector<uint8_t>>
columnBytes(const Row &row, const std::vector<std::vector<uint64_t>> &columns) {
  std::vector<std::vector<uint8_t>> inputs;
  for (unsigned i = 0; i < row.operands; ++i) {
    unsigned bytes = dtypeBytes(operandType(row, i));
    inputs.emplace_back(columns[i].size() * bytes);
    for (size_t k = 0; k < columns[i].size(); ++k)
      std::memcpy(&inputs[i][k * bytes], &columns[i][k], bytes);
  }
  return inputs;
}

/// Complains about results that are not the expected ones; `how` says who made them.
inline void checkResults(const Row &row, const std::vector<std::vector<uint64_t>> &columns,
                         const std::vector<uint8_t> &output, const std::string &how) {
  unsigned bytes = dtypeBytes(row.to);
  size_t wrong = 0, count = columns[0].size();
  for (size_t k = 0; k < count; ++k) {
    uint64_t operands[3] = {}, got = 0;
    for (unsigned i = 0; i < row.operands; ++i)
      operands[i] = columns[i][k];
    std::memcpy(&got, &output[k * bytes], bytes);
    uint64_t wanted = expected(row, operands);
    if (!same(row, got, wanted) && wrong++ == 0)
      unit::fail(__FILE__, __LINE__,
                 formatString("%s, %s: operands 0x%llx 0x%llx 0x%llx give 0x%llx, should be 0x%llx",
                              row.name.c_str(), how.c_str(), (unsigned long long)operands[0],
                              (unsigned long long)operands[1], (unsigned long long)operands[2],
                              (unsigned long long)got, (unsigned long long)wanted));
  }
  if (wrong > 1)
    std::printf("  and %zu more of %zu\n", wrong - 1, count);
}

} // namespace unit
