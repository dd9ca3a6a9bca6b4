// The graphical lasso by block coordinate descent: one lasso for each column of the covariance.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

// minimise over b    b' W b / 2  -  s . b  +  sum_k penalty_k |b_k|    with b_j = 0
//
// by coordinate descent; u = W b before and after. Returns the number of passes. After a pass over all coordinates, the
// nonzero ones alone are passed over until they move by at most `tolerance`.
class ColumnLasso {
 public:
  ColumnLasso(Grid<const double> W, Grid<const double> S, View<const double> penalty, index_t column)
      : W_(W), s_(S.data + column * S.stride), penalty_(penalty), column_(column) {}

  int solve(double tolerance, int most_passes, double* b, double* u) {
    int passes = 0;
    while (passes < most_passes) {
      ++passes;
      if (pass(b, u, false) <= tolerance) break;
      while (passes < most_passes && (++passes, pass(b, u, true) > tolerance)) {
      }
    }
    return passes;
  }

 private:
  double pass(double* b, double* u, bool only_nonzero) {
    double moved = 0;
    for (index_t k = 0; k < W_.columns; ++k) {
      if (k == column_ || (only_nonzero && b[k] == 0)) continue;
      const double curvature = W_(k, k), linear = s_[k] - u[k] + curvature * b[k];
      const double threshold = penalty_[k] * penalty_[column_];
      const double size = std::abs(linear) - threshold;
      const double after = size > 0 ? std::copysign(size, linear) / curvature : 0.0, step = after - b[k];
      if (step == 0) continue;
      add_scaled(step, W_.data + k * W_.stride, u, W_.columns);
      b[k] = after;
      moved = std::max(moved, std::abs(step) * std::sqrt(curvature));
    }
    return moved;
  }

  Grid<const double> W_;
  const double* s_;
  View<const double> penalty_;
  index_t column_;
};

// One sweep over the columns for a covariance S with the penalty penalty_i penalty_j |precision_ij|. W is the working
// covariance, with the diagonal of S; row j of `coef` holds the coefficients of column j on the others. The precision
// follows. Returns the number of passes; `precision` is not finite where W lost its definiteness.
inline index_t graphical_lasso_sweep(Grid<const double> S, View<const double> penalty, double tolerance,
                                     int most_passes, Grid<double> W, Grid<double> coef, Grid<double> precision) {
  const index_t p = S.columns;
  std::vector<double> u(static_cast<std::size_t>(p));
  index_t passes = 0;
  for (index_t j = 0; j < p; ++j) {
    poll_interrupt();
    double* b = coef.data + j * coef.stride;
    std::fill(u.begin(), u.end(), 0.0);
    for (index_t k = 0; k < p; ++k)
      if (b[k] != 0) add_scaled(b[k], W.data + k * W.stride, u.data(), p);
    passes += ColumnLasso(W, S, penalty, j).solve(tolerance, most_passes, b, u.data());
    double explained = 0;
    for (index_t k = 0; k < p; ++k) explained += u[k] * b[k];
    const double own = 1 / (W(j, j) - explained);
    for (index_t k = 0; k < p; ++k) {
      if (k == j) continue;
      W(j, k) = W(k, j) = u[k];
      precision(j, k) = precision(k, j) = b[k] == 0 ? 0.0 : -own * b[k];
    }
    precision(j, j) = own;
  }
  return passes;
}

}  // namespace learnable
