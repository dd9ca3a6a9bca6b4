// DBSCAN by a k-d tree: core points, their connected components, and border points.
//
// Three traversals of the tree: the weight within the radius of each point, up to the minimum; connections between core
// points; and for the other points the core points within the radius. No list of neighbours is stored.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/neighbors/kd_search.hpp"

namespace learnable {

// Disjoint sets that several threads join at once; a set is identified by its first row, whatever the order of the
// joins.
class SharedSets {
 public:
  explicit SharedSets(index_t rows) : above_(rows) {
    for (index_t i = 0; i < rows; ++i) above_[i].store(std::int32_t(i), std::memory_order_relaxed);
  }

  std::int32_t first(std::int32_t row) const {
    for (;;) {
      const std::int32_t above = above_[row].load(std::memory_order_relaxed);
      if (above == row) return row;
      const std::int32_t next = above_[above].load(std::memory_order_relaxed);
      above_[row].store(next, std::memory_order_relaxed);  // only ever nearer to the first
      row = next;
    }
  }

  // Joins the sets of two rows; the first row of both.
  std::int32_t join(std::int32_t a, std::int32_t b) {
    for (;;) {
      a = first(a);
      b = first(b);
      if (a == b) return a;
      if (a < b) std::swap(a, b);
      std::int32_t itself = a;
      if (above_[a].compare_exchange_weak(itself, b)) return b;
    }
  }

 private:
  mutable std::vector<std::atomic<std::int32_t>> above_;
};

namespace detail {

// Adds up weights of the points within the radius until the minimum is reached.
struct WeightWithin {
  double max_sum, min_weight;
  const double* weight;  // of every row; null if all are one
  double sum = 0;

  double limit() const { return sum >= min_weight ? -1 : max_sum; }
  void take(double, std::int64_t row) { sum += weight ? weight[row] : 1.0; }
};

// The lowest label among the labelled points within the radius.
struct LowestLabelWithin {
  double max_sum;
  const std::int64_t* label;
  std::int64_t lowest = -1;

  double limit() const { return max_sum; }
  void take(double, std::int64_t row) {
    if (label[row] >= 0 && (lowest < 0 || label[row] < lowest)) lowest = label[row];
  }
};

}  // namespace detail

template <class Region>
class DensePoints {
 public:
  DensePoints(const KdTree& tree, const Region& region, double radius)
      : tree_(tree), region_(region), limit_(region.sum(radius)), sets_(tree.shape.rows),
        whole_(std::size_t(tree.shape.nodes())) {
    for (auto& node : whole_) node.store(mixed, std::memory_order_relaxed);
  }

  // dense[row] = whether the weights within the radius of a row, its own included, sum to `min_weight`; false if its
  // own weight is zero.
  void find_dense(View<const double> weight, double min_weight, View<std::uint8_t> dense) const {
    for_points([&](std::int64_t row, const double* x, index_t) {
      detail::WeightWithin found{limit_, min_weight, weight.data};
      if (!weight || weight[row] > 0) visit_near(tree_, region_, x, found);
      dense[row] = found.sum >= min_weight;
    });
  }

  // label[row] = the cluster of a core point or border point; clusters are numbered by their first core rows, and a
  // border point of several clusters has the lowest label. -1 for noise.
  void label(View<const std::uint8_t> dense, View<std::int64_t> label) {
    for (index_t node = tree_.shape.nodes() - 1; node >= 0; --node)
      if (!has_dense(node, dense)) whole_[node].store(empty, std::memory_order_relaxed);
    for_points([&](std::int64_t row, const double* x, index_t leaf) {
      if (dense[row]) connect(row, x, leaf, dense);
    });
    std::int64_t count = 0;
    for (index_t row = 0; row < tree_.shape.rows; ++row) {
      label[row] = -1;
      if (!dense[row]) continue;
      const std::int32_t first = sets_.first(std::int32_t(row));
      label[row] = first == row ? count++ : label[first];
    }
    std::vector<std::int64_t> core_label(label.begin(), label.end());
    for_points([&](std::int64_t row, const double* x, index_t) {
      if (dense[row]) return;
      detail::LowestLabelWithin found{limit_, core_label.data()};
      visit_near(tree_, region_, x, found);
      label[row] = found.lowest;
    });
  }

 private:
  static constexpr std::int32_t mixed = -1, empty = -2;  // of nodes; others have a row of the one set they belong to

