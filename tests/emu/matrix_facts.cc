#include "matrix_facts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace emutest {
namespace {

std::string directory() {
  const char *given = std::getenv("TL_HARDWARE_FACTS");
  return given ? given : std::string(TL_EMU_SOURCES) + "/../../../shared/data";
}

std::vector<Token> parseTokens(const std::string &text) {
  std::vector<Token> tokens;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    Token token;
    token.kind = word[0] == 'L'   ? Token::Lane
                 : word[0] == 'R' ? Token::Register
                 : word[0] == 'S' ? Token::Bit
                                  : Token::None;
    token.bit = word.size() > 1 ? uint8_t(std::atoi(word.c_str() + 1)) : 0;
    tokens.push_back(token);
  }
  return tokens;
}

FactLayout parseLayout(const nlohmann::json &json) {
  FactLayout layout;
  layout.row = parseTokens(json.value("row", ""));
  layout.column = parseTokens(json.value("col", ""));
  layout.block = parseTokens(json.value("block", ""));
  layout.copies = parseTokens(json.value("dup", ""));
  layout.width = json.value("width", 0u);
  layout.registers = json.value("regs", 0u);
  layout.setBits = json.value("index_set_bits", 0u);
  return layout;
}

Type typeOf(const std::string &name) {
  static const std::map<std::string, Type> types = {{"f64", Type::F64},
                                                    {"f32", Type::F32},
                                                    {"f16", Type::F16},
                                                    {"bf16", Type::Bf16},
                                                    {"fp8_e4m3_fnuz", Type::Fp8},
                                                    {"bf8_e5m2_fnuz", Type::Bf8},
                                                    {"fp8_e4m3_ocp", Type::Fp8Ocp},
                                                    {"bf8_e5m2_ocp", Type::Bf8Ocp},
                                                    {"i32", Type::I32},
                                                    {"i8", Type::I8},
                                                    {"iu8", Type::Iu8},
                                                    {"iu4", Type::Iu4}};
  auto found = types.find(name);
  return found == types.end() ? Type::None : found->second;
}

void apply(const std::vector<Token> &tokens, unsigned index, Spot &spot) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (index >> i & 1) {
      unsigned bit = 1u << tokens[i].bit;
      if (tokens[i].kind == Token::Lane)
        spot.lane ^= bit;
      else if (tokens[i].kind == Token::Register)
        spot.reg ^= bit;
      else if (tokens[i].kind == Token::Bit)
        spot.bit ^= bit;
    }
}

FactInstruction parseInstruction(const nlohmann::json &json, const nlohmann::json &layouts,
                                 const std::string &wave) {
  FactInstruction fact;
  fact.name = json["name"];
  fact.size = json["M"];
  fact.depth = json["K"];
  fact.blocks = json["blocks"];
  fact.a = typeOf(json["a"]);
  fact.b = typeOf(json["b"]);
  fact.d = typeOf(json["d"]);
  if (fact.name.find("xf32") != std::string::npos)
    fact.a = fact.b = Type::Xf32;
  fact.sparse = json.value("sparse", false);
  fact.broadcasts = json.value("cbsz_abid", false);
  fact.patterns = json.value("blgp", false);
  const nlohmann::json &names = json["layout"][wave];
  auto layout = [&](const char *key) {
    return names.contains(key) ? parseLayout(layouts[names[key].get<std::string>()]) : FactLayout();
  };
  fact.layoutA = layout("A");
  fact.layoutB = layout("B");
  fact.layoutD = layout(fact.sparse ? "D" : "CD");
  fact.layoutIndex = layout("Kidx");
  return fact;
}

struct SmallFormat {
  int exponentBits, fractionBits, bias;
  enum { Plain, Ieee, NanOnly, Fnuz } special;
};
SmallFormat smallFormat(Type type) {
  switch (type) {
  case Type::F16:
    return {5, 10, 15, SmallFormat::Ieee};
  case Type::Bf16:
    return {8, 7, 127, SmallFormat::Ieee};
  case Type::Fp8:
    return {4, 3, 8, SmallFormat::Fnuz};
  case Type::Bf8:
    return {5, 2, 16, SmallFormat::Fnuz};
  case Type::Fp8Ocp:
    return {4, 3, 7, SmallFormat::NanOnly};
  case Type::Bf8Ocp:
    return {5, 2, 15, SmallFormat::Ieee};
  case Type::Fp6:
    return {2, 3, 1, SmallFormat::Plain};
  case Type::Bf6:
    return {3, 2, 3, SmallFormat::Plain};
  default:
    return {2, 1, 1, SmallFormat::Plain}; // Fp4
  }
}

