// Kernel matrices of two sparse matrices.
//
// A few rows of X are scattered into a dense strip, and every row of Y is compared with all of them at once: the work
// is rows of X times entries of Y, however many columns there are.
#pragma once

#include <algorithm>
#include <cmath>

#include "learnable/kernels/kernel_functions.hpp"
#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/neighbors/columnwise_distances.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A comparison adds a term per entry of a row of Y (x is the entry of X there), and one value per row.

struct SparseProduct {
  static Lanes step(Lanes x, double y) { return x * y; }
  static double row_value(double) { return 0; }
  static double value(double, double, double sum) { return sum; }
};

struct SparseSquare {
  static Lanes step(Lanes x, double y) { return x * y; }
  static double row_value(double x) { return x * x; }
  static double value(double left, double right, double sum) { return std::max(left + right - 2 * sum, 0.0); }
};

// sum |x - y|: |x| counts wherever y is zero, and is taken back where it is not.
struct SparseManhattan {
  static Lanes step(Lanes x, double y) { return detail::magnitude(x - y) - detail::magnitude(x); }
  static double row_value(double x) { return std::abs(x); }
  static double value(double left, double, double sum) { return std::max(left + sum, 0.0); }
};

// sum (x - y)^2 / (x + y) for entries that are not negative: x counts wherever y is zero.
struct SparseChiSquared {
  static Lanes step(Lanes x, double y) {
    const Lanes gap = x - y, size = x + y;
    return gap * gap / (size != 0 ? size : Lanes{} + 1) - x;
  }
  static double row_value(double x) { return x; }
  static double value(double left, double, double sum) { return std::max(left + sum, 0.0); }
};

template <class Comparison>
Buffer all_row_values(const SparseRows<double>& X) {
  Buffer row_values(X.rows, 0);
  for (index_t i = 0; i < X.rows; ++i)
    for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) row_values[i] += Comparison::row_value(X.value[e]);
  return row_values;
}

// out(i, j) = shape(comparison of X_i and Y_j)
template <class Comparison, class Shape, class T>
void sparse_kernel(const Shape& shape, const SparseRows<double>& X, const SparseRows<double>& Y, bool same, Grid<T> out) {
  constexpr index_t together = 8, piece = 256;
  static_assert(together % lanes == 0);
  const Buffer left = all_row_values<Comparison>(X), right = same ? Buffer(0) : all_row_values<Comparison>(Y);
  const double* other = same ? left.data() : right.data();
  const Blocks groups(X.rows, together);
  std::vector<Buffer> strips(threads_for(groups.count));
  parallel_for(groups.count, [&](index_t group, int slot) {
    if (!strips[slot].data()) strips[slot] = Buffer(X.columns * together, 0);
    double* strip = strips[slot].data();
    const index_t begin = groups.begin(group), count = groups.end(group) - begin;
    for (index_t k = 0; k < count; ++k)
      for (index_t e = X.start[begin + k]; e < X.start[begin + k + 1]; ++e)
        strip[X.index[e] * together + k] += X.value[e];
    double found[together][piece];
    for (index_t first = same ? begin : 0; first < Y.rows; first += piece) {
      const index_t width = std::min(piece, Y.rows - first);
      for (index_t j = 0; j < width; ++j) {
        Lanes sums[together / lanes] = {};
        for (index_t e = Y.start[first + j]; e < Y.start[first + j + 1]; ++e) {
          const double* x = strip + Y.index[e] * together;
#pragma GCC unroll 4
          for (int v = 0; v < together / lanes; ++v) sums[v] += Comparison::step(load(x + v * lanes), Y.value[e]);
        }
        for (index_t k = 0; k < count; ++k)
          found[k][j] = same && begin + k == first + j && !std::is_same_v<Comparison, SparseProduct>
                            ? 0
                            : Comparison::value(left[begin + k], other[first + j], sums[k / lanes][k % lanes]);
      }
      for (index_t k = 0; k < count; ++k) {
        shape(found[k], width);
        for (index_t j = 0; j < width; ++j) out(begin + k, first + j) = T(found[k][j]);
      }
      if (same)
        for (index_t j = 0; j < width; ++j)
          for (index_t k = 0; k < std::min(count, first + j - begin + 1); ++k) out(first + j, begin + k) = T(found[k][j]);
    }
    for (index_t k = 0; k < count; ++k)
      for (index_t e = X.start[begin + k]; e < X.start[begin + k + 1]; ++e) strip[X.index[e] * together + k] = 0;
  });
}

}  // namespace learnable
