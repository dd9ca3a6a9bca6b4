// Latent Dirichlet allocation: variational topics of documents, and collapsed Gibbs sampling.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/manifold/sampled_layout.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The derivative of log gamma for x > 0: recurrence to x >= 10, then the asymptotic series.
inline double digamma(double x) {
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  const double inverse = 1 / (x * x);
  const double series =
      inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse * (1.0 / 240 - inverse * (1.0 / 132 - inverse * (691.0 / 32760 - inverse / 12))))));
  return result + std::log(x) - 0.5 / x - series;
}

struct TopicSearch {
  double prior, tolerance;
  int most;
  double floor;  // added to the norm of each posterior
};

// For each document, from gamma(i, :) as it is: the Dirichlet parameters of its topics, by fixed-point iteration with
// `words`, a row of exp(E log beta) for each word. ratio holds count / norm of each entry, and weights exp(E log theta),
// at the end.
inline void topic_posteriors(const SparseEntries& documents, Grid<const double> words, const TopicSearch& search,
                             Grid<double> gamma, Grid<double> weights, View<double> ratio) {
  const index_t K = words.columns;
  const Blocks blocks(documents.rows(), 8);
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> sum(static_cast<std::size_t>(K));
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      double *g = gamma.data + i * gamma.stride, *w = weights.data + i * weights.stride;
      const std::int64_t begin = documents.start[i], end = documents.start[i + 1];
      const auto expect = [&] {
        double total = 0;
        for (index_t k = 0; k < K; ++k) total += g[k];
        const double whole = digamma(total);
        for (index_t k = 0; k < K; ++k) w[k] = std::exp(digamma(g[k]) - whole);
      };
      const auto ratios = [&] {
        for (std::int64_t e = begin; e < end; ++e)
          ratio[e] = documents.value[e] /
                     (inner(w, words.data + documents.index[e] * words.stride, K) + search.floor);
      };
      expect();
      for (int step = 0; step < search.most; ++step) {
        ratios();
        std::fill(sum.begin(), sum.end(), 0.0);
        for (std::int64_t e = begin; e < end; ++e)
          add_scaled(ratio[e], words.data + documents.index[e] * words.stride, sum.data(), K);
        double change = 0;
        for (index_t k = 0; k < K; ++k) {
          const double after = search.prior + w[k] * sum[k];
          change += std::abs(after - g[k]);
          g[k] = after;
        }
        expect();
        if (change < search.tolerance * double(K)) break;
      }
      ratios();
    }
  });
}

// One pass of collapsed Gibbs sampling over all tokens: the topic of each is drawn given those of all others. Counts are
// whole numbers; `total` holds the tokens of each topic.
inline void gibbs_topics(View<const std::int32_t> document, View<const std::int32_t> word, double prior,
                         double word_prior, std::uint64_t seed, View<std::int32_t> topic, Grid<double> by_document,
                         Grid<double> by_word, View<double> total) {
  const index_t K = by_word.columns;
  const double smooth = word_prior * double(by_word.rows);
  std::vector<double> reached(static_cast<std::size_t>(K));
  for (index_t t = 0; t < word.size; ++t) {
    if (t % 4096 == 0) poll_interrupt();
    double* d = by_document.data + document[t] * by_document.stride;
    double* w = by_word.data + word[t] * by_word.stride;
    const index_t old = topic[t];
    d[old] -= 1, w[old] -= 1, total[old] -= 1;
    double sum = 0;
    for (index_t k = 0; k < K; ++k) {
      sum += (d[k] + prior) * (w[k] + word_prior) / (total[k] + smooth);
      reached[k] = sum;
    }
    const double drawn = double(detail::mixed_bits(seed ^ detail::mixed_bits(std::uint64_t(t))) >> 11) * 0x1p-53 * sum;
    const index_t now =
        std::min<index_t>(K - 1, std::upper_bound(reached.begin(), reached.end(), drawn) - reached.begin());
    topic[t] = std::int32_t(now);
    d[now] += 1, w[now] += 1, total[now] += 1;
  }
}

}  // namespace learnable
