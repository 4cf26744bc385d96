/* Every helper of tilelang/ops.h makes the operation that it is named after: the graph that they
 * build prints as expected. */
#include "api_test.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))

typedef struct inputs {
  tl_graph *g;
  tl_value view, pointer, n, x, h;
} inputs;

static inputs make_inputs(void) {
  static const int64_t extents[] = {8, 4};
  inputs in;
  tl_argument pointer = TL_ARGUMENT_INIT;
  tl_value one;
  OK(tl_graph_create(&in.g));
  OK(tl_graph_kernel(in.g, "k"));
  in.view = api_view(in.g, "v", TL_DTYPE_F32, 2, extents);
  pointer.name = "p";
  pointer.kind = TL_TYPE_POINTER;
  pointer.dtype = TL_DTYPE_F16;
  in.pointer = tl_graph_argument(in.g, &pointer);
  in.n = api_scalar(in.g, "n", TL_DTYPE_I64);
  in.x = api_scalar(in.g, "x", TL_DTYPE_F32);
  in.h = api_scalar(in.g, "h", TL_DTYPE_I32);
  one = in.n;
  OK(tl_graph_grid(in.g, &one, 1));
  return in;
}

/* The body must print as `lines`; releases the graph. */
static void expect_body(inputs in, const char *lines) {
  const char *text = NULL, *body;
  size_t size = 0, length = strlen(lines);
  tl_error *error = NULL;
  tl_status status = tl_graph_print(in.g, &text, &size, &error);
  if (status != TL_OK)
    print_error("%s\n", tl_error_message(error));
  tl_error_destroy(error);
  assert_int_equal(status, TL_OK);
  body = strstr(text, "{\n");
  assert_non_null(body);
  body += 2;
  if (strncmp(body, lines, length) != 0 || strcmp(body + length, "}\n") != 0)
    print_error("expected:\n%s\nprinted:\n%s\n", lines, body);
  assert_memory_equal(body, lines, length);
  assert_string_equal(body + length, "}\n");
  tl_graph_destroy(in.g);
}

static void elementwise(void **state) {
  typedef tl_value (*unary)(tl_graph *, tl_value);
  typedef tl_value (*binary)(tl_graph *, tl_value, tl_value);
  static const unary floats[] = {tl_neg,  tl_abs,   tl_exp,  tl_exp2,    tl_expm1, tl_log,
                                 tl_log2, tl_log1p, tl_sqrt, tl_rsqrt,   tl_rcp,   tl_sin,
                                 tl_cos,  tl_tan,   tl_tanh, tl_sigmoid, tl_erf,   tl_floor,
                                 tl_ceil, tl_round, tl_trunc};
  static const binary numbers[] = {tl_add, tl_sub, tl_mul, tl_div, tl_min, tl_max, tl_pow};
  static const binary integers[] = {tl_rem, tl_floordiv, tl_floormod, tl_ceildiv, tl_and,
                                    tl_or,  tl_xor,      tl_shl,      tl_shr};
  inputs in = make_inputs();
  tl_value cond;
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(floats); ++i)
    assert_int_not_equal(floats[i](in.g, in.x), 0);
  for (i = 0; i < COUNT(numbers); ++i)
    assert_int_not_equal(numbers[i](in.g, in.x, in.x), 0);
  for (i = 0; i < COUNT(integers); ++i)
    assert_int_not_equal(integers[i](in.g, in.n, in.n), 0);
  tl_not(in.g, in.h);
  tl_fma(in.g, in.x, in.x, in.x);
  cond = tl_cmp(in.g, in.x, in.x, TL_PRED_GE);
  tl_select(in.g, cond, in.n, in.n);
  tl_cast(in.g, in.x, TL_DTYPE_BF16);
  tl_program_id(in.g, 2);
  tl_num_programs(in.g, 0);
  expect_body(in, "  %0 = neg %x\n  %1 = abs %x\n  %2 = exp %x\n  %3 = exp2 %x\n"
                  "  %4 = expm1 %x\n  %5 = log %x\n  %6 = log2 %x\n  %7 = log1p %x\n"
                  "  %8 = sqrt %x\n  %9 = rsqrt %x\n  %10 = rcp %x\n  %11 = sin %x\n"
                  "  %12 = cos %x\n  %13 = tan %x\n  %14 = tanh %x\n  %15 = sigmoid %x\n"
                  "  %16 = erf %x\n  %17 = floor %x\n  %18 = ceil %x\n  %19 = round %x\n"
                  "  %20 = trunc %x\n  %21 = add %x, %x\n  %22 = sub %x, %x\n"
                  "  %23 = mul %x, %x\n  %24 = div %x, %x\n  %25 = min %x, %x\n"
                  "  %26 = max %x, %x\n  %27 = pow %x, %x\n  %28 = rem %n, %n\n"
                  "  %29 = floordiv %n, %n\n  %30 = floormod %n, %n\n  %31 = ceildiv %n, %n\n"
                  "  %32 = and %n, %n\n  %33 = or %n, %n\n  %34 = xor %n, %n\n"
                  "  %35 = shl %n, %n\n  %36 = shr %n, %n\n  %37 = not %h\n"
                  "  %38 = fma %x, %x, %x\n  %39 = cmp ge %x, %x\n  %40 = select %39, %n, %n\n"
                  "  %41 = cast %x : bf16\n  %42 = program_id 2\n  %43 = num_programs 0\n");
}

