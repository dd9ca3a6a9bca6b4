// Stumps for boosting: the best single division, found again and again in columns that were put in order once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/tree_bins.hpp"
#include "learnable/tree_criteria.hpp"
#include "learnable/view.hpp"

namespace learnable {

struct Stump {
  double worth = -std::numeric_limits<double>::infinity();
  index_t feature = -1, rows = 0;             // how many rows go left
  double left_weight = 0, left_amount = 0;
};

// Rows in the order of each column, in bins that end where a level ends. A stump is looked for in the bins that may hold
// the best division of all columns.
class StumpColumns {
 public:
  // ranks(j, i) is the rank of row i in column j, where there are counts[j] of them.
  StumpColumns(Grid<const std::uint32_t> ranks, View<const std::int64_t> counts)
      : columns_(ranks.rows), rows_(ranks.columns), order_(std::size_t(columns_ * rows_)),
        bin_(std::size_t(columns_ * rows_)), begin_(std::size_t(columns_)), bins_(std::size_t(columns_)) {
    parallel_if(columns_ * rows_ > 20'000, columns_, [&](index_t j, int) { put_in_order(ranks.row(j), counts[j], j); });
  }

  // The division that leaves the least Gini impurity of two classes; weights of the second one are given with a minus.
  Stump best(View<const double> signed_weight, View<const double> total, double noise) {
    const bool shared = columns_ * rows_ > 20'000;
    std::vector<double> between(static_cast<std::size_t>(columns_));
    Offers offers{GrowthRules{}};
    offers.start(rows_, {}, noise);
    parallel_if(shared, columns_, [&](index_t j, int) {
      fill(j, signed_weight);
      between[j] = bins_[j].best_between(offers);
    });
    const double rival = *std::max_element(between.begin(), between.end()) - 2 * noise;
    std::vector<Stump> found(static_cast<std::size_t>(columns_));
    parallel_if(shared, columns_, [&](index_t j, int) {
      found[j] = best_of(j, signed_weight, {total[0], total[1]}, rival, noise);
    });
    return first_best(found, noise);
  }

  // The division that gives the most weight its own class, where each side answers one of the two. The sum of the signed
  // weights on the left says it all: the more it is above or below zero, the more of them belong together.
  Stump least_error(View<const double> signed_weight, View<const double> total, double noise) const {
    std::vector<Stump> found(static_cast<std::size_t>(columns_));
    parallel_if(columns_ * rows_ > 20'000, columns_, [&](index_t j, int) {
      found[j] = least_error_of(j, signed_weight, total[0] - total[1], total[1], noise);
    });
    return first_best(found, noise);
  }

  std::uint32_t row_at(index_t feature, index_t place) const { return order_[feature * rows_ + place] & ~edge; }
  index_t rows() const { return rows_; }

 private:
  static constexpr std::uint32_t edge = std::uint32_t(1) << 31;  // marks the last row of a level
  static constexpr index_t most_bins = 1024;

  static Stump first_best(const std::vector<Stump>& found, double noise) {
    Stump best;
    for (const Stump& stump : found)
      if (stump.feature >= 0 && (best.feature < 0 || stump.worth > best.worth + noise)) best = stump;
    return best;
  }

  // `first` and `second` are the weights of the two classes.
  Stump least_error_of(index_t feature, View<const double> signed_weight, double first, double second,
                       double noise) const {
    const std::uint32_t* order = order_.data() + feature * rows_;
    Stump best;
    double sum = 0, weight = 0;
    for (index_t k = 0; k + 1 < rows_; ++k) {
      const double here = signed_weight[order[k] & ~edge];
      sum += here;
      weight += std::abs(here);
      if (!(order[k] & edge)) continue;
      const double worth = std::max(sum + second, first - sum);
      if (best.feature < 0 || worth > best.worth + noise) best = {worth, feature, k + 1, weight, (weight - sum) / 2};
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
      bin[order[k] & ~edge] = std::uint16_t(begin.size() - 1);
      const bool full = (order[k] & edge) && (k + 1 - begin.back()) * most_bins >= rows_;
      if (full || k + 1 == rows_) begin.push_back(k + 1);
    }
  }

  void fill(index_t j, View<const double> signed_weight) {
    std::array<double, 2 * (most_bins + 1)> weight{};  // of the two classes in each bin
    const std::uint16_t* bin = bin_.data() + j * rows_;
    for (index_t i = 0; i < rows_; ++i) weight[2 * bin[i] + std::signbit(signed_weight[i])] += std::abs(signed_weight[i]);
    const std::vector<index_t>& begin = begin_[j];
    bins_[j].open(index_t(begin.size()) - 1);
    for (std::size_t b = 0; b + 1 < begin.size(); ++b)
      bins_[j].at(b) = {{weight[2 * b] + weight[2 * b + 1], weight[2 * b + 1]}, begin[b + 1] - begin[b]};
    bins_[j].close();
  }

  Stump best_of(index_t feature, View<const double> signed_weight, const OneNumber::Sums& total, double rival,
                double noise) {
    thread_local Cuts cuts;
    cuts.room(rows_);
    cuts.count = 0;
    Bins& bins = bins_[feature];
    const std::uint32_t* order = order_.data() + feature * rows_;
    const std::uint8_t* promising = bins.promising(0, 1, rival);
    for (index_t b = 0; b < bins.count(); ++b) {
      if (!promising[b]) continue;
      OneNumber::Sums left = bins.before(b).sums;
      const index_t end = std::min(bins.before(b + 1).rows, rows_ - 1);
      for (index_t k = bins.before(b).rows; k < end; ++k) {
        const double weight = signed_weight[order[k] & ~edge];
        left[0] += std::abs(weight);
        left[1] += (std::abs(weight) - weight) / 2;
        cuts.put(cuts.count, k, left);
        cuts.count += order[k] >> 31;
      }
    }
    if (cuts.count == 0) return {};
    const double most = Squares{}.worths(cuts, total, 0.0);
    const index_t at = cuts.first_of(most - noise);
    return {most, feature, index_t(cuts.place[at]) + 1, cuts.weight[at], cuts.amount[at]};
  }

  index_t columns_, rows_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint16_t> bin_;           // of each row in each column
  std::vector<std::vector<index_t>> begin_;  // where the bins of each column begin, and the end
  std::vector<Bins> bins_;
};

}  // namespace learnable
