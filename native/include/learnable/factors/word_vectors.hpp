// Word vectors by stochastic gradients: skip-gram with negative sampling, and GloVe. The order of the steps is fixed.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/manifold/sampled_layout.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

struct SkipGramSteps {
  int window, negatives;
  double first_rate, last_rate;
  std::uint64_t seed;
};

// One pass over the tokens of texts, text s at [start[s], start[s + 1]). A token is kept with the probability `keep` of
// its word; each token predicts those around it, up to a random distance within the window, against `negatives` words
// drawn by the cumulative probabilities `reached`. Returns the sum of the losses.
inline double skipgram_epoch(View<const std::int32_t> tokens, View<const std::int64_t> start, View<const double> keep,
                             View<const double> reached, const SkipGramSteps& how, Grid<double> vectors,
                             Grid<double> contexts) {
  const index_t K = vectors.columns;
  std::vector<double> push(static_cast<std::size_t>(K));
  std::vector<std::int32_t> kept;
  double loss = 0;
  const auto uniform = [](std::uint64_t bits) { return double(bits >> 11) * 0x1p-53; };
  for (index_t s = 0; s + 1 < start.size; ++s) {
    poll_interrupt();
    kept.clear();
    for (std::int64_t t = start[s]; t < start[s + 1]; ++t)
      if (uniform(detail::mixed_bits(how.seed ^ detail::mixed_bits(std::uint64_t(t) << 1))) < keep[tokens[t]])
        kept.push_back(tokens[t]);
    const double done = tokens.size ? double(start[s]) / double(tokens.size) : 0.0;
    const double rate = how.first_rate + (how.last_rate - how.first_rate) * done;
    const index_t n = index_t(kept.size());
    for (index_t c = 0; c < n; ++c) {
      if (c % 4096 == 4095) poll_interrupt();
      std::uint64_t key = detail::mixed_bits(how.seed ^ detail::mixed_bits((std::uint64_t(start[s] + c) << 1) | 1));
      const index_t reach = 1 + index_t((key >> 32) * std::uint64_t(how.window) >> 32);
      double* v = vectors.data + kept[c] * vectors.stride;
      for (index_t o = std::max<index_t>(0, c - reach); o <= std::min(n - 1, c + reach); ++o) {
        if (o == c) continue;
        std::fill(push.begin(), push.end(), 0.0);
        for (int sample = 0; sample <= how.negatives; ++sample) {
          index_t word = kept[o];
          if (sample) {
            key = detail::mixed_bits(key);
            word = std::min<index_t>(reached.size - 1, std::upper_bound(reached.begin(), reached.end(), uniform(key)) -
                                                           reached.begin());
            if (word == kept[o]) continue;
          }
          double* u = contexts.data + word * contexts.stride;
          const double score = inner(v, u, K), signed_score = sample ? -score : score;
          loss += signed_score > 0 ? std::log1p(std::exp(-signed_score)) : std::log1p(std::exp(signed_score)) - signed_score;
          const double step = rate * ((sample ? 0.0 : 1.0) - 1 / (1 + std::exp(-score)));
          add_scaled(step, u, push.data(), K);
          add_scaled(step, v, u, K);
        }
        add_scaled(1, push.data(), v, K);
      }
    }
  }
  return loss;
}

struct GloveState {
  Grid<double> words, contexts;               // vectors
  View<double> word_bias, context_bias;
  Grid<double> word_squares, context_squares;  // sums of squared gradients, the last column for the bias
};

// One step of AdaGrad for each entry (i, j), in order, on weight (w_i . c_j + b_i + b_j - target)^2 / 2. Returns the sum.
inline double glove_epoch(View<const std::int32_t> row, View<const std::int32_t> column, View<const double> target,
                          View<const double> weight, double rate, const GloveState& state) {
  const index_t K = state.words.columns;
  double loss = 0;
  for (index_t e = 0; e < row.size; ++e) {
    if (e % 4096 == 0) poll_interrupt();
    const index_t i = row[e], j = column[e];
    double *w = state.words.data + i * state.words.stride, *c = state.contexts.data + j * state.contexts.stride;
    double *sw = state.word_squares.data + i * state.word_squares.stride;
    double *sc = state.context_squares.data + j * state.context_squares.stride;
    const double error = inner(w, c, K) + state.word_bias[i] + state.context_bias[j] - target[e];
    loss += 0.5 * weight[e] * error * error;
    const double slack = weight[e] * error;
    for (index_t k = 0; k < K; ++k) {
      const double gw = slack * c[k], gc = slack * w[k];
      w[k] -= rate * gw / std::sqrt(sw[k]);
      c[k] -= rate * gc / std::sqrt(sc[k]);
      sw[k] += gw * gw;
      sc[k] += gc * gc;
    }
    state.word_bias[i] -= rate * slack / std::sqrt(sw[K]);
    state.context_bias[j] -= rate * slack / std::sqrt(sc[K]);
    sw[K] += slack * slack;
    sc[K] += slack * slack;
  }
  return loss;
}

}  // namespace learnable
