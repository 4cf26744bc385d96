#include "emu/offload_bundle.h"

#include <algorithm>
#include <memory>
#include <new>
#include <zlib.h>
#include <zstd.h>

namespace tl::emu {
namespace {

constexpr char kMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t kMagicBytes = sizeof(kMagic) - 1;
constexpr uint64_t kMostBytes = uint64_t(1) << 31;

template <class T> T get(const uint8_t *p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

ErrorPtr damaged(const char *what) {
  return makeError(TL_E_CORRUPT, "the offload bundle is damaged: %s", what);
}

// Plain: magic, u64 count, then for each entry u64 offset, u64 size, u64 id length, id.
Result<Bytes> readPlain(const uint8_t *data, size_t bytes, const std::string &chip) {
  size_t at = kMagicBytes;
  if (bytes < at + 8)
    return damaged("it is shorter than its header");
  uint64_t count = get<uint64_t>(data + at);
  at += 8;
  std::string others;
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes - at < 24 || count > 4096)
      return damaged("its table of entries");
    uint64_t offset = get<uint64_t>(data + at), size = get<uint64_t>(data + at + 8),
             length = get<uint64_t>(data + at + 16);
    at += 24;
    if (length > 4096 || length > bytes - at)
      return damaged("an entry's name");
    std::string id(reinterpret_cast<const char *>(data) + at, length);
    at += length;
    if (offset > bytes || size > bytes - offset || size > kMostBytes)
      return damaged("an entry lies outside");
    // "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
    size_t name = id.rfind("--");
    std::string processor = name == std::string::npos ? id : id.substr(name + 2);
    processor = processor.substr(0, processor.find(':'));
    if (processor == chip && id.find("amdgcn") != std::string::npos && size)
      return Bytes(data + offset, data + offset + size);
    if (!processor.empty())
      others += (others.empty() ? "" : ", ") + processor;
  }
  return makeError(TL_E_UNSUPPORTED, "the offload bundle holds no code for %s, only for: %s",
                   chip.c_str(), others.empty() ? "nothing" : others.substr(0, 500).c_str());
}

// Compressed: "CCOB", u16 version, u16 method (0 zlib, 1 zstd), then in version 2 the sizes as u32,
// in version 3 as u64: whole file (since version 2), uncompressed; last a u64 hash.
Result<Bytes> readCompressed(const uint8_t *data, size_t bytes, bool sizeKnown,
                             const std::string &chip) {
  if (bytes < 24)
    return damaged("it is shorter than its header");
  unsigned version = get<uint16_t>(data + 4), method = get<uint16_t>(data + 6);
  size_t at = 8;
  uint64_t whole = bytes, plain;
  if (version == 3) {
    if (bytes < 32)
      return damaged("it is shorter than its header");
    whole = get<uint64_t>(data + 8), plain = get<uint64_t>(data + 16), at = 24;
  } else if (version == 2) {
    whole = get<uint32_t>(data + 8), plain = get<uint32_t>(data + 12), at = 16;
  } else if (version == 1 && sizeKnown) {
    plain = get<uint32_t>(data + 8), at = 12;
  } else {
    return makeError(TL_E_CORRUPT, "a compressed offload bundle of unknown version %u", version);
  }
  at += 8;
  if (whole > bytes || whole < at || plain > kMostBytes)
    return damaged("its sizes");
  // Untouched until there is something in it: the header may say anything.
  std::unique_ptr<uint8_t[]> out(new (std::nothrow) uint8_t[plain]);
  if (!out)
    return makeError(TL_E_OUT_OF_MEMORY, "no memory for the %llu bytes of an offload bundle",
                     static_cast<unsigned long long>(plain));
  if (method == 1) {
    size_t got = ZSTD_decompress(out.get(), plain, data + at, whole - at);
    if (ZSTD_isError(got) || got != plain)
      return damaged("its compressed data");
  } else if (method == 0) {
    uLongf got = plain;
    if (uncompress(out.get(), &got, data + at, whole - at) != Z_OK || got != plain)
      return damaged("its compressed data");
  } else {
    return makeError(TL_E_CORRUPT, "a compressed offload bundle of unknown method %u", method);
  }
  if (plain < kMagicBytes || std::memcmp(out.get(), kMagic, kMagicBytes) != 0)
    return damaged("no bundle inside");
  return readPlain(out.get(), plain, chip);
}

} // namespace

Result<Bytes> readOffloadBundle(const uint8_t *data, size_t bytes, bool sizeKnown,
                                const std::string &chip) {
  if (bytes >= 4 && std::memcmp(data, "CCOB", 4) == 0)
    return readCompressed(data, bytes, sizeKnown, chip);
  if (bytes >= kMagicBytes && std::memcmp(data, kMagic, kMagicBytes) == 0)
    return readPlain(data, bytes, chip);
  std::string start; // of a file in hand; what else lies behind a pointer is not the caller's
  for (size_t i = 0; sizeKnown && i < std::min<size_t>(bytes, 16); ++i)
    start += data[i] >= ' ' && data[i] < 127 ? std::string(1, char(data[i]))
                                             : formatString("\\x%02x", unsigned(data[i]));
  if (start.empty())
    return makeError(TL_E_CORRUPT, "neither an ELF file nor an offload bundle");
  return makeError(TL_E_CORRUPT,
                   "neither an ELF file nor an offload bundle: %zu bytes that start with \"%s\"",
                   bytes, start.c_str());
}

} // namespace tl::emu
