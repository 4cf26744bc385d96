// LinearMap against enumeration of all inputs.
#include "layout/linear_map.h"
#include "layout_test.h"

#include <random>
#include <set>

using namespace tl;
using tl::test::Expectations;

static LinearMap randomMap(std::mt19937_64 &random, unsigned inBits, unsigned outBits) {
  std::vector<uint64_t> columns(inBits);
  for (uint64_t &column : columns)
    column = random() & random() & ((uint64_t(1) << outBits) - 1);
  return {outBits, columns};
}

static std::string describe(const LinearMap &map) { return "wrong for\n" + map.toString(); }

UNIT_TEST(rank_and_inverse) {
  Expectations rank, inverse, bijection;
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    LinearMap map = randomMap(random, unsigned(random() % 9), unsigned(random() % 9));
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < uint64_t(1) << map.inBits(); ++x)
      image.insert(map.apply(x));
    auto text = [&] { return describe(map); };
    rank.expect(image.size() == uint64_t(1) << map.rank(), text);
    rank.expect(map.isInjective() == (image.size() == uint64_t(1) << map.inBits()), text);
    rank.expect(map.isSurjective() == (image.size() == uint64_t(1) << map.outBits()), text);

    std::optional<LinearMap> right = map.rightInverse();
    inverse.expect(right.has_value() == map.isSurjective(), text);
    if (!right)
      continue;
    for (uint64_t y = 0; y < uint64_t(1) << map.outBits(); ++y)
      inverse.expect(map.apply(right->apply(y)) == y, text);
    inverse.expect(map.after(*right) == LinearMap::identity(map.outBits()), text);
    if (map.isInjective())
      bijection.expect(right->after(map) == LinearMap::identity(map.inBits()) &&
                           right->rightInverse() == map,
                       text);
  }
}

UNIT_TEST(right_inverse_leaves_free_bits_zero) {
  Expectations zero;
  LinearMap map(2, {0, 2, 2, 1, 3}); // bit 0 moves nothing; bits 2 and 4 depend on the ones before
  std::optional<LinearMap> right = map.rightInverse();
  zero.expect(right && right->column(0) == 8 && right->column(1) == 2,
              [&] { return describe(map); });
}

UNIT_TEST(compose_and_apply) {
  Expectations compose;
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    unsigned middle = unsigned(random() % 8);
    LinearMap first = randomMap(random, unsigned(random() % 8), middle);
    LinearMap second = randomMap(random, middle, unsigned(random() % 8));
    LinearMap both = second.after(first);
    for (uint64_t x = 0; x < uint64_t(1) << first.inBits(); ++x) {
      uint64_t bitwise = 0;
      for (unsigned bit = 0; bit < first.inBits(); ++bit)
        if ((x >> bit & 1) != 0)
          bitwise ^= first.column(bit);
      compose.expect(first.apply(x) == bitwise, [&] { return describe(first); });
      compose.expect(both.apply(x) == second.apply(first.apply(x)), [&] { return describe(both); });
    }
  }
}

UNIT_TEST(full_width) {
  Expectations wide;
  std::vector<uint64_t> columns(64);
  for (unsigned i = 0; i < 64; ++i)
    columns[i] = ~uint64_t(0) << i;
  LinearMap map(64, columns);
  std::optional<LinearMap> inverse = map.rightInverse();
  wide.expect(inverse && map.rank() == 64, [&] { return describe(map); });
  for (uint64_t x = 1; inverse && x != 0; x *= 6)
    wide.expect(inverse->apply(map.apply(x)) == x && map.apply(inverse->apply(x)) == x,
                [&] { return describe(map); });
}

UNIT_TEST(text_and_equality) {
  Expectations text;
  LinearMap map(2, {1, 0, 3});
  text.expect(map.toString() == "1.1\n..1\n", [&] { return map.toString(); });
  text.expect(map == LinearMap(2, {1, 0, 3}) && map != LinearMap(3, {1, 0, 3}) &&
                  map != LinearMap(2, {1, 0, 2}),
              [] { return std::string("equality"); });
}

UNIT_TEST_MAIN
