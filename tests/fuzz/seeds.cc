// fuzz_seeds FOLDER FILE...: what the fuzzers start from, made of texts: FOLDER/text holds them,
// FOLDER/graph their binary forms, FOLDER/artifact artifacts that hold the graph and no code.
#include "graph/binary.h"
#include "graph/canonical.h"
#include "graph/interface.h"
#include "graph/text.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

static void write(const fs::path &path, const void *bytes, size_t size) {
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char *>(bytes), std::streamsize(size));
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  fs::path folder = argv[1];
  for (const char *kind : {"text", "graph", "artifact", "calls"})
    fs::create_directories(folder / kind);
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::string name = fs::path(argv[i]).stem().string();
    if (text.size() > 8192)
      continue;
    write(folder / "text" / name, text.data(), text.size());
    auto graph = tl::parseText(text, name);
    if (!graph.ok())
      continue;
    tl::Bytes bytes = tl::writeGraph(*graph);
    write(folder / "graph" / name, bytes.data(), bytes.size());
    auto bound = tl::instantiate(*graph, {});
    if (!bound.ok())
      continue;
    auto artifact = tl::describeKernel(tl::canonicalize(*bound));
    if (!artifact.ok())
      continue;
    if (!artifact->isSequence()) {
      tl::TargetCode code;
      code.target = "interp";
      artifact->codes.push_back(code);
    }
    artifact->locations.push_back({1, {"seed.tile", 1, 1}});
    bytes = tl::writeArtifact(*artifact);
    write(folder / "artifact" / name, bytes.data(), bytes.size());
  }
  return 0;
}
