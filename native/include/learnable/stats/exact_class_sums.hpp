// Sums of entries and of their squares over the rows of each class, without rounding errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/stats/exact_sums.hpp"
#include "learnable/stats/sliced_rows.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// The exact sums of one thread. For each class, one after the other: its weight; the weight of missing entries (NaN) of
// each column; sums w x of the others; and, if requested, w x^2.
class ExactClassSums {
 public:
  ExactClassSums(index_t columns, index_t classes, bool squares)
      : p_(columns), classes_(classes), squares_(squares), width_(1 + (squares ? 3 : 2) * columns),
        sums_(classes * width_), zero_(columns, 0), rows_(columns), pending_(classes, 0) {}

  // Adds rows [begin, begin + count) of at most sliced_rows.
  void add_rows(const PanelRows& X, View<const std::int64_t> code, const Numbers& weight, index_t begin, index_t count) {
    double used[sliced_rows] = {};
    for (index_t k = 0; k < count; ++k) {
      const double w = rows_.weights()[k] = weight ? weight(begin + k) : 1;
      used[k] = w != 0;
      sums_.add(code[begin + k] * width_, BinaryFloat(w));
    }
    fill_panel(X, begin, count, zero_.data(), used, rows_.entries(), 0);
    take_missing(code, begin, count);
    rows_.cut(count, [&] { empty_bins(); });
    for (const index_t k : rows_.far()) add_far_row(X, begin + k, code[begin + k], rows_.weights()[k]);
    for (index_t k = 0; k < count; ++k) add_sliced_row(k, code[begin + k]);
  }

  // Adds an entry that is not sliced.
  void add_entry(index_t k, index_t j, double value, const BinaryFloat& w) {
    if (value == 0 || !w.mantissa) return;
    const index_t at = k * width_ + 1 + j;
    if (std::isnan(value)) return sums_.add(at, w);
    const BinaryFloat x(value);
    sums_.add_product(at + p_, x, w);
    if (squares_) sums_.add_product(at + 2 * p_, x, x, w);
  }

  void add_class(index_t k, const BinaryFloat& w) { sums_.add(k * width_, w); }

  ExactSums& sums() {
    empty_bins();
    return sums_;
  }

 private:
  static constexpr int max_pending = 64;  // rows of a class: sums of up to 5 products of slices stay below 2^53

  // Counts missing entries and makes them zero.
  void take_missing(View<const std::int64_t> code, index_t begin, index_t count) {
    rows_.for_blocks(count, [&](index_t block, index_t k, index_t left, index_t width) {
      double *row = rows_.entries().row(block, k), missing = 0;
#pragma omp simd reduction(+ : missing)
      for (index_t j = 0; j < width; ++j) missing += row[j] == row[j] ? 0.0 : 1.0;
      if (missing == 0) return;
      for (index_t j = 0; j < width; ++j) {
        if (!std::isnan(row[j])) continue;
        if (const double w = rows_.weights()[k]; w != 0) add_entry(code[begin + k], left + j, row[j], BinaryFloat(w));
        row[j] = 0;
      }
    });
  }

  void add_far_row(const PanelRows& X, index_t i, index_t k, double weight) {
    const Panel one(1, p_);
    const double unit = 1;
    fill_panel(X, i, 1, zero_.data(), &unit, one, 0);
    for (index_t j = 0; j < p_; ++j)
      if (!std::isnan(one(0, j))) add_entry(k, j, one(0, j), BinaryFloat(weight));
  }

  double* bin(std::vector<std::vector<double>>& bins, int number, index_t k) {
    while (int(bins.size()) <= number) bins.emplace_back(classes_ * p_, 0);
    return bins[number].data() + k * p_;
  }

