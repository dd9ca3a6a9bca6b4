// Sparse codes of many signals in one dictionary, from its Gram matrix: orthogonal matching pursuit and the lasso.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/normal_rows.hpp"

namespace learnable {

namespace detail {

// A Cholesky factor of the Gram matrix of chosen atoms that grows by a row at a time.
struct GrowingFactor {
  std::vector<double> L;
  std::vector<index_t> chosen;
  index_t most;

  explicit GrowingFactor(index_t most) : L(std::size_t(most * most)), most(most) {}

  // Adds an atom; false if it depends on those before.
  bool add(Grid<const double> G, index_t atom) {
    const index_t n = index_t(chosen.size());
    double* row = L.data() + n * most;
    for (index_t c = 0; c < n; ++c)
      row[c] = (G(atom, chosen[c]) - inner(row, L.data() + c * most, c)) / L[c * most + c];
    const double left = G(atom, atom) - inner(row, row, n);
    if (!(left > 1e-14 * G(atom, atom))) return false;
    row[n] = std::sqrt(left);
    chosen.push_back(atom);
    return true;
  }

  // The solution x of L L' x = b, in place.
  void solve(double* b) const {
    const index_t n = index_t(chosen.size());
    for (index_t r = 0; r < n; ++r) b[r] = (b[r] - inner(L.data() + r * most, b, r)) / L[r * most + r];
    for (index_t r = n; r-- > 0;) {
      b[r] /= L[r * most + r];
      add_scaled(-b[r], L.data() + r * most, b, r);
    }
  }
};

}  // namespace detail

// Orthogonal matching pursuit for each row of `products` (signal . atom): at most `most` atoms, or until the square of
// the residual is at most `tolerance`; `square` holds those of the signals. Returns the number of signals whose pursuit
// met dependent atoms before.
inline index_t batch_omp(Grid<const double> G, Grid<const double> products, View<const double> square, index_t most,
                         double tolerance, Grid<double> codes) {
  const index_t K = G.columns;
  const Blocks blocks(products.rows, 32);
  std::vector<index_t> early(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> left(static_cast<std::size_t>(K)), x(static_cast<std::size_t>(most));
    std::vector<char> used(static_cast<std::size_t>(K));
    detail::GrowingFactor factor(most);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* b = products.data + i * products.stride;
      double* code = codes.data + i * codes.stride;
      std::copy(b, b + K, left.begin());
      std::fill(used.begin(), used.end(), 0);
      std::fill(code, code + K, 0.0);
      factor.chosen.clear();
      while (index_t(factor.chosen.size()) < most) {
        index_t best = -1;
        double size = 0;
        for (index_t t = 0; t < K; ++t)
          if (!used[t] && std::abs(left[t]) > size) size = std::abs(left[t]), best = t;
        if (tolerance >= 0) {
          double explained = 0;
          for (std::size_t c = 0; c < factor.chosen.size(); ++c) explained += x[c] * b[factor.chosen[c]];
          if (square[i] - explained <= tolerance) break;
        }
        if (best < 0 || size * size < 1e-300 || !factor.add(G, best)) {
          early[block] += 1;
          break;
        }
        used[best] = 1;
        const index_t n = index_t(factor.chosen.size());
        for (index_t c = 0; c < n; ++c) x[c] = b[factor.chosen[c]];
        factor.solve(x.data());
        std::copy(b, b + K, left.begin());
        for (index_t c = 0; c < n; ++c) add_scaled(-x[c], G.data + factor.chosen[c] * G.stride, left.data(), K);
      }
      for (std::size_t c = 0; c < factor.chosen.size(); ++c) code[factor.chosen[c]] = x[c];
    }
  });
  index_t total = 0;
  for (const index_t count : early) total += count;
  return total;
}

