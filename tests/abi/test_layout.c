/* The memory layout of every public struct, as callers have compiled it in. A size may grow at its
 * end while the ABI is not frozen; an offset never changes. Numbers are for 64-bit targets. */
#include "tilelang.h"
#include "tilelang/cuda.h"
#include "tilelang/hip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define OFFSET(type, member, bytes)                                                                \
  _Static_assert(offsetof(type, member) == (bytes), "offset of " #type "." #member)

/* clang-format off */
SIZE(tl_context_options, 88);
OFFSET(tl_context_options, struct_size, 0);
OFFSET(tl_context_options, flags, 8);
OFFSET(tl_context_options, host_threads, 12);
OFFSET(tl_context_options, compiler_path, 16);
OFFSET(tl_context_options, hip_path, 24);
OFFSET(tl_context_options, hip_handle, 32);
OFFSET(tl_context_options, parallel_for, 40);
OFFSET(tl_context_options, parallel_for_user, 48);
OFFSET(tl_context_options, log, 56);
OFFSET(tl_context_options, log_user, 64);
OFFSET(tl_context_options, cuda_path, 72);
OFFSET(tl_context_options, cuda_handle, 80);
SIZE(tl_log_line, 80);
OFFSET(tl_log_line, struct_size, 0);
OFFSET(tl_log_line, kind, 8);
OFFSET(tl_log_line, line, 12);
OFFSET(tl_log_line, file, 16);
OFFSET(tl_log_line, kernel, 24);
OFFSET(tl_log_line, program, 32);
OFFSET(tl_log_line, message, 56);
OFFSET(tl_log_line, values, 64);
OFFSET(tl_log_line, text, 72);

SIZE(tl_device_info, 72);
OFFSET(tl_device_info, struct_size, 0);
OFFSET(tl_device_info, name, 8);
OFFSET(tl_device_info, description, 16);
OFFSET(tl_device_info, target, 24);
OFFSET(tl_device_info, reason, 32);
OFFSET(tl_device_info, usable, 40);
OFFSET(tl_device_info, compute_units, 44);
OFFSET(tl_device_info, wave_size, 48);
OFFSET(tl_device_info, max_threads, 52);
OFFSET(tl_device_info, shared_bytes, 56);
OFFSET(tl_device_info, memory_bytes, 64);

SIZE(tl_attr, 64);
OFFSET(tl_attr, key, 0);
OFFSET(tl_attr, kind, 4);
OFFSET(tl_attr, i, 8);
OFFSET(tl_attr, f, 16);
OFFSET(tl_attr, data, 24);
OFFSET(tl_attr, count, 32);
OFFSET(tl_attr, reserved, 40);

SIZE(tl_argument, 96);
OFFSET(tl_argument, struct_size, 0);
OFFSET(tl_argument, name, 8);
OFFSET(tl_argument, kind, 16);
OFFSET(tl_argument, dtype, 20);
OFFSET(tl_argument, rank, 24);
OFFSET(tl_argument, flags, 28);
OFFSET(tl_argument, extents, 32);
OFFSET(tl_argument, strides, 40);
OFFSET(tl_argument, default_int, 48);
OFFSET(tl_argument, default_float, 56);
OFFSET(tl_argument, generator, 64);
OFFSET(tl_argument, reserved, 68);
OFFSET(tl_argument, low, 72);
OFFSET(tl_argument, high, 80);
OFFSET(tl_argument, low_value, 88);
OFFSET(tl_argument, high_value, 92);

SIZE(tl_type, 64);
OFFSET(tl_type, struct_size, 0);
OFFSET(tl_type, kind, 8);
OFFSET(tl_type, dtype, 12);
OFFSET(tl_type, rank, 16);
OFFSET(tl_type, reserved, 20);
OFFSET(tl_type, extents, 24);

SIZE(tl_param, 40);
OFFSET(tl_param, struct_size, 0);
OFFSET(tl_param, name, 8);
OFFSET(tl_param, default_value, 16);
OFFSET(tl_param, choices, 24);
OFFSET(tl_param, n_choices, 32);

SIZE(tl_build_options, 48);
OFFSET(tl_build_options, struct_size, 0);
OFFSET(tl_build_options, param_names, 8);
OFFSET(tl_build_options, param_values, 16);
OFFSET(tl_build_options, n_params, 24);
OFFSET(tl_build_options, opt_level, 32);
OFFSET(tl_build_options, threads, 36);
OFFSET(tl_build_options, flags, 40);
OFFSET(tl_build_options, listings, 44);

SIZE(tl_kernel_info, 128);
OFFSET(tl_kernel_info, struct_size, 0);
OFFSET(tl_kernel_info, name, 8);
OFFSET(tl_kernel_info, target, 16);
OFFSET(tl_kernel_info, key, 24);
OFFSET(tl_kernel_info, code_bytes, 32);
OFFSET(tl_kernel_info, threads, 40);
OFFSET(tl_kernel_info, vgpr, 44);
OFFSET(tl_kernel_info, agpr, 48);
OFFSET(tl_kernel_info, sgpr, 52);
OFFSET(tl_kernel_info, lds_bytes, 56);
OFFSET(tl_kernel_info, scratch_bytes, 60);
OFFSET(tl_kernel_info, vgpr_spills, 64);
OFFSET(tl_kernel_info, sgpr_spills, 68);
OFFSET(tl_kernel_info, occupancy_waves, 72);
OFFSET(tl_kernel_info, arena_bytes, 76);
OFFSET(tl_kernel_info, built, 80);
OFFSET(tl_kernel_info, ms_passes, 88);
OFFSET(tl_kernel_info, ms_llvm_opt, 96);
OFFSET(tl_kernel_info, ms_llvm_codegen, 104);
OFFSET(tl_kernel_info, ms_link, 112);
OFFSET(tl_kernel_info, ms_total, 120);

SIZE(tl_kernel_argument, 96);
OFFSET(tl_kernel_argument, struct_size, 0);
OFFSET(tl_kernel_argument, name, 8);
OFFSET(tl_kernel_argument, kind, 16);
OFFSET(tl_kernel_argument, dtype, 20);
OFFSET(tl_kernel_argument, rank, 24);
OFFSET(tl_kernel_argument, flags, 28);
OFFSET(tl_kernel_argument, written, 32);
OFFSET(tl_kernel_argument, generator, 36);
OFFSET(tl_kernel_argument, extents, 40);
OFFSET(tl_kernel_argument, strides, 48);
OFFSET(tl_kernel_argument, default_int, 56);
OFFSET(tl_kernel_argument, default_float, 64);
OFFSET(tl_kernel_argument, low, 72);
OFFSET(tl_kernel_argument, high, 80);
OFFSET(tl_kernel_argument, low_argument, 88);
OFFSET(tl_kernel_argument, high_argument, 92);

SIZE(tl_source_place, 24);
OFFSET(tl_source_place, struct_size, 0);
OFFSET(tl_source_place, file, 8);
OFFSET(tl_source_place, line, 16);
OFFSET(tl_source_place, column, 20);

SIZE(tl_arg, 64);
OFFSET(tl_arg, kind, 0);
OFFSET(tl_arg, dtype, 4);
OFFSET(tl_arg, rank, 8);
OFFSET(tl_arg, reserved0, 12);
OFFSET(tl_arg, data, 16);
OFFSET(tl_arg, shape, 24);
OFFSET(tl_arg, strides, 32);
OFFSET(tl_arg, int_value, 40);
OFFSET(tl_arg, float_value, 48);
OFFSET(tl_arg, reserved1, 56);

SIZE(tl_launch_options, 32);
OFFSET(tl_launch_options, struct_size, 0);
OFFSET(tl_launch_options, flags, 8);
OFFSET(tl_launch_options, reserved, 12);
OFFSET(tl_launch_options, workspace, 16);
OFFSET(tl_launch_options, workspace_bytes, 24);

SIZE(tl_packed_launch, 64);
OFFSET(tl_packed_launch, struct_size, 0);
OFFSET(tl_packed_launch, function, 8);
OFFSET(tl_packed_launch, grid, 16);
OFFSET(tl_packed_launch, block, 28);
OFFSET(tl_packed_launch, shared_bytes, 40);
OFFSET(tl_packed_launch, reserved, 44);
OFFSET(tl_packed_launch, kernarg, 48);
OFFSET(tl_packed_launch, kernarg_bytes, 56);

SIZE(tl_check_report, 72);
OFFSET(tl_check_report, struct_size, 0);
OFFSET(tl_check_report, compared, 8);
OFFSET(tl_check_report, mismatches, 16);
OFFSET(tl_check_report, inexact, 24);
OFFSET(tl_check_report, undecided, 32);
OFFSET(tl_check_report, max_abs_error, 40);
OFFSET(tl_check_report, max_bound_share, 48);
OFFSET(tl_check_report, argument, 56);
OFFSET(tl_check_report, reserved, 60);
OFFSET(tl_check_report, element, 64);

SIZE(tl_diagnostic, 56);
OFFSET(tl_diagnostic, struct_size, 0);
OFFSET(tl_diagnostic, severity, 8);
OFFSET(tl_diagnostic, value, 12);
OFFSET(tl_diagnostic, pass, 16);
OFFSET(tl_diagnostic, file, 24);
OFFSET(tl_diagnostic, line, 32);
OFFSET(tl_diagnostic, column, 36);
OFFSET(tl_diagnostic, text, 40);
OFFSET(tl_diagnostic, excerpt, 48);
/* clang-format on */

/* An INIT macro sets struct_size and nothing else. */
static void check_init(const void *initialized, size_t bytes) {
  static const unsigned char zeros[512];
  size_t struct_size;
  memcpy(&struct_size, initialized, sizeof struct_size);
  assert_int_equal(struct_size, bytes);
  assert_in_range(bytes, sizeof struct_size, sizeof zeros);
  assert_memory_equal((const unsigned char *)initialized + sizeof struct_size, zeros,
                      bytes - sizeof struct_size);
}

#define TEST_INIT(type, init)                                                                      \
  static void test_##type(void **state) {                                                          \
    (void)state;                                                                                   \
    static type initialized = init;                                                                \
    check_init(&initialized, sizeof initialized);                                                  \
  }

