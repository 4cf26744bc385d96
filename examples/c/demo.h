/* What the examples share: opening a device, input (random or from .npy files), timing, a line of
 * results. Not part of the library. */
#ifndef DEMO_H
#define DEMO_H

#include "tilelang.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct demo {
  const char *name;
  tl_context *context;
  tl_device *device;
  tl_device_info info;
  int argc; /* .npy files given on the command line */
  char **argv;
} demo;

/* Ends the program with the library's words when a call failed. */
static inline void demo_check(tl_status status, tl_error **error, const char *what) {
  if (status == TL_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, error ? tl_error_message(*error) : tl_status_text(status));
  exit(1);
}

/* Ends the program with what it takes; `files` are the names of its .npy files, as in "a b". */
static inline void demo_usage(const char *name, const char *files, FILE *to, int status) {
  fprintf(to, "usage: %s [-d DEVICE] [", name);
  for (; *files; ++files)
    *files == ' ' ? fputs(".npy ", to) : fputc(*files, to);
  fprintf(to, ".npy]\n");
  exit(status);
}

/* Opens the device that the command line names; all of the program's `files` are given, or none. */
static inline demo demo_open(int argc, char **argv, const char *name, const char *files) {
  demo d;
  tl_error *error = NULL;
  const char *device = "auto", *p;
  int wanted = 1;
  tl_device_info info = TL_DEVICE_INFO_INIT;
  memset(&d, 0, sizeof d);
  d.name = name;
  d.argc = argc - 1;
  d.argv = argv + 1;
  while (d.argc >= 2 && strcmp(d.argv[0], "-d") == 0) {
    device = d.argv[1];
    d.argc -= 2;
    d.argv += 2;
  }
  for (p = files; *p; ++p)
    wanted += *p == ' ';
  if (d.argc == 1 && (strcmp(d.argv[0], "--help") == 0 || strcmp(d.argv[0], "-h") == 0))
    demo_usage(name, files, stdout, 0);
  if (d.argc && d.argv[0][0] == '-') {
    fprintf(stderr, "%s: %s %s\n", name, d.argv[0],
            strcmp(d.argv[0], "-d") == 0 ? "needs a device" : "is unknown");
    demo_usage(name, files, stderr, 1);
  }
  if (d.argc && d.argc != wanted) {
    fprintf(stderr, "%s: want %d .npy file%s or none, not %d\n", name, wanted,
            wanted == 1 ? "" : "s", d.argc);
    demo_usage(name, files, stderr, 1);
  }
  demo_check(tl_context_create(NULL, &d.context, &error), &error, "context");
  demo_check(tl_device_open(d.context, device, &d.device, &error), &error, "device");
  d.info = info;
  demo_check(tl_device_get_info(d.device, &d.info), NULL, "device");
  return d;
}

static inline void demo_close(demo *d) {
  tl_device_destroy(d->device);
  tl_context_destroy(d->context);
}

/* Builds the graph for the demo's device and releases it. */
static inline tl_kernel *demo_build(demo *d, tl_graph *graph, const tl_build_options *options) {
  tl_kernel *kernel = NULL;
  tl_error *error = NULL;
  demo_check(tl_kernel_build(d->device, graph, options, &kernel, &error), &error, d->name);
  tl_graph_destroy(graph);
  return kernel;
}

/* Replaces the `rank` extents in `shape` by those of .npy file number `file`, if given. */
static inline void demo_shape(const demo *d, int file, int rank, int64_t *shape) {
  char text[513] = "", *p, *end;
  FILE *f = file >= 0 && file < d->argc ? fopen(d->argv[file], "rb") : NULL;
  size_t i, n;
  int axis;
  if (!f)
    return; /* demo_input says what is wrong with a file that cannot be read */
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  for (i = 0; i < n && i < 12; ++i) /* the header's length may hold a NUL byte */
    text[i] = text[i] ? text[i] : ' ';
  p = strstr(text, "'shape': (");
  end = p = p ? p + 10 : text + n;
  for (axis = 0; axis < rank; ++axis) { /* "777,)" or "37, 53)" */
    char *number = end;
    shape[axis] = strtoll(number, &end, 10);
    if (end == number || shape[axis] < 1)
      break;
    end += strspn(end, ", ");
  }
  if (axis < rank || *end != ')') {
    fprintf(stderr, "%s: want %d %s of at least one element, not the shape (%.*s)\n", d->argv[file],
            rank, rank == 1 ? "axis" : "axes", (int)strcspn(p, ")"), p);
    exit(1);
  }
}

/* An array of this shape: .npy file number `file` (little-endian f4, C order) if given, else
 * normally distributed. */
