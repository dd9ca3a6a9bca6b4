// Logistic losses, the passes and steps of their solvers, and the dual steps of linear machines.
#include "learnable/linear/logistic_loss.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "learnable/linear/crammer_singer.hpp"
#include "learnable/linear/logistic_newton.hpp"
#include "learnable/linear/saga.hpp"
#include "learnable/linear/svm_dual_descent.hpp"

using namespace learnable;
using check::near;

namespace {

struct Table {
  index_t n, p;
  std::vector<double> by_rows, by_columns, weight;
  std::vector<std::int64_t> code;

  Table(index_t n, index_t p) : n(n), p(p), by_rows(n * p), by_columns(n * p), weight(n), code(n) {
    check::Draws draw{7};
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < p; ++j) by_columns[j * n + i] = by_rows[i * p + j] = draw() + double(j);
      weight[i] = 1.5 + draw();
      code[i] = draw() + by_rows[i * p] > 0;
    }
  }
  RowMajor<double> rows() const { return {by_rows.data(), n, p, p}; }
  ColumnMajor<double> columns() const { return {by_columns.data(), n, p, n}; }
  Numbers weights() const { return {weight.data(), n, 1, 1, 0, true}; }
  View<const std::int64_t> codes() const { return {code.data(), n}; }
  double total() const {
    double sum = 0;
    for (double w : weight) sum += w;
    return sum;
  }
};

template <class Design>
LabelledDesign<Design> labelled(const Table& table, const Design& X) {
  return {X, table.codes(), table.weights(), table.total()};
}

// A pass against explicit sums, at coefficients 0.1, 0.2, ... and a constant.
template <class Design>
void check_pass(const Table& table, const Design& X) {
  const index_t p = table.p;
  std::vector<double> coef(p), shift(p), gradients(p, 0.0), squares(p, 0.0), far(p, 0.0);
  for (index_t j = 0; j < p; ++j) coef[j] = 0.1 * double(j + 1), shift[j] = double(j);
  std::vector<double> gram(p * p, 0.0);
  double loss = 0, gradient_sum = 0;
  for (index_t i = 0; i < table.n; ++i) {
    const double* x = &table.by_rows[i * p];
    const double weight = table.weight[i] / table.total();
    double z = -0.5;
    for (index_t j = 0; j < p; ++j) z += x[j] * coef[j];
    const double proba = 1 / (1 + std::exp(-z)), gradient = weight * (proba - double(table.code[i]));
    loss += weight * (std::log1p(std::exp(z)) - double(table.code[i]) * z);
    gradient_sum += gradient;
    for (index_t j = 0; j < p; ++j) {
      gradients[j] += gradient * (x[j] - shift[j]);
      squares[j] += weight * x[j] * x[j];
      far[j] = std::max(far[j], std::abs(x[j] - shift[j]));
      for (index_t k = 0; k < p; ++k)
        gram[j * p + k] += weight * proba * (1 - proba) * (x[j] - shift[j]) * (x[k] - shift[k]);
    }
  }
  double level = -0.5;
  for (index_t j = 0; j < p; ++j) level += shift[j] * coef[j];
  for (const bool curvature : {false, true}) {
    const LogisticSums sums = logistic_pass(labelled(table, X), {coef.data(), level, shift.data(), 1e-30}, {curvature, true});
    CHECK(near(sums.loss, loss) && near(sums.intercept_gradient, gradient_sum));
    for (index_t j = 0; j < p; ++j) {
      CHECK(near(sums.gradient[j], gradients[j]) && near(sums.squares[j], squares[j]) && sums.far[j] == far[j]);
      for (index_t k = j; curvature && k < p; ++k) CHECK(near(sums.products.grid(j, k), gram[j * p + k]));
    }
  }
}

}  // namespace

TEST(logarithms_of_one_plus) {
  for (double e : {0.0, 1e-300, 1e-17, 1e-3, 0.41, 0.42, 0.9, 1.0})
    CHECK(std::abs(detail::log_one_plus(Lanes{} + e)[0] - std::log1p(e)) <= 3e-16 * std::log1p(e));
}