  void add_sliced_row(index_t row, index_t k) {
    for (int m = 0; m < rows_.products(); ++m) {
      double* total = bin(totals_, m, k);
      for_columns(rows_.product(m), row, [&](const double* z, index_t left, index_t width) {
#pragma omp simd
        for (index_t j = 0; j < width; ++j) total[left + j] += z[j];
      });
      for (int s = 0; squares_ && s < rows_.slices(); ++s) {
        double* square = bin(products_, s + m, k);
        const Panel& slice = rows_.slice(s);
        for_columns(rows_.product(m), row, [&](const double* z, index_t left, index_t width) {
          const double* x = slice.row(left / panel_block, row);
#pragma omp simd
          for (index_t j = 0; j < width; ++j) square[left + j] += x[j] * z[j];
        });
      }
    }
    if (++pending_[k] == max_pending) empty_bins(k);
  }

  template <class F>
  static void for_columns(const Panel& panel, index_t row, F&& f) {
    for (index_t block = 0; block < panel.blocks(); ++block)
      f(panel.row(block, row), panel.left(block), panel.width(block));
  }

  void empty_bins() {
    for (index_t k = 0; k < classes_; ++k) empty_bins(k);
  }

  void empty_bins(index_t k) {
    if (!pending_[k]) return;
    pending_[k] = 0;
    const index_t at = k * width_ + 1 + p_;
    empty(totals_, k, at, [&](index_t j) { return rows_.product_exponent(j); });
    empty(products_, k, at + p_, [&](index_t j) { return rows_.exponent(j) + rows_.product_exponent(j); });
  }

  template <class F>
  void empty(std::vector<std::vector<double>>& bins, index_t k, index_t at, F&& exponent) {
    for (int number = 0; number < int(bins.size()); ++number) {
      double* values = bins[number].data() + k * p_;
      for (index_t j = 0; j < p_; ++j) {
        sums_.add(at + j, std::int64_t(values[j]), exponent(j) - slice_bits * number);
        values[j] = 0;
      }
    }
  }

  index_t p_, classes_;
  bool squares_;
  index_t width_;
  ExactSums sums_;
  Buffer zero_;
  SlicedRows rows_;
  std::vector<int> pending_;
  std::vector<std::vector<double>> totals_, products_;
};

// Calls f(sums, block) for blocks of rows, each thread with sums of its own, and returns all of them, carried.
template <class F>
ExactSums exact_by_class(index_t p, index_t classes, bool squares, const Blocks& blocks, F&& f) {
  std::vector<ExactClassSums> slots;
  for (int slot = 0; slot < std::max(threads_for(blocks.count), 1); ++slot) slots.emplace_back(p, classes, squares);
  parallel_for(blocks.count, [&](index_t block, int slot) { f(slots[slot], block); });
  ExactSums all = std::move(slots[0].sums());
  for (std::size_t slot = 1; slot < slots.size(); ++slot) all.merge(slots[slot].sums());
  all.carry();
  return all;
}

}  // namespace detail

// For each class, one after the other: its weight; the weight of missing entries (NaN) of each column; sums w x of the
// others; and, if requested, w x^2.
inline ExactSums exact_class_sums(const PanelRows& X, View<const std::int64_t> code, index_t classes,
                                  const Numbers& weight, bool squares) {
  const index_t chunks = std::clamp<index_t>((1 << 12) / std::max<index_t>(X.columns, 1), 1, 64);
  const Blocks blocks(X.rows, sliced_rows * chunks);
  return detail::exact_by_class(X.columns, classes, squares, blocks, [&](detail::ExactClassSums& sums, index_t block) {
    for (index_t begin = blocks.begin(block); begin < blocks.end(block); begin += sliced_rows)
      sums.add_rows(X, code, weight, begin, std::min(sliced_rows, blocks.end(block) - begin));
  });
}

// The same of sparse rows, entry by entry.
template <class T>
ExactSums exact_sparse_class_sums(const SparseRows<T>& X, View<const std::int64_t> code, index_t classes,
                                  const Numbers& weight, bool squares) {
  const Blocks blocks(X.rows, 1024);
  return detail::exact_by_class(X.columns, classes, squares, blocks, [&](detail::ExactClassSums& sums, index_t block) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const BinaryFloat w(weight ? weight(i) : 1);
      sums.add_class(code[i], w);
      for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) sums.add_entry(code[i], X.index[e], double(X.value[e]), w);
    }
  });
}

}  // namespace learnable
