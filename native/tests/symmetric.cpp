#include <vector>

#include "check.hpp"
#include "learnable/linear/spd_inverse.hpp"

using namespace learnable;

namespace {

// G = A'A of a matrix of draws, and room for its inverse.
struct Problem {
  index_t p;
  std::vector<double> gram, inverse;

  explicit Problem(index_t size) : p(size), gram(size * size), inverse(size * size) {
    check::Draws draw{7};
    std::vector<double> A(2 * p * p);
    for (double& entry : A) entry = draw();
    for (index_t i = 0; i < p; ++i)
      for (index_t j = 0; j < p; ++j)
        for (index_t k = 0; k < 2 * p; ++k) gram[i * p + j] += A[k * p + i] * A[k * p + j];
  }
  Grid<const double> G() const { return {gram.data(), p, p, p}; }
  Grid<double> room() { return {inverse.data(), p, p, p}; }
};

}  // namespace

TEST(inverse_times_matrix_is_the_identity) {
  Problem problem(9);
  const double alpha = 0.3, condition = invert_symmetric(problem.G(), alpha, problem.room());
  CHECK(condition >= 1 && condition < 1e6);
  for (index_t i = 0; i < problem.p; ++i)
    for (index_t j = 0; j < problem.p; ++j) {
      double sum = 0;
      for (index_t k = 0; k < problem.p; ++k)
        sum += problem.room()(i, k) * (problem.G()(k, j) + (k == j ? alpha : 0));
      CHECK(check::near(sum, i == j ? 1 : 0, 1e-10));
    }
}

TEST(a_singular_matrix_has_an_infinite_condition) {
  const double same[] = {1, 1, 1, 1}, empty[] = {0};
  double room[4];
  CHECK(std::isinf(invert_symmetric({same, 2, 2, 2}, 0, {room, 2, 2, 2})));
  CHECK(std::isinf(invert_symmetric({empty, 1, 1, 1}, 0, {room, 1, 1, 1})));
  CHECK(invert_symmetric({same, 2, 2, 2}, 1, {room, 2, 2, 2}) < 10);
}

TEST(spread_of_coefficients_is_that_of_their_covariance) {
  Problem problem(5);
  const double alpha = 0.7;
  invert_symmetric(problem.G(), alpha, problem.room());
  const double mean[] = {1, -2, 3, 0.5, 0};
  double root[5], trace = 0, at_mean = 0;
  const Spread spread = coefficient_spread(problem.room(), {mean, 5}, alpha, {root, 5});
  const Grid<double> V = problem.room();
  for (index_t i = 0; i < 5; ++i) {
    trace += V(i, i);
    for (index_t j = 0; j < 5; ++j) {
      double covariance = 0;  // (V G V)_ij, which V - alpha V^2 equals
      for (index_t k = 0; k < 5; ++k)
        for (index_t m = 0; m < 5; ++m) covariance += V(i, k) * problem.G()(k, m) * V(m, j);
      at_mean += mean[i] * covariance * mean[j];
      if (i == j) CHECK(check::near(root[i] * root[i], covariance, 1e-10));
    }
  }
  CHECK(check::near(spread.trace, trace) && check::near(spread.at_mean, at_mean, 1e-10));
}
