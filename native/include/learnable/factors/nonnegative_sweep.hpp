// Nonnegative least squares for many rows with one Gram matrix, by coordinate descent.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// Solves A x = b by Cholesky's method in place, A = U'U in the upper triangle; unknowns without a pivot are zero. Four rows
// of U at a time are subtracted from those below, whose entries left of the diagonal mean nothing. `size` is for K numbers.
inline void solve_cholesky(double* A, double* b, double* size, index_t K) {
  const auto subtract = [K](const double* const* u, int count, double* row, index_t i) {
    Lanes by[4] = {};
    for (int c = 0; c < count; ++c) by[c] -= u[c][i];
    index_t t = i - i % lanes;
    for (; t + lanes <= K; t += lanes) {
      Lanes left = load(row + t);
      for (int c = 0; c < count; ++c) left = fused(by[c], load(u[c] + t), left);
      store(row + t, left);
    }
    for (; t < K; ++t)
      for (int c = 0; c < count; ++c) row[t] = fused(by[c][0], u[c][t], row[t]);
  };
  for (index_t k = 0; k < K; ++k) size[k] = A[k * K + k];
  for (index_t begin = 0; begin < K; begin += 4) {
    const double* u[4];
    const int width = int(std::min<index_t>(4, K - begin));
    for (int c = 0; c < width; ++c) {
      const index_t k = begin + c;
      double* row = A + k * K;
      subtract(u, c, row, k);
      const double pivot = row[k] > 1e-13 * size[k] ? std::sqrt(row[k]) : 0.0;
      for (index_t j = k; j < K; ++j) row[j] = pivot > 0 ? row[j] / pivot : 0.0;
      row[k] = pivot;
      u[c] = row;
      b[k] = pivot > 0 ? b[k] / pivot : 0.0;
      if (b[k] != 0) add_scaled(-b[k], row + k + 1, b + k + 1, K - k - 1);
    }
    for (index_t i = begin + width; i < K; ++i) {
      if (width == 4)
        subtract(u, 4, A + i * K, i);
      else
        subtract(u, width, A + i * K, i);
    }
  }
  for (index_t k = K; k-- > 0;) {
    const double pivot = A[k * K + k];
    b[k] = pivot > 0 ? (b[k] - inner(A + k * K + k + 1, b + k + 1, K - k - 1)) / pivot : 0.0;
  }
}

// Moves w to the optimum of its positive entries if they are positive there too; g = Gw - b before and after. Returns
// whether the other derivatives show that this is the optimum over w >= 0.
inline bool solve_support(Grid<const double> G, const double* b, double* g, double* w, double* work) {
  const index_t K = G.columns;
  double *A = work, *x = work + K * K, *size = x + K;
  index_t m = 0, r = 0;
  for (index_t t = 0; t < K; ++t)
    if (w[t] > 0) x[m++] = b[t];
  for (index_t t = 0; t < K; ++t) {
    if (!(w[t] > 0)) continue;
    for (index_t u = t, c = r; u < K; ++u)
      if (w[u] > 0) A[r * m + c++] = G(t, u);
    ++r;
  }
  solve_cholesky(A, x, size, m);
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
// pass follows while a pass changes w by more than `ratio` of what the first one did. With b (and K^2 + 2 K numbers of
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
    std::vector<double> g(std::size_t(K), 0.0), work(exact ? std::size_t(K * K + 2 * K) : 0);
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
