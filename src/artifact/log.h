// The log of a device: where kernels leave what print and assert give the host. One ring of 64-bit
// words in device memory, which launches fill and a synchronization empties.
//
//   control     kLogControlWords words: how many words were ever taken; how many the host has read;
//               how often an assertion failed; how many lines found no room; the rest is unused
//   ring        kLogWords words; word number n, ever counted on, stands at n % kLogWords
//
// A line takes its words one after the other: its header, then the elements of its values in
// row-major order, each as 64 bits (floats by their bits, integers extended by their sign). The
// first word is the number of that word plus one, written last, with release at the scope of the
// system: what another stream's launch is still writing is told by it.
#pragma once

#include "artifact/artifact.h"

namespace tl {

inline constexpr size_t kLogControlWords = 8;
inline constexpr size_t kLogWords = size_t(1) << 17;
/// One line at most.
inline constexpr size_t kMaxLogWords = kLogWords;

enum class LogControl : size_t { Taken = 0, Read = 1, Failed = 2, Lost = 3 };

/// The first words of a line.
enum class LogHeader : size_t {
  Complete = 0,
  Site = 1,    // of its kernel
  Tag = 2,     // of the launch
  Program = 3, // x, y, z
  Count = 6
};

/// Words of a line; 0 if the site is not valid. An assert has the index of the element that failed.
size_t logWordsOf(const LogSite &site);

} // namespace tl
