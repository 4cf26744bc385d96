// What random graphs must exercise, and what a graph does exercise.
#pragma once

#include "graph/graph.h"

#include <map>

namespace tl::test {

/// An operation on an element type with a class of ranks.
struct Feature {
  Opcode opcode = Opcode::Invalid;
  DType dtype = DType::None; // of the elements; cmp, reduce: of the operand
  int32_t detail = 0; // cmp: predicate; cast: type it comes from; reduce: kind; dot: type of b
  uint8_t ranks = 0;  // 0: scalars; 1: ranks 1 and 2; 2: ranks 3 and more
  auto operator<=>(const Feature &) const = default;
  std::string text() const;
};

inline uint8_t rankClass(unsigned rank) { return rank == 0 ? 0 : rank <= 2 ? 1 : 2; }

/// Everything ops.def allows: what 1,000 graphs must show at least three times each.
std::vector<Feature> allFeatures();
/// The features of a graph's body, each as often as it occurs.
std::vector<Feature> featuresOf(const Graph &graph);

/// Traits of a whole graph, for the shares that must be reached.
struct Traits {
  bool control = false;      // for or if
  bool crossLane = false;    // reduce, dot, or a shape operation
  bool memoryBounds = false; // a loop bound or a view's extent that is loaded
  bool overlap = false;      // arguments that share memory
  bool inPlace = false;      // an argument that is loaded from and stored to
  bool specials = false;     // NaN or infinity in the input
  bool padding = false;      // a load with a padding value
  bool contract = false;
  bool strided = false;
};

/// Counts over many graphs.
class Coverage {
public:
  void add(const Graph &graph, const Traits &traits);
  /// Features seen fewer than `times` times.
  std::vector<Feature> missing(unsigned times) const;
  std::string text() const;
  double share(bool Traits::*trait) const;

private:
  std::map<Feature, unsigned> counts;
  std::vector<Traits> graphs;
};

} // namespace tl::test
