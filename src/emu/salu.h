// Scalar instructions as functions, as valu.h has them for vector instructions:
//     {"S_AND_B32", salu<[](uint32_t a, uint32_t b, Scc &scc) { return scc(a & b); }>},
// Types of 8 bytes are register pairs. `Scc &` as last parameter gives the condition code; an
// instruction without result returns void. Immediates are operands like others.
#pragma once

#include "emu/wave.h"

#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tl::emu {

struct Scc {
  uint32_t value;
  /// Sets it to "result is not zero" and gives the result back.
  template <class T> T operator()(T result) {
    value = result != 0;
    return result;
  }
};

namespace detail {

template <class T> inline T readScalar(const Wave &wave, const MicroOp &op, size_t source) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(scalar64(wave, op.src[source]));
  else
    return std::bit_cast<T>(scalar32(wave, op.src[source]));
}

template <class T> inline void writeScalar(Wave &wave, const MicroOp &op, T value) {
  if constexpr (sizeof(T) == 8)
    setScalar64(wave, op.dst[0], std::bit_cast<uint64_t>(value));
  else
    setScalar32(wave, op.dst[0], std::bit_cast<uint32_t>(value));
}

template <auto F, class L> struct ScalarRun;
template <auto F, class L, class R, class... A> struct ScalarRun<F, R (L::*)(A...) const> {
  static constexpr size_t count = sizeof...(A);
  static constexpr bool hasScc = (std::is_same_v<A, Scc &> || ...);
  template <size_t I> using Parameter = std::tuple_element_t<I, std::tuple<A...>>;

  static void run(Wave &wave, const MicroOp &op) {
    execute(wave, op, std::make_index_sequence<count - (hasScc ? 1 : 0)>());
  }

  template <size_t... I>
  static inline void execute(Wave &wave, const MicroOp &op, std::index_sequence<I...>) {
    Scc scc{wave.scc};
    auto call = [&] {
      if constexpr (hasScc)
        return F(readScalar<Parameter<I>>(wave, op, I)..., scc);
      else
        return F(readScalar<Parameter<I>>(wave, op, I)...);
    };
    if constexpr (std::is_void_v<R>)
      call();
    else
      writeScalar(wave, op, call());
    wave.scc = scc.value;
  }
};

} // namespace detail

template <auto F>
inline constexpr Handler salu = &detail::ScalarRun<F, decltype(&decltype(F)::operator())>::run;

} // namespace tl::emu
