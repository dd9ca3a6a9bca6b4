// Z'WZ for the columns Z = [X, y, 1], without rounding errors.
//
// Products of slices, summed over 128 rows, are integers below 2^53: the products of matrices in doubles are then exact.
// They are added as integers to bins, and those to digits on an absolute grid.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/sorted_csr.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/stats/exact_sums.hpp"
#include "learnable/stats/sliced_rows.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

constexpr int max_chunks = 128;  // of products that are added before the bins are emptied

using ExactRow = std::vector<std::pair<index_t, BinaryFloat>>;  // entries that are not zero, by column

// The exact sums of one thread.
class ExactGram {
 public:
  ExactGram(index_t p, index_t t)
      : p_(p), t_(t), q_(p + t + 1), sums_(q_ * (q_ + 1) / 2), zero_(q_, 0), rows_(q_), sum_(sliced_rows, q_),
        product_(round_up(q_, tile_rows), q_) {}

  // Adds rows [begin, begin + count) of at most sliced_rows.
  void add_rows(const PanelRows& X, const Numbers& y, const Numbers& weight, index_t begin, index_t count) {
    fill(X, y, weight, begin, count);
    rows_.cut(count, [&] { empty_bins(); });
    for (const index_t k : rows_.far()) add_far_row(X, y, begin + k, rows_.weights()[k]);
    rows_.weighted() ? add_weighted(count) : add_symmetric(count);
    if (++chunks_ == max_chunks) empty_bins();
  }

  // Adds one row, entry by entry.
  void add_entries(const ExactRow& row, double weight) {
    if (weight == 0) return;
    const BinaryFloat w(weight);
    for (std::size_t a = 0; a < row.size(); ++a) {
      const auto& [i, left] = row[a];
      const index_t start = i * q_ - i * (i - 1) / 2 - i;  // of a row of the upper triangle, less its first column
      for (std::size_t b = a; b < row.size(); ++b) {
        const auto& [j, right] = row[b];
        weight == 1 ? sums_.add_product(start + j, left, right) : sums_.add_product(start + j, left, right, w);
      }
    }
  }

  // Adds to a row the entries that follow those of X.
  void add_constants(const Numbers& y, index_t i, ExactRow& row) const {
    for (index_t target = 0; target < t_; ++target)
      if (const double value = y(i, target); value != 0) row.emplace_back(p_ + target, BinaryFloat(value));
    row.emplace_back(p_ + t_, BinaryFloat(1.0));
  }

  ExactSums& sums() {
    empty_bins();
    return sums_;
  }

 private:
  void fill(const PanelRows& X, const Numbers& y, const Numbers& weight, index_t begin, index_t count) {
    const Panel& entries = rows_.entries();
    double used[sliced_rows] = {};
    for (index_t k = 0; k < count; ++k) {
      rows_.weights()[k] = weight ? weight(begin + k) : 1;
      used[k] = rows_.weights()[k] != 0;
    }
    fill_panel(X, begin, count, zero_.data(), used, entries, 0);
    for (index_t k = 0; k < count; ++k) {
      for (index_t target = 0; target < t_; ++target) entries(k, p_ + target) = used[k] * y(begin + k, target);
      entries(k, p_ + t_) = used[k];
    }
  }

  void add_far_row(const PanelRows& X, const Numbers& y, index_t i, double weight) {
    const Panel one(1, q_);
    const double unit = 1;
    fill_panel(X, i, 1, zero_.data(), &unit, one, 0);
    ExactRow row;
    for (index_t j = 0; j < p_; ++j)
      if (one(0, j) != 0) row.emplace_back(j, BinaryFloat(one(0, j)));
    add_constants(y, i, row);
    add_entries(row, weight);
  }

  // product = A'B, its upper triangle.
  static void multiply_panels(const Panel& A, const Panel& B, index_t count, const Scratch& product) {
    product.clear();
    for (index_t across = 0; across < A.blocks(); ++across)
      for (index_t down = 0; down <= across; ++down)
        add_gram_block(A.row(down, 0), B.row(across, 0), A.stride(), count, A.left(down),
                       round_up(A.width(down), tile_rows), A.left(across), round_up(A.width(across), lanes),
                       product.grid, [] {});
  }

  // Adds value(entry of a product) to a bin for each entry of the upper triangle.
  template <class F>
  void add_to_bin(int bin, F&& value) {
    while (int(bins_.size()) <= bin) bins_.emplace_back(q_ * (q_ + 1) / 2, 0);
    std::int64_t* out = bins_[bin].data();
    for (index_t i = 0; i < q_; ++i) {
      const index_t start = i * product_.grid.stride;
      for (index_t j = i; j < q_; ++j) *out++ += std::int64_t(value(start + j));
    }
  }

