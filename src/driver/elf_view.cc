#include "driver/elf_view.h"

namespace tl {

Result<Elf64_Ehdr> elfHeader(ElfBytes bytes, uint16_t machine, uint16_t type, const char *what) {
  Elf64_Ehdr header;
  if (!elfRead(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return makeError(TL_E_CORRUPT, "the %s is no ELF file (%zu bytes)", what, bytes.size());
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT)
    return makeError(TL_E_CORRUPT, "the %s is no little-endian 64-bit ELF file", what);
  if (header.e_machine != machine)
    return makeError(TL_E_UNSUPPORTED, "the %s is for machine %u, not for %s (%u)", what,
                     header.e_machine, machine == EM_X86_64 ? "x86-64" : "AMD GPUs", machine);
  if (header.e_type != type)
    return makeError(TL_E_CORRUPT, "the %s has ELF type %u; %u is needed", what, header.e_type,
                     type);
  return header;
}

Result<std::vector<Elf64_Shdr>> elfSections(ElfBytes bytes, const Elf64_Ehdr &header,
                                            const char *what) {
  std::vector<Elf64_Shdr> sections;
  ElfBytes table;
  if (header.e_shnum == 0)
    return sections;
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      !elfSlice(bytes, header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr), table))
    return makeError(TL_E_CORRUPT, "the section headers of the %s do not lie inside it", what);
  sections.resize(header.e_shnum);
  std::memcpy(sections.data(), table.data(), table.size());
  return sections;
}

} // namespace tl
