// A test double of libtilelang-emu for the tests of the HIP runtime: memory is the host's, kernels
// are functions of the test, and every operation is written down with its clock. Images are structs
// of function pointers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_MAGIC 0x656b6146 /* "Fake" */

/** An explicit argument of a fake kernel. */
struct fake_argument {
  uint32_t offset, bytes;
};

/** What a kernel gets when it runs; it returns a LaunchStatus number, 0 = all is well. */
struct fake_launch {
  const unsigned char *kernarg;
  size_t bytes;
  uint32_t grid[3], block[3], dynamic_lds;
};

struct fake_kernel {
  const char *name;
  int (*run)(const struct fake_launch *launch);
  const struct fake_argument *arguments;
  uint32_t argument_count, max_threads, lds_bytes;
};

/** An image for one chip; `chip` "" fits all. Ends with a NULL name in `kernels`. */
struct fake_image {
  uint32_t magic;
  const char *chip;
  const struct fake_kernel *kernels;
  const char *global_name;
  uint64_t global_bytes;
};

/** One operation that ran. */
struct fake_operation {
  char what[16]; /* "copy", "fill", "launch", "release" */
  char name[48];
  uint32_t stream;
  uint64_t sequence;
  uint64_t clock[64];
  uint32_t clock_size;
};

/** Operations that ran so far; copies number `index`, 0 when there is none. */
size_t fake_operation_count(void);
int fake_operation_at(size_t index, struct fake_operation *operation);
/** The last operation with a name. */
int fake_operation_named(const char *name, struct fake_operation *operation);
void fake_forget(void);
/** Two operations with a common byte, one of them writing, that are in no order; 0 = none. Only
 * copies and fills are looked at. */
size_t fake_race_count(void);

#ifdef __cplusplus
}
#endif
