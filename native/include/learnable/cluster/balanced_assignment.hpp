// Balanced assignment: labels of least total cost for which every cluster size is within bounds.
//
// Every row starts in its cheapest cluster. Then one row at a time leaves a cluster that is too large, or joins one
// that is too small, along the cheapest chain of moves: from the first cluster to a second, from there to a third, and
// so on. Shortest chains preserve optimality (successive shortest paths). Only clusters are nodes of the graph: the
// length of an edge is the smallest increase of the cost over the rows of its first cluster.
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
  BalancedLabels(Grid<const double> cost, index_t min_size, index_t max_size, std::int32_t* label)
      : cost_(cost), clusters_(cost.columns), min_size_(min_size), max_size_(max_size), label_(label),
          size_(clusters_, 0),
        leaving_(clusters_ * clusters_) {
    for (index_t row = 0; row < cost_.rows; ++row) {
      const double* begin = cost_.data + row * cost_.stride;
      settle(row, index_t(std::min_element(begin, begin + clusters_) - begin));
      noise_ = std::max(noise_, *std::max_element(begin, begin + clusters_));
    }
    noise_ *= 8 * double(clusters_) * 1.1e-16;
  }

  void solve() {
    while (shift([&](index_t g) { return size_[g] > max_size_; },
                 [&](index_t g) { return size_[g] < max_size_; })) poll_interrupt();
    while (shift([&](index_t g) { return size_[g] > min_size_; },
                 [&](index_t g) { return size_[g] < min_size_; })) poll_interrupt();
  }

  // A dual variable per cluster: every row is in the cluster of least cost plus dual. Lengths of shortest chains from
  // any cluster are optimal duals; their mean separates rows from other clusters by the widest margin. Where a size
  // constraint is not active the dual is zero: such clusters are connected with an outside node whose dual is zero.
  void duals(double* dual) {
    const index_t nodes = clusters_ + 1, outside = clusters_;
    std::vector<double> far(nodes * nodes, HUGE_VAL);
    for (index_t from = 0; from < clusters_; ++from) {
      for (index_t to = 0; to < clusters_; ++to) far[from * nodes + to] = from == to ? 0 : step(from, to);
      const bool fixed = min_size_ == max_size_ && from == 0;  // then only differences of duals matter
      if (fixed || size_[from] < max_size_) far[from * nodes + outside] = 0;
      if (fixed || size_[from] > min_size_) far[outside * nodes + from] = 0;
    }
    far[outside * nodes + outside] = 0;
    for (index_t by = 0; by < nodes; ++by)
      for (index_t from = 0; from < nodes; ++from)
        for (index_t to = 0; to < nodes; ++to)
          far[from * nodes + to] = std::min(far[from * nodes + to], far[from * nodes + by] + far[by * nodes + to]);
    std::fill_n(dual, clusters_, 0.0);
    double used = 0;
    for (index_t from = 0; from < nodes; ++from) {
      const double* chain = &far[from * nodes];
      if (!std::all_of(chain, chain + nodes, [](double length) { return length < HUGE_VAL; })) continue;
      ++used;
      for (index_t to = 0; to < clusters_; ++to) dual[to] += (chain[outside] - chain[to] - dual[to]) / used;
    }
  }

 private:
  using Mover = std::pair<double, index_t>;  // increase of the cost, and the row
  using Queue = std::priority_queue<Mover, std::vector<Mover>, std::greater<>>;

  void settle(index_t row, index_t cluster) {
    label_[row] = std::int32_t(cluster);
    ++size_[cluster];
    for (index_t to = 0; to < clusters_; ++to)
      if (to != cluster) leaving_[cluster * clusters_ + to].push({cost_(row, to) - cost_(row, cluster), row});
  }

  // The least increase of the cost by moving a row from one cluster to another.
  double step(index_t from, index_t to) {
    Queue& queue = leaving_[from * clusters_ + to];
    while (!queue.empty() && label_[queue.top().second] != from) queue.pop();  // it has left since
    return queue.empty() ? HUGE_VAL : queue.top().first;
  }

  // Moves a row out of a cluster for which `give` holds into one for which `take` holds, along the cheapest chain.
  template <class Give, class Take>
  bool shift(Give give, Take take) {
    std::vector<double> far(clusters_, HUGE_VAL);
    std::vector<index_t> before(clusters_, -1);
    for (index_t g = 0; g < clusters_; ++g)
      if (give(g)) far[g] = 0;
    for (bool better = true; better;) {
      better = false;
      for (index_t from = 0; from < clusters_; ++from) {
        if (far[from] == HUGE_VAL) continue;
        for (index_t to = 0; to < clusters_; ++to) {
          if (to == from || !(far[from] + step(from, to) < far[to] - noise_)) continue;
          far[to] = far[from] + step(from, to);
          before[to] = from;
          better = true;
        }
      }
    }
    index_t last = -1;
    for (index_t g = 0; g < clusters_; ++g)
      if (take(g) && far[g] < HUGE_VAL && (last < 0 || far[g] < far[last])) last = g;
    if (last < 0) return false;
    for (index_t to = last; before[to] >= 0; to = before[to]) move(before[to], to);
    return true;
  }

  void move(index_t from, index_t to) {
    const index_t row = leaving_[from * clusters_ + to].top().second;
    --size_[from];
    settle(row, to);
  }

  Grid<const double> cost_;
  index_t clusters_, min_size_, max_size_;
  std::int32_t* label_;
  std::vector<index_t> size_;
  std::vector<Queue> leaving_;  // rows of one cluster, by their increase of the cost in another
  double noise_ = 0;            // rounding error of a chain: a smaller gain is ignored
};

}  // namespace learnable
