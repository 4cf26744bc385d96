/* The mistakes that a graph's builder can make and a text cannot: each gives its named error. (What
 * a text can get wrong is in tests/error, a file for each.) */
#include "api/api_test.h"

/* What most mistakes start from. */
typedef struct values {
  tl_graph *graph;
  tl_value n;    /* a scalar i64 argument */
  tl_value view; /* a view argument of f32, one axis */
  tl_value tile; /* a tile of 4 f32 in the body */
} values;

static tl_argument view(const char *name, const int64_t *extents) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.name = name, a.kind = TL_TYPE_VIEW, a.dtype = TL_DTYPE_F32, a.rank = 1, a.extents = extents;
  return a;
}
static tl_value op(tl_graph *g, int32_t opcode, tl_value operand, const tl_attr *attrs,
                   size_t n_attrs) {
  tl_value result = 0;
  (void)tl_graph_op(g, opcode, &operand, operand ? 1 : 0, attrs, n_attrs, &result, 1);
  return result;
}
static values start(void) {
  values v;
  int64_t extent;
  static const int64_t four[1] = {4};
  tl_argument a;
  assert_int_equal(tl_graph_create(&v.graph), TL_OK);
  tl_graph_location(v.graph, "mistake.c", 7);
  (void)tl_graph_kernel(v.graph, "k");
  v.n = api_scalar(v.graph, "n", TL_DTYPE_I64);
  extent = TL_DIM(v.n);
  a = view("a", &extent);
  v.view = tl_graph_argument(v.graph, &a);
  v.tile = tl_full(v.graph, api_f32(v.graph, 1), four, 1);
  return v;
}
static void finish(values v) {
  tl_value one = api_i64(v.graph, 1);
  (void)tl_graph_grid(v.graph, &one, 1);
}

/* for i = 0 to n; gives i. */
static tl_value begin_loop(values v) {
  tl_value bounds[3], counter = 0;
  bounds[0] = api_i64(v.graph, 0), bounds[1] = v.n, bounds[2] = api_i64(v.graph, 1);
  (void)tl_graph_begin(v.graph, TL_OP_FOR, bounds, 3, NULL, 0, &counter, 1);
  return counter;
}

