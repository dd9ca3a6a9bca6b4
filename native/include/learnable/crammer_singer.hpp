// Coordinate descent on the dual of the multi-class machine of Crammer and Singer: a row has a variable per class.
//
//   minimise over a   sum_k |w_k|^2 / 2 + sum_i sum_k [k != y_i] a_ik,   w_k = sum_i a_ik x_i,
//                     a_ik <= C_i [k == y_i],   sum_k a_ik = 0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "learnable/interrupt.hpp"
#include "learnable/row.hpp"
#include "learnable/view.hpp"

namespace learnable {

// The a that minimise stiff |a|^2 / 2 + slope . a under a_k <= limit [k == own] and sum a = 0; `sorted` is scratch.
inline void best_of_row(View<const double> slope, double stiff, index_t own, double limit, View<double> sorted,
                        View<double> a) {
  const index_t classes = slope.size;
  for (index_t k = 0; k < classes; ++k) sorted[k] = slope[k] + (k == own ? stiff * limit : 0);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double level = sorted[0] - stiff * limit;
  index_t r = 1;
  for (; r < classes && level < r * sorted[r]; ++r) level += sorted[r];
  level /= r;
  for (index_t k = 0; k < classes; ++k) a[k] = std::min(k == own ? limit : 0.0, (level - slope[k]) / stiff);
}

// One pass over the rows `order`. w is (columns and, with a constant, one more; classes). Returns the largest violation:
// at the minimum all variables below their bound have the same derivative, and none has a larger one.
template <class Design>
double crammer_singer_pass(const Design& X, View<const std::int64_t> label, View<const double> limit,
                           View<const double> norms, double constant, View<const std::int64_t> order, Grid<double> dual,
                           Grid<double> w) {
  const index_t classes = w.columns, p = X.columns;
  std::vector<double> memory(4 * classes);
  const View<double> slope{memory.data(), classes}, change{memory.data() + classes, classes};
  const View<double> sorted{memory.data() + 2 * classes, classes}, next{memory.data() + 3 * classes, classes};
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
    for (index_t k = 0; k < classes; ++k) slope[k] = (k != own) + (constant != 0 ? constant * w(p, k) : 0);
    for (index_t e = 0; e < x.size; ++e) {
      const double value = double(x.value[e]), *row = &w(column(x, e), 0);
      for (index_t k = 0; k < classes; ++k) slope[k] += value * row[k];
    }
    double most = -INFINITY, free = INFINITY;
    for (index_t k = 0; k < classes; ++k) {
      most = std::max(most, slope[k]);
      if (dual(i, k) < (k == own ? limit[i] : 0.0)) free = std::min(free, slope[k]);
      change[k] = slope[k] - norms[i] * dual(i, k);
    }
    largest = std::max(largest, std::isinf(free) ? 0.0 : most - free);
    best_of_row(change, norms[i], own, limit[i], sorted, next);
    for (index_t k = 0; k < classes; ++k) {
      change[k] = next[k] - dual(i, k);
      dual(i, k) = next[k];
    }
    for (index_t e = 0; e < x.size; ++e) {
      const double value = double(x.value[e]);
      double* row = &w(column(x, e), 0);
      for (index_t k = 0; k < classes; ++k) row[k] += value * change[k];
    }
    for (index_t k = 0; constant != 0 && k < classes; ++k) w(p, k) += constant * change[k];
    work += (x.size + 16) * classes;
    if (work > (1 << 22)) look_up(), work = 0;
  }
  return largest;
}

}  // namespace learnable
