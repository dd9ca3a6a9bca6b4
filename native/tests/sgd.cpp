// Steps of stochastic gradient descent against arithmetic by hand.
#include "learnable/linear/sgd.hpp"

#include <vector>

#include "check.hpp"

using namespace learnable;

namespace {

struct Run {
  std::vector<double> w, average, l1_applied;
  double intercept = 0, average_intercept = 0, t = 1, l1_total = 0, moves = 0;

  Run(std::vector<double> start, const SgdPlan& plan) : w(start) {
    if (plan.average_from > 0) average.assign(w.size(), 0);
    if (plan.l1 > 0) l1_applied.assign(w.size(), 0);
  }
  SgdState state() {
    const auto all = [](std::vector<double>& v) { return View<double>{v.data(), index_t(v.size())}; };
    return {all(w), all(average), all(l1_applied), intercept, average_intercept, t, l1_total, moves};
  }
};

SgdPlan plan(SgdRate rate = SgdRate::constant, double l1 = 0, double l2 = 0, double average_from = 0) {
  return {{SgdLoss::squared, 0.1}, rate, 0.5, 0.25, 1, 1, l1, l2, 1, 0, average_from};
}

template <class Design>
double epoch(const Design& X, const SgdPlan& plan, std::vector<double> y, std::vector<std::int64_t> order, Run& run) {
  std::vector<double> norms(X.rows);
  squared_row_norms(X, View<double>{norms.data(), index_t(norms.size())});
  return sgd_epoch(X, plan, View<const double>{y.data(), index_t(y.size())}, View<const double>{},
                   View<const std::int64_t>{order.data(), index_t(order.size())},
                   View<const double>{norms.data(), index_t(norms.size())}, run.state());
}

const double table[] = {1, 0, 0, 2};  // rows (1, 0) and (0, 2)
const RowMajor<double> dense{table, 2, 2, 2};

}  // namespace

TEST(two_steps_by_hand) {
  Run run({0, 0}, plan());
  const double total = epoch(dense, plan(), {1, 3}, {0, 1}, run);
  // First row: error -1, so w = (0.5, 0), b = 0.5. Second: error 0.5 - 3 = -2.5, so w_2 = 2.5, b = 1.75.
  CHECK(check::near(run.w[0], 0.5) && check::near(run.w[1], 2.5) && check::near(run.intercept, 1.75));
  CHECK(check::near(total, 0.5 + 3.125) && run.t == 3);
}

TEST(shrinkage_comes_before_the_step) {
  Run run({2, 0}, plan(SgdRate::constant, 0, 0.2));
  epoch(dense, plan(SgdRate::constant, 0, 0.2), {1, 3}, {0}, run);
  CHECK(check::near(run.w[0], 2 * 0.9 - 0.5));
}

TEST(shrinkage_to_nothing_does_not_divide_by_zero) {
  Run run({2, 3}, plan(SgdRate::constant, 0, 9, 1));
  epoch(dense, plan(SgdRate::constant, 0, 9, 1), {1, 3}, {0, 1, 0}, run);
  CHECK(std::isfinite(run.w[0]) && std::isfinite(run.average[0]));
}

TEST(the_average_is_of_all_steps) {
  Run run({0, 0}, plan(SgdRate::constant, 0, 0, 1));
  epoch(dense, plan(SgdRate::constant, 0, 0, 1), {1, 3}, {0, 1}, run);
  CHECK(check::near(run.average[0], 0.5) && check::near(run.average[1], 1.25));
  CHECK(check::near(run.average_intercept, (0.5 + 1.75) / 2));
}

TEST(the_absolute_penalty_does_not_cross_zero) {
  Run run({0.1, -0.1}, plan(SgdRate::constant, 1));
  run.intercept = 0.9;  // so that the first row has no error
  epoch(dense, plan(SgdRate::constant, 1), {1, 3}, {0}, run);
  CHECK(run.w[0] == 0 && run.w[1] == 0);
}

TEST(sparse_rows_are_the_same_rows) {
  const double value[] = {1, 2};
  const line_t index[] = {0, 1};
  const index_t start[] = {0, 1, 2};
  SparseRows<double> sparse{};
  sparse.rows = sparse.columns = 2;
  sparse.value = value, sparse.index = index, sparse.start = start;
  Run ours({0, 0}, plan()), theirs({0, 0}, plan());
  CHECK(epoch(sparse, plan(), {1, 3}, {0, 1, 1}, ours) == epoch(dense, plan(), {1, 3}, {0, 1, 1}, theirs));
  CHECK(ours.w == theirs.w);
}

TEST(empty_rows_and_empty_orders_are_harmless) {
  const index_t start[] = {0, 0};
  SparseRows<double> nothing{};
  nothing.rows = 1, nothing.columns = 2;
  nothing.start = start;
  Run run({1, 2}, plan());
  epoch(nothing, plan(), {1}, {0}, run);
  CHECK(run.w[0] == 1 && run.intercept == 0.5);
  epoch(nothing, plan(SgdRate::passive_one), {1}, {}, run);
  CHECK(run.t == 2);
}

TEST(a_shuffle_keeps_every_entry) {
  std::vector<std::int64_t> order(100);
  for (int i = 0; i < 100; ++i) order[i] = i;
  shuffle({order.data(), 100}, 7);
  std::vector<bool> seen(100);
  for (std::int64_t i : order) seen[i] = true;
  CHECK(std::count(seen.begin(), seen.end(), true) == 100 && order[0] + order[1] != 1);
}
