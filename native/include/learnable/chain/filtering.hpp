// What forward variables alone give: filtering, fixed-lag smoothing, and paths drawn from their posterior.
#pragma once

#include "learnable/chain/forward_backward.hpp"

namespace learnable {

// Forward variables of all sequences as probabilities, a row per step; those of an impossible sequence are zero.
inline void filter(const Lattice& chain, Grid<double> alpha, View<double> log_likelihood) {
  const Scaled scaled = scale(chain);
  const index_t K = chain.states();
  for_each_sequence(chain, [&](index_t s) {
    log_likelihood[s] = forward(chain, scaled, s, alpha);
    if (!std::isnan(log_likelihood[s])) return;
    log_likelihood[s] = log_forward(chain, s, alpha);
    for (index_t t = chain.offset[s]; t < chain.offset[s + 1]; ++t) {
      const double whole = log_sum_exp(alpha.row(t));
      for (index_t k = 0; k < K; ++k) alpha(t, k) = whole > impossible ? std::exp(alpha(t, k) - whole) : 0.0;
    }
  });
}

// Posteriors of the state at each step given the steps up to `lag` later: `lag` backward steps from each.
inline void fixed_lag(const Lattice& chain, Grid<const double> alpha, index_t lag, Grid<double> posterior) {
  const index_t K = chain.states();
  for_each_sequence(chain, [&](index_t s) {
    std::vector<double> beta(K), terms(K), next(K);
    for (index_t t = chain.offset[s]; t < chain.offset[s + 1]; ++t) {
      std::fill(beta.begin(), beta.end(), 0.0);
      for (index_t u = std::min<index_t>(t + lag, chain.offset[s + 1] - 1); u > t; --u) {
        for (index_t j = 0; j < K; ++j) {
          for (index_t k = 0; k < K; ++k) terms[k] = chain.transition(j, k) + chain.node(u, k) + beta[k];
          next[j] = log_sum_exp({terms.data(), K});
        }
        std::swap(beta, next);
      }
      const double most = largest({beta.data(), K});
      double total = 0;
      for (index_t k = 0; k < K; ++k)
        total += posterior(t, k) = most > impossible ? alpha(t, k) * std::exp(beta[k] - most) : 0.0;
      for (index_t k = 0; k < K; ++k) posterior(t, k) = total > 0 ? posterior(t, k) / total : 0.0;
      poll_interrupt();
    }
  });
}

// The state at which the cumulated weights pass `uniform` times their sum.
inline index_t draw(const double* weight, index_t K, double uniform) {
  double left = uniform * sum(weight, K);
  index_t last = 0;
  for (index_t k = 0; k < K; ++k) {
    if (!(weight[k] > 0)) continue;
    last = k;
    if ((left -= weight[k]) < 0) break;
  }
  return last;
}

// Paths from their posterior, one per column, drawn backwards: the last state from its forward variables, every other
// one from them times the potential of going on as drawn.
inline void sample_paths(const Lattice& chain, Grid<const double> alpha, Grid<const double> uniform,
                         Grid<std::int64_t> paths) {
  const index_t K = chain.states();
  for_each_sequence(chain, [&](index_t s) {
    std::vector<double> weight(K);
    for (index_t n = 0; n < paths.columns; ++n)
      for (index_t t = chain.offset[s + 1] - 1; t >= chain.offset[s]; --t) {
        const bool last = t + 1 == chain.offset[s + 1];
        double most = impossible;
        for (index_t j = 0; j < K; ++j) {
          weight[j] = last ? 0.0 : chain.transition(j, paths(t + 1, n));
          if (alpha(t, j) > 0) most = std::max(most, weight[j]);
        }
        for (index_t j = 0; j < K; ++j) weight[j] = alpha(t, j) > 0 ? alpha(t, j) * std::exp(weight[j] - most) : 0.0;
        paths(t, n) = draw(weight.data(), K, uniform(t, n));
        if (t % steps_between_polls == 0) poll_interrupt();
      }
  });
}

}  // namespace learnable
