// Code objects that are damaged or lie, and code that goes astray: errors, never a crash.
// test-timeout: 300
#include "emu_test.h"
#include "opcode_case.h"

#include <algorithm>
#include <zstd.h>

using namespace emutest;

namespace {

std::vector<uint8_t> goodObject() { return kernelFile("vector_add", "gfx942", 1); }

struct Arguments {
  Machine machine;
  uint64_t a, c;
  explicit Arguments(Options options = {}) : machine("gfx942", options) {
    a = machine.upload(std::vector<float>(64));
    c = machine.upload(std::vector<float>(64));
  }
  LaunchStatus launch() { return machine.launch("vectorAdd", {1}, {64}, a, a, c, 64).status; }
};

// The bytes behind a key of the metadata.
size_t behind(const std::vector<uint8_t> &image, const std::string &key) {
  auto at = std::search(image.begin(), image.end(), key.begin(), key.end());
  return size_t(at - image.begin()) + key.size();
}

template <class T> void append(std::vector<uint8_t> &out, T value) {
  auto *raw = reinterpret_cast<const uint8_t *>(&value);
  out.insert(out.end(), raw, raw + sizeof(value));
}

std::vector<uint8_t>
bundleOf(const std::vector<std::pair<std::string, std::vector<uint8_t>>> &all) {
  std::string magic = "__CLANG_OFFLOAD_BUNDLE__";
  std::vector<uint8_t> out(magic.begin(), magic.end());
  append(out, uint64_t(all.size()));
  uint64_t offset = out.size();
  for (const auto &[id, image] : all)
    offset += 24 + id.size();
  for (const auto &[id, image] : all) {
    append(out, offset);
    append(out, uint64_t(image.size()));
    append(out, uint64_t(id.size()));
    out.insert(out.end(), id.begin(), id.end());
    offset += image.size();
  }
  for (const auto &[id, image] : all)
    out.insert(out.end(), image.begin(), image.end());
  return out;
}

} // namespace

UNIT_TEST(what_is_no_image_is_refused) {
  Machine machine("gfx942");
  CHECK(machine.load({}) == LoadStatus::NotAnImage);
  CHECK(machine.load({0x7f, 'E', 'L', 'F'}) == LoadStatus::NotAnImage);
  CHECK(machine.load(std::vector<uint8_t>(1000, 0)) == LoadStatus::NotAnImage);
  // An ELF file of the host.
  CHECK(machine.load(readFile("/proc/self/exe")) == LoadStatus::NotAnImage);
  CHECK(machine.message.find("no code object") != std::string::npos);
}

UNIT_TEST(other_chips_are_told_apart) {
  Machine machine("gfx942");
  CHECK(machine.load(kernelFile("vector_add", "gfx1100", 1)) == LoadStatus::WrongChip);
}

UNIT_TEST(truncated_at_every_byte) {
  Machine machine("gfx942");
  auto image = goodObject();
  for (size_t size = 0; size < image.size(); ++size)
    // Exact memory, so that sanitizers see a byte too many.
    if (machine.load(std::vector<uint8_t>(image.begin(), image.begin() + ptrdiff_t(size))) ==
        LoadStatus::Ok)
      return unit::fail(__FILE__, __LINE__, "loaded " + std::to_string(size) + " bytes");
}

UNIT_TEST(bits_flipped_everywhere) {
  Options options;
  options.instructionBudget = 10000;
  options.threads = 1;
  Arguments test(options);
  auto image = goodObject();
  size_t loaded = 0, ran = 0;
  for (size_t at = 0; at < image.size(); ++at) {
    auto damaged = image;
    damaged[at] ^= uint8_t(1u << (at * 7 % 8));
    if (test.machine.load(damaged) != LoadStatus::Ok)
      continue;
    ++loaded;
    if (!test.machine.module->findKernel("vectorAdd"))
      continue;
    LaunchRequest request;
    request.kernel = test.machine.module->findKernel("vectorAdd");
    request.block[0] = 64;
    struct {
      uint64_t a, b, c;
      int n;
    } arguments = {test.a, test.a, test.c, 64};
    request.kernarg = &arguments;
    request.kernargBytes = sizeof(arguments);
    ran += test.machine.emulator->launch(request).status == LaunchStatus::Ok;
  }
  std::printf("%zu bytes, %zu loaded, %zu ran\n", image.size(), loaded, ran);
  CHECK(loaded > 0 && ran > 0 && loaded < image.size());
}

