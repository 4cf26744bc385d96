/* y = x / sqrt(mean(x^2) + 1e-5) along the rows. Usage: rmsnorm [-d DEVICE] [x.npy] */
#include "rows.h"

static tl_value rmsnorm_row(tl_graph *g, tl_value x, tl_value columns, tl_value width) {
  tl_value sum = tl_reduce(g, tl_mul(g, x, x), TL_REDUCE_SUM, 0);
  tl_value mean = tl_div(g, sum, tl_cast(g, columns, TL_DTYPE_F32));
  (void)width;
  return tl_mul(g, x, tl_rsqrt(g, tl_add(g, mean, tl_const_f(g, 1e-5, TL_DTYPE_F32))));
}

static void rmsnorm_reference(const float *x, double *y, int64_t n) {
  double sum = 0;
  int64_t i;
  for (i = 0; i < n; ++i)
    sum += (double)x[i] * x[i];
  for (i = 0; i < n; ++i)
    y[i] = x[i] / sqrt(sum / (double)n + 1e-5);
}

int main(int argc, char **argv) {
  return row_main(argc, argv, "rmsnorm", row_graph("rmsnorm", rmsnorm_row, 0), rmsnorm_reference,
                  5e-6);
}
