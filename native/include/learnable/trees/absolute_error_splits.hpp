// Splits by absolute deviations from the median, which are no sums: each side is followed row by row in a tree of sums
// over the ordered targets, from which the median and the deviation are read in a logarithmic number of steps.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/column_splits.hpp"

namespace learnable {

// Weights of targets by their rank, of which the median and the deviation from it are known at any time.
class MedianTree {
 public:
  explicit MedianTree(View<const double> levels) : levels_(levels), sums_(levels.size + 1, {0, 0}) {}

  void add(std::uint32_t rank, double weight) {
    const double amount = weight * levels_[rank];
    total_[0] += weight;
    total_[1] += amount;
    for (index_t at = index_t(rank) + 1; at < index_t(sums_.size()); at += at & -at) {
      sums_[at][0] += weight;
      sums_[at][1] += amount;
    }
  }

  // As if nothing had been added of this rank, nor of others that share sums with it; to be called for all or none.
  void forget(std::uint32_t rank) {
    total_ = {0, 0};
    for (index_t at = index_t(rank) + 1; at < index_t(sums_.size()); at += at & -at) sums_[at] = {0, 0};
  }

  double weight() const { return total_[0]; }

  // The weighted median, half way between two that share the weight evenly, and the weighted sum of deviations from it.
  std::pair<double, double> median_and_deviation() const {
    const auto [at, below] = lower_part([](double weight, double total) { return 2 * weight < total; });
    const double median = levels_[at];
    const double deviation = (median * below[0] - below[1]) + (total_[1] - below[1]) - median * (total_[0] - below[0]);
    const auto [next, not_above] = lower_part([](double weight, double total) { return 2 * weight <= total; });
    return {next == at ? median : median / 2 + levels_[next] / 2, std::max(deviation, 0.0)};
  }

 private:
  // The first level up to which the weight is no longer small, and the sums below it.
  template <class Small>
  std::pair<index_t, std::array<double, 2>> lower_part(Small small) const {
    index_t at = 0;
    std::array<double, 2> below{0, 0};
    for (index_t step = index_t(std::bit_floor(sums_.size() - 1)); step > 0; step >>= 1) {
      const index_t next = at + step;
      if (next < index_t(sums_.size()) && small(below[0] + sums_[next][0], total_[0])) {
        at = next;
        below[0] += sums_[at][0];
        below[1] += sums_[at][1];
      }
    }
    return {std::min(at, levels_.size - 1), below};
  }

  View<const double> levels_;
  std::vector<std::array<double, 2>> sums_;
  std::array<double, 2> total_{0, 0};
};

// Looks for the division of a node that leaves the least absolute deviation from the medians of its sides, of all targets
// together.
class DeviationFinder {
 public:
  using Item = SeveralNumbers::Item;
  static constexpr bool has_squares = false;  // no bounds by bins
  static constexpr bool adds_bins = false;    // nor sums of them: medians do not add
  static constexpr bool adds_fours = false;
  using Sums = std::vector<double>;  // weight, the median of each target, minus the deviations from them

  // Targets by rank among their sorted levels: a column of ranks and a list of levels for each.
  DeviationFinder(Grid<const std::uint32_t> ranks, const std::vector<View<const double>>& levels, View<const double> weight,
                  const Offers& offers)
      : offers(offers), ranks_(ranks), weight_(weight), medians_(levels.begin(), levels.end()) {}

  Offers offers;

  Item item(std::uint32_t row) const { return {weight_[row], row}; }
  bool same(const Item& a, const Item& b) const {
    for (index_t t = 0; t < ranks_.columns; ++t)
      if (ranks_(a.row, t) != ranks_(b.row, t)) return false;
    return true;
  }
  double worth(const Sums& sums) const { return sums.back(); }
  Sums sum(const Item* items, index_t count) {
    for (index_t k = 0; k < count; ++k) add(items[k]);
    Sums sums(std::size_t(width()), 0.0);
    tell(sums.data());
    for (index_t k = 0; k < count; ++k) forget(items[k]);
    return sums;
  }

