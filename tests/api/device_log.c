/* print and assert: what arrives at the log callback, on every device. */
#include "api/api_test.h"

enum { MAX_LINES = 600, LINE = 4096 };

/* What the callback has received. */
typedef struct received {
  size_t n, lost;
  char text[MAX_LINES][LINE];
  tl_log_line line[MAX_LINES]; /* strings are gone */
} received;

static received got;

static void take(void *user, const tl_log_line *line) {
  received *to = user;
  assert_int_equal(line->struct_size, sizeof *line);
  if (line->kind == TL_LOG_LOST) {
    to->lost += (size_t)strtoull(line->text, NULL, 10);
    return;
  }
  if (to->n < MAX_LINES) {
    to->line[to->n] = *line;
    snprintf(to->text[to->n], LINE, "%s", line->text);
  }
  ++to->n;
}

typedef struct run {
  tl_context *context;
  tl_device *device;
  tl_kernel *kernel;
} run;

static run start(const char *device, const char *text, tl_log_callback callback) {
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_graph *g = NULL;
  run r;
  memset(&got, 0, sizeof got);
  options.log = callback;
  options.log_user = &got;
  OK(tl_context_create(&options, &r.context, &error));
  r.device = api_open_device(r.context, device);
  OK(tl_graph_parse(text, strlen(text), "log.tile", &g, &error));
  OK(tl_kernel_build(r.device, g, NULL, &r.kernel, &error));
  tl_graph_destroy(g);
  return r;
}
static void end(run r) {
  tl_kernel_destroy(r.kernel);
  tl_device_destroy(r.device);
  tl_context_destroy(r.context);
}

static const char *const devices[] = {"interp",     "host",        "emu:gfx90a", "emu:gfx942",
                                      "emu:gfx950", "emu:gfx1100", "emu:gfx1201"};

/* The lines are `want`, in this order. */
static void expect(const char *const *want, size_t n, const char *device) {
  assert_int_equal(got.lost, 0);
  for (size_t i = 0; i < n && i < got.n; ++i)
    if (strcmp(got.text[i], want[i]) != 0)
      fail_msg("%s, line %zu: %s\ninstead of %s", device, i, got.text[i], want[i]);
  assert_int_equal(got.n, n);
  memset(&got, 0, sizeof got);
}

static const char programs[] =
    "tile 0.1\n"
    "kernel @programs(%x: view<f32, [%n]>, %n: i64) grid [ceildiv(%n, 4), 2] {\n"
    "  %p = program_id 0\n"
    "  %q = program_id 1\n"
    "  %at = mul %p, 4\n"
    "  %t = load %x[%at] pad -1 : tile<4xf32>\n"
    "  print \"x =\", %t\n"
    "  %odd = and %p, 1\n"
    "  %is = cmp eq %odd, 1\n"
    "  if %is {\n"
    "    for %i = 0 to 2 {\n"
    "      print \"\", %i, %q\n"
    "    }\n"
    "  }\n"
    "}\n";

/* Lines come in the order of launches, programs and operations. */
static void order(void **state) {
  static const char *const want[] = {
      "log.tile:7: kernel 'programs', program (0, 0, 0): x = [0, 0.5, 1, 1.5]",
      "log.tile:7: kernel 'programs', program (1, 0, 0): x = [2, 2.5, -1, -1]",
      "log.tile:12: kernel 'programs', program (1, 0, 0): 0, 0",
      "log.tile:12: kernel 'programs', program (1, 0, 0): 1, 0",
      "log.tile:7: kernel 'programs', program (0, 1, 0): x = [0, 0.5, 1, 1.5]",
      "log.tile:7: kernel 'programs', program (1, 1, 0): x = [2, 2.5, -1, -1]",
      "log.tile:12: kernel 'programs', program (1, 1, 0): 0, 1",
      "log.tile:12: kernel 'programs', program (1, 1, 0): 1, 1",
      "log.tile:7: kernel 'programs', program (0, 0, 0): x = [0, -1, -1, -1]",
      "log.tile:7: kernel 'programs', program (0, 1, 0): x = [0, -1, -1, -1]"};
  float x[6] = {0, 0.5f, 1, 1.5f, 2, 2.5f};
  (void)state;
  for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
    run r = start(devices[d], programs, take);
    void *memory = NULL;
    tl_arg args[2];
    OK(tl_alloc(r.device, sizeof x, &memory, &error));
    OK(tl_copy(r.device, memory, x, sizeof x, TL_COPY_TO_DEVICE, NULL));
    args[0] = tl_arg_pointer(memory), args[1] = tl_arg_int(6);
    OK(tl_launch(r.kernel, NULL, args, 2, NULL));
    args[1] = tl_arg_int(1);
    OK(tl_launch(r.kernel, NULL, args, 2, NULL));
    assert_int_equal(got.n, 0);
    OK(tl_stream_synchronize(r.device, NULL));
    assert_int_equal(got.line[0].kind, TL_LOG_PRINT);
    assert_int_equal(got.line[2].line, 12);
    assert_int_equal(got.line[7].program[0], 1);
    assert_int_equal(got.line[7].program[1], 1);
    expect(want, sizeof want / sizeof *want, devices[d]);
    OK(tl_stream_synchronize(r.device, NULL)); /* nothing is said twice */
    assert_int_equal(got.n, 0);
    OK(tl_free(r.device, memory));
    end(r);
  }
}

