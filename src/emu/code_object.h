// Reads AMDGPU code objects: ELF files of versions 4 to 6, alone or in an offload bundle. The input
// is not trusted, and its size may be unknown (SIZE_MAX): then its own headers say it.
#pragma once

#include "support/bytes.h"
#include "support/result.h"

#include <span>
#include <string>
#include <vector>

namespace tl::emu {

struct CodeSegment {
  uint64_t address, offset, fileBytes, memoryBytes;
  bool executable, writable;
};

struct CodeSymbol {
  std::string name;
  uint64_t address, bytes;
  bool variable; // of a place inside the segments
  bool global;   // or weak
  bool defined;
};

struct CodeRelocation {
  uint64_t address;
  uint32_t type; // R_AMDGPU_*
  uint32_t symbol;
  int64_t addend;
};

/// A section that is not loaded, such as debug information.
struct CodeSection {
  std::string name;
  uint64_t offset, bytes;
};

struct CodeObject {
  Bytes image; // the whole ELF file
  uint32_t machine = 0;
  uint32_t version = 0;            // 4, 5 or 6
  uint32_t xnack = 0, sramEcc = 0; // EF_AMDGPU_FEATURE_*: 0 unsupported, 1 any, 2 off, 3 on
  std::vector<CodeSegment> segments;
  std::vector<CodeSegment> code; // executable sections, by address
  std::vector<CodeSection> otherSections;
  std::vector<CodeSymbol> symbols;
  std::vector<CodeRelocation> relocations;
  Bytes metadata;           // the NT_AMDGPU_METADATA note: msgpack
  uint64_t memoryBytes = 0; // end of the last segment

  /// The bytes of an address range of the file's contents; empty when there are none.
  std::span<const uint8_t> contents(uint64_t address, uint64_t bytes) const;
  /// The bytes of a section that is not loaded; empty when there is none, or it is compressed.
  std::span<const uint8_t> section(const std::string &name) const;
  const CodeSymbol *findSymbol(const std::string &name) const;
};

/// Finds the image of `chip` ("gfx942") and reads it. TL_E_CORRUPT: no image, or a damaged one.
/// TL_E_UNSUPPORTED: an image of other chips.
Result<CodeObject> readCodeObject(const void *image, size_t bytes, const std::string &chip,
                                  uint32_t machine);
/// Reads an ELF file of any chip.
Result<CodeObject> readCodeObject(std::span<const uint8_t> file);

} // namespace tl::emu
