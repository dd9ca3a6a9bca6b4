// One step of SMACOF: the stress of an embedding, and the product with Guttman's matrix that lowers it.
#pragma once

#include <cmath>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable {

// out = B(X) X with b_ij = -w_ij target_ij / d_ij(X), b_ii = -sum of the others; returns the stress, the sum over i < j
// of w_ij (target_ij - d_ij(X))^2. `weight` may be empty: all are one. Where d_ij is 0, so is b_ij.
inline double smacof_product(Grid<const double> target, Grid<const double> weight, Grid<const double> X,
                             Grid<double> out) {
  const index_t rows = X.rows, columns = X.columns;
  std::vector<double> coordinate(std::size_t(rows * columns));  // column by column
  for (index_t i = 0; i < rows; ++i)
    for (index_t c = 0; c < columns; ++c) coordinate[c * rows + i] = X(i, c);
  const Blocks blocks(rows, 4);
  std::vector<double> stress(std::size_t(blocks.count));
  std::vector<std::vector<double>> scratch(std::size_t(std::max(threads_for(blocks.count), 1)));
  parallel_for(blocks.count, [&](index_t block, int slot) {
    scratch[slot].resize(std::size_t(rows));
    double* ratio = scratch[slot].data();
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* target_row = target.data + i * target.stride;
      const double* heavy = weight ? weight.data + i * weight.stride : nullptr;
      std::fill(ratio, ratio + rows, 0.0);
      for (index_t c = 0; c < columns; ++c) {
        const double* x = coordinate.data() + c * rows;
        const double own = x[i];
        for (index_t j = 0; j < rows; ++j) ratio[j] += (x[j] - own) * (x[j] - own);
      }
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (index_t j = 0; j < rows; ++j) {
        const double distance = std::sqrt(ratio[j]), off = target_row[j] - distance, w = heavy ? heavy[j] : 1.0;
        ratio[j] = distance > 0 ? w * target_row[j] / distance : 0.0;
        sum += w * off * off;
      }
      const double itself = heavy ? heavy[i] : 1.0;
      stress[block] += sum - itself * target_row[i] * target_row[i];
      for (index_t c = 0; c < columns; ++c) {
        const double* x = coordinate.data() + c * rows;
        const double own = x[i];
        double moved = 0;
#pragma omp simd reduction(+ : moved)
        for (index_t j = 0; j < rows; ++j) moved += ratio[j] * (own - x[j]);
        out(i, c) = moved;
      }
    }
  });
  double whole = 0;
  for (const double block_stress : stress) whole += block_stress;
  return whole / 2;
}

}  // namespace learnable
