// Decision stumps for boosting: the best single split, found repeatedly in columns that are sorted once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/bucketed_splits.hpp"
#include "learnable/trees/criteria.hpp"

namespace learnable {

struct Stump {
  double gain = -std::numeric_limits<double>::infinity();
  index_t feature = -1, rows = 0;             // how many rows go left
  double left_weight = 0, left_amount = 0;    // of both classes, and of the second
};

// Rows of two classes sorted by each column, in bins that end at the end of a level. A stump is searched in the bins
// that may contain the best split of all columns.
class StumpColumns {
 public:
  // ranks(j, i) is the rank of row i in column j, where there are counts[j] of them; second[i] whether it is of class
  // 1.
  StumpColumns(Grid<const std::uint32_t> ranks, View<const std::int64_t> counts, View<const std::uint8_t> second)
      : columns_(ranks.rows), rows_(ranks.columns), order_(std::size_t(columns_ * rows_)),
        bin_(std::size_t(columns_ * rows_)), begin_(std::size_t(columns_)), bins_(std::size_t(columns_)),
        second_(second.begin(), second.end()), signed_(std::size_t(rows_)) {
    parallel_if(shared(), columns_, [&](index_t j, int) { put_in_order(ranks.row(j), counts[j], j); });
  }

  // Sets the weights of the rows.
  void set_weights(View<const double> weight) {
    double all = 0, second = 0;
    for (index_t i = 0; i < rows_; ++i) {
      all += weight[i];
      second += second_[i] ? weight[i] : 0.0;
      signed_[i] = second_[i] ? -weight[i] : weight[i];
    }
    total_ = {all, second};
    noise_ = 1e-13 * all;
  }

  // The weight of all rows, and of those of the second class.
  const SingleTarget::Sums& total() const { return total_; }

  // The split of least Gini impurity of the two classes.
  Stump best(View<const double> weight) {
    set_weights(weight);
    std::vector<double> between(static_cast<std::size_t>(columns_));
    SplitSelector selector{GrowthRules{}};
    selector.start(rows_, {}, noise_);
    parallel_if(shared(), (columns_ + several - 1) / several, [&](index_t group, int) {
      const index_t first = group * several, last = std::min(columns_, first + several);
      last - first == several ? fill<several>(first, weight) : fill_each(first, last, weight);
      for (index_t j = first; j < last; ++j) between[j] = bins_[j].best_between(selector);
    });
    const double rival = *std::max_element(between.begin(), between.end()) - 2 * noise_;
    std::vector<Stump> found(static_cast<std::size_t>(columns_));
    parallel_if(shared(), columns_, [&](index_t j, int) { found[j] = best_of(j, rival); });
    return first_best(found);
  }

  // The split of least weighted error, where each side predicts one of the two classes. It follows from the sum of the
  // weights on the left, those of the second class with a minus: the larger its absolute value, the smaller the error.
  Stump least_error(View<const double> weight) {
    set_weights(weight);
    std::vector<Stump> found(static_cast<std::size_t>(columns_));
    parallel_if(shared(), columns_, [&](index_t j, int) { found[j] = least_error_of(j); });
    return first_best(found);
  }

  std::uint32_t row_at(index_t feature, index_t position) const { return order_[feature * rows_ + position] & ~edge; }
  index_t rows() const { return rows_; }

 private:
  static constexpr std::uint32_t edge = std::uint32_t(1) << 31;  // marks the last row of a level
  static constexpr index_t max_bins = 512, several = 4;  // columns whose bins fit into the fastest cache together

