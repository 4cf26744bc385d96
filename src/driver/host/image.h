// The loader of host kernels: maps a linked position-independent image read-execute from memory. It
// does what the system's loader would do for a library without any dependency, and refuses
// everything that needs more, so that a kernel can call into nothing and keeps no state. Not
// dlopen: that needs a file, shows no lines to debuggers and fails in static programs.
#pragma once

#include "driver/elf_view.h"

namespace tl {

/// A mapped image; unmapped with the object.
class HostImage {
public:
  HostImage(const HostImage &) = delete;
  HostImage &operator=(const HostImage &) = delete;
  ~HostImage();

  /// Validates, maps, relocates and protects. TL_E_CORRUPT for what is damaged, TL_E_UNSUPPORTED
  /// for what is well formed but not allowed (imports, TLS, IFUNC, constructors, writable data,
  /// other relocations).
  static Result<std::unique_ptr<HostImage>> load(ElfBytes file);

  /// A function that the image exports.
  struct Function {
    std::string name;
    uint64_t value; // its address in the file
    uint64_t size;
  };

  /// Address of a function that the image exports; nullptr when there is none of that name.
  void *find(std::string_view symbol) const;
  const std::vector<Function> &functions() const { return functions_; }
  /// Where address 0 of the file lies.
  uintptr_t base() const { return bias; }
  size_t size() const { return mappedSize; }

private:
  HostImage() = default;
  struct Loader;

  uint8_t *mapping = nullptr;
  size_t mappedSize = 0;
  uintptr_t bias = 0;
  std::vector<Function> functions_;
};

} // namespace tl
