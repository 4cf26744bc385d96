// Matrix instructions (MFMA, SMFMAC, WMMA, SWMMAC) and accumulation registers. What each multiplies
// is a row of matrix/matrix.def; how elements lie in registers, matrix/layout.cc; the arithmetic,
// matrix/accumulate.h.
#include "emu/checks/checks.h"
#include "emu/chips.h"
#include "emu/matrix/accumulate.h"
#include "emu/matrix/elements.h"
#include "emu/matrix/transfer.h"
#include "emu/op_table.h"
#include "emu/valu.h"
#include "support/result.h"

#include <immintrin.h>

#include <array>
#include <memory>
#include <mutex>

namespace tl::emu {
namespace {

using namespace matrix;

constexpr Shape kShapes[] = {
#define TL_MATRIX(NAME, FAMILY, SIZE, BLOCKS, DEPTH, A, B, D, PAIRS)                               \
  {NAME, Family::FAMILY, SIZE, BLOCKS, DEPTH, Element::A, Element::B, Element::D, PAIRS},
#include "emu/matrix/matrix.def"
};
constexpr size_t kShapeCount = std::size(kShapes);

bool isInteger(Element element) { return element >= Element::I8; }

unsigned integerBits(Element element) { return element == Element::Iu4 ? 4 : 8; }

// One execution: the instruction, and what it means on this chip.
struct Execution {
  Wave &wave;
  const MicroOp &op;
  const Shape &shape;
  Arrangement arrangement;
  Format formatA, formatB;
  const Layouts *layouts = nullptr;

  const Operand &a() const { return op.src[0]; }
  const Operand &b() const { return op.src[1]; }
  // The sparse ones add to D. LLVM gives SWMMAC's C and index as sources of their own.
  const Operand &c() const { return shape.family == Family::Smfmac ? op.dst[0] : op.src[2]; }
  const Operand &index() const { return shape.family == Family::Smfmac ? op.src[2] : op.src[3]; }
  unsigned columns() const { return unsigned(shape.size) * shape.blocks; }
  // Where 16-bit results of RDNA3 lie in their registers.
  unsigned shift() const {
    return layouts->d.bits == 16 && arrangement < Arrangement::Rdna4Wave32 &&
                   c().modifiers & ModOpSel
               ? 16
               : 0;
  }
  bool scaled() const { return shape.family == Family::Mixed && op.src[3].kind != Operand::None; }
};

Arrangement arrangementOf(const Wave &wave, const Shape &shape) {
  if (!shape.wmma())
    return Arrangement::Cdna;
  bool wide = wave.lanes == 64;
  if (wave.launch->chip->has(RepeatedMatrixInputs))
    return wide ? Arrangement::Rdna3Wave64 : Arrangement::Rdna3Wave32;
  return wide ? Arrangement::Rdna4Wave64 : Arrangement::Rdna4Wave32;
}

// The layouts of a shape, built when they are first needed: by arrangement, or by the widths of the
// two formats.
struct LayoutCache {
  std::once_flag once[9];
  std::unique_ptr<Layouts> layouts[9];