  // Calls f(row, point, leaf) for all points, those of a leaf after each other.
  template <class F>
  void for_points(F&& f) const {
    const Blocks blocks(tree_.shape.leaves, 4);
    parallel_for(blocks.count, [&](index_t block, int) {
      std::vector<double> x(std::size_t(tree_.columns));
      for (index_t leaf = blocks.begin(block); leaf < blocks.end(block); ++leaf)
        for (index_t i = 0; i < tree_.shape.count(leaf); ++i) {
          for (index_t j = 0; j < tree_.columns; ++j) x[j] = tree_.column(leaf, j)[i];
          f(tree_.rows(leaf)[i], x.data(), leaf);
        }
    });
  }

  bool has_dense(index_t node, View<const std::uint8_t> dense) const {
    if (!tree_.is_leaf(node)) return state(2 * node + 1) != empty || state(2 * node + 2) != empty;
    const index_t leaf = node - tree_.shape.first_leaf();
    for (index_t i = 0; i < tree_.shape.count(leaf); ++i)
      if (dense[tree_.rows(leaf)[i]]) return true;
    return false;
  }

  std::int32_t state(index_t node) const { return whole_[node].load(std::memory_order_relaxed); }

  // Joins a core point with all core points within the radius, in its own leaf and in later ones: earlier ones have met
  // it already. Nodes that belong to its set entirely are skipped.
  void connect(std::int64_t row, const double* x, index_t leaf, View<const std::uint8_t> dense) {
    index_t waiting[64];
    int count = 0;
    waiting[count++] = 0;
    while (count > 0) {
      const index_t node = waiting[--count];
      const std::int32_t whole = state(node);
      if (whole == empty || last_leaf(node) < leaf || region_.away(x, node) > limit_) continue;
      if (whole >= 0 && sets_.first(whole) == sets_.first(std::int32_t(row))) continue;
      if (!tree_.is_leaf(node)) {
        waiting[count++] = 2 * node + 2;
        waiting[count++] = 2 * node + 1;
        continue;
      }
      connect_leaf(row, x, node - tree_.shape.first_leaf(), dense);
      settle(node, dense);
    }
  }

  // The last leaf below a node.
  index_t last_leaf(index_t node) const {
    const int level = int(std::bit_width(std::size_t(node + 1))) - 1;
    const index_t position = node + 1 - (index_t(1) << level);
    return ((position + 1) << (tree_.shape.depth - level)) - 1;
  }

  void connect_leaf(std::int64_t row, const double* x, index_t leaf, View<const std::uint8_t> dense) {
    const std::int64_t* rows = tree_.rows(leaf);
    for (index_t first = 0; first < tree_.shape.count(leaf); first += lanes) {
      const Lanes sums = region_.sums(x, leaf, first);
      const index_t end = std::min<index_t>(lanes, tree_.shape.count(leaf) - first);
      for (index_t lane = 0; lane < end; ++lane)
        if (sums[lane] <= limit_ && dense[rows[first + lane]])
          sets_.join(std::int32_t(row), std::int32_t(rows[first + lane]));
    }
  }

  // Notes that all dense points of a leaf, and of nodes above it, are of one set, if so.
  void settle(index_t node, View<const std::uint8_t> dense) {
    if (state(node) != mixed) return;
    const index_t leaf = node - tree_.shape.first_leaf();
    std::int32_t set = -1;
    for (index_t i = 0; i < tree_.shape.count(leaf); ++i) {
      const std::int64_t row = tree_.rows(leaf)[i];
      if (!dense[row]) continue;
      const std::int32_t first = sets_.first(std::int32_t(row));
      if (set >= 0 && first != set) return;
      set = first;
    }
    whole_[node].store(set, std::memory_order_relaxed);
    while (node > 0) {
      node = (node - 1) / 2;
      const std::int32_t left = state(2 * node + 1), right = state(2 * node + 2);
      if (left == mixed || right == mixed) return;
      if (left >= 0 && right >= 0 && sets_.first(left) != sets_.first(right)) return;
      whole_[node].store(std::max(left, right), std::memory_order_relaxed);
    }
  }

  const KdTree& tree_;
  const Region& region_;
  double limit_;
  SharedSets sets_;
  std::vector<std::atomic<std::int32_t>> whole_;
};

// out[i] = the lowest label of the points of the tree within a radius of row i of Q, -1 if there is none.
template <class Region>
void lowest_within(const KdTree& tree, const Region& region, Grid<const double> Q, double radius,
                   View<const std::int64_t> label, View<std::int64_t> out) {
  for_queries(tree, region, Q, [&](index_t i, int) {
    detail::LowestLabelWithin found{region.sum(radius), label.data};
    visit_near(tree, region, Q.data + i * Q.stride, found);
    out[i] = found.lowest;
  });
}

}  // namespace learnable
