// Splits by absolute error, the deviation from the median, which is not additive: each side is updated row by row in a
// Fenwick tree over the ordered targets, which gives the median and the deviation in a logarithmic number of steps.
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

// Fenwick tree of the weights of targets by rank, with queries of the median and the deviation from it.
class MedianSums {
 public:
  explicit MedianSums(View<const double> levels) : levels_(levels), sums_(levels.size + 1, {0, 0}) {}

  void add(std::uint32_t rank, double weight) {
    const double amount = weight * levels_[rank];
    total_[0] += weight;
    total_[1] += amount;
    for (index_t at = index_t(rank) + 1; at < index_t(sums_.size()); at += at & -at) {
      sums_[at][0] += weight;
      sums_[at][1] += amount;
    }
  }

  // Clears this rank and others with common sums; to be called for all ranks added or none.
  void forget(std::uint32_t rank) {
    total_ = {0, 0};
    for (index_t at = index_t(rank) + 1; at < index_t(sums_.size()); at += at & -at) sums_[at] = {0, 0};
  }

  double weight() const { return total_[0]; }

  // The weighted median, the midpoint of two if they halve the weight exactly, and the weighted sum of deviations from
  // it.
  std::pair<double, double> median_and_deviation() const {
    const auto [at, below] = cumulative_search([](double weight, double total) { return 2 * weight < total; });
    const double median = levels_[at];
    const double deviation = (median * below[0] - below[1]) + (total_[1] - below[1]) - median * (total_[0] - below[0]);
    const auto [next, not_above] = cumulative_search([](double weight, double total) { return 2 * weight <= total; });
    return {next == at ? median : median / 2 + levels_[next] / 2, std::max(deviation, 0.0)};
  }

