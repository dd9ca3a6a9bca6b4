// k-d tree: every node halves its points along the column of largest spread.
//
// All leaves are at one depth and hold equally many points, up to one; so the tree is just an order of the points and a
// box per node, and children are found by index arithmetic. The points of a leaf are stored column by column, so that a
// search compares several of them at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

struct KdShape {
  static constexpr index_t max_points = 32;  // points in a leaf
  index_t rows, leaves = 1, width;     // a leaf has room for `width` points, whole vectors of any processor
  int depth = 0;

  explicit KdShape(index_t rows) : rows(rows) {
    while ((rows + leaves - 1) / leaves > max_points) {
      leaves *= 2;
      ++depth;
    }
    width = round_up((rows + leaves - 1) / leaves, 8);
  }

  index_t nodes() const { return 2 * leaves - 1; }
  index_t first_leaf() const { return leaves - 1; }  // nodes from here on are leaves
  index_t begin(index_t leaf) const { return rows * leaf / leaves; }
  index_t count(index_t leaf) const { return begin(leaf + 1) - begin(leaf); }
  // The first point of a node, given its level and its position in the level.
  index_t begin(int level, index_t position) const { return begin(position << (depth - level)); }
};

// points: column j of leaf l is row l p + j; order: the row of X in every position of every leaf, -1 where it is empty;
// boxes: the smallest values of a node's columns, then the largest.
struct KdTree {
  KdShape shape;
  index_t columns;
  Grid<const double> points;
  View<const std::int64_t> order;
  Grid<const double> boxes;

  bool is_leaf(index_t node) const { return node >= shape.first_leaf(); }
  const double* low(index_t node) const { return boxes.data + node * boxes.stride; }
  const double* high(index_t node) const { return low(node) + columns; }
  const double* column(index_t leaf, index_t j) const { return points.data + (leaf * columns + j) * points.stride; }
  const std::int64_t* rows(index_t leaf) const { return order.data + leaf * shape.width; }
};

// Makes the tree of the rows of X; all outputs are as KdTree has them.
class KdBuilder {
 public:
  KdBuilder(Grid<const double> X, Grid<double> points, View<std::int64_t> order, Grid<double> boxes)
      : X_(X), shape_(X.rows), points_(points), order_(order), boxes_(boxes), entries_(X.rows) {
    for (index_t i = 0; i < X.rows; ++i) entries_[i].row = std::int32_t(i);
    const int shared = std::min(shape_.depth, 8);
    for (int level = 0; level < shared; ++level)
      parallel_for(index_t(1) << level, [&](index_t position, int) { halve(level, position); });
    parallel_for(index_t(1) << shared, [&](index_t position, int) { finish(shared, position); });
    for (index_t node = (index_t(1) << shared) - 2; node >= 0; --node) join_boxes(node);
  }

 private:
  struct Entry {
    float key;
    std::int32_t row;
  };

  void finish(int level, index_t position) {
    if (level == shape_.depth) return settle(position);
    halve(level, position);
    finish(level + 1, 2 * position);
    finish(level + 1, 2 * position + 1);
    join_boxes((index_t(1) << level) - 1 + position);
  }

  // The keys need not be exact: boxes are made of the points as they are.
  void halve(int level, index_t position) {
    Entry* const from = entries_.data() + shape_.begin(level, position);
    Entry* const to = entries_.data() + shape_.begin(level, position + 1);
    Entry* const middle = entries_.data() + shape_.begin(level + 1, 2 * position + 1);
    const auto [column, lowest] = widest(from, to);
    for (Entry* one = from; one < to; ++one) one->key = float(X_(one->row, column) - lowest);
    std::nth_element(from, middle, to, [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }

  // The column of largest spread, by a few hundred points at most, and their smallest value in it.
  std::pair<index_t, double> widest(const Entry* from, const Entry* to) const {
    const index_t step = std::max<index_t>(1, (to - from) / 256);
    index_t best = 0;
    double spread = -1, lowest = 0;
    for (index_t j = 0; j < X_.columns; ++j) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (const Entry* one = from; one < to; one += step) {
        low = std::min(low, X_(one->row, j));
        high = std::max(high, X_(one->row, j));
      }
      if (high - low > spread) {
        spread = high - low;
        best = j;
        lowest = low;
      }
    }
    return {best, lowest};
  }

  // Stores the points of a leaf in the order of their rows.
  void settle(index_t leaf) {
    Entry* const from = entries_.data() + shape_.begin(leaf);
    const index_t count = shape_.count(leaf);
    std::sort(from, from + count, [](const Entry& a, const Entry& b) { return a.row < b.row; });
    double* box = &boxes_(shape_.first_leaf() + leaf, 0);
    for (index_t j = 0; j < X_.columns; ++j) {
      double* column = &points_(leaf * X_.columns + j, 0);
      std::fill_n(column, shape_.width, HUGE_VAL);
      for (index_t i = 0; i < count; ++i) column[i] = X_(from[i].row, j);
      const auto [low, high] = std::minmax_element(column, column + count);
      box[j] = *low;
      box[X_.columns + j] = *high;
    }
    for (index_t i = 0; i < shape_.width; ++i) order_[leaf * shape_.width + i] = i < count ? from[i].row : -1;
  }

  void join_boxes(index_t node) {
    const double *left = &boxes_(2 * node + 1, 0), *right = &boxes_(2 * node + 2, 0);
    double* box = &boxes_(node, 0);
    for (index_t j = 0; j < X_.columns; ++j) {
      box[j] = std::min(left[j], right[j]);
      box[X_.columns + j] = std::max(left[X_.columns + j], right[X_.columns + j]);
    }
  }

  Grid<const double> X_;
  KdShape shape_;
  Grid<double> points_;
  View<std::int64_t> order_;
  Grid<double> boxes_;
  std::vector<Entry> entries_;
};

}  // namespace learnable
