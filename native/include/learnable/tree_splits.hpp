// The best way to divide the rows of a node by one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/tree_criteria.hpp"
#include "learnable/tree_nodes.hpp"
#include "learnable/view.hpp"

namespace learnable {

// Where a tree ends, and what it looks at.
struct GrowthRules {
  index_t most_depth = std::numeric_limits<index_t>::max();
  index_t most_leaves = 0;  // 0: no limit; else the tree grows where it gains most
  index_t least_rows_to_split = 2, least_rows = 1;
  double least_weight = 0;  // of a side
  double least_gain = 0;
  index_t candidates = 0;   // columns tried at a node, of those that vary; 0: all
  bool random_thresholds = false;
  std::uint64_t seed = 0;
};

// Ranks of columns, with the levels that they stand for; rank levels.size is a missing value. Categories are their own
// ranks.
struct RankedColumns {
  Grid<const std::uint32_t> ranks;  // a row for each column
  std::vector<View<const double>> levels;
  std::vector<std::uint8_t> categorical;

  index_t count() const { return ranks.rows; }
};

// The rank of an entry and where its row stands, as one number that sorts by rank.
inline std::uint64_t keyed(std::uint32_t rank, std::uint32_t place) { return std::uint64_t(rank) << 32 | place; }
inline std::uint32_t rank_of(std::uint64_t key) { return std::uint32_t(key >> 32); }
inline std::uint32_t place_of(std::uint64_t key) { return std::uint32_t(key); }

struct Split {
  static constexpr double none = -std::numeric_limits<double>::infinity();

  double worth = none;      // of both sides together
  index_t feature = -1;
  std::uint32_t last = 0;   // the largest rank that goes left
  double threshold = 0;
  bool missing_left = false;
  CategorySet categories;   // those that go left, if the column has categories
  index_t left_rows = 0;

  bool found() const { return feature >= 0; }
  bool goes_left(std::uint32_t rank, std::uint32_t missing) const {
    if (rank == missing) return missing_left;
    return categories.empty() ? rank <= last : categories.has(rank);
  }
};

// A number strictly below `high` and not below `low`, half way if rounding allows.
inline double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle < high && middle >= low ? middle : low;
}

// Looks for the best division of one node by the columns it is given, one after the other.
template <class Target, class Criterion>
class SplitFinder {
 public:
  using Item = typename Target::Item;
  using Sums = typename Target::Sums;

  SplitFinder(const Target& target, const Criterion& criterion, const GrowthRules& rules)
      : target_(target), criterion_(criterion), rules_(rules), left_(target.zero()), right_(left_), missing_(left_),
        with_missing_(left_) {}

  Split best;

  // The node whose rows have this sum; keys tell places among `items`.
  void start(const Sums& total, index_t rows, const Item* items) {
    total_ = &total;
    rows_ = rows;
    items_ = items;
    best = Split{};
  }

  // A column of numbers: keys are sorted, missing ones last.
  void numbers(index_t feature, const std::uint64_t* keys, index_t count, View<const double> levels) {
    const index_t present = count_present(keys, count, std::uint32_t(levels.size));
    clear(left_);
    for (index_t k = 0; k < present; ++k) {
      target_.add(items_[place_of(keys[k])], left_);
      const std::uint32_t rank = rank_of(keys[k]);
      const bool at_end = k + 1 == present;
      if ((!at_end && rank_of(keys[k + 1]) == rank) || (at_end && present == count)) continue;
      const auto keep = [&] {
        best.feature = feature;
        best.last = rank;
        best.threshold = at_end ? std::numeric_limits<double>::infinity()
                                : between(levels[rank], levels[rank_of(keys[k + 1])]);
        best.categories = {};
      };
      offer(k + 1, count - present, at_end, keep);
    }
  }

  // A column of numbers divided at a threshold that lies anywhere between its least and its greatest number.
  void random_number(index_t feature, const std::uint64_t* keys, index_t count, View<const double> levels,
                     double uniform) {
    std::uint32_t low = std::numeric_limits<std::uint32_t>::max(), high = 0;
    const auto missing = std::uint32_t(levels.size);
    index_t absent = 0;
    clear(missing_);
    for (index_t k = 0; k < count; ++k) {
      const std::uint32_t rank = rank_of(keys[k]);
      if (rank == missing) {
        target_.add(items_[place_of(keys[k])], missing_);
        ++absent;
        continue;
      }
      low = std::min(low, rank);
      high = std::max(high, rank);
    }
    if (absent == count || low == high) return;
    const double least = levels[low], most = levels[high];
    double threshold = least + uniform * (most - least);
    if (!(threshold >= least && threshold < most)) threshold = least;
    const auto last = std::uint32_t(std::upper_bound(levels.begin(), levels.end(), threshold) - levels.begin() - 1);
    index_t rows = 0;
    clear(left_);
    for (index_t k = 0; k < count; ++k) {
      if (rank_of(keys[k]) > last) continue;
      target_.add(items_[place_of(keys[k])], left_);
      ++rows;
    }
    offer(rows, absent, false, [&] {
      best.feature = feature;
      best.last = last;
      best.threshold = threshold;
      best.categories = {};
    });
  }

