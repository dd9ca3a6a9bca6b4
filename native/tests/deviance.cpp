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
  Buffer y(n), z(n), log_y(n), weight(n), gradient(n), curvature(n);
  double expected = 0;
  for (index_t i = 0; i < n; ++i) {
    y[i] = double(i % 4);
    z[i] = 2 * draw();
    log_y[i] = y[i] > 0 ? std::log(y[i]) : 0;
    weight[i] = draw() + 1;
    expected += weight[i] * (std::exp(z[i]) - y[i] * z[i] + (y[i] > 0 ? y[i] * log_y[i] - y[i] : 0));
  }
  const DevianceRows rows{log_y, y, weight, 1, false};
  CHECK(check::near(deviance_terms(rows, z, gradient, curvature), expected, 1e-10));
  for (index_t i = 0; i < n; ++i) {
    CHECK(check::near(gradient[i], weight[i] * (std::exp(z[i]) - y[i])));
    CHECK(check::near(curvature[i], weight[i] * std::exp(z[i])));
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

TEST(squares_of_gradients) {
  constexpr index_t n = 20'003;
  check::Draws draw{10};
  Buffer gradient(n), curvature(n), score(n), weight(n);
  double first = 0, second = 0;
  for (index_t i = 0; i < n; ++i) {
    gradient[i] = draw(), curvature[i] = draw(), score[i] = draw(), weight[i] = draw() + 1.5;
    first += gradient[i] * gradient[i] / weight[i];
    second += curvature[i] * score[i] * curvature[i] * score[i] / weight[i];
  }
  const GradientSquares found = gradient_squares(gradient, curvature, score, weight);
  CHECK(check::near(found.gradient, first, 1e-10));
  CHECK(check::near(found.change, second, 1e-10));
}
