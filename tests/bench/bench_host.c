/* Figures of the host device against rivals in the same run: make bench. Prints one line a figure.
 *   matmul f32 1024^3     OpenBLAS, with whatever kernel it picked (its name is printed;
 * OPENBLAS_CORETYPE chooses) vector_add            a plain C loop, compiled -O3 -march=native, on
 * as many threads tl_launch             the cost of a launch into a busy queue, and of a round trip
 */
#include "tilelang.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                 int lda, const float *b, int ldb, float beta, float *c, int ldc);
char *openblas_get_corename(void);
int openblas_get_num_threads(void);

static tl_context *context;
static tl_device *device;

static void check(tl_status status, tl_error **error) {
  if (status == TL_OK)
    return;
  fprintf(stderr, "%s\n", error && *error ? tl_error_message(*error) : tl_status_text(status));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, less);
  return x[n / 2];
}

static tl_kernel *load(const char *path, const char *const *names, const int64_t *values,
                       size_t n) {
  static char text[1 << 16];
  FILE *f = fopen(path, "rb");
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_error *error = NULL;
  tl_build_options options = TL_BUILD_OPTIONS_INIT;
  size_t size;
  if (!f) {
    perror(path);
    exit(1);
  }
  size = fread(text, 1, sizeof text, f);
  fclose(f);
  options.param_names = names, options.param_values = values, options.n_params = n;
  check(tl_graph_parse(text, size, path, &g, &error), &error);
  check(tl_kernel_build(device, g, &options, &k, &error), &error);
  tl_graph_destroy(g);
  return k;
}

static float *numbers(size_t n) {
  float *x = aligned_alloc(64, n * sizeof *x);
  size_t i;
  for (i = 0; i < n; ++i)
    x[i] = (float)(i * 2654435761u % 1000) * 0.002f - 1;
  return x;
}

static void matmul(const char *directory) {
  enum { N = 1024, RUNS = 15 };
  static const char *const names[] = {"BM", "BN", "BK"};
  static const int64_t values[] = {128, 128, 64};
  char path[4096];
  int64_t shape[2] = {N, N};
  float *a = numbers(N * N), *b = numbers(N * N), *c = numbers(N * N), *d = numbers(N * N);
  double mine, rival, ours[RUNS], theirs[RUNS], flops = 2.0 * N * N * N;
  tl_kernel *k;
  tl_arg args[6];
  int i;
  snprintf(path, sizeof path, "%s/matmul_f32.tile", directory);
  k = load(path, names, values, 3);
  args[0] = tl_arg_tensor(a, TL_DTYPE_F32, 2, shape),
  args[1] = tl_arg_tensor(b, TL_DTYPE_F32, 2, shape);
  args[2] = tl_arg_tensor(c, TL_DTYPE_F32, 2, shape);
  args[3] = args[4] = args[5] = tl_arg_int(N);
  for (i = -2; i < RUNS; ++i) { /* in turn, so that both see the same machine */
    double t0 = now(), t1;
    check(tl_launch(k, NULL, args, 6, NULL), NULL);
    check(tl_stream_synchronize(device, NULL), NULL);
    t1 = now();
    cblas_sgemm(101, 111, 111, N, N, N, 1, a, N, b, N, 0, d, N);
    if (i >= 0)
      ours[i] = t1 - t0, theirs[i] = now() - t1;
  }
  mine = median(ours, RUNS), rival = median(theirs, RUNS);
  printf("matmul f32 1024^3: %.1f GFLOP/s, OpenBLAS (%s, %d threads) %.1f GFLOP/s, ratio %.2f\n",
         flops / mine * 1e-9, openblas_get_corename(), openblas_get_num_threads(),
         flops / rival * 1e-9, rival / mine);
  tl_kernel_destroy(k);
  free(a), free(b), free(c), free(d);
}

typedef struct part {
  const float *a, *b;
  float *c;
  size_t n;
} part;

