// A few rows of doubles as slices: small integers times a power of two, which products and sums in doubles keep exact.
//
// Each column is cut into slices of 23 bits (Ozaki, Ogita, Oishi and Rump, 2012), each weighted column too. Columns have
// one grid for many rows. Rows whose exponents lie too far apart for a few slices are left to the caller.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/stats/exact_sums.hpp"

namespace learnable {

constexpr int slice_bits = 23;
constexpr double slice_radix = 1 << slice_bits;
constexpr int max_slices = 5;         // of an entry
constexpr int max_weight_slices = 3;  // of a weight
constexpr index_t sliced_rows = 128;  // 128 products of sums of two slices stay below 2^53
constexpr int spare_exponents = 8;    // columns that are smaller than their grid by more get another

class SlicedRows {
 public:
  explicit SlicedRows(index_t columns)
      : columns_(columns), grid_(columns, 0), largest_(columns), first_(columns), second_(columns),
        rest_(sliced_rows, columns), carry_(sliced_rows, columns) {}

  // To be filled by the caller with up to sliced_rows rows, those with weight zero by zeros; cut() destroys them.
  const Panel& entries() const { return rest_; }
  double* weights() { return weights_; }

  int slices() const { return count_; }
  const Panel& slice(int k) const { return slices_[k]; }
  int products() const { return weighted_ ? count_ + weight_count_ : count_; }  // slices of the weighted columns
  const Panel& product(int m) const { return weighted_ ? products_[m] : slices_[m]; }
  bool weighted() const { return weighted_; }
  const std::vector<index_t>& far() const { return far_; }  // rows left to the caller; their slices are zero

  // Slice k of column j counts 2^(exponent(j) - 23 k), product m of it 2^(product_exponent(j) - 23 m).
  int exponent(index_t j) const { return grid_[j] - (slice_bits - 1); }
  int product_exponent(index_t j) const { return weighted_ ? grid_[j] + weight_grid_ + 2 - slice_bits : exponent(j); }

  // Cuts `count` rows. Grids are kept while they serve; calls before_change() before they change.
  template <class F>
  void cut(index_t count, F&& before_change) {
    check_sizes(count);
    choose_grids(before_change);
    far_.clear();
    weight_count_ = weighted_ ? cut_weights(count) : 0;
    cut_entries(count);
    if (weighted_) multiply_by_weights(count);
  }

  // Calls f(block, k, first column, width) for each row of each block of columns.
  template <class F>
  void for_blocks(index_t count, F&& f) const {
    for (index_t block = 0; block < rest_.blocks(); ++block)
      for (index_t k = 0; k < count; ++k) f(block, k, rest_.left(block), rest_.width(block));
  }

 private:
  // 2^shift as two factors, as it may overflow itself.
  static std::pair<double, double> power_of_two(int shift) {
    return {std::ldexp(1.0, shift - shift / 2), std::ldexp(1.0, shift / 2)};
  }

  // All numbers up to `largest` are below 2^exponent.
  static int grid_exponent(double largest) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    return exponent;
  }

  static double rounded(double x) {
    constexpr double magic = 6755399441055744.0;  // 1.5 2^52: the sum has no bits below one
    return (x + magic) - magic;
  }

  void check_sizes(index_t count) {
    std::fill_n(largest_.data(), columns_, 0.0);
    heaviest_ = 0;
    bool ones = true;
    for (index_t k = 0; k < count; ++k) {
      heaviest_ = std::max(heaviest_, std::abs(weights_[k]));
      ones &= weights_[k] == 1 || weights_[k] == 0;
    }
    has_weights_ = !ones;
    double finite = heaviest_ - heaviest_;
    for_blocks(count, [&](index_t block, index_t k, index_t left, index_t width) {
      const double* row = rest_.row(block, k);
      double* most = largest_.data() + left;
#pragma omp simd
      for (index_t j = 0; j < width; ++j) most[j] = std::max(most[j], std::abs(row[j]));
#pragma omp simd reduction(+ : finite)
      for (index_t j = 0; j < width; ++j) finite += row[j] - row[j];
    });
    if (finite != 0) throw std::invalid_argument("exact sums need finite numbers");
  }

  static bool serves(double largest, int grid) {
    if (largest == 0) return true;
    const int needed = grid_exponent(largest);
    return needed <= grid && grid <= needed + spare_exponents;
  }

  template <class F>
  void choose_grids(F&& before_change) {
    bool same = started_ && has_weights_ == weighted_ && (!weighted_ || serves(heaviest_, weight_grid_));
    for (index_t j = 0; j < columns_ && same; ++j) same = serves(largest_[j], grid_[j]);
    if (same) return;
    if (started_) before_change();
    started_ = true;
    weighted_ = has_weights_;
    weight_grid_ = grid_exponent(heaviest_) + 1;
    for (index_t j = 0; j < columns_; ++j) {
      grid_[j] = largest_[j] == 0 ? 0 : grid_exponent(largest_[j]) + 1;
      std::tie(first_[j], second_[j]) = power_of_two(slice_bits - 1 - grid_[j]);
    }
  }

