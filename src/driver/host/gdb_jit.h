// Tells GDB about mapped kernels (its "JIT compilation interface"). GDB is given the relocatable
// object with the addresses at which its sections came to lie: the linked image would show no
// lines.
#pragma once

#include "driver/host/image.h"
#include "support/bytes.h"

namespace tl {

/// One object known to the debugger; unregistered with this object.
class GdbRegistration {
public:
  GdbRegistration(const GdbRegistration &) = delete;
  GdbRegistration &operator=(const GdbRegistration &) = delete;
  ~GdbRegistration();

  /// `object` is what `imageFile` was linked from and `image` its mapping. TL_E_CORRUPT when the
  /// object is damaged.
  static Result<std::unique_ptr<GdbRegistration>> add(ElfBytes object, ElfBytes imageFile,
                                                      const HostImage &image);

private:
  struct Entry;
  GdbRegistration() = default;
  std::unique_ptr<Entry> entry;
  Bytes object; // with section addresses; the debugger reads it as long as it is registered
};

} // namespace tl