namespace detail {

inline double shrunk(double x, double by, bool positive) {
  if (x > by) return x - by;
  return !positive && x < -by ? x + by : 0.0;
}

// Largest violation of the optimality conditions; g = b - Gw.
inline double lasso_violation(const double* g, const double* w, double alpha, bool positive, index_t K) {
  double worst = 0;
  for (index_t t = 0; t < K; ++t)
    worst = std::max(worst, w[t] != 0 ? std::abs(g[t] - (w[t] > 0 ? alpha : -alpha))
                                      : (positive ? g[t] : std::abs(g[t])) - alpha);
  return worst;
}

// Solves exactly for the signs of w; kept if it has these signs and obeys the other conditions as well as before.
inline void polish_lasso(Grid<const double> G, const double* b, double alpha, bool positive, double allowed, double* w,
                         double* g, std::vector<double>& work) {
  const index_t K = G.columns;
  index_t n = 0;
  for (index_t t = 0; t < K; ++t) n += w[t] != 0;
  if (n == 0) return;
  GrowingFactor factor(n);
  for (index_t t = 0; t < K; ++t)
    if (w[t] != 0 && !factor.add(G, t)) return;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (index_t c = 0; c < n; ++c) x[c] = b[factor.chosen[c]] - (w[factor.chosen[c]] > 0 ? alpha : -alpha);
  factor.solve(x.data());
  for (index_t c = 0; c < n; ++c)
    if (x[c] * w[factor.chosen[c]] <= 0) return;
  work.assign(b, b + K);
  for (index_t c = 0; c < n; ++c) add_scaled(-x[c], G.data + factor.chosen[c] * G.stride, work.data(), K);
  for (index_t t = 0; t < K; ++t)
    if (w[t] == 0 && (positive ? work[t] : std::abs(work[t])) - alpha > allowed) return;
  for (index_t c = 0; c < n; ++c) w[factor.chosen[c]] = x[c];
  std::copy(work.begin(), work.end(), g);
}

}  // namespace detail

// The lasso w'Gw / 2 - b.w + alpha |w|_1 for each row b of `products`, from the codes as they are, by coordinate descent
// on working sets, and then exactly for the signs found. Returns the largest violation of the optimality conditions over
// the rows, relative to the largest entry of b.
inline double batch_lasso(Grid<const double> G, Grid<const double> products, double alpha, bool positive, int most,
                          double tolerance, Grid<double> codes) {
  const index_t K = G.columns;
  const Blocks blocks(products.rows, 16);
  std::vector<double> worst(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> g(static_cast<std::size_t>(K)), work;
    std::vector<index_t> active;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* b = products.data + i * products.stride;
      double* w = codes.data + i * codes.stride;
      std::copy(b, b + K, g.begin());
      double size = 0;
      for (index_t t = 0; t < K; ++t) {
        size = std::max(size, std::abs(b[t]));
        if (positive && w[t] < 0) w[t] = 0;
        if (w[t] != 0) add_scaled(-w[t], G.data + t * G.stride, g.data(), K);
      }
      if (size == 0) {
        std::fill(w, w + K, 0.0);
        continue;
      }
      const double allowed = tolerance * size;
      const auto update = [&](index_t t) {
        const double curvature = G(t, t), before = w[t];
        if (!(curvature > 0)) return 0.0;
        w[t] = detail::shrunk(before * curvature + g[t], alpha, positive) / curvature;
        if (w[t] == before) return 0.0;
        add_scaled(before - w[t], G.data + t * G.stride, g.data(), K);
        return std::abs(w[t] - before) * curvature;
      };
      for (int sweep = 0; sweep < most; ++sweep) {
        active.clear();
        for (index_t t = 0; t < K; ++t)
          if (w[t] != 0 || (positive ? g[t] : std::abs(g[t])) > alpha) active.push_back(t);
        double change = 0;
        for (const index_t t : active) change = std::max(change, update(t));
        for (int inside = 0; inside < 8 && change > 0.1 * allowed; ++inside) {
          change = 0;
          for (const index_t t : active) change = std::max(change, update(t));
        }
        detail::polish_lasso(G, b, alpha, positive, allowed, w, g.data(), work);
        if (detail::lasso_violation(g.data(), w, alpha, positive, K) <= allowed) break;
      }
      worst[block] =
          std::max(worst[block], detail::lasso_violation(g.data(), w, alpha, positive, K) / size);
    }
  });
  double largest = 0;
  for (const double one : worst) largest = std::max(largest, one);
  return largest;
}

}  // namespace learnable
