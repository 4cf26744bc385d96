// ByteWriter / ByteReader: the one way bytes are written and read back (graphs, artifacts, errors).
// Little endian; the reader never reads past its end and remembers the first failure.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

using Bytes = std::vector<uint8_t>;

class ByteWriter {
public:
  void u8(uint8_t v) { out.push_back(v); }
  void u32(uint32_t v) { raw(&v, 4); }
  void u64(uint64_t v) { raw(&v, 8); }
  void f64(double v) { raw(&v, 8); }
  /// Unsigned LEB128.
  void varint(uint64_t v) {
    while (v >= 0x80) {
      out.push_back(uint8_t(v) | 0x80);
      v >>= 7;
    }
    out.push_back(uint8_t(v));
  }
  /// Signed integer, zigzag LEB128.
  void svarint(int64_t v) { varint((uint64_t(v) << 1) ^ uint64_t(v >> 63)); }
  void string(std::string_view s) {
    varint(s.size());
    raw(s.data(), s.size());
  }
  void bytes(std::span<const uint8_t> b) {
    varint(b.size());
    raw(b.data(), b.size());
  }
  void raw(const void *p, size_t n) {
    auto *b = static_cast<const uint8_t *>(p);
    out.insert(out.end(), b, b + n);
  }
  Bytes out;
};

class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> data) : data(data) {}
  /// False after any read that went past the end or met a malformed number.
  bool ok() const { return good; }
  bool atEnd() const { return position == data.size(); }
  size_t offset() const { return position; }
  size_t remaining() const { return data.size() - position; }
  void fail() {
    good = false;
    position = data.size();
  }

  uint8_t u8() {
    uint8_t v = 0;
    raw(&v, 1);
    return v;
  }
  uint32_t u32() {
    uint32_t v = 0;
    raw(&v, 4);
    return v;
  }
  uint64_t u64() {
    uint64_t v = 0;
    raw(&v, 8);
    return v;
  }
  double f64() {
    double v = 0;
    raw(&v, 8);
    return v;
  }
  /// Unsigned LEB128; only the shortest encoding is accepted, so equal values have equal bytes.
  uint64_t varint() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t b = u8();
      if (!good)
        return 0;
      if (shift == 63 && b > 1)
        break;
      v |= uint64_t(b & 0x7f) << shift;
      if (!(b & 0x80)) {
        if (b == 0 && shift != 0)
          break;
        return v;
      }
    }
    fail();
    return 0;
  }
  int64_t svarint() {
    uint64_t v = varint();
    return int64_t(v >> 1) ^ -int64_t(v & 1);
  }
  /// A count of things that take at least `minBytes` each: refuses counts the input cannot hold.
  size_t count(size_t minBytes = 1) {
    uint64_t n = varint();
    if (good && n > remaining() / (minBytes ? minBytes : 1)) {
      fail();
      return 0;
    }
    return size_t(n);
  }
  std::string string() {
    size_t n = count();
    std::string s(reinterpret_cast<const char *>(data.data()) + position, n);
    position += n;
    return s;
  }
  std::span<const uint8_t> bytes() {
    size_t n = count();
    auto s = data.subspan(position, n);
    position += n;
    return s;
  }
  void raw(void *p, size_t n) {
    if (n > remaining()) {
      fail();
      std::memset(p, 0, n);
      return;
    }
    std::memcpy(p, data.data() + position, n);
    position += n;
  }

private:
  std::span<const uint8_t> data;
  size_t position = 0;
  bool good = true;
};

} // namespace tl
