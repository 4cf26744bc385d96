// What the fuzz targets share. A target fails by ending the process, as a sanitizer does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// What must hold for every input.
#define MUST(CONDITION)                                                                            \
  do {                                                                                             \
    if (!(CONDITION)) {                                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #CONDITION);                 \
      std::abort();                                                                                \
    }                                                                                              \
  } while (0)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