static void second_kernel(values v) { (void)tl_graph_kernel(v.graph, "other"); }
static void combine_nothing(values v) {
  tl_attr attr = tl_attr_int(TL_ATTR_AXIS, 0);
  (void)tl_graph_begin(v.graph, TL_OP_REDUCE_WITH, NULL, 0, &attr, 1, NULL, 0);
}
static void pad_range(values v) {
  static const int64_t extent[1] = {4};
  tl_argument a = view("b", extent);
  tl_attr attrs[2];
  tl_value operands[2];
  a.dtype = TL_DTYPE_I8;
  operands[0] = tl_graph_argument(v.graph, &a), operands[1] = api_i64(v.graph, 0);
  attrs[0] = tl_attr_ints(TL_ATTR_DIMS, extent, 1);
  attrs[1] = tl_attr_int(TL_ATTR_PAD, 300);
  (void)tl_graph_op(v.graph, TL_OP_LOAD, operands, 2, attrs, 2, NULL, 0);
}
static void argument_of_a_parameter(values v) {
  (void)tl_graph_param(v.graph, "B", 4, NULL, 0);
  (void)api_scalar(v.graph, "B", TL_DTYPE_I64);
}
static void view_default(values v) {
  int64_t extent = 4;
  tl_argument a = view("b", &extent);
  a.flags = TL_ARGUMENT_HAS_DEFAULT;
  (void)tl_graph_argument(v.graph, &a);
}
static void default_range(values v) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.name = "small", a.kind = TL_TYPE_TILE, a.dtype = TL_DTYPE_I8;
  a.flags = TL_ARGUMENT_HAS_DEFAULT, a.default_int = 300;
  (void)tl_graph_argument(v.graph, &a);
}
static void scalar_generator(values v) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.name = "s", a.kind = TL_TYPE_TILE, a.dtype = TL_DTYPE_F32;
  a.generator = TL_GENERATOR_ZEROS;
  (void)tl_graph_argument(v.graph, &a);
}
static void scalar_extents(values v) {
  int64_t extent = 4;
  tl_argument a = view("s", &extent);
  a.kind = TL_TYPE_TILE;
  (void)tl_graph_argument(v.graph, &a);
}
static void extent_of_float(values v) {
  int64_t extent = TL_DIM(api_scalar(v.graph, "x", TL_DTYPE_F32));
  tl_argument a = view("b", &extent);
  (void)tl_graph_argument(v.graph, &a);
}
static void dims_of_an_argument(values v) {
  int64_t dims[1];
  tl_attr attr;
  dims[0] = TL_DIM(999);
  attr = tl_attr_ints(TL_ATTR_DIMS, dims, 1);
  (void)op(v.graph, TL_OP_RESHAPE, v.tile, &attr, 1);
}
static void operand_unknown(values v) { (void)tl_neg(v.graph, 999); }
static void operand_of_a_closed_region(values v) {
  tl_value inner = tl_neg(v.graph, begin_loop(v));
  (void)tl_graph_end(v.graph, NULL, 0, NULL, 0);
  (void)tl_neg(v.graph, inner);
}
static void operation_unknown(values v) { (void)op(v.graph, 9999, v.tile, NULL, 0); }
static void operation_with_a_region_unknown(values v) {
  (void)tl_graph_begin(v.graph, 9999, NULL, 0, NULL, 0, NULL, 0);
  (void)tl_graph_end(v.graph, NULL, 0, NULL, 0);
}
static void operands_null(values v) {
  (void)tl_graph_op(v.graph, TL_OP_ADD, NULL, 2, NULL, 0, NULL, 0);
}
static void attributes_null(values v) {
  (void)tl_graph_begin(v.graph, TL_OP_REDUCE_WITH, &v.tile, 1, NULL, 1, NULL, 0);
}
static void yields_null(values v) {
  (void)begin_loop(v);
  (void)tl_graph_end(v.graph, NULL, 1, NULL, 0);
}
static void constant_type_unknown(values v) { (void)tl_const_i(v.graph, 1, 77); }
static void reduction_unknown(values v) { (void)tl_reduce(v.graph, v.tile, 99, 0); }
static void attribute_key_unknown(values v) {
  tl_attr attr = tl_attr_int(TL_ATTR_AXIS, 0);
  attr.key = 4711;
  (void)op(v.graph, TL_OP_NEG, v.tile, &attr, 1);
}
static void attribute_kind(values v) {
  tl_attr attr = tl_attr_float(TL_ATTR_AXIS, 1);
  (void)op(v.graph, TL_OP_FLIP, v.tile, &attr, 1);
}
static void attribute_reserved(values v) {
  tl_attr attr = tl_attr_int(TL_ATTR_DTYPE, TL_DTYPE_F16);
  attr.reserved[1] = 1;
  (void)op(v.graph, TL_OP_CAST, v.tile, &attr, 1);
}
static void attribute_list_null(values v) {
  tl_attr attr = tl_attr_ints(TL_ATTR_DIMS, NULL, 2);
  (void)op(v.graph, TL_OP_RESHAPE, v.tile, &attr, 1);
}
static void attribute_dims_range(values v) {
  const int64_t dims[1] = {INT64_MIN};
  tl_attr attr = tl_attr_ints(TL_ATTR_DIMS, dims, 1);
  (void)op(v.graph, TL_OP_RESHAPE, v.tile, &attr, 1);
}
static void name_null(values v) { (void)tl_graph_kernel(v.graph, NULL); }
static void option_unknown(values v) { (void)tl_graph_option(v.graph, 9, 1); }
static void threads_odd(values v) { (void)tl_graph_option(v.graph, TL_GRAPH_THREADS, 31); }
static void argument_null(values v) { (void)tl_graph_argument(v.graph, NULL); }
static void argument_size(values v) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.struct_size = 3;
  (void)tl_graph_argument(v.graph, &a);
}
static void argument_without_name(values v) {
  tl_argument a = TL_ARGUMENT_INIT;
  (void)tl_graph_argument(v.graph, &a);
}
static void argument_reserved(values v) {
  tl_argument a = TL_ARGUMENT_INIT;
  a.name = "q", a.kind = TL_TYPE_TILE, a.dtype = TL_DTYPE_I64, a.reserved = 1;
  (void)tl_graph_argument(v.graph, &a);
}
static void parameter_null(values v) { (void)tl_graph_param(v.graph, NULL, 1, NULL, 0); }
static void callee_null(values v) { (void)tl_graph_callee(v.graph, NULL); }
static void grid_null(values v) { (void)tl_graph_grid(v.graph, NULL, 1); }

