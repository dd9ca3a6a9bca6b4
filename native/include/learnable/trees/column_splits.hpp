// The best split of a node by one column.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/bucketed_splits.hpp"
#include "learnable/trees/criteria.hpp"
#include "learnable/trees/node_histograms.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

// Finds the best split of one node over the columns given one after the other, for criteria of sums over each side.
template <class Target, class Criterion>
class SumFinder {
 public:
  using Item = typename Target::Item;
  using Sums = typename Target::Sums;
  static constexpr bool has_squares = has_one_number<Target>;
  static constexpr bool adds_bins = true;
  static constexpr bool adds_fours = has_one_number<Target>;  // of random thresholds

  SumFinder(const Target& target, const Criterion& criterion, const SplitSelector& selector)
      : selector(selector), bins(target), target_(target), criterion_(criterion), left_(target.zero()), right_(left_),
        missing_(left_), with_missing_(left_) {}
  // The same for another thread, with its own scratch.
  SumFinder(const SumFinder& other) : SumFinder(other.target_, other.criterion_, other.selector) {}

  SplitSelector selector;
  BinSums<Target> bins;

  // Whether bins bound the gains of cuts inside them, and gains of many cuts are computed at once.
  bool convex() const { return has_squares && criterion_.is_squares(); }
  Item item(std::uint32_t row) const { return target_.item(row); }
  bool same(const Item& a, const Item& b) const { return target_.same(a, b); }
  double gain(const Sums& sums) const { return criterion_.gain(sums); }
  // An upper bound of the gain of any split of rows whose own gains sum to `alone`.
  double max_gain(const Sums& sums, double alone) const {
    if constexpr (has_squares)
      if (convex()) return std::min(alone, target_.squares_below(sums));
    return alone;
  }
  Sums sum(const Item* items, index_t count) const {
    Sums sums = target_.zero();
    if constexpr (requires { target_.add_all(items, count, sums); })
      target_.add_all(items, count, sums);
    else
      for (index_t k = 0; k < count; ++k) target_.add(items[k], sums);
    return sums;
  }

  // Starts a node with this sum of its rows; keys hold indices into `items`.
  void start(const Sums& total, index_t rows, const Bounds& bounds, double noise, const Item* items) {
    total_ = &total;
    items_ = items;
    selector.start(rows, bounds, noise);
  }

  // A numeric column: keys are sorted, missing ones last.
  void numbers(index_t feature, const std::uint64_t* keys, index_t count, View<const double> levels) {
    const index_t present = count_present(keys, count, std::uint32_t(levels.size));
    if constexpr (has_squares) {
      if (present == count && !selector.directed() && convex()) return all_at_once(feature, keys, count);
    }
    add_missing(keys + present, count - present);
    clear(left_);
    for (index_t k = 0; k < present; ++k) {
      target_.add(items_[index_of(keys[k])], left_);
      const std::uint32_t rank = rank_of(keys[k]);
      const bool at_end = k + 1 == present;
      if ((!at_end && rank_of(keys[k + 1]) == rank) || (at_end && present == count)) continue;
      propose(feature, k + 1, count - present, at_end, [&](Split& split) {
        split.last_left = rank;
        split.first_right = at_end ? rank : rank_of(keys[k + 1]);
        split.categories = {};
      });
    }
  }

  // A long numeric column, given by the ranks of the items from `first` on, unsorted and without missing values. Keys
  // and spare have the same size.
  void many_numbers(index_t feature, const std::uint32_t* ranks, index_t first, index_t count, RankRange range,
                    std::uint64_t* keys, std::uint64_t* spare)
    requires has_squares
  {
    const BinOfRank bin_of(range, count);
    bins_.open(bin_of(range.high) + 1);
    for (index_t k = 0; k < count; ++k) {
      RankBuckets::Bin& bin = bins_.at(bin_of(ranks[k]));
      target_.add(items_[first + k], bin.sums);
      ++bin.rows;
    }
    bins_.close();
    const double rival = std::max(selector.best.gain, bins_.best_between(selector) - 2 * selector.noise());
    const std::uint8_t* promising = bins_.promising(target_.lowest, target_.highest, rival);
    index_t chosen = 0;
    for (index_t k = 0; k < count; ++k) {
      keys[chosen] = keyed(ranks[k], std::uint32_t(first + k));
      chosen += promising[bin_of(ranks[k])];
    }
    if (chosen == 0) return;
    keys = detail::sort_keys(keys, spare, chosen, range.low, range.high);
    cuts_.reserve(chosen);
    RankBuckets::Bin left;
    cuts_.count = 0;
    for (index_t k = 0, bin = -1; k < chosen; ++k) {
      const std::uint32_t rank = rank_of(keys[k]);
      if (bin_of(rank) != bin) left = bins_.before(bin = bin_of(rank));
      target_.add(items_[index_of(keys[k])], left.sums);
      cuts_.put(cuts_.count, k, left.sums);
      const bool ends = k + 1 == chosen ? rank != range.high : rank_of(keys[k + 1]) != rank;
      cuts_.count += ends & selector.enough_rows(++left.rows);
    }
    const double best = Squares::gains(cuts_, *total_, selector.min_leaf_weight());
    if (!selector.better(best)) return;
    const std::uint32_t last = rank_of(keys[cuts_.index[cuts_.first_of(best - selector.noise())]]);
    std::uint32_t next = range.high;
    index_t rows = 0;
    for (index_t k = 0; k < count; ++k) {
      rows += ranks[k] <= last;
      next = ranks[k] > last ? std::min(next, ranks[k]) : next;
    }
    take(feature, best, rows, last, next);
  }

