/* C = A B for f32, f16 and bf16 inputs, f32 results, any M, N, K. Usage: matmul [-d DEVICE] [a.npy
 * b.npy] (f4 files; the narrow types round them) */
#include "demo.h"

static tl_graph *matmul_graph(tl_dtype dtype) {
  static const int64_t sizes[] = {32, 64, 128, 256};
  static const char *const names[] = {"m", "n", "k"};
  tl_graph *g = NULL;
  tl_argument scalar = TL_ARGUMENT_INIT, view = TL_ARGUMENT_INIT;
  tl_value mnk[3], a, b, c, bm, bn, bk, grid[2], row, column, zero, acc, args[2], index[2], ta, tb;
  int64_t extents[2], dims[2];
  int i;
  demo_check(tl_graph_create(&g), NULL, "graph");
  tl_graph_kernel(g, "matmul");
  scalar.kind = TL_TYPE_TILE;
  scalar.dtype = TL_DTYPE_I64;
  for (i = 0; i < 3; ++i) {
    scalar.name = names[i];
    mnk[i] = tl_graph_argument(g, &scalar);
  }
  view.kind = TL_TYPE_VIEW;
  view.rank = 2;
  view.extents = extents;
  view.dtype = dtype;
  view.name = "a";
  extents[0] = TL_DIM(mnk[0]), extents[1] = TL_DIM(mnk[2]);
  a = tl_graph_argument(g, &view);
  view.name = "b";
  extents[0] = TL_DIM(mnk[2]), extents[1] = TL_DIM(mnk[1]);
  b = tl_graph_argument(g, &view);
  view.dtype = TL_DTYPE_F32;
  view.name = "c";
  extents[0] = TL_DIM(mnk[0]), extents[1] = TL_DIM(mnk[1]);
  c = tl_graph_argument(g, &view);
  bm = tl_graph_param(g, "BM", 128, sizes, 4);
  bn = tl_graph_param(g, "BN", 128, sizes, 4);
  bk = tl_graph_param(g, "BK", 64, sizes, 4);
  grid[0] = tl_ceildiv(g, mnk[1], bn);
  grid[1] = tl_ceildiv(g, mnk[0], bm);
  tl_graph_grid(g, grid, 2);

  column = tl_mul(g, tl_program_id(g, 0), bn);
  row = tl_mul(g, tl_program_id(g, 1), bm);
  zero = tl_const_i(g, 0, TL_DTYPE_I64);
  dims[0] = TL_DIM(bm), dims[1] = TL_DIM(bn);
  acc = tl_full(g, tl_const_f(g, 0, TL_DTYPE_F32), dims, 2);
  tl_for_begin(g, zero, mnk[2], bk, &acc, 1, args); /* args[0] is k, args[1] the sum so far */
  dims[0] = TL_DIM(bm), dims[1] = TL_DIM(bk);
  index[0] = row, index[1] = args[0];
  ta = tl_load(g, a, index, 2, dims, 2); /* outside the matrix it reads 0 */
  dims[0] = TL_DIM(bk), dims[1] = TL_DIM(bn);
  index[0] = args[0], index[1] = column;
  tb = tl_load(g, b, index, 2, dims, 2);
  acc = tl_dot(g, ta, tb, args[1]);
  tl_for_end(g, &acc, 1, &acc);
  index[0] = row, index[1] = column;
  tl_store(g, acc, c, index, 2);
  return g;
}

/* f32 to f16 or bf16 bits, to nearest even, and back; finite numbers in the normal range. */
static uint16_t narrow(float x, tl_dtype dtype) {
  uint32_t bits, drop = dtype == TL_DTYPE_F16 ? 13 : 16, sign;
  memcpy(&bits, &x, 4);
  sign = bits >> 31 << 15;
  bits &= 0x7fffffffu;
  if (dtype == TL_DTYPE_F16)
    bits = bits < 0x38800000u ? 0 : bits - 0x38000000u; /* below 2^-14: flushed */
  bits += (1u << (drop - 1)) - 1 + (bits >> drop & 1);
  return (uint16_t)(sign | bits >> drop);
}
static double widen(uint16_t h, tl_dtype dtype) {
  uint32_t bits = (uint32_t)h << 16;
  float x;
  if (dtype == TL_DTYPE_F16)
    bits = (uint32_t)(h & 0x8000) << 16 |
           ((h & 0x7fff) ? ((uint32_t)(h & 0x7fff) << 13) + 0x38000000u : 0);
  memcpy(&x, &bits, 4);
  return x;
}