  // No less than what any division is worth: deviations are worth less than none.
  double most_worth(const Sums&, double) const { return 0; }
  void start(const Sums&, index_t rows, const Bounds& bounds, double noise, const Item* items) {
    items_ = items;
    offers.start(rows, bounds, noise);
  }

  // A column of numbers: keys are sorted, missing ones last.
  void numbers(index_t feature, const std::uint64_t* keys, index_t count, View<const double> levels) {
    scan(feature, keys, count, std::uint32_t(levels.size), [&](index_t k, bool at_end, Split& split) {
      split.last = rank_of(keys[k]);
      split.next = at_end ? split.last : rank_of(keys[k + 1]);
      split.categories = {};
    });
  }

  // A column of numbers, those of the items from `first` on, divided anywhere between the least and the greatest.
  void random_number(index_t feature, const RandomCut& cut, const double* values, index_t first, index_t count) {
    by_side_.resize(count);
    for (index_t k = 0; k < count; ++k)  // ranks 0 and 1 for the two sides, 2 for missing ones
      by_side_[k] = keyed(values[k] != values[k] ? 2 : values[k] > cut.threshold, std::uint32_t(first + k));
    sort_sides(2);
    scan(feature, by_side_.data(), count, 2, [&](index_t, bool at_end, Split& split) {
      split.by_value = true;
      split.threshold = at_end ? unbounded : cut.threshold;
      split.categories = {};
    });
  }

  // A column of categories, put in order by their medians, of each target in turn. Keys may be in any order.
  void categories(index_t feature, const std::uint64_t* keys, index_t count, index_t levels) {
    by_side_.assign(keys, keys + count);
    sort_sides(std::uint32_t(levels));
    std::vector<Group> groups;
    for (index_t begin = 0, end; begin < count; begin = end) {
      for (end = begin; end < count && rank_of(by_side_[end]) == rank_of(by_side_[begin]); ++end) {}
      const std::vector<double> sums = follow(by_side_.data() + begin, end - begin, 1, {});
      groups.push_back({Sums(sums.end() - width(), sums.end()), rank_of(by_side_[begin]), begin, end});
    }
    for (index_t t = 0; t < ranks_.columns; ++t) one_order(feature, t, groups, count, groups.back().level == levels);
  }

 private:
  // The rows of a category, among the keys that are sorted by it.
  struct Group {
    Sums sums;
    std::uint32_t level;
    index_t begin, end;
  };

  // Sorts by_side_, whose places rise, by ranks up to `highest`.
  void sort_sides(std::uint32_t highest) {
    spare_.resize(by_side_.size());
    const auto* sorted = detail::sort_keys(by_side_.data(), spare_.data(), index_t(by_side_.size()), 0, highest);
    if (sorted == spare_.data()) by_side_.swap(spare_);
  }

  // Offers divisions between groups in the order of their medians of a target; missing ones are the last group, if any.
  void one_order(index_t feature, index_t target, const std::vector<Group>& groups, index_t count, bool has_missing) {
    std::vector<std::uint32_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0u);
    std::vector<double> median;
    for (const Group& group : groups) median.push_back(group.sums[std::size_t(1 + target)]);
    if (has_missing) median.back() = unbounded;
    sort_by_place(order, median);
    std::vector<std::uint64_t> ordered;
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (index_t k = groups[order[g]].begin; k < groups[order[g]].end; ++k)
        ordered.push_back(keyed(std::uint32_t(g), place_of(by_side_[k])));
    const auto missing = std::uint32_t(has_missing ? groups.size() - 1 : groups.size());
    scan(feature, ordered.data(), count, missing, [&](index_t k, bool, Split& split) {
      split.threshold = std::numeric_limits<double>::quiet_NaN();
      split.by_value = false;
      split.categories = {};
      for (std::uint32_t g = 0; g <= rank_of(ordered[k]); ++g) split.categories.insert(groups[order[g]].level);
    });
  }