  // Products of slices k and l, k != l, are those of their sum less those of each: three symmetric products for two.
  void add_symmetric(index_t count) {
    while (int(squares_.size()) < rows_.slices()) squares_.emplace_back(round_up(q_, tile_rows), q_);
    for (int k = 0; k < rows_.slices(); ++k) {
      multiply_panels(rows_.slice(k), rows_.slice(k), count, squares_[k]);
      const double* square = squares_[k].memory.data();
      add_to_bin(2 * k, [&](index_t e) { return square[e]; });
    }
    for (int k = 0; k < rows_.slices(); ++k)
      for (int l = k + 1; l < rows_.slices(); ++l) {
        rows_.for_blocks(count, [&](index_t block, index_t row, index_t, index_t width) {
          const double *a = rows_.slice(k).row(block, row), *b = rows_.slice(l).row(block, row);
          double* out = sum_.row(block, row);
#pragma omp simd
          for (index_t j = 0; j < width; ++j) out[j] = a[j] + b[j];
        });
        multiply_panels(sum_, sum_, count, product_);
        const double *both = product_.memory.data(), *first = squares_[k].memory.data();
        const double* second = squares_[l].memory.data();
        add_to_bin(k + l, [&](index_t e) { return both[e] - first[e] - second[e]; });
      }
  }

  void add_weighted(index_t count) {
    for (int m = 0; m < rows_.products(); ++m)
      for (int k = 0; k < rows_.slices(); ++k) {
        multiply_panels(rows_.slice(k), rows_.product(m), count, product_);
        const double* product = product_.memory.data();
        add_to_bin(k + m, [&](index_t e) { return product[e]; });
      }
  }

  void empty_bins() {
    for (int bin = 0; bin < int(bins_.size()); ++bin) {
      std::int64_t* value = bins_[bin].data();
      index_t at = 0;
      for (index_t i = 0; i < q_; ++i)
        for (index_t j = i; j < q_; ++j, ++at, ++value) {
          sums_.add(at, *value, rows_.exponent(i) + rows_.product_exponent(j) - slice_bits * bin);
          *value = 0;
        }
    }
    chunks_ = 0;
  }

  index_t p_, t_, q_;
  ExactSums sums_;
  Buffer zero_;
  SlicedRows rows_;
  int chunks_ = 0;
  Panel sum_;
  Scratch product_;
  std::vector<Scratch> squares_;
  std::vector<std::vector<std::int64_t>> bins_;
};

// Calls f(gram, block) for blocks of rows, each thread with sums of its own, and returns all of them, carried.
template <class F>
ExactSums exact_over_rows(index_t p, index_t t, const Blocks& blocks, F&& f) {
  const int slots = std::max(threads_for(blocks.count), 1);
  std::vector<ExactGram> grams;
  grams.reserve(std::size_t(slots));
  for (int slot = 0; slot < slots; ++slot) grams.emplace_back(p, t);
  parallel_for(blocks.count, [&](index_t block, int slot) { f(grams[slot], block); });
  ExactSums all = std::move(grams[0].sums());
  for (int slot = 1; slot < slots; ++slot) all.merge(grams[slot].sums());
  all.carry();
  return all;
}

}  // namespace detail

// The upper triangle of [X, y, 1]'W[X, y, 1], packed row after row.
inline ExactSums exact_moments(const PanelRows& X, const Numbers& y, const Numbers& weight) {
  const index_t q = X.columns + y.columns + 1, chunks = std::max<index_t>((1 << 21) / (q * q + 100 * q) / 8, 1);
  const Blocks blocks(X.rows, sliced_rows * std::min<index_t>(chunks, 64));
  return detail::exact_over_rows(X.columns, y.columns, blocks, [&](detail::ExactGram& gram, index_t block) {
    for (index_t begin = blocks.begin(block); begin < blocks.end(block); begin += sliced_rows)
      gram.add_rows(X, y, weight, begin, std::min(sliced_rows, blocks.end(block) - begin));
  });
}

// The same of sorted sparse rows. Cost: half the squared number of entries of each row, unless there are many.
template <class T>
ExactSums exact_sparse_moments(const SparseRows<T>& X, const Numbers& y, const Numbers& weight) {
  if (8 * X.start[X.rows] > X.rows * X.columns) return exact_moments(X, y, weight);
  const Blocks blocks(X.rows, 256);
  return detail::exact_over_rows(X.columns, y.columns, blocks, [&](detail::ExactGram& gram, index_t block) {
    detail::ExactRow row;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      row.clear();
      for (index_t e = X.start[i]; e < X.start[i + 1]; ++e)
        if (X.value[e] != 0) row.emplace_back(X.index[e], BinaryFloat(double(X.value[e])));
      gram.add_constants(y, i, row);
      gram.add_entries(row, weight ? weight(i) : 1);
    }
  });
}

}  // namespace learnable
