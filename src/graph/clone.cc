#include "graph/clone.h"

namespace tl {

void GraphCloner::copyArguments() {
  const Kernel &kernel = from.kernel;
  to.setKernel(kernel.name);
  to.setContract(kernel.contract);
  to.setThreads(kernel.threads);
  if (kernel.isSequence)
    to.setSequence();
  // Dimensions and bounds may name arguments that follow: add them all, then fill in.
  for (const Argument &arg : kernel.args) {
    Argument copy = arg;
    copy.generator = {};
    for (std::vector<ViewDim> *dims : {&copy.extents, &copy.strides})
      for (ViewDim &dim : *dims)
        dim.value = 0;
    const Type &type = from.typeOf(arg.value);
    setMapped(arg.value, to.addArgument(std::move(copy), type.kind, type.dtype));
  }
  if (!to.ok())
    return;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    InputGenerator generator = kernel.args[i].generator;
    generator.lowValue = mapped(generator.lowValue);
    generator.highValue = mapped(generator.highValue);
    to.setGenerator(i, generator);
    for (bool stride : {false, true}) {
      const auto &dims = stride ? kernel.args[i].strides : kernel.args[i].extents;
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        const Argument &added = to.current().kernel.args[i];
        if (dims[axis].kind == ViewDim::Kind::Dynamic)
          setMapped(dims[axis].value, (stride ? added.strides : added.extents)[axis].value);
        else if (dims[axis].kind == ViewDim::Kind::Value && mapped(dims[axis].value))
          to.setViewDim(i, stride, axis, mapped(dims[axis].value));
      }
    }
  }
}

std::vector<ValueId> GraphCloner::mappedOperands(const Op &op) const {
  std::vector<ValueId> operands;
  for (ValueId v : from.operands(op))
    operands.push_back(map[v]);
  return operands;
}

std::vector<Attr> GraphCloner::mappedAttrs(const Op &op) const {
  std::vector<Attr> attrs(from.attrs(op).begin(), from.attrs(op).end());
  for (Attr &attr : attrs) {
    if (attrInfo(int32_t(attr.key))->kind != AttrKind::Dims)
      continue;
    for (int64_t &entry : attr.list) {
      if (entry >= 0)
        continue;
      ValueId v = map[ValueId(-entry)];
      auto known = to.current().constantInt(v);
      // A negative number stays a reference, so that inference names the fault.
      entry = literalDims && known && *known >= 0 ? *known : -int64_t(v);
    }
  }
  return attrs;
}

void GraphCloner::copyOp(OpId id) {
  const Op &op = from.ops[id];
  to.setLocation(from.locations[op.location]);
  const auto &hook = op.regions.count == 0 ? replace : replaceRegions;
  if (hook && hook(id))
    return;
  std::vector<ValueId> operands = mappedOperands(op);
  std::vector<Attr> attrs = mappedAttrs(op);
  std::vector<ValueId> results;
  if (op.regions.count == 0) {
    results = to.resultsOf(to.op(op.opcode, operands, attrs));
  } else {
    std::vector<ValueId> args = to.begin(op.opcode, operands, attrs);
    auto regions = from.regions(op);
    for (size_t r = 0; r < regions.size(); ++r) {
      const Block &block = from.block(regions[r]);
      for (size_t i = 0; i < block.args.size() && i < args.size(); ++i) {
        setMapped(block.args[i], args[i]);
        to.setName(args[i], std::string(from.nameOf(block.args[i])));
      }
      // The last Yield closes the region; its results come from the builder's end().
      for (size_t i = 0; i + 1 < block.ops.size(); ++i)
        copyOp(block.ops[i]);
      const Op &yield = from.ops[block.ops.back()];
      to.setLocation(from.locations[yield.location]);
      results = to.end(mappedOperands(yield));
    }
  }
  auto old = from.results(op);
  for (size_t i = 0; i < old.size() && i < results.size(); ++i) {
    setMapped(old[i], results[i]);
    to.setName(results[i], std::string(from.nameOf(old[i])));
  }
}

void GraphCloner::copyBlock(BlockId block) {
  for (OpId id : from.block(block).ops) {
    if (!to.ok())
      return;
    copyOp(id);
  }
}

} // namespace tl
