// Moments of a sparse design.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/matrix/sorted_csr.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/stats/comoments.hpp"
#include "learnable/stats/moments.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// The entries of a block of columns, by row: entry e of the design is in row `row`.
struct EntryPosition {
  index_t row, entry;
};

inline std::vector<std::vector<EntryPosition>> positions_by_block(index_t rows, index_t columns, const line_t* index,
                                                       const index_t* start, index_t width) {
  std::vector<std::vector<EntryPosition>> positions((columns + width - 1) / width);
  for (index_t i = 0; i < rows; ++i) {
    if (i % 4096 == 4095) poll_interrupt();
    for (index_t e = start[i]; e < start[i + 1]; ++e) positions[index[e] / width].push_back({i, e});
  }
  return positions;
}

// Columns per block: few enough that their rows of X'WX stay in the second cache and that a block is done soon, and
// many enough blocks for threads where that pays.
inline index_t sparse_block(index_t columns, index_t entries) {
  const index_t cached = std::max<index_t>((1 << 16) / std::max<index_t>(columns, 1), 1), spread = (columns + 15) / 16;
  if (entries < 1 << 16) return std::max(cached, spread);
  return std::max<index_t>(std::min({cached, spread, (1 << 20) * columns / entries}), 1);
}

// Rows of X'WX (from the diagonal on), of X'W(y - mean of y) and of X'W1 that belong to the columns of these entries.
template <class T>
void add_sparse_products(const SparseRows<T>& X, const double* weight, Grid<const double> y,
                         const std::vector<EntryPosition>& positions, Grid<double> products, double* totals) {
  for (const auto& [row, entry] : positions) {
    const index_t i = X.index[entry];
    const double scaled = weight[row] * double(X.value[entry]);
    double* out = &products(i, 0);
    totals[i] += scaled;
    for (index_t e = entry; e < X.start[row + 1]; ++e) out[X.index[e]] += scaled * double(X.value[e]);
    for (index_t target = 0; target < y.columns; ++target) out[X.columns + target] += scaled * y(row, target);
  }
}

// Weights as doubles and targets about their weighted mean; fills in the sums of both.
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

// As `moments` of a dense design, of sorted rows. Cost: the sum over rows of half the squared number of entries, which
// must be unique. A design with many entries goes through dense panels; else means are subtracted from the sums at the
// end, which cancels only where a nearly dense column varies little about a large value.
template <class T>
Comoments sorted_moments(const SparseRows<T>& X, const Numbers& y, const Numbers& weight, bool centre) {
  const index_t p = X.columns, t = y.columns, entries = X.start[X.rows];
  if (4 * entries > X.rows * p) return moments(X, y, weight, centre);
  Comoments sums(p, t);
  const Buffer weights(X.rows), targets(X.rows * t);
  const Grid<double> centred{targets.data(), X.rows, t, t};
  detail::read_targets(y, weight, centre, sums, weights.data(), centred);
  const auto positions = detail::positions_by_block(X.rows, X.columns, X.index, X.start,
                                                    detail::sparse_block(p, entries));
  parallel_for(positions.size(), [&](index_t block, int) {
    detail::add_sparse_products(X, weights.data(), centred, positions[block], sums.products.grid, sums.sums.data());
  });
  if (centre) sums.centre();
  return sums;
}

// The same for any sparse storage.
template <class Design>
Comoments sparse_moments(const Design& design, const Numbers& y, const Numbers& weight, bool centre) {
  return with_sorted_rows(design, [&](const auto& X) { return sorted_moments(X, y, weight, centre); });
}

}  // namespace learnable
