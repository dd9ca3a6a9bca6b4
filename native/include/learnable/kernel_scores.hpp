// Sums over support vectors: what a kernel machine says about new rows.
#pragma once

#include "learnable/kernel_rows.hpp"

namespace learnable {

// out(i, t) = sum over rows j of the kernel's table of k(X_i, Y_j) coef(j, t).
inline void kernel_scores(const DenseKernel& Y, Grid<const double> X, Grid<const double> coef, Grid<double> out) {
  constexpr index_t width = DenseKernel::strip_width;
  const index_t targets = coef.columns;
  Buffer columns(targets * Y.strips() * width, 0);  // coefficients of one target side by side
  for (index_t j = 0; j < coef.rows; ++j)
    for (index_t t = 0; t < targets; ++t) columns[t * Y.strips() * width + j] = coef(j, t);
  const Blocks blocks(X.rows, 64);
  parallel_if(X.rows * Y.rows() * (Y.columns() + 16) > (1 << 18), blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), count = blocks.end(block) - begin;
    DenseKernel::Left left;
    Y.take(X, begin, count, left);
    Buffer sums(round_up(count, tile_rows) * targets * lanes, 0);
    for (index_t strip = 0; strip < Y.strips(); ++strip)
      for (index_t i = 0; i < count; i += tile_rows)
        Y.tile(left, i, strip, [&](index_t first, index_t at, const double* values) {
          for (index_t t = 0; t < targets; ++t) {
            const double* weight = &columns[t * Y.strips() * width + at * width];
            for (index_t m = 0; m < tile_rows; ++m) {
              double* place = &sums[((first + m) * targets + t) * lanes];
              Lanes sum = load(place);
              for (index_t v = 0; v < width; v += lanes) sum = fused(load(values + m * width + v), load(weight + v), sum);
              store(place, sum);
            }
          }
        });
    for (index_t i = 0; i < count; ++i)
      for (index_t t = 0; t < targets; ++t) {
        double sum = 0;
        for (int lane = 0; lane < lanes; ++lane) sum += sums[(i * targets + t) * lanes + lane];
        out(begin + i, t) = sum;
      }
  });
}

inline void kernel_scores(const SparseKernel& Y, const SparseKernel::Rows& X, Grid<const double> coef,
                          Grid<double> out) {
  constexpr index_t abreast = SparseKernel::abreast;
  const Blocks blocks(X.count, 64);
  const index_t targets = coef.columns;
  parallel_if(X.count * Y.rows() > (1 << 12), blocks.count, [&](index_t block, int) {
    SparseKernel::Left left = Y.room();
    alignas(64) double values[abreast];
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += abreast) {
      const index_t count = std::min<index_t>(abreast, blocks.end(block) - i);
      std::int32_t which[abreast];
      for (index_t k = 0; k < count; ++k) {
        which[k] = std::int32_t(i + k);
        std::fill_n(&out(i + k, 0), targets, 0.0);
      }
      Y.take(X, which, count, left);
      for (index_t j = 0; j < Y.rows(); ++j) {
        Y.column(left, j, values);
        for (index_t k = 0; k < count; ++k)
          for (index_t t = 0; t < targets; ++t) out(i + k, t) = fused(values[k], coef(j, t), out(i + k, t));
      }
      Y.leave(X, left);
    }
  });
}

}  // namespace learnable
