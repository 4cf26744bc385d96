#include "interp/compare.h"

#include "interp/numbers.h"

#include <cmath>

namespace tl {

namespace {

using namespace interp;

/// Calls visit(coordinates, offset in elements) for every element of a view.
template <class Visit> void forEachElement(const InterpShape &shape, Visit visit) {
  for (int64_t extent : shape.extents)
    if (extent < 1)
      return;
  std::vector<int64_t> at(shape.extents.size(), 0);
  for (bool more = true; more;) {
    uint64_t offset = 0;
    for (size_t axis = 0; axis < at.size(); ++axis)
      offset += uint64_t(at[axis]) * uint64_t(shape.strides[axis]);
    if (!visit(at, int64_t(offset)))
      return;
    more = false;
    for (size_t axis = at.size(); axis-- > 0 && !more;) {
      more = ++at[axis] < shape.extents[axis];
      if (!more)
        at[axis] = 0;
    }
  }
}

std::string valueText(DType type, uint64_t bits) {
  if (isUnsigned(type))
    return formatString("%llu", (unsigned long long)bits);
  if (!isFloat(type))
    return formatString("%lld", (long long)decodeInteger(type, bits));
  return formatString("%.17g (0x%0*llx)", decodeFloat(type, bits), int(dtypeBytes(type) * 2),
                      (unsigned long long)bits);
}

class Comparer {
public:
  Comparer(const Graph &graph, const InterpReport &report, std::span<const InterpArg> reference,
           std::span<const void *const> actual, const CompareOptions &options)
      : graph(graph), report(report), reference(reference), actual(actual), options(options) {}

  Result<Comparison> run() {
    std::vector<bool> written = writtenArguments(graph);
    for (unsigned arg = 0; arg < reference.size(); ++arg)
      if (reference[arg].data && actual[arg])
        TL_TRY(compareArgument(arg, written[arg]));
    if (report.undecidedControl > 0)
      result.inconclusive = formatString("%llu conditions, loop bounds or places of stores depend "
                                         "on undecided values",
                                         (unsigned long long)report.undecidedControl);
    else if (double(result.undecided) > options.maxUndecidedShare * double(result.written))
      result.inconclusive =
          formatString("%llu of %llu written elements are undecided",
                       (unsigned long long)result.undecided, (unsigned long long)result.written);
    return std::move(result);
  }

private:
  const Graph &graph;
  const InterpReport &report;
  std::span<const InterpArg> reference;
  std::span<const void *const> actual;
  const CompareOptions &options;
  Comparison result;

  Status compareArgument(unsigned arg, bool written) {
    const Type &type = graph.typeOf(graph.kernel.args[arg].value);
    InterpShape shape;
    if (type.isView()) {
      TL_ASSIGN(shape, interpretShape(graph, reference, arg));
    }
    if (size_t bytes = reference[arg].bytes) {
      for (size_t i = 0; i < bytes / dtypeBytes(type.dtype); ++i)
        compareElement(arg, type.dtype, written, int64_t(i), shape, nullptr);
    } else if (type.isView()) {
      forEachElement(shape, [&](const std::vector<int64_t> &at, int64_t offset) {
        compareElement(arg, type.dtype, written, offset, shape, &at);
        return true;
      });
    }
    return {};
  }

  void compareElement(unsigned arg, DType type, bool written, int64_t offset,
                      const InterpShape &shape, const std::vector<int64_t> *at) {
    unsigned size = dtypeBytes(type);
    const char *ours = static_cast<const char *>(reference[arg].data) + offset * size;
    uint64_t expected = readBytes(ours, size);
    uint64_t got = readBytes(static_cast<const char *>(actual[arg]) + offset * size, size);
    Doubt doubt = report.errors.load(uint64_t(reinterpret_cast<uintptr_t>(ours)), type);
    ++result.elements;
    result.written += written;
    result.inexact += doubt.bound > 0;
    result.undecided += doubt.marks & Undecided ? 1 : 0;
    if (doubt.marks & Undecided || agree(type, expected, got, doubt))
      return;
    if (result.mismatches++ >= options.maxMismatches)
      return;
    Mismatch m{arg, {}, offset, valueText(type, expected), valueText(type, got), doubt.bound};
    if (at)
      m.coordinates = *at;
    else
      m.coordinates = coordinatesOf(shape, offset);
    result.first.push_back(std::move(m));
  }

