/* Paged attention through the C API: head groups, page table and lengths read from device memory,
 * page ids outside the cache read as padding, unused pages full of NaN, every buffer ending at an
 * unmapped page, one kernel for all shapes. test-timeout: 300 */
#include "api/api_test.h"
#include "api/paged_graph.h"

typedef struct problem {
  int64_t batch, heads, group, pages, slots;
  int lengths[8];
  float *q, *k, *v, *out;
  int32_t *table, *device_lengths;
  api_memory memory[6];
} problem;

static size_t q_count(const problem *p) { return (size_t)(p->batch * p->heads * p->group * D); }
static size_t kv_count(const problem *p) { return (size_t)(p->pages * PAGE * p->heads * D); }

/* Sequence i uses every third page from i on; its second page is -1 and its third is out of range,
 * if it has so many. */
static problem make(const int *lengths, int64_t batch, int64_t group, int holes) {
  problem p;
  uint64_t state = 12345 + (uint64_t)group;
  size_t i;
  int64_t b, s, used = 0;
  memset(&p, 0, sizeof p);
  p.batch = batch, p.heads = 2, p.group = group, p.slots = 64;
  memcpy(p.lengths, lengths, (size_t)batch * sizeof *lengths);
  p.pages = 3 * 70 * batch;
  p.memory[0] = api_guarded(q_count(&p) * 4, 4), p.q = p.memory[0].data;
  p.memory[1] = api_guarded(q_count(&p) * 4, 4), p.out = p.memory[1].data;
  p.memory[2] = api_guarded(kv_count(&p) * 4, 4), p.k = p.memory[2].data;
  p.memory[3] = api_guarded(kv_count(&p) * 4, 4), p.v = p.memory[3].data;
  p.memory[4] = api_guarded((size_t)(batch * p.slots) * 4, 4), p.table = p.memory[4].data;
  p.memory[5] = api_guarded((size_t)batch * 4, 4), p.device_lengths = p.memory[5].data;
  for (i = 0; i < q_count(&p); ++i)
    p.q[i] = api_random(&state), p.out[i] = 777;
  for (i = 0; i < kv_count(&p); ++i)
    p.k[i] = p.v[i] = NAN;
  for (b = 0; b < batch; ++b) {
    p.device_lengths[b] = lengths[b];
    for (s = 0; s < p.slots; ++s) {
      int64_t page = used++ * 3 % p.pages, row, n;
      p.table[b * p.slots + s] = (int32_t)page;
      if (holes && s == 1)
        p.table[b * p.slots + s] = -1;
      if (holes && s == 2)
        p.table[b * p.slots + s] = (int32_t)p.pages;
      for (row = 0; row < PAGE && s * PAGE + row < lengths[b]; ++row)
        for (n = 0; n < p.heads * D; ++n) {
          p.k[(page * PAGE + row) * p.heads * D + n] = api_random(&state);
          p.v[(page * PAGE + row) * p.heads * D + n] = api_random(&state);
        }
    }
  }
  return p;
}

static void release(problem *p) {
  int i;
  for (i = 0; i < 6; ++i)
    api_release(p->memory[i]);
}

static void arguments(const problem *p, float *out, tl_arg *args) {
  args[0] = tl_arg_int(p->batch), args[1] = tl_arg_int(p->heads), args[2] = tl_arg_int(p->group);
  args[3] = tl_arg_int(p->pages), args[4] = tl_arg_int(p->slots);
  args[5] = tl_arg_pointer(p->q), args[6] = tl_arg_pointer(out);
  args[7] = tl_arg_pointer(p->k), args[8] = tl_arg_pointer(p->v);
  args[9] = tl_arg_pointer(p->table), args[10] = tl_arg_pointer(p->device_lengths);
}

/* `d`: the problem with its memory where the device's kernels can read it; and back. */
static void place(tl_device *device, const problem *p, problem *d) {
  d->q = api_in(device, p->q, q_count(p) * 4);
  d->out = api_in(device, p->out, q_count(p) * 4);
  d->k = api_in(device, p->k, kv_count(p) * 4);
  d->v = api_in(device, p->v, kv_count(p) * 4);
  d->table = api_in(device, p->table, (size_t)(p->batch * p->slots) * 4);
  d->device_lengths = api_in(device, p->device_lengths, (size_t)p->batch * 4);
}
static void bring_back(tl_device *device, const problem *p, problem *d) {
  api_out(device, p->q, d->q, q_count(p) * 4);
  api_out(device, p->out, d->out, q_count(p) * 4);
  api_out(device, p->k, d->k, kv_count(p) * 4);
  api_out(device, p->v, d->v, kv_count(p) * 4);
  api_out(device, p->table, d->table, (size_t)(p->batch * p->slots) * 4);
  api_out(device, p->device_lengths, d->device_lengths, (size_t)p->batch * 4);
}

