/* TL_DUMP prints, and changes neither keys nor artifacts. test-timeout: 300 */
#include "api/api_test.h"

static const char *const text = "tile 0.1\n"
                                "kernel @k(%x: view<f32, [%n]>, %n: i64) grid [1] {\n"
                                "  %v = load %x[0] : tile<4xf32>\n"
                                "  store %v, %x[0]\n"
                                "}\n"
                                "kernel @l(%x: view<f32, [%n]>, %n: i64) grid [2] {\n"
                                "}\n"
                                "sequence @s(%x: view<f32, [%n]>, %n: i64) {\n"
                                "  dispatch @k(%x, %n)\n"
                                "  dispatch @l(%x, %n)\n"
                                "}\n";

/* What a build gave. */
typedef struct made {
  char key[40];
  void *bytes;
  size_t size;
  tl_status passes; /* of reading the listing */
  char printed[1 << 14];
} made;

/* Builds in a context of its own, with TL_DUMP set to `dump` (NULL: not set). */
static made build(const char *dump, size_t member, uint32_t flags, uint32_t listings) {
  made m;
  FILE *file = tmpfile();
  int errors = dup(STDERR_FILENO);
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_build_options building = TL_BUILD_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_graph *whole = NULL, *g = NULL;
  tl_kernel *k = NULL;
  tl_kernel_info info = TL_KERNEL_INFO_INIT;
  const void *bytes = NULL;
  size_t size = 0;
  assert_non_null(file);
  if (dump)
    assert_int_equal(setenv("TL_DUMP", dump, 1), 0);
  options.flags = flags;
  building.listings = listings;
  OK(tl_context_create(&options, &context, &error));
  OK(tl_device_open(context, "host", &device, &error));
  OK(tl_graph_parse(text, strlen(text), NULL, &whole, &error));
  OK(tl_graph_member(whole, member, NULL, &g, &error));
  fflush(stderr);
  assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
  (void)!tl_kernel_build(device, g, &building, &k, NULL);
  fflush(stderr);
  assert_true(dup2(errors, STDERR_FILENO) >= 0);
  close(errors);
  assert_non_null(k);
  unsetenv("TL_DUMP");
  rewind(file);
  m.printed[fread(m.printed, 1, sizeof m.printed - 1, file)] = 0;
  fclose(file);
  OK(tl_kernel_get_info(k, 0, &info));
  snprintf(m.key, sizeof m.key, "%s", info.key);
  m.passes = tl_kernel_get_part(k, 0, TL_PART_PASSES, &bytes, &size);
  OK(tl_kernel_save(k, &bytes, &m.size));
  m.bytes = malloc(m.size);
  memcpy(m.bytes, bytes, m.size);
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  tl_graph_destroy(whole);
  tl_device_destroy(device);
  tl_context_destroy(context);
  return m;
}

static size_t occurrences(const char *words, const char *part) {
  size_t n = 0;
  for (const char *at = words; (at = strstr(at, part)) != NULL; at += strlen(part))
    ++n;
  return n;
}

static void assert_same(const made *a, const made *b) {
  assert_string_equal(a->key, b->key);
  assert_int_equal(a->size, b->size);
  assert_memory_equal(a->bytes, b->bytes, a->size);
  assert_int_equal(a->passes, b->passes);
}

/* Member 0 is a kernel, member 2 the sequence of two; with the listing asked for and without. */
static void key_and_artifact(void **state) {
  static const size_t members[] = {0, 2};
  static const uint32_t listings[] = {0, TL_LISTING_PASSES, TL_LISTING_ASM};
  (void)state;
  for (size_t i = 0; i < 2; ++i)
    for (size_t l = 0; l < 3; ++l) {
      made without = build(NULL, members[i], 0, listings[l]);
      made with = build("after:all", members[i], 0, listings[l]);
      made ignored = build("after:all", members[i], TL_CONTEXT_IGNORE_ENVIRONMENT, listings[l]);
      assert_same(&with, &without);
      assert_same(&ignored, &without);
      assert_string_equal(without.printed, "");
      assert_string_equal(ignored.printed, "");
      assert_int_equal(occurrences(with.printed, "# after fold\n"), i == 0 ? 1 : 2);
      assert_int_equal(occurrences(with.printed, "# after dce\n"), i == 0 ? 1 : 2);
      free(without.bytes), free(with.bytes), free(ignored.bytes);
    }
}

/* What is no form of the variable is said once in a context, with what there is. */
static void unknown_forms(void **state) {
  static const char *const forms[] = {"after:", "fold", "all", "before:fold", "after:x", "after:a"};
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    made m = build(forms[i], 2, 0, 0);
    char line[256];
    snprintf(line, sizeof line,
             "TL_DUMP=%s is unknown: it is after:all or after:PASS, and passes are ", forms[i]);
    assert_int_equal(strncmp(m.printed, line, strlen(line)), 0);
    assert_non_null(strstr(m.printed, "fold, cse, dce\n"));
    assert_int_equal(occurrences(m.printed, "\n"), 1);
    free(m.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(key_and_artifact),
                                     cmocka_unit_test(unknown_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
