// The vector exponential and the deviances against the C library and plain loops.
#include "check.hpp"
#include "learnable/linear/glm_deviance.hpp"
#include "learnable/linear/gradient_scale.hpp"
#include "learnable/matrix/column_squares.hpp"

using namespace learnable;

TEST(exponential_is_accurate) {
  check::Draws draw{3};
  for (int k = 0; k < 2000; ++k) {
    const double x = (k % 2 ? 1e-6 : 300) * draw();
    const Exponential e(Lanes{} + x);
    CHECK(std::abs(e.value()[0] / std::exp(x) - 1) < 4e-16);
    CHECK(x == 0 || std::abs(e.growth()[0] / std::expm1(x) - 1) < 8e-16);
    CHECK(k % 2 == 0 || check::near(e.excess()[0] / (x * x), 0.5, 1e-6));
  }
}

TEST(deviance_of_counts) {
  constexpr index_t n = 9001;
  check::Draws draw{5};
  Buffer y(n), z(n), log_y(n), share(n), slope(n), bend(n);
  double wanted = 0;
  for (index_t i = 0; i < n; ++i) {
    y[i] = double(i % 4);
    z[i] = 2 * draw();
    log_y[i] = y[i] > 0 ? std::log(y[i]) : 0;
    share[i] = draw() + 1;
    wanted += share[i] * (std::exp(z[i]) - y[i] * z[i] + (y[i] > 0 ? y[i] * log_y[i] - y[i] : 0));
  }
  const DevianceRows rows{log_y, y, share, 1, false};
  CHECK(check::near(deviance_terms(rows, z, slope, bend), wanted, 1e-10));
  for (index_t i = 0; i < n; ++i) {
    CHECK(check::near(slope[i], share[i] * (std::exp(z[i]) - y[i])));
    CHECK(check::near(bend[i], share[i] * std::exp(z[i])));
  }
}

TEST(squares_of_columns) {
  constexpr index_t n = 50, p = 3;
  check::Draws draw{9};
  Buffer x(n * p), weight(n, 2), out(p);
  for (double& value : View<double>(x)) value = draw();
  weighted_squares(RowMajor<double>{x.data(), n, p, p}, weight, out);
  for (index_t j = 0; j < p; ++j) {
    double sum = 0;
    for (index_t i = 0; i < n; ++i) sum += 2 * x[i * p + j] * x[i * p + j];
    CHECK(check::near(out[j], sum));
  }
}

TEST(squares_of_slopes) {
  constexpr index_t n = 20'003;
  check::Draws draw{10};
  Buffer slope(n), bend(n), score(n), share(n);
  double first = 0, second = 0;
  for (index_t i = 0; i < n; ++i) {
    slope[i] = draw(), bend[i] = draw(), score[i] = draw(), share[i] = draw() + 1.5;
    first += slope[i] * slope[i] / share[i];
    second += bend[i] * score[i] * bend[i] * score[i] / share[i];
  }
  const SlopeSquares found = slope_squares(slope, bend, score, share);
  CHECK(check::near(found.slope, first, 1e-10));
  CHECK(check::near(found.change, second, 1e-10));
}
