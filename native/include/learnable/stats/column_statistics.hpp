// Statistics of each column of a matrix without missing entries; and columns shifted and scaled.
//
// Rows are processed in tiles that stay in the cache: means first, then squares about them. Tiles and blocks are merged
// in order.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Statistics of the weighted entries of one column: total weight, mean, sum of squares about it, range, and the number
// of missing entries (NaN). Entries of weight zero are ignored.
struct ColumnSummary {
  double weight = 0, mean = 0, spread = 0;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  double missing = 0;

  void join(const ColumnSummary& other) {
    const double total = weight + other.weight;
    if (other.weight > 0) {
      const double apart = other.mean - mean, fraction = other.weight / total;
      spread += other.spread + apart * apart * weight * fraction;
      mean += apart * fraction;
      weight = total;
    }
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    missing += other.missing;
  }
};

namespace detail {

constexpr index_t summary_tile = 128;

// Sums over a tile, an array per quantity so that loops over columns can be vectorised.
struct TileSums {
  std::vector<double> weight, sum, spread, low, high, missing;

  explicit TileSums(index_t p) : weight(p), sum(p), spread(p), low(p), high(p), missing(p) {}

  void clear() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (auto* values : {&weight, &sum, &spread, &missing}) std::fill(values->begin(), values->end(), 0.0);
    std::fill(low.begin(), low.end(), infinity);
    std::fill(high.begin(), high.end(), -infinity);
  }

  ColumnSummary column(index_t j) const { return {weight[j], sum[j], spread[j], low[j], high[j], missing[j]}; }
};

// Adds one row of weight w; `sum` becomes the sum, later the mean.
template <class T>
void add_row(const T* row, index_t p, double w, TileSums& tile) {
  double *weight = tile.weight.data(), *sum = tile.sum.data(), *low = tile.low.data(), *high = tile.high.data();
  double* missing = tile.missing.data();
  constexpr double infinity = std::numeric_limits<double>::infinity();
#pragma omp simd
  for (index_t j = 0; j < p; ++j) {
    const double x = double(row[j]);
    const bool there = x == x;
    weight[j] += there ? w : 0.0;
    sum[j] += there ? w * x : 0.0;
    missing[j] += there ? 0.0 : 1.0;
    const double small = there ? x : infinity, large = there ? x : -infinity;
    low[j] = small < low[j] ? small : low[j];
    high[j] = large > high[j] ? large : high[j];
  }
}

template <class T>
void add_spread(const T* row, index_t p, double w, TileSums& tile) {
  const double* mean = tile.sum.data();
  double* spread = tile.spread.data();
#pragma omp simd
  for (index_t j = 0; j < p; ++j) {
    const double apart = double(row[j]) - mean[j];
    spread[j] += apart == apart ? w * apart * apart : 0.0;
  }
}

template <class T>
void summarise_rows(const RowMajor<T>& X, const Numbers& weight, index_t begin, index_t end,
                    std::vector<ColumnSummary>& out) {
  TileSums tile(X.columns);
  for (index_t first = begin; first < end; first += summary_tile) {
    const index_t last = std::min(first + summary_tile, end);
    tile.clear();
    for (index_t i = first; i < last; ++i) {
      const double w = weight ? weight(i) : 1.0;
      if (w > 0) add_row(X.data + i * X.stride, X.columns, w, tile);
    }
    for (index_t j = 0; j < X.columns; ++j)
      if (tile.weight[j] > 0) tile.sum[j] /= tile.weight[j];
    for (index_t i = first; i < last; ++i) {
      const double w = weight ? weight(i) : 1.0;
      if (w > 0) add_spread(X.data + i * X.stride, X.columns, w, tile);
    }
    for (index_t j = 0; j < X.columns; ++j) out[j].join(tile.column(j));
  }
}

