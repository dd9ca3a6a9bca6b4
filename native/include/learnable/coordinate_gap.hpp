// Objective and duality gap of a penalised least-squares problem with standardised columns.
//
// Any multiple s r of the residual that keeps s |h_j| <= lambda_j, h_j = a_j . r - rho_j w_j, is a feasible dual point, and
//   gap(s) = (1 - s)^2 R / 2 + sum_j (lambda_j |w_j| - s w_j . h_j),     R = |r|^2 + sum_j rho_j |w_j|^2.
// With rho > 0 the residual itself is feasible in another dual, which gives sum_j [ lambda_j |w_j| + rho_j |w_j|^2 / 2
// - w_j . c_j + max(0, |c_j| - lambda_j)^2 / (2 rho_j) ],  c_j = a_j . r. The smaller of the two holds.
#pragma once

#include "learnable/coordinate_columns.hpp"

namespace learnable::coordinate {

// Strengths for columns and target of length one: lambda_j = l1 / norm_j, rho_j = l2 / norm_j^2.
struct Penalty {
  double l1, l2;
  double lambda(const Columns& A, index_t j) const { return l1 * A.inverse_norm[j]; }
  double rho(const Columns& A, index_t j) const { return l2 * A.inverse_norm[j] * A.inverse_norm[j]; }
};

struct Gap {
  double objective = 0, value = 0;
  double residual = 0;  // R above
  double noise = 0;     // how much of `value` may be rounding
  index_t support = 0;
};

// Slopes are (targets, count), w is (count, targets). With no penalty at all there is no bound: the value is |slope|^2.
template <class Prox>
Gap gap(const Columns& A, const Prox& prox, Penalty penalty, const Numbers& w, const Numbers& r, const Numbers& slope) {
  const index_t width = prox.width();
  double square = 0, blunt = 0, absolute = 0, quadratic = 0, inner = 0, worst = 0, other = 0, gradient = 0;
  index_t support = 0;
  for (const double entry : r) square += entry * entry;
  Numbers c(width), h(width);
  for (index_t j = 0; j < A.count; ++j) {
    if (A.inverse_norm[j] == 0) continue;
    const double* wj = &w[j * width];
    const double lambda = penalty.lambda(A, j), rho = penalty.rho(A, j), size = prox.magnitude(wj);
    double along = 0, w_square = 0;
    for (index_t t = 0; t < width; ++t) {
      c[t] = slope[t * A.count + j];
      h[t] = c[t] - rho * wj[t];
      along += wj[t] * c[t];
      w_square += wj[t] * wj[t];
      gradient += c[t] * c[t];
    }
    const double excess = std::max(0.0, prox.size(c.data()) - lambda);
    worst = std::max(worst, lambda > 0 ? prox.size(h.data()) / lambda : (prox.size(h.data()) > 0 ? HUGE_VAL : 0));
    absolute += lambda * size;
    quadratic += rho * w_square;
    inner += along - rho * w_square;
    blunt += size;
    other += lambda * size + rho * w_square / 2 - along + (rho > 0 ? excess * excess / (2 * rho) : 0);
    support += size > 0;
  }
  const double R = square + quadratic;
  Gap result{(square + quadratic) / 2 + absolute, 0, R, 0, support};
  result.noise = 8 * std::numeric_limits<double>::epsilon() * (1 + blunt);
  if (penalty.l1 == 0 && penalty.l2 == 0) {
    result.value = gradient;
    return result;
  }
  const double most = worst > 0 ? 1 / worst : HUGE_VAL;
  const double s = R > 0 ? std::clamp(1 + inner / R, 0.0, std::max(0.0, most)) : std::min(1.0, most);
  result.value = (1 - s) * (1 - s) * R / 2 + absolute - s * inner;
  if (penalty.l2 > 0) result.value = std::min(result.value, other);
  result.value = std::max(result.value, 0.0);
  return result;
}

}  // namespace learnable::coordinate