TEST(logistic_terms_far_out) {
  const double z[] = {-1000, 0, 1000}, y[] = {0, 1, 0}, weight[] = {1, 2, 3};
  double gradient[3], curvature[3];
  const double value = logistic_terms({z, 3}, {y, 3}, {weight, 3}, {gradient, 3}, {curvature, 3});
  CHECK(near(value, 2 * std::log(2.0) + 3000));
  CHECK(near(gradient[1], -1) && near(gradient[2], 3) && near(curvature[1], 0.5) && std::abs(gradient[0]) < 1e-300);
}

TEST(softmax_terms_of_two_rows) {
  const double z[] = {0, std::log(3.0), 5, 5};
  const std::int64_t code[] = {1, 0};
  const double weight[] = {1, 2};
  double proba[4], gradient[4];
  double squares[2], changes[2];
  const double value = softmax_terms({z, 2, 2, 2}, {code, 2}, {weight, 2}, {proba, 2, 2, 2}, {gradient, 2, 2, 2},
                                     {squares, 2}, {changes, 2});
  CHECK(near(value, std::log(4.0 / 3) + 2 * std::log(2.0)));
  CHECK(near(proba[0], 0.25) && near(gradient[0], 0.25) && near(gradient[1], -0.25) && near(gradient[2], -1));
}

TEST(a_logistic_pass_sums_over_rows) {
  for (const auto& [n, p] : {std::pair<index_t, index_t>{1, 1}, {5, 3}, {131, 6}, {700, 13}, {40, 100}}) {
    const Table table(n, p);
    check_pass(table, table.rows());
    check_pass(table, table.columns());
  }
}

TEST(second_order_change_of_the_gradient_is_by_the_third_derivative) {
  const Table table(400, 5);
  const LabelledDesign<RowMajor<double>> rows = labelled(table, table.rows());
  double coef[5] = {0.3, -0.2, 0.1, 0.4, -0.1}, shift[5] = {0.1, 0.2, 0, 0, 0.3};
  double move[6] = {1e-4, 2e-4, -1e-4, 3e-4, 1e-4, 2e-4}, there[5], back[5];
  for (index_t j = 0; j < 5; ++j) there[j] = coef[j] + move[j], back[j] = coef[j] - move[j];
  const Buffer change = second_order_gradient(rows, {coef, 0.5, shift, 0}, move, 1);
  const LogisticSums before = logistic_pass(rows, {back, 0.5 - move[5], shift, 0}, {});
  const LogisticSums here = logistic_pass(rows, {coef, 0.5, shift, 0}, {});
  const LogisticSums after = logistic_pass(rows, {there, 0.5 + move[5], shift, 0}, {});
  for (index_t j = 0; j < 5; ++j) {
    const double second = after.gradient[j] - 2 * here.gradient[j] + before.gradient[j];
    CHECK(std::abs(second / 2 - change[j]) <= 1e-4 * std::abs(change[j]) + 1e-14);
  }
  CHECK(std::abs((after.intercept_gradient - 2 * here.intercept_gradient +
                  before.intercept_gradient) / 2 - change[5]) <= 1e-4 * std::abs(change[5]) + 1e-14);
}

TEST(newton_ends_where_the_gradient_vanishes) {
  const Table table(400, 5);
  const LabelledDesign<RowMajor<double>> rows = labelled(table, table.rows());
  const LogisticNewton search(rows, 0.01, true, 1e-10);
  std::vector<double> numbers(LogisticState::size(5), 0.0);
  const LogisticState state{5, numbers.data()};
  search.start(state);
  for (int step = 0; step < 20 && state.criterion() > 1e-10; ++step) {
    const double before = state.objective();
    search.step(state);
    CHECK(state.objective() <= before + 1e-15);
  }
  CHECK(state.criterion() <= 1e-10 && state.status() == LogisticState::searching);
}