  // A numeric column by the sums of its bins, of which the nonempty ones are known; false if there is only one. The
  // last bin is that of missing values.
  bool binned_numbers(index_t feature, const double* sums, index_t count) {
    const double* missing_bin = sums + (count - 1) * bins.stride();
    const View<const std::uint32_t> present = bins.present();
    const index_t absent = bins.rows(missing_bin);
    if (present.size + (absent > 0) < 2) return false;
    if constexpr (has_squares) {
      if (absent == 0 && !selector.directed() && convex()) return bins_at_once(feature, sums, present), true;
    }
    std::copy_n(missing_bin, missing_.size(), missing_.begin());
    clear(left_);
    index_t rows = 0;
    for (index_t k = 0; k < present.size; ++k) {
      const bool at_end = k + 1 == present.size;
      rows += add_bin(sums + index_t(present[k]) * bins.stride(), left_);
      if (at_end && absent == 0) break;
      propose(feature, rows, absent, at_end, [&](Split& split) {
        split.last_left = present[k];
        split.first_right = at_end ? present[k] : present[k + 1];
        split.categories = {};
      });
    }
    return true;
  }

  // A numeric column, for the items from `first` on, split at a random threshold between its minimum and maximum.
  void random_number(index_t feature, const RandomCut& cut, const double* values, index_t first, index_t count) {
    clear(left_);
    const index_t rows = target_.add_at_most(cut.threshold, values, items_ + first, count, left_);
    clear(missing_);
    for (index_t k = 0; cut.absent > 0 && k < count; ++k)
      if (values[k] != values[k]) target_.add(items_[first + k], missing_);
    propose(feature, rows, cut.absent, false, [&](Split& split) {
      split.by_threshold = true;
      split.threshold = cut.threshold;
      split.categories = {};
    });
  }

  // The same for four columns at once, none with missing values; returns how many of them are not constant.
  template <class T>
  index_t random_four(const std::array<index_t, 4>& features, const std::array<double, 4>& uniform,
                      const FourRange<T>& range, const FourOf<T>* values, index_t first, index_t count)
    requires adds_fours
  {
    FourOf<double> thresholds;
    for (int c = 0; c < 4; ++c) thresholds[c] = threshold_between(range.low[c], range.high[c], uniform[c]);
    const auto sums = target_.template sums_at_most<T>(thresholds, values, items_ + first, count);
    index_t varying = 0;
    for (int c = 0; c < 4; ++c) {
      if (!(range.low[c] < range.high[c])) continue;
      ++varying;
      left_ = sums.of(c);
      propose(features[c], sums.rows[c], 0, false, [&](Split& split) {
        split.by_threshold = true;
        split.threshold = thresholds[c];
        split.categories = {};
      });
    }
    return varying;
  }

  // A categorical column: in the order of their mean target, the best two subsets are contiguous [Breiman et al.,
  // 1984]; with several classes or outputs, every one gives an order to try. Keys may be in any order.
  void categories(index_t feature, const std::uint64_t* keys, index_t count, index_t levels) {
    by_category_.assign(std::size_t(levels + 1), target_.zero());
    in_category_.assign(std::size_t(levels + 1), 0);
    for (index_t k = 0; k < count; ++k) {
      target_.add(items_[index_of(keys[k])], by_category_[rank_of(keys[k])]);
      ++in_category_[rank_of(keys[k])];
    }
    missing_ = by_category_[levels];
    present_.clear();
    for (index_t level = 0; level < levels; ++level)
      if (in_category_[level] > 0) present_.push_back(std::uint32_t(level));
    for (index_t order = 0; order < target_.orders(); ++order) one_order(feature, order, in_category_[levels]);
  }

 private:
  void one_order(index_t feature, index_t order, index_t absent) {
    order_keys_.resize(in_category_.size());
    for (const std::uint32_t level : present_) order_keys_[level] = target_.order_key(order, by_category_[level]);
    sort_by_key(present_, order_keys_);
    clear(left_);
    index_t rows = 0;
    for (std::size_t k = 0; k < present_.size(); ++k) {
      const bool at_end = k + 1 == present_.size();
      if (at_end && absent == 0) return;
      for (std::size_t c = 0; c < left_.size(); ++c) left_[c] += by_category_[present_[k]][c];
      rows += in_category_[present_[k]];
      propose(feature, rows, absent, at_end, [&](Split& split) {
        split.threshold = std::numeric_limits<double>::quiet_NaN();
        split.by_threshold = false;
        split.categories = {};
        for (std::size_t at = 0; at <= k; ++at) split.categories.insert(present_[at]);
      });
    }
  }