static void tiles(void **state) {
  static const int64_t square[] = {4, 4}, row[] = {1, 4}, flat[] = {16}, swap[] = {1, 0};
  static const int64_t corner[] = {0, 1}, steps[] = {3, 1}, pair[] = {2, 1};
  inputs in = make_inputs();
  tl_value c, f, r, parts[2];
  (void)state;
  c = tl_const_f(in.g, 0.5, TL_DTYPE_F32);
  f = tl_full(in.g, c, square, 2);
  tl_const_i(in.g, -3, TL_DTYPE_I8);
  tl_iota(in.g, flat, 1, TL_DTYPE_U16);
  tl_iota_ex(in.g, square, 2, TL_DTYPE_I32, 1);
  r = tl_expand_dims(in.g, tl_reduce(in.g, f, TL_REDUCE_MIN, 0), 0);
  tl_broadcast(in.g, r, square, 2);
  tl_reshape(in.g, r, row, 2);
  tl_permute(in.g, f, swap, 2);
  tl_dot(in.g, f, f, f);
  tl_slice(in.g, f, corner, 2, pair, 2);
  parts[0] = tl_flip(in.g, tl_slice_ex(in.g, f, corner, 2, steps, 2, pair, 2), swap, 2);
  parts[1] = tl_insert_slice(in.g, f, parts[0], corner, 2);
  parts[0] = f;
  r = tl_join(in.g, f, tl_slice(in.g, tl_concat(in.g, parts, 2, 1), corner, 2, square, 2));
  assert_int_equal(tl_split(in.g, r, parts), TL_OK);
  tl_sub(in.g, parts[0], parts[1]);
  expect_body(in, "  %0 = full 0.5 : tile<4x4xf32>\n  %1 = const -3 : i8\n"
                  "  %2 = iota : tile<16xu16>\n  %3 = iota axis 1 : tile<4x4xi32>\n"
                  "  %4 = reduce min %0, axis 0\n  %5 = expand_dims %4, axis 0\n"
                  "  %6 = broadcast %5 : tile<4x4xf32>\n  %7 = reshape %5 : tile<1x4xf32>\n"
                  "  %8 = permute %0, [1, 0]\n  %9 = dot %0, %0, %0\n"
                  "  %10 = slice %0 offsets [0, 1] : tile<2x1xf32>\n"
                  "  %11 = slice %0 offsets [0, 1] strides [3, 1] : tile<2x1xf32>\n"
                  "  %12 = flip %11 axes [1, 0]\n  %13 = insert_slice %0, %12 offsets [0, 1]\n"
                  "  %14 = concat [%0, %13], axis 1\n"
                  "  %15 = slice %14 offsets [0, 1] : tile<4x4xf32>\n  %16 = join %0, %15\n"
                  "  %17, %18 = split %16\n  %19 = sub %17, %18\n");
}

