// Nonnegative least squares for many rows with one Gram matrix, by coordinate descent.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Up to `sweeps` passes of coordinate descent over w >= 0 on w'Gw / 2 - b.w, where g = Gw - b before and after; another
// pass follows while a pass changes w by more than `ratio` of what the first one did. Returns the sum of the projected
// derivatives that the first pass met.
inline double nonnegative_descent(Grid<const double> G, View<const std::int32_t> order, int sweeps, double ratio,
                                  double* g, double* w) {
  const index_t K = G.columns;
  double violation = 0, first = 0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double change = 0;
    for (const std::int32_t t : order) {
      const double curvature = G(t, t), derivative = g[t], before = w[t];
      if (sweep == 0) violation += before == 0 ? std::max(-derivative, 0.0) : std::abs(derivative);
      if (!(curvature > 0)) continue;
      const double after = std::max(before - derivative / curvature, 0.0), step = after - before;
      if (step == 0) continue;
      w[t] = after;
      add_scaled(step, G.data + t * G.stride, g, K);
      change += step * step * curvature;
    }
    if (sweep == 0) first = change;
    if (!(change > ratio * ratio * first)) break;
  }
  return violation;
}

// The same for each row of W, with the rows of B as b. Returns the sum over rows.
inline double nonnegative_sweep(Grid<const double> G, Grid<const double> B, View<const std::int32_t> order, int sweeps,
                                double ratio, Grid<double> W) {
  const index_t K = G.columns;
  const Blocks blocks(W.rows, std::max<index_t>(16, 65536 / (K * K + 1)));
  std::vector<double> sums(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> g(std::size_t(K), 0.0);
    double sum = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      double* w = W.data + i * W.stride;
      const double* b = B.data + i * B.stride;
      for (index_t t = 0; t < K; ++t) g[t] = -b[t];
      for (index_t t = 0; t < K; ++t)
        if (w[t] != 0) add_scaled(w[t], G.data + t * G.stride, g.data(), K);
      sum += nonnegative_descent(G, order, sweeps, ratio, g.data(), w);
    }
    sums[block] = sum;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

// out[e] = W_i . H_j for each entry e = (i, j) of a sparse matrix; H has a row for each column of the matrix.
inline void entry_products(View<const std::int64_t> start, View<const std::int32_t> index, Grid<const double> W,
                           Grid<const double> H, View<double> out) {
  const Blocks blocks(W.rows, 64);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      for (std::int64_t e = start[i]; e < start[i + 1]; ++e)
        out[e] = inner(W.data + i * W.stride, H.data + index[e] * H.stride, W.columns);
  });
}

}  // namespace learnable