static const char types[] = "tile 0.1\n"
                            "kernel @types(%u: u64, %h: f16, %d: f64, %n: i64) grid [1] {\n"
                            "  print \"say \\\"x\\\" \\\\ \xc3\xa9\\t\\n.\"\n"
                            "  print \"\", %u, %h, %d\n"
                            "  %i = iota axis 0 : tile<3x2xi8>\n"
                            "  %m = sub %i, 2\n"
                            "  %c = cmp lt %m, 0\n"
                            "  %b = cast %m : bf16\n"
                            "  %e = cast %m : f8e5m2\n"
                            "  %w = cast %m : u16\n"
                            "  print \"m\", %m, %c\n"
                            "  print \"b\", %b, %e, %w\n"
                            "  %one = full %n : tile<1x1x2xi64>\n"
                            "  print \"one\", %one\n"
                            "  %long = iota axis 0 : tile<100xi32>\n"
                            "  print \"\", %long\n"
                            "}\n";

/* Every kind of element, tiles of any rank, messages with escapes. */
static void elements(void **state) {
  char hundred[LINE] = "log.tile:16: kernel 'types', program (0, 0, 0): [0";
  const char *want[] = {
      "log.tile:3: kernel 'types', program (0, 0, 0): say \"x\" \\ \xc3\xa9\t\n.",
      "log.tile:4: kernel 'types', program (0, 0, 0): 18446744073709551615, 0.1, -inf",
      "log.tile:11: kernel 'types', program (0, 0, 0): m [[-2, -2], [-1, -1], [0, 0]], "
      "[[1, 1], [1, 1], [0, 0]]",
      "log.tile:12: kernel 'types', program (0, 0, 0): b [[-2, -2], [-1, -1], [0, 0]], "
      "[[-2, -2], [-1, -1], [0, 0]], [[65534, 65534], [65535, 65535], [0, 0]]",
      "log.tile:14: kernel 'types', program (0, 0, 0): one [[[-9223372036854775808, "
      "-9223372036854775808]]]",
      hundred};
  (void)state;
  for (int i = 1; i < 100; ++i)
    snprintf(hundred + strlen(hundred), 16, ", %d", i);
  strcat(hundred, "]");
  for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
    run r = start(devices[d], types, take);
    tl_arg args[4] = {tl_arg_int(-1), tl_arg_float(0.1), tl_arg_float(-INFINITY),
                      tl_arg_int(INT64_MIN)};
    OK(tl_launch(r.kernel, NULL, args, 4, NULL));
    OK(tl_stream_synchronize(r.device, NULL));
    expect(want, sizeof want / sizeof *want, devices[d]);
    end(r);
  }
}

static const char asserts[] = "tile 0.1\n"
                              "kernel @asserts(%n: i64, %m: i64) grid [2] {\n"
                              "  %p = program_id 0\n"
                              "  %i = iota axis 1 : tile<5x33xi64>\n"
                              "  %s = add %i, %p\n"
                              "  %c = cmp lt %s, %n\n"
                              "  assert %c, \"s is small\"\n"
                              "  %e = cmp ne %p, %m\n"
                              "  assert %e, \"another program\"\n"
                              "  print \"after\"\n"
                              "}\n";