static void memory(void **state) {
  static const int64_t dims[] = {4}, first_axis[] = {0};
  inputs in = make_inputs();
  tl_attr infinity = tl_attr_float(TL_ATTR_PAD, -INFINITY);
  tl_value at[2], places[2], tile, mask;
  (void)state;
  at[0] = in.n;
  at[1] = in.h;
  tl_view(in.g, in.pointer, at, at, 2);
  tl_addr(in.g, in.view, at, 2);
  tl_extent(in.g, in.view, 1);
  tile = tl_load(in.g, in.view, at, 2, dims, 1);
  tl_load_ex(in.g, in.view, at, 2, dims, 1, first_axis, 1, &infinity);
  tl_load_ex(in.g, in.view, at, 2, dims, 1, NULL, 0, NULL);
  tl_load(in.g, in.view, at, 2, NULL, 0);
  assert_int_equal(tl_store(in.g, tile, in.view, at, 2), TL_OK);
  assert_int_equal(tl_store_ex(in.g, tile, in.view, at, 2, first_axis, 1), TL_OK);
  places[0] = tl_iota(in.g, dims, 1, TL_DTYPE_I32);
  places[1] = in.n;
  mask = tl_cmp(in.g, places[0], in.h, TL_PRED_NE);
  tl_gather(in.g, in.view, places, 2, 0);
  tl_gather(in.g, in.view, places, 2, mask);
  tl_gather_ex(in.g, in.view, places, 2, mask, &infinity);
  assert_int_equal(tl_scatter(in.g, tile, in.view, places, 2, 0), TL_OK);
  assert_int_equal(tl_scatter(in.g, tile, in.view, places, 2, mask), TL_OK);
  expect_body(in, "  %0 = view %p, [%n, %h], [%n, %h]\n  %1 = addr %v[%n, %h]\n"
                  "  %2 = extent %v, 1\n  %3 = load %v[%n, %h] : tile<4xf32>\n"
                  "  %4 = load %v[%n, %h] axes [0] pad -inf : tile<4xf32>\n"
                  "  %5 = load %v[%n, %h] : tile<4xf32>\n  %6 = load %v[%n, %h] : f32\n"
                  "  store %3, %v[%n, %h]\n  store %3, %v[%n, %h] axes [0]\n"
                  "  %7 = iota : tile<4xi32>\n  %8 = cmp ne %7, %h\n"
                  "  %9 = gather %v[%7, %n]\n  %10 = gather %v[%7, %n], mask %8\n"
                  "  %11 = gather %v[%7, %n], mask %8 pad -inf\n"
                  "  scatter %3, %v[%7, %n]\n  scatter %3, %v[%7, %n], mask %8\n");
}

static void control(void **state) {
  inputs in = make_inputs();
  tl_value start[2], args[3], results[2], cond, chosen;
  (void)state;
  start[0] = in.x;
  start[1] = in.n;
  assert_int_equal(tl_for_begin(in.g, in.n, in.n, in.n, start, 2, args), TL_OK);
  cond = tl_cmp(in.g, args[0], in.n, TL_PRED_EQ);
  assert_int_equal(tl_if_begin(in.g, cond), TL_OK);
  assert_int_equal(tl_else(in.g, &args[1], 1), TL_OK);
  assert_int_equal(tl_if_end(in.g, &in.x, 1, &chosen), TL_OK);
  args[1] = chosen;
  assert_int_equal(tl_for_end(in.g, &args[1], 2, results), TL_OK);
  tl_neg(in.g, results[0]);
  assert_int_equal(tl_for_begin(in.g, results[1], in.n, in.n, NULL, 0, args), TL_OK);
  assert_int_equal(tl_if_begin(in.g, cond = tl_cmp(in.g, args[0], in.n, TL_PRED_LT)), TL_OK);
  assert_int_equal(tl_store(in.g, in.x, in.view, start + 1, 0), TL_E_INVALID_GRAPH);
  tl_graph_destroy(in.g);

  in = make_inputs();
  assert_int_equal(tl_for_begin(in.g, in.n, in.n, in.n, &in.x, 1, args), TL_OK);
  cond = tl_cmp(in.g, args[0], in.n, TL_PRED_EQ);
  tl_if_begin(in.g, cond);
  tl_else(in.g, &args[1], 1);
  tl_if_end(in.g, &in.x, 1, &chosen);
  tl_for_end(in.g, &chosen, 1, results);
  tl_neg(in.g, results[0]);
  tl_if_begin(in.g, tl_cmp(in.g, in.n, in.n, TL_PRED_LT));
  tl_exp(in.g, in.x);
  tl_else(in.g, NULL, 0);
  assert_int_equal(tl_if_end(in.g, NULL, 0, NULL), TL_OK);
  expect_body(in, "  %0 = for %1 = %n to %n step %n carry %2 = %x {\n"
                  "    %3 = cmp eq %1, %n\n    %4 = if %3 {\n      yield %2\n    } else {\n"
                  "      yield %x\n    }\n    yield %4\n  }\n  %5 = neg %0\n"
                  "  %6 = cmp lt %n, %n\n  if %6 {\n    %7 = exp %x\n  }\n");
}