  // The same without missing values: first the sums on the left of every cut, then all gains, and of those that are
  // best up to rounding the first.
  void all_at_once(index_t feature, const std::uint64_t* keys, index_t count) {
    const auto [first, last] = selector.allowed();
    cuts_.reserve(count);
    index_t cuts = 0;
    Sums left = target_.zero();
    for (index_t k = 0; k < last; ++k) {
      target_.add(items_[index_of(keys[k])], left);
      cuts_.put(cuts, k, left);
      cuts += (k + 1 >= first) & (rank_of(keys[k]) != rank_of(keys[k + 1]));
    }
    cuts_.count = cuts;
    const double best = Squares::gains(cuts_, *total_, selector.min_leaf_weight());
    if (!selector.better(best)) return;
    const index_t k = cuts_.index[cuts_.first_of(best - selector.noise())];
    take(feature, best, k + 1, rank_of(keys[k]), rank_of(keys[k + 1]));
  }

  // The same by the sums of bins.
  void bins_at_once(index_t feature, const double* sums, View<const std::uint32_t> present) {
    cuts_.reserve(present.size);
    Sums left = target_.zero();
    index_t rows = 0;
    cuts_.count = 0;
    for (index_t k = 0; k + 1 < present.size; ++k) {
      rows += add_bin(sums + index_t(present[k]) * bins.stride(), left);
      cuts_.put(cuts_.count, k, left);
      cuts_.count += selector.enough_rows(rows);
    }
    const double best = Squares::gains(cuts_, *total_, selector.min_leaf_weight());
    if (!selector.better(best)) return;
    const index_t last = cuts_.index[cuts_.first_of(best - selector.noise())];
    rows = 0;
    for (index_t k = 0; k <= last; ++k) rows += bins.rows(sums + index_t(present[k]) * bins.stride());
    take(feature, best, rows, present[last], present[last + 1]);
  }

  // Adds the sums of a bin and returns its rows.
  index_t add_bin(const double* bin, Sums& sums) const {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += bin[c];
    return bins.rows(bin);
  }

  void take(index_t feature, double gain, index_t rows, std::uint32_t last, std::uint32_t next) {
    Split& split = selector.best;
    split.gain = gain;
    split.feature = feature;
    split.missing_left = false;
    split.no_missing = true;
    split.left_rows = rows;
    split.last_left = last;
    split.first_right = next;
    split.categories = {};
  }

  static void clear(Sums& sums) { std::fill(sums.begin(), sums.end(), 0.0); }

  void add_missing(const std::uint64_t* keys, index_t count) {
    clear(missing_);
    for (index_t k = 0; k < count; ++k) target_.add(items_[index_of(keys[k])], missing_);
  }

  // Evaluates left_ against the rest, with the missing rows on the right and, unless they are all the rest, on the
  // left.
  template <class Describe>
  void propose(index_t feature, index_t rows, index_t absent, bool rest_is_missing, const Describe& describe) {
    const auto described = [&](Split& split) {
      split.no_missing = absent == 0;
      describe(split);
    };
    consider(feature, left_, rows, false, described);
    if (absent == 0 || rest_is_missing) return;
    for (std::size_t c = 0; c < left_.size(); ++c) with_missing_[c] = left_[c] + missing_[c];
    consider(feature, with_missing_, rows + absent, true, described);
  }

  template <class Describe>
  void consider(index_t feature, const Sums& side, index_t rows, bool missing_left, const Describe& describe) {
    if (!selector.enough_rows(rows)) return;
    for (std::size_t c = 0; c < side.size(); ++c) right_[c] = (*total_)[c] - side[c];
    if (!selector.enough_weight(side[0], right_[0])) return;
    const double gain = criterion_.gain(side) + criterion_.gain(right_);
    if (!selector.better(gain)) return;
    if (selector.directed()) {
      const double left = side[1] / side[0], right = right_[1] / right_[0];
      if (!selector.right_direction(feature, left, right)) return;
      selector.best.left_value = left;
      selector.best.right_value = right;
    }
    selector.best.gain = gain;
    selector.best.feature = feature;
    selector.best.missing_left = missing_left;
    selector.best.left_rows = rows;
    describe(selector.best);
  }

  Target target_;
  Criterion criterion_;
  Sums left_, right_, missing_, with_missing_;
  Cuts cuts_;
  RankBuckets bins_;
  std::vector<Sums> by_category_;
  std::vector<double> order_keys_;
  std::vector<index_t> in_category_;
  std::vector<std::uint32_t> present_;
  const Sums* total_ = nullptr;
  const Item* items_ = nullptr;
};

}  // namespace learnable
