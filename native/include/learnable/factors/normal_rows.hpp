// Many small least-squares problems: the factors of each row of a sparse matrix, given those of its columns.
#pragma once

#include "learnable/factors/nonnegative_sweep.hpp"

namespace learnable {

struct RowSystems {
  SparseEntries entries;           // value: what multiplies v_j on the right-hand side
  View<const double> weight;       // of v_j v_j' on the left; empty: one
  Grid<const double> base;         // what every matrix begins with
  double per_entry;                // added to the diagonal for each entry of the row
};

namespace detail {

// A (upper triangle, from the last multiple of the lanes on) and b of the normal equations of row i.
inline void normal_equations(const RowSystems& systems, Grid<const double> V, index_t i, double* A, double* b) {
  const index_t K = V.columns;
  const SparseEntries& entries = systems.entries;
  const std::int64_t begin = entries.start[i], end = entries.start[i + 1];
  const double ridge = systems.per_entry * double(end - begin);
  for (index_t r = 0; r < K; ++r) {
    const double* base = systems.base.data + r * systems.base.stride;
    std::copy(base + (r - r % lanes), base + K, A + r * K + (r - r % lanes));
    A[r * K + r] += ridge;
  }
  std::fill(b, b + K, 0.0);
  for (std::int64_t e = begin; e < end; e += 4) {
    const int count = int(std::min<std::int64_t>(4, end - e));
    const double* v[4];
    double weight[4];
    for (int c = 0; c < 4; ++c) {
      const std::int64_t at = e + std::min(c, count - 1);
      v[c] = V.data + entries.index[at] * V.stride;
      weight[c] = c >= count ? 0.0 : systems.weight ? systems.weight[at] : 1.0;
      if (c < count) add_scaled(entries.value[at], v[c], b, K);
    }
    for (index_t r = 0; r < K; r += 2) {
      const bool two = r + 1 < K;
      Lanes by[4] = {}, next[4] = {};
      for (int c = 0; c < 4; ++c) by[c] += weight[c] * v[c][r], next[c] += two ? weight[c] * v[c][r + 1] : 0.0;
      double *row = A + r * K, *below = two ? row + K : row;
      index_t t = r - r % lanes;
      for (; t + lanes <= K; t += lanes) {
        Lanes sum = load(row + t), other = load(below + t);
        for (int c = 0; c < 4; ++c) {
          const Lanes at = load(v[c] + t);
          sum = fused(by[c], at, sum), other = fused(next[c], at, other);
        }
        store(below + t, other), store(row + t, sum);
      }
      for (; t < K; ++t)
        for (int c = 0; c < 4; ++c) {
          row[t] = fused(by[c][0], v[c][t], row[t]);
          if (two) below[t] = fused(next[c][0], v[c][t], below[t]);
        }
    }
  }
}

// A += its mirror image, so that rows can be read whole.
inline void mirror(double* A, index_t K) {
  for (index_t r = 0; r < K; ++r)
    for (index_t c = 0; c < r; ++c) A[r * K + c] = A[c * K + r];
}

// out += sum over the entries of row i of (offset of the entry + weight v.p) v, four entries at a time.
inline void add_entries(const RowSystems& systems, Grid<const double> V, index_t i, const double* p, double sign,
                        bool offset, double* out) {
  const index_t K = V.columns, whole = K - K % lanes;
  const SparseEntries& entries = systems.entries;
  const std::int64_t end = entries.start[i + 1];
  for (std::int64_t e = entries.start[i]; e < end; e += 4) {
    const double* v[4];
    Lanes sum[4] = {};
    for (int c = 0; c < 4; ++c) v[c] = V.data + entries.index[std::min<std::int64_t>(e + c, end - 1)] * V.stride;
    for (index_t t = 0; t < whole; t += lanes) {
      const Lanes at = load(p + t);
      for (int c = 0; c < 4; ++c) sum[c] = fused(at, load(v[c] + t), sum[c]);
    }
    Lanes by[4] = {};
    for (int c = 0; c < 4 && e + c < end; ++c) {
      double product = 0;
      for (int lane = 0; lane < lanes; ++lane) product += sum[c][lane];
      for (index_t t = whole; t < K; ++t) product = fused(p[t], v[c][t], product);
      by[c] += sign * (systems.weight ? systems.weight[e + c] : 1.0) * product + (offset ? entries.value[e + c] : 0.0);
    }
    for (index_t t = 0; t < whole; t += lanes) {
      Lanes total = load(out + t);
      for (int c = 0; c < 4; ++c) total = fused(by[c], load(v[c] + t), total);
      store(out + t, total);
    }
    for (index_t t = whole; t < K; ++t)
      for (int c = 0; c < 4; ++c) out[t] = fused(by[c][0], v[c][t], out[t]);
  }
}

// out = A x for a symmetric matrix, by columns: sixteen or so sums at a time stay in registers.
inline void symmetric_product(Grid<const double> A, const double* x, double* out) {
  const index_t K = A.columns;
  index_t t = 0;
  for (; t + 4 * lanes <= K; t += 4 * lanes) {
    Lanes sum[4] = {};
    for (index_t r = 0; r < K; ++r) {
      Lanes by = {};
      by += x[r];
      for (int c = 0; c < 4; ++c) sum[c] = fused(by, load(A.data + r * A.stride + t + c * lanes), sum[c]);
    }
    for (int c = 0; c < 4; ++c) store(out + t + c * lanes, sum[c]);
  }
  for (; t < K; ++t) out[t] = inner(A.data + t * A.stride, x, K);
}

// Conjugate gradients from x on A x = b without forming A: base, and the entries of the row.
inline void conjugate_gradients(const RowSystems& systems, Grid<const double> V, index_t i, int steps, double* x,
                                double* work) {
  const index_t K = V.columns;
  double *residual = work, *direction = work + K, *product = work + 2 * K;
  const double ridge = systems.per_entry * double(systems.entries.start[i + 1] - systems.entries.start[i]);
  const auto apply_base = [&](const double* p, double sign, double* out) {
    symmetric_product(systems.base, p, out);
    for (index_t r = 0; r < K; ++r) out[r] = sign * (out[r] + ridge * p[r]);
  };
  apply_base(x, -1.0, residual);
  add_entries(systems, V, i, x, -1.0, true, residual);
  std::copy(residual, residual + K, direction);
  double square = inner(residual, residual, K);
  const double enough = 1e-24 * square;
  for (int step = 0; step < steps && square > enough; ++step) {
    apply_base(direction, 1.0, product);
    add_entries(systems, V, i, direction, 1.0, false, product);
    const double curvature = inner(direction, product, K);
    if (!(curvature > 0)) return;
    const double length = square / curvature;
    add_scaled(length, direction, x, K);
    add_scaled(-length, product, residual, K);
    const double next = inner(residual, residual, K);
    for (index_t r = 0; r < K; ++r) direction[r] = residual[r] + next / square * direction[r];
    square = next;
  }
}

}  // namespace detail

enum class RowSolver { cholesky, gradients, nonnegative };

// Row i of U minimises u'(base + ridge)u / 2 + sum over its entries of weight (u.v)^2 / 2 - value u.v: exactly, by some
// steps of conjugate gradients, or by some passes of coordinate descent over u >= 0.
inline void solve_rows(const RowSystems& systems, Grid<const double> V, RowSolver solver, int steps, Grid<double> U) {
  const index_t K = V.columns;
  std::vector<std::int32_t> order(static_cast<std::size_t>(K));
  for (index_t t = 0; t < K; ++t) order[t] = std::int32_t(t);
  const Blocks blocks(U.rows, 16);
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> A(std::size_t(K * K)), b(std::size_t(3 * K));
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      double* u = U.data + i * U.stride;
      if (solver == RowSolver::gradients) {
        detail::conjugate_gradients(systems, V, i, steps, u, b.data());
        continue;
      }
      detail::normal_equations(systems, V, i, A.data(), b.data());
      if (solver == RowSolver::cholesky) {
        detail::solve_cholesky(A.data(), b.data(), b.data() + K, K);
        std::copy(b.data(), b.data() + K, u);
        continue;
      }
      detail::mirror(A.data(), K);
      double* g = b.data();
      for (index_t t = 0; t < K; ++t) g[t] = -g[t];
      for (index_t t = 0; t < K; ++t)
        if (u[t] != 0) add_scaled(u[t], A.data() + t * K, g, K);
      nonnegative_descent({A.data(), K, K, K}, {order.data(), K}, steps, 0.01, g, u);
    }
  });
}

}  // namespace learnable
