#include "check.hpp"

int main() {
  for (const check::Test& test : check::tests()) {
    const int before = check::failures;
    test.body();
    std::printf("%s %s\n", check::failures == before ? "ok    " : "FAILED", test.name);
  }
  std::printf("%zu tests, %d failures\n", check::tests().size(), check::failures);
  return check::failures == 0 ? 0 : 1;
}
