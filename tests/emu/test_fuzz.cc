// Damaged code objects, bundles and launch files by the thousand: an answer each time, never a
// crash. Runs sanitized too. TL_FUZZ_SEED=N damages them in other ways.
// test-timeout: 300 test-label: fuzz
#include "../../src/tools/tlc_emu_file.h"
#include "emu_test.h"

#include <random>
#include <zstd.h>

using namespace emutest;

namespace {

using Bytes = std::vector<uint8_t>;

// Bytes that lie at borders of what lengths, offsets and encodings may be.
constexpr uint64_t kBorders[] = {
    0,          1,          0x7f,       0x80,        0xff,       0x100,       0x7fff, 0xffff,
    0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, ~0ull >> 1, ~0ull << 63, ~0ull,  ~0ull - 7};

uint64_t chosenSeed() {
  const char *text = std::getenv("TL_FUZZ_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed + 1000 * chosenSeed()) {}
  size_t below(size_t n) { return n ? random() % n : 0; }

  Bytes mutate(const Bytes &good) {
    Bytes bytes = good;
    for (size_t i = 0, n = 1 + below(4); i < n && !bytes.empty(); ++i)
      once(bytes);
    bytes.shrink_to_fit(); // so that sanitizers see a byte too many
    return bytes;
  }

private:
  void once(Bytes &bytes) {
    size_t at = below(bytes.size());
    switch (below(7)) {
    case 0:
      bytes[at] ^= uint8_t(1u << below(8));
      break;
    case 1:
      bytes[at] = uint8_t(random());
      break;
    case 2: {
      uint64_t value = kBorders[below(std::size(kBorders))];
      size_t width = std::min<size_t>(size_t(1) << below(4), bytes.size() - at);
      std::memcpy(bytes.data() + at, &value, width);
      break;
    }
    case 3:
      bytes.resize(at);
      break;
    case 4: {
      size_t count = std::min<size_t>(1 + below(64), bytes.size() - at);
      bytes.erase(bytes.begin() + ptrdiff_t(at), bytes.begin() + ptrdiff_t(at + count));
      break;
    }
    case 5: { // a piece of it again, elsewhere
      size_t from = below(bytes.size()),
             count = std::min<size_t>(1 + below(64), bytes.size() - from);
      Bytes piece(bytes.begin() + ptrdiff_t(from), bytes.begin() + ptrdiff_t(from + count));
      bytes.insert(bytes.begin() + ptrdiff_t(at), piece.begin(), piece.end());
      break;
    }
    default: { // a number of the file, a little more or less
      if (bytes.size() - at < 4)
        break;
      uint32_t value;
      std::memcpy(&value, bytes.data() + at, 4);
      value += uint32_t(below(17)) - 8;
      std::memcpy(bytes.data() + at, &value, 4);
    }
    }
  }

  std::mt19937_64 random;
};

// The headers, symbols and notes are a small part of a file and most of what is read: they are
// mutated as often as the whole file.
Bytes mutateHeaders(Mutator &mutator, const Bytes &good) {
  Bytes head(good.begin(), good.begin() + ptrdiff_t(std::min<size_t>(good.size(), 2048)));
  Bytes bytes = mutator.mutate(head);
  bytes.insert(bytes.end(), good.begin() + ptrdiff_t(head.size()), good.end());
  return bytes;
}

// Runs what was loaded, on memory that is not there or is not its own: whatever comes of it but a
// crash is right.
void launchFirst(Machine &machine, uint64_t buffer) {
  if (!machine.module->kernelCount())
    return;
  LaunchRequest request;
  request.kernel = machine.module->kernel(0);
  request.block[0] = 64;
  std::vector<uint64_t> arguments(512, buffer);
  request.kernarg = arguments.data();
  request.kernargBytes = arguments.size() * sizeof(uint64_t);
  LaunchResult result = machine.emulator->launch(request);
  CHECK(result.status == LaunchStatus::Ok || !result.message.empty());
}

void fuzzLoader(const std::string &chip, const Bytes &good, size_t rounds, uint64_t seed) {
  Options options;
  options.instructionBudget = 5000;
  options.threads = 1;
  Machine machine(chip, options);
  uint64_t buffer = machine.upload(std::vector<float>(256));
  REQUIRE(machine.load(good) == LoadStatus::Ok);
  Mutator mutator(seed);
  size_t loaded = 0, refused = 0;
  for (size_t i = 0; i < rounds; ++i) {
    Bytes bytes = i % 2 ? mutator.mutate(good) : mutateHeaders(mutator, good);
    LoadStatus status = machine.load(bytes);
    if (status == LoadStatus::Ok) {
      ++loaded;
      launchFirst(machine, buffer);
    } else if (machine.message.empty())
      return unit::fail(__FILE__, __LINE__, "refused without a word in round " + std::to_string(i));
    else
      ++refused;
    if (i % 16 == 0) {
      std::vector<CensusRow> rows;
      std::string message;
      if (!machine.emulator->census(bytes.data(), bytes.size(), rows, &message))
        CHECK(!message.empty());
    }
  }
  std::printf("%s: %zu loaded, %zu refused\n", chip.c_str(), loaded, refused);
  CHECK(loaded > 0 && refused > rounds / 10);
}

Bytes bundle(const std::string &chip, const Bytes &image, bool compressed) {
  Bytes out;
  auto text = [&](const std::string &s) { out.insert(out.end(), s.begin(), s.end()); };
  auto number = [&](uint64_t value, size_t width) {
    for (size_t i = 0; i < width; ++i)
      out.push_back(uint8_t(value >> 8 * i));
  };
  std::string id = "hipv4-amdgcn-amd-amdhsa--" + chip;
  text("__CLANG_OFFLOAD_BUNDLE__");
  number(1, 8);
  number(32 + 24 + id.size(), 8);
  number(image.size(), 8);
  number(id.size(), 8);
  text(id);
  out.insert(out.end(), image.begin(), image.end());
  if (!compressed)
    return out;
  Bytes plain = std::move(out);
  Bytes packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  out = {};
  text("CCOB");
  number(2, 2);
  number(1, 2);
  number(24 + packed.size(), 4);
  number(plain.size(), 4);
  number(0, 8);
  out.insert(out.end(), packed.begin(), packed.end());
  return out;
}

} // namespace

UNIT_TEST(code_objects_of_cdna) {
  fuzzLoader("gfx942", kernelFile("vector_add", "gfx942", 1), 6000, 1);
}
UNIT_TEST(code_objects_of_rdna) {
  fuzzLoader("gfx1100", kernelFile("groups", "gfx1100", 2), 6000, 2);
}
UNIT_TEST(bundles) {
  Bytes image = kernelFile("vector_add", "gfx942", 1);
  fuzzLoader("gfx942", bundle("gfx942", image, false), 2000, 3);
  fuzzLoader("gfx942", bundle("gfx942", image, true), 2000, 4);
}

UNIT_TEST(launch_files) {
  const std::string good =
      R"({"chip":"gfx942","kernel":"name","grid":[4,1,2],"block":[256],"dynamic_lds":64,
 "remainder":[3], "args":[{"buf":"in.bin"},{"buf":{"bytes":4096,"fill":255},"out":"c.bin"},{"i32":-5},
 {"i64":5},{"f32":1.5e3},{"f64":-0.0},{"u8":255},{"ptr":0}]})";
  tlc::LaunchFile file = tlc::readLaunchFile(good);
  CHECK(file.arguments.size() == 8 && file.grid[2] == 2 && file.block[0] == 256);
  CHECK(file.arguments[2].bits << 32 == uint64_t(-5) << 32 && file.arguments[2].bytes == 4);
  Mutator mutator(5);
  size_t read = 0, refused = 0;
  for (size_t i = 0; i < 50000; ++i) {
    Bytes bytes = mutator.mutate(Bytes(good.begin(), good.end()));
    try {
      tlc::readLaunchFile({bytes.begin(), bytes.end()});
      ++read;
    } catch (const tlc::LaunchFileError &error) {
      CHECK(!error.text.empty());
      ++refused;
    }
  }
  std::printf("%zu read, %zu refused\n", read, refused);
  CHECK(read > 100 && refused > 1000);
}

// Reading takes as long as the text is, not its square.
UNIT_TEST(launch_files_with_many_arguments) {
  std::string text = R"({"chip":"c","kernel":"k","grid":[1],"block":[1],"args":[{"i32":0})";
  for (unsigned i = 1; i < 200000; ++i)
    text += ",{\"i32\":1}";
  CHECK_EQ(tlc::readLaunchFile(text + "]}").arguments.size(), size_t(200000));
}

UNIT_TEST(launch_files_that_are_large_or_deep) {
  for (const std::string &text :
       {std::string(1000000, '['), std::string(1000000, '{'), std::string(10000000, ' '),
        "{\"args\":" + std::string(100000, '[') + std::string(100000, ']') + "}"})
    try {
      tlc::readLaunchFile(text);
      unit::fail(__FILE__, __LINE__, "read");
    } catch (const tlc::LaunchFileError &error) {
      CHECK(!error.text.empty());
    }
}

UNIT_TEST_MAIN
