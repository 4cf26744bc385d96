// Bounds-checked reading of ELF64 files that lie in memory, shared by the image loader, the
// debugger registration and the check of code objects. Bytes come from artifacts: nothing in them
// is believed.
#pragma once

#include "support/result.h"

#include <cstring>
#include <elf.h>
#include <span>
#include <string_view>

namespace tl {

using ElfBytes = std::span<const uint8_t>;

/// Copies a T from `offset`; false when it does not lie inside.
template <class T> bool elfRead(ElfBytes bytes, uint64_t offset, T &out) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

/// The part [offset, offset + size) or nothing.
inline bool elfSlice(ElfBytes bytes, uint64_t offset, uint64_t size, ElfBytes &out) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return false;
  out = bytes.subspan(offset, size);
  return true;
}

/// The zero-terminated string at `offset` of a string table; empty when it does not lie inside.
inline std::string_view elfString(ElfBytes table, uint64_t offset) {
  if (offset >= table.size())
    return {};
  const char *text = reinterpret_cast<const char *>(table.data()) + offset;
  const void *end = std::memchr(text, 0, table.size() - offset);
  return end ? std::string_view(text, size_t(static_cast<const char *>(end) - text))
             : std::string_view();
}

/// Checks class, byte order, machine (EM_X86_64, EM_AMDGPU) and `type` (ET_DYN, ET_REL);
/// TL_E_CORRUPT, or TL_E_UNSUPPORTED for other machines. `what` names the file in messages.
Result<Elf64_Ehdr> elfHeader(ElfBytes bytes, uint16_t machine, uint16_t type, const char *what);

/// All section headers (none is fine); TL_E_CORRUPT when they do not lie inside.
Result<std::vector<Elf64_Shdr>> elfSections(ElfBytes bytes, const Elf64_Ehdr &header,
                                            const char *what);

} // namespace tl