static void yield_as_an_operation(values v) { (void)op(v.graph, TL_OP_YIELD, 0, NULL, 0); }
static void region_of_none(values v) {
  (void)tl_graph_begin(v.graph, TL_OP_NEG, &v.tile, 1, NULL, 0, NULL, 0);
}
static void end_of_none(values v) { (void)tl_graph_end(v.graph, NULL, 0, NULL, 0); }
static void grid_of_a_counter(values v) {
  tl_value counter = begin_loop(v);
  (void)tl_graph_end(v.graph, NULL, 0, NULL, 0);
  (void)tl_graph_grid(v.graph, &counter, 1);
}
static void grid_of_a_load(values v) {
  tl_value index = api_i64(v.graph, 0);
  tl_value loaded = tl_load(v.graph, v.view, &index, 1, NULL, 0);
  (void)tl_graph_grid(v.graph, &loaded, 1);
}
static void attribute_of_another(values v) {
  tl_attr attr = tl_attr_int(TL_ATTR_AXIS, 0);
  (void)op(v.graph, TL_OP_NEG, v.tile, &attr, 1);
}
static void attribute_twice(values v) {
  tl_attr attrs[2];
  attrs[0] = attrs[1] = tl_attr_int(TL_ATTR_DTYPE, TL_DTYPE_F16);
  (void)op(v.graph, TL_OP_CAST, v.tile, attrs, 2);
}
static void attribute_missing(values v) { (void)op(v.graph, TL_OP_CAST, v.tile, NULL, 0); }
static void attribute_value(values v) {
  tl_attr attr = tl_attr_int(TL_ATTR_DTYPE, 1234);
  (void)op(v.graph, TL_OP_CAST, v.tile, &attr, 1);
}
static void constant_kind(values v) {
  tl_attr attrs[2];
  attrs[0] = tl_attr_float(TL_ATTR_VALUE, 1.5);
  attrs[1] = tl_attr_int(TL_ATTR_DTYPE, TL_DTYPE_I32);
  (void)op(v.graph, TL_OP_CONST, 0, attrs, 2);
}
static void operand_count(values v) {
  (void)tl_graph_op(v.graph, TL_OP_ADD, &v.tile, 1, NULL, 0, NULL, 0);
}
static void requirement_of_a_tile(values v) { (void)tl_graph_require(v.graph, v.tile); }
static void region_open(values v) {
  tl_graph_location(v.graph, "mistake.c", 41);
  (void)begin_loop(v);
  tl_graph_location(v.graph, "mistake.c", 50);
}

static void regions_open(values v) {
  tl_value condition = tl_cmp(v.graph, v.n, v.n, TL_PRED_LT);
  (void)tl_graph_begin(v.graph, TL_OP_IF, &condition, 1, NULL, 0, NULL, 0);
  region_open(v);
}