/* One that fails is told by the synchronization, once; the program goes on. */
static void assertions(void **state) {
  static const char *const fine[] = {"log.tile:10: kernel 'asserts', program (0, 0, 0): after",
                                     "log.tile:10: kernel 'asserts', program (1, 0, 0): after"};
  static const char *const failed[] = {
      "log.tile:10: kernel 'asserts', program (0, 0, 0): after",
      "log.tile:7: kernel 'asserts', program (1, 0, 0): assertion failed at element 32: s is small",
      "log.tile:9: kernel 'asserts', program (1, 0, 0): assertion failed: another program",
      "log.tile:10: kernel 'asserts', program (1, 0, 0): after"};
  (void)state;
  for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
    run r = start(devices[d], asserts, take);
    tl_arg args[2] = {tl_arg_int(34), tl_arg_int(7)};
    OK(tl_launch(r.kernel, NULL, args, 2, NULL));
    OK(tl_stream_synchronize(r.device, NULL));
    expect(fine, 2, devices[d]);
    args[0] = tl_arg_int(33), args[1] = tl_arg_int(1);
    OK(tl_launch(r.kernel, NULL, args, 2, NULL));
    assert_int_equal(tl_stream_synchronize(r.device, NULL), TL_E_ASSERT);
    assert_int_equal(got.line[1].kind, TL_LOG_ASSERT);
    assert_int_equal(got.line[1].line, 7);
    expect(failed, 4, devices[d]);
    OK(tl_stream_synchronize(r.device, NULL));
    end(r);
    r = start(devices[d], asserts, NULL); /* nobody listens: the status still says it */
    OK(tl_launch(r.kernel, NULL, args, 2, NULL));
    assert_int_equal(tl_stream_synchronize(r.device, NULL), TL_E_ASSERT);
    end(r);
  }
}

static const char many[] = "tile 0.1\n"
                           "kernel @many(%n: i64) grid [%n] {\n"
                           "  %p = program_id 0\n"
                           "  %t = full %p : tile<1000xi64>\n"
                           "  print \"t\", %t\n"
                           "  %c = cmp lt %p, 299\n"
                           "  assert %c, \"few\"\n"
                           "}\n";

/* More than the device keeps: what is lost is counted, what arrives is whole, and the ring goes on
 * from where it was. The interpreter keeps all. */
static void room(void **state) {
  (void)state;
  for (size_t d = 1; d < sizeof devices / sizeof *devices; d += 2) {
    run r = start(devices[d], many, take);
    for (int turn = 0; turn < 6; ++turn) {
      int64_t n = turn == 3 ? 300 : 60;
      tl_arg args[1] = {tl_arg_int(n)};
      int64_t last = -1;
      OK(tl_launch(r.kernel, NULL, args, 1, NULL));
      tl_status status = tl_stream_synchronize(r.device, NULL);
      assert_int_equal(status, n == 300 ? TL_E_ASSERT : TL_OK);
      for (size_t i = 0; i < got.n; ++i) {
        char value[32];
        if (got.line[i].kind == TL_LOG_ASSERT)
          continue;
        assert_true(got.line[i].program[0] > last); /* each once, in order */
        last = got.line[i].program[0];
        snprintf(value, sizeof value, "t [%lld, %lld, ", (long long)last, (long long)last);
        assert_non_null(strstr(got.text[i], value));
      }
      assert_int_equal(got.n + got.lost, n == 300 ? 301 : n);
      assert_true((got.lost > 0) == (n == 300));
      assert_true(got.n >= (n == 300 ? 120 : 60));
      memset(&got, 0, sizeof got);
    }
    end(r);
  }
}

static const char sequence[] = "tile 0.1\n"
                               "kernel @first(%n: i64) grid [1] {\n"
                               "  print \"first\", %n\n"
                               "}\n"
                               "kernel @second(%n: i64) grid [1] {\n"
                               "  print \"second\", %n\n"
                               "}\n"
                               "sequence @both(%n: i64) {\n"
                               "  dispatch @second(%n)\n"
                               "  %m = add %n, 1\n"
                               "  dispatch @first(%m)\n"
                               "}\n";

/* Kernels of sequences, of files, on several streams, and of a launch that the host makes itself.
 */
static void ways_to_launch(void **state) {
  static const char *const want[] = {"log.tile:6: kernel 'second', program (0, 0, 0): second 5",
                                     "log.tile:3: kernel 'first', program (0, 0, 0): first 6"};
  (void)state;
  for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
    run r = start(devices[d], sequence, take);
    tl_arg args[1] = {tl_arg_int(5)};
    const void *bytes = NULL;
    size_t size = 0;
    tl_kernel *loaded = NULL;
    void *stream = NULL;
    OK(tl_launch(r.kernel, NULL, args, 1, NULL));
    OK(tl_stream_synchronize(r.device, NULL));
    expect(want, 2, devices[d]);
    OK(tl_kernel_save(r.kernel, &bytes, &size));
    OK(tl_kernel_load(r.device, bytes, size, &loaded, &error));
    OK(tl_stream_create(r.device, &stream));
    OK(tl_launch(loaded, stream, args, 1, NULL));
    OK(tl_stream_synchronize(r.device, stream));
    expect(want, 2, devices[d]);
    OK(tl_stream_destroy(r.device, stream));
    tl_kernel_destroy(loaded);
    end(r);
  }
}

