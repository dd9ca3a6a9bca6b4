// The best way to divide the rows of a node by one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "learnable/tree_criteria.hpp"
#include "learnable/tree_nodes.hpp"
#include "learnable/view.hpp"

namespace learnable {

constexpr double unbounded = std::numeric_limits<double>::infinity();

// Where a tree ends, and what it looks at.
struct GrowthRules {
  index_t most_depth = std::numeric_limits<index_t>::max();
  index_t most_leaves = 0;  // 0: no limit; else the tree grows where it gains most
  index_t least_rows_to_split = 2, least_rows = 1;
  double least_weight = 0;  // of a side
  double least_gain = 0;
  index_t candidates = 0;   // columns tried at a node, of those that vary; 0: all
  bool random_thresholds = false;
  index_t tree_columns = 0;  // columns that the tree may use at all, drawn for it; 0: all
  index_t top = 1;           // the column that divides is drawn among so many that are worth most
  std::uint64_t seed = 0;
  std::vector<std::int8_t> direction;  // 1, -1: the value must not fall, not rise along the column; empty: all free

  // Where rows are drawn, least_weight, least_gain and the shares of rows are those of a weight of one, and are to be
  // multiplied by that of the sample.
  void scale_to(const std::vector<double>& weight, bool drawn) {
    if (!drawn) return;
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    least_weight *= total;
    least_gain *= total;
  }
};

// Ranks of columns, with the levels that they stand for; rank levels.size is a missing value. Categories are their own
// ranks. Where few columns are looked at, their cells are found close together if those of a row are.
struct RankedColumns {
  Grid<const std::uint32_t> ranks;   // a row for each column
  Grid<const std::uint32_t> by_row;  // the same with a row for each row, if it was made
  Grid<const float> narrow;          // the numbers themselves, for random thresholds, in either precision
  Grid<const double> wide;
  std::vector<View<const double>> levels;
  std::vector<std::uint8_t> categorical;

  index_t count() const { return ranks.rows; }

  // Calls f(rank of a row) for one column.
  template <class F>
  void with_ranks(index_t feature, const F& f) const {
    if (by_row)
      f([&](std::uint32_t row) { return by_row(row, feature); });
    else
      f([data = ranks.row(feature).data](std::uint32_t row) { return data[row]; });
  }

  // Calls f(table) with the numbers by row and column.
  template <class F>
  void with_values(const F& f) const {
    if (narrow)
      f(narrow);
    else
      f(wide);
  }
};

// The rank of an entry and where its row stands, as one number that sorts by rank.
inline std::uint64_t keyed(std::uint32_t rank, std::uint32_t place) { return std::uint64_t(rank) << 32 | place; }
inline std::uint32_t rank_of(std::uint64_t key) { return std::uint32_t(key >> 32); }
inline std::uint32_t place_of(std::uint64_t key) { return std::uint32_t(key); }

// What the value of a node is held between, where directions of columns are given.
struct Bounds {
  double low = -unbounded, high = unbounded;
  bool hold(double value) const { return value >= low && value <= high; }
};

struct Split {
  double worth = -unbounded;  // of both sides together
  index_t feature = -1;
  std::uint32_t last = 0;     // the largest rank that goes left
  double threshold = 0;
  bool missing_left = false;
  bool by_value = false;      // the threshold decides, no ranks were looked at
  CategorySet categories;     // those that go left, if the column has categories
  index_t left_rows = 0;
  double left_value = 0, right_value = 0;

  bool found() const { return feature >= 0; }
  // Whether something is worth more than this by more than rounding: of equals the first counts, in whatever order sums
  // were added.
  bool less_than(double other, double noise) const { return found() ? other > worth + noise : other > -unbounded; }
  bool goes_left(std::uint32_t rank, std::uint32_t missing) const {
    if (rank == missing) return missing_left;
    return categories.empty() ? rank <= last : categories.has(rank);
  }
  bool sends_left(double value) const { return missing_left ? !(value > threshold) : value <= threshold; }
};

// A number strictly below `high` and not below `low`, half way if rounding allows.
inline double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle < high && middle >= low ? middle : low;
}

// How many keys at the front are not missing.
inline index_t count_present(const std::uint64_t* keys, index_t count, std::uint32_t missing) {
  while (count > 0 && rank_of(keys[count - 1]) == missing) --count;
  return count;
}

// A threshold somewhere between the least and the greatest of some numbers, of which those that are missing do not count.
struct RandomCut {
  bool found = false;
  double threshold = 0;

  RandomCut(const double* values, index_t count, double uniform) {
    double least = unbounded, most = -unbounded;
    for (index_t k = 0; k < count; ++k) {
      least = values[k] < least ? values[k] : least;
      most = values[k] > most ? values[k] : most;
    }
    found = least < most;
    if (!found) return;
    threshold = least + uniform * (most - least);
    if (!(threshold >= least && threshold < most)) threshold = least;
  }
};

// The split of most worth among those offered that keep the rules.
class Offers {
 public:
  Split best;

  explicit Offers(const GrowthRules& rules) : rules_(rules) {}

  void start(index_t rows, const Bounds& bounds, double noise) {
    rows_ = rows;
    bounds_ = bounds;
    noise_ = noise;
    best = Split{};
  }

  bool better(double worth) const { return best.less_than(worth, noise_); }

  bool enough_rows(index_t left) const { return left >= rules_.least_rows && rows_ - left >= rules_.least_rows; }
  bool enough_weight(double left, double right) const {
    return left >= rules_.least_weight && right >= rules_.least_weight;
  }
  bool directed() const { return !rules_.direction.empty(); }
  bool right_direction(index_t feature, double left, double right) const {
    const int direction = rules_.direction[feature];
    return direction == 0 || (bounds_.hold(left) && bounds_.hold(right) && direction * left <= direction * right);
  }

  // With no missing rows to learn from, those to come go where most rows go.
  bool follows_most(index_t left) const { return left > rows_ - left; }

 private:
  GrowthRules rules_;
  Bounds bounds_;
  index_t rows_ = 0;
  double noise_ = 0;
};

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
    add_missing(keys + present, count - present);
    clear(left_);
    for (index_t k = 0; k < present; ++k) {
      target_.add(items_[place_of(keys[k])], left_);
      const std::uint32_t rank = rank_of(keys[k]);
      const bool at_end = k + 1 == present;
      if ((!at_end && rank_of(keys[k + 1]) == rank) || (at_end && present == count)) continue;
      offer(feature, k + 1, count - present, at_end, [&](Split& split) {
        split.last = rank;
        split.threshold = at_end ? unbounded : between(levels[rank], levels[rank_of(keys[k + 1])]);
        split.categories = {};
      });
    }
  }

  // A column of numbers, those of the items from `first` on, divided anywhere between the least and the greatest.
  void random_number(index_t feature, const double* values, index_t first, index_t count, double uniform) {
    const RandomCut cut(values, count, uniform);
    if (!cut.found) return;
    clear(left_);
    index_t rows = 0, absent = 0;
    for (index_t k = 0; k < count; ++k) {
      const bool is_left = values[k] <= cut.threshold;
      target_.add_if(is_left, items_[first + k], left_);
      rows += is_left;
      absent += values[k] != values[k];
    }
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
  std::vector<Sums> by_category_;
  std::vector<double> places_;
  std::vector<index_t> in_category_;
  std::vector<std::uint32_t> present_;
  const Sums* total_ = nullptr;
  const Item* items_ = nullptr;
};

}  // namespace learnable