static void *add(void *p) {
  const part *w = p;
  const float *restrict a = w->a, *restrict b = w->b;
  float *restrict c = w->c;
  size_t i, n = w->n;
  for (i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
  return NULL;
}

/* The C loop on all cores: this thread and freshly started ones, as a careful host would for a
 * large array. */
static void add_everywhere(const float *a, const float *b, float *c, size_t n, int threads) {
  pthread_t others[64];
  part parts[64];
  int i;
  for (i = 0; i < threads; ++i) {
    size_t begin = n * (size_t)i / (size_t)threads, end = n * ((size_t)i + 1) / (size_t)threads;
    parts[i].a = a + begin, parts[i].b = b + begin, parts[i].c = c + begin,
    parts[i].n = end - begin;
    if (i > 0)
      pthread_create(&others[i], NULL, add, &parts[i]);
  }
  add(&parts[0]);
  for (i = 1; i < threads; ++i)
    pthread_join(others[i], NULL);
}

static void vector_add(const char *directory, size_t n, int threads) {
  enum { RUNS = 31 };
  static const char *const names[] = {"B"};
  static const int64_t values[] = {4096};
  char path[4096];
  int64_t shape = (int64_t)n;
  float *a = numbers(n), *b = numbers(n), *c = numbers(n);
  double mine, rival, ours[RUNS], theirs[RUNS];
  int i, repeat = n < 1000000 ? 100 : 1, r;
  tl_kernel *k;
  tl_arg args[4];
  snprintf(path, sizeof path, "%s/vector_add.tile", directory);
  k = load(path, names, values, 1);
  args[0] = tl_arg_tensor(a, TL_DTYPE_F32, 1, &shape),
  args[1] = tl_arg_tensor(b, TL_DTYPE_F32, 1, &shape);
  args[2] = tl_arg_tensor(c, TL_DTYPE_F32, 1, &shape), args[3] = tl_arg_int(shape);
  for (i = -2; i < RUNS; ++i) {
    double t0 = now(), t1;
    for (r = 0; r < repeat; ++r)
      check(tl_launch(k, NULL, args, 4, NULL), NULL);
    check(tl_stream_synchronize(device, NULL), NULL);
    t1 = now();
    for (r = 0; r < repeat; ++r)
      add_everywhere(a, b, c, n, threads);
    if (i >= 0)
      ours[i] = (t1 - t0) / repeat, theirs[i] = (now() - t1) / repeat;
  }
  mine = median(ours, RUNS), rival = median(theirs, RUNS);
  printf("vector_add n=%zu: %.2f GB/s, C loop on %d threads %.2f GB/s, ratio %.2f\n", n,
         12e-9 * (double)n / mine, threads, 12e-9 * (double)n / rival, rival / mine);
  tl_kernel_destroy(k);
  free(a), free(b), free(c);
}

/* 20 arguments, a grid of one program. */
static void launches(void) {
  enum { RUNS = 2001 };
  static char text[4096] = "tile 0.1\nkernel @many(";
  double busy[RUNS], trip[RUNS];
  int64_t one = 1;
  float x = 0;
  tl_graph *g = NULL;
  tl_kernel *k = NULL;
  tl_error *error = NULL;
  tl_arg args[20];
  int i;
  for (i = 0; i < 20; ++i) {
    char line[64];
    snprintf(line, sizeof line, i < 10 ? "%s%%a%d: view<f32, [1]>" : "%s%%a%d: i64", i ? ", " : "",
             i);
    strcat(text, line);
    args[i] = i < 10 ? tl_arg_tensor(&x, TL_DTYPE_F32, 1, &one) : tl_arg_int(i);
  }
  strcat(text, ") grid [1] {\n  %x = load %a1[%a10] : tile<1xf32>\n  store %x, %a0[0]\n}\n");
  check(tl_graph_parse(text, strlen(text), "many", &g, &error), &error);
  check(tl_kernel_build(device, g, NULL, &k, &error), &error);
  for (i = 0; i < RUNS; ++i) {
    double t0 = now();
    check(tl_launch(k, NULL, args, 20, NULL), NULL);
    check(tl_stream_synchronize(device, NULL), NULL);
    trip[i] = now() - t0;
  }
  for (i = 0; i < RUNS; ++i) {
    double t0 = now();
    check(tl_launch(k, NULL, args, 20, NULL), NULL);
    busy[i] = now() - t0;
  }
  check(tl_stream_synchronize(device, NULL), NULL);
  printf("tl_launch, 20 arguments: %.2f us into a busy queue, round trip %.2f us (medians)\n",
         1e6 * median(busy, RUNS), 1e6 * median(trip, RUNS));
  tl_graph_destroy(g);
  tl_kernel_destroy(k);
}

int main(int argc, char **argv) {
  tl_device_info info = TL_DEVICE_INFO_INIT;
  tl_error *error = NULL;
  int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (argc != 2) {
    fprintf(stderr, "usage: bench_host DIRECTORY_OF_TILE_FILES\n");
    return 2;
  }
  check(tl_context_create(NULL, &context, &error), &error);
  check(tl_device_open(context, "host", &device, &error), &error);
  check(tl_device_get_info(device, &info), NULL);
  printf("%s, %s\n", info.description, info.target);
  matmul(argv[1]);
  vector_add(argv[1], 1 << 16,
             1); /* in cache: starting threads would cost the rival more than the loop */
  vector_add(argv[1], 1 << 25, threads);
  launches();
  return 0;
}
