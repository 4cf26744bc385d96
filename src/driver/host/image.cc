#include "driver/host/image.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <sys/mman.h>

namespace tl {

#define CORRUPT(...) return makeError(TL_E_CORRUPT, "host image: " __VA_ARGS__)
#define REFUSE(...) return makeError(TL_E_UNSUPPORTED, "host image: " __VA_ARGS__)

// Images are kernels with their tables; anything larger is damage.
static constexpr uint64_t kMaxSpan = uint64_t(1) << 30;
static constexpr uint64_t kPage = 4096;

// One image on its way into memory. All addresses are the file's (offsets from the bias).
struct HostImage::Loader {
  explicit Loader(ElfBytes file) : file(file) {}

  Status readSegments();
  Status readDynamic();
  Status readSymbols();
  Status readRelocations();
  Status checkRelocation(const Elf64_Rela &relocation) const;
  Status checkStateless() const;
  Status map(HostImage &image);

  // Bytes of the loaded memory as the file has them; only inside one segment's file part.
  bool memory(uint64_t address, uint64_t size, ElfBytes &out) const;
  bool insideRelro(uint64_t address, uint64_t size) const;
  Result<uint64_t> symbolCount() const;

  ElfBytes file;
  std::vector<Elf64_Phdr> loads;
  Elf64_Phdr dynamic{}, relro{};
  uint64_t low = 0, high = 0; // page-rounded span of all segments
  std::map<int64_t, uint64_t> tags;
  ElfBytes strings, symbols;
  std::vector<Elf64_Rela> relocations;
  std::vector<Function> functions;
};

bool HostImage::Loader::memory(uint64_t address, uint64_t size, ElfBytes &out) const {
  for (const Elf64_Phdr &p : loads)
    if (address >= p.p_vaddr && address - p.p_vaddr <= p.p_filesz &&
        size <= p.p_filesz - (address - p.p_vaddr))
      return elfSlice(file, p.p_offset + (address - p.p_vaddr), size, out);
  return false;
}

bool HostImage::Loader::insideRelro(uint64_t address, uint64_t size) const {
  return address >= relro.p_vaddr && address - relro.p_vaddr <= relro.p_memsz &&
         size <= relro.p_memsz - (address - relro.p_vaddr);
}

static Status checkLoad(const Elf64_Phdr &p, ElfBytes file, uint64_t previousEnd) {
  ElfBytes content;
  if (!elfSlice(file, p.p_offset, p.p_filesz, content) || p.p_filesz > p.p_memsz)
    CORRUPT("a segment does not lie inside the file");
  if (p.p_vaddr > kMaxSpan || p.p_memsz > kMaxSpan)
    CORRUPT("a segment ends at %llu, beyond the limit of 1 GiB",
            (unsigned long long)(p.p_vaddr + p.p_memsz));
  if (p.p_vaddr % kPage != p.p_offset % kPage)
    CORRUPT("a segment is not aligned to pages");
  if (p.p_vaddr / kPage * kPage < previousEnd)
    CORRUPT("segments overlap or share a page");
  if ((p.p_flags & PF_W) && (p.p_flags & PF_X))
    REFUSE("a segment is both writable and executable");
  return {};
}

Status HostImage::Loader::readSegments() {
  TL_ASSIGN(Elf64_Ehdr header, elfHeader(file, EM_X86_64, ET_DYN, "host image"));
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    CORRUPT("program headers of %u bytes", header.e_phentsize);
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr p;
    if (header.e_phoff > file.size() || !elfRead(file, header.e_phoff + i * sizeof p, p))
      CORRUPT("the program headers do not lie inside the file");
    switch (p.p_type) {
    case PT_LOAD:
      if (p.p_memsz == 0)
        break;
      TL_TRY(checkLoad(p, file, loads.empty() ? 0 : high));
      if (loads.empty())
        low = p.p_vaddr / kPage * kPage;
      high = (p.p_vaddr + p.p_memsz + kPage - 1) / kPage * kPage;
      loads.push_back(p);
      break;
    case PT_DYNAMIC:
      dynamic = p;
      break;
    case PT_GNU_RELRO:
      relro = p;
      break;
    case PT_TLS:
      REFUSE("it has thread-local storage");
    case PT_INTERP:
      REFUSE("it asks for the program interpreter");
    default:
      break;
    }
  }
  if (loads.empty())
    CORRUPT("no segment is loaded");
  if (dynamic.p_type != PT_DYNAMIC)
    CORRUPT("there is no dynamic section");
  return {};
}

// What a tag would need a real loader for; nullptr for harmless ones.
static const char *refusedTag(int64_t tag) {
  switch (tag) {
  case DT_NEEDED:
    return "it needs other libraries";
  case DT_INIT:
  case DT_FINI:
  case DT_INIT_ARRAY:
  case DT_FINI_ARRAY:
  case DT_PREINIT_ARRAY:
    return "it has constructors or destructors";
  case DT_REL:
    return "it has relocations without addend";
  case DT_RELR:
  case DT_RELRSZ:
    return "it has packed relocations";
  case DT_TEXTREL:
    return "its code needs relocation";
  case DT_VERNEED:
    return "it needs symbol versions";
  default:
    return nullptr;
  }
}