UNIT_TEST(metadata_that_lies) {
  Machine machine("gfx942");
  auto image = goodObject();
  auto with = [&](const std::string &key, uint8_t value) {
    auto changed = image;
    size_t at = behind(image, key);
    if (at >= image.size()) {
      unit::fail(__FILE__, __LINE__, "no key " + key);
      return LoadStatus::Ok;
    }
    changed[at] = value;
    return machine.load(changed);
  };
  CHECK(machine.load(image) == LoadStatus::Ok);
  // Small numbers are their own encoding; these have one byte behind 0xcd or stand alone.
  CHECK(with(".group_segment_fixed_size", 1) == LoadStatus::NotAnImage);
  CHECK(with(".private_segment_fixed_size", 100) == LoadStatus::NotAnImage);
  CHECK(with(".wavefront_size", 32) == LoadStatus::NotAnImage);
  CHECK(machine.message.find("wave") != std::string::npos);
  CHECK(with(".symbol", 0xa1) == LoadStatus::NotAnImage);
}

// What the report and the launch would compute with.
UNIT_TEST(metadata_that_lies_about_registers_and_arguments) {
  OpcodeCase test;
  test.instructions = {"s_nop 0"};
  const std::string good = assemblyOf({test}, "gfx942", 64);
  const std::pair<std::string, std::string> lies[] = {
      {".vgpr_count: 160", ".vgpr_count: 4294967295"},
      {".vgpr_count: 160", ".vgpr_count: 4000"},
      {".sgpr_count: 100", ".sgpr_count: -1"},
      {".offset: 8,", ".offset: 4,"},
      {".offset: 8,", ".offset: 0,"},
      {".offset: 8,", ".offset: 12,"},
  };
  Machine machine("gfx942");
  REQUIRE(machine.load(assemble(good, "gfx942")) == LoadStatus::Ok);
  for (const auto &[truth, lie] : lies) {
    std::string text = good;
    size_t at = text.find(truth);
    REQUIRE(at != std::string::npos);
    text.replace(at, truth.size(), lie);
    if (machine.load(assemble(text, "gfx942")) == LoadStatus::Ok)
      unit::fail(__FILE__, __LINE__, "loaded with " + lie);
    else if (machine.message.find("metadata") == std::string::npos)
      unit::fail(__FILE__, __LINE__, lie + ": " + machine.message);
  }
}

UNIT_TEST(size_unknown_is_read_from_headers) {
  Machine machine("gfx942");
  auto image = goodObject();
  LoadResult result = machine.emulator->load(image.data(), SIZE_MAX, 0);
  CHECK(result.status == LoadStatus::Ok);
  auto bundle = bundleOf({{"hipv4-amdgcn-amd-amdhsa--gfx942", image}});
  CHECK(machine.emulator->load(bundle.data(), SIZE_MAX, 0).status == LoadStatus::Ok);
}

UNIT_TEST(bundles_plain_and_compressed) {
  Machine machine("gfx942");
  auto bundle =
      bundleOf({{"host-x86_64-unknown-linux--", {}},
                {"hipv4-amdgcn-amd-amdhsa--gfx1100", kernelFile("vector_add", "gfx1100", 1)},
                {"hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", goodObject()}});
  CHECK(machine.load(bundle) == LoadStatus::Ok);
  CHECK(Machine("gfx90a").load(bundle) == LoadStatus::WrongChip);
  std::vector<uint8_t> packed(ZSTD_compressBound(bundle.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bundle.data(), bundle.size(), 3));
  for (unsigned version : {2u, 3u}) {
    std::vector<uint8_t> file = {'C', 'C', 'O', 'B'};
    append(file, uint16_t(version));
    append(file, uint16_t(1));
    size_t header = version == 2 ? 24 : 32;
    if (version == 2) {
      append(file, uint32_t(header + packed.size()));
      append(file, uint32_t(bundle.size()));
    } else {
      append(file, uint64_t(header + packed.size()));
      append(file, uint64_t(bundle.size()));
    }
    append(file, uint64_t(0));
    file.insert(file.end(), packed.begin(), packed.end());
    CHECK(machine.load(file) == LoadStatus::Ok);
    for (size_t size = 4; size < file.size(); size += 13)
      CHECK(machine.load({file.begin(), file.begin() + ptrdiff_t(size)}) == LoadStatus::NotAnImage);
  }
  for (size_t size = 0; size < 400; ++size)
    CHECK(machine.load({bundle.begin(), bundle.begin() + ptrdiff_t(size)}) ==
          LoadStatus::NotAnImage);
}

UNIT_TEST_MAIN
