// The reference interpreter's elementwise operations against mathematics: every row and type, the
// operands and expectations of llvm_rows.h. test-timeout: 300
#include "interp/elementwise.h"
#include "interp/numbers.h"
#include "unit/unit_test.h"

#include "unit/llvm_rows.h"

using namespace tl;
using namespace tl::interp;
using namespace unit;

namespace {

TileValue columnOf(DType type, const std::vector<uint64_t> &bits) {
  TileValue tile;
  tile.reset(Type::tile(type, std::vector<int64_t>{int64_t(bits.size())}));
  for (size_t i = 0; i < bits.size(); ++i)
    if (isFloat(type))
      tile.floats[i] = decodeFloat(type, bits[i]);
    else
      tile.ints[i] = decodeInteger(type, bits[i]);
  return tile;
}

std::vector<uint8_t> evaluate(const Row &row, const std::vector<std::vector<uint64_t>> &columns) {
  std::vector<TileValue> tiles;
  std::vector<const TileValue *> operands;
  for (unsigned i = 0; i < row.operands; ++i)
    tiles.push_back(columnOf(operandType(row, i), columns[i]));
  for (const TileValue &tile : tiles)
    operands.push_back(&tile);
  TileValue out;
  out.reset(tiles[0].type.withDType(row.to));
  Tracking tracking;
  switch (opInfo(row.opcode).rule) {
  case Rule::Compare:
    compare(row.pred, out, tiles[0], tiles[1], tracking);
    break;
  case Rule::Classify:
    classify(row.opcode, out, tiles[0]);
    break;
  case Rule::Select:
    select(out, tiles[0], tiles[1], tiles[2]);
    break;
  case Rule::Cast:
    cast(out, tiles[0], row.mode, tracking);
    break;
  case Rule::Bitcast:
    bitcast(out, tiles[0], tracking);
    break;
  default:
    elementwise(row.opcode, out, operands, tracking);
  }
  unsigned bytes = dtypeBytes(row.to);
  std::vector<uint8_t> memory(out.size() * bytes);
  for (size_t i = 0; i < out.size(); ++i)
    writeBytes(&memory[i * bytes],
               out.isFloat() ? encodeFloat(row.to, out.floats[i]) : uint64_t(out.ints[i]), bytes);
  return memory;
}

} // namespace

UNIT_TEST(every_row_has_its_meaning) {
  for (const Row &row : makeRows()) {
    auto columns = makeOperands(row);
    checkResults(row, columns, evaluate(row, columns), "interpreted");
  }
}

UNIT_TEST_MAIN