double decodeSmall(const SmallFormat &f, unsigned bits) {
  unsigned width = unsigned(1 + f.exponentBits + f.fractionBits);
  unsigned fraction = bits & ((1u << f.fractionBits) - 1);
  unsigned exponent = bits >> f.fractionBits & ((1u << f.exponentBits) - 1);
  unsigned top = (1u << f.exponentBits) - 1;
  double sign = bits >> (width - 1) ? -1 : 1;
  if (f.special == SmallFormat::Fnuz && bits == 1u << (width - 1))
    return NAN;
  if (f.special == SmallFormat::NanOnly && exponent == top &&
      fraction == (1u << f.fractionBits) - 1)
    return NAN;
  if (f.special == SmallFormat::Ieee && exponent == top)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - f.bias - f.fractionBits);
  return sign *
         std::ldexp(fraction + (1u << f.fractionBits), int(exponent) - f.bias - f.fractionBits);
}

} // namespace

Spot FactLayout::find(unsigned i, unsigned k, unsigned b) const {
  Spot spot;
  if (sixBits) {
    if (isB)
      std::swap(i, k);
    unsigned bit = 6 * (k % 32);
    return {i + size * (k / 32), bit / 32, bit % 32};
  }
  apply(row, i, spot);
  apply(column, k, spot);
  apply(block, b, spot);
  return spot;
}

std::vector<FactInstruction> readFacts(const std::string &chip, unsigned waveSize,
                                       std::string &reason) {
  std::vector<FactInstruction> facts;
  std::string path = directory() + "/matrix_layouts_" + chip + ".json";
  std::ifstream in(path);
  auto json = nlohmann::json::parse(in, nullptr, false);
  if (json.is_discarded()) {
    reason = "no hardware facts in " + path;
    return facts;
  }
  for (const auto &instruction : json["instructions"])
    facts.push_back(parseInstruction(instruction, json["layouts"], "w" + std::to_string(waveSize)));
  return facts;
}

std::vector<FactInstruction> wideSparseFacts() {
  struct Layout {
    unsigned size, depth, bits;
    const char *a, *b, *index; // bits of K
  };
  static const Layout layouts[] = {
      {16, 64, 16, "- - R0 R1 L4 L5", "S4 R0 R1 L4 L5 R2", "- - S2 S3 L4 L5"},
      {32, 32, 16, "- - R0 R1 L5", "S4 R0 R1 L5 R2", "- - S2 S3 L5"},
      {16, 128, 8, "- - S4 R0 R1 L4 L5", "S3 S4 R0 R1 L4 L5 R2", "- - S2 S3 S4 L4 L5"},
      {32, 64, 8, "- - S4 R0 R1 L5", "S3 S4 R0 R1 L5 R2", "- - S2 S3 S4 L5"},
  };
  static const std::pair<const char *, Type> narrow[] = {{"bf8", Type::Bf8Ocp},
                                                         {"fp8", Type::Fp8Ocp}};
  std::vector<FactInstruction> facts;
  for (const Layout &l : layouts) {
    const std::vector<Token> rows = parseTokens(l.size == 16 ? "L0 L1 L2 L3" : "L0 L1 L2 L3 L4");
    FactInstruction fact;
    fact.size = l.size, fact.depth = l.depth, fact.sparse = true;
    auto layout = [&](const std::vector<Token> &row, const std::vector<Token> &column,
                      unsigned width, unsigned registers) {
      FactLayout made;
      made.row = row, made.column = column, made.width = width, made.registers = registers;
      return made;
    };
    fact.layoutA = layout(rows, parseTokens(l.a), 2 * l.bits, 4);
    fact.layoutB = layout(parseTokens(l.b), rows, l.bits, 8);
    fact.layoutD = layout(parseTokens(l.size == 16 ? "R0 R1 L4 L5" : "R0 R1 L5 R2 R3"), rows, 32,
                          l.size == 16 ? 4 : 16);
    fact.layoutIndex = layout(rows, parseTokens(l.index), 4, 1);
    fact.layoutIndex.setBits = l.bits == 16 ? 16 : 32;
    const std::string shape =
        std::to_string(l.size) + "x" + std::to_string(l.size) + "x" + std::to_string(l.depth) + "_";
    auto add = [&](const std::string &name, Type a, Type b, Type d) {
      fact.name = name, fact.a = a, fact.b = b, fact.d = d;
      facts.push_back(fact);
    };
    if (l.bits == 16) {
      add("v_smfmac_f32_" + shape + "f16", Type::F16, Type::F16, Type::F32);
      add("v_smfmac_f32_" + shape + "bf16", Type::Bf16, Type::Bf16, Type::F32);
      continue;
    }
    add("v_smfmac_i32_" + shape + "i8", Type::I8, Type::I8, Type::I32);
    for (const auto &[nameA, a] : narrow)
      for (const auto &[nameB, b] : narrow)
        add("v_smfmac_f32_" + shape + nameA + "_" + nameB, a, b, Type::F32);
  }
  return facts;
}