// One column, or the stored entries of a sparse one: value(k) of weight(k) for k < n.
template <class Value, class Weight>
ColumnSummary summary_of(index_t n, Value&& value, Weight&& weight) {
  ColumnSummary all;
  for (index_t first = 0; first < n; first += summary_tile) {
    const index_t last = std::min(first + summary_tile, n);
    ColumnSummary tile;
    for (index_t k = first; k < last; ++k) {
      const double x = value(k), w = weight(k);
      if (!(w > 0)) continue;
      if (x != x) {
        tile.missing += 1;
        continue;
      }
      tile.weight += w;
      tile.mean += w * x;
      tile.low = std::min(tile.low, x);
      tile.high = std::max(tile.high, x);
    }
    if (tile.weight > 0) tile.mean /= tile.weight;
    for (index_t k = first; k < last; ++k) {
      const double apart = value(k) - tile.mean, w = weight(k);
      if (w > 0 && apart == apart) tile.spread += w * apart * apart;
    }
    all.join(tile);
  }
  return all;
}

}  // namespace detail

// out[j] = summary of column j over the rows, in one pass.
template <class T>
void summarise_columns(const RowMajor<T>& X, const Numbers& weight, ColumnSummary* out) {
  const Blocks blocks(X.rows, std::max<index_t>((1 << 17) / std::max<index_t>(X.columns, 1), X.rows / 64 + 1));
  std::vector<std::vector<ColumnSummary>> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    parts[block].resize(X.columns);
    detail::summarise_rows(X, weight, blocks.begin(block), blocks.end(block), parts[block]);
  });
  for (index_t j = 0; j < X.columns; ++j)
    for (const auto& part : parts) out[j].join(part[j]);
}

template <class T>
void summarise_columns(const ColumnMajor<T>& X, const Numbers& weight, ColumnSummary* out) {
  const Blocks blocks(X.columns, 1);
  parallel_for(blocks.count, [&](index_t j, int) {
    const T* column = X.data + j * X.stride;
    out[j] = detail::summary_of(
        X.rows, [&](index_t i) { return double(column[i]); }, [&](index_t i) { return weight ? weight(i) : 1.0; });
  });
}

// Sparse columns: the zeros that are not stored count as well; `total` is the weight of all rows.
template <class T>
void summarise_columns(const SparseColumns<T>& X, const Numbers& weight, ColumnSummary* out) {
  double total = 0, rows = 0;
  for (index_t i = 0; i < X.rows; ++i) {
    const double w = weight ? weight(i) : 1.0;
    total += w;
    rows += w > 0 ? 1.0 : 0.0;
  }
  const Blocks blocks(X.columns, std::max<index_t>(X.columns / 64, 1));
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t j = blocks.begin(block); j < blocks.end(block); ++j) {
      const index_t begin = X.start[j];
      const index_t stored = index_t(X.start[j + 1] - begin);
      double weighed = 0, counted = 0;
      for (index_t k = 0; k < stored; ++k) {
        const double w = weight ? weight(X.index[begin + k]) : 1.0;
        weighed += w;
        counted += w > 0 ? 1.0 : 0.0;
      }
      out[j] = detail::summary_of(
          stored, [&](index_t k) { return double(X.value[begin + k]); },
          [&](index_t k) { return weight ? weight(X.index[begin + k]) : 1.0; });
      if (counted < rows) out[j].join({total - weighed, 0, 0, 0, 0, 0});
    }
  });
}

// out_ij = (x_ij - shift_j) * scale_j for a matrix whose rows lie `stride` apart; out has the shape and order of X.
template <class T>
void shift_and_scale(const T* x, index_t rows, index_t columns, index_t stride, const double* shift,
                     const double* scale, T* out) {
  const Blocks blocks(rows, std::max<index_t>((1 << 16) / std::max<index_t>(columns, 1), 1));
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const T* from = x + i * stride;
      T* to = out + i * columns;
#pragma omp simd
      for (index_t j = 0; j < columns; ++j) to[j] = T((double(from[j]) - shift[j]) * scale[j]);
    }
  });
}

}  // namespace learnable
