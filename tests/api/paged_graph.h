/* The graph of paged attention, whose calls are arguments of one another: compilers may evaluate
 * them in different orders. Each call sets its place by an argument, so that the places that
 * operations get depend on the order, and nothing else does. */
#ifndef PAGED_GRAPH_H
#define PAGED_GRAPH_H

#include "api/graph_helpers.h"

#include <math.h>

#define HERE(g) (tl_graph_location(g, "paged_graph.h", __LINE__), g)

enum { D = 32, PAGE = 16, ROWS = 16 }; /* ROWS: the largest group */

/* q[b, kv, group, D], k and v[pages, PAGE, kv, D], table[b, slots], lengths[b], out as q. */
static tl_graph *paged_attention_graph(void) {
  const int64_t rows[1] = {ROWS}, q_tile[2] = {ROWS, D}, keys[2] = {D, PAGE},
                score[2] = {ROWS, PAGE}, values[2] = {PAGE, D};
  const int64_t column[1] = {PAGE}, k_axes[2] = {3, 1}, v_axes[2] = {1, 3};
  tl_graph *g = NULL;
  tl_value batch, heads, group, pages, slots, q, k, v, table, lengths, out, grid[2], b, h, zero,
      length, init[3], args[4];
  tl_value index[4], cell[2], page, s, position, mask, m, shrink, p, next[3], sum, seen;
  int64_t shape[4];
  if (tl_graph_create(&g) != TL_OK)
    return NULL;
  tl_graph_kernel(g, "paged_attention");
  batch = api_scalar(g, "batch", TL_DTYPE_I64);
  heads = api_scalar(g, "heads", TL_DTYPE_I64);
  group = api_scalar(g, "group", TL_DTYPE_I64);
  pages = api_scalar(g, "pages", TL_DTYPE_I64);
  slots = api_scalar(g, "slots", TL_DTYPE_I64);
  shape[0] = TL_DIM(batch), shape[1] = TL_DIM(heads), shape[2] = TL_DIM(group), shape[3] = D;
  q = api_view(g, "q", TL_DTYPE_F32, 4, shape);
  out = api_view(g, "out", TL_DTYPE_F32, 4, shape);
  shape[0] = TL_DIM(pages), shape[1] = PAGE, shape[2] = TL_DIM(heads);
  k = api_view(g, "k", TL_DTYPE_F32, 4, shape);
  v = api_view(g, "v", TL_DTYPE_F32, 4, shape);
  shape[0] = TL_DIM(batch), shape[1] = TL_DIM(slots);
  table = api_view(g, "table", TL_DTYPE_I32, 2, shape);
  lengths = api_view(g, "lengths", TL_DTYPE_I32, 1, shape);
  grid[0] = heads, grid[1] = batch;
  tl_graph_grid(g, grid, 2);

  h = tl_program_id(HERE(g), 0);
  b = tl_program_id(HERE(g), 1);
  zero = api_i64(HERE(g), 0);
  length = tl_cast(HERE(g), tl_load(HERE(g), lengths, &b, 1, NULL, 0), TL_DTYPE_I64);
  index[0] = b, index[1] = h, index[2] = zero, index[3] = zero;
  s = tl_mul(HERE(g), tl_load(HERE(g), q, index, 4, q_tile, 2), api_f32(HERE(g), 1 / sqrt(D)));
  init[0] = tl_full(HERE(g), api_f32(HERE(g), -INFINITY), rows, 1);
  init[1] = tl_full(HERE(g), api_f32(HERE(g), 0), rows, 1);
  init[2] = tl_full(HERE(g), api_f32(HERE(g), 0), q_tile, 2);
  tl_for_begin(HERE(g), zero, tl_ceildiv(HERE(g), length, api_i64(HERE(g), PAGE)),
               api_i64(HERE(g), 1), init, 3, args);
  cell[0] = b, cell[1] = args[0];
  page = tl_load(HERE(g), table, cell, 2, NULL, 0);
  index[0] = page, index[1] = zero, index[2] = h, index[3] = zero;
  s = tl_dot(HERE(g), s, tl_load_ex(HERE(g), k, index, 4, keys, 2, k_axes, 2, NULL),
             tl_full(HERE(g), api_f32(HERE(g), 0), score, 2));
  position = tl_mul(HERE(g), args[0], api_i64(HERE(g), PAGE));
  mask = tl_cmp(HERE(g), tl_add(HERE(g), tl_iota_ex(HERE(g), score, 2, TL_DTYPE_I64, 1), position),
                length, TL_PRED_LT);
  s = tl_select(HERE(g), mask, s, api_f32(HERE(g), -INFINITY));
  m = tl_max(HERE(g), args[1], tl_reduce(HERE(g), s, TL_REDUCE_MAX, 1));
  shrink = tl_exp(HERE(g), tl_sub(HERE(g), args[1], m));
  p = tl_exp(HERE(g),
             tl_sub(HERE(g), s, tl_broadcast(HERE(g), tl_expand_dims(HERE(g), m, 1), score, 2)));
  next[0] = m;
  next[1] =
      tl_add(HERE(g), tl_mul(HERE(g), args[2], shrink), tl_reduce(HERE(g), p, TL_REDUCE_SUM, 1));
  /* Rows of the page behind the sequence may hold anything, NaN too: they must not be multiplied by
   * 0. */
  seen = tl_cmp(HERE(g), tl_add(HERE(g), tl_iota(HERE(g), column, 1, TL_DTYPE_I64), position),
                length, TL_PRED_LT);
  seen = tl_broadcast(HERE(g), tl_expand_dims(HERE(g), seen, 1), values, 2);
  s = tl_select(HERE(g), seen, tl_load_ex(HERE(g), v, index, 4, values, 2, v_axes, 2, NULL),
                api_f32(HERE(g), 0));
  shrink = tl_broadcast(HERE(g), tl_expand_dims(HERE(g), shrink, 1), q_tile, 2);
  next[2] = tl_dot(HERE(g), p, s, tl_mul(HERE(g), args[3], shrink));
  tl_for_end(HERE(g), next, 3, next);
  sum = tl_broadcast(HERE(g), tl_expand_dims(HERE(g), next[1], 1), q_tile, 2);
  s = tl_select(HERE(g), tl_cmp(HERE(g), length, zero, TL_PRED_GT), tl_div(HERE(g), next[2], sum),
                api_f32(HERE(g), 0));
  index[0] = b, index[1] = h, index[2] = zero, index[3] = zero;
  tl_store(HERE(g), s, out, index, 4);
  return g;
}

#endif
