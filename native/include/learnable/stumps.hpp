// Stumps for boosting: the best single division, found again and again in columns that were put in order once.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/tree_criteria.hpp"
#include "learnable/view.hpp"

namespace learnable {

struct Stump {
  double worth = -std::numeric_limits<double>::infinity();
  index_t feature = -1, rows = 0;             // how many rows go left
  double left_weight = 0, left_amount = 0;
};

class StumpColumns {
 public:
  // ranks(j, i) is the rank of row i in column j, where there are counts[j] of them.
  StumpColumns(Grid<const std::uint32_t> ranks, View<const std::int64_t> counts)
      : columns_(ranks.rows), rows_(ranks.columns), order_(std::size_t(ranks.rows * ranks.columns)) {
    parallel_if(columns_ * rows_ > 20'000, columns_, [&](index_t j, int) {
      std::vector<index_t> start(std::size_t(counts[j] + 1), 0);
      const std::uint32_t* rank = ranks.row(j).data;
      for (index_t i = 0; i < rows_; ++i) ++start[rank[i] + 1];
      for (index_t r = 0; r < counts[j]; ++r) start[r + 1] += start[r];
      std::uint32_t* order = order_.data() + j * rows_;
      for (index_t i = 0; i < rows_; ++i) order[start[rank[i]]++] = std::uint32_t(i);
      for (index_t r = 0; r < counts[j]; ++r)  // each level now starts where the next one did
        if (start[r] > 0) order[start[r] - 1] |= edge;
    });
  }

  // The division that leaves the least Gini impurity of two classes; weights of the second one are given with a minus.
  Stump best(View<const double> signed_weight, View<const double> total, double noise) const {
    std::vector<Stump> found(static_cast<std::size_t>(columns_));
    parallel_if(columns_ * rows_ > 20'000, columns_, [&](index_t j, int) {
      found[j] = best_of(j, signed_weight, {total[0], total[1]}, noise);
    });
    Stump best;
    for (const Stump& stump : found)
      if (stump.feature >= 0 && (best.feature < 0 || stump.worth > best.worth + noise)) best = stump;
    return best;
  }

  std::uint32_t row_at(index_t feature, index_t place) const { return order_[feature * rows_ + place] & ~edge; }
  index_t rows() const { return rows_; }

 private:
  static constexpr std::uint32_t edge = std::uint32_t(1) << 31;  // marks the last row of a level
  static constexpr index_t block = 1024;

  Stump best_of(index_t feature, View<const double> signed_weight, const OneNumber::Sums& total, double noise) const {
    thread_local Cuts cuts;
    cuts.room(block);
    const std::uint32_t* order = order_.data() + feature * rows_;
    Stump best;
    OneNumber::Sums left{0, 0};
    for (index_t begin = 0; begin + 1 < rows_; begin += block) {
      const index_t end = std::min(begin + block, rows_ - 1);
      index_t count = 0;
      for (index_t k = begin; k < end; ++k) {
        const double weight = signed_weight[order[k] & ~edge];
        left[0] += std::abs(weight);
        left[1] += weight < 0 ? -weight : 0.0;
        cuts.put(count, k, left);
        count += order[k] >> 31;
      }
      cuts.count = count;
      const double most = Squares{}.worths(cuts, total, 0.0);
      if (count == 0 || !(best.feature < 0 || most > best.worth + noise)) continue;
      const index_t at = cuts.first_of(most - noise);
      best = {most, feature, index_t(cuts.place[at]) + 1, cuts.weight[at], cuts.amount[at]};
    }
    return best;
  }

  index_t columns_, rows_;
  std::vector<std::uint32_t> order_;
};

}  // namespace learnable
