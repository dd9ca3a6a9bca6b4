// Moments of a sparse design.
#pragma once

#include <vector>

#include "learnable/comoments.hpp"
#include "learnable/moments.hpp"
#include "learnable/numbers.hpp"
#include "learnable/parallel.hpp"
#include "learnable/transpose.hpp"

namespace learnable {

namespace detail {

// Row i of X'WX from column i on, X'W(y - mean of y) and the sum of column i.
template <class T>
double sparse_products_of_column(const CrossedSparse<T>& X, const double* weight, Grid<const double> y, index_t i,
                                 double* out) {
  double sum = 0;
  for (index_t e = X.column[i]; e < X.column[i + 1]; ++e) {
    const index_t row = X.row[e];
    const double scaled = weight[row] * double(X.value[X.place[e]]);
    sum += scaled;
    for (index_t k = X.place[e]; k < X.start[row + 1]; ++k) out[X.index[k]] += scaled * double(X.value[k]);
    for (index_t target = 0; target < y.columns; ++target) out[X.columns + target] += scaled * y(row, target);
  }
  return sum;
}

// Weights as doubles, targets about their weighted mean; fills what `sums` knows of them.
inline void read_targets(const Numbers& y, const Numbers& weight, bool centre, Comoments& sums, double* weights,
                         Grid<double> centred) {
  const index_t p = sums.p, t = sums.t;
  for (index_t i = 0; i < centred.rows; ++i) {
    weights[i] = weight ? weight(i) : 1;
    if (weights[i] < 0) throw std::invalid_argument("weights must not be negative");
    sums.weight += weights[i];
    if (!centre || weights[i] == 0) continue;
    for (index_t j = 0; j < t; ++j) sums.shift[p + j] += weights[i] / sums.weight * (y(i, j) - sums.shift[p + j]);
  }
  for (index_t i = 0; i < centred.rows; ++i)
    for (index_t j = 0; j < t; ++j) {
      centred(i, j) = y(i, j) - sums.shift[p + j];
      sums.spread[j] += weights[i] * centred(i, j) * centred(i, j);
    }
}

}  // namespace detail

// As `moments` of a dense design. Cost: the sum over rows of half the squared number of entries. Entries must be unique.
// A design that is mostly full goes through dense panels; else means are taken off the sums at the end, which costs
// digits only where a nearly full column varies little about a large value.
template <class Design>
Comoments sparse_moments(const Design& X, const Numbers& y, const Numbers& weight, bool centre) {
  const auto both = crossed(X);
  const index_t p = X.columns, t = y.columns, entries = both.value.size();
  if (4 * entries > X.rows * p) return moments(both.by_rows(), y, weight, centre);
  Comoments sums(p, t);
  const Buffer weights(X.rows), totals(p + t, 0);
  const Scratch centred(X.rows, t);
  detail::read_targets(y, weight, centre, sums, weights.data(), centred.grid);
  const Blocks columns(p, 8);
  parallel_if(entries > 1 << 14, columns.count, [&](index_t block, int) {
    for (index_t i = columns.begin(block); i < columns.end(block); ++i)
      totals[i] = detail::sparse_products_of_column(both, weights.data(), centred.grid, i, &sums.products.grid(i, 0));
  });
  if (centre) sums.centre(totals);
  return sums;
}

}  // namespace learnable
