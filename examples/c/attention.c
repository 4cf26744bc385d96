/* Fused attention forward with online softmax: O = softmax(scale Q K^T) V per head, full or causal,
 * any sequence length, grouped-query (several query heads share one key/value head). Usage:
 * attention [-d DEVICE] [q.npy k.npy v.npy]: f4, [heads, n, d] and twice [kv_heads, n, d] */
#include "demo.h"

enum { BM = 64, BN = 64 };

static tl_value index3(tl_graph *g, tl_value *index, tl_value head, tl_value row) {
  index[0] = head, index[1] = row;
  return index[2] = tl_const_i(g, 0, TL_DTYPE_I64);
}

/* A column of one number a row, beside every column of a tile. */
static tl_value spread(tl_graph *g, tl_value column, int64_t width) {
  int64_t dims[2] = {BM, width};
  return tl_broadcast(g, tl_expand_dims(g, column, 1), dims, 2);
}

static tl_graph *attention_graph(int causal, int64_t heads, int64_t kv_heads, int64_t d) {
  static const char *const names[] = {"q", "k", "v", "o"};
  const int64_t rows[1] = {BM}, tile[2] = {BM, d}, score[2] = {BM, BN}, key[2] = {BN, d},
                transposed[2] = {d, BN};
  const int64_t swapped[2] = {2, 1};
  tl_graph *g = NULL;
  tl_argument scalar = TL_ARGUMENT_INIT, view = TL_ARGUMENT_INIT;
  tl_value n, scale, v[4], grid[2], head, kv, start, q, init[3], args[4], s, m, p, shrink, next[3],
      index[3], mask, last;
  int64_t extents[3];
  int i;
  demo_check(tl_graph_create(&g), NULL, "graph");
  tl_graph_kernel(g, causal ? "attention_causal" : "attention");
  scalar.kind = TL_TYPE_TILE, scalar.dtype = TL_DTYPE_I64, scalar.name = "n";
  n = tl_graph_argument(g, &scalar);
  scalar.dtype = TL_DTYPE_F32, scalar.name = "scale";
  scale = tl_graph_argument(g, &scalar);
  view.kind = TL_TYPE_VIEW, view.dtype = TL_DTYPE_F32, view.rank = 3, view.extents = extents;
  extents[1] = TL_DIM(n), extents[2] = d;
  for (i = 0; i < 4; ++i) {
    extents[0] = i == 0 || i == 3 ? heads : kv_heads;
    view.name = names[i];
    v[i] = tl_graph_argument(g, &view);
  }
  grid[0] = tl_ceildiv(g, n, tl_const_i(g, BM, TL_DTYPE_I64));
  grid[1] = tl_const_i(g, heads, TL_DTYPE_I64);
  tl_graph_grid(g, grid, 2);

  start = tl_mul(g, tl_program_id(g, 0), tl_const_i(g, BM, TL_DTYPE_I64));
  head = tl_program_id(g, 1);
  kv = tl_div(g, head, tl_const_i(g, heads / kv_heads, TL_DTYPE_I64));
  index3(g, index, head, start);
  q = tl_mul(g, tl_load(g, v[0], index, 3, tile, 2), scale);
  init[0] = tl_full(g, tl_const_f(g, -INFINITY, TL_DTYPE_F32), rows, 1); /* row maxima */
  init[1] = tl_full(g, tl_const_f(g, 0, TL_DTYPE_F32), rows, 1);         /* row sums */
  init[2] = tl_full(g, tl_const_f(g, 0, TL_DTYPE_F32), tile, 2);         /* unscaled output */
  last = causal ? tl_min(g, n, tl_add(g, start, tl_const_i(g, BM, TL_DTYPE_I64))) : n;
  tl_for_begin(g, tl_const_i(g, 0, TL_DTYPE_I64), last, tl_const_i(g, BN, TL_DTYPE_I64), init, 3,
               args);
  index3(g, index, kv, args[0]);
  s = tl_load_ex(g, v[1], index, 3, transposed, 2, swapped, 2, NULL); /* a transposed load of K */
  s = tl_dot(g, q, s, tl_full(g, tl_const_f(g, 0, TL_DTYPE_F32), score, 2));
  mask = tl_add(g, tl_iota_ex(g, score, 2, TL_DTYPE_I64, 1), args[0]); /* the key's position ... */
  mask = causal ? tl_cmp(g, mask,
                         tl_min(g, tl_add(g, tl_iota(g, score, 2, TL_DTYPE_I64), start),
                                tl_sub(g, n, tl_const_i(g, 1, TL_DTYPE_I64))),
                         TL_PRED_LE)
                : tl_cmp(g, mask, n, TL_PRED_LT); /* ... is one the query may see */
  s = tl_select(g, mask, s, tl_const_f(g, -INFINITY, TL_DTYPE_F32));
  m = tl_max(g, args[1], tl_reduce(g, s, TL_REDUCE_MAX, 1));
  shrink = tl_exp(g, tl_sub(g, args[1], m));
  p = tl_exp(g, tl_sub(g, s, spread(g, m, BN)));
  next[0] = m;
  next[1] = tl_add(g, tl_mul(g, args[2], shrink), tl_reduce(g, p, TL_REDUCE_SUM, 1));
  next[2] =
      tl_dot(g, p, tl_load(g, v[2], index, 3, key, 2), tl_mul(g, args[3], spread(g, shrink, d)));
  tl_for_end(g, next, 3, next);
  index3(g, index, head, start);
  tl_store(g, tl_div(g, next[2], spread(g, next[1], d)), v[3], index, 3);
  return g;
}

