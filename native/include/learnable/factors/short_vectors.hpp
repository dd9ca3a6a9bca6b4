// Products of vectors with few entries, such as the factors of one row.
#pragma once

#include <cstdint>

#include "learnable/matrix/simd.hpp"

namespace learnable {

// The entries of a sparse matrix by rows: those of row i are at [start[i], start[i + 1]).
struct SparseEntries {
  View<const std::int64_t> start;
  View<const std::int32_t> index;
  View<const double> value;

  index_t rows() const { return start.size - 1; }
};

// a . b; lanes are folded in a fixed order.
inline double inner(const double* a, const double* b, index_t n) {
  Lanes sum = {}, more = {};
  index_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    sum = fused(load(a + i), load(b + i), sum);
    more = fused(load(a + i + lanes), load(b + i + lanes), more);
  }
  for (; i + lanes <= n; i += lanes) sum = fused(load(a + i), load(b + i), sum);
  sum += more;
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
  for (; i < n; ++i) total = fused(a[i], b[i], total);
  return total;
}

// y += factor x
inline void add_scaled(double factor, const double* x, double* y, index_t n) {
  Lanes by = {};
  by += factor;
  index_t i = 0;
  for (; i + lanes <= n; i += lanes) store(y + i, fused(by, load(x + i), load(y + i)));
  for (; i < n; ++i) y[i] = fused(factor, x[i], y[i]);
}

}  // namespace learnable
