// Weight, means and sums of products about the means of some rows, which can be merged exactly.
#pragma once

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// For p columns and t targets. Means are stored as shift + mean, where the shift is a value near the data: the small
// part keeps its digits when the mean is large compared with the spread.
struct Comoments {
  index_t p = 0, t = 0;
  double weight = 0;
  Scratch products;      // row i < p, column j >= i: columns, then targets, then (while summing) the constant 1
  Buffer sums;           // p + t: weighted, about the shift
  Buffer shift, mean;    // p + t
  Buffer spread;         // t: weighted sums of squares, about the shift or the mean as the products are

  Comoments() = default;
  Comoments(index_t p, index_t t)
      : p(p), t(t), products(round_up(p, tile_rows), p + t + 1), sums(p + t, 0), shift(p + t, 0), mean(p + t, 0),
        spread(t, 0) {
    products.clear();
  }

  // Resets to p columns, t targets and no rows.
  Comoments& emptied(index_t columns, index_t targets) {
    if (p != columns || t != targets) return *this = Comoments(columns, targets);
    weight = 0;
    products.clear();
    for (const Buffer* buffer : {&sums, &shift, &mean, &spread}) std::fill_n(buffer->data(), buffer->size(), 0.0);
    return *this;
  }

  // About how many tiles a product with all columns has.
  index_t tiles() const { return p / tile_rows * ((p + 2 * t) / tile_columns / 2 + 1); }

  // Turns the sums of products from about the shift to about the mean.
  void centre() {
    if (weight == 0) return;
    for (index_t j = 0; j < p + t; ++j) mean[j] = sums[j] / weight;
    for_rows([&](index_t i, double* row) {
      for (index_t j = i; j < p + t; ++j) row[j] -= sums[i] * mean[j];
    });
    for (index_t j = 0; j < t; ++j) spread[j] -= sums[p + j] * mean[p + j];
  }

  // Merges the rows of `part`; this is about its mean, `part` still about its shift. Both centrings are done in one
  // pass of p (p + t) / 2 steps.
  void merge(const Comoments& part) {
    if (part.weight == 0) return;
    const double fraction = part.weight / (weight + part.weight), between = weight * fraction;
    const Buffer its_mean(p + t), apart(p + t);
    for (index_t j = 0; j < p + t; ++j) {
      its_mean[j] = part.sums[j] / part.weight;
      apart[j] = (part.shift[j] - shift[j]) + (its_mean[j] - mean[j]);
      mean[j] += fraction * apart[j];
    }
    for_rows([&](index_t i, double* row) {
      const double* its_row = &part.products.grid(i, 0);
      for (index_t j = i; j < p + t; ++j)
        row[j] += (its_row[j] - part.sums[i] * its_mean[j]) + between * apart[i] * apart[j];
    });
    for (index_t j = 0; j < t; ++j)
      spread[j] += (part.spread[j] - part.sums[p + j] * its_mean[p + j]) + between * apart[p + j] * apart[p + j];
    weight += part.weight;
  }

 private:
  template <class F>
  void for_rows(F&& f) {
    const Blocks rows(p, 64);
    parallel_if(p * p > 1 << 16, rows.count, [&](index_t block, int) {
      for (index_t i = rows.begin(block); i < rows.end(block); ++i) f(i, &products.grid(i, 0));
    });
  }
};

}  // namespace learnable
