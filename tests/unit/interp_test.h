// What the interpreter's tests need: a kernel from text, arguments by name, a run, results by name.
#pragma once

#include "graph/canonical.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "interp/compare.h"
#include "interp/interp.h"
#include "interp/numbers.h"
#include "unit/unit_test.h"

#include <cmath>
#include <map>

namespace tl::test {

/// One launch. A failure of any step is reported, and what follows does nothing.
class Launch {
public:
  explicit Launch(const std::string &text, std::map<std::string, int64_t> bindings = {}) {
    auto parsed = parseText(text, "test.tile");
    if (!parsed.ok()) {
      fail(parsed.error().message + "\n" + text);
      return;
    }
    auto concrete = instantiate(*parsed, bindings);
    if (!concrete.ok()) {
      fail(concrete.error().message);
      return;
    }
    if (Status s = verify(*concrete); !s.ok()) {
      fail(s.error().message);
      return;
    }
    graph = std::make_unique<Graph>(std::move(*concrete));
    size_t n = graph->kernel.args.size();
    memory.resize(n);
    extents.resize(n);
    strides.resize(n);
    scalars.resize(n);
    known.resize(n, true);
  }

  /// Sets a scalar, or the elements of a view or pointer.
  void set(const std::string &name, std::vector<double> values) {
    size_t i = find(name);
    if (i == none)
      return;
    DType type = dtypeOf(i);
    std::vector<uint64_t> bits;
    for (double v : values)
      bits.push_back(isFloat(type) ? interp::encodeFloat(type, interp::roundTo(type, v))
                                   : uint64_t(int64_t(v)));
    setBits(name, bits);
  }
  void setInts(const std::string &name, std::vector<int64_t> values) {
    setBits(name, {values.begin(), values.end()});
  }
  void setBits(const std::string &name, const std::vector<uint64_t> &values) {
    size_t i = find(name);
    if (i == none)
      return;
    if (graph->typeOf(graph->kernel.args[i].value).isScalar()) {
      scalars[i] = int64_t(values[0]);
      return;
    }
    unsigned bytes = dtypeBytes(dtypeOf(i));
    memory[i].assign(values.size() * bytes, 0);
    for (size_t k = 0; k < values.size(); ++k)
      interp::writeBytes(&memory[i][k * bytes], values[k], bytes);
  }
  /// Gives a view dynamic extents (and strides).
  void shape(const std::string &name, std::vector<int64_t> e, std::vector<int64_t> s = {}) {
    size_t i = find(name);
    if (i == none)
      return;
    extents[i] = std::move(e);
    strides[i] = std::move(s);
  }
  /// Lets `name` use the memory of `other` from a byte offset on.
  void share(const std::string &name, const std::string &other, size_t offset = 0) {
    if (find(name) != none && find(other) != none)
      shared[find(name)] = {find(other), offset};
  }
  /// Hides the size of the argument's memory from the interpreter.
  void hideSize(const std::string &name) {
    if (find(name) != none)
      known[find(name)] = false;
  }

  /// Runs, and expects success.
  bool run(const InterpOptions &options = {}) {
    if (!graph)
      return false;
    auto r = interpret(*graph, args(), options);
    if (!r.ok()) {
      fail(r.error().message);
      return false;
    }
    report = std::move(*r);
    return true;
  }
  /// Runs, and expects this failure.
  void expectError(tl_status status, const char *words) {
    if (!graph)
      return;
    auto r = interpret(*graph, args());
    if (r.ok())
      return fail("expected an error about: " + std::string(words));
    if (r.error().status != status || r.error().message.find(words) == std::string::npos)
      fail(std::string(statusName(r.error().status)) + ": " + r.error().message);
  }

  std::vector<InterpArg> args() {
    std::vector<InterpArg> list(memory.size());
    for (size_t i = 0; i < list.size(); ++i) {
      auto it = shared.find(i);
      size_t offset = it == shared.end() ? 0 : it->second.second;
      std::vector<uint8_t> &bytes = memory[it == shared.end() ? i : it->second.first];
      list[i].data = bytes.empty() ? nullptr : bytes.data() + offset;
      list[i].bytes = known[i] ? bytes.size() - offset : 0;
      list[i].scalar = scalars[i];
      list[i].extents = extents[i];
      list[i].strides = strides[i];
    }
    return list;
  }

  std::vector<double> floats(const std::string &name) { return read<double>(name); }
  std::vector<int64_t> ints(const std::string &name) { return read<int64_t>(name); }
  std::vector<uint64_t> bits(const std::string &name) { return read<uint64_t>(name); }
  double bound(const std::string &name, size_t element = 0) { return doubt(name, element).bound; }
  bool undecided(const std::string &name, size_t element = 0) {
    return doubt(name, element).marks & interp::Undecided;
  }
  interp::Doubt doubt(const std::string &name, size_t element) {
    size_t i = find(name);
    if (i == none)
      return {};
    return report.errors.load(uint64_t(args()[i].data) + element * dtypeBytes(dtypeOf(i)),
                              dtypeOf(i));
  }

  std::unique_ptr<Graph> graph;
  std::vector<std::vector<uint8_t>> memory; // by argument
  InterpReport report;

  static constexpr size_t none = SIZE_MAX;
  size_t find(const std::string &name) {
    for (size_t i = 0; graph && i < graph->kernel.args.size(); ++i)
      if (graph->kernel.args[i].name == name)
        return i;
    if (graph)
      fail("no argument " + name);
    return none;
  }

private:
  std::vector<int64_t> scalars;
  std::vector<std::vector<int64_t>> extents, strides;
  std::map<size_t, std::pair<size_t, size_t>> shared;
  std::vector<bool> known;

  void fail(const std::string &why) {
    unit::fail(__FILE__, __LINE__, why);
    graph.reset();
  }
  DType dtypeOf(size_t i) const { return graph->typeOf(graph->kernel.args[i].value).dtype; }

  template <class T> std::vector<T> read(const std::string &name) {
    std::vector<T> list;
    size_t i = find(name);
    if (i == none)
      return list;
    DType type = dtypeOf(i);
    unsigned bytes = dtypeBytes(type);
    for (size_t k = 0; k + bytes <= memory[i].size(); k += bytes) {
      uint64_t raw = interp::readBytes(&memory[i][k], bytes);
      if constexpr (std::is_same_v<T, double>)
        list.push_back(interp::decodeFloat(type, raw));
      else if constexpr (std::is_same_v<T, int64_t>)
        list.push_back(interp::decodeInteger(type, raw));
      else
        list.push_back(raw);
    }
    return list;
  }
};

/// The same value, or both NaN; zeros by their sign.
inline bool sameFloat(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

} // namespace tl::test
