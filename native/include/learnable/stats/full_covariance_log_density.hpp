// Log densities of Gaussians with full covariance matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A Gaussian: precision L L', mean m about some centre, and the constant of its log density.
struct Gaussian {
  index_t columns;
  Buffer slices;  // panels of tile_rows columns of L, each a small row-major matrix
  Buffer transposed;  // L'm, with zeros up to a whole slice
  double constant;
  bool triangular;  // L has zeros above its diagonal

  const double* slice(index_t left) const { return slices.data() + left * columns; }

  // Writes an entry of L, whose row belongs to a column with this mean.
  void add(index_t row, index_t column, double entry, double mean) {
    slices[column / tile_rows * tile_rows * columns + row * tile_rows + column % tile_rows] = entry;
    transposed[column] += entry * mean;
  }
};

// rows whose densities are computed together
constexpr index_t transposed_rows = tile_depth / tile_columns * tile_columns;

// Transposed rows of a panel: strips of tile_columns rows, in which entries of one column are contiguous.
class TransposedPanel {
 public:
  explicit TransposedPanel(index_t columns) : columns_(columns), memory_(columns * transposed_rows, 0) {}

  index_t columns() const { return columns_; }
  const double* strip(index_t row) const { return memory_.data() + row * columns_; }

  // Loads the first `count` rows of a panel.
  void fill(const Panel& panel, index_t count) const {
    for (index_t i = 0; i < count; ++i) {
      double* out = memory_.data() + i / tile_columns * tile_columns * columns_ + i % tile_columns;
      for (index_t left = 0; left < columns_; left += panel_block) {
        const double* row = panel.row(left / panel_block, i);
        for (index_t j = 0; j < panel.width(left / panel_block); ++j) out[(left + j) * tile_columns] = row[j];
      }
    }
  }

 private:
  index_t columns_;
  Buffer memory_;
};

namespace detail {

// out[i] = constant - |L'x - transposed|^2 / 2 for the first `count` rows x of the panel; unspecified up to
// transposed_rows.
[[gnu::noinline]] inline void log_densities(const TransposedPanel& panel, index_t count, const Gaussian& shape,
                                            double* out) {
  std::fill_n(out, transposed_rows, shape.constant);
  for (index_t left = 0; left < panel.columns(); left += tile_rows)
    for (index_t row = 0; row < count; row += tile_columns) {
      const index_t top = shape.triangular ? left : 0;
      Lanes sums[tile_rows][tile_vectors];
      sum_tile<tile_rows, tile_vectors>({shape.slice(left) + top * tile_rows, 1, tile_rows},
                                        panel.strip(row) + top * tile_columns, tile_columns, panel.columns() - top,
                                        sums);
#pragma GCC unroll 8
      for (int n = 0; n < tile_vectors; ++n) {
        Lanes half = Lanes{};
#pragma GCC unroll 8
        for (int m = 0; m < tile_rows; ++m) {
          const Lanes apart = sums[m][n] - shape.transposed[left + m];
          half = fused(apart, apart, half);
        }
        store(out + row + n * lanes, load(out + row + n * lanes) - half / 2);
      }
    }
}

}  // namespace detail

// The Gaussian of mean `mean` and precision L L' for the lower triangle L, for rows that are taken about `centre`.
inline Gaussian gaussian(const Numbers& triangle, const double* mean, const double* centre, double constant) {
  const index_t p = triangle.rows, padded = round_up(p, tile_rows);
  Gaussian made{p, Buffer(padded * p, 0), Buffer(padded, 0), constant, true};
  for (index_t k = 0; k < p; ++k)
    for (index_t j = 0; j <= k; ++j) made.add(k, j, triangle(k, j), mean[k] - centre[k]);
  return made;
}

// The same of principal axes, one a column, and the variances along them.
inline Gaussian gaussian(const Numbers& axes, const Numbers& variance, const double* mean, const double* centre,
                         double constant) {
  const index_t p = axes.rows, padded = round_up(p, tile_rows);
  Gaussian made{p, Buffer(padded * p, 0), Buffer(padded, 0), constant, false};
  for (index_t j = 0; j < p; ++j) {
    const double root = std::sqrt(variance(j));
    for (index_t k = 0; k < p; ++k) made.add(k, j, axes(k, j) / root, mean[k] - centre[k]);
  }
  return made;
}

// out(i, k) = constant_k - (x_i - mean_k)' L_k L_k' (x_i - mean_k) / 2. A block of rows is read once; about p^2 / 2
// products for each row and class.
inline void quadratic_scores(const AnyDense& X, const double* centre, const std::vector<Gaussian>& classes,
                             Grid<double> out) {
  const index_t p = X.columns;
  const Blocks blocks(X.rows, transposed_rows);
  const bool parallel = X.rows * p * p * index_t(classes.size()) > 1 << 20;
  parallel_if(parallel, blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), count = blocks.end(block) - begin;
    const Panel panel(count, p);
    const TransposedPanel transposed(p);
    const Buffer one(count, 1), scores(transposed_rows);
    fill_panel(X, begin, count, centre, one.data(), panel, 0);
    transposed.fill(panel, count);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      detail::log_densities(transposed, count, classes[k], scores.data());
      for (index_t i = 0; i < count; ++i) out(begin + i, k) = scores[i];
    }
  });
}

}  // namespace learnable
