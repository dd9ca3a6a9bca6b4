// Whole kernels against plain loops: moments, products, residuals, inliers, leave-one-out.
#include "check.hpp"
#include "learnable/linear/ransac_inliers.hpp"
#include "learnable/linear/residuals.hpp"
#include "learnable/linear/ridge_leave_one_out.hpp"
#include "learnable/stats/moments.hpp"
#include "learnable/stats/sparse_moments.hpp"

using namespace learnable;

namespace {

struct Problem {
  index_t n, p, t;
  Buffer x, y, weight, w, b;

  Problem(index_t n, index_t p, index_t t) : n(n), p(p), t(t), x(n * p), y(n * t), weight(n), w(p * t), b(t) {
    check::Draws draw{7};
    for (View<double> values : {View<double>(x), View<double>(y), View<double>(w), View<double>(b)})
      for (double& value : values) value = draw();
    for (double& value : View<double>(weight)) value = draw() + 1;
    weight[0] = 0;
  }
  RowMajor<double> design() const { return {x.data(), n, p, p}; }
  Numbers targets() const { return {y.data(), n, t, t, 1, true}; }
  Numbers weights() const { return {weight.data(), n, 1, 1, 0, true}; }
  Numbers coefficients() const { return {w.data(), p, t, t, 1, true}; }
  Numbers constants() const { return {b.data(), t, 1, 1, 0, true}; }
};

double weighted_mean(const Problem& of, const double* values, index_t stride) {
  double sum = 0, total = 0;
  for (index_t i = 0; i < of.n; ++i) {
    sum += of.weight[i] * values[i * stride];
    total += of.weight[i];
  }
  return sum / total;
}

void check_moments(const Problem& of, const Comoments& sums) {
  for (index_t i = 0; i < of.p; ++i) {
    const double mean = weighted_mean(of, of.x.data() + i, of.p);
    CHECK(check::near(mean, sums.shift[i] + sums.mean[i]));
    for (index_t j = i; j < of.p; ++j) {
      double sum = 0;
      const double other = weighted_mean(of, of.x.data() + j, of.p);
      for (index_t k = 0; k < of.n; ++k)
        sum += of.weight[k] * (of.x[k * of.p + i] - mean) * (of.x[k * of.p + j] - other);
      CHECK(check::near(sum, sums.products.grid(i, j)));
    }
  }
}

}  // namespace

TEST(moments_of_rows) {
  for (index_t n : {1, 40, 5000}) {
    const Problem problem(n, 6, 2);
    problem.weight[0] = 1;
    check_moments(problem, moments(problem.design(), problem.targets(), problem.weights(), true));
  }
}

TEST(merged_moments_are_those_of_all_rows) {
  const Problem problem(300, 5, 1);
  Comoments whole = moments(problem.design(), problem.targets(), {}, true);
  const RowMajor<double> first{problem.x.data(), 100, 5, 5}, rest{problem.x.data() + 500, 200, 5, 5};
  Comoments merged = moments(first, Numbers{problem.y.data(), 100, 1, 1, 0, true}, {}, true), part(5, 1);
  const Numbers targets{problem.y.data() + 100, 200, 1, 1, 0, true};
  detail::choose_shift(rest, targets, {}, 0, 200, part.shift.data());
  detail::add_rows(rest, targets, {}, 0, 200, Panel(64, 7), part);
  detail::take_sums(part, true);
  merged.merge(part);
  CHECK(merged.weight == whole.weight);
  CHECK(check::near(merged.spread[0], whole.spread[0]));
  for (index_t i = 0; i < 5; ++i)
    for (index_t j = i; j < 6; ++j) CHECK(check::near(merged.products.grid(i, j), whole.products.grid(i, j)));
}

TEST(moments_of_sparse_rows) {
  Problem problem(60, 4, 1);
  std::vector<double> value;
  std::vector<line_t> index;
  std::vector<index_t> start{0};
  for (index_t i = 0; i < 60; ++i) {
    for (index_t j = 0; j < 4; ++j)
      if ((3 * i + 5 * j) % 7 != 0)
        problem.x[4 * i + j] = 0;
      else
        value.push_back(problem.x[4 * i + j]), index.push_back(line_t(j));
    start.push_back(index_t(value.size()));
  }
  const SparseRows<double> X{60, 4, value.data(), index.data(), start.data(), true};
  check_moments(problem, sparse_moments(X, problem.targets(), problem.weights(), true));
}

