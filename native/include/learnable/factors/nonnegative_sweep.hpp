// Nonnegative least squares for many rows with one Gram matrix, by coordinate descent.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// Solves A x = b by Cholesky's method in place; unknowns without a pivot are zero.
inline void solve_cholesky(double* A, double* b, index_t K) {
  for (index_t r = 0; r < K; ++r) {
    double* row = A + r * K;
    const double size = row[r];
    for (index_t c = 0; c < r; ++c) {
      const double pivot = A[c * K + c];
      row[c] = pivot > 0 ? (row[c] - inner(row, A + c * K, c)) / pivot : 0.0;
    }
    const double left = size - inner(row, row, r);
    row[r] = left > 1e-13 * size ? std::sqrt(left) : 0.0;
    b[r] = row[r] > 0 ? (b[r] - inner(row, b, r)) / row[r] : 0.0;
  }
  for (index_t r = K; r-- > 0;) {
    const double pivot = A[r * K + r];
    b[r] = pivot > 0 ? b[r] / pivot : 0.0;
    if (b[r] != 0) add_scaled(-b[r], A + r * K, b, r);
  }
}

// Moves w to the optimum of its positive entries if they are positive there too; g = Gw - b before and after. Returns
// whether the other derivatives show that this is the optimum over w >= 0.
inline bool solve_support(Grid<const double> G, const double* b, double* g, double* w, double* work) {
  const index_t K = G.columns;
  double *A = work, *x = work + K * K;
  index_t m = 0, r = 0;
  for (index_t t = 0; t < K; ++t)
    if (w[t] > 0) x[m++] = b[t];
  for (index_t t = 0; t < K; ++t) {
    if (!(w[t] > 0)) continue;
    for (index_t u = 0, c = 0; u <= t; ++u)
      if (w[u] > 0) A[r * m + c++] = G(t, u);
    ++r;
  }
  solve_cholesky(A, x, m);
  for (index_t c = 0; c < m; ++c)
    if (!(A[c * m + c] > 0) || !(x[c] > 0)) return false;
  for (index_t t = 0, c = 0; t < K; ++t)
    if (w[t] > 0) w[t] = x[c++];
  double largest = 0, least = 0;
  for (index_t t = 0; t < K; ++t) g[t] = -b[t], largest = std::max(largest, std::abs(b[t]));
  for (index_t t = 0; t < K; ++t)
    if (w[t] != 0) add_scaled(w[t], G.data + t * G.stride, g, K);
  for (index_t t = 0; t < K; ++t) least = std::min(least, w[t] > 0 ? 0.0 : g[t]);
  return least >= -1e-14 * largest;
}

}  // namespace detail

// Up to `sweeps` passes of coordinate descent over w >= 0 on w'Gw / 2 - b.w, where g = Gw - b before and after; another
// pass follows while a pass changes w by more than `ratio` of what the first one did. With b (and K^2 + K numbers of
// work) it ends early where the optimum of the positive entries is that of all. Returns the sum of the projected
// derivatives that the first pass met.
inline double nonnegative_descent(Grid<const double> G, View<const std::int32_t> order, int sweeps, double ratio,
                                  double* g, double* w, const double* b = nullptr, double* work = nullptr) {
  const index_t K = G.columns;
  double violation = 0, first = 0;
  int solve = 4;  // passes after which the positive entries are solved for
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
    if (b && sweep + 1 == solve) {
      if (detail::solve_support(G, b, g, w, work)) break;
      solve *= 2;
    }
  }
  return violation;
}

// The same for each row of W, with the rows of B as b, for which `exact` solves early. Returns the sum over rows.
inline double nonnegative_sweep(Grid<const double> G, Grid<const double> B, View<const std::int32_t> order, int sweeps,
                                double ratio, bool exact, Grid<double> W) {
  const index_t K = G.columns;
  const Blocks blocks(W.rows, std::max<index_t>(16, 65536 / (K * K + 1)));
  std::vector<double> sums(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> g(std::size_t(K), 0.0), work(exact ? std::size_t(K * K + K) : 0);
    double sum = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      double* w = W.data + i * W.stride;
      const double* b = B.data + i * B.stride;
      for (index_t t = 0; t < K; ++t) g[t] = -b[t];
      for (index_t t = 0; t < K; ++t)
        if (w[t] != 0) add_scaled(w[t], G.data + t * G.stride, g.data(), K);
      sum += nonnegative_descent(G, order, sweeps, ratio, g.data(), w, exact ? b : nullptr, work.data());
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
