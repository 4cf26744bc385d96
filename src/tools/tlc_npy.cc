#include "tlc_npy.h"

#include "tlc_common.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tlc {

namespace {

/// The text after 'key': in the header's dictionary.
std::string entry(const std::string &header, const char *key, const std::string &path) {
  size_t at = header.find(std::string("'") + key + "'");
  size_t colon = at == std::string::npos ? at : header.find(':', at);
  if (colon == std::string::npos)
    fail("%s: the .npy header has no '%s'", path.c_str(), key);
  size_t begin = header.find_first_not_of(' ', colon + 1);
  return begin == std::string::npos ? std::string() : header.substr(begin);
}

std::vector<int64_t> parseShape(const std::string &text, const std::string &path) {
  std::vector<int64_t> shape;
  size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string::npos)
    fail("%s: the .npy header has a malformed shape", path.c_str());
  const char *p = text.c_str() + 1;
  const char *last = text.c_str() + end;
  while (p < last) {
    char *after = nullptr;
    long long n = std::strtoll(p, &after, 10);
    if (after == p)
      break;
    if (n < 0 || shape.size() == TL_MAX_VIEW_RANK)
      fail("%s: an array of this shape is not supported", path.c_str());
    shape.push_back(n);
    p = after;
    while (p < last && (*p == ',' || *p == ' ' || *p == 'L'))
      ++p;
  }
  return shape;
}

} // namespace

Array readNpy(const std::string &path) {
  std::vector<uint8_t> file = readFile(path);
  if (file.size() < 12 || std::memcmp(file.data(), "\x93NUMPY", 6) != 0 || file[6] < 1 ||
      file[6] > 3)
    fail("%s is not a .npy file", path.c_str());
  size_t lengthBytes = file[6] == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(file[8 + i]) << (8 * i);
  size_t begin = 8 + lengthBytes;
  if (length > file.size() - begin)
    fail("%s is truncated", path.c_str());
  std::string header(file.begin() + long(begin), file.begin() + long(begin + length));
  Array array;
  std::string type = entry(header, "descr", path);
  if (type.size() < 4 || type[0] != '\'' || type.find('\'', 1) == std::string::npos)
    fail("%s: only plain element types are supported", path.c_str());
  array.type = type.substr(1, type.find('\'', 1) - 1);
  if (entry(header, "fortran_order", path).rfind("False", 0) != 0)
    fail("%s: the array is in Fortran order; save it with numpy.ascontiguousarray", path.c_str());
  array.shape = parseShape(entry(header, "shape", path), path);
  array.bytes.assign(file.begin() + long(begin + length), file.end());
  uint64_t size = std::strtoull(array.type.c_str() + (array.type.empty() ? 0 : 2), nullptr, 10);
  unsigned __int128 want = size;
  for (int64_t n : array.shape)
    want = want > UINT64_MAX ? want : want * uint64_t(n);
  if (want != array.bytes.size())
    fail("%s: the data has %zu bytes, its header says otherwise", path.c_str(), array.bytes.size());
  return array;
}

void writeNpy(const std::string &path, const std::string &type, const std::vector<int64_t> &shape,
              const void *bytes, size_t size) {
  std::string dims;
  for (int64_t n : shape)
    dims += std::to_string(n) + ", ";
  if (shape.size() > 1)
    dims.resize(dims.size() - 2);
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  // The data starts at a multiple of 64 bytes.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - 11, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += char(header.size() & 255);
  out += char(header.size() >> 8);
  out += header;
  out.append(static_cast<const char *>(bytes), size);
  writeFile(path, out.data(), out.size());
}

} // namespace tlc
