#include "codegen/llvm/image_check.h"

#include "llvm/Object/ELF.h"

namespace tl {
namespace {

using Elf = llvm::object::ELF64LE;
using ElfFile = llvm::object::ELFFile<Elf>;

ErrorPtr unsound(const char *what) { return internalError("the linked host image has %s", what); }

template <class T> bool taken(llvm::Expected<T> &value) {
  if (value)
    return true;
  llvm::consumeError(value.takeError());
  return false;
}

Status checkSegments(const ElfFile &file) {
  auto headers = file.program_headers();
  if (!taken(headers))
    return unsound("malformed program headers");
  for (const Elf::Phdr &header : *headers) {
    if (header.p_type == llvm::ELF::PT_TLS)
      return unsound("thread-local storage");
    if (header.p_type == llvm::ELF::PT_INTERP)
      return unsound("an interpreter");
    if (header.p_type == llvm::ELF::PT_LOAD && header.p_flags & llvm::ELF::PF_W &&
        header.p_flags & llvm::ELF::PF_X)
      return unsound("a segment that is writable and executable");
  }
  return {};
}

Status checkDynamicEntries(const ElfFile &file) {
  auto entries = file.dynamicEntries();
  if (!taken(entries))
    return unsound("a malformed dynamic section");
  for (const Elf::Dyn &entry : *entries)
    switch (entry.getTag()) {
    case llvm::ELF::DT_NEEDED:
      return unsound("a needed library");
    case llvm::ELF::DT_INIT:
    case llvm::ELF::DT_INIT_ARRAY:
    case llvm::ELF::DT_FINI:
    case llvm::ELF::DT_FINI_ARRAY:
      return unsound("constructors or destructors");
    case llvm::ELF::DT_TEXTREL:
    case llvm::ELF::DT_JMPREL:
      return unsound("relocations of code or of calls");
    default:
      break;
    }
  return {};
}

Status checkSymbols(const ElfFile &file, const Elf::Shdr &section) {
  auto symbols = file.symbols(&section);
  if (!taken(symbols))
    return unsound("a malformed symbol table");
  for (const Elf::Sym &symbol : *symbols) {
    if (&symbol != symbols->begin() && symbol.st_shndx == llvm::ELF::SHN_UNDEF)
      return unsound("undefined symbols");
    if (symbol.getType() == llvm::ELF::STT_GNU_IFUNC || symbol.getType() == llvm::ELF::STT_TLS)
      return unsound("IFUNC or thread-local symbols");
  }
  return {};
}

Status checkRelocations(const ElfFile &file, const Elf::Shdr &section) {
  auto relocations = file.relas(section);
  if (!taken(relocations))
    return unsound("malformed relocations");
  for (const Elf::Rela &relocation : *relocations)
    if (relocation.getType(false) != llvm::ELF::R_X86_64_RELATIVE)
      return unsound("relocations other than RELATIVE");
  return {};
}

} // namespace

Status checkHostImage(std::span<const uint8_t> image) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(image.data()), image.size());
  auto file = ElfFile::create(bytes);
  if (!taken(file))
    return unsound("a malformed ELF header");
  if (file->getHeader().e_machine != llvm::ELF::EM_X86_64 ||
      file->getHeader().e_type != llvm::ELF::ET_DYN)
    return unsound("a wrong ELF type");
  TL_TRY(checkSegments(*file));
  TL_TRY(checkDynamicEntries(*file));
  auto sections = file->sections();
  if (!taken(sections))
    return unsound("a malformed section table");
  for (const Elf::Shdr &section : *sections) {
    if (section.sh_type == llvm::ELF::SHT_DYNSYM)
      TL_TRY(checkSymbols(*file, section));
    if (section.sh_type == llvm::ELF::SHT_RELA)
      TL_TRY(checkRelocations(*file, section));
  }
  return {};
}

} // namespace tl