static const struct {
  void (*make)(values);
  tl_status status;
  const char *words;
} mistakes[] = {
    {second_kernel, TL_E_UNSUPPORTED, "a graph is one kernel; 'other' is the second"},
    {argument_of_a_parameter, TL_E_INVALID_GRAPH,
     "argument 'B': there is a parameter of that name already"},
    {view_default, TL_E_INVALID_GRAPH, "argument 'b': only scalars have defaults"},
    {default_range, TL_E_INVALID_GRAPH, "argument 'small': the default is not a value of its type"},
    {scalar_generator, TL_E_INVALID_GRAPH, "argument 's': only views have generators"},
    {scalar_extents, TL_E_INVALID_GRAPH, "argument 's': only views have extents and strides"},
    {extent_of_float, TL_E_INVALID_GRAPH,
     "argument 'b': an extent or stride must be a scalar integer argument or a parameter"},
    {dims_of_an_argument, TL_E_INVALID_GRAPH,
     "reshape: an extent must be a number, or a parameter or arithmetic on parameters that is "
     "visible here"},
    {operand_unknown, TL_E_INVALID_ARGUMENT, "neg: operand 0 is not a value of this graph"},
    {operand_of_a_closed_region, TL_E_INVALID_GRAPH,
     "neg: operand 0 is not visible here; it belongs to a region that is closed"},
    {yield_as_an_operation, TL_E_INVALID_ARGUMENT,
     "yield: regions are opened and closed (tl_graph_begin, tl_graph_end), not added as "
     "operations"},
    {operation_unknown, TL_E_INVALID_ARGUMENT, "operation 9999 is unknown"},
    {operation_with_a_region_unknown, TL_E_INVALID_ARGUMENT, "operation 9999 is unknown"},
    {operands_null, TL_E_INVALID_ARGUMENT,
     "add: a list of operands or attributes is NULL or too long"},
    {attributes_null, TL_E_INVALID_ARGUMENT,
     "reduce_with: a list of operands or attributes is NULL or too long"},
    {yields_null, TL_E_INVALID_ARGUMENT,
     "tl_graph_end: a list of operands or attributes is NULL or too long"},
    {constant_type_unknown, TL_E_INVALID_ARGUMENT, "const: attribute 'dtype' has no value 77"},
    {reduction_unknown, TL_E_INVALID_ARGUMENT, "reduce: attribute 'kind' has no value 99"},
    {attribute_key_unknown, TL_E_INVALID_ARGUMENT, "neg: attribute key 4711 is unknown"},
    {attribute_kind, TL_E_INVALID_ARGUMENT,
     "flip: attribute 'axis' is given as kind 2, which does not fit it"},
    {attribute_reserved, TL_E_UNSUPPORTED, "cast: a reserved member of an attribute is set"},
    {attribute_list_null, TL_E_INVALID_ARGUMENT,
     "reshape: attribute 'dims' has a list without data or of over 256 entries"},
    {attribute_dims_range, TL_E_INVALID_ARGUMENT,
     "reshape: -9223372036854775808 is neither an extent nor TL_DIM of a value"},
    {name_null, TL_E_INVALID_ARGUMENT, "tl_graph_kernel: the argument 'name' is NULL"},
    {option_unknown, TL_E_INVALID_ARGUMENT, "tl_graph_option: option 9 cannot be set to 1"},
    {threads_odd, TL_E_INVALID_GRAPH,
     "tl_graph_option: threads must be a multiple of 32 up to 1024, or 0, not 31"},
    {argument_null, TL_E_INVALID_ARGUMENT, "tl_graph_argument: the argument 'argument' is NULL"},
    {argument_size, TL_E_INVALID_ARGUMENT,
     "tl_graph_argument: tl_argument: struct_size is 3; initialize the struct with its _INIT "
     "macro"},
    {argument_without_name, TL_E_INVALID_ARGUMENT, "tl_graph_argument: '': the name is NULL"},
    {argument_reserved, TL_E_UNSUPPORTED, "tl_graph_argument: 'q': a reserved member is set"},
    {parameter_null, TL_E_INVALID_ARGUMENT, "tl_graph_param: the name or the choices are NULL"},
    {callee_null, TL_E_INVALID_ARGUMENT, "tl_graph_callee: the argument 'kernel' is NULL"},
    {grid_null, TL_E_INVALID_ARGUMENT, "tl_graph_grid: a grid has 1 to 3 axes"},
    {region_of_none, TL_E_INVALID_ARGUMENT, "neg has no regions"},
    {end_of_none, TL_E_INVALID_GRAPH, "tl_graph_end: there is no open region to end"},
    {grid_of_a_counter, TL_E_INVALID_GRAPH,
     "the grid must be computed from arguments and parameters"},
    {grid_of_a_load, TL_E_INVALID_GRAPH,
     "the grid must be computed from arguments and parameters, not by load"},
    {combine_nothing, TL_E_INVALID_GRAPH, "there is nothing to combine"},
    {pad_range, TL_E_INVALID_GRAPH, "pad is not a value of i8"},
    {attribute_of_another, TL_E_INVALID_GRAPH,
     "attribute 'axis' does not belong to this operation"},
    {attribute_twice, TL_E_INVALID_GRAPH, "attribute 'dtype' is given twice"},
    {attribute_missing, TL_E_INVALID_GRAPH, "attribute 'dtype' is missing"},
    {attribute_value, TL_E_INVALID_ARGUMENT, "cast: attribute 'dtype' has no value 1234"},
    {constant_kind, TL_E_INVALID_GRAPH, "an i32 constant needs an integer value"},
    {operand_count, TL_E_INVALID_GRAPH, "add takes 2 operands, not 1"},
    {requirement_of_a_tile, TL_E_INVALID_GRAPH,
     "tl_graph_require: a requirement must be a scalar i1 computed from parameters"},
};