TEST(columns_that_repeat_are_unfit_for_newton) {
  const double values[] = {1, 1, 2, 2, 3, 3, 5, 5};
  const std::int64_t code[] = {0, 1, 0, 1};
  const RowMajor<double> X{values, 4, 2, 2};
  const LabelledDesign<RowMajor<double>> rows{X, {code, 4}, Numbers{}, 4};
  const LogisticNewton search(rows, 0, true, 1e-8);
  std::vector<double> numbers(LogisticState::size(2), 0.0);
  search.start({2, numbers.data()});
  CHECK(numbers[2] == LogisticState::unfit);
}

TEST(a_scaled_factor_solves) {
  const double G[] = {4, 2, 2, 3}, zeros[] = {0, 0, 0, 2};
  double x[] = {8, 7}, only[] = {5, 4};
  detail::ScaledCholesky({G, 2, 2, 2}, 1).solve(x);  // (5 2; 2 4) x = (8, 7)
  CHECK(near(x[0], 18.0 / 16) && near(x[1], 19.0 / 16));
  detail::ScaledCholesky({zeros, 2, 2, 2}, 0).solve(only);
  CHECK(only[0] == 0 && near(only[1], 2));
}

TEST(skipped_steps_are_applied_at_once) {
  check::Draws draw{3};
  for (int trial = 0; trial < 2000; ++trial) {
    const SagaPlan plan{0.05, trial % 3 ? std::abs(draw()) : 0, trial % 2 ? std::abs(draw()) : 0, true};
    const double start = trial % 5 ? draw() : 0, drift = 2 * draw(), count = double(trial % 60);
    double w = start;
    for (int step = 0; step < int(count); ++step)
      w = detail::soft_threshold((1 - plan.step * plan.l2) * w - plan.step * drift, plan.step * plan.l1);
    CHECK(near(detail::after_steps(start, drift, count, plan), w, 1e-11));
  }
}

TEST(dual_variables_violate_their_conditions_inwards) {
  CHECK(detail::dual_status(0, -2, 0, 1, 0, 1).violation == 2);
  CHECK(detail::dual_status(0, 2, 0, 1, 0, 1).idle && !detail::dual_status(0, 0.5, 0, 1, 0, 1).idle);
  CHECK(detail::dual_status(1, -2, 0, 1, 0, 1).idle && detail::dual_status(1, 2, 0, 1, 0, 1).violation == 2);
  CHECK(detail::dual_status(0.5, -0.25, 0, 1, 0, 1).violation == 0.25);
  CHECK(detail::dual_status(0, 0.05, -1, 1, 0.1, 1).violation == 0);  // inside the tube
}

TEST(dual_passes_solve_two_rows) {
  const double values[] = {1, -1}, target[] = {1, -1}, low[] = {0, -10}, high[] = {10, 0}, zero[] = {0, 0}, one[] = {1, 1};
  const RowMajor<double> X{values, 2, 1, 1};
  const DualPlan plan{{target, 2}, {low, 2}, {high, 2}, {zero, 2}, {one, 2}, 0, 0};
  std::int64_t active[] = {0, 1};
  double dual[] = {0, 0}, w[] = {0};
  index_t count = 2;
  for (int pass = 0; pass < 5; ++pass) dual_pass(X, plan, 1e300, {active, 2}, count, {dual, 2}, {w, 1});
  CHECK(near(w[0], 1) && near(dual[0] - dual[1], 1));
}

TEST(the_solution_of_a_row_satisfies_its_bounds) {
  const double gradient[] = {1, -2, 0.5};
  double sorted[3], a[3];
  solve_row({gradient, 3}, 2, 1, 0.25, {sorted, 3}, {a, 3});
  CHECK(near(a[0] + a[1] + a[2], 0) && a[0] <= 0 && a[1] <= 0.25 && a[2] <= 0);
  CHECK(near(a[1], 0.25) && near(a[0] - a[2], (0.5 - 1) / 2));
}
