#include "differential/plain_arguments.h"

#include "graph/fold_int.h"
#include "interp/numbers.h"

#include <algorithm>

namespace tl::test {

namespace {

using Dims = std::vector<int64_t>;

Dims contiguous(const Dims &extents) {
  Dims strides(extents.size(), 1);
  for (size_t axis = extents.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * std::max<int64_t>(extents[axis], 1);
  return strides;
}

bool sharesMemory(const Case &c, size_t i) {
  for (size_t other = 0; other < c.args.size(); ++other)
    if (other != i && c.args[other].buffer == c.args[i].buffer)
      return true;
  return false;
}

/// A view's elements in row-major order.
std::vector<uint8_t> elementsOf(const Case &c, const CaseArg &arg, size_t size) {
  std::vector<uint8_t> elements;
  const std::vector<uint8_t> &memory = c.buffers[size_t(arg.buffer)];
  int64_t count = 1;
  for (int64_t extent : arg.extents)
    count *= std::max<int64_t>(extent, 0);
  for (int64_t number = 0; number < count; ++number) {
    int64_t left = number, at = 0;
    for (size_t axis = arg.extents.size(); axis-- > 0; left /= arg.extents[axis])
      at += left % arg.extents[axis] * arg.strides[axis];
    auto first = memory.begin() + long(arg.offset) + at * long(size);
    elements.insert(elements.end(), first, first + long(size));
  }
  return elements;
}

std::vector<bool> usedValues(const Graph &g) {
  std::vector<bool> used(g.values.size(), false);
  for (OpId id = 1; id < g.ops.size(); ++id)
    for (ValueId v : g.operands(g.ops[id]))
      used[v] = true;
  for (ValueId v : g.kernel.grid)
    used[v] = true;
  return used;
}

/// What numpy calls an element type, or integers of its size.
std::string npyType(DType type) {
  if (isBool(type))
    return "|b1";
  unsigned bytes = dtypeBytes(type);
  bool known = type == DType::F16 || type == DType::F32 || type == DType::F64;
  char kind = known ? 'f' : isSigned(type) ? 'i' : 'u';
  return std::string(bytes == 1 ? "|" : "<") + kind + std::to_string(bytes);
}

std::vector<uint8_t> npyFile(DType type, const Dims &shape, const std::vector<uint8_t> &elements) {
  std::string dims;
  for (int64_t extent : shape)
    dims += std::to_string(extent) + ",";
  std::string header =
      "{'descr': '" + npyType(type) + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += char(header.size() & 255);
  start += char(header.size() >> 8);
  start += header;
  std::vector<uint8_t> file(start.begin(), start.end());
  file.insert(file.end(), elements.begin(), elements.end());
  return file;
}

std::string scalarText(DType type, int64_t bits) {
  if (!isFloat(type))
    return std::to_string(interp::decodeInteger(type, uint64_t(bits)));
  return formatString("%.17g", interp::decodeFloat(type, uint64_t(bits)));
}

} // namespace

std::optional<Case> withPlainArgument(const Case &c, size_t i) {
  const CaseArg &arg = c.args[i];
  if (arg.buffer < 0)
    return std::nullopt;
  Case plain = c;
  Argument &argument = plain.graph.kernel.args[i];
  bool changed = sharesMemory(c, i) || arg.offset != 0 || !argument.strides.empty();
  unsigned size = dtypeBytes(c.graph.typeOf(argument.value).dtype);
  std::vector<bool> used = usedValues(c.graph);
  for (size_t axis = 0; axis < argument.extents.size(); ++axis) {
    ViewDim &dim = argument.extents[axis];
    if (dim.kind == ViewDim::Kind::Literal || arg.extents[axis] < 0 ||
        (dim.kind == ViewDim::Kind::Dynamic && used[dim.value]))
      continue;
    dim = {ViewDim::Kind::Literal, arg.extents[axis], 0};
    changed = true;
  }
  for (const ViewDim &dim : argument.strides)
    if (dim.kind == ViewDim::Kind::Dynamic && used[dim.value])
      return std::nullopt;
  if (!changed)
    return std::nullopt;
  const std::vector<uint8_t> &memory = c.buffers[size_t(arg.buffer)];
  std::vector<uint8_t> own = arg.extents.empty()
                                 ? std::vector(memory.begin() + long(arg.offset), memory.end())
                                 : elementsOf(c, arg, size);
  own.resize(std::max<size_t>(own.size(), size));
  argument.strides.clear();
  CaseArg &bound = plain.args[i];
  bound.strides = contiguous(bound.extents);
  bound.offset = 0;
  bound.sizeKnown = true;
  bound.buffer = int(plain.buffers.size());
  plain.buffers.push_back(std::move(own));
  return plain;
}

Case withoutUnusedBuffers(const Case &c) {
  Case result = c;
  result.buffers.clear();
  std::vector<int> place(c.buffers.size(), -1);
  for (CaseArg &arg : result.args) {
    if (arg.buffer < 0)
      continue;
    int &to = place[size_t(arg.buffer)];
    if (to < 0) {
      to = int(result.buffers.size());
      result.buffers.push_back(c.buffers[size_t(arg.buffer)]);
    }
    arg.buffer = to;
  }
  return result;
}

Result<RunInputs> runInputs(const Case &c, const std::string &stem) {
  RunInputs inputs;
  for (size_t i = 0; i < c.args.size(); ++i) {
    const Argument &argument = c.graph.kernel.args[i];
    const CaseArg &arg = c.args[i];
    DType type = c.graph.typeOf(argument.value).dtype;
    if (arg.buffer < 0) {
      inputs.options += " --set " + argument.name + "=" + scalarText(type, arg.scalar);
      continue;
    }
    bool stridesGiven = std::any_of(argument.strides.begin(), argument.strides.end(),
                                    [](auto &dim) { return dim.kind == ViewDim::Kind::Dynamic; });
    bool backwards = std::any_of(arg.strides.begin(), arg.strides.end(),
                                 [](int64_t stride) { return stride < 0; });
    if (sharesMemory(c, i) || backwards || (stridesGiven && arg.strides != contiguous(arg.extents)))
      return makeError(TL_E_UNSUPPORTED, "%s shares memory or lies there otherwise than in order",
                       argument.name.c_str());
    const std::vector<uint8_t> &memory = c.buffers[size_t(arg.buffer)];
    Dims shape = arg.extents;
    std::vector<uint8_t> elements;
    if (shape.empty()) {
      elements.assign(memory.begin() + long(arg.offset), memory.end());
      shape = {int64_t(elements.size() / dtypeBytes(type))};
    } else {
      elements = elementsOf(c, arg, dtypeBytes(type));
    }
    std::string file = stem + "." + argument.name + ".npy";
    inputs.options += " --in " + argument.name + "=@" + file;
    inputs.files.emplace_back(file, npyFile(type, shape, elements));
  }
  return inputs;
}

} // namespace tl::test