static void repeated(void **state) {
  inputs in = make_inputs();
  tl_value start[2], args[2], results[2], again;
  (void)state;
  start[0] = in.x;
  start[1] = in.n;
  assert_int_equal(tl_exit(in.g, tl_cmp(in.g, in.n, in.n, TL_PRED_GT)), TL_OK);
  assert_int_equal(tl_while_begin(in.g, tl_cmp(in.g, in.n, in.n, TL_PRED_LT), start, 2, args),
                   TL_OK);
  again = tl_cmp(in.g, args[1], in.n, TL_PRED_NE);
  assert_int_equal(tl_while_end(in.g, again, args, 2, results), TL_OK);
  tl_neg(in.g, results[0]);
  assert_int_equal(
      tl_while_begin(in.g, again = tl_cmp(in.g, in.n, in.n, TL_PRED_EQ), NULL, 0, NULL), TL_OK);
  assert_int_equal(tl_while_end(in.g, again, NULL, 0, NULL), TL_OK);
  expect_body(in, "  %0 = cmp gt %n, %n\n  exit %0\n  %1 = cmp lt %n, %n\n"
                  "  %2, %3 = while %1 carry %4 = %x, %5 = %n {\n    %6 = cmp ne %5, %n\n"
                  "    yield %6, %4, %5\n  }\n  %7 = neg %2\n  %8 = cmp eq %n, %n\n"
                  "  while %8 {\n    yield %8\n  }\n");
}

static void ordered(void **state) {
  static const int64_t four[] = {4}, two[] = {2};
  inputs in = make_inputs();
  tl_value pair[2], results[2], counted;
  (void)state;
  pair[0] = tl_full(in.g, in.x, four, 1);
  pair[1] = tl_iota(in.g, four, 1, TL_DTYPE_I32);
  assert_int_equal(tl_sort(in.g, pair, 2, 0, results), TL_OK);
  assert_int_equal(tl_sort_descending(in.g, results, 1, 0, pair), TL_OK);
  tl_take(in.g, pair[0], results[1], 0);
  assert_int_equal(tl_topk(in.g, results[0], 0, two, 1, pair), TL_OK);
  counted = tl_histogram(in.g, pair[1], 0, four, 1, TL_DTYPE_I32);
  tl_histogram(in.g, counted, tl_cmp(in.g, counted, counted, TL_PRED_EQ), two, 1, TL_DTYPE_U64);
  tl_pointer(in.g, tl_cast(in.g, in.n, TL_DTYPE_U64), TL_DTYPE_BF16);
  expect_body(in, "  %0 = full %x : tile<4xf32>\n  %1 = iota : tile<4xi32>\n"
                  "  %2, %3 = sort [%0, %1], axis 0\n  %4 = sort_descending [%2], axis 0\n"
                  "  %5 = take %4, %3, axis 0\n  %6, %7 = topk %2, axis 0 : tile<2xf32>\n"
                  "  %8 = histogram %7 : tile<4xi32>\n  %9 = cmp eq %8, %8\n"
                  "  %10 = histogram %8, mask %9 : tile<2xu64>\n  %11 = cast %n : u64\n"
                  "  %12 = pointer %11 : bf16\n");
}

