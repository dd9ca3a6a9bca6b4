// Log densities of Gaussians with independent columns (diagonal covariance).
#pragma once

#include <cmath>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/row_matmul.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

constexpr index_t score_rows = 4;  // rows per load of the class parameters

// Entry (i, j) is data[i * down + j * along].
template <class T>
struct Strided {
  const T* data;
  index_t columns, down, along;

  explicit Strided(const AnyDense& X)
      : data(X.entries<T>()), columns(X.columns), down(X.by_rows ? X.stride : 1), along(X.by_rows ? 1 : X.stride) {}
  double operator()(index_t i, index_t j) const { return double(data[i * down + j * along]); }
};

// distance[r][.] = squares of (x - mean) * scale summed over columns, of `count` rows from i on and the classes of one
// vector; tables hold a row per column. Missing values contribute zero.
template <int R, bool missing, class T>
void add_distances(const Strided<T>& X, index_t i, const double* mean, const double* scale, index_t stride, Lanes* distance) {
  Lanes sums[R] = {};
  for (index_t j = 0; j < X.columns; ++j) {
    const Lanes m = load(mean + j * stride), s = load(scale + j * stride);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const double x = X(i + r, j);
      if (missing && std::isnan(x)) continue;
      const Lanes apart = (x - m) * s;
      sums[r] = fused(apart, apart, sums[r]);
    }
  }
  for (int r = 0; r < R; ++r) distance[r] = sums[r];
}

// As gaussian_scores, for the rows [begin, end).
template <bool missing, class T>
void score_rows_of(const Strided<T>& X, index_t begin, index_t end, Grid<const double> means, Grid<const double> scales,
                   const Numbers& constant, Grid<double> out) {
  const index_t classes = out.columns, step = score_rows;
  Lanes distance[score_rows];
  for (index_t i = begin; i < end;) {
    const index_t count = end - i >= step ? step : 1;
    for (index_t k = 0; k < classes; k += lanes) {
      const double *m = &means(0, k), *s = &scales(0, k);
      if (count == step)
        add_distances<score_rows, missing>(X, i, m, s, means.stride, distance);
      else
        add_distances<1, missing>(X, i, m, s, means.stride, distance);
      for (index_t r = 0; r < count; ++r)
        for (index_t lane = 0; lane < std::min<index_t>(lanes, classes - k); ++lane)
          out(i + r, k + lane) = constant(k + lane) - distance[r][lane] / 2;
    }
    i += count;
  }
}

}  // namespace detail

// out(i, k) = constant[k] - sum over columns of ((x - mean(k, .)) scale(k, .))^2 / 2, for means and scales (classes,
// p). `missing`: some values are missing (NaN) and contribute zero.
inline void gaussian_scores(const AnyDense& X, const Numbers& mean, const Numbers& scale, const Numbers& constant,
                            bool missing, Grid<double> out) {
  const index_t p = X.columns, classes = out.columns, step = detail::score_rows;
  const Padded means(p, std::max<index_t>(classes, 2)), scales(p, std::max<index_t>(classes, 2));
  for (index_t j = 0; j < p; ++j)
    for (index_t k = 0; k < classes; ++k) means.grid(j, k) = mean(k, j), scales.grid(j, k) = scale(k, j);
  const Blocks blocks(X.rows, round_up(detail::lines_of(1 << 16, X.rows, X.rows * p), step));
  parallel_for(blocks.count, [&](index_t block, int) {
    const auto score = [&](const auto& entries) {
      const index_t begin = blocks.begin(block), end = blocks.end(block);
      missing ? detail::score_rows_of<true>(entries, begin, end, means.grid, scales.grid, constant, out)
           : detail::score_rows_of<false>(entries, begin, end, means.grid, scales.grid, constant, out);
    };
    X.f64 ? score(detail::Strided<double>(X)) : score(detail::Strided<float>(X));
  });
}

}  // namespace learnable
