// The loader of host images: what it runs, what it refuses and with which words, and that damage
// never crashes it.
#include "driver_image.h"
#include "driver/host/image.h"

#include <algorithm>
#include <elf.h>

using namespace tl;
using namespace driver_test;

using Entry = void (*)(const uint64_t *, int64_t, int64_t, void *);

static const char *const kScale = R"(
static const float table[4] = {1, 2, 3, 4};
static const float *const rows[2] = {table, table + 1};
KERNEL scale(const uint64_t *slots, int64_t first, int64_t last, void *arena) {
  float *x = (float *)slots[0];
  for (int64_t p = first; p < last; ++p) x[p] *= rows[p & 1][(p >> 1) & 1];
}
KERNEL other(const uint64_t *slots, int64_t first, int64_t last, void *arena) {}
)";

static std::string refusalOf(const Bytes &image, tl_status &status) {
  auto loaded = HostImage::load(image);
  status = loaded.ok() ? TL_OK : loaded.error().status;
  return loaded.ok() ? "loaded" : loaded.error().message;
}

static void expectRefusal(int line, const std::string &source, const BuildOptions &options,
                          tl_status expected, const std::string &words) {
  TargetCode code = buildKernel(source, "k", options);
  tl_status status;
  std::string message = refusalOf(code.code, status);
  if (status != expected || message.find(words) == message.npos)
    unit::fail(__FILE__, line, "status " + std::to_string(status) + ": " + message);
}
#define EXPECT_REFUSAL(...) expectRefusal(__LINE__, __VA_ARGS__)

UNIT_TEST(loads_and_runs) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  for (const char *hash : {"sysv", "gnu", "both"}) {
    BuildOptions options;
    options.link += std::string(" --hash-style=") + hash;
    TargetCode code = buildKernel(kScale, "scale", options);
    auto image = HostImage::load(code.code);
    REQUIRE_OK(image);
    auto entry = reinterpret_cast<Entry>((*image)->find("scale"));
    REQUIRE(entry != nullptr);
    CHECK((*image)->find("other") != nullptr);
    CHECK((*image)->find("third") == nullptr);
    float x[4] = {10, 10, 10, 10};
    uint64_t slots[] = {uint64_t(x)};
    entry(slots, 0, 4, nullptr);
    CHECK_EQ(x[0], 10.0f);
    CHECK_EQ(x[1], 20.0f);
    CHECK_EQ(x[2], 20.0f);
    CHECK_EQ(x[3], 30.0f);
  }
}

static std::string permissionsAt(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long low, high;
    char permissions[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &low, &high, permissions) == 3 && address >= low &&
        address < high)
      return permissions;
  }
  return "none";
}

UNIT_TEST(memory_is_never_writable_and_goes_with_the_image) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  TargetCode code = buildKernel(kScale, "scale");
  uintptr_t start, size;
  {
    auto image = HostImage::load(code.code);
    REQUIRE_OK(image);
    start = (*image)->base();
    size = (*image)->size();
    CHECK_EQ(permissionsAt(uintptr_t((*image)->find("scale"))), "r-xp");
    for (uintptr_t at = start; at < start + size; at += 4096)
      CHECK(permissionsAt(at)[1] == '-');
  }
  CHECK_EQ(permissionsAt(start), "none");
}

