#include "driver/host/jitdump.h"

#include "driver/host/worker_pool.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tl {

namespace {

struct FileHeader {
  uint32_t magic = 0x4A695444; // "JiTD" in this byte order
  uint32_t version = 1;
  uint32_t size = sizeof(FileHeader);
  uint32_t machine = EM_X86_64;
  uint32_t pad = 0;
  uint32_t process = 0;
  uint64_t timestamp = 0;
  uint64_t flags = 0; // 0: timestamps are CLOCK_MONOTONIC
};
static_assert(sizeof(FileHeader) == 40);

// JIT_CODE_LOAD; the name with its zero and the code follow.
struct LoadRecord {
  uint32_t id = 0;
  uint32_t size = 0;
  uint64_t timestamp = 0;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t address = 0;
  uint64_t codeAddress = 0;
  uint64_t codeSize = 0;
  uint64_t index = 0;
};
static_assert(sizeof(LoadRecord) == 56);

constexpr size_t kPage = 4096;

} // namespace

Status JitDump::open(const std::string &directory) {
  path = formatString("%s/jit-%d.dump", directory.c_str(), int(getpid()));
  file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
  if (file < 0)
    return makeError(TL_E_IO, "cannot create %s: %s", path.c_str(), std::strerror(errno));
  FileHeader header;
  header.process = uint32_t(getpid());
  header.timestamp = uint64_t(monotonicNanoseconds());
  TL_TRY(write(&header, sizeof header));
  // perf finds the file by this executable mapping of it in its own records.
  marker = mmap(nullptr, kPage, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  if (marker == MAP_FAILED) {
    marker = nullptr;
    return makeError(TL_E_IO, "cannot map %s executable: %s", path.c_str(), std::strerror(errno));
  }
  return {};
}

Status JitDump::write(const void *bytes, size_t size) {
  for (auto *at = static_cast<const char *>(bytes); size > 0;) {
    ssize_t written = ::write(file, at, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return makeError(TL_E_IO, "cannot write %s: %s", path.c_str(), std::strerror(errno));
    at += written;
    size -= size_t(written);
  }
  return {};
}

Status JitDump::add(const HostImage &image, const std::string &directory) {
  std::lock_guard lock(mutex);
  if (!marker)
    TL_TRY(open(directory));
  for (const HostImage::Function &function : image.functions()) {
    LoadRecord record;
    record.size = uint32_t(sizeof record + function.name.size() + 1 + function.size);
    record.timestamp = uint64_t(monotonicNanoseconds());
    record.process = uint32_t(getpid());
    record.thread = uint32_t(syscall(SYS_gettid));
    record.address = record.codeAddress = image.base() + function.value;
    record.codeSize = function.size;
    record.index = ++functions;
    TL_TRY(write(&record, sizeof record));
    TL_TRY(write(function.name.c_str(), function.name.size() + 1));
    TL_TRY(write(reinterpret_cast<const void *>(record.address), function.size));
  }
  return {};
}

JitDump::~JitDump() {
  if (marker)
    munmap(marker, kPage);
  if (file >= 0)
    close(file);
}

} // namespace tl