/* What the graph as a whole lacks, with its grid set. */
static void region_left_open(void **state) {
  values v = start();
  (void)state;
  finish(v);
  region_open(v);
  FAILS(tl_graph_verify(v.graph, &error), TL_E_INVALID_GRAPH,
        "mistake.c:41: the region of for is left open");
  tl_graph_destroy(v.graph);
  v = start();
  finish(v);
  regions_open(v);
  FAILS(tl_graph_verify(v.graph, &error), TL_E_INVALID_GRAPH,
        "mistake.c:41: the region of for is left open, and others around it");
  tl_graph_destroy(v.graph);
}

static void each_mistake(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
    values v = start();
    tl_error *error = NULL;
    const char place[] = "mistake.c:7: ";
    mistakes[i].make(v);
    finish(v);
    FAILS(tl_graph_verify(v.graph, &error), mistakes[i].status, mistakes[i].words);
    (void)!tl_graph_verify(v.graph, &error);
    if (strncmp(tl_error_message(error), place, strlen(place)) != 0)
      fail_msg("an error without its place: %s", tl_error_message(error));
    tl_error_destroy(error);
    tl_graph_destroy(v.graph);
  }
}

static void no_kernel(void **state) {
  tl_graph *graph;
  (void)state;
  assert_int_equal(tl_graph_create(&graph), TL_OK);
  FAILS(tl_graph_verify(graph, &error), TL_E_INVALID_GRAPH,
        "the graph has no kernel: tl_graph_kernel gives it a name");
  (void)tl_graph_kernel(graph, "1k");
  FAILS(tl_graph_verify(graph, &error), TL_E_INVALID_GRAPH,
        "tl_graph_kernel: a kernel's name must be an identifier, not '1k'");
  tl_graph_destroy(graph);
  assert_int_equal(tl_graph_create(&graph), TL_OK);
  tl_graph_location(graph, NULL, 4); /* a line of no file */
  (void)tl_graph_kernel(graph, "1k");
  FAILS(tl_graph_verify(graph, &error), TL_E_INVALID_GRAPH, "<unknown>:4: tl_graph_kernel: ");
  tl_graph_destroy(graph);
}

/* Parameters are bound by name when a kernel is built. */
static void unknown_parameter(void **state) {
  static const char text[] = "tile 0.1\nkernel @k() param %B = 4 in [4, 8] grid [1] {\n}\n";
  static const char *const unknown[] = {"C"}, *const known[] = {"B"};
  static const int64_t value[] = {5};
  tl_graph *graph;
  const char *printed;
  size_t size;
  (void)state;
  OK(tl_graph_parse(text, sizeof text - 1, "k.tile", &graph, &error));
  FAILS(tl_graph_print_canonical(graph, unknown, value, 1, &printed, &size, &error), TL_E_PARAM,
        "kernel 'k' has no parameter 'C'");
  FAILS(tl_graph_print_canonical(graph, known, value, 1, &printed, &size, &error), TL_E_PARAM,
        "kernel 'k': parameter B = 5 is not among its choices 4, 8");
  tl_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_mistake), cmocka_unit_test(region_left_open),
      cmocka_unit_test(no_kernel), cmocka_unit_test(unknown_parameter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
