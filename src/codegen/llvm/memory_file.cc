#include "codegen/llvm/memory_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tl {

void Descriptor::reset(int next) {
  if (fd >= 0)
    close(fd);
  fd = next;
}

std::string Descriptor::path() const { return "/proc/self/fd/" + std::to_string(fd); }

Result<MemoryFile> MemoryFile::create(std::span<const uint8_t> bytes) {
  MemoryFile file;
  file.descriptor.reset(memfd_create("tl-object", MFD_CLOEXEC));
  if (file.descriptor.get() < 0)
    return makeError(TL_E_IO, "cannot make a file in memory for the linker: %s",
                     std::strerror(errno));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = write(file.descriptor.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return makeError(TL_E_IO, "cannot write a file in memory for the linker: %s",
                       std::strerror(errno));
    done += size_t(written);
  }
  return file;
}

Status PipeReader::start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return makeError(TL_E_IO, "cannot make a pipe for the linker: %s", std::strerror(errno));
  readEnd.reset(ends[0]);
  writeEnd.reset(ends[1]);
  if (int failure = pthread_create(&thread, nullptr, readAll, this))
    return makeError(TL_E_OUT_OF_MEMORY, "cannot start the linker's reader: %s",
                     std::strerror(failure));
  running = true;
  return {};
}

void *PipeReader::readAll(void *self) {
  PipeReader &reader = *static_cast<PipeReader *>(self);
  uint8_t block[65536];
  for (;;) {
    ssize_t size = read(reader.readEnd.get(), block, sizeof block);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return nullptr;
    reader.collected.insert(reader.collected.end(), block, block + size);
  }
}

Bytes PipeReader::finish() {
  writeEnd.reset();
  if (running)
    pthread_join(thread, nullptr);
  running = false;
  readEnd.reset();
  return std::move(collected);
}

} // namespace tl