static int run(demo *d, tl_dtype dtype, const char *type) {
  int64_t sa[2] = {1024, 1024}, sb[2] = {1024, 1024}, sc[2], i, j, k;
  size_t ca, cb, cc, size = dtype == TL_DTYPE_F32 ? 4 : 2;
  float *a, *b, *c;
  uint16_t *ha, *hb;
  double ms, error = 0, *sums;
  void *da, *db, *dc;
  tl_kernel *kernel = demo_build(d, matmul_graph(dtype), NULL);
  tl_arg args[6];
  char text[96];
  demo_shape(d, 0, 2, sa), demo_shape(d, 1, 2, sb);
  sc[0] = sa[0], sc[1] = sb[1];
  ca = (size_t)(sa[0] * sa[1]), cb = (size_t)(sb[0] * sb[1]), cc = (size_t)(sc[0] * sc[1]);
  a = demo_input(d, 0, 2, sa), b = demo_input(d, 1, 2, sb), c = malloc(cc * sizeof *c);
  ha = malloc(ca * 2), hb = malloc(cb * 2), sums = malloc((size_t)sb[1] * sizeof *sums);
  for (i = 0; size == 2 && i < (int64_t)ca; ++i)
    a[i] = (float)widen(ha[i] = narrow(a[i], dtype), dtype);
  for (i = 0; size == 2 && i < (int64_t)cb; ++i)
    b[i] = (float)widen(hb[i] = narrow(b[i], dtype), dtype);
  da = demo_upload(d, size == 4 ? (void *)a : ha, ca * size);
  db = demo_upload(d, size == 4 ? (void *)b : hb, cb * size);
  dc = demo_upload(d, NULL, cc * 4);
  args[0] = tl_arg_int(sa[0]), args[1] = tl_arg_int(sb[1]), args[2] = tl_arg_int(sa[1]);
  args[3] = tl_arg_tensor(da, dtype, 2, sa);
  args[4] = tl_arg_tensor(db, dtype, 2, sb); /* refused if its rows are not the columns of a */
  args[5] = tl_arg_tensor(dc, TL_DTYPE_F32, 2, sc);
  ms = demo_run(d, kernel, args, 6);
  demo_download(d, c, dc, cc * 4);
  for (i = 0; i < sa[0]; ++i) { /* in double precision, row after row */
    memset(sums, 0, (size_t)sb[1] * sizeof *sums);
    for (k = 0; k < sa[1]; ++k)
      for (j = 0; j < sb[1]; ++j)
        sums[j] += (double)a[i * sa[1] + k] * b[k * sb[1] + j];
    for (j = 0; j < sb[1]; ++j)
      error = demo_worse(error, c[i * sb[1] + j] - sums[j]);
  }
  sprintf(text, "%lldx%lldx%lld %s", (long long)sa[0], (long long)sb[1], (long long)sa[1], type);
  tl_free(d->device, da), tl_free(d->device, db), tl_free(d->device, dc);
  tl_kernel_destroy(kernel);
  free(a), free(b), free(c), free(ha), free(hb), free(sums);
  /* Products of size about 1, roundings of 2^-24 of partial sums that grow with the square root of
   * K. */
  return demo_report(d, text, ms, 2.0 * (double)sa[0] * (double)sb[1] * (double)sa[1], "GFLOP/s",
                     error, 2e-6 * (double)sa[1]);
}

int main(int argc, char **argv) {
  demo d = demo_open(argc, argv, "matmul", "a b");
  int failed =
      run(&d, TL_DTYPE_F32, "f32") | run(&d, TL_DTYPE_F16, "f16") | run(&d, TL_DTYPE_BF16, "bf16");
  demo_close(&d);
  return failed;
}