  const Layouts *find(const Execution &x) {
    auto width = [](Element element, Format format) -> unsigned {
      return element == Element::F64 ? 64
             : isInteger(element)    ? integerBits(element)
                                     : formatInfo(format).bits;
    };
    unsigned bitsA = width(x.shape.a, x.formatA), bitsB = width(x.shape.b, x.formatB);
    unsigned slot = unsigned(x.arrangement);
    if (x.shape.family == Family::Mixed)
      slot = (bitsA - 4) / 2 * 3 + (bitsB - 4) / 2;
    std::call_once(once[slot], [&] {
      layouts[slot] = std::make_unique<Layouts>();
      buildLayouts(x.shape, x.arrangement, bitsA, bitsB, *layouts[slot]);
    });
    return layouts[slot].get();
  }
};

Fetch fetchA(const Execution &x) {
  Fetch fetch;
  if (x.shape.family == Family::Mfma) {
    fetch.broadcast = uint8_t(x.op.imm[0] & 7);
    fetch.shared = fetch.broadcast ? uint8_t(x.op.imm[1] & 15) : 0;
  }
  if (x.shape.wmma() && !isInteger(x.shape.a)) {
    fetch.flipLow = x.a().modifiers & ModNeg ? 0x8000 : 0;
    fetch.flipHigh = x.a().modifiers & ModAbs ? 0x8000 : 0; // neg_hi
  }
  return fetch;
}

Fetch fetchB(const Execution &x) {
  Fetch fetch;
  if (x.shape.family == Family::Mfma)
    fetch.pattern = uint8_t(x.op.imm[2] & 7);
  if (x.shape.wmma() && !isInteger(x.shape.b)) {
    fetch.flipLow = x.b().modifiers & ModNeg ? 0x8000 : 0;
    fetch.flipHigh = x.b().modifiers & ModAbs ? 0x8000 : 0;
  }
  return fetch;
}

// cbsz and abid of SMFMAC: a set is chosen only with cbsz 0; SWMMAC has index_key.
const uint8_t *selection(const Execution &x, uint8_t *places) {
  if (!x.shape.sparse())
    return nullptr;
  unsigned set = x.shape.family == Family::Swmmac ? unsigned(x.op.imm[0])
                 : x.op.imm[0]                    ? 0
                                                  : unsigned(x.op.imm[1]);
  set %= 32 / x.layouts->index.setBits;
  fetchSelection(x.wave, x.index(), x.shape, x.layouts->index, set, places);
  return places;
}

Rule ruleOf(const Execution &x) {
  Rule rule = {Model::Sequential, 1, formatInfo(x.formatA).minExponent,
               formatInfo(x.formatB).minExponent};
  if (x.shape.wmma() || x.shape.a == Element::F32 ||
      x.wave.launch->options->accumulation == Options::Accumulation::Ordered)
    return rule;
  if (x.wave.launch->chip->has(FlushedMatrixInputs) && x.shape.pairTerms) {
    rule.model = Model::Paired;
    rule.group = x.shape.pairTerms;
    return rule;
  }
  bool narrow = formatInfo(x.formatA).bits <= 8;
  rule.model = narrow ? Model::FusedSplit : Model::Fused;
  rule.group = narrow ? 16 : x.shape.a == Element::Xf32 ? 4 : 8;
  if (x.scaled())
    rule.minExponent = rule.minExponentB = -126;
  return rule;
}

// E8M0 scales of blocks of 32 places of K: the lane of row i and block n is i + M * n; `select` is
// the byte of its register.
void applyScales(const Execution &x, const Operand &operand, unsigned select, float *values) {
  for (unsigned term = 0; term < x.shape.depth; ++term)
    for (unsigned row = 0; row < x.shape.size; ++row) {
      unsigned lane = row + x.shape.size * (term / 32);
      uint32_t word = operand.kind == Operand::Vector ? x.wave.line(operand.index)[lane]
                                                      : scalar32(x.wave, operand);
      unsigned exponent = word >> 8 * select & 255;
      uint32_t power = exponent == 255 ? 0x7fc00000 : exponent ? exponent << 23 : 0x400000;
      values[term * x.columns() + row] *= std::bit_cast<float>(power);
    }
}

float widened(uint32_t word, Element element) {
  if (element == Element::F16)
    return _cvtsh_ss(uint16_t(word));
  return std::bit_cast<float>(element == Element::Bf16 ? word << 16 : word);
}

uint32_t narrowed(float value, Element element) {
  if (element == Element::F16)
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (element != Element::Bf16)
    return bits;
  if (value != value)
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

void runFloats(const Execution &x) {
  alignas(32) uint32_t raw[kMaxElements];
  alignas(32) float a[kMaxElements], b[kMaxElements], sums[kMaxElements];
  uint8_t places[kMaxElements];
  const unsigned stored = x.shape.storedTerms(), columns = x.columns();
  fetchInput(x.wave, x.a(), x.shape, x.layouts->a, fetchA(x), raw);
  decodeFloats(x.formatA, raw, a, stored * columns);
  fetchInput(x.wave, x.b(), x.shape, x.layouts->b, fetchB(x), raw);
  decodeFloats(x.formatB, raw, b, x.shape.depth * columns);
  if (x.scaled()) {
    applyScales(x, x.op.src[3], x.op.imm[2] & 3, a);
    applyScales(x, x.op.dst[1], x.op.imm[2] >> 2 & 3, b);
  }
  loadWords(x.wave, x.c(), x.shape, x.layouts->d, x.shift(), raw);
  const uint32_t keep = x.c().modifiers & ModAbs ? 0x7fffffff : ~0u;
  const uint32_t flip = x.c().modifiers & ModNeg ? 0x80000000 : 0;
  const unsigned results = x.shape.size * columns;
  for (unsigned i = 0; i < results; ++i)
    sums[i] =
        std::bit_cast<float>((std::bit_cast<uint32_t>(widened(raw[i], x.shape.d)) & keep) ^ flip);
  Inputs inputs = {x.shape.size, x.shape.blocks, uint8_t(stored), selection(x, places)};
  accumulateFloats(ruleOf(x), inputs, a, b, sums);
  for (unsigned i = 0; i < results; ++i)
    raw[i] = narrowed(sums[i], x.shape.d);
  storeWords(x.wave, x.op.dst[0], x.shape, x.layouts->d, x.shift(), raw);
}

void runIntegers(const Execution &x) {
  alignas(32) uint32_t raw[kMaxElements];
  alignas(32) int32_t a[kMaxElements], b[kMaxElements];
  uint8_t places[kMaxElements];
  const unsigned stored = x.shape.storedTerms(), columns = x.columns();
  // WMMA's neg_lo says that an operand is signed.
  bool signedA = x.shape.a == Element::I8 || x.a().modifiers & ModNeg;
  bool signedB = x.shape.b == Element::I8 || x.b().modifiers & ModNeg;
  fetchInput(x.wave, x.a(), x.shape, x.layouts->a, fetchA(x), raw);
  decodeIntegers(integerBits(x.shape.a), signedA, raw, a, stored * columns);
  fetchInput(x.wave, x.b(), x.shape, x.layouts->b, fetchB(x), raw);
  decodeIntegers(integerBits(x.shape.b), signedB, raw, b, x.shape.depth * columns);
  loadWords(x.wave, x.c(), x.shape, x.layouts->d, 0, raw);
  Inputs inputs = {x.shape.size, x.shape.blocks, uint8_t(stored), selection(x, places)};
  accumulateIntegers(inputs, a, b, x.op.clamp, reinterpret_cast<int32_t *>(raw));
  storeWords(x.wave, x.op.dst[0], x.shape, x.layouts->d, 0, raw);
}

// blgp negates A, B and C here (CDNA3 ISA 7.1.5).
void runDoubles(const Execution &x) {
  double a[64], b[64], sums[256];
  const unsigned negate = unsigned(x.op.imm[2]), columns = x.columns();
  fetchDoubles(x.wave, x.a(), x.shape, x.layouts->a, a);
  fetchDoubles(x.wave, x.b(), x.shape, x.layouts->b, b);
  loadDoubles(x.wave, x.c(), x.shape, x.layouts->d, sums);
  auto flip = [](double *values, unsigned count, bool yes) {
    for (unsigned i = 0; yes && i < count; ++i)
      values[i] = -values[i];
  };
  flip(a, x.shape.depth * columns, negate & 1);
  flip(b, x.shape.depth * columns, negate & 2);
  flip(sums, x.shape.size * columns, negate & 4);
  accumulateDoubles({x.shape.size, x.shape.blocks, x.shape.depth, nullptr}, a, b, sums);
  storeDoubles(x.wave, x.op.dst[0], x.shape, x.layouts->d, sums);
}

// Every group of 16 lanes of RDNA3 must hold the same A and B (RDNA3 ISA 7.9).
bool repeats(Wave &wave, const Operand &operand) {
  for (unsigned r = 0; r < operand.registers; ++r) {
    const uint32_t *line = wave.line(operand.index + r);
    for (unsigned lane = 16; lane < wave.lanes; lane += 16)
      if (std::memcmp(line, line + lane, 16 * sizeof(*line)) != 0)
        return false;
  }
  return true;
}

void checkWmma(Wave &wave, const MicroOp &op, Arrangement arrangement) {
  if (wave.exec() != wave.laneMask)
    reportFinding(wave, op, "wmma-partial-exec",
                  formatString("EXEC is 0x%llx where every lane must take part",
                               static_cast<unsigned long long>(wave.exec())));
  if (arrangement != Arrangement::Rdna3Wave32 && arrangement != Arrangement::Rdna3Wave64)
    return;
  for (unsigned source = 0; source < 2; ++source)
    if (!repeats(wave, op.src[source]))
      reportFinding(
          wave, op, "wmma-unequal-halves",
          formatString("matrix %c differs between the wave's groups of 16 lanes", "AB"[source]));
}

void execute(Wave &wave, const MicroOp &op, const Shape &shape, LayoutCache &cache) {
  const bool fnuz = wave.launch->chip->has(FnuzFloat8);
  Execution x = {wave,
                 op,
                 shape,
                 arrangementOf(wave, shape),
                 formatOf(shape.a, fnuz, unsigned(op.imm[0])),
                 formatOf(shape.b, fnuz, unsigned(op.imm[1]))};
  x.layouts = cache.find(x);
  if (shape.wmma() && wave.launch->races) // with checks
    checkWmma(wave, op, x.arrangement);
  if (shape.a == Element::F64)
    runDoubles(x);
  else if (isInteger(shape.a))
    runIntegers(x);
  else
    runFloats(x);
}

template <size_t Row> void runShape(Wave &wave, const MicroOp &op) {
  static LayoutCache &cache = *new LayoutCache; // never destroyed: see tables()
  execute(wave, op, kShapes[Row], cache);
}

constexpr size_t kMoves = 3;

template <size_t... Row> constexpr auto makeRows(std::index_sequence<Row...>) {
  constexpr Handler copy = valu<[](uint32_t a) { return a; }>;
  return std::array<OpRow, kMoves + kShapeCount>{
      OpRow{"V_ACCVGPR_READ_B32", copy}, OpRow{"V_ACCVGPR_WRITE_B32", copy},
      OpRow{"V_ACCVGPR_MOV_B32", copy}, OpRow{kShapes[Row].name, &runShape<Row>}...};
}

} // namespace

std::span<const OpRow> matrixRows() {
  static constexpr auto rows = makeRows(std::make_index_sequence<kShapeCount>());
  return rows;
}

} // namespace tl::emu