static void combine_regions(void **state) {
  static const int64_t four[] = {4};
  inputs in = make_inputs();
  tl_value pair[2], args[4], yields[2], results[2], back;
  (void)state;
  pair[0] = tl_full(in.g, in.x, four, 1);
  pair[1] = tl_neg(in.g, pair[0]);
  assert_int_equal(tl_reduce_with_begin(in.g, pair, 2, 0, args), TL_OK);
  yields[0] = tl_add(in.g, args[0], args[2]);
  yields[1] = tl_max(in.g, args[1], args[3]);
  assert_int_equal(tl_reduce_with_end(in.g, yields, 2, results), TL_OK);
  tl_sub(in.g, results[0], results[1]);
  assert_int_equal(tl_scan_with_begin(in.g, pair, 1, 0, args), TL_OK);
  yields[0] = tl_mul(in.g, args[0], args[1]);
  assert_int_equal(tl_scan_with_end(in.g, yields, 1, &back), TL_OK);
  assert_int_equal(tl_reverse_scan_with_begin(in.g, &back, 1, 0, args), TL_OK);
  yields[0] = tl_min(in.g, args[0], args[1]);
  assert_int_equal(tl_reverse_scan_with_end(in.g, yields, 1, &back), TL_OK);
  expect_body(in, "  %0 = full %x : tile<4xf32>\n  %1 = neg %0\n"
                  "  %2, %3 = reduce_with %0, %1, axis 0 combine (%4, %5) with (%6, %7) {\n"
                  "    %8 = add %4, %6\n    %9 = max %5, %7\n    yield %8, %9\n  }\n"
                  "  %10 = sub %2, %3\n"
                  "  %11 = scan_with %0, axis 0 combine (%12) with (%13) {\n"
                  "    %14 = mul %12, %13\n    yield %14\n  }\n"
                  "  %15 = reverse_scan_with %11, axis 0 combine (%16) with (%17) {\n"
                  "    %18 = min %16, %17\n    yield %18\n  }\n");
}

/* NULL for operands that are said to be there is an error. */
static void missing_operands(void **state) {
  tl_value args[3];
  inputs in = make_inputs();
  (void)state;
  assert_int_equal(tl_addr(in.g, in.view, NULL, 2), 0);
  FAILS(tl_graph_verify(in.g, &error), TL_E_INVALID_ARGUMENT, "");
  tl_graph_destroy(in.g);
  in = make_inputs();
  assert_int_not_equal(tl_dispatch(in.g, NULL, 1, 1), TL_OK);
  assert_int_not_equal(tl_while_begin(in.g, in.n, NULL, 2, args), TL_OK);
  FAILS(tl_graph_verify(in.g, &error), TL_E_INVALID_ARGUMENT, "");
  tl_graph_destroy(in.g);
}

/* More operands than a helper passes on give an error, not memory that is not theirs. */
static void too_many_operands(void **state) {
  tl_value many[100], args[101];
  inputs in = make_inputs();
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(many); ++i)
    many[i] = in.n;
  assert_int_not_equal(tl_for_begin(in.g, in.n, in.n, in.n, many, 100, args), TL_OK);
  for (i = 0; i < COUNT(args); ++i)
    assert_int_equal(args[i], 0);
  tl_graph_destroy(in.g);
  in = make_inputs();
  assert_int_equal(tl_addr(in.g, in.view, many, 100), 0);
  FAILS(tl_graph_verify(in.g, &error), TL_E_INVALID_ARGUMENT, "");
  tl_graph_destroy(in.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise),      cmocka_unit_test(tiles),
      cmocka_unit_test(memory),           cmocka_unit_test(control),
      cmocka_unit_test(repeated),         cmocka_unit_test(ordered),
      cmocka_unit_test(combine_regions),  cmocka_unit_test(too_many_operands),
      cmocka_unit_test(missing_operands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
