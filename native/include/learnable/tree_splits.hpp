// The best way to divide the rows of a node by one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/tree_criteria.hpp"
#include "learnable/tree_offers.hpp"
#include "learnable/view.hpp"

namespace learnable {

// Looks for the best division of one node by the columns it is given, one after the other, by sums over each side.
template <class Target, class Criterion>
class SumFinder {
 public:
  using Item = typename Target::Item;
  using Sums = typename Target::Sums;

  SumFinder(const Target& target, const Criterion& criterion, const GrowthRules& rules)
      : offers(rules), target_(target), criterion_(criterion), left_(target.zero()), right_(left_), missing_(left_),
        with_missing_(left_) {}

  Offers offers;

  Item item(std::uint32_t row) const { return target_.item(row); }
  bool same(std::uint32_t a, std::uint32_t b) const { return target_.same(a, b); }
  double worth(const Sums& sums) const { return criterion_.worth(sums); }
  Sums sum(const Item* items, index_t count) const {
    Sums sums = target_.zero();
    for (index_t k = 0; k < count; ++k) target_.add(items[k], sums);
    return sums;
  }

  // The node whose rows have this sum; keys tell places among `items`.
  void start(const Sums& total, index_t rows, const Bounds& bounds, double noise, const Item* items) {
    total_ = &total;
    items_ = items;
    offers.start(rows, bounds, noise);
  }

  // A column of numbers: keys are sorted, missing ones last.
  void numbers(index_t feature, const std::uint64_t* keys, index_t count, View<const double> levels) {
    const index_t present = count_present(keys, count, std::uint32_t(levels.size));
    if constexpr (requires { criterion_.worths(cuts_, *total_, 0.0); }) {
      if (present == count && !offers.directed()) return all_at_once(feature, keys, count);
    }
    add_missing(keys + present, count - present);
    clear(left_);
    for (index_t k = 0; k < present; ++k) {
      target_.add(items_[place_of(keys[k])], left_);
      const std::uint32_t rank = rank_of(keys[k]);
      const bool at_end = k + 1 == present;
      if ((!at_end && rank_of(keys[k + 1]) == rank) || (at_end && present == count)) continue;
      offer(feature, k + 1, count - present, at_end, [&](Split& split) {
        split.last = rank;
        split.next = at_end ? rank : rank_of(keys[k + 1]);
        split.categories = {};
      });
    }
  }

  // A column of numbers, those of the items from `first` on, divided anywhere between the least and the greatest.
  void random_number(index_t feature, const double* values, index_t first, index_t count, double uniform) {
    const RandomCut cut(values, count, uniform);
    if (!cut.found) return;
    clear(left_);
    clear(right_);  // every second row goes here, so that no sum waits for the one before
    index_t rows = 0, absent = 0;
    for (index_t k = 0; k < count; ++k) {
      const bool is_left = values[k] <= cut.threshold;
      target_.add_if(is_left, items_[first + k], k % 2 == 0 ? left_ : right_);
      rows += is_left;
      absent += values[k] != values[k];
    }
    for (std::size_t c = 0; c < left_.size(); ++c) left_[c] += right_[c];
    clear(missing_);
    for (index_t k = 0; absent > 0 && k < count; ++k)
      if (values[k] != values[k]) target_.add(items_[first + k], missing_);
    offer(feature, rows, absent, false, [&](Split& split) {
      split.by_value = true;
      split.threshold = cut.threshold;
      split.categories = {};
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
    missing_ = by_category_[levels];
    present_.clear();
    for (index_t level = 0; level < levels; ++level)
      if (in_category_[level] > 0) present_.push_back(std::uint32_t(level));
    for (index_t order = 0; order < target_.orders(); ++order) one_order(feature, order, in_category_[levels]);
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
      offer(feature, rows, absent, at_end, [&](Split& split) {
        split.threshold = std::numeric_limits<double>::quiet_NaN();
        split.categories = {};
        for (std::size_t at = 0; at <= k; ++at) split.categories.insert(present_[at]);
      });
    }
  }

  // The same with nothing missing: first the sums on the left of every place between two numbers, then all worths, and of
  // those that are best but for rounding the first.
  void all_at_once(index_t feature, const std::uint64_t* keys, index_t count) {
    const auto [first, last] = offers.allowed();
    cuts_.room(count);
    index_t cuts = 0;
    Sums left = target_.zero();
    for (index_t k = 0; k < last; ++k) {
      target_.add(items_[place_of(keys[k])], left);
      cuts_.put(cuts, k, left);
      cuts += (k + 1 >= first) & (rank_of(keys[k]) != rank_of(keys[k + 1]));
    }
    cuts_.count = cuts;
    const double best = criterion_.worths(cuts_, *total_, offers.least_weight());
    if (!offers.better(best)) return;
    const index_t k = cuts_.place[cuts_.first_of(best - offers.noise())];
    Split& split = offers.best;
    split.worth = best;
    split.feature = feature;
    split.missing_left = offers.follows_most(k + 1);
    split.left_rows = k + 1;
    split.last = rank_of(keys[k]);
    split.next = rank_of(keys[k + 1]);
    split.categories = {};
  }

  static void clear(Sums& sums) { std::fill(sums.begin(), sums.end(), 0.0); }

  void add_missing(const std::uint64_t* keys, index_t count) {
    clear(missing_);
    for (index_t k = 0; k < count; ++k) target_.add(items_[place_of(keys[k])], missing_);
  }

  // Weighs left_ against the rest, with the missing rows on the right and, unless they are all the rest, on the left.
  template <class Describe>
  void offer(index_t feature, index_t rows, index_t absent, bool rest_is_missing, const Describe& describe) {
    consider(feature, left_, rows, absent == 0 && offers.follows_most(rows), describe);
    if (absent == 0 || rest_is_missing) return;
    for (std::size_t c = 0; c < left_.size(); ++c) with_missing_[c] = left_[c] + missing_[c];
    consider(feature, with_missing_, rows + absent, true, describe);
  }

  template <class Describe>
  void consider(index_t feature, const Sums& side, index_t rows, bool missing_left, const Describe& describe) {
    if (!offers.enough_rows(rows)) return;
    for (std::size_t c = 0; c < side.size(); ++c) right_[c] = (*total_)[c] - side[c];
    if (!offers.enough_weight(side[0], right_[0])) return;
    const double worth = criterion_.worth(side) + criterion_.worth(right_);
    if (!offers.better(worth)) return;
    if (offers.directed()) {
      const double left = side[1] / side[0], right = right_[1] / right_[0];
      if (!offers.right_direction(feature, left, right)) return;
      offers.best.left_value = left;
      offers.best.right_value = right;
    }
    offers.best.worth = worth;
    offers.best.feature = feature;
    offers.best.missing_left = missing_left;
    offers.best.left_rows = rows;
    describe(offers.best);
  }

  Target target_;
  Criterion criterion_;
  Sums left_, right_, missing_, with_missing_;
  Cuts cuts_;
  std::vector<Sums> by_category_;
  std::vector<double> places_;
  std::vector<index_t> in_category_;
  std::vector<std::uint32_t> present_;
  const Sums* total_ = nullptr;
  const Item* items_ = nullptr;
};

}  // namespace learnable
