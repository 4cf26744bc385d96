// Whatever the bytes, parsing ends with a graph or an error that names a place; large inputs take
// time and memory in proportion to their size.
// test-timeout: 300
#include "unit/unit_test.h"

#include "graph/text.h"
#include "graph/verify.h"

#include <random>

using namespace tl;

/// Parses; a graph must verify, an error must have a place and an excerpt.
static bool parses(const std::string &text) {
  auto g = parseText(text, "t.tile");
  if (g.ok()) {
    CHECK(verify(*g).ok());
    return true;
  }
  const Error &e = g.error();
  CHECK(e.status == TL_E_SYNTAX || e.status == TL_E_INVALID_GRAPH || e.status == TL_E_LIMIT ||
        e.status == TL_E_VERSION || e.status == TL_E_PARAM || e.status == TL_E_UNSUPPORTED);
  CHECK(!e.diagnostics.empty());
  if (!e.diagnostics.empty()) {
    CHECK(e.diagnostics[0].location.line >= 1 && e.diagnostics[0].location.column >= 1);
    CHECK(e.diagnostics[0].excerpt.find('^') != std::string::npos);
    CHECK(e.message.find('\n') == std::string::npos);
  }
  return false;
}

/// The status of text that must not parse.
static tl_status statusOf(const std::string &text) {
  auto g = parseText(text, "t.tile");
  return g.ok() ? TL_OK : g.error().status;
}

static const std::string top =
    "tile 0.1\nkernel @k(%v: view<f32, [%n, ?], [?, 1]> = uniform(0, %n), %n: i64 = 5)\n";
static const std::string sample =
    top + "    param %B = 8 in [8, 16]\n    contract = off\n    threads = 64\n"
          "    let %half = floordiv(%n, 2)\n    require lt(mul(%B, 2), 64)\n"
          "    grid [ceildiv(%n, %B), max(%half, 1)] {\n"
          "  %pid = program_id 0\n  %at = mul %pid, %B\n"
          "  %x = load %v[%at, 0] axes [0] pad -inf : tile<%B x f32>\n"
          "  %i = iota axis 0 : tile<8xi32> # comment\n  %m = cmp lt %i, 3\n"
          "  %g = gather %v[%i, 0], mask %m pad nan\n  %s = reduce sum %x, axis 0\n"
          "  %r0, %r1 = for %j = 0 to %n step 2 carry %a = %s, %b = %g {\n"
          "    %c = cmp gt %a, 0x1.8p3\n    %d = if %c { yield %a } else {\n      yield %s\n    }\n"
          "    yield %d, %b\n  }\n  scatter %r1, %v[%i, %v.extent1], mask %m\n"
          "  store %r0, %v[0, 1]\n}\n";

UNIT_TEST(everyPrefix) {
  CHECK(parses(sample));
  for (size_t n = 0; n + 2 < sample.size(); ++n)
    CHECK(!parses(sample.substr(0, n)));
}

UNIT_TEST(randomBytes) {
  std::mt19937_64 random(1);
  std::string big(10 << 20, '\0');
  for (char &c : big)
    c = char(random());
  CHECK(!parses(big));
  CHECK(!parses("tile 0.1\n" + big));
  CHECK(!parses(sample + big));
  CHECK(!parses(sample.substr(0, sample.size() - 2) + big));
  CHECK(!parses(std::string(10 << 20, '\0')));
  for (int i = 0; i < 3000; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char &c : bytes)
      c = char(random());
    CHECK(!parses(bytes));
    CHECK(!parses(sample.substr(0, random() % (sample.size() - 2)) + bytes));
  }
}

UNIT_TEST(mutatedText) {
  static const char *pieces[] = {"%",         "%n",    "%B",    "%v",
                                 "%x",        "(",     ")",     "[",
                                 "]",         "{",     "}",     "<",
                                 ">",         ",",     ":",     "=",
                                 "?",         "-",     "-1",    "0",
                                 "1.5",       "nan",   "nan(",  "inf",
                                 "for",       "if",    "else",  "yield",
                                 "add",       "load",  "store", "axis",
                                 "pad",       "mask",  "f32",   "i64",
                                 "tile",      "tile<", "view",  "ptr",
                                 "x",         "\n",    "#",     "99999999999999999999",
                                 "param",     "grid",  "let",   "require",
                                 "@k",        "\"",    "true",  "kernel",
                                 "to",        "carry", "step",  "in",
                                 "%v.extent1"};
  std::mt19937_64 random(2);
  unsigned good = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string text = sample;
    for (size_t edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % text.size(), length = random() % 12;
      std::string piece = random() % 3 == 0 ? "" : pieces[random() % std::size(pieces)];
      if (random() % 4 == 0)
        piece = text.substr(random() % text.size(), random() % 30);
      text.replace(at, random() % 2 ? 0 : length, random() % 2 ? piece : " " + piece + " ");
    }
    good += parses(text);
  }
  std::printf("%u of 30000 mutated texts parse\n", good);
}

UNIT_TEST(tokenSoup) {
  std::mt19937_64 random(3);
  std::vector<std::string> words;
  for (size_t at = 0; at < sample.size();) {
    size_t end = sample.find_first_of(" \n,[](){}", at + 1);
    words.push_back(sample.substr(at, end - at));
    at = std::min(end, sample.size());
  }
  for (int i = 0; i < 5000; ++i) {
    std::string text = top + "grid [1] {\n";
    for (size_t n = random() % 40; n > 0; --n)
      text += words[random() % words.size()] + (random() % 2 ? " " : "\n");
    parses(text + "}\n");
  }
}

