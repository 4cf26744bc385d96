// Vector instructions as functions of one lane.
//
// How to add an instruction: write a row with a lambda of its operation on one lane,
//     {"V_ADD_F32", valu<[](float a, float b) { return a + b; }>, nullptr, OpMode32},
// in the isa/ file of its family. The types of the parameters say how the sources are read and the
// type of the result how it is written:
//     uint32_t int32_t float               one register
//     uint64_t int64_t double              two registers
//     uint16_t int16_t Half Bfloat         a half of a register, as op_sel, true16 or SDWA select
//     Bit                                  a lane's bit of a scalar mask (VCC, carry in)
//     const Mode &                         first parameter only: MODE's bits; not a source
//     bool (result)                        a lane's bit of the scalar result (comparisons)
//     WithMask<T> (result)                 a value and a bit in the second result (carry out)
// Everything else - EXEC, modifiers, DPP, SDWA, halves, clamp, omod, VOPD - is done here, for all
// instructions alike. The loop over lanes is vectorized by the compiler: prefer expressions to
// branches. Instructions that look at other lanes are handlers of their own (isa/valu_lane.cc).
#pragma once

#include "emu/wave.h"

#include <bit>
#include <type_traits>
#include <utility>

namespace tl::emu {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};
struct Bit {
  uint32_t ones; // ~0 or 0
  explicit operator bool() const { return ones; }
};
struct Mode {
  uint32_t bits;
  bool ieee() const { return bits & ModeIeee; }
  bool dx10Clamp() const { return bits & ModeDx10Clamp; }
};
template <class T> struct WithMask {
  T value;
  bool mask;
};

/// The words of one operand, a line each.
struct Lines {
  const uint32_t *low, *high;
};

enum class LaneKind : uint8_t { Word, Pair, Half, Bit };
template <class T>
inline constexpr LaneKind laneKind = sizeof(T) == 8           ? LaneKind::Pair
                                     : std::is_same_v<T, Bit> ? LaneKind::Bit
                                     : sizeof(T) == 2         ? LaneKind::Half
                                                              : LaneKind::Word;

/// A source with modifiers, DPP, a selection, or out of scalar registers, as lines.
Lines fetchSlow(Wave &wave, const MicroOp &op, unsigned source, LaneKind kind);
/// Lanes that an instruction writes: EXEC and what DPP's masks and bounds leave of it.
uint64_t writeMask(Wave &wave, const MicroOp &op);
/// Applies omod and clamp to a result.
void finishFloat(Wave &wave, const MicroOp &op, uint32_t *low);
void finishDouble(Wave &wave, const MicroOp &op, uint32_t *low, uint32_t *high);
void finishHalf(Wave &wave, const MicroOp &op, uint32_t *low);
/// Merges a result of 16 bits, or one with SDWA's dst_sel, into its register.
void mergeResult(Wave &wave, const MicroOp &op, const uint32_t *result, LaneKind kind,
                 uint64_t mask);
/// Writes a comparison's or carry's bits.
void writeBits(Wave &wave, const MicroOp &op, unsigned result, const uint32_t *line, uint64_t mask);

template <class T> inline Lines fetch(Wave &wave, const MicroOp &op, unsigned source) {
  const Operand &operand = op.src[source];
  if constexpr (laneKind<T> == LaneKind::Word || laneKind<T> == LaneKind::Pair) {
    if (operand.plain()) {
      if (operand.kind == Operand::Vector) {
        const uint32_t *line = wave.line(operand.index);
        return {line, line + kLineLanes};
      }
      if (operand.kind == Operand::Constant)
        return {operand.constant->low, operand.constant->high};
    }
  }
  if constexpr (laneKind<T> == LaneKind::Half) {
    // The low half is what conversion to 16 bits reads anyway.
    if (!operand.modifiers &&
        (operand.select == Select::Word0 || operand.select == Select::Dword)) {
      if (operand.kind == Operand::Vector)
        return {wave.line(operand.index), nullptr};
      if (operand.kind == Operand::Constant)
        return {operand.constant->low, nullptr};
    }
  }
  return fetchSlow(wave, op, source, laneKind<T>);
}

template <class T> inline T loadLane(Lines in, unsigned lane) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(uint64_t(in.low[lane]) | uint64_t(in.high[lane]) << 32);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(uint16_t(in.low[lane]));
  else
    return std::bit_cast<T>(in.low[lane]);
}

template <class T> inline void storeLane(uint32_t *low, uint32_t *high, unsigned lane, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    low[lane] = value ? ~0u : 0u;
  } else if constexpr (sizeof(T) == 8) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    low[lane] = uint32_t(bits);
    high[lane] = uint32_t(bits >> 32);
  } else if constexpr (sizeof(T) == 2) {
    low[lane] = std::bit_cast<uint16_t>(value);
  } else {
    low[lane] = std::bit_cast<uint32_t>(value);
  }
}

