// The reader of binary graphs: what it takes is written as bytes that read back as themselves.
#include "fuzz/fuzz.h"
#include "graph/binary.h"
#include "graph/canonical.h"
#include "graph/interface.h"
#include "graph/text.h"
#include "graph/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto graph = tl::readGraph({data, size});
  if (!graph.ok())
    return 0;
  MUST(tl::verify(*graph).ok());
  tl::Bytes bytes = tl::writeGraph(*graph);
  auto again = tl::readGraph(bytes);
  MUST(again.ok() && tl::writeGraph(*again) == bytes);
  MUST(tl::parseText(tl::printText(*graph).text, "fuzz.tile").ok());
  if (auto bound = tl::instantiate(*graph, {}); bound.ok()) {
    tl::Graph canonical = tl::canonicalize(*bound);
    MUST(tl::verify(canonical).ok());
    if (auto artifact = tl::describeKernel(canonical); artifact.ok())
      MUST(canonical.kernel.args.size() == artifact->args.size());
  }
  return 0;
}
