// Statistics of each column within each class: weight, mean, sum of squares about it, or just totals.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/products.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/stats/class_order.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Weight, sums and squares of (class, column), about a shift that is one of the values, which avoids cancellation.
struct ClassSums {
  index_t classes, columns;
  Buffer weight, shift, sum, square;

  ClassSums(index_t classes, index_t columns)
      : classes(classes), columns(columns), weight(classes * columns, 0),
        shift(classes * columns, std::numeric_limits<double>::quiet_NaN()), sum(classes * columns, 0),
        square(classes * columns, 0) {}
};

namespace detail {

// Calls f(row i, first column, values, how many of them) for pieces of the rows [begin, end). Rows may be short: f is
// best inlined.
template <class T, class F>
void for_row_pieces(const RowMajor<T>& X, index_t begin, index_t end, F&& f) {
  for (index_t i = begin; i < end; ++i) f(i, index_t(0), X.data + i * X.stride, X.columns);
}

template <class F>
void for_row_pieces(const AnyDense& X, index_t begin, index_t end, F&& f) {
  if (X.by_rows) {
    const index_t n = X.rows, p = X.columns, stride = X.stride;
    return X.f64 ? for_row_pieces(RowMajor<double>{X.entries<double>(), n, p, stride}, begin, end, f)
                  : for_row_pieces(RowMajor<float>{X.entries<float>(), n, p, stride}, begin, end, f);
  }
  const Panel panel(tile_depth, X.columns);
  for (index_t from = begin; from < end; from += tile_depth) {
    const index_t count = std::min(tile_depth, end - from);
    load_panel(X, from, count, panel);
    for (index_t block = 0; block < panel.blocks(); ++block)
      for (index_t k = 0; k < count; ++k)
        f(from + k, panel.left(block), static_cast<const double*>(panel.row(block, k)), panel.width(block));
  }
}

// Adds a piece of a row whose values are all there; its weight counts in the first column of the piece.
template <class T>
void add_values(const T* x, index_t n, double w, double* weight, double* shift, double* sum, double* square) {
  if (!(weight[0] > 0))
    for (index_t j = 0; j < n; ++j) shift[j] = double(x[j]);
  weight[0] += w;
#pragma omp simd
  for (index_t j = 0; j < n; ++j) {
    const double apart = double(x[j]) - shift[j], weighted = w * apart;
    sum[j] += weighted;
    square[j] += weighted * apart;
  }
}

// Copies the weight of each class in the first column to all columns.
inline void spread_weights(ClassSums& part) {
  for (index_t k = 0; k < part.classes; ++k)
    std::fill_n(&part.weight[k * part.columns], part.columns, part.weight[k * part.columns]);
}

// Adds those values of a piece that are not missing.
template <class T>
void add_present(const T* x, index_t n, double w, double* weight, double* shift, double* sum, double* square) {
  for (index_t j = 0; j < n; ++j) {
    const double value = double(x[j]);
    if (std::isnan(value)) continue;
    if (!(weight[j] > 0)) shift[j] = value;
    const double apart = value - shift[j];
    weight[j] += w;
    sum[j] += w * apart;
    square[j] += w * apart * apart;
  }
}

// Merges `part` into `total`, whose sums are about its shift and squares about its mean from its first part on.
inline void merge(const ClassSums& part, ClassSums& total) {
  for (index_t e = 0; e < part.weight.size(); ++e) {
    const double its = part.weight[e], before = total.weight[e];
    if (!(its > 0)) continue;
    const double its_mean = part.sum[e] / its, its_square = part.square[e] - part.sum[e] * its_mean;
    if (!(before > 0)) {
      total.weight[e] = its;
      total.shift[e] = part.shift[e];
      total.sum[e] = its_mean;  // the mean, about the shift
      total.square[e] = its_square;
      continue;
    }
    const double apart = (part.shift[e] - total.shift[e]) + (its_mean - total.sum[e]);
    const double fraction = its / (before + its);
    total.sum[e] += fraction * apart;
    total.square[e] += its_square + before * fraction * apart * apart;
    total.weight[e] += its;
  }
}

}  // namespace detail