  bool agree(DType type, uint64_t expected, uint64_t got, const Doubt &doubt) {
    if (expected == got || !isFloat(type))
      return expected == got;
    double x = decodeFloat(type, expected), y = decodeFloat(type, got);
    if (std::isnan(x))
      return (doubt.marks & AnyNan) && std::isnan(y);
    long double error = std::fabs(static_cast<long double>(x) - static_cast<long double>(y));
    if (std::isnan(error) || doubt.bound == 0) {
      result.maxError = std::isnan(error) ? INFINITY : std::max(result.maxError, double(error));
      return false;
    }
    result.maxError = std::max(result.maxError, double(error));
    result.maxShare = std::max(result.maxShare, double(error) / doubt.bound);
    return error <= static_cast<long double>(doubt.bound);
  }

  static std::vector<int64_t> coordinatesOf(const InterpShape &shape, int64_t offset) {
    std::vector<int64_t> found;
    if (!shape.extents.empty())
      forEachElement(shape, [&](const std::vector<int64_t> &at, int64_t where) {
        if (where == offset)
          found = at;
        return where != offset;
      });
    return found;
  }
};

} // namespace

std::string Comparison::text(const Graph &graph) const {
  std::string s;
  if (!inconclusive.empty())
    s += "inconclusive: " + inconclusive + "\n";
  if (mismatches)
    s += formatString("%llu of %llu elements differ\n", (unsigned long long)mismatches,
                      (unsigned long long)elements);
  for (const Mismatch &m : first) {
    std::string at;
    for (int64_t c : m.coordinates)
      at += (at.empty() ? "" : ", ") + std::to_string(c);
    if (m.coordinates.empty())
      at = "element " + std::to_string(m.offset) + " of its memory";
    s += formatString("  %s[%s]: expected %s, got %s", graph.kernel.args[m.arg].name.c_str(),
                      at.c_str(), m.expected.c_str(), m.actual.c_str());
    s += m.bound > 0 ? formatString(", allowed difference %.6g\n", m.bound) : "\n";
  }
  return s;
}

Result<Comparison> compareOutputs(const Graph &graph, const InterpReport &report,
                                  std::span<const InterpArg> reference,
                                  std::span<const void *const> actual,
                                  const CompareOptions &options) {
  if (reference.size() != graph.kernel.args.size() || actual.size() != reference.size())
    return makeError(TL_E_ARG_COUNT, "kernel '%s' has %zu arguments, not %zu",
                     graph.kernel.name.c_str(), graph.kernel.args.size(), reference.size());
  return Comparer(graph, report, reference, actual, options).run();
}

Result<ElementErrors> elementErrors(const Graph &graph, std::span<const InterpArg> args,
                                    const InterpReport &report, unsigned arg) {
  TL_ASSIGN(InterpShape shape, interpretShape(graph, args, arg));
  ElementErrors errors;
  DType type = graph.typeOf(graph.kernel.args[arg].value).dtype;
  uint64_t first = uint64_t(reinterpret_cast<uintptr_t>(args[arg].data));
  forEachElement(shape, [&](const std::vector<int64_t> &, int64_t offset) {
    Doubt doubt = report.errors.load(first + uint64_t(offset) * dtypeBytes(type), type);
    errors.bounds.push_back(doubt.bound);
    errors.undecided.push_back(doubt.marks & Undecided ? 1 : 0);
    return true;
  });
  return errors;
}

} // namespace tl
