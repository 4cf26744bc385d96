/* Short forms for programs that build graphs; nothing but the public header. */
#ifndef GRAPH_HELPERS_H
#define GRAPH_HELPERS_H

#include "tilelang.h"

static inline tl_value api_scalar(tl_graph *g, const char *name, tl_dtype dtype) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.name = name;
  a.kind = TL_TYPE_TILE;
  a.dtype = dtype;
  return tl_graph_argument(g, &a);
}

static inline tl_value api_view(tl_graph *g, const char *name, tl_dtype dtype, uint32_t rank,
                                const int64_t *extents) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.name = name;
  a.kind = TL_TYPE_VIEW;
  a.dtype = dtype;
  a.rank = rank;
  a.extents = extents;
  return tl_graph_argument(g, &a);
}

static inline tl_value api_i64(tl_graph *g, int64_t v) { return tl_const_i(g, v, TL_DTYPE_I64); }
static inline tl_value api_f32(tl_graph *g, double v) { return tl_const_f(g, v, TL_DTYPE_F32); }

#endif
