// The parts of the ELF format that code objects use; names as in the ELF specification.
#pragma once

#include <cstdint>

namespace tl::emu::elf {

struct Header {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programOffset, sectionOffset;
  uint32_t flags;
  uint16_t headerBytes, programBytes, programCount, sectionBytes, sectionCount, nameSection;
};
struct Program {
  uint32_t type, flags;
  uint64_t offset, address, physical, fileBytes, memoryBytes, alignment;
};
struct Section {
  uint32_t name, type;
  uint64_t flags, address, offset, bytes;
  uint32_t link, info;
  uint64_t alignment, entryBytes;
};
struct Symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, bytes;
};
struct RelocationAddend {
  uint64_t offset, info;
  int64_t addend;
};
static_assert(sizeof(Header) == 64 && sizeof(Program) == 56 && sizeof(Section) == 64 &&
              sizeof(Symbol) == 24 && sizeof(RelocationAddend) == 24);

inline constexpr uint16_t kMachineAmdgpu = 224; // EM_AMDGPU
inline constexpr uint8_t kAbiHsa = 64;          // ELFOSABI_AMDGPU_HSA
inline constexpr uint32_t kLoad = 1, kExecutable = 1, kWritable = 2;
inline constexpr uint32_t kSectionNone = 0, kSectionProgramBits = 1, kSectionRela = 4,
                          kSectionNote = 7, kSectionNoBits = 8, kSectionSymbols = 2,
                          kSectionDynamicSymbols = 11;
inline constexpr uint64_t kSectionAllocated = 2, kSectionExecutable = 4, kSectionCompressed = 0x800;
inline constexpr uint16_t kFirstReservedSection = 0xff00; // SHN_LORESERVE
inline constexpr uint8_t kTypeObject = 1;                 // STT_OBJECT
inline constexpr uint32_t kMetadataNote = 32;             // NT_AMDGPU_METADATA

} // namespace tl::emu::elf
