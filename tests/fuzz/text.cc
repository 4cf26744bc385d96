// The text parser: whatever it takes prints to a text that it takes, and that prints to itself.
#include "graph/text.h"
#include "fuzz/fuzz.h"
#include "graph/canonical.h"
#include "graph/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto module = tl::parseModule({reinterpret_cast<const char *>(data), size}, "fuzz.tile");
  if (!module.ok()) {
    MUST(!module.error().message.empty() && !module.error().diagnostics.empty());
    return 0;
  }
  for (const auto &member : module->members) {
    MUST(tl::verify(*member).ok());
    if (auto bound = tl::instantiate(*member, {}); bound.ok())
      MUST(tl::verify(tl::canonicalize(*bound)).ok());
  }
  std::string text = tl::printModule(*module);
  auto again = tl::parseModule(text, "again.tile");
  MUST(again.ok());
  MUST(tl::printModule(*again) == text);
  return 0;
}