namespace detail {

template <class T> struct SignatureOf;
template <class L, class R, class... A> struct SignatureOf<R (L::*)(A...) const> {
  using Result = R;
  static constexpr bool wantsMode = false;
  template <template <class, class...> class Use> using Apply = Use<R, A...>;
};
template <class L, class R, class... A> struct SignatureOf<R (L::*)(const Mode &, A...) const> {
  using Result = R;
  static constexpr bool wantsMode = true;
  template <template <class, class...> class Use> using Apply = Use<R, A...>;
};
template <class T> struct ValueOf {
  using Type = T;
  static constexpr bool hasMask = false;
};
template <class T> struct ValueOf<WithMask<T>> {
  using Type = T;
  static constexpr bool hasMask = true;
};

template <auto F> struct Executor {
  template <class R, class... A> struct On {
    using Value = typename ValueOf<R>::Type;
    static constexpr bool hasMask = ValueOf<R>::hasMask;
    static constexpr bool wantsMode = SignatureOf<decltype(&decltype(F)::operator())>::wantsMode;

    template <size_t... I>
    [[gnu::always_inline]] static inline void loop(const Wave &wave, const Lines *sources,
                                                   uint32_t *low, uint32_t *high, uint32_t *bits,
                                                   std::index_sequence<I...>) {
      const Mode mode{wave.mode};
      [[maybe_unused]] const Lines in[sizeof...(A) + 1] = {sources[I]...};
      for (unsigned block = 0; block < wave.lanes; block += 32) {
#pragma GCC ivdep
        for (unsigned l = block; l < block + 32; ++l) {
          R result;
          if constexpr (wantsMode)
            result = F(mode, loadLane<A>(in[I], l)...);
          else
            result = F(loadLane<A>(in[I], l)...);
          if constexpr (hasMask) {
            storeLane(low, high, l, result.value);
            bits[l] = result.mask ? ~0u : 0u;
          } else {
            storeLane(low, high, l, result);
          }
        }
      }
    }

    static void run(Wave &wave, const MicroOp &op) {
      execute(wave, op, std::make_index_sequence<sizeof...(A)>());
    }

    template <size_t... I>
    [[gnu::always_inline]] static inline void execute(Wave &wave, const MicroOp &op,
                                                      std::index_sequence<I...> indices) {
      const Lines in[sizeof...(A) + 1] = {fetch<A>(wave, op, I)...};
      const uint64_t mask = op.flags & OpDpp ? writeMask(wave, op) : wave.exec();
      uint32_t *low = wave.temporary[8], *high = wave.temporary[9];
      uint32_t *bits = wave.temporary[6]; // of the fourth source, which no carry has
      if constexpr (std::is_same_v<Value, bool>) {
        loop(wave, in, low, high, bits, indices);
        writeBits(wave, op, 0, low, mask);
      } else {
        constexpr LaneKind kind = laneKind<Value>;
        uint32_t *file = wave.line(op.dst[0].index);
        const bool merges = kind == LaneKind::Half ? op.flags & (OpKeepsOther | OpSdwa)
                                                   : kind == LaneKind::Word && op.flags & OpSdwa;
        const bool direct = mask == wave.laneMask && !merges;
        if (direct)
          low = file, high = file + kLineLanes;
        loop(wave, in, low, high, bits, indices);
        if (op.clamp | op.omod) {
          if constexpr (std::is_same_v<Value, float>)
            finishFloat(wave, op, low);
          else if constexpr (std::is_same_v<Value, double>)
            finishDouble(wave, op, low, high);
          else if constexpr (std::is_same_v<Value, Half>)
            finishHalf(wave, op, low);
        }
        if (merges) {
          mergeResult(wave, op, low, kind, mask);
        } else if (!direct) {
          blendLine(wave, file, low, mask);
          if constexpr (kind == LaneKind::Pair)
            blendLine(wave, file + kLineLanes, high, mask);
        }
        if constexpr (hasMask)
          writeBits(wave, op, 1, bits, mask);
      }
    }
  };
};

template <auto F> struct Run {
  template <class R, class... A> using On = typename Executor<F>::template On<R, A...>;
  using Type = typename SignatureOf<decltype(&decltype(F)::operator())>::template Apply<On>;
};

} // namespace detail

/// The handler of an operation on one lane.
template <auto F> inline constexpr Handler valu = &detail::Run<F>::Type::run;

} // namespace tl::emu