static std::string repeat(size_t n, const std::string &piece) {
  std::string s;
  s.reserve(n * piece.size());
  for (size_t i = 0; i < n; ++i)
    s += piece;
  return s;
}

UNIT_TEST(depth) {
  auto nested = [](size_t n) {
    return top + "grid [1] {\n" + repeat(n, "for %a = 0 to 1 {\n") + repeat(n, "}\n") + "}\n";
  };
  // A name may not be used again while it is visible, so every level has its own.
  auto named = [](size_t n) {
    std::string text = top + "grid [1] {\n";
    for (size_t i = 0; i < n; ++i)
      text += "for %a" + std::to_string(i) + " = 0 to 1 {\n";
    return text + repeat(n, "}\n") + "}\n";
  };
  CHECK(parses(named(64)));
  CHECK_EQ(statusOf(named(65)), tl_status(TL_E_LIMIT));
  CHECK_EQ(statusOf(named(10000)), tl_status(TL_E_LIMIT));
  CHECK_EQ(statusOf(nested(2)), tl_status(TL_E_SYNTAX));
  auto calls = [](size_t n) {
    return top + "grid [" + repeat(n, "neg(") + "1" + repeat(n, ")") + "] {\n}\n";
  };
  CHECK(parses(calls(64)));
  CHECK_EQ(statusOf(calls(65)), tl_status(TL_E_LIMIT));
  CHECK_EQ(statusOf(calls(1000000)), tl_status(TL_E_LIMIT));
  CHECK(!parses(top + "grid [" + repeat(1000000, "[") + "] {\n}\n"));
  CHECK(!parses(top + "grid [1] " + repeat(1000000, "{")));
}

UNIT_TEST(largeTexts) {
  std::string lines = top + "grid [1] {\n";
  std::string previous = "n";
  for (int i = 0; i < 200000; ++i) {
    std::string name = "x" + std::to_string(i);
    lines += "  %" + name + " = add %" + previous + ", %n\n";
    previous = name;
  }
  CHECK(!parses(lines + "  %y = add %undefined, 1\n}\n"));
  CHECK(parses(top + "grid [1] {\n" + repeat(100000, "  store 0.0, %v[0, 1]\n") + "}\n"));
  CHECK(parses(repeat(1000000, "# comment\n") + sample + repeat(1000000, "\n")));
  CHECK(parses(top + "grid [1] {" + std::string(10 << 20, ' ') + "}"));
  CHECK(!parses(top + "grid [1] {\n %" + std::string(10 << 20, 'a')));
  CHECK(!parses(top + "grid [1] {\n " + std::string(10 << 20, 'a')));
  CHECK(!parses(top + "grid [1] {\n %a = add " + std::string(10 << 20, '1')));
  CHECK(!parses(top + "grid [1] {\n %x = load %v[" + repeat(100000, "%n, ") + "0] : f32\n}"));
  CHECK(!parses(top + "grid [1] {\n %x = load %v[" + repeat(100000, "1, ") + "0] : f32\n}"));
  CHECK(!parses(top + "grid [" + repeat(100000, "1, ") + "1] {\n}"));
  CHECK(!parses(top + "grid [1] {\n %x = full 1.0 : tile<" + repeat(100000, "1x") + "f32>\n}"));
  CHECK(!parses(top + "grid [1] {\n " + repeat(100000, "%a, ")));
  std::string params = top, arguments = "tile 0.1\nkernel @k(";
  for (int i = 0; i < 20000; ++i) {
    params += "param %p" + std::to_string(i) + " = 1\n";
    arguments += "%a" + std::to_string(i) + ": i64,\n";
  }
  CHECK_EQ(statusOf(params + "grid [1] {\n}"), tl_status(TL_E_LIMIT));
  CHECK_EQ(statusOf(arguments + "%z: i64) grid [1] {\n}"), tl_status(TL_E_LIMIT));
  CHECK(parses(top + "param %p = 1 in [" + repeat(1000000, "1, ") + "1] grid [1] {\n}"));
  CHECK(parses(top + repeat(100000, "require lt(1, 2)\n") + "grid [1] {\n}"));
  std::string carried = top + "grid [1] {\n";
  std::string names, starts;
  for (int i = 0; i < 20000; ++i) {
    names += (i ? ", %r" : "%r") + std::to_string(i);
    starts += (i ? ", %c" : " carry %c") + std::to_string(i) + " = %n";
  }
  std::string loop = carried + names + " = for %i = 0 to 1" + starts + " {\n";
  CHECK(!parses(loop + "}\n}\n"));
  std::string yields = names;
  for (size_t at = 0; (at = yields.find("%r", at)) != std::string::npos;)
    yields.replace(at, 2, "%c");
  CHECK(parses(loop + "yield " + yields + "\n}\n}\n"));
}

UNIT_TEST(lineEndsAndBytes) {
  std::string crlf;
  for (char c : sample)
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(parses(crlf));
  CHECK(!parses(""));
  CHECK(!parses(std::string("tile 0.1\0", 9)));
  std::string nul = sample;
  nul[nul.find("%pid")] = '\0';
  CHECK(!parses(nul));
  CHECK(!parses("tile 0.1\nkernel @k() grid [1] {\n\xc3\xa9\n}\n"));
}

UNIT_TEST_MAIN
