// Weight, means and sums of products about the means of some rows: they can be merged without loss.
#pragma once

#include "learnable/buffer.hpp"
#include "learnable/parallel.hpp"
#include "learnable/tile.hpp"
#include "learnable/view.hpp"

namespace learnable {

// Of p columns and t targets. Means are kept as shift + mean, where the shift is a value near the data: the small part
// keeps its digits when the mean is large and the spread is not.
struct Comoments {
  index_t p = 0, t = 0;
  double weight = 0;
  Scratch products;      // row i < p, column j >= i: columns, then targets, then (while summing) the constant 1
  Buffer shift, mean;    // p + t
  Buffer spread;         // t, about the mean

  Comoments() = default;
  Comoments(index_t p, index_t t)
      : p(p), t(t), products(round_up(p, tile_rows), p + t + 1), shift(p + t, 0), mean(p + t, 0), spread(t, 0) {
    products.clear();
  }

  // This, made (again) for p columns and t targets and no rows.
  Comoments& emptied(index_t columns, index_t targets) {
    if (p != columns || t != targets) return *this = Comoments(columns, targets);
    weight = 0;
    products.clear();
    for (const Buffer* buffer : {&shift, &mean, &spread}) std::fill_n(buffer->data(), buffer->size(), 0.0);
    return *this;
  }

  // About how many tiles a product with all columns has.
  index_t tiles() const { return p / tile_rows * ((p + 2 * t) / tile_columns / 2 + 1); }

  // Turns sums of products about the shift into sums about the mean; sums(j) is the weighted sum of column j.
  void centre(View<const double> sums) {
    if (weight == 0) return;
    for (index_t j = 0; j < p + t; ++j) mean[j] = sums[j] / weight;
    add_outer(sums.data, mean.data(), -1);
    for (index_t target = 0; target < t; ++target) spread[target] -= sums[p + target] * mean[p + target];
  }

  // Takes in the rows that `other` describes. Cost: p (p + t) / 2 products.
  void merge(const Comoments& other) {
    if (other.weight == 0) return;
    const double share = other.weight / (weight + other.weight), between = weight * share;
    Buffer apart(p + t), scaled(p + t);
    for (index_t j = 0; j < p + t; ++j) {
      apart[j] = (other.shift[j] - shift[j]) + (other.mean[j] - mean[j]);
      scaled[j] = between * apart[j];
      mean[j] += share * apart[j];
    }
    for (index_t i = 0; i < p; ++i)
      for (index_t j = i; j < p + t; ++j) products.grid(i, j) += other.products.grid(i, j);
    add_outer(scaled.data(), apart.data(), 1);
    for (index_t target = 0; target < t; ++target)
      spread[target] += other.spread[target] + scaled[p + target] * apart[p + target];
    weight += other.weight;
  }

 private:
  // products(i, j) += sign a_i b_j
  void add_outer(const double* a, const double* b, double sign) {
    const Blocks rows(p, 64);
    parallel_if(p * p > 1 << 16, rows.count, [&](index_t block, int) {
      for (index_t i = rows.begin(block); i < rows.end(block); ++i)
        for (index_t j = i; j < p + t; ++j) products.grid(i, j) += sign * a[i] * b[j];
    });
  }
};

}  // namespace learnable
