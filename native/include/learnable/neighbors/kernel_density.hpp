// Kernel density: sums of a kernel over all points of a tree for every query, within a requested error.
//
// A kernel decreases with the distance, so a box bounds the contributions of its points from both sides. As a function
// of the squared distance most kernels are convex, too, and its mean over the points of a node is known: their mean
// value is then at least the value at the mean (Jensen), and at most that of the chord between both ends of the box.
// Nodes whose bounds are close enough, given the lower bound of the whole sum, count with the midpoint; the others are
// opened, near ones first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/simd_exp.hpp"
#include "learnable/neighbors/kd_search.hpp"

namespace learnable {

// Kernels of lengths or squares in units of the bandwidth, relative to their value at `base`, the nearest point's.
struct GaussianKernel {
  static constexpr bool of_square = true, convex = true;
  double exponent(double square) const { return square / 2; }
  Lanes value(Lanes square, double base) const { return decay((base - square) / 2); }
};

struct ExponentialKernel {
  static constexpr bool of_square = false, convex = true;
  double exponent(double length) const { return length; }
  Lanes value(Lanes length, double base) const { return decay(base - length); }
};

// Kernels with support up to 1, not relative to anything.
struct TophatKernel {
  static constexpr bool of_square = true, convex = false;
  double exponent(double) const { return 0; }
  Lanes value(Lanes square, double) const { return square < 1 ? Lanes{} + 1 : Lanes{}; }
};

struct EpanechnikovKernel {
  static constexpr bool of_square = true, convex = true;
  double exponent(double) const { return 0; }
  Lanes value(Lanes square, double) const { return square < 1 ? 1 - square : Lanes{}; }
};

struct LinearKernel {
  static constexpr bool of_square = false, convex = true;
  double exponent(double) const { return 0; }
  Lanes value(Lanes length, double) const { return length < 1 ? 1 - length : Lanes{}; }
};

struct CosineKernel {
  static constexpr bool of_square = false, convex = true;
  double exponent(double) const { return 0; }
  Lanes value(Lanes length, double) const {
    Lanes found{};
    for (int lane = 0; lane < lanes; ++lane)
      if (length[lane] < 1) found[lane] = std::cos(1.5707963267948966 * length[lane]);
    return found;
  }
};

// Any of them, dispatched at each value: for distances that are rarer.
struct AnyKernel {
  enum Kind { gaussian, exponential, tophat, epanechnikov, linear, cosine } kind;
  bool of_square = kind == gaussian || kind == tophat || kind == epanechnikov;
  static constexpr bool convex = false;
  double exponent(double x) const { return kind == gaussian ? x / 2 : kind == exponential ? x : 0; }
  Lanes value(Lanes x, double base) const {
    switch (kind) {
      case gaussian: return GaussianKernel{}.value(x, base);
      case exponential: return ExponentialKernel{}.value(x, base);
      case tophat: return TophatKernel{}.value(x, base);
      case epanechnikov: return EpanechnikovKernel{}.value(x, base);
      case linear: return LinearKernel{}.value(x, base);
      default: return CosineKernel{}.value(x, base);
    }
  }
};

// Weight, weighted mean and mean squared distance from it, of the points of every node.
struct NodeWeights {
  const KdTree& tree;
  View<const double> weight;  // of the point in every position, 0 where there is none
  Buffer total_weight, mean, spread;

  NodeWeights(const KdTree& tree, View<const double> weight)
      : tree(tree), weight(weight), total_weight(tree.shape.nodes()), mean(tree.shape.nodes() * tree.columns),
        spread(tree.shape.nodes()) {
    for (index_t node = tree.shape.nodes() - 1; node >= 0; --node) tree.is_leaf(node) ? weigh_leaf(node) : join(node);
  }
  const double* centre(index_t node) const { return mean.data() + node * tree.columns; }

 private:
  void weigh_leaf(index_t node) {
    const index_t leaf = node - tree.shape.first_leaf(), count = tree.shape.count(leaf);
    const double* weights = weight.data + leaf * tree.shape.width;
    double total = 0, around = 0;
    for (index_t i = 0; i < count; ++i) total += weights[i];
    for (index_t j = 0; j < tree.columns; ++j) {
      const double* column = tree.column(leaf, j);
      double middle = 0;
      for (index_t i = 0; i < count; ++i) middle += weights[i] / total * column[i];
      for (index_t i = 0; i < count; ++i) around += weights[i] / total * (column[i] - middle) * (column[i] - middle);
      mean[node * tree.columns + j] = middle;
    }
    total_weight[node] = total;
    spread[node] = around;
  }

  void join(index_t node) {
    const index_t left = 2 * node + 1, right = left + 1;
    const double total = total_weight[left] + total_weight[right], fraction = total_weight[left] / total,
        rest = total_weight[right] / total;
    double between = 0;
    for (index_t j = 0; j < tree.columns; ++j) {
      const double gap = centre(left)[j] - centre(right)[j];
      mean[node * tree.columns + j] = fraction * centre(left)[j] + rest * centre(right)[j];
      between += gap * gap;
    }
    total_weight[node] = total;
    spread[node] = fraction * spread[left] + rest * spread[right] + fraction * rest * between;
  }
};

// The points of the tree are in units of the bandwidth.
template <class Norm, class Kernel>
class KernelSums {
 public:
  KernelSums(const NodeWeights& weights, Norm norm, Kernel kernel, double relative, double absolute)
      : tree_(weights.tree), weights_(weights), region_{weights.tree, norm}, kernel_(kernel), relative_(relative),
        absolute_(absolute) {}

