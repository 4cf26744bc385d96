#include "driver/hip/code_object.h"

#include <vector>

namespace tl {

#define CORRUPT(...) return makeError(TL_E_CORRUPT, "code object: " __VA_ARGS__)

// Code objects are kernels with their tables; anything larger is damage.
static constexpr uint64_t kMaxSpan = uint64_t(1) << 30;

static Status checkSegments(ElfBytes file, const Elf64_Ehdr &header) {
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    CORRUPT("program headers of %u bytes", header.e_phentsize);
  ElfBytes table;
  if (!elfSlice(file, header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr), table))
    CORRUPT("the program headers do not lie inside the file");
  bool loads = false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr p;
    ElfBytes content;
    elfRead(table, i * sizeof p, p);
    if (!elfSlice(file, p.p_offset, p.p_filesz, content))
      CORRUPT("segment %llu does not lie inside the file", (unsigned long long)i);
    if (p.p_type != PT_LOAD)
      continue;
    loads = true;
    if (p.p_filesz > p.p_memsz || p.p_vaddr > kMaxSpan || p.p_memsz > kMaxSpan)
      CORRUPT("segment %llu takes %llu bytes of memory at %llu for %llu bytes of the file",
              (unsigned long long)i, (unsigned long long)p.p_memsz, (unsigned long long)p.p_vaddr,
              (unsigned long long)p.p_filesz);
  }
  if (!loads)
    CORRUPT("no segment is loaded");
  return {};
}

/// The bytes of a table of strings: they end at a zero.
static bool stringTable(ElfBytes file, const std::vector<Elf64_Shdr> &sections, uint64_t index,
                        ElfBytes &out) {
  if (index >= sections.size() || sections[index].sh_type != SHT_STRTAB)
    return false;
  return elfSlice(file, sections[index].sh_offset, sections[index].sh_size, out) && !out.empty() &&
         out.back() == 0;
}

static Status checkSymbols(ElfBytes file, const std::vector<Elf64_Shdr> &sections, size_t index) {
  const Elf64_Shdr &table = sections[index];
  ElfBytes symbols, names;
  elfSlice(file, table.sh_offset, table.sh_size, symbols);
  if (table.sh_entsize != sizeof(Elf64_Sym) || symbols.size() % sizeof(Elf64_Sym))
    CORRUPT("section %zu holds symbols of %llu bytes", index, (unsigned long long)table.sh_entsize);
  if (!stringTable(file, sections, table.sh_link, names))
    CORRUPT("the symbols of section %zu have no table of names", index);
  Elf64_Sym symbol;
  for (uint64_t at = 0; elfRead(symbols, at, symbol); at += sizeof symbol)
    if (symbol.st_name >= names.size())
      CORRUPT("a symbol of section %zu has no name", index);
  return {};
}

static Status checkSections(ElfBytes file, const Elf64_Ehdr &header) {
  // Without a count, section 0 would hold it (System V ABI, "ELF Header"): no linker makes so many.
  if (header.e_shnum == 0 && header.e_shoff != 0)
    CORRUPT("section headers without a count");
  TL_ASSIGN(auto sections, elfSections(file, header, "code object"));
  ElfBytes names, content;
  if (!sections.empty() && !stringTable(file, sections, header.e_shstrndx, names))
    CORRUPT("the sections have no table of names");
  for (size_t i = 0; i < sections.size(); ++i) {
    const Elf64_Shdr &s = sections[i];
    if (s.sh_name >= names.size())
      CORRUPT("section %zu has no name", i);
    if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS &&
        !elfSlice(file, s.sh_offset, s.sh_size, content))
      CORRUPT("section %zu does not lie inside the file", i);
    if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM)
      TL_TRY(checkSymbols(file, sections, i));
  }
  return {};
}

Status checkCodeObject(ElfBytes file) {
  TL_ASSIGN(Elf64_Ehdr header, elfHeader(file, EM_AMDGPU, ET_DYN, "code object"));
  TL_TRY(checkSegments(file, header));
  return checkSections(file, header);
}

} // namespace tl