static inline float *demo_input(const demo *d, int file, int rank, const int64_t *shape) {
  uint64_t state = 88172645463325252u + (uint64_t)file * 7919;
  int64_t given[8];
  size_t i, n = 1;
  float *x;
  int axis;
  memcpy(given, shape, (size_t)rank * sizeof *shape);
  demo_shape(d, file, rank, given);
  for (axis = 0; axis < rank; ++axis) {
    if (given[axis] != shape[axis]) {
      fprintf(stderr, "%s: want %lld elements along axis %d, not %lld\n", d->argv[file],
              (long long)shape[axis], axis, (long long)given[axis]);
      exit(1);
    }
    n *= (size_t)shape[axis];
  }
  x = malloc((n ? n : 1) * sizeof *x);
  if (file >= 0 && file < d->argc) {
    FILE *f = fopen(d->argv[file], "rb");
    unsigned char head[10];
    char text[4096] = "";
    size_t length;
    if (!f) {
      perror(d->argv[file]);
      exit(1);
    }
    if (fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY\x01", 7) != 0 ||
        (length = head[8] + 256u * head[9]) >= sizeof text || fread(text, 1, length, f) != length ||
        !strstr(text, "<f4") || strstr(text, "True") || fread(x, sizeof *x, n, f) != n ||
        fgetc(f) != EOF) {
      fprintf(stderr, "%s: want %zu little-endian f4 elements in C order in a .npy file\n",
              d->argv[file], n);
      exit(1);
    }
    fclose(f);
    return x;
  }
  for (i = 0; i < n; ++i) { /* the sum of 12 uniform numbers, by xorshift */
    double sum = -6;
    int k;
    for (k = 0; k < 12; ++k) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      sum += (double)(state >> 11) / 9007199254740992.0;
    }
    x[i] = (float)sum;
  }
  return x;
}

static inline void *demo_upload(demo *d, const void *host, size_t bytes) {
  void *memory = NULL;
  tl_error *error = NULL;
  demo_check(tl_alloc(d->device, bytes ? bytes : 1, &memory, &error), &error, "memory");
  if (host)
    demo_check(tl_copy(d->device, memory, host, bytes, TL_COPY_TO_DEVICE, NULL), NULL, "copy");
  demo_check(tl_stream_synchronize(d->device, NULL), NULL, "copy");
  return memory;
}

static inline void demo_download(demo *d, void *host, const void *memory, size_t bytes) {
  demo_check(tl_copy(d->device, host, memory, bytes, TL_COPY_TO_HOST, NULL), NULL, "copy");
  demo_check(tl_stream_synchronize(d->device, NULL), NULL, "copy");
}

static inline int demo_less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Launches once to warm up, then times single launches; the median in milliseconds. */
static inline double demo_run(demo *d, const tl_kernel *kernel, const tl_arg *args, size_t n) {
  double ms[21];
  void *start = NULL, *stop = NULL;
  tl_error *error = NULL;
  int i, runs = strcmp(d->info.name, "interp") == 0 ? 1 : 21;
  demo_check(tl_kernel_prepare(kernel, args, n, &error), &error, d->name);
  demo_check(tl_event_create(d->device, &start), NULL, "event");
  demo_check(tl_event_create(d->device, &stop), NULL, "event");
  demo_check(tl_launch(kernel, NULL, args, n, NULL), NULL, "launch");
  for (i = 0; i < runs; ++i) {
    demo_check(tl_event_record(d->device, start, NULL), NULL, "event");
    demo_check(tl_launch(kernel, NULL, args, n, NULL), NULL, "launch");
    demo_check(tl_event_record(d->device, stop, NULL), NULL, "event");
    demo_check(tl_event_elapsed(d->device, start, stop, &ms[i]), NULL, "event");
  }
  tl_event_destroy(d->device, start);
  tl_event_destroy(d->device, stop);
  qsort(ms, (size_t)runs, sizeof ms[0], demo_less);
  return ms[runs / 2];
}

/* The larger error so far; a NaN, once met, stays. */
static inline double demo_worse(double error, double difference) {
  return fabs(difference) <= error || isnan(error) ? error : fabs(difference);
}

/* One line; returns the program's status: 0 if the error is within `bound`. */
static inline int demo_report(const demo *d, const char *shape, double ms, double amount,
                              const char *unit, double error, double bound) {
  int ok = error <= bound;
  printf("%-14s %-28s on %s (%s): %9.4f ms %9.2f %s, max error %.3g%s\n", d->name, shape,
         d->info.name, d->info.description, ms, amount / (ms * 1e6), unit, error,
         ok ? "" : "  TOO LARGE");
  return ok ? 0 : 1;
}

#endif
