#include "interp/interp.h"

#include "interp/machine.h"

namespace tl {

using interp::Machine;

std::vector<bool> writtenArguments(const Graph &graph) {
  std::vector<bool> written(graph.kernel.args.size(), false);
  for (OpId id = 1; id < graph.ops.size(); ++id) {
    const Op &op = graph.ops[id];
    if (op.opcode == Opcode::Dispatch) {
      std::vector<bool> inner =
          writtenArguments(*graph.kernel.callees[size_t(graph.intAttr(op, AttrKey::Callee) - 1)]);
      for (size_t i = 0; i < inner.size(); ++i)
        if (ValueId v = graph.operand(op, i); inner[i] && !graph.definingOp(v))
          written[graph.values[v].index] = true;
    } else if (writesMemory(op.opcode)) {
      if (auto arg = rootArgument(graph, graph.viewOperand(op)))
        written[*arg] = true;
    }
  }
  return written;
}

Result<std::array<int64_t, 3>> interpretGrid(const Graph &graph, std::span<const InterpArg> args) {
  Machine machine(graph, args, {});
  TL_TRY(machine.bindArguments());
  TL_TRY(machine.computeGrid());
  const int64_t *grid = machine.report().grid;
  return std::array<int64_t, 3>{grid[0], grid[1], grid[2]};
}

Result<InterpReport> interpret(const Graph &graph, std::span<const InterpArg> args,
                               const InterpOptions &options) {
  Machine machine(graph, args, options);
  TL_TRY(machine.bindArguments());
  TL_TRY(machine.computeGrid());
  const int64_t *grid = machine.report().grid;
  // Without this, the other axes of an empty grid would be walked through.
  const bool empty =
      grid[0] == 0 || grid[1] == 0 || (options.checkOnly && !graph.kernel.isSequence);
  for (int64_t z = 0; !empty && z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x)
        TL_TRY(machine.runProgram({x, y, z}));
  machine.finish();
  return std::move(machine.report());
}

Result<InterpShape> interpretShape(const Graph &graph, std::span<const InterpArg> args,
                                   unsigned arg) {
  Machine machine(graph, args, {});
  TL_TRY(machine.bindArguments());
  const Argument &argument = graph.kernel.args[arg];
  const interp::ViewValue &view = machine.viewOf(argument.value);
  size_t rank = argument.extents.size();
  return InterpShape{{view.extents.begin(), view.extents.begin() + long(rank)},
                     {view.strides.begin(), view.strides.begin() + long(rank)}};
}

} // namespace tl
