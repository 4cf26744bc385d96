// The few lines that C++ unit tests need: UNIT_TEST defines a case, CHECK reports and goes on,
// REQUIRE leaves the case, SKIP leaves it with a reason. One executable per file; its last line is
// "N passed, N failed, N skipped".
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace unit {

struct Case {
  const char *name;
  void (*run)();
};

inline std::vector<Case> &cases() {
  static std::vector<Case> all;
  return all;
}

struct State {
  bool failed = false;
  bool skipped = false;
};

inline State &state() {
  static State current;
  return current;
}

struct Registrar {
  Registrar(const char *name, void (*run)()) { cases().push_back({name, run}); }
};

inline void fail(const char *file, int line, const std::string &text) {
  std::printf("%s:%d: %s\n", file, line, text.c_str());
  state().failed = true;
}

template <class T> std::string show(const T &value) {
  if constexpr (requires { std::string(value); })
    return "\"" + std::string(value) + "\"";
  else
    return std::to_string(value);
}

template <class A, class B>
void equal(const char *file, int line, const char *text, const A &a, const B &b) {
  if (!(a == b))
    fail(file, line, std::string(text) + ": " + show(a) + " and " + show(b));
}

/// Runs all cases, or those whose name contains argv[1]. 77 when all that ran were skipped (ctest's
/// skip code).
inline int runAll(int argc, char **argv) {
  int passed = 0, failed = 0, skipped = 0;
  for (const Case &c : cases()) {
    if (argc > 1 && !std::strstr(c.name, argv[1]))
      continue;
    state() = {};
    c.run();
    const char *verdict = state().failed ? "FAILED" : state().skipped ? "skipped" : "ok";
    std::printf("%-8s %s\n", verdict, c.name);
    std::fflush(stdout);
    ++(state().failed ? failed : state().skipped ? skipped : passed);
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : passed == 0 && skipped ? 77 : 0;
}

} // namespace unit

#define UNIT_TEST(NAME)                                                                            \
  static void unitTest_##NAME();                                                                   \
  static unit::Registrar unitRegistrar_##NAME(#NAME, unitTest_##NAME);                             \
  static void unitTest_##NAME()
#define CHECK(CONDITION)                                                                           \
  do {                                                                                             \
    if (!(CONDITION))                                                                              \
      unit::fail(__FILE__, __LINE__, #CONDITION);                                                  \
  } while (0)
#define CHECK_EQ(A, B) unit::equal(__FILE__, __LINE__, #A " == " #B, A, B)
#define REQUIRE(CONDITION)                                                                         \
  do {                                                                                             \
    if (!(CONDITION)) {                                                                            \
      unit::fail(__FILE__, __LINE__, #CONDITION);                                                  \
      return;                                                                                      \
    }                                                                                              \
  } while (0)
/// For Result<T>: the error's message is shown.
#define REQUIRE_OK(RESULT)                                                                         \
  do {                                                                                             \
    if (!(RESULT).ok()) {                                                                          \
      unit::fail(__FILE__, __LINE__, (RESULT).error().message);                                    \
      return;                                                                                      \
    }                                                                                              \
  } while (0)
#define SKIP(REASON)                                                                               \
  do {                                                                                             \
    std::printf("skip: %s\n", std::string(REASON).c_str());                                        \
    unit::state().skipped = true;                                                                  \
    return;                                                                                        \
  } while (0)
#define UNIT_TEST_MAIN                                                                             \
  int main(int argc, char **argv) { return unit::runAll(argc, argv); }
