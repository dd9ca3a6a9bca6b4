// The sampled gradient of UMAP's cross-entropy: along the edges that are due in an epoch, and away from random points.
//
// All points move at once (batch updates), and random points are keyed by seed, epoch and edge: bits do not depend on
// threads.
#pragma once

#include <cmath>
#include <cstdint>

#include "learnable/manifold/shortest_paths.hpp"

namespace learnable {

struct SampledLoss {
  double a, b, repulsion;  // q = 1 / (1 + a d^(2b)), and the weight of the second term
  int negatives;           // random points for each edge
  double factor;           // 2 if an edge moves both of its ends
  std::uint64_t seed, epoch;
  bool by_head;    // whether random points depend on the row at which an edge begins
  bool with_loss;  // whether the loss is summed too
};

namespace detail {

// SplitMix64's mixing of bits.
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

inline double clipped(double x) { return std::min(std::max(x, -4.0), 4.0); }

}  // namespace detail

// gradient(i, :) of the sampled cross-entropy for the rows of `head`, whose edges lead to rows of `tail`; an edge of
// relative weight r, at most 1, is due every 1 / r epochs. Returns the sampled loss, or 0 if it is not summed.
inline double sampled_gradient(const EdgeLists& graph, Grid<const double> head, Grid<const double> tail,
                               const SampledLoss& loss, Grid<double> gradient) {
  const index_t D = head.columns;
  const Blocks blocks(head.rows, 64);
  const double now = double(loss.epoch + 1), before = double(loss.epoch);
  std::vector<double> sums(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    double sum = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* y = head.data + i * head.stride;
      double* g = gradient.data + i * gradient.stride;
      std::fill(g, g + D, 0.0);
      const auto square = [&](const double* z) {
        double s = 0;
        for (index_t c = 0; c < D; ++c) s += (y[c] - z[c]) * (y[c] - z[c]);
        return s;
      };
      const std::uint64_t row_key = detail::mixed_bits(loss.seed ^ detail::mixed_bits(
          loss.epoch ^ (loss.by_head ? std::uint64_t(i + 1) << 32 : 0)));
      for (std::int64_t edge = graph.start[i]; edge < graph.start[i + 1]; ++edge) {
        const double rate = graph.length[edge];
        if (std::floor(now * rate) == std::floor(before * rate)) continue;
        const index_t j = index_t(graph.index[edge]);
        const double *z = tail.data + j * tail.stride, s = square(z);
        if (s > 0) {
          const double power = loss.a * std::pow(s, loss.b);
          const double pull = 2 * loss.b * power / (s * (1 + power));
          for (index_t c = 0; c < D; ++c) g[c] += loss.factor * detail::clipped(pull * (y[c] - z[c]));
          if (loss.with_loss) sum += std::log1p(power);
        }
        const std::uint64_t key = row_key ^ std::uint64_t(j);
        for (int sample = 0; sample < loss.negatives; ++sample) {
          const std::uint64_t drawn = detail::mixed_bits(key + (std::uint64_t(sample + 1) << 40));
          const index_t other = index_t((drawn >> 32) * std::uint64_t(tail.rows) >> 32);
          const double* far = tail.data + other * tail.stride;
          const double away = square(far);
          if (!(away > 0)) continue;
          const double power = loss.a * std::pow(away, loss.b);
          const double push = 2 * loss.repulsion * loss.b / ((0.001 + away) * (1 + power));
          for (index_t c = 0; c < D; ++c) g[c] -= detail::clipped(push * (y[c] - far[c]));
          if (loss.with_loss) sum += loss.repulsion * std::log1p(1 / (power + 1e-12));
        }
      }
    }
    sums[block] = sum;
  });
  double whole = 0;
  for (const double block_sum : sums) whole += block_sum;
  return whole;
}

}  // namespace learnable
