#include "driver/host/gdb_jit.h"

#include <map>
#include <mutex>

// Names and layout are GDB's ("JIT Interface" in its manual). The two symbols are exported, or a
// stripped library would hide them; protected, so that another code generator's pair in the process
// is not taken for ours; weak, so that a static program may hold both. GDB looks at every pair it
// finds.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next;
  jit_code_entry *previous;
  const char *symfile;
  uint64_t symfileSize;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action;
  jit_code_entry *relevant;
  jit_code_entry *first;
};
[[gnu::visibility("protected"), gnu::weak]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr,
                                                                                     nullptr};
// GDB sets a breakpoint here.
[[gnu::visibility("protected"), gnu::weak, gnu::noinline]] void __jit_debug_register_code() {
  __asm__ volatile("" ::: "memory");
}
}

namespace tl {

struct GdbRegistration::Entry : jit_code_entry {};

namespace {

enum Action : uint32_t { kNone = 0, kRegister = 1, kUnregister = 2 };

// The list of the debugger is one per process by its nature.
std::mutex &listMutex() {
  static std::mutex mutex;
  return mutex;
}

void announce(jit_code_entry *entry, Action action) {
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = kNone;
  __jit_debug_descriptor.relevant = nullptr;
}

// Functions by name, from the full symbol table of the image where it has one. Names that stand
// twice (local functions of several objects) are left out.
std::map<std::string, uint64_t, std::less<>> imageFunctions(ElfBytes file,
                                                            std::span<const Elf64_Shdr> sections) {
  std::map<std::string, uint64_t, std::less<>> found;
  std::map<std::string, int> seen;
  for (uint32_t kind : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr &s : sections) {
      ElfBytes symbols, strings;
      if (s.sh_type != kind || s.sh_link >= sections.size() ||
          !elfSlice(file, s.sh_offset, s.sh_size, symbols) ||
          !elfSlice(file, sections[s.sh_link].sh_offset, sections[s.sh_link].sh_size, strings))
        continue;
      Elf64_Sym symbol;
      for (uint64_t at = 0; elfRead(symbols, at, symbol); at += sizeof symbol)
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
          std::string name(elfString(strings, symbol.st_name));
          if (++seen[name] == 1)
            found[name] = symbol.st_value;
          else
            found.erase(name);
        }
    }
    if (!found.empty())
      break;
  }
  return found;
}

// The image's address of section `name`, which the linker made from the object's section of that
// name.
uint64_t outputSection(ElfBytes file, const Elf64_Ehdr &header,
                       std::span<const Elf64_Shdr> sections, std::string_view name) {
  ElfBytes names;
  if (header.e_shstrndx >= sections.size() || !elfSlice(file, sections[header.e_shstrndx].sh_offset,
                                                        sections[header.e_shstrndx].sh_size, names))
    return 0;
  for (const Elf64_Shdr &s : sections)
    if (elfString(names, s.sh_name) == name)
      return s.sh_addr;
  return 0;
}

// Where each code section of the object starts in the image, by the functions in it; 0 = not there.
Result<std::vector<uint64_t>> placeCode(ElfBytes object, std::span<const Elf64_Shdr> sections,
                                        const std::map<std::string, uint64_t, std::less<>> &image) {
  std::vector<uint64_t> place(sections.size(), 0);
  for (const Elf64_Shdr &s : sections) {
    if (s.sh_type != SHT_SYMTAB)
      continue;
    ElfBytes symbols, strings;
    if (s.sh_link >= sections.size() || !elfSlice(object, s.sh_offset, s.sh_size, symbols) ||
        !elfSlice(object, sections[s.sh_link].sh_offset, sections[s.sh_link].sh_size, strings))
      return makeError(TL_E_CORRUPT, "the symbols of the host object do not lie inside it");
    Elf64_Sym symbol;
    for (uint64_t at = 0; elfRead(symbols, at, symbol); at += sizeof symbol) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= sections.size())
        continue;
      auto found = image.find(elfString(strings, symbol.st_name));
      if (found != image.end() && found->second >= symbol.st_value)
        place[symbol.st_shndx] = found->second - symbol.st_value;
    }
  }
  return place;
}

// The object with its sections at their addresses in memory. Sections that the debugger does not
// need there (data, merged constants) are marked as not loaded, or it would see them at address 0.
Result<Bytes> placedObject(ElfBytes object, ElfBytes imageFile, const HostImage &image) {
  TL_ASSIGN(Elf64_Ehdr imageHeader, elfHeader(imageFile, EM_X86_64, ET_DYN, "host image"));
  TL_ASSIGN(auto imageSections, elfSections(imageFile, imageHeader, "host image"));
  TL_ASSIGN(Elf64_Ehdr header, elfHeader(object, EM_X86_64, ET_REL, "host object"));
  TL_ASSIGN(auto sections, elfSections(object, header, "host object"));
  TL_ASSIGN(auto place, placeCode(object, sections, imageFunctions(imageFile, imageSections)));

  ElfBytes names;
  if (header.e_shstrndx >= sections.size() ||
      !elfSlice(object, sections[header.e_shstrndx].sh_offset, sections[header.e_shstrndx].sh_size,
                names))
    return makeError(TL_E_CORRUPT, "the section names of the host object do not lie inside it");
  for (size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr &s = sections[i];
    if (!(s.sh_flags & SHF_ALLOC))
      continue;
    // Unwind tables are read from the object; their own address only has to be near the code.
    std::string_view name = elfString(names, s.sh_name);
    if (place[i] == 0 && name == ".eh_frame")
      place[i] = outputSection(imageFile, imageHeader, imageSections, name);
    if (place[i] != 0)
      s.sh_addr = image.base() + place[i];
    else
      s.sh_flags &= ~uint64_t(SHF_ALLOC);
  }
  Bytes bytes(object.begin(), object.end());
  std::memcpy(bytes.data() + header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr));
  return bytes;
}

} // namespace

Result<std::unique_ptr<GdbRegistration>> GdbRegistration::add(ElfBytes object, ElfBytes imageFile,
                                                              const HostImage &image) {
  std::unique_ptr<GdbRegistration> registration(new GdbRegistration);
  TL_ASSIGN(registration->object, placedObject(object, imageFile, image));
  registration->entry = std::make_unique<Entry>();
  Entry &entry = *registration->entry;
  entry.symfile = reinterpret_cast<const char *>(registration->object.data());
  entry.symfileSize = registration->object.size();

  std::lock_guard lock(listMutex());
  entry.previous = nullptr;
  entry.next = __jit_debug_descriptor.first;
  if (entry.next)
    entry.next->previous = &entry;
  __jit_debug_descriptor.first = &entry;
  announce(&entry, kRegister);
  return registration;
}

GdbRegistration::~GdbRegistration() {
  if (!entry)
    return;
  std::lock_guard lock(listMutex());
  (entry->previous ? entry->previous->next : __jit_debug_descriptor.first) = entry->next;
  if (entry->next)
    entry->next->previous = entry->previous;
  announce(entry.get(), kUnregister);
}

} // namespace tl
