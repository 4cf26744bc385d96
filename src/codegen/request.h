// A compile request: everything a build depends on, as bytes. Equal requests give equal artifacts.
#pragma once

#include "support/bytes.h"
#include "support/result.h"

namespace tl {

struct Request {
  Bytes graph;                       // canonical, instantiated graph, binary form without locations
  Bytes locations;                   // location section of the binary form; not part of the key
  std::string target;                // fully resolved: "amdgcn:gfx942", "host:x86-64-v3+..."
  int32_t optLevel = 2;              // LLVM optimization level 0..3
  bool debugInfo = true;             // line tables
  bool embedGraph = true;            // keep the graph in the artifact
  uint32_t threads = 0;              // threads per program; 0 = chosen
  std::vector<std::string> listings; // "llvm", "asm"
};

Bytes encodeRequest(const Request &request);
/// The bytes that name the request in caches: all but the locations.
Bytes requestKey(const Request &request);
Result<Request> decodeRequest(std::span<const uint8_t> bytes);

} // namespace tl
