// A compile request: everything a build depends on, as bytes. Equal requests give equal artifacts;
// the bytes are the key of caches. Source locations are not part of it: code is mapped to lines of
// the canonical text, and whoever has the author's graph maps those lines to the author's source.
#pragma once

#include "support/bytes.h"
#include "support/result.h"

namespace tl {

struct Request {
  Bytes graph;                       // canonical, instantiated graph, binary form without locations
  std::string target;                // fully resolved: "amdgcn:gfx942", "host:x86-64-v3+..."
  int32_t optLevel = 2;              // LLVM optimization level 0..3
  bool debugInfo = true;             // line tables
  bool embedGraph = true;            // keep the graph in the artifact
  uint32_t threads = 0;              // threads per program; 0 = chosen
  std::vector<std::string> listings; // "llvm", "asm", "passes"
};

Bytes encodeRequest(const Request &request);
Result<Request> decodeRequest(std::span<const uint8_t> bytes);

} // namespace tl