// Weight, mean (as shift + sum) and squares about it of each class and column. One pass over X; `missing`: some values
// are missing (NaN) and are left out. Fixed blocks of rows, merged in order.
inline ClassSums class_moments(const AnyDense& X, View<const std::int64_t> code, index_t classes, const Numbers& weight,
                               bool missing) {
  const index_t p = X.columns;
  const Blocks blocks = detail::summing_blocks(X.rows, X.rows * p, 4 * classes * p);
  std::vector<ClassSums> parts;
  for (index_t block = 0; block < blocks.count; ++block) parts.emplace_back(classes, p);
  parallel_for(blocks.count, [&](index_t block, int) {
    ClassSums& part = parts[block];
    const auto add = [&](index_t i, index_t left, auto* x, index_t n) __attribute__((always_inline)) {
      const double w = weight ? weight(i) : 1;
      if (!(w > 0)) return;
      const index_t at = code[i] * p + left;
      double *its = &part.weight[at], *shift = &part.shift[at], *sum = &part.sum[at], *square = &part.square[at];
      missing ? detail::add_present(x, n, w, its, shift, sum, square)
           : detail::add_values(x, n, w, its, shift, sum, square);
    };
    detail::for_row_pieces(X, blocks.begin(block), blocks.end(block), add);
    if (!missing) detail::spread_weights(part);
  });
  ClassSums total(classes, p);
  for (const ClassSums& part : parts) detail::merge(part, total);
  return total;
}

// Weighted mean of each class, zero for one without rows.
inline void class_means(const AnyDense& X, View<const std::int64_t> code, const Numbers& weight, Grid<double> means) {
  const ClassSums sums = class_moments(X, code, means.rows, weight, false);
  for (index_t k = 0; k < means.rows; ++k)
    for (index_t j = 0; j < means.columns; ++j) {
      const index_t e = k * means.columns + j;
      means(k, j) = sums.weight[e] > 0 ? sums.shift[e] + sums.sum[e] : 0;
    }
}

// totals(k, j) = weighted sum over the rows of class k of x_j, or of [x_j > threshold]. One pass over X.
template <class Value>
void class_totals(const AnyDense& X, View<const std::int64_t> code, const Numbers& weight, Value&& value_of,
                  Grid<double> totals) {
  const index_t p = X.columns;
  const Blocks blocks = detail::summing_blocks(X.rows, X.rows * p, totals.rows * p);
  std::vector<Buffer> parts;
  for (index_t block = 0; block < blocks.count; ++block) parts.emplace_back(totals.rows * p, 0);
  parallel_for(blocks.count, [&](index_t block, int) {
    const auto add = [&](index_t i, index_t left, auto* x, index_t n) __attribute__((always_inline)) {
      const double w = weight ? weight(i) : 1;
      if (!(w > 0)) return;
      double* out = &parts[block][code[i] * p + left];
#pragma omp simd
      for (index_t j = 0; j < n; ++j) out[j] += w * value_of(double(x[j]));
    };
    detail::for_row_pieces(X, blocks.begin(block), blocks.end(block), add);
  });
  for (index_t k = 0; k < totals.rows; ++k)
    for (index_t j = 0; j < p; ++j) {
      double sum = 0;
      for (const Buffer& part : parts) sum += part[k * p + j];
      totals(k, j) = sum;
    }
}

// The same for sparse rows: a class at a time, so that its totals stay in the cache; zeros must not contribute.
template <class T, class Value>
void class_totals(const SparseRows<T>& X, View<const std::int64_t> code, const Numbers& weight,
                  Value&& value_of, Grid<double> totals) {
  const ClassOrder classes(code, totals.rows);
  parallel_for(totals.rows, [&](index_t k, int) {
    double* out = &totals(k, 0);
    std::fill_n(out, totals.columns, 0.0);
    for (const index_t i : classes.rows(k)) {
      const double w = weight ? weight(i) : 1;
      for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) out[X.index[e]] += w * value_of(double(X.value[e]));
    }
  });
}

}  // namespace learnable
