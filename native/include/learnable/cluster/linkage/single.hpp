// Single linkage by Prim's minimum spanning tree: the row nearest to the tree so far is added next. Sorted, its edges
// are the merges of single linkage. Distances are computed when they are needed; nothing of size n^2 is stored. OPTICS
// visits rows in the same order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/cluster/linkage/merges.hpp"
#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/neighbors/minkowski.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

typedef std::int64_t LaneNumbers __attribute__((vector_size(vector_bytes)));

// Reachability: no distance of a row is below its `reach` (core distance), if given. With `both`, that of either end
// counts (HDBSCAN's mutual reachability), else that of the row in the tree alone (OPTICS); rows farther apart than
// `limit` are not connected. Reaches are compared with distances, not with sums: they are often equal to each other.
struct Reach {
  View<const double> of_row{};
  bool both = true;
  double limit = HUGE_VAL;
};

template <class Norm>
class SpanningTree {
 public:
  SpanningTree(Grid<const double> X, Norm norm, const Reach& reach)
      : columns_(X.columns), norm_(norm), reach_(reach), limit_(norm.sum(reach.limit)),
        points_(X.columns + 3, round_up(X.rows, lanes)), row_(X.rows), left_(X.rows), x_(X.columns + 1) {
    for (index_t i = 0; i < X.rows; ++i) {
      row_[i] = std::int32_t(i);
      for (index_t j = 0; j < columns_; ++j) points_.grid(j, i) = X(i, j);
      points_.grid(reached(), i) = reach.of_row ? reach.of_row[i] : 0.0;
      points_.grid(nearest(), i) = HUGE_VAL;
      points_.grid(source(), i) = -1;
    }
  }

  // In the order of the visit: the row of the tree, the next row, and their distance; row -1 and an infinite distance
  // where no row is within the limit. The first row is visited before all others.
  std::vector<Merge> edges() {
    std::vector<Merge> found;
    found.reserve(std::size_t(left_));
    index_t here = take(0);
    while (left_ > 0) {
      const index_t slot = approach(here);
      const double near = points_.grid(nearest(), slot), height = reach_.of_row ? near : norm_.distance(near);
      const index_t from = index_t(points_.grid(source(), slot));
      here = take(slot);
      found.push_back({from, here, height});
      poll_interrupt();
    }
    return found;
  }

 private:
  static constexpr index_t block_size = 4096;
  index_t reached() const { return columns_; }
  index_t nearest() const { return columns_ + 1; }
  index_t source() const { return columns_ + 2; }

  // Removes the point in a slot; the last one moves there. Returns its row.
  index_t take(index_t slot) {
    const index_t row = row_[slot];
    --left_;
    for (index_t j = 0; j <= columns_; ++j) x_[j] = points_.grid(j, slot);
    for (index_t j = 0; j < points_.grid.rows; ++j) points_.grid(j, slot) = points_.grid(j, left_);
    row_[slot] = row_[left_];
    return row;
  }

  // Updates the remaining points for row `here`, just added; returns the slot of the one nearest to the tree.
  index_t approach(index_t here) {
    const Blocks blocks(left_, block_size);
    best_.resize(std::size_t(blocks.count));
    parallel_if(left_ * (columns_ + 4) > 40000, blocks.count, [&](index_t block, int) {
      best_[block] = approach(here, blocks.begin(block), blocks.end(block));
    });
    const auto best = std::min_element(best_.begin(), best_.end(), [](auto& a, auto& b) { return a.first < b.first; });
    return reach_.of_row ? first_of(best->first) : best->second;  // lengthened distances are often equal
  }

  // The slot of the first row at this distance from the tree.
  index_t first_of(double distance) const {
    const double* near = &points_.grid(nearest(), 0);
    index_t slot = -1;
    for (index_t i = 0; i < left_; ++i)
      if (near[i] == distance && (slot < 0 || row_[i] < row_[slot])) slot = i;
    return slot;
  }

  std::pair<double, index_t> approach(index_t here, index_t begin, index_t end) {
    const double row = double(here), least = x_[columns_];
    const bool limited = limit_ < HUGE_VAL, lengthened = bool(reach_.of_row);
    double *near = &points_.grid(nearest(), 0), *from = &points_.grid(source(), 0);
    const double* reach = &points_.grid(reached(), 0);
    Lanes best = Lanes{} + HUGE_VAL, count{};
    for (int lane = 0; lane < lanes; ++lane) count[lane] = lane;
    LaneNumbers where{};
    for (index_t i = begin; i < end; i += lanes) {
      Lanes sum{};
      for (index_t j = 0; j < columns_; ++j)
        sum = norm_.join(sum, norm_.term(x_[j] - load(&points_.grid(j, i))));
      if (limited) sum = sum <= limit_ - Lanes{} ? sum : Lanes{} + HUGE_VAL;
      if (lengthened) {
        for (int lane = 0; lane < lanes; ++lane) sum[lane] = norm_.distance(sum[lane]);
        sum = detail::larger(sum, least - Lanes{});
        if (reach_.both) sum = detail::larger(sum, load(reach + i));
      }
      const Lanes before = load(near + i);
      const auto closer = sum < before;
      const Lanes now = closer ? sum : before;
      store(near + i, now);
      store(from + i, closer ? row - Lanes{} : load(from + i));
      const auto better = (now < best) & (count < double(end - i) - Lanes{});
      best = better ? now : best;
      where = better ? i - LaneNumbers{} : where;
    }
    std::pair<double, index_t> found(HUGE_VAL, begin);
    for (int lane = 0; lane < lanes; ++lane)
      if (best[lane] < found.first) found = {best[lane], where[lane] + lane};
    return found;
  }

  index_t columns_;
  Norm norm_;
  Reach reach_;
  double limit_;
  Scratch points_;  // column by column, then reach, sum or distance to the tree, and the nearest row of the tree
  std::vector<std::int32_t> row_;
  index_t left_;
  std::vector<double> x_;
  std::vector<std::pair<double, index_t>> best_;
};

// The same for distances in a table.
inline std::vector<Merge> spanning_tree(Grid<const double> table, View<const double> reach) {
  const index_t n = table.rows;
  std::vector<Merge> found;
  std::vector<double> near(n, HUGE_VAL), closed(n, 0.0);
  std::vector<index_t> from(n, 0);
  for (index_t here = 0, step = 0; step + 1 < n; ++step) {
    closed[here] = HUGE_VAL;
    index_t next = -1;
    double best = HUGE_VAL;
    for (index_t i = 0; i < n; ++i) {
      double sum = table(here, i) + closed[i];
      if (reach) sum = std::max(sum, std::max(reach[i], reach[here]));
      if (sum < near[i] && closed[i] == 0) {
        near[i] = sum;
        from[i] = here;
      }
      if (closed[i] == 0 && (next < 0 || near[i] < best)) {
        best = near[i];
        next = i;
      }
    }
    found.push_back({from[next], next, best});
    here = next;
    poll_interrupt();
  }
  return found;
}

}  // namespace learnable