/* What calls can get wrong. */
static void mistakes(void **state) {
  static const struct {
    const char *message;
    const char *words;
  } cases[] = {{NULL, "print: attribute 'message' is NULL or of over 1024 bytes"},
               {"a\x01", "byte 0x01 of the message cannot be printed"},
               {"\xff", "byte 0xff of the message cannot be printed"}};
  tl_graph *g = NULL;
  tl_value v, index;
  int64_t extent = 8;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OK(tl_graph_create(&g));
    (void)tl_graph_kernel(g, "k");
    (void)tl_print(g, NULL, 0, cases[i].message);
    FAILS(tl_graph_verify(g, &error), i ? TL_E_INVALID_GRAPH : TL_E_INVALID_ARGUMENT,
          cases[i].words);
    tl_graph_destroy(g);
  }
  OK(tl_graph_create(&g)); /* an operation of the passes */
  (void)tl_graph_op(g, 127, NULL, 0, NULL, 0, &v, 1);
  FAILS(tl_graph_verify(g, &error), TL_E_INVALID_ARGUMENT, "operation 0 is unknown");
  tl_graph_destroy(g);
  for (int stores = 0; stores < 2; ++stores) {
    OK(tl_graph_create(&g));
    (void)tl_graph_kernel(g, "k");
    v = api_view(g, "x", TL_DTYPE_F32, 1, &extent);
    index = api_i64(g, 0);
    if (stores)
      (void)tl_atomic_store_ex(g, tl_const_f(g, 1, TL_DTYPE_F32), v, &index, 1, 0, TL_ORDER_ACQUIRE,
                               0);
    else
      (void)tl_atomic_load_ex(g, v, &index, 1, 0, TL_ORDER_RELEASE, TL_SCOPE_SYSTEM);
    FAILS(tl_graph_verify(g, &error), TL_E_INVALID_GRAPH,
          stores ? "a store takes relaxed, release or seq_cst, not acquire"
                 : "a load takes relaxed, acquire or seq_cst, not release");
    tl_graph_destroy(g);
  }
}

/* A graph that is made by calls. */
static void calls(void **state) {
  static const char *const want[] = {"calls.c:21: kernel 'k', program (0, 0, 0): n is 7",
                                     "calls.c:22: kernel 'k', program (0, 0, 0): assertion failed: "
                                     "n is even"};
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *host = NULL;
  tl_kernel *k = NULL;
  tl_graph *g = NULL;
  tl_value n, one;
  tl_arg args[1] = {tl_arg_int(7)};
  (void)state;
  memset(&got, 0, sizeof got);
  options.log = take, options.log_user = &got;
  OK(tl_graph_create(&g));
  (void)tl_graph_kernel(g, "k");
  n = api_scalar(g, "n", TL_DTYPE_I64);
  one = api_i64(g, 1);
  (void)tl_graph_grid(g, &one, 1);
  tl_graph_location(g, "calls.c", 21);
  (void)tl_print(g, &n, 1, "n is");
  tl_graph_location(g, "calls.c", 22);
  (void)tl_assert(g, tl_cmp(g, tl_and(g, n, one), api_i64(g, 0), TL_PRED_EQ), "n is even");
  OK(tl_context_create(&options, &context, &error));
  OK(tl_device_open(context, "host", &host, &error));
  OK(tl_kernel_build(host, g, NULL, &k, &error));
  OK(tl_launch(k, NULL, args, 1, NULL));
  assert_int_equal(tl_stream_synchronize(host, NULL), TL_E_ASSERT);
  expect(want, 2, "host");
  tl_kernel_destroy(k);
  tl_graph_destroy(g);
  tl_device_destroy(host);
  tl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order),          cmocka_unit_test(elements),
                                     cmocka_unit_test(assertions),     cmocka_unit_test(room),
                                     cmocka_unit_test(ways_to_launch), cmocka_unit_test(mistakes),
                                     cmocka_unit_test(calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