TEST(products_and_residuals) {
  for (index_t t : {1, 3}) {
    const Problem problem(500, 7, t);
    const Buffer scores(500 * t), product(7 * t), loss(t), total(t);
    const Grid<double> s{scores.data(), 500, t, t}, g{product.data(), 7, t, t};
    matvec(problem.design(), problem.coefficients(), problem.constants(), s);
    residual_products(problem.design(), problem.targets(), problem.coefficients(), problem.constants(),
                      problem.weights(), {loss, total, g});
    for (index_t target = 0; target < t; ++target) {
      double sum = 0;
      for (index_t i = 0; i < 500; ++i) {
        double score = problem.b[target];
        for (index_t j = 0; j < 7; ++j) score += problem.x[7 * i + j] * problem.w[j * t + target];
        CHECK(check::near(score, s(i, target)));
        sum += problem.weight[i] * std::pow(problem.y[i * t + target] - score, 2);
      }
      CHECK(check::near(sum, loss[target]));
    }
  }
}

TEST(residuals_about_means) {
  for (index_t t : {1, 3}) {
    Problem problem(500, 7, t);
    const Buffer product(7 * t), loss(t), total(t), moved_product(7 * t), moved_loss(t), moved_total(t);
    const Numbers mean{problem.weight.data(), 7, 1, 1, 0, true};
    residual_products(problem.design(), problem.targets(), problem.coefficients(), problem.constants(),
                      problem.weights(), {loss, total, {product.data(), 7, t, t}});
    for (index_t i = 0; i < 500; ++i)
      for (index_t j = 0; j < 7; ++j) problem.x[7 * i + j] += problem.weight[j];
    residual_products(problem.design(), mean, problem.targets(), problem.coefficients(), problem.constants(),
                      problem.weights(), {moved_loss, moved_total, {moved_product.data(), 7, t, t}});
    for (index_t target = 0; target < t; ++target) {
      CHECK(check::near(loss[target], moved_loss[target]));
      for (index_t j = 0; j < 7; ++j) CHECK(check::near(product[j * t + target], moved_product[j * t + target]));
    }
  }
}

TEST(weight_of_the_inliers_of_each_model) {
  for (index_t t : {1, 9}) {
    const Problem problem(700, 5, t);
    const Numbers target{problem.y.data(), 700, 1, t, 0, true}, bound{problem.weight.data(), 700, 1, 1, 0, true};
    const Buffer found(t);
    weight_within(problem.design(), target, problem.coefficients(), problem.constants(), bound, problem.weights(),
                  found);
    for (index_t model = 0; model < t; ++model) {
      double expected = 0;
      for (index_t i = 0; i < 700; ++i) {
        double score = problem.b[model];
        for (index_t j = 0; j < 5; ++j) score += problem.x[5 * i + j] * problem.w[j * t + model];
        if (std::abs(problem.y[i * t] - score) <= problem.weight[i]) expected += problem.weight[i];
      }
      CHECK(expected > 0 && check::near(expected, found[model]));
    }
  }
}

TEST(leave_one_out_of_one_column) {
  // y = x without an intercept: w = sum x y / (sum x^2 + alpha), and leaving out a row takes its terms from both sums.
  const Problem problem(50, 1, 1);
  double square = 0, cross = 0, expected = 0;
  for (index_t i = 0; i < 50; ++i) square += problem.x[i] * problem.x[i], cross += problem.x[i] * problem.y[i];
  const double one = 1, zero = 0, alpha = 0.3;
  for (index_t i = 0; i < 50; ++i) {
    const double x = problem.x[i], y = problem.y[i];
    expected += std::pow(y - x * (cross - x * y) / (square - x * x + alpha), 2);
  }
  const auto number = [](const double& value) { return Numbers{&value, 1, 1, 1, 1, true}; };
  double error = 0;
  leave_one_out(problem.design(), problem.targets(), {},
                {number(zero), number(zero), number(one), number(square), number(cross), number(alpha), false, 0},
                {&error, 1}, nullptr);
  CHECK(check::near(error, expected));
}