TEST_INIT(tl_context_options, TL_CONTEXT_OPTIONS_INIT)
TEST_INIT(tl_log_line, TL_LOG_LINE_INIT)
TEST_INIT(tl_device_info, TL_DEVICE_INFO_INIT)
TEST_INIT(tl_argument, TL_ARGUMENT_INIT)
TEST_INIT(tl_type, TL_TYPE_INIT)
TEST_INIT(tl_param, TL_PARAM_INIT)
TEST_INIT(tl_build_options, TL_BUILD_OPTIONS_INIT)
TEST_INIT(tl_kernel_info, TL_KERNEL_INFO_INIT)
TEST_INIT(tl_kernel_argument, TL_KERNEL_ARGUMENT_INIT)
TEST_INIT(tl_source_place, TL_SOURCE_PLACE_INIT)
TEST_INIT(tl_launch_options, TL_LAUNCH_OPTIONS_INIT)
TEST_INIT(tl_packed_launch, TL_PACKED_LAUNCH_INIT)
TEST_INIT(tl_check_report, TL_CHECK_REPORT_INIT)
TEST_INIT(tl_diagnostic, TL_DIAGNOSTIC_INIT)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tl_context_options),
      cmocka_unit_test(test_tl_device_info),
      cmocka_unit_test(test_tl_log_line),
      cmocka_unit_test(test_tl_argument),
      cmocka_unit_test(test_tl_type),
      cmocka_unit_test(test_tl_param),
      cmocka_unit_test(test_tl_build_options),
      cmocka_unit_test(test_tl_kernel_info),
      cmocka_unit_test(test_tl_kernel_argument),
      cmocka_unit_test(test_tl_source_place),
      cmocka_unit_test(test_tl_launch_options),
      cmocka_unit_test(test_tl_packed_launch),
      cmocka_unit_test(test_tl_check_report),
      cmocka_unit_test(test_tl_diagnostic),
  };
  return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