Status HostImage::Loader::readDynamic() {
  ElfBytes table;
  if (!memory(dynamic.p_vaddr, dynamic.p_filesz, table) || table.size() % sizeof(Elf64_Dyn))
    CORRUPT("the dynamic section does not lie inside a segment");
  bool ended = false;
  for (uint64_t at = 0; at < table.size() && !ended; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    elfRead(table, at, entry);
    if (const char *why = refusedTag(entry.d_tag))
      REFUSE("%s", why);
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL))
      REFUSE("its code needs relocation");
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_STATIC_TLS))
      REFUSE("it uses thread-local storage");
    ended = entry.d_tag == DT_NULL;
    if (!ended && !tags.emplace(entry.d_tag, entry.d_un.d_val).second)
      CORRUPT("the dynamic tag %lld stands twice", (long long)entry.d_tag);
  }
  if (!ended)
    CORRUPT("the dynamic section has no end");
  return {};
}

Result<uint64_t> HostImage::Loader::symbolCount() const {
  if (auto hash = tags.find(DT_HASH); hash != tags.end()) {
    ElfBytes head;
    uint32_t chains = 0;
    if (!memory(hash->second, 8, head) || !elfRead(head, 4, chains))
      CORRUPT("the hash table does not lie inside a segment");
    return uint64_t(chains);
  }
  auto hash = tags.find(DT_GNU_HASH);
  if (hash == tags.end())
    CORRUPT("there is no hash table");
  // Buckets hold the first symbol of each chain; the last chain ends at an odd hash value.
  ElfBytes bytes;
  uint32_t head[4];
  if (!memory(hash->second, sizeof head, bytes) || !elfRead(bytes, 0, head))
    CORRUPT("the hash table does not lie inside a segment");
  uint64_t buckets = hash->second + sizeof head + uint64_t(head[2]) * 8;
  uint64_t chains = buckets + uint64_t(head[0]) * 4;
  if (!memory(buckets, uint64_t(head[0]) * 4, bytes))
    CORRUPT("the hash table does not lie inside a segment");
  uint64_t last = 0;
  for (uint64_t i = 0; i < head[0]; ++i) {
    uint32_t first = 0;
    elfRead(bytes, i * 4, first);
    last = std::max<uint64_t>(last, first);
  }
  if (last == 0) // nothing is exported
    return uint64_t(head[1]);
  if (last < head[1])
    CORRUPT("the hash table is malformed");
  for (;; ++last) {
    uint32_t value = 0;
    if (!memory(chains + (last - head[1]) * 4, 4, bytes) || !elfRead(bytes, 0, value))
      CORRUPT("a hash chain does not end");
    if (value & 1)
      return last + 1;
  }
}

Status HostImage::Loader::readSymbols() {
  TL_ASSIGN(uint64_t count, symbolCount());
  if (!tags.count(DT_SYMTAB) || !tags.count(DT_STRTAB) || !tags.count(DT_STRSZ) ||
      tags[DT_SYMENT] != sizeof(Elf64_Sym))
    CORRUPT("there is no symbol table");
  if (count > file.size() || !memory(tags[DT_SYMTAB], count * sizeof(Elf64_Sym), symbols) ||
      !memory(tags[DT_STRTAB], tags[DT_STRSZ], strings))
    CORRUPT("the symbol table does not lie inside a segment");
  for (uint64_t i = 1; i < count; ++i) {
    Elf64_Sym symbol;
    elfRead(symbols, i * sizeof symbol, symbol);
    std::string name(elfString(strings, symbol.st_name));
    unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (name.empty())
      CORRUPT("symbol %llu has no name", (unsigned long long)i);
    if (symbol.st_shndx == SHN_UNDEF)
      REFUSE("it imports '%s'", name.c_str());
    if (type == STT_TLS)
      REFUSE("'%s' is thread-local", name.c_str());
    if (type == STT_GNU_IFUNC)
      REFUSE("'%s' is an indirect function (IFUNC)", name.c_str());
    if (type != STT_FUNC)
      continue;
    bool executable = std::any_of(loads.begin(), loads.end(), [&](const Elf64_Phdr &p) {
      return (p.p_flags & PF_X) && symbol.st_value >= p.p_vaddr &&
             symbol.st_value - p.p_vaddr < p.p_filesz &&
             symbol.st_size <= p.p_filesz - (symbol.st_value - p.p_vaddr);
    });
    if (!executable)
      CORRUPT("'%s' does not lie in executable memory", name.c_str());
    functions.push_back({std::move(name), symbol.st_value, symbol.st_size});
  }
  return {};
}