  void move_away(index_t k) {
    far_.push_back(k);
    for (index_t block = 0; block < rest_.blocks(); ++block) std::fill_n(rest_.row(block, k), rest_.width(block), 0.0);
  }

  // Returns how many slices of the weights are not zero.
  int cut_weights(index_t count) {
    const auto [first, second] = power_of_two(slice_bits - 1 - weight_grid_);
    int slices = 1;
    for (index_t k = 0; k < count; ++k) {
      double rest = weights_[k] * first * second;
      const bool lost = rest == 0 && weights_[k] != 0;
      for (int s = 0; s < max_weight_slices; ++s) {
        const double slice = rounded(rest);
        weight_slices_[s][k] = slice;
        rest = (rest - slice) * slice_radix;
        if (slice != 0) slices = std::max(slices, s + 1);
      }
      if (lost || rest != 0) move_away(k);
    }
    return slices;
  }

  // Slices end where nothing is left, or only in so few rows that they are faster one by one.
  void cut_entries(index_t count) {
    scale(count);
    for (count_ = 1;; ++count_) {
      take_slice(count);
      const index_t left = std::count_if(more_, more_ + count, [](double rest) { return rest != 0; });
      if (left > count_ && count_ < max_slices) continue;
      for (index_t k = 0; k < count; ++k)
        if (more_[k] != 0) far_.push_back(k);
      break;
    }
    for (const index_t k : far_)
      for (int s = 0; s < count_; ++s)
        for (index_t block = 0; block < rest_.blocks(); ++block)
          std::fill_n(slices_[s].row(block, k), rest_.width(block), 0.0);
  }

  // Brings every column to its grid; rows with an entry that is too small for that are moved away.
  void scale(index_t count) {
    std::fill_n(more_, count, 0.0);
    for_blocks(count, [&](index_t block, index_t k, index_t left, index_t width) {
      double *row = rest_.row(block, k), lost = more_[k];
      const double *first = first_.data() + left, *second = second_.data() + left;
#pragma omp simd reduction(max : lost)
      for (index_t j = 0; j < width; ++j) {
        const double scaled = row[j] * first[j] * second[j];
        lost = std::max(lost, scaled == 0 && row[j] != 0 ? 1.0 : 0.0);
        row[j] = scaled;
      }
      more_[k] = lost;
    });
    for (index_t k = 0; k < count; ++k)
      if (more_[k] != 0) move_away(k);
  }

  // Moves the leading integers of what is left to the next slice; notes what is left after it.
  void take_slice(index_t count) {
    while (int(slices_.size()) < count_) slices_.emplace_back(sliced_rows, columns_);
    std::fill_n(more_, count, 0.0);
    for_blocks(count, [&](index_t block, index_t k, index_t, index_t width) {
      double *row = rest_.row(block, k), *out = slices_[count_ - 1].row(block, k), more = more_[k];
#pragma omp simd reduction(max : more)
      for (index_t j = 0; j < width; ++j) {
        const double integer = rounded(row[j]), after = (row[j] - integer) * slice_radix;
        out[j] = integer;
        row[j] = after;
        more = std::max(more, std::abs(after));
      }
      more_[k] = more;
    });
  }

  // Slices of the products of weights and entries: sums of products of slices, carried from the last to the first.
  void multiply_by_weights(index_t count) {
    const int all = count_ + weight_count_;
    while (int(products_.size()) < all) products_.emplace_back(sliced_rows, columns_);
    for_blocks(count, [&](index_t block, index_t k, index_t, index_t width) {
      double* carry = carry_.row(block, k);
      std::fill_n(carry, width, 0.0);
      for (int s = all - 2; s >= 0; --s) {
        for (int l = std::max(0, s - count_ + 1); l <= std::min(s, weight_count_ - 1); ++l) {
          const double w = weight_slices_[l][k], *entries = slices_[s - l].row(block, k);
#pragma omp simd
          for (index_t j = 0; j < width; ++j) carry[j] += w * entries[j];
        }
        double* out = products_[s + 1].row(block, k);
#pragma omp simd
        for (index_t j = 0; j < width; ++j) {
          const double high = rounded(carry[j] / slice_radix);
          out[j] = carry[j] - high * slice_radix;
          carry[j] = high;
        }
      }
      std::copy_n(carry, width, products_[0].row(block, k));
    });
  }

  index_t columns_;
  std::vector<int> grid_;
  int weight_grid_ = 0, count_ = 1, weight_count_ = 0;
  bool started_ = false, weighted_ = false, has_weights_ = false;
  double heaviest_ = 0;
  Buffer largest_, first_, second_;
  Panel rest_, carry_;
  std::vector<Panel> slices_, products_;
  std::vector<index_t> far_;
  double weights_[sliced_rows], more_[sliced_rows], weight_slices_[max_weight_slices][sliced_rows];
};

}  // namespace learnable
