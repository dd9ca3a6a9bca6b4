// Labels of least total cost in which every group has a number of rows within bounds.
//
// Rows begin where they are cheapest. Then one row after another leaves a group that is too large, or goes to one that is
// too small, by the cheapest chain of moves: a row from the first group to a second, one from there to a third, and so on.
// Chains of least cost from labels of least cost lead to labels of least cost again (successive shortest paths), and only
// groups are nodes, as between two of them the row that minds least is always the one to move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

class BalancedLabels {
 public:
  BalancedLabels(Grid<const double> cost, index_t fewest, index_t most, std::int32_t* label)
      : cost_(cost), groups_(cost.columns), fewest_(fewest), most_(most), label_(label), size_(groups_, 0),
        leaving_(groups_ * groups_) {
    for (index_t row = 0; row < cost_.rows; ++row) {
      const double* begin = cost_.data + row * cost_.stride;
      settle(row, index_t(std::min_element(begin, begin + groups_) - begin));
      noise_ = std::max(noise_, *std::max_element(begin, begin + groups_));
    }
    noise_ *= 8 * double(groups_) * 1.1e-16;
  }

  void solve() {
    while (shift([&](index_t g) { return size_[g] > most_; }, [&](index_t g) { return size_[g] < most_; })) look_up();
    while (shift([&](index_t g) { return size_[g] > fewest_; }, [&](index_t g) { return size_[g] < fewest_; })) look_up();
  }

  // A price for being in each group: by cost plus price every row is cheapest where it is. Lengths of shortest chains from
  // any group are such prices; their mean puts as many rows as possible clearly inside their groups. Where sizes are free
  // the price is zero: groups that could take more rows, or lose some, are joined with an outside that has it.
  void prices(double* price) {
    const index_t nodes = groups_ + 1, outside = groups_;
    std::vector<double> far(nodes * nodes, HUGE_VAL);
    for (index_t from = 0; from < groups_; ++from) {
      for (index_t to = 0; to < groups_; ++to) far[from * nodes + to] = from == to ? 0 : step(from, to);
      const bool fixed = fewest_ == most_ && from == 0;  // then only differences of prices matter
      if (fixed || size_[from] < most_) far[from * nodes + outside] = 0;
      if (fixed || size_[from] > fewest_) far[outside * nodes + from] = 0;
    }
    far[outside * nodes + outside] = 0;
    for (index_t by = 0; by < nodes; ++by)
      for (index_t from = 0; from < nodes; ++from)
        for (index_t to = 0; to < nodes; ++to)
          far[from * nodes + to] = std::min(far[from * nodes + to], far[from * nodes + by] + far[by * nodes + to]);
    std::fill_n(price, groups_, 0.0);
    double used = 0;
    for (index_t from = 0; from < nodes; ++from) {
      const double* chain = &far[from * nodes];
      if (!std::all_of(chain, chain + nodes, [](double length) { return length < HUGE_VAL; })) continue;
      ++used;
      for (index_t to = 0; to < groups_; ++to) price[to] += (chain[outside] - chain[to] - price[to]) / used;
    }
  }

 private:
  using Mover = std::pair<double, index_t>;  // what a row minds, and the row
  using Queue = std::priority_queue<Mover, std::vector<Mover>, std::greater<>>;

  void settle(index_t row, index_t group) {
    label_[row] = std::int32_t(group);
    ++size_[group];
    for (index_t to = 0; to < groups_; ++to)
      if (to != group) leaving_[group * groups_ + to].push({cost_(row, to) - cost_(row, group), row});
  }

  // What it costs to move a row from one group to another: that of the row which minds least.
  double step(index_t from, index_t to) {
    Queue& queue = leaving_[from * groups_ + to];
    while (!queue.empty() && label_[queue.top().second] != from) queue.pop();  // it has left since
    return queue.empty() ? HUGE_VAL : queue.top().first;
  }

  // Moves a row out of one of the groups that `give` into one that may `take`, by the cheapest chain there is.
  template <class Give, class Take>
  bool shift(Give give, Take take) {
    std::vector<double> far(groups_, HUGE_VAL);
    std::vector<index_t> before(groups_, -1);
    for (index_t g = 0; g < groups_; ++g)
      if (give(g)) far[g] = 0;
    for (bool better = true; better;) {
      better = false;
      for (index_t from = 0; from < groups_; ++from) {
        if (far[from] == HUGE_VAL) continue;
        for (index_t to = 0; to < groups_; ++to) {
          if (to == from || !(far[from] + step(from, to) < far[to] - noise_)) continue;
          far[to] = far[from] + step(from, to);
          before[to] = from;
          better = true;
        }
      }
    }
    index_t last = -1;
    for (index_t g = 0; g < groups_; ++g)
      if (take(g) && far[g] < HUGE_VAL && (last < 0 || far[g] < far[last])) last = g;
    if (last < 0) return false;
    for (index_t to = last; before[to] >= 0; to = before[to]) move(before[to], to);
    return true;
  }

  void move(index_t from, index_t to) {
    const index_t row = leaving_[from * groups_ + to].top().second;
    --size_[from];
    settle(row, to);
  }

  Grid<const double> cost_;
  index_t groups_, fewest_, most_;
  std::int32_t* label_;
  std::vector<index_t> size_;
  std::vector<Queue> leaving_;  // rows of one group, by what they mind to go to another
  double noise_ = 0;            // rounding of a chain: what is less is no gain
};

}  // namespace learnable