  // A column of categories: in the order of their mean target, the best two groups are neighbours [Breiman et al., 1984];
  // with several classes or outputs, every one gives an order to try. Keys may be in any order.
  void categories(index_t feature, const std::uint64_t* keys, index_t count, index_t levels) {
    by_category_.assign(std::size_t(levels + 1), target_.zero());
    in_category_.assign(std::size_t(levels + 1), 0);
    for (index_t k = 0; k < count; ++k) {
      target_.add(items_[place_of(keys[k])], by_category_[rank_of(keys[k])]);
      ++in_category_[rank_of(keys[k])];
    }
    const index_t absent = in_category_[levels];
    missing_ = by_category_[levels];
    present_.clear();
    for (index_t level = 0; level < levels; ++level)
      if (in_category_[level] > 0) present_.push_back(std::uint32_t(level));
    for (index_t order = 0; order < target_.orders(); ++order) one_order(feature, order, absent);
  }

 private:
  void one_order(index_t feature, index_t order, index_t absent) {
    places_.resize(in_category_.size());
    for (const std::uint32_t level : present_) places_[level] = target_.place(order, by_category_[level]);
    std::stable_sort(present_.begin(), present_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return places_[a] < places_[b]; });
    clear(left_);
    index_t rows = 0;
    for (std::size_t k = 0; k < present_.size(); ++k) {
      const bool at_end = k + 1 == present_.size();
      if (at_end && absent == 0) return;
      for (std::size_t c = 0; c < left_.size(); ++c) left_[c] += by_category_[present_[k]][c];
      rows += in_category_[present_[k]];
      offer(rows, absent, at_end, [&] {
        best.feature = feature;
        best.threshold = std::numeric_limits<double>::quiet_NaN();
        best.categories = {};
        for (std::size_t at = 0; at <= k; ++at) best.categories.insert(present_[at]);
      });
    }
  }

  static void clear(Sums& sums) { std::fill(sums.begin(), sums.end(), 0.0); }

  index_t count_present(const std::uint64_t* keys, index_t count, std::uint32_t missing) {
    index_t present = count;
    if (rank_of(keys[count - 1]) != missing) return present;
    clear(missing_);
    while (present > 0 && rank_of(keys[present - 1]) == missing) target_.add(items_[place_of(keys[--present])], missing_);
    return present;
  }

  // Weighs left_ against the rest, with the missing rows on the right and, unless they are all the rest, on the left.
  template <class Keep>
  void offer(index_t rows, index_t absent, bool rest_is_missing, const Keep& keep) {
    consider(left_, rows, absent == 0 ? rows > rows_ - rows : false, keep);
    if (absent == 0 || rest_is_missing) return;
    for (std::size_t c = 0; c < left_.size(); ++c) with_missing_[c] = left_[c] + missing_[c];
    consider(with_missing_, rows + absent, true, keep);
  }

  template <class Keep>
  void consider(const Sums& side, index_t rows, bool missing_left, const Keep& keep) {
    if (rows < rules_.least_rows || rows_ - rows < rules_.least_rows) return;
    for (std::size_t c = 0; c < side.size(); ++c) right_[c] = (*total_)[c] - side[c];
    if (side[0] < rules_.least_weight || right_[0] < rules_.least_weight) return;
    const double worth = criterion_.worth(side) + criterion_.worth(right_);
    if (!(worth > best.worth)) return;
    best.worth = worth;
    best.missing_left = missing_left;
    best.left_rows = rows;
    keep();
  }

  const Target& target_;
  const Criterion& criterion_;
  const GrowthRules& rules_;
  Sums left_, right_, missing_, with_missing_;
  std::vector<Sums> by_category_;
  std::vector<double> places_;
  std::vector<index_t> in_category_;
  std::vector<std::uint32_t> present_;
  const Sums* total_ = nullptr;
  const Item* items_ = nullptr;
  index_t rows_ = 0;
};

}  // namespace learnable
