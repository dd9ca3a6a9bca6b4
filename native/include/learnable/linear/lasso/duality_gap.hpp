// Objective and duality gap of a penalised least-squares problem with standardised columns.
//
// Any multiple s r of the residual that keeps s |h_j| <= lambda_j, h_j = a_j . r - rho_j w_j, is a feasible dual point,
// and
//   gap(s) = (1 - s)^2 R / 2 + sum_j (lambda_j |w_j| - s w_j . h_j),     R = |r|^2 + sum_j rho_j |w_j|^2.
// With a squared penalty the residual itself is feasible in another dual: with c_j = a_j . r and (.)+ the positive
// part,
//   gap = sum_j (lambda_j |w_j| + rho_j |w_j|^2 / 2 - w_j . c_j + (|c_j| - lambda_j)+^2 / (2 rho_j)).
// Both are valid bounds; the second is quadratic in the violations, and the only one if all lambda_j are 0.
#pragma once

#include "learnable/linear/lasso/block_penalty.hpp"
#include "learnable/linear/lasso/residual_state.hpp"

namespace learnable::coordinate {

// Penalties for columns and target of length one: lambda_j = l1 / norm_j, rho_j = l2 / norm_j^2.
struct Penalty {
  double l1, l2;
  double lambda(const Columns& A, index_t j) const { return l1 * A.inverse_norm[j]; }
  double rho(const Columns& A, index_t j) const { return l2 * A.inverse_norm[j] * A.inverse_norm[j]; }
};

struct Gap {
  double objective = 0, value = 0;
  double residual = 0;  // R above
  double noise = 0;     // rounding error of `value`
  index_t support = 0;
};

// The term of one block of the second gap above, in a form without cancellation near the optimum.
template <class Kind>
double block_gap(const Kind& prox, double lambda, double rho, const double* w, const double* c) {
  const double size = prox.size(c), excess = std::max(0.0, size - lambda), scale = excess > 0 ? excess / size : 0;
  double apart = 0, along = 0;
  for (index_t t = 0; t < prox.width(); ++t) {
    const double difference = rho * w[t] - scale * c[t];
    apart += difference * difference;
    along += w[t] * c[t];
  }
  return apart / (2 * rho) + lambda * prox.magnitude(w) - (1 - scale) * along;
}

// With no penalty at all there is no bound: the value is the squared length of the projected gradient.
template <class Kind>
Gap gap_of(const Columns& A, const Kind& prox, Penalty penalty, const ResidualState& state) {
  const index_t width = prox.width();
  double norm_sum = 0, absolute = 0, quadratic = 0, inner = 0, worst = 0, second_gap = 0, gradient = 0;
  index_t support = 0;
  Numbers c(width), h(width);
  for (index_t j = 0; j < A.count; ++j) {
    if (A.inverse_norm[j] == 0) continue;
    const double* wj = &state.w[j * width];
    const double size = prox.magnitude(wj);
    if (size == 0 && penalty.l1 > 0) {  // nearly all blocks
      for (index_t t = 0; t < width; ++t) c[t] = state.correlation[t * A.count + j];
      const double lambda = penalty.lambda(A, j), block_size = prox.size(c.data());
      if (block_size > worst * lambda) worst = block_size / lambda;
      if (block_size > lambda && penalty.l2 > 0)
        second_gap += (block_size - lambda) * (block_size - lambda) / (2 * penalty.rho(A, j));
      continue;
    }
    const double lambda = penalty.lambda(A, j), rho = penalty.rho(A, j);
    double along = 0, w_square = 0;
    for (index_t t = 0; t < width; ++t) {
      c[t] = state.correlation[t * A.count + j];
      h[t] = c[t] - rho * wj[t];
      along += wj[t] * c[t];
      w_square += wj[t] * wj[t];
    }
    gradient += prox.violation(h.data(), wj, 0) * prox.violation(h.data(), wj, 0);
    if (lambda > 0) worst = std::max(worst, prox.size(h.data()) / lambda);
    absolute += lambda * size;
    quadratic += rho * w_square;
    inner += along - rho * w_square;
    norm_sum += size;
    if (penalty.l2 > 0) second_gap += rho > 0 ? block_gap(prox, lambda, rho, wj, c.data()) : HUGE_VAL;
    support += size > 0;
  }
  const double R = state.square + quadratic;
  Gap result{R / 2 + absolute, 0, R, 0, support};
  result.noise = 8 * std::numeric_limits<double>::epsilon() * (1 + norm_sum);
  if (penalty.l1 == 0) {
    result.value = std::max(0.0, penalty.l2 > 0 ? second_gap : gradient);
    return result;
  }
  const double max_scale = worst > 0 ? 1 / worst : HUGE_VAL;
  const double s = R > 0 ? std::clamp(1 + inner / R, 0.0, std::max(0.0, max_scale)) : std::min(1.0, max_scale);
  result.value = (1 - s) * (1 - s) * R / 2 + absolute - s * inner;
  if (penalty.l2 > 0) result.value = std::min(result.value, second_gap);
  result.value = std::max(result.value, 0.0);
  return result;
}

inline Gap gap(const Columns& A, const Prox& prox, Penalty penalty, const ResidualState& state) {
  return prox.single() ? gap_of(A, prox.absolute(), penalty, state) : gap_of(A, prox.group(), penalty, state);
}

}  // namespace learnable::coordinate
