/* y = softmax(x) along the rows. Usage: softmax [-d DEVICE] [x.npy] */
#include "rows.h"

static tl_value softmax_row(tl_graph *g, tl_value x, tl_value columns, tl_value width) {
  /* Beyond the row the load gives -infinity, whose exponential is 0. */
  tl_value e = tl_exp(g, tl_sub(g, x, tl_reduce(g, x, TL_REDUCE_MAX, 0)));
  (void)columns, (void)width;
  return tl_div(g, e, tl_reduce(g, e, TL_REDUCE_SUM, 0));
}

static void softmax_reference(const float *x, double *y, int64_t n) {
  double largest = -INFINITY, sum = 0;
  int64_t i;
  for (i = 0; i < n; ++i)
    largest = fmax(largest, x[i]);
  for (i = 0; i < n; ++i)
    sum += y[i] = exp((double)x[i] - largest);
  for (i = 0; i < n; ++i)
    y[i] /= sum;
}

int main(int argc, char **argv) {
  /* Values up to 1; a few roundings of 2^-24 each, and those of the sum. */
  return row_main(argc, argv, "softmax", row_graph("softmax", softmax_row, -INFINITY),
                  softmax_reference, 1e-6);
}
