// Sums over the rows of a node by the bins of a column.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/criteria.hpp"

namespace learnable {

// Bins that hold the sums of a target followed by the number of rows. The bins of one column can be computed in scratch
// of this object; the last of them is that of missing values.
template <class Target>
class BinSums {
 public:
  using Item = typename Target::Item;

  explicit BinSums(const Target& target) : target_(target), width_(index_t(target.zero().size())) {}

  // Distance between bins; those of a single target have the length of a vector.
  index_t stride() const { return single ? 4 : width() + 1; }
  index_t rows(const double* bin) const { return index_t(bin[width()]); }
  // The nonempty bins, in order, without that of missing values.
  View<const std::uint32_t> present() const { return {present_.data(), index_t(present_.size())}; }

  // Adds the rows of a node to bins; `rank` maps a row to its rank.
  template <class Rank>
  void add(const Item* items, View<const std::uint32_t> rows, const Rank& rank, double* bins) const {
    for (index_t k = 0; k < rows.size; ++k) add_one(items[k], bins + index_t(rank(rows[k])) * stride());
  }

  // Sums of a column with this number of bins.
  template <class Rank>
  const double* sums(const Item* items, View<const std::uint32_t> rows, const Rank& rank, index_t bins) {
    if (index_t(memory_.size()) < bins * stride()) {
      memory_.resize(std::size_t(bins * stride()), 0.0);
      met_.resize(std::size_t(bins / 64 + 1), 0);
    }
    if (2 * rows.size >= bins) {
      add(items, rows, rank, memory_.data());
      find_present(memory_.data(), bins);
    } else {
      add_few(items, rows, rank);
      if (!present_.empty() && present_.back() == bins - 1) present_.pop_back();
    }
    return memory_.data();
  }

  // Empties the bins again.
  void forget(index_t bins) {
    const auto empty = [&](index_t bin) { std::fill_n(memory_.begin() + bin * stride(), stride(), 0.0); };
    for (const std::uint32_t bin : present_) empty(bin);
    empty(bins - 1);
  }

  // Finds the nonempty bins.
  void find_present(const double* bins, index_t count) {
    present_.resize(std::size_t(count));
    index_t found = 0;
    for (index_t bin = 0; bin + 1 < count; ++bin) {
      present_[found] = std::uint32_t(bin);
      found += bins[bin * stride() + width()] > 0;
    }
    present_.resize(std::size_t(found));
  }

 private:
  static constexpr bool single = has_one_number<Target>;

  index_t width() const { return single ? 2 : width_; }

  void add_one(const Item& item, double* bin) const {
    target_.add(item, bin);
    bin[width()] += 1;
  }

  // Most bins stay empty: the others are marked.
  template <class Rank>
  void add_few(const Item* items, View<const std::uint32_t> rows, const Rank& rank) {
    for (index_t k = 0; k < rows.size; ++k) {
      const index_t bin = rank(rows[k]);
      add_one(items[k], memory_.data() + bin * stride());
      met_[bin / 64] |= std::uint64_t(1) << (bin % 64);
    }
    present_.clear();
    for (std::size_t word = 0; word < met_.size(); ++word) {
      for (std::uint64_t bits = met_[word]; bits; bits &= bits - 1)
        present_.push_back(std::uint32_t(64 * word + std::size_t(std::countr_zero(bits))));
      met_[word] = 0;
    }
  }

  Target target_;
  index_t width_;
  std::vector<double> memory_;        // empty between two columns
  std::vector<std::uint64_t> met_;
  std::vector<std::uint32_t> present_;
};

}  // namespace learnable
