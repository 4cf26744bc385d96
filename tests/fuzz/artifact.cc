// The reader of artifacts. The checksums and the size of the body are made right first, so that the
// fuzzer reaches what stands behind them; what is taken is written as bytes that read back.
#include "artifact/artifact.h"
#include "artifact/format.h"
#include "fuzz/fuzz.h"
#include "support/hash.h"

#include <cstring>

namespace {

using namespace tl;

void put64(Bytes &bytes, size_t at, uint64_t value) { std::memcpy(bytes.data() + at, &value, 8); }

/// The first half of the rest is the body and what follows the locations, where the input itself
/// does not say.
void makeWhole(Bytes &bytes) {
  constexpr size_t least = tlk::kHeaderBytes + tlk::kChecksumBytes;
  if (bytes.size() < least + tlk::kLocationFrameBytes)
    return;
  std::memcpy(bytes.data(), tlk::kMagic, sizeof tlk::kMagic);
  uint64_t body = 0;
  std::memcpy(&body, bytes.data() + 16, 8);
  size_t most = bytes.size() - tlk::kLocationFrameBytes;
  if (body < least || body > most)
    body = most;
  put64(bytes, 16, body);
  put64(bytes, body - 8, checksumBytes(std::span(bytes).first(body - 8)));
  std::memcpy(bytes.data() + body, &tlk::kLocationMarker, 4);
  std::memset(bytes.data() + body + 4, 0, 4);
  put64(bytes, body + 8, bytes.size() - body - tlk::kLocationFrameBytes);
  size_t frame = bytes.size() - 8;
  put64(bytes, frame, checksumBytes(std::span(bytes).subspan(body, frame - body)));
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes(data, data + size);
  makeWhole(bytes);
  auto artifact = readArtifact(bytes);
  if (!artifact.ok())
    return 0;
  MUST(validateArtifact(*artifact).ok());
  Bytes written = writeArtifact(*artifact);
  auto again = readArtifact(written);
  MUST(again.ok() && writeArtifact(*again) == written);
  int64_t zeros[256] = {};
  const int64_t *none[256];
  for (const int64_t *&p : none)
    p = zeros;
  for (const Expr &expr : artifact->grid)
    (void)evaluate(expr, {zeros, none, none});
  return 0;
}
