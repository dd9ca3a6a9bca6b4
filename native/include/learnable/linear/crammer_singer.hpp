// Dual coordinate descent for the multi-class support vector machine of Crammer and Singer: a variable per row and
// class.
//
//   minimise over a   sum_k |w_k|^2 / 2 + sum_i sum_k [k != y_i] a_ik,   w_k = sum_i a_ik x_i,
//                     a_ik <= C_i [k == y_i],   sum_k a_ik = 0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "learnable/matrix/single_row.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

// The a that minimise curvature |a|^2 / 2 + gradient . a under a_k <= limit [k == own] and sum a = 0; `sorted` is
// scratch.
inline void solve_row(View<const double> gradient, double curvature, index_t own, double limit, View<double> sorted,
                        View<double> a) {
  const index_t classes = gradient.size;
  for (index_t k = 0; k < classes; ++k) sorted[k] = gradient[k] + (k == own ? curvature * limit : 0);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double level = sorted[0] - curvature * limit;
  index_t r = 1;
  for (; r < classes && level < r * sorted[r]; ++r) level += sorted[r];
  level /= r;
  for (index_t k = 0; k < classes; ++k) a[k] = std::min(k == own ? limit : 0.0, (level - gradient[k]) / curvature);
}

// Scratch of one row at a time. Code that does not depend on the storage of rows is not inlined: it is compiled once.
struct CrammerSingerRow {
  index_t classes;
  std::vector<double> memory;
  View<double> gradient, change, sorted, next;  // gradient of the row; change of its variables

  explicit CrammerSingerRow(index_t classes) : classes(classes), memory(4 * classes) {
    View<double>* all[] = {&gradient, &change, &sorted, &next};
    for (int k = 0; k < 4; ++k) *all[k] = {memory.data() + k * classes, classes};
  }
  CrammerSingerRow(const CrammerSingerRow&) = delete;  // its views are of its own memory

  // Sets the variables `dual` of a row to their optimum, and returns their violation before.
  [[gnu::noinline]] double settle(double norm, index_t own, double limit, View<double> dual) {
    double largest = -INFINITY, free = INFINITY;
    for (index_t k = 0; k < classes; ++k) {
      largest = std::max(largest, gradient[k]);
      if (dual[k] < (k == own ? limit : 0.0)) free = std::min(free, gradient[k]);
      change[k] = gradient[k] - norm * dual[k];
    }
    solve_row(change, norm, own, limit, sorted, next);
    for (index_t k = 0; k < classes; ++k) {
      change[k] = next[k] - dual[k];
      dual[k] = next[k];
    }
    return std::isinf(free) ? 0.0 : largest - free;
  }
};

// One pass over the rows `order`. w is (columns and, with a constant, one more; classes). Returns the largest
// violation: at the minimum all variables below their bound have the same derivative, and none has a larger one.
template <class Design>
double crammer_singer_pass(const Design& X, View<const std::int64_t> label, View<const double> limit,
                           View<const double> norms, double constant, View<const std::int64_t> order, Grid<double> dual,
                           Grid<double> w) {
  const index_t classes = w.columns, p = X.columns;
  CrammerSingerRow here(classes);
  const View<double> gradient = here.gradient, change = here.change;
  const auto column = [](const auto& x, index_t e) {
    if constexpr (requires { x.index; })
      return index_t(x.index[e]);
    else
      return e;
  };
  double largest = 0;
  index_t work = 0;
  for (std::int64_t i : order) {
    const index_t own = label[i];
    if (norms[i] <= 0 || limit[i] <= 0) continue;
    const auto x = row_of(X, i);
    for (index_t k = 0; k < classes; ++k) gradient[k] = (k != own) + (constant != 0 ? constant * w(p, k) : 0);
    for (index_t e = 0; e < x.size; ++e) {
      const double value = double(x.value[e]), *row = &w(column(x, e), 0);
      for (index_t k = 0; k < classes; ++k) gradient[k] += value * row[k];
    }
    largest = std::max(largest, here.settle(norms[i], own, limit[i], dual.row(i)));
    for (index_t e = 0; e < x.size; ++e) {
      const double value = double(x.value[e]);
      double* row = &w(column(x, e), 0);
      for (index_t k = 0; k < classes; ++k) row[k] += value * change[k];
    }
    for (index_t k = 0; constant != 0 && k < classes; ++k) w(p, k) += constant * change[k];
    work += (x.size + 16) * classes;
    if (work > (1 << 22)) poll_interrupt(), work = 0;
  }
  return largest;
}

}  // namespace learnable
