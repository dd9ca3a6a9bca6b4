// Coordinate descent on the dual of a linear support vector machine: one dual variable per row, w = X'a kept beside.
//
//   minimise over low <= a <= high   |X'a|^2 / 2  -  t . a  +  epsilon |a|_1  +  sum_i bend_i a_i^2 / 2
//
// A row that sits at a bound, and would push against it harder than any row moved in the pass before, is left out until
// the others have settled. [Hsieh et al., 2008]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "learnable/matrix/single_row.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

struct DualPlan {
  View<const double> target, low, high, bend, norms;  // norms: x . x, with the square of the constant
  double epsilon, constant;                           // constant: the entry of every row that stands for the intercept
};

namespace detail {

// How far a dual variable is from where its derivative wants it, and whether it may be left out.
struct Want {
  double violation;
  bool idle;
};

inline Want want(double a, double slope, double low, double high, double epsilon, double patience) {
  const double up = slope + epsilon, down = slope - epsilon;  // derivatives to the right and to the left of zero
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

// One pass over the rows active[0 .. count), which are reordered: those left out go behind. Returns the largest
// violation; count is what is left. w has an entry for the constant at its end if there is one.
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
    const double slope = z - plan.target[i] + plan.bend[i] * a;
    const detail::Want want = detail::want(a, slope, low, high, plan.epsilon, patience);
    work += x.size + 32;
    if (work > (1 << 22)) look_up(), work = 0;
    if (want.idle) {
      std::swap(active[k], active[--count]);
      --k;
      continue;
    }
    largest = std::max(largest, want.violation);
    const double stiff = plan.norms[i] + plan.bend[i];
    if (want.violation == 0 || stiff <= 0) continue;
    const double aim = a - slope / stiff, pull = plan.epsilon / stiff;
    const double moved = std::clamp(aim > pull ? aim - pull : aim < -pull ? aim + pull : 0.0, low, high);
    if (moved == a) continue;
    dual[i] = moved;
    x.axpy(moved - a, weights);
    if (plan.constant != 0) w[p] += (moved - a) * plan.constant;
  }
  return largest;
}

}  // namespace learnable