  bool shared() const { return columns_ * rows_ > 20'000; }

  Stump first_best(const std::vector<Stump>& found) const {
    Stump best;
    for (const Stump& stump : found)
      if (stump.feature >= 0 && (best.feature < 0 || stump.gain > best.gain + noise_)) best = stump;
    return best;
  }

  Stump least_error_of(index_t feature) const {
    const std::uint32_t* order = order_.data() + feature * rows_;
    const double first = total_[0] - total_[1], second = total_[1];
    Stump best;
    double sum = 0, weight = 0;
    for (index_t k = 0; k + 1 < rows_; ++k) {
      const double here = signed_[order[k] & ~edge];
      sum += here;
      weight += std::abs(here);
      if (!(order[k] & edge)) continue;
      const double gain = std::max(sum + second, first - sum);
      if (best.feature < 0 || gain > best.gain + noise_) best = {gain, feature, k + 1, weight, (weight - sum) / 2};
    }
    return best;
  }

  void put_in_order(View<const std::uint32_t> rank, index_t levels, index_t j) {
    std::vector<index_t> start(std::size_t(levels + 1), 0);
    for (index_t i = 0; i < rows_; ++i) ++start[rank[i] + 1];
    for (index_t r = 0; r < levels; ++r) start[r + 1] += start[r];
    std::uint32_t* order = order_.data() + j * rows_;
    for (index_t i = 0; i < rows_; ++i) order[start[rank[i]]++] = std::uint32_t(i);
    for (index_t r = 0; r < levels; ++r)  // each level now starts where the next one did
      if (start[r] > 0) order[start[r] - 1] |= edge;
    std::uint16_t* bin = bin_.data() + j * rows_;
    std::vector<index_t>& begin = begin_[j];
    begin.assign(1, 0);
    for (index_t k = 0; k < rows_; ++k) {
      const std::uint32_t i = order[k] & ~edge;
      bin[i] = std::uint16_t(2 * (begin.size() - 1) + second_[i]);
      const bool full = (order[k] & edge) && (k + 1 - begin.back()) * max_bins >= rows_;
      if (full || k + 1 == rows_) begin.push_back(k + 1);
    }
  }

  // Fills the bins of `Count` columns in one pass over the weights.
  template <index_t Count>
  void fill(index_t first, View<const double> weight) {
    std::array<std::array<double, 2 * (max_bins + 1)>, Count> sums{};  // of the two classes in each bin
    const std::uint16_t* bin = bin_.data() + first * rows_;
    for (index_t i = 0; i < rows_; ++i)
      for (index_t c = 0; c < Count; ++c) sums[c][bin[c * rows_ + i]] += weight[i];
    for (index_t c = 0; c < Count; ++c) {
      const std::vector<index_t>& begin = begin_[first + c];
      RankBuckets& bins = bins_[first + c];
      bins.open(index_t(begin.size()) - 1);
      for (std::size_t b = 0; b + 1 < begin.size(); ++b)
        bins.at(b) = {{sums[c][2 * b] + sums[c][2 * b + 1], sums[c][2 * b + 1]}, begin[b + 1] - begin[b]};
      bins.close();
    }
  }

  void fill_each(index_t first, index_t last, View<const double> weight) {
    for (index_t j = first; j < last; ++j) fill<1>(j, weight);
  }

  Stump best_of(index_t feature, double rival) {
    thread_local Cuts cuts;
    cuts.reserve(rows_);
    cuts.count = 0;
    RankBuckets& bins = bins_[feature];
    const std::uint32_t* order = order_.data() + feature * rows_;
    const std::uint8_t* promising = bins.promising(0, 1, rival);
    for (index_t b = 0; b < bins.count(); ++b) {
      if (!promising[b]) continue;
      SingleTarget::Sums left = bins.before(b).sums;
      const index_t end = std::min(bins.before(b + 1).rows, rows_ - 1);
      for (index_t k = bins.before(b).rows; k < end; ++k) {
        const double weight = signed_[order[k] & ~edge];
        left[0] += std::abs(weight);
        left[1] += (std::abs(weight) - weight) / 2;
        cuts.put(cuts.count, k, left);
        cuts.count += order[k] >> 31;
      }
    }
    if (cuts.count == 0) return {};
    const double best_gain = Squares{}.gains(cuts, total_, 0.0);
    const index_t at = cuts.first_of(best_gain - noise_);
    return {best_gain, feature, index_t(cuts.index[at]) + 1, cuts.weight[at], cuts.amount[at]};
  }

  index_t columns_, rows_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint16_t> bin_;           // of each row in each column, twice; one more for rows of the second class
  std::vector<std::vector<index_t>> begin_;  // where the bins of each column begin, and the end
  std::vector<RankBuckets> bins_;
  std::vector<std::uint8_t> second_;  // whether a row is of the second class
  std::vector<double> signed_;        // weights of the rows, those of the second class with a minus
  SingleTarget::Sums total_{};           // weight of all rows, and of those of the second class
  double noise_ = 0;                  // rounding error of gains
};

}  // namespace learnable
