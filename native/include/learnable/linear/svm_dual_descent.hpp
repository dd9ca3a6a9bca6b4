// Dual coordinate descent for linear support vector machines: one dual variable per row, w = X'a is updated along.
//
//   minimise over low <= a <= high   |X'a|^2 / 2  -  t . a  +  epsilon |a|_1  +  sum_i curvature_i a_i^2 / 2
//
// Shrinking: a row at a bound whose gradient exceeds the largest violation of the previous pass is left out until the
// others have converged. [Hsieh et al., 2008]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "learnable/matrix/single_row.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

struct DualPlan {
  View<const double> target, low, high, curvature, norms;  // norms: x . x, with the square of the constant
  double epsilon, constant;                           // constant: the entry of every row for the intercept
};

namespace detail {

// Violation of the optimality condition of a dual variable, and whether it may be left out.
struct DualStatus {
  double violation;
  bool idle;
};

inline DualStatus dual_status(double a, double gradient, double low, double high, double epsilon, double patience) {
  const double up = gradient + epsilon, down = gradient - epsilon;  // derivatives to the right and to the left of zero
  if (a == 0) {
    if (high > 0 && up < 0) return {-up, false};
    if (low < 0 && down > 0) return {down, false};
    return {0, (high <= 0 || up > patience) && (low >= 0 || down < -patience)};
  }
  if (a >= high) return {std::max(0.0, up), up < -patience};
  if (a <= low) return {std::max(0.0, -down), down > patience};
  return {std::abs(a > 0 ? up : down), false};
}

}  // namespace detail

// One pass over the rows active[0 .. count), which are reordered: those left out are moved behind. Returns the largest
// violation; count becomes the number of remaining rows. w has an entry for the constant at its end if there is one.
template <class Design>
double dual_pass(const Design& X, const DualPlan& plan, double patience, View<std::int64_t> active, index_t& count,
                 View<double> dual, View<double> w) {
  const index_t p = X.columns;
  const View<double> weights = w.part(0, p);
  double largest = 0;
  index_t work = 0;
  for (index_t k = 0; k < count; ++k) {
    const index_t i = active[k];
    prefetch_start(X, active[std::min(k + 16, count - 1)]);
    row_of(X, active[std::min(k + 8, count - 1)]).prefetch();
    const auto x = row_of(X, i);
    const double z = x.dot(weights) + (plan.constant != 0 ? plan.constant * w[p] : 0);
    const double a = dual[i], low = plan.low[i], high = plan.high[i];
    const double gradient = z - plan.target[i] + plan.curvature[i] * a;
    const detail::DualStatus status = detail::dual_status(a, gradient, low, high, plan.epsilon, patience);
    work += x.size + 32;
    if (work > (1 << 22)) poll_interrupt(), work = 0;
    if (status.idle) {
      std::swap(active[k], active[--count]);
      --k;
      continue;
    }
    largest = std::max(largest, status.violation);
    const double second_derivative = plan.norms[i] + plan.curvature[i];
    if (status.violation == 0 || second_derivative <= 0) continue;
    const double unclipped = a - gradient / second_derivative, threshold = plan.epsilon / second_derivative;
    const double moved = std::clamp(unclipped > threshold ? unclipped - threshold : unclipped < -threshold
                                    ? unclipped + threshold : 0.0, low, high);
    if (moved == a) continue;
    dual[i] = moved;
    x.axpy(moved - a, weights);
    if (plan.constant != 0) w[p] += (moved - a) * plan.constant;
  }
  return largest;
}

}  // namespace learnable
