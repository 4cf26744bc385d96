// Print and assert: their elements as the words of a device's log (artifact/log.h).
#include "graph/interface.h"
#include "interp/machine.h"
#include "interp/numbers.h"

#include <algorithm>

namespace tl::interp {

void Machine::log(const Op &op) {
  if (!options.log)
    return;
  std::vector<uint64_t> words;
  for (ValueId v : graph.operands(op)) {
    const TileValue &value = tiles[v];
    for (size_t i = 0; i < value.size(); ++i)
      words.push_back(value.isFloat() ? encodeFloat(value.type.dtype, value.floats[i])
                                      : uint64_t(value.ints[i]));
  }
  if (op.opcode == Opcode::Assert) {
    auto failed = std::find(words.begin(), words.end(), 0);
    if (failed == words.end())
      return;
    words = {uint64_t(failed - words.begin())};
  }
  std::vector<OpId> sites = logOps(graph);
  auto id = OpId(&op - graph.ops.data());
  auto site = uint32_t(std::find(sites.begin(), sites.end(), id) - sites.begin());
  options.log->line(graph, site, program, words);
}

} // namespace tl::interp