/* The largest difference from a double-precision computation. */
static double error_of(const problem *p) {
  double worst = 0;
  int64_t b, h, r, j, c;
  for (b = 0; b < p->batch; ++b)
    for (h = 0; h < p->heads; ++h)
      for (r = 0; r < p->group; ++r) {
        int n = p->lengths[b];
        const float *q = p->q + ((b * p->heads + h) * p->group + r) * D, *got = p->out + (q - p->q);
        double *s = calloc((size_t)n + 1, sizeof *s), largest = -INFINITY, sum = 0;
        for (j = 0; j < n; ++j) {
          int64_t page = p->table[b * p->slots + j / PAGE];
          if (page >= 0 && page < p->pages)
            for (c = 0; c < D; ++c)
              s[j] +=
                  (double)q[c] * p->k[((page * PAGE + j % PAGE) * p->heads + h) * D + c] / sqrt(D);
          largest = fmax(largest, s[j]);
        }
        for (j = 0; j < n; ++j)
          sum += s[j] = exp(s[j] - largest);
        for (c = 0; c < D; ++c) {
          double want = 0;
          for (j = 0; j < n; ++j) {
            int64_t page = p->table[b * p->slots + j / PAGE];
            if (page >= 0 && page < p->pages)
              want += s[j] / sum * p->v[((page * PAGE + j % PAGE) * p->heads + h) * D + c];
          }
          if (!(fabs(got[c] - want) <= worst)) /* NaN counts */
            worst = isnan(got[c]) ? INFINITY : fabs(got[c] - want);
        }
        free(s);
      }
  return worst;
}

static void run_on(const char *device_name) {
  static const int all[6] = {0, 1, 15, 16, 17, 1000};
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_kernel *kernel = NULL;
  tl_graph *g = paged_attention_graph();
  uint64_t compiles = 99;
  int64_t group;
  int i, holes;
  OK(tl_context_create(NULL, &context, &error));
  OK(tl_device_open(context, device_name, &device, &error));
  OK(tl_kernel_build(device, g, NULL, &kernel, &error));
  tl_graph_destroy(g);
  for (group = 1; group <= 8; group += 7)
    for (holes = 0; holes < 2; ++holes)
      for (i = -1; i < 6; ++i) { /* all lengths in one batch, then each alone */
        problem p = make(i < 0 ? all : all + i, i < 0 ? 6 : 1, group, holes);
        problem d = p;
        tl_arg args[11], after[11];
        tl_check_report report = TL_CHECK_REPORT_INIT;
        float *reference = malloc(q_count(&p) * 4);
        place(device, &p, &d);
        arguments(&d, d.out, args);
        OK(tl_kernel_prepare(kernel, args, 11, &error));
        OK(tl_launch(kernel, NULL, args, 11, NULL));
        OK(tl_stream_synchronize(device, NULL));
        bring_back(device, &p, &d);
        assert_true(error_of(&p) <=
                    2e-6); /* outputs below 1, sums of at most 1000 terms, no growth */
        arguments(&p, p.out, args);
        arguments(&p, reference, after);
        OK(tl_kernel_check(kernel, after, args, 11, &report, &error));
        assert_int_equal(report.undecided, 0);
        free(reference);
        release(&p);
      }
  OK(tl_context_compile_count(context, &compiles));
  assert_int_equal(compiles, strcmp(device_name, "interp") == 0 ? 0 : 1);
  tl_kernel_destroy(kernel);
  tl_device_destroy(device);
  tl_context_destroy(context);
}

static void on_interp(void **state) {
  (void)state;
  run_on("interp");
}
static void on_host(void **state) {
  (void)state;
  run_on("host");
}

static void on_named(void **state) {
  (void)state;
  run_on(api_named_device());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_interp), cmocka_unit_test(on_host)};
  const struct CMUnitTest named[] = {cmocka_unit_test(on_named)};
  if (api_named_device())
    return cmocka_run_group_tests(named, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