 private:
  // The first level at which the cumulative weight is no longer small, and the sums below it.
  template <class Small>
  std::pair<index_t, std::array<double, 2>> cumulative_search(Small small) const {
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

// Finds the split of a node with the least absolute deviation from the medians of its sides, summed over targets.
class AbsoluteErrorFinder {
 public:
  using Item = MultiTarget::Item;
  static constexpr bool has_squares = false;  // no bounds by bins
  static constexpr bool adds_bins = false;    // nor sums of them: medians are not additive
  static constexpr bool adds_fours = false;
  using Sums = std::vector<double>;  // weight, the median of each target, minus the deviations from them

  // Targets by rank among their sorted levels: a column of ranks and a list of levels for each.
  AbsoluteErrorFinder(Grid<const std::uint32_t> ranks, const std::vector<View<const double>>& levels,
                      View<const double> weight,
                  const SplitSelector& selector)
      : selector(selector), ranks_(ranks), weight_(weight), medians_(levels.begin(), levels.end()) {}

  SplitSelector selector;

  Item item(std::uint32_t row) const { return {weight_[row], row}; }
  bool same(const Item& a, const Item& b) const {
    for (index_t t = 0; t < ranks_.columns; ++t)
      if (ranks_(a.row, t) != ranks_(b.row, t)) return false;
    return true;
  }
  double gain(const Sums& sums) const { return sums.back(); }
  Sums sum(const Item* items, index_t count) {
    for (index_t k = 0; k < count; ++k) add(items[k]);
    Sums sums(std::size_t(width()), 0.0);
    write_sums(sums.data());
    for (index_t k = 0; k < count; ++k) forget(items[k]);
    return sums;
  }

  // An upper bound of the gain of any split: negative deviations are at most zero.
  double max_gain(const Sums&, double) const { return 0; }
  void start(const Sums&, index_t rows, const Bounds& bounds, double noise, const Item* items) {
    items_ = items;
    selector.start(rows, bounds, noise);
  }

  // A numeric column: keys are sorted, missing ones last.
  void numbers(index_t feature, const std::uint64_t* keys, index_t count, View<const double> levels) {
    scan(feature, keys, count, std::uint32_t(levels.size), [&](index_t k, bool at_end, Split& split) {
      split.last_left = rank_of(keys[k]);
      split.first_right = at_end ? split.last_left : rank_of(keys[k + 1]);
      split.categories = {};
    });
  }

  // A numeric column, for the items from `first` on, split at a random threshold between its minimum and maximum.
  void random_number(index_t feature, const RandomCut& cut, const double* values, index_t first, index_t count) {
    by_side_.resize(count);
    for (index_t k = 0; k < count; ++k)  // ranks 0 and 1 for the two sides, 2 for missing values
      by_side_[k] = keyed(values[k] != values[k] ? 2 : values[k] > cut.threshold, std::uint32_t(first + k));
    sort_sides(2);
    scan(feature, by_side_.data(), count, 2, [&](index_t, bool at_end, Split& split) {
      split.by_threshold = true;
      split.threshold = at_end ? unbounded : cut.threshold;
      split.categories = {};
    });
  }

  // A categorical column, its categories ordered by their medians, of each target in turn. Keys may be in any order.
  void categories(index_t feature, const std::uint64_t* keys, index_t count, index_t levels) {
    by_side_.assign(keys, keys + count);
    sort_sides(std::uint32_t(levels));
    std::vector<Group> groups;
    for (index_t begin = 0, end; begin < count; begin = end) {
      for (end = begin; end < count && rank_of(by_side_[end]) == rank_of(by_side_[begin]); ++end) {}
      const std::vector<double> sums = cumulative_sums(by_side_.data() + begin, end - begin, 1, {});
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

  // Sorts by_side_, whose indices are ascending, by ranks up to `highest`.
  void sort_sides(std::uint32_t highest) {
    spare_.resize(by_side_.size());
    const auto* sorted = detail::sort_keys(by_side_.data(), spare_.data(), index_t(by_side_.size()), 0, highest);
    if (sorted == spare_.data()) by_side_.swap(spare_);
  }

  // Evaluates splits between categories in the order of their medians of a target; missing values are the last, if any.
  void one_order(index_t feature, index_t target, const std::vector<Group>& groups, index_t count, bool has_missing) {
    std::vector<std::uint32_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0u);
    std::vector<double> median;
    for (const Group& group : groups) median.push_back(group.sums[std::size_t(1 + target)]);
    if (has_missing) median.back() = unbounded;
    sort_by_key(order, median);
    std::vector<std::uint64_t> ordered;
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (index_t k = groups[order[g]].begin; k < groups[order[g]].end; ++k)
        ordered.push_back(keyed(std::uint32_t(g), index_of(by_side_[k])));
    const auto missing = std::uint32_t(has_missing ? groups.size() - 1 : groups.size());
    scan(feature, ordered.data(), count, missing, [&](index_t k, bool, Split& split) {
      split.threshold = std::numeric_limits<double>::quiet_NaN();
      split.by_threshold = false;
      split.categories = {};
      for (std::uint32_t g = 0; g <= rank_of(ordered[k]); ++g) split.categories.insert(groups[order[g]].level);
    });
  }

  // The number of entries of the sums.
  index_t width() const { return ranks_.columns + 2; }

  void add(const Item& item) {
    for (index_t t = 0; t < ranks_.columns; ++t) medians_[t].add(ranks_(item.row, t), item.weight);
  }
  void forget(const Item& item) {
    for (index_t t = 0; t < ranks_.columns; ++t) medians_[t].forget(ranks_(item.row, t));
  }
  // Writes the sums of all rows added.
  void write_sums(double* sums) const {
    double total_deviation = 0;
    sums[0] = medians_[0].weight();
    for (index_t t = 0; t < ranks_.columns; ++t) {
      const auto [median, deviation] = medians_[t].median_and_deviation();
      sums[1 + t] = median;
      total_deviation += deviation;
    }
    sums[width() - 1] = -total_deviation;
  }

  // Cumulative sums of rows, `step` by `step` from the first key on, with the rows of `before` included from the start.
  std::vector<double> cumulative_sums(const std::uint64_t* keys, index_t count, index_t step,
                                      View<const std::uint64_t> before) {
    std::vector<double> sums(std::size_t(count * width()), 0.0);
    const auto item = [&](std::uint64_t key) -> const Item& { return items_[index_of(key)]; };
    for (const std::uint64_t key : before) add(item(key));
    for (index_t k = 0; k < count; ++k) {
      add(item(keys[k * step]));
      write_sums(sums.data() + k * width());
    }
    for (const std::uint64_t key : before) forget(item(key));
    for (index_t k = 0; k < count; ++k) forget(item(keys[k * step]));
    return sums;
  }

  // Evaluates every split of sorted keys between different ranks, with the missing values on either side.
  template <class Describe>
  void scan(index_t feature, const std::uint64_t* keys, index_t count, std::uint32_t missing, const Describe& describe) {
    const index_t present = count_present(keys, count, missing), absent = count - present;
    if (present == 0) return;
    const View<const std::uint64_t> missing_keys{keys + present, absent};
    const auto one_side = [&](View<const std::uint64_t> left_too, View<const std::uint64_t> right_too, bool to_the_end) {
      const std::vector<double> left = cumulative_sums(keys, present, 1, left_too);
      const std::vector<double> right = cumulative_sums(keys + present - 1, present, -1, right_too);
      const auto row = [&](const std::vector<double>& sums, index_t k) { return sums.data() + k * width(); };
      for (index_t k = 0; k + 1 < present; ++k)
        if (rank_of(keys[k]) != rank_of(keys[k + 1]))
          consider(feature, row(left, k), row(right, present - 2 - k), k + 1 + left_too.size, left_too.size > 0, false, k,
                   describe);
      if (!to_the_end) return;
      const std::vector<double> rest = cumulative_sums(keys + present, absent, 1, {});
      consider(feature, row(left, present - 1), row(rest, absent - 1), present, false, true, present - 1, describe);
    };
    one_side({}, missing_keys, absent > 0);
    if (absent > 0) one_side(missing_keys, {}, false);
    if (selector.best.feature == feature) selector.best.no_missing = absent == 0;
  }

  template <class Describe>
  void consider(index_t feature, const double* left, const double* right, index_t rows, bool missing_left, bool at_end,
                index_t k, const Describe& describe) {
    if (!selector.enough_rows(rows) || !selector.enough_weight(left[0], right[0])) return;
    const double gain = left[width() - 1] + right[width() - 1];
    if (!selector.better(gain)) return;
    if (selector.directed() && !selector.right_direction(feature, left[1], right[1])) return;
    Split& best = selector.best;
    best.gain = gain;
    best.feature = feature;
    best.missing_left = missing_left;
    best.left_rows = rows;
    best.left_value = left[1];
    best.right_value = right[1];
    describe(k, at_end, best);
  }

  Grid<const std::uint32_t> ranks_;
  View<const double> weight_;
  std::vector<MedianSums> medians_;  // one for each target
  std::vector<std::uint64_t> by_side_, spare_;
  const Item* items_ = nullptr;
};

}  // namespace learnable