/* One row of the output in double precision. */
static void reference(const float *q, const float *k, const float *v, int64_t keys, int64_t d,
                      double *out) {
  double *s = malloc((size_t)keys * sizeof *s), largest = -INFINITY, sum = 0;
  int64_t i, c;
  for (i = 0; i < keys; ++i) {
    for (s[i] = 0, c = 0; c < d; ++c)
      s[i] += (double)q[c] * k[i * d + c] / sqrt((double)d);
    largest = fmax(largest, s[i]);
  }
  for (i = 0; i < keys; ++i)
    sum += s[i] = exp(s[i] - largest);
  for (c = 0; c < d; ++c)
    for (out[c] = 0, i = 0; i < keys; ++i)
      out[c] += s[i] / sum * v[i * d + c];
  free(s);
}

static int run(demo *d, int causal) {
  /* The shape of q and of the output, then that of k and v. */
  int64_t shape[2][3] = {{4, 1000, 64}, {2, 1000, 64}}, heads, length, depth, group, h, i, c;
  size_t counts[2];
  float *host[4];
  double ms, error = 0, *row, flops;
  tl_kernel *kernel;
  tl_arg args[6];
  int kv, x;
  char text[96];
  demo_shape(d, 0, 3, shape[0]), demo_shape(d, 1, 3, shape[1]);
  heads = shape[0][0], length = shape[0][1], depth = shape[0][2], group = heads / shape[1][0];
  shape[1][1] = length, shape[1][2] = depth;
  if (group * shape[1][0] != heads)
    return fprintf(stderr, "the heads of k must divide those of q\n"), 1;
  kernel = demo_build(d, attention_graph(causal, heads, shape[1][0], depth), NULL);
  for (x = 0; x < 2; ++x)
    counts[x] = (size_t)(shape[x][0] * length * depth);
  flops = 4.0 * (double)heads * (double)length * (double)length * (double)depth;
  args[0] = tl_arg_int(length);
  args[1] = tl_arg_float(1 / sqrt((double)depth));
  for (x = 0; x < 4; ++x) {
    kv = x == 1 || x == 2;
    host[x] = demo_input(d, x < 3 ? x : -1, 3, shape[kv]);
    args[2 + x] =
        tl_arg_tensor(demo_upload(d, host[x], counts[kv] * 4), TL_DTYPE_F32, 3, shape[kv]);
  }
  ms = demo_run(d, kernel, args, 6);
  demo_download(d, host[3], args[5].data, counts[0] * 4);
  row = malloc((size_t)depth * sizeof *row);
  for (h = 0; h < heads; ++h)
    for (i = 0; i < length; ++i) {
      const int64_t at = (h * length + i) * depth, base = h / group * length * depth;
      reference(host[0] + at, host[1] + base, host[2] + base, causal ? i + 1 : length, depth, row);
      for (c = 0; c < depth; ++c)
        error = demo_worse(error, host[3][at + c] - row[c]);
    }
  for (x = 0; x < 4; ++x)
    tl_free(d->device, args[2 + x].data), free(host[x]);
  tl_kernel_destroy(kernel), free(row);
  sprintf(text, "h%d/%d n=%d d=%d %s", (int)heads, (int)shape[1][0], (int)length, (int)depth,
          causal ? "causal" : "full");
  return demo_report(d, text, ms, causal ? flops / 2 : flops, "GFLOP/s", error, 1e-5);
}

int main(int argc, char **argv) {
  demo d = demo_open(argc, argv, "attention", "q k v");
  int failed = run(&d, 0) | run(&d, 1);
  demo_close(&d);
  return failed;
}
