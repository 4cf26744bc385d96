// tl-gen ops.h|tile_ir.md|ops.json: prints a file that is generated from ops.def.
#include "graph/gen/gen.h"

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  constexpr struct {
    const char *kind;
    std::string (*print)();
  } kinds[] = {{"ops.h", tl::gen::operationsHeader},
               {"tile_ir.md", tl::gen::referencePage},
               {"ops.json", tl::gen::operationsJson}};
  for (const auto &kind : kinds)
    if (argc == 2 && std::strcmp(argv[1], kind.kind) == 0) {
      std::string text = kind.print();
      return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
  std::fprintf(stderr, "usage: tl-gen ops.h|tile_ir.md|ops.json\n");
  return 2;
}
