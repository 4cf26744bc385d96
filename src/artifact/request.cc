#include "artifact/request.h"

namespace tl {

namespace {
constexpr uint32_t requestMagic = 0x52474c54; // "TLGR"
constexpr uint8_t requestVersion = 1;
} // namespace

Bytes encodeRequest(const Request &request) {
  ByteWriter w;
  w.u32(requestMagic);
  w.u8(requestVersion);
  w.string(request.target);
  w.u8(uint8_t(request.optLevel));
  w.u8(uint8_t(request.debugInfo | request.embedGraph << 1));
  w.varint(request.threads);
  w.varint(request.listings.size());
  for (const std::string &listing : request.listings)
    w.string(listing);
  w.bytes(request.graph);
  return std::move(w.out);
}

Result<Request> decodeRequest(std::span<const uint8_t> bytes) {
  ByteReader r(bytes);
  if (r.u32() != requestMagic || r.u8() != requestVersion)
    return makeError(TL_E_CORRUPT, "these bytes are not a compile request of this version");
  Request request;
  request.target = r.string();
  request.optLevel = r.u8();
  uint8_t flags = r.u8();
  request.debugInfo = flags & 1;
  request.embedGraph = flags & 2;
  request.threads = uint32_t(r.varint());
  size_t listings = r.count();
  for (size_t i = 0; i < listings && r.ok(); ++i)
    request.listings.push_back(r.string());
  auto graph = r.bytes();
  request.graph.assign(graph.begin(), graph.end());
  if (!r.ok() || !r.atEnd() || request.optLevel > 3 || flags > 3)
    return makeError(TL_E_CORRUPT, "the compile request is damaged");
  return request;
}

} // namespace tl