UNIT_TEST(refuses_what_needs_a_real_loader) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  BuildOptions plain;
  auto unsupported = TL_E_UNSUPPORTED;
  EXPECT_REFUSAL("void f(void); KERNEL k() { f(); }", plain, unsupported, "it imports 'f'");
  EXPECT_REFUSAL(
      "extern int v __attribute__((visibility(\"default\"))); KERNEL k(int *p) { *p = v; }", plain,
      unsupported, "it imports 'v'");
  EXPECT_REFUSAL("_Thread_local int v; KERNEL k(int *p) { *p = v++; }", plain, unsupported,
                 "it has thread-local storage");
  EXPECT_REFUSAL(
      "__attribute__((constructor)) static void c(void) { __asm__ volatile(\"\"); } KERNEL k() {}",
      plain, unsupported, "it has constructors or destructors");
  EXPECT_REFUSAL(
      "__attribute__((destructor)) static void c(void) { __asm__ volatile(\"\"); } KERNEL k() {}",
      plain, unsupported, "it has constructors or destructors");
  EXPECT_REFUSAL("static void f(void) {} static void *r(void) { return f; } "
                 "static void g(void) __attribute__((ifunc(\"r\"))); KERNEL k() { g(); }",
                 plain, unsupported, "IFUNC");
  EXPECT_REFUSAL("static void f(void) {} static void *r(void) { return f; } "
                 "KERNEL k() __attribute__((ifunc(\"r\")));",
                 plain, unsupported, "'k' is an indirect function (IFUNC)");
  EXPECT_REFUSAL("static int calls; KERNEL k(int *p) { *p = ++calls; }", plain, unsupported,
                 "it has writable data");
  EXPECT_REFUSAL("static int calls = 7; KERNEL k(int *p) { *p = ++calls; }", plain, unsupported,
                 "it has writable data");

  BuildOptions preemptible = plain;
  preemptible.link.replace(preemptible.link.find("-Bsymbolic"), 10, "");
  EXPECT_REFUSAL(
      "__attribute__((visibility(\"default\"), noinline)) int f(int x) { return x / 3; } "
      "KERNEL k(int *p) { *p = f(*p); }",
      preemptible, unsupported, "it has a relocation of type 7 against 'f'");

  BuildOptions executable = plain;
  executable.link.replace(executable.link.find("-shared"), 7, "-static -e k");
  EXPECT_REFUSAL("KERNEL k() {}", executable, TL_E_CORRUPT,
                 "the host image has ELF type 2; 3 is needed");

  BuildOptions omagic = plain;
  omagic.link += " -z norelro";
  EXPECT_REFUSAL("KERNEL k() {}", omagic, unsupported, "it has writable data");
  BuildOptions textrel = plain;
  textrel.link += " -z notext";
  EXPECT_REFUSAL("extern char here[] __asm__(\"k\"); KERNEL k(void *); "
                 "__asm__(\".section .text.r,\\\"ax\\\"; .quad k\"); KERNEL k(void *p) {}",
                 textrel, unsupported, "its code needs relocation");
  BuildOptions needed = plain;
  needed.link += " --no-as-needed /lib/x86_64-linux-gnu/libc.so.6";
  EXPECT_REFUSAL("KERNEL k() {}", needed, unsupported, "it needs other libraries");
  BuildOptions packed = plain;
  packed.link += " --pack-dyn-relocs=relr";
  EXPECT_REFUSAL(kScale, packed, unsupported, "packed relocations");
}

UNIT_TEST(refuses_other_machines_and_non_elf) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  Bytes image = buildKernel(kScale, "scale").code;
  tl_status status;
  Bytes changed = image;
  changed[offsetof(Elf64_Ehdr, e_machine)] = EM_AARCH64;
  CHECK_EQ(refusalOf(changed, status), "the host image is for machine 183, not for x86-64 (62)");
  CHECK_EQ(status, TL_E_UNSUPPORTED);
  changed = image;
  changed[EI_CLASS] = ELFCLASS32;
  CHECK_EQ(refusalOf(changed, status), "the host image is no little-endian 64-bit ELF file");
  CHECK_EQ(refusalOf({}, status), "the host image is no ELF file (0 bytes)");
  CHECK_EQ(status, TL_E_CORRUPT);
}

// A truncated image either lacks something that is needed, or lacks only what is not loaded
// (section headers).
UNIT_TEST(every_truncation_is_refused_or_harmless) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  Bytes image = buildKernel(kScale, "scale").code;
  uint64_t sections;
  std::memcpy(&sections, image.data() + offsetof(Elf64_Ehdr, e_shoff), 8);
  size_t refused = 0;
  for (size_t size = 0; size < image.size(); ++size) {
    auto loaded = HostImage::load(std::span(image).first(size));
    if (!loaded.ok()) {
      ++refused;
      CHECK(loaded.error().status == TL_E_CORRUPT);
    }
  }
  CHECK(refused > image.size() / 4);
}

UNIT_TEST(flipped_bits_never_crash) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  Bytes image = buildKernel(kScale, "scale").code;
  size_t refused = 0;
  for (size_t bit = 0; bit < image.size() * 8; ++bit) {
    image[bit / 8] ^= uint8_t(1u << (bit % 8));
    auto loaded = HostImage::load(image);
    if (!loaded.ok()) {
      ++refused;
      CHECK(loaded.error().status == TL_E_CORRUPT || loaded.error().status == TL_E_UNSUPPORTED);
    }
    image[bit / 8] ^= uint8_t(1u << (bit % 8));
  }
  CHECK(refused > 100);
  CHECK(HostImage::load(image).ok());
}

UNIT_TEST_MAIN