  // How many numbers the sums are.
  index_t width() const { return ranks_.columns + 2; }

  void add(const Item& item) {
    for (index_t t = 0; t < ranks_.columns; ++t) medians_[t].add(ranks_(item.row, t), item.weight);
  }
  void forget(const Item& item) {
    for (index_t t = 0; t < ranks_.columns; ++t) medians_[t].forget(ranks_(item.row, t));
  }
  // The sums of all that was added.
  void tell(double* sums) const {
    double left_over = 0;
    sums[0] = medians_[0].weight();
    for (index_t t = 0; t < ranks_.columns; ++t) {
      const auto [median, deviation] = medians_[t].median_and_deviation();
      sums[1 + t] = median;
      left_over += deviation;
    }
    sums[width() - 1] = -left_over;
  }

  // The sums of ever more rows one after the other, `step` by `step` from the first key on, with the rows of `before`
  // among them all along.
  std::vector<double> follow(const std::uint64_t* keys, index_t count, index_t step, View<const std::uint64_t> before) {
    std::vector<double> sums(std::size_t(count * width()), 0.0);
    const auto item = [&](std::uint64_t key) -> const Item& { return items_[place_of(key)]; };
    for (const std::uint64_t key : before) add(item(key));
    for (index_t k = 0; k < count; ++k) {
      add(item(keys[k * step]));
      tell(sums.data() + k * width());
    }
    for (const std::uint64_t key : before) forget(item(key));
    for (index_t k = 0; k < count; ++k) forget(item(keys[k * step]));
    return sums;
  }

  // Offers every division of sorted keys between different ranks, with the missing rows on either side.
  template <class Describe>
  void scan(index_t feature, const std::uint64_t* keys, index_t count, std::uint32_t missing, const Describe& describe) {
    const index_t present = count_present(keys, count, missing), absent = count - present;
    if (present == 0) return;
    const View<const std::uint64_t> gaps{keys + present, absent};
    const auto one_side = [&](View<const std::uint64_t> left_too, View<const std::uint64_t> right_too, bool to_the_end) {
      const std::vector<double> left = follow(keys, present, 1, left_too);
      const std::vector<double> right = follow(keys + present - 1, present, -1, right_too);
      const auto row = [&](const std::vector<double>& sums, index_t k) { return sums.data() + k * width(); };
      for (index_t k = 0; k + 1 < present; ++k)
        if (rank_of(keys[k]) != rank_of(keys[k + 1]))
          consider(feature, row(left, k), row(right, present - 2 - k), k + 1 + left_too.size, left_too.size > 0, false, k,
                   describe);
      if (!to_the_end) return;
      const std::vector<double> rest = follow(keys + present, absent, 1, {});
      consider(feature, row(left, present - 1), row(rest, absent - 1), present, false, true, present - 1, describe);
    };
    one_side({}, gaps, absent > 0);
    if (absent > 0) one_side(gaps, {}, false);
    if (offers.best.feature == feature) offers.best.gapless = absent == 0;
  }

  template <class Describe>
  void consider(index_t feature, const double* left, const double* right, index_t rows, bool missing_left, bool at_end,
                index_t k, const Describe& describe) {
    if (!offers.enough_rows(rows) || !offers.enough_weight(left[0], right[0])) return;
    const double worth = left[width() - 1] + right[width() - 1];
    if (!offers.better(worth)) return;
    if (offers.directed() && !offers.right_direction(feature, left[1], right[1])) return;
    Split& best = offers.best;
    best.worth = worth;
    best.feature = feature;
    best.missing_left = missing_left;
    best.left_rows = rows;
    best.left_value = left[1];
    best.right_value = right[1];
    describe(k, at_end, best);
  }

  Grid<const std::uint32_t> ranks_;
  View<const double> weight_;
  std::vector<MedianTree> medians_;  // one for each target
  std::vector<std::uint64_t> by_side_, spare_;
  const Item* items_ = nullptr;
};

}  // namespace learnable
