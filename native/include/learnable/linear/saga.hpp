// SAGA for logistic models: stochastic gradient steps with variance reduction by a table of the last gradient of every
// row.
//
//   minimise over W, b    sum_i weight_i loss(code_i, x_i W + b) + l1 |W|_1 + l2 |W|^2 / 2
//
// A step at row i goes along n (new gradient - old gradient) x_i + sum of all old ones, then applies the proximal
// operator of the penalty. A sparse row touches its own columns only: skipped steps of a column are applied all at
// once, when it occurs again. [Defazio, Bach and Lacoste-Julien, 2014]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/single_row.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

struct SagaPlan {
  double step, l1, l2;
  bool intercept;
};

// Coefficients (columns and the constant; scores), the gradients of each row times its weight (rows; scores), and the
// sums of these times the entries of the rows, in the shape of the coefficients. One score: class 1 against the others.
struct SagaState {
  Grid<double> weights, gradients, sums;
};

namespace detail {

inline double soft_threshold(double v, double threshold) {
  return v > threshold ? v - threshold : v < -threshold ? v + threshold : 0.0;
}

// A coefficient after `count` steps w <- soft_threshold((1 - step l2) w - step drift, step l1). As long as its sign
// does not change, such steps have a closed form; the step that would cross zero is done separately.
inline double after_steps(double w, double drift, double count, const SagaPlan& plan) {
  const double keep = 1 - plan.step * plan.l2;
  while (count > 0) {
    if (w == 0 && std::abs(drift) <= plan.l1) return 0;
    const double sign = w != 0 ? std::copysign(1.0, w) : -std::copysign(1.0, drift);
    const double total_drift = drift + sign * plan.l1, aim = plan.l2 > 0 ? -total_drift / plan.l2 : 0;
    const auto at = [&](double steps) {
      return plan.l2 > 0 ? aim + std::pow(keep, steps) * (w - aim) : w - steps * plan.step * total_drift;
    };
    const double last = at(count);
    if (sign * last >= 0) return last;
    const double crossing = plan.l2 > 0 ? std::log(aim / (aim - w)) / std::log(keep) : w / (plan.step * total_drift);
    const double whole = std::clamp(std::floor(crossing), 0.0, count - 1), before = at(whole);
    w = soft_threshold(keep * (sign * before > 0 ? before : 0.0) - plan.step * drift, plan.step * plan.l1);
    count -= whole + 1;
  }
  return w;
}

// gradient[k] = derivative of the loss by score k; it holds the scores before.
inline void gradients_of(View<double> gradient, std::int64_t code) {
  if (gradient.size == 1) {
    gradient[0] = 1 / (1 + std::exp(-gradient[0])) - (code == 1 ? 1.0 : 0.0);
    return;
  }
  const double top = *std::max_element(gradient.begin(), gradient.end());
  double total = 0;
  for (double& s : gradient) total += s = std::exp(s - top);
  for (double& s : gradient) s /= total;
  gradient[code] -= 1;
}

// The column of entry e of a row.
template <class T>
index_t column_of(const DenseRow<T>&, index_t e) {
  return e;
}
template <class T>
index_t column_of(const SparseRow<T>& x, index_t e) {
  return index_t(x.index[e]);
}
template <class Row>
constexpr bool holds_all = !requires(Row x) { x.index; };

// The scores of a row; the constants are the last row of the coefficients.
template <class Row>
void scores_of(const Row& x, Grid<const double> weights, View<double> out) {
  const double* constant = &weights(weights.rows - 1, 0);
  if (out.size == 1) {
    out[0] = constant[0] + x.dot({weights.data, weights.rows - 1});
    return;
  }
  std::copy_n(constant, out.size, out.data);
  for (index_t e = 0; e < x.size; ++e) {
    const double value = double(x.value[e]), *row = &weights(column_of(x, e), 0);
    for (index_t k = 0; k < out.size; ++k) out[k] += value * row[k];
  }
}

// The step of the coefficients of the entries of a row, for one score or several.
template <class Row>
void move_weights(const Row& x, View<const double> change, double rows, const SagaPlan& plan, const SagaState& state) {
  const double keep = 1 - plan.step * plan.l2, step = plan.step, threshold = plan.step * plan.l1;
  const index_t scores = change.size;
  const auto move = [=](double& w, double& sum, double jump) {
    w = soft_threshold(keep * w - step * (rows * jump + sum), threshold);
    sum += jump;
  };
  if (scores == 1 && holds_all<Row>) {
    double *w = state.weights.data, *sum = state.sums.data;
    const double along = change[0];
#pragma omp simd
    for (index_t j = 0; j < x.size; ++j) move(w[j], sum[j], along * double(x.value[j]));
    return;
  }
  for (index_t e = 0; e < x.size; ++e) {
    const index_t j = column_of(x, e);
    for (index_t k = 0; k < scores; ++k)
      move(state.weights(j, k), state.sums(j, k), change[k] * double(x.value[e]));
  }
}

}  // namespace detail

// A step for each of the rows `order`.
template <class Design>
void saga_epoch(const Design& X, View<const std::int64_t> code, View<const double> weight,
                View<const std::int64_t> order, const SagaPlan& plan, const SagaState& state) {
  constexpr bool sparse = !Design::dense;
  const index_t p = X.columns, scores = state.weights.columns;
  const double rows = double(X.rows);
  std::vector<double> memory(2 * scores), seen(sparse ? p : 0, 0.0);
  const View<double> gradient{memory.data(), scores}, change{memory.data() + scores, scores};
  const auto catch_up = [&](index_t j, double now) {
    for (index_t k = 0; k < scores; ++k)
      state.weights(j, k) = detail::after_steps(state.weights(j, k), state.sums(j, k), now - seen[j], plan);
    seen[j] = now;
  };
  index_t work = 0;
  for (index_t t = 0; t < order.size; ++t) {
    const index_t i = order[t];
    prefetch_start(X, order[std::min(t + 16, order.size - 1)]);
    row_of(X, order[std::min(t + 8, order.size - 1)]).prefetch();
    const auto x = row_of(X, i);
    for (index_t e = 0; sparse && e < x.size; ++e) catch_up(detail::column_of(x, e), double(t));
    detail::scores_of(x, state.weights, gradient);
    detail::gradients_of(gradient, code[i]);
    for (index_t k = 0; k < scores; ++k) {
      change[k] = weight[i] * gradient[k] - state.gradients(i, k);
      state.gradients(i, k) += change[k];
    }
    detail::move_weights(x, change, rows, plan, state);
    for (index_t e = 0; sparse && e < x.size; ++e) seen[detail::column_of(x, e)] = double(t + 1);
    for (index_t k = 0; plan.intercept && k < scores; ++k) {
      state.weights(p, k) -= plan.step * (rows * change[k] + state.sums(p, k));
      state.sums(p, k) += change[k];
    }
    work += (x.size + 16) * scores;
    if (work > (1 << 21)) poll_interrupt(), work = 0;
  }
  if constexpr (sparse)
    for (index_t j = 0; j < p; ++j) catch_up(j, double(order.size));
}

}  // namespace learnable
