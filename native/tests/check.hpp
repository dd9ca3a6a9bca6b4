// A test framework in thirty lines: TEST(name) { CHECK(...); } and one main.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int failures = 0;

struct Register {
  Register(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

inline void that(bool holds, const char* text, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::printf("%s:%d: failed: %s\n", file, line, text);
}

inline bool near(double a, double b, double tolerance = 1e-12) {
  return std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b));
}

// A small stream of numbers in [-1, 1], the same on every machine.
struct Draws {
  unsigned long long state;
  double operator()() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return double(state >> 11) / double(1ull << 52) - 1;
  }
};

template <class Error, class F>
bool throws(F&& f) {
  try {
    f();
  } catch (const Error&) {
    return true;
  }
  return false;
}

}  // namespace check

#define TEST(name)                                             \
  static void name();                                          \
  static const check::Register register_##name(#name, &name); \
  static void name()
#define CHECK(condition) check::that(condition, #condition, __FILE__, __LINE__)
