// The bytes of a .tlk file, shared by writer and reader.
//
//   header      magic[8], u32 version, u32 section count, u64 body size
//   table       per section: u32 id, u32 flags, u64 offset, u64 size
//   sections    back to back, in table order, no gaps
//   checksum    u64 XXH3 of all bytes before it; the body ends here
//   locations   (of the artifact, then of its members) u32 marker, u32 zero, u64 payload size,
//   payload, u64 XXH3 of marker to payload; the file ends here
//
// Magic, version, body size and the place of the checksum stay the same in all versions, so that a
// damaged file is told from a newer one. The location section is framed on its own, so that no byte
// of the body depends on it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl::tlk {

// As in PNG: a byte over 127, and line ends that a text-mode transfer would change.
inline constexpr uint8_t kMagic[8] = {0x89, 'T', 'L', 'K', '\r', '\n', 0x1a, '\n'};
inline constexpr uint32_t kLocationMarker = 0x434f4c54; // "TLOC"
inline constexpr size_t kHeaderBytes = 24;
inline constexpr size_t kTableEntryBytes = 24;
inline constexpr size_t kChecksumBytes = 8;
inline constexpr size_t kLocationFrameBytes = 24; // without the payload

enum class Section : uint32_t {
  Kernel = 1, // name, arguments, slots, grid
  Code = 2,   // one target; any number of these
  Graph = 3,  // binary form of the graph
  Text = 4,   // canonical text
  Steps = 5,  // of a sequence: temporaries and steps
  Log = 7,    // sites of a kernel that prints or asserts
  Member = 6, // an artifact without its locations: a kernel of a sequence or library, or a sequence
};

/// A section that a reader which does not know its id may pass over.
inline constexpr uint32_t kFlagOptional = 1;

} // namespace tl::tlk