Status HostImage::Loader::checkRelocation(const Elf64_Rela &r) const {
  uint32_t type = ELF64_R_TYPE(r.r_info), index = ELF64_R_SYM(r.r_info);
  if (type == R_X86_64_IRELATIVE)
    REFUSE("it has an indirect function (IFUNC)");
  if (type == R_X86_64_DTPMOD64 || type == R_X86_64_DTPOFF64 || type == R_X86_64_TPOFF64)
    REFUSE("it uses thread-local storage");
  if (type != R_X86_64_RELATIVE || index != 0) {
    Elf64_Sym symbol{};
    elfRead(symbols, uint64_t(index) * sizeof symbol, symbol);
    REFUSE("it has a relocation of type %u against '%s'; only R_X86_64_RELATIVE is allowed", type,
           std::string(elfString(strings, symbol.st_name)).c_str());
  }
  bool writable = std::any_of(loads.begin(), loads.end(), [&](const Elf64_Phdr &p) {
    return (p.p_flags & PF_W) && r.r_offset >= p.p_vaddr && p.p_memsz >= 8 &&
           r.r_offset - p.p_vaddr <= p.p_memsz - 8;
  });
  if (!writable)
    CORRUPT("a relocation changes memory at %llu, outside of the relocated data",
            (unsigned long long)r.r_offset);
  if (uint64_t(r.r_addend) < low || uint64_t(r.r_addend) > high)
    CORRUPT("a relocation points outside of the image");
  return {};
}

Status HostImage::Loader::readRelocations() {
  for (auto [start, bytes] : {std::pair(DT_RELA, DT_RELASZ), std::pair(DT_JMPREL, DT_PLTRELSZ)}) {
    uint64_t size = tags.count(bytes) ? tags[bytes] : 0;
    ElfBytes table;
    if (size == 0)
      continue;
    if (!tags.count(start) || size % sizeof(Elf64_Rela) || !memory(tags[start], size, table))
      CORRUPT("the relocations do not lie inside a segment");
    for (uint64_t at = 0; at < size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      elfRead(table, at, r);
      TL_TRY(checkRelocation(r));
      relocations.push_back(r);
    }
  }
  return {};
}

Status HostImage::Loader::checkStateless() const {
  for (const Elf64_Phdr &p : loads)
    if ((p.p_flags & PF_W) && !insideRelro(p.p_vaddr, p.p_memsz))
      REFUSE("it has writable data; kernels keep no state");
  return {};
}

Status HostImage::Loader::map(HostImage &image) {
  size_t span = high - low;
  void *memory = mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return makeError(TL_E_OUT_OF_MEMORY, "no memory for a host image of %zu bytes", span);
  image.mapping = static_cast<uint8_t *>(memory);
  image.mappedSize = span;
  image.bias = reinterpret_cast<uintptr_t>(memory) - low;
  for (const Elf64_Phdr &p : loads)
    std::memcpy(image.mapping + (p.p_vaddr - low), file.data() + p.p_offset, p.p_filesz);
  for (const Elf64_Rela &r : relocations) {
    uint64_t value = image.bias + uint64_t(r.r_addend);
    std::memcpy(image.mapping + (r.r_offset - low), &value, sizeof value);
  }
  // Everything becomes read-only, the gaps between segments inaccessible; code can be read and
  // executed.
  bool ok = mprotect(memory, span, PROT_NONE) == 0;
  for (const Elf64_Phdr &p : loads) {
    uint64_t start = p.p_vaddr / kPage * kPage;
    uint64_t end = (p.p_vaddr + p.p_memsz + kPage - 1) / kPage * kPage;
    int protection = PROT_READ | ((p.p_flags & PF_X) ? PROT_EXEC : 0);
    ok = ok && mprotect(image.mapping + (start - low), end - start, protection) == 0;
  }
  if (!ok)
    return makeError(TL_E_UNSUPPORTED,
                     "the system does not let this process make memory executable (error %d)",
                     errno);
  image.functions_ = std::move(functions);
  return {};
}

Result<std::unique_ptr<HostImage>> HostImage::load(ElfBytes file) {
  Loader loader(file);
  TL_TRY(loader.readSegments());
  TL_TRY(loader.readDynamic());
  TL_TRY(loader.readSymbols());
  TL_TRY(loader.readRelocations());
  TL_TRY(loader.checkStateless()); // after what names the reason better
  std::unique_ptr<HostImage> image(new HostImage);
  TL_TRY(loader.map(*image));
  return image;
}

HostImage::~HostImage() {
  if (mapping)
    munmap(mapping, mappedSize);
}

void *HostImage::find(std::string_view symbol) const {
  for (const Function &function : functions_)
    if (function.name == symbol)
      return reinterpret_cast<void *>(bias + function.value);
  return nullptr;
}

} // namespace tl
