// Files without a file system, for lld: an input in memory, and a pipe whose reader collects the
// output. (With a regular output file lld leaves signal handlers in the host that delete it; with a
// pipe it leaves none.)
#pragma once

#include "support/bytes.h"
#include "support/result.h"

#include <pthread.h>
#include <span>
#include <string>

namespace tl {

/// A file descriptor, closed at the end.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd; }
  void reset(int next = -1);
  /// "/proc/self/fd/N"
  std::string path() const;

private:
  int release() {
    int result = fd;
    fd = -1;
    return result;
  }
  int fd = -1;
};

/// Bytes that can be opened by a path.
class MemoryFile {
public:
  static Result<MemoryFile> create(std::span<const uint8_t> bytes);
  std::string path() const { return descriptor.path(); }

private:
  Descriptor descriptor;
};

/// A pipe that can be opened for writing by a path; a thread reads it, so that writers never wait
/// for long.
class PipeReader {
public:
  PipeReader() = default;
  PipeReader(const PipeReader &) = delete;
  PipeReader &operator=(const PipeReader &) = delete;
  ~PipeReader() { finish(); }
  Status start();
  std::string path() const { return writeEnd.path(); }
  /// Closes the pipe and gives what was written. The writer must have closed its descriptors.
  Bytes finish();

private:
  static void *readAll(void *self);
  Descriptor readEnd, writeEnd;
  pthread_t thread{};
  bool running = false;
  Bytes collected;
};

} // namespace tl