  // out[i] = log of the sum of weight times kernel over all points, for row i of Q.
  void log_sums(Grid<const double> Q, View<double> out) const {
    for_queries(tree_, region_, Q, [&](index_t i, int) { out[i] = log_sum(Q.data + i * Q.stride); });
  }

 private:
  static constexpr bool convex = Kernel::convex && std::is_same_v<Norm, L2Norm>;

  struct Node {
    index_t node;
    double away, lower, upper;  // bounds of the mean contribution of its points
  };

  double log_sum(const double* x) const {
    NearestList nearest(1);
    nearest.clear(-1);
    visit_near(tree_, region_, x, nearest);
    const double closest = nearest.limit(), base = measure(Lanes{} + closest)[0], scale = kernel_.exponent(base);
    if (!std::isfinite(base)) return -HUGE_VAL;  // too far away for any number
    const double allowed = absolute_ == 0 ? 0 : absolute_ * std::exp(std::min(scale, 700.0));
    return std::log(sum(x, closest, base, allowed)) - scale;
  }

  double sum(const double* x, double nearest, double base, double allowed) const {
    Node waiting[64];
    int count = 0;
    waiting[count++] = {0, 0, 0, HUGE_VAL};
    double total = 0, certain = 0;
    const double whole = weights_.total_weight[0];
    while (count > 0) {
      const Node one = waiting[--count];
      if ((one.upper - one.lower) / 2 <= allowed / whole + relative_ * (certain / whole)) {
        total += weights_.total_weight[one.node] * (one.lower + one.upper) / 2;
        continue;
      }
      certain -= weights_.total_weight[one.node] * one.lower;
      if (tree_.is_leaf(one.node)) {
        const double here = leaf_sum(x, base, one.node - tree_.shape.first_leaf());
        total += here;
        certain += here;
        continue;
      }
      Node children[2];
      open(x, nearest, base, one.node, children);
      const bool turn = children[0].away < children[1].away;
      waiting[count++] = children[turn];  // the nearer one is last in and first out
      waiting[count++] = children[!turn];
      for (const Node& child : children) certain += weights_.total_weight[child.node] * child.lower;
    }
    return total;
  }

  // The children of a node, with all values of the kernel computed together. A box may be nearer than the nearest
  // point; its points are not, and values above 1 would overflow.
  void open(const double* x, double nearest, double base, index_t node, Node* children) const {
    double sums[8] = {}, values[8];
    for (int side = 0; side < 2; ++side) {
      const index_t child = 2 * node + 1 + side;
      sums[2 + side] = std::max(region_.away(x, child), nearest);
      sums[side] = std::max(region_.across(x, child), sums[2 + side]);
      if constexpr (convex) sums[4 + side] = std::clamp(mean_square(x, child), sums[2 + side], sums[side]);
    }
    for (int first = 0; first < (convex ? 6 : 4); first += lanes)
      store(values + first, kernel_.value(measure(load(sums + first)), base));
    for (int side = 0; side < 2; ++side) {
      const double far = sums[side], near = sums[2 + side];
      double lower = values[side], upper = values[2 + side];
      if constexpr (convex) {
        if (far > near) upper = lower + (upper - lower) * ((far - sums[4 + side]) / (far - near));
        lower = std::min(std::max(lower, values[4 + side]), upper);
      }
      children[side] = {2 * node + 1 + side, near, lower, upper};
    }
  }

  double mean_square(const double* x, index_t node) const {
    const double* middle = weights_.centre(node);
    double sum = weights_.spread[node];
    for (index_t j = 0; j < tree_.columns; ++j) sum += (x[j] - middle[j]) * (x[j] - middle[j]);
    return sum;
  }

  double leaf_sum(const double* x, double base, index_t leaf) const {
    const double* weight = weights_.weight.data + leaf * tree_.shape.width;
    Lanes sums{};
    for (index_t first = 0; first < tree_.shape.count(leaf); first += lanes)
      sums += load(weight + first) * kernel_.value(measure(region_.sums(x, leaf, first)), base);
    double sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
    return sum;
  }

  // Squares or lengths, whichever the kernel is of.
  Lanes measure(Lanes sums) const {
    if constexpr (std::is_same_v<Norm, L2Norm>)
      return kernel_.of_square ? sums : rooted(sums);
    Lanes lengths;
    for (int lane = 0; lane < lanes; ++lane) lengths[lane] = region_.distance(sums[lane]);
    return kernel_.of_square ? lengths * lengths : lengths;
  }

  const KdTree& tree_;
  const NodeWeights& weights_;
  Boxes<Norm> region_;
  Kernel kernel_;
  double relative_, absolute_;
};

}  // namespace learnable