FactInstruction mixedFact(const std::vector<FactInstruction> &facts, const std::string &name,
                          Type a, Type b) {
  static const nlohmann::json layouts = [] {
    std::ifstream in(directory() + "/matrix_layouts_gfx950.json");
    return nlohmann::json::parse(in, nullptr, false)["layouts"];
  }();
  for (FactInstruction fact : facts) {
    if (fact.name != name)
      continue;
    fact.a = a;
    fact.b = b;
    std::string shape = fact.size == 16 ? "16x128" : "32x64";
    auto layout = [&](const char *operand, Type type) {
      if (bitsOf(type) != 6)
        return parseLayout(
            layouts[std::string(operand) + "_" + shape + "_f" + std::to_string(bitsOf(type))]);
      FactLayout six;
      six.sixBits = true;
      six.size = fact.size;
      six.isB = operand[0] == 'B';
      six.width = six.registers = 6;
      return six;
    };
    fact.layoutA = layout("A", a);
    fact.layoutB = layout("B", b);
    return fact;
  }
  return {};
}

unsigned bitsOf(Type type) {
  switch (type) {
  case Type::F64:
    return 64;
  case Type::F32:
  case Type::Xf32:
  case Type::I32:
    return 32;
  case Type::I8:
  case Type::U8:
  case Type::Iu8:
    return 8;
  case Type::I4:
  case Type::U4:
  case Type::Iu4:
    return 4;
  default:
    break;
  }
  SmallFormat f = smallFormat(type);
  return unsigned(1 + f.exponentBits + f.fractionBits);
}

bool isIntegerType(Type type) { return type >= Type::I32; }

double decodeElement(Type type, uint64_t bits) {
  if (type == Type::F64) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  if (type == Type::F32 || type == Type::Xf32) {
    uint32_t word = uint32_t(bits);
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }
  if (isIntegerType(type)) {
    unsigned width = bitsOf(type);
    int64_t value = int64_t(bits & ((uint64_t(1) << width) - 1));
    bool isSigned = type != Type::U8 && type != Type::U4;
    if (isSigned && value >> (width - 1))
      value -= int64_t(1) << width;
    return double(value);
  }
  return decodeSmall(smallFormat(type), unsigned(bits));
}

uint64_t encodeElement(Type type, double value) {
  if (type == Type::F64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (type == Type::F32 || type == Type::Xf32) {
    float narrow = float(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    return bits;
  }
  if (isIntegerType(type))
    return uint64_t(int64_t(value)) & ((uint64_t(1) << bitsOf(type)) - 1);
  static std::map<Type, std::map<double, uint64_t>> codes;
  auto &table = codes[type];
  if (table.empty())
    for (uint64_t code = (uint64_t(1) << bitsOf(type)); code-- > 0;)
      if (double v = decodeElement(type, code); v == v)
        table[v] = code; // +0 comes last
  auto found = table.find(value);
  return found == table.end() ? ~uint64_t(0) : found->second;
}

void RegisterSet::put(const Spot &spot, unsigned width, uint64_t bits) {
  for (unsigned done = 0; done < width;) {
    unsigned position = spot.bit + done, room = std::min(width - done, 32 - position % 32);
    uint32_t &word = words[(spot.reg + position / 32) * 64 + spot.lane];
    uint32_t mask = uint32_t((uint64_t(1) << room) - 1) << position % 32;
    word = (word & ~mask) | (uint32_t(bits >> done) << position % 32 & mask);
    done += room;
  }
}

uint64_t RegisterSet::get(const Spot &spot, unsigned width) const {
  uint64_t bits = 0;
  for (unsigned done = 0; done < width;) {
    unsigned position = spot.bit + done, room = std::min(width - done, 32 - position % 32);
    uint64_t word = words[(spot.reg + position / 32) * 64 + spot.lane] >> position % 32;
    bits |= (word & ((uint64_t(1) << room) - 1)) << done;
    done += room;
  }
  return bits;
}

void putMatrix(const Matrix &matrix, const FactLayout &layout, RegisterSet &registers) {
  for (unsigned b = 0; b < matrix.blocks; ++b)
    for (unsigned r = 0; r < matrix.rows; ++r)
      for (unsigned c = 0; c < matrix.columns; ++c) {
        Spot first = layout.find(r, c, b);
        for (unsigned copy = 0; copy < 1u << layout.copies.size(); ++copy) {
          Spot spot = first;
          apply(layout.copies, copy, spot);
          registers.put(spot, layout.width, matrix.at(b, r, c));
        }
      }
}

Matrix getMatrix(const FactLayout &layout, unsigned blocks, unsigned rows, unsigned columns,
                 const RegisterSet &registers) {
  Matrix matrix(blocks, rows, columns);
  for (unsigned b = 0; b < blocks; ++b)
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c)
        matrix.at(b, r, c) = registers.get(layout.find(r, c, b), layout.width);
  return matrix;
}

} // namespace emutest
