// Functions that the hardware approximates: here rounded right, or, with Options::perturbation,
// off by up to that many units in the last place, so that no program can rely on luck.
//
// The noise of a result depends on its bits and the seed alone: like hardware, a function gives
// equal results for equal arguments. Results that are exact stay so.
#pragma once

#include "emu/half_ops.h"
#include "emu/launch.h"

namespace tl::emu {

template <class T> struct Approximation {
  T value;
  bool exact;
};

struct Noise {
  uint32_t units = 0;
  uint64_t seed = 0;
};
inline thread_local Noise currentNoise;

template <class T> using RawBits = std::conditional_t<sizeof(T) == 2, uint16_t, BitsOf<T>>;

/// Moves a finite result by at most `units` of its last place; never over zero or infinity.
template <class T> T withUnits(Approximation<T> result, int64_t scale) {
  using Bits = RawBits<T>;
  constexpr unsigned kMantissa = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(T) - 1));
  constexpr Bits kInfinity = Bits(Bits(kSign - 1) >> kMantissa << kMantissa);
  const Bits bits = std::bit_cast<Bits>(result.value);
  const Bits magnitude = Bits(bits & Bits(kSign - 1));
  if (result.exact || magnitude == 0 || magnitude >= kInfinity)
    return result.value;
  uint64_t hash = (uint64_t(bits) ^ currentNoise.seed) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 31) * 0xbf58476d1ce4e5b9u;
  const int64_t reach = int64_t(currentNoise.units) * scale;
  const int64_t offset = int64_t((hash ^ hash >> 29) % uint64_t(2 * reach + 1)) - reach;
  const int64_t moved = int64_t(magnitude) + offset;
  if (moved <= 0 || uint64_t(moved) >= kInfinity)
    return result.value;
  return std::bit_cast<T>(Bits((bits & kSign) | Bits(moved)));
}

namespace detail {
template <auto F, class Source, int64_t Scale> struct Approximate {
  static void run(Wave &wave, const MicroOp &op) {
    const Options &options = *wave.launch->options;
    if (!options.perturbation)
      return valu<([](const Mode &m, Source a) { return F(m, a).value; })>(wave, op);
    currentNoise = {options.perturbation, options.seed};
    valu<([](const Mode &m, Source a) { return withUnits(F(m, a), Scale); })>(wave, op);
  }
};
} // namespace detail

/// The handler of a function (Mode, Source) → Approximation. Scale: units of noise are this many
/// in the last place.
template <auto F, class Source, int64_t Scale = 1>
inline constexpr Handler approximate = &detail::Approximate<F, Source, Scale>::run;

/// `fast` is within 4 units of f64 of the true value: rounds to f32, asking `slow`, in long double,
/// where that leaves two candidates.
template <class Slow> Approximation<float> roundedToFloat(double fast, Slow slow) {
  constexpr double kReach = 0x1p-50;
  float value = float(fast);
  if (float(fast * (1 - kReach)) != float(fast * (1 + kReach)))
    value = float(slow());
  return {value, double(value) == fast || isNan(value)};
}

} // namespace tl::emu
