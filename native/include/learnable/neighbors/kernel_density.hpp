// Sums of a kernel over all points of a tree, round every query, as exact as asked for.
//
// A kernel falls with the distance, so a box bounds what its points add from both sides. As a function of the squared
// distance most kernels are convex, too, and the mean of that over the points of a node is known: their mean value is
// then at least the value of the mean, and at most what the chord between both ends of the box has there. Nodes whose
// bounds are close enough, given what is certain of the whole sum, count with the middle; the others are opened, near
// ones first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/simd_exp.hpp"
#include "learnable/neighbors/kd_search.hpp"

namespace learnable {

// Kernels of lengths or squares in units of the bandwidth, as shares of their value at `base`, the nearest point's.
struct GaussianBump {
  static constexpr bool of_square = true, convex = true;
  double exponent(double square) const { return square / 2; }
  Lanes value(Lanes square, double base) const { return decay((base - square) / 2); }
};

struct ExponentialBump {
  static constexpr bool of_square = false, convex = true;
  double exponent(double length) const { return length; }
  Lanes value(Lanes length, double base) const { return decay(base - length); }
};

// Kernels that end at 1; shares are the values themselves.
struct TophatBump {
  static constexpr bool of_square = true, convex = false;
  double exponent(double) const { return 0; }
  Lanes value(Lanes square, double) const { return square < 1 ? Lanes{} + 1 : Lanes{}; }
};

struct EpanechnikovBump {
  static constexpr bool of_square = true, convex = true;
  double exponent(double) const { return 0; }
  Lanes value(Lanes square, double) const { return square < 1 ? 1 - square : Lanes{}; }
};

struct LinearBump {
  static constexpr bool of_square = false, convex = true;
  double exponent(double) const { return 0; }
  Lanes value(Lanes length, double) const { return length < 1 ? 1 - length : Lanes{}; }
};

struct CosineBump {
  static constexpr bool of_square = false, convex = true;
  double exponent(double) const { return 0; }
  Lanes value(Lanes length, double) const {
    Lanes found{};
    for (int lane = 0; lane < lanes; ++lane)
      if (length[lane] < 1) found[lane] = std::cos(1.5707963267948966 * length[lane]);
    return found;
  }
};

// Any of them, told apart at each value: for distances that are asked for less often.
struct AnyBump {
  enum Kind { gaussian, exponential, tophat, epanechnikov, linear, cosine } kind;
  bool of_square = kind == gaussian || kind == tophat || kind == epanechnikov;
  static constexpr bool convex = false;
  double exponent(double x) const { return kind == gaussian ? x / 2 : kind == exponential ? x : 0; }
  Lanes value(Lanes x, double base) const {
    switch (kind) {
      case gaussian: return GaussianBump{}.value(x, base);
      case exponential: return ExponentialBump{}.value(x, base);
      case tophat: return TophatBump{}.value(x, base);
      case epanechnikov: return EpanechnikovBump{}.value(x, base);
      case linear: return LinearBump{}.value(x, base);
      default: return CosineBump{}.value(x, base);
    }
  }
};

// Weight, weighted mean and mean squared distance from it, of the points of every node.
struct NodeWeights {
  const KdTree& tree;
  View<const double> weight;  // of the point in every place, 0 where there is none
  Buffer heavy, mean, spread;

  NodeWeights(const KdTree& tree, View<const double> weight)
      : tree(tree), weight(weight), heavy(tree.shape.nodes()), mean(tree.shape.nodes() * tree.columns),
        spread(tree.shape.nodes()) {
    for (index_t node = tree.shape.nodes() - 1; node >= 0; --node) tree.is_leaf(node) ? weigh_leaf(node) : join(node);
  }
  const double* centre(index_t node) const { return mean.data() + node * tree.columns; }

 private:
  void weigh_leaf(index_t node) {
    const index_t leaf = node - tree.shape.first_leaf(), count = tree.shape.count(leaf);
    const double* share = weight.data + leaf * tree.shape.width;
    double total = 0, around = 0;
    for (index_t i = 0; i < count; ++i) total += share[i];
    for (index_t j = 0; j < tree.columns; ++j) {
      const double* column = tree.column(leaf, j);
      double middle = 0;
      for (index_t i = 0; i < count; ++i) middle += share[i] / total * column[i];
      for (index_t i = 0; i < count; ++i) around += share[i] / total * (column[i] - middle) * (column[i] - middle);
      mean[node * tree.columns + j] = middle;
    }
    heavy[node] = total;
    spread[node] = around;
  }

  void join(index_t node) {
    const index_t left = 2 * node + 1, right = left + 1;
    const double total = heavy[left] + heavy[right], share = heavy[left] / total, rest = heavy[right] / total;
    double between = 0;
    for (index_t j = 0; j < tree.columns; ++j) {
      const double gap = centre(left)[j] - centre(right)[j];
      mean[node * tree.columns + j] = share * centre(left)[j] + rest * centre(right)[j];
      between += gap * gap;
    }
    heavy[node] = total;
    spread[node] = share * spread[left] + rest * spread[right] + share * rest * between;
  }
};

// The points of the tree stand in units of the bandwidth.
template <class Gaps, class Bump>
class KernelSums {
 public:
  KernelSums(const NodeWeights& weights, Gaps gaps, Bump bump, double relative, double absolute)
      : tree_(weights.tree), weights_(weights), region_{weights.tree, gaps}, bump_(bump), relative_(relative),
        absolute_(absolute) {}

  // out[i] = log of the sum of weight times kernel over all points, for row i of Q.
  void log_sums(Grid<const double> Q, View<double> out) const {
    for_queries(tree_, region_, Q, [&](index_t i, int) { out[i] = log_sum(Q.data + i * Q.stride); });
  }

 private:
  static constexpr bool convex = Bump::convex && std::is_same_v<Gaps, SquaredGaps>;

  struct Node {
    index_t node;
    double away, least, most;  // least and most that its points add on average
  };

  double log_sum(const double* x) const {
    NearestList nearest(1);
    nearest.clear(-1);
    visit_near(tree_, region_, x, nearest);
    const double least = nearest.limit(), base = measure(Lanes{} + least)[0], scale = bump_.exponent(base);
    if (!std::isfinite(base)) return -HUGE_VAL;  // too far away for any number
    const double allowed = absolute_ == 0 ? 0 : absolute_ * std::exp(std::min(scale, 700.0));
    return std::log(sum(x, least, base, allowed)) - scale;
  }

  double sum(const double* x, double nearest, double base, double allowed) const {
    Node waiting[64];
    int count = 0;
    waiting[count++] = {0, 0, 0, HUGE_VAL};
    double total = 0, certain = 0;
    const double whole = weights_.heavy[0];
    while (count > 0) {
      const Node one = waiting[--count];
      if ((one.most - one.least) / 2 <= allowed / whole + relative_ * (certain / whole)) {
        total += weights_.heavy[one.node] * (one.least + one.most) / 2;
        continue;
      }
      certain -= weights_.heavy[one.node] * one.least;
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
      for (const Node& child : children) certain += weights_.heavy[child.node] * child.least;
    }
    return total;
  }

  // The children of a node, with all values of the kernel taken together. A box may come nearer than the nearest point;
  // its points do not, and shares above 1 would leave the range of numbers.
  void open(const double* x, double nearest, double base, index_t node, Node* children) const {
    double sums[8] = {}, values[8];
    for (int side = 0; side < 2; ++side) {
      const index_t child = 2 * node + 1 + side;
      sums[2 + side] = std::max(region_.away(x, child), nearest);
      sums[side] = std::max(region_.across(x, child), sums[2 + side]);
      if constexpr (convex) sums[4 + side] = std::clamp(mean_square(x, child), sums[2 + side], sums[side]);
    }
    for (int first = 0; first < (convex ? 6 : 4); first += lanes)
      store(values + first, bump_.value(measure(load(sums + first)), base));
    for (int side = 0; side < 2; ++side) {
      const double far = sums[side], near = sums[2 + side];
      double least = values[side], most = values[2 + side];
      if constexpr (convex) {
        if (far > near) most = least + (most - least) * ((far - sums[4 + side]) / (far - near));
        least = std::min(std::max(least, values[4 + side]), most);
      }
      children[side] = {2 * node + 1 + side, near, least, most};
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
      sums += load(weight + first) * bump_.value(measure(region_.sums(x, leaf, first)), base);
    double sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
    return sum;
  }

  // Squares or lengths, whichever the kernel is of.
  Lanes measure(Lanes sums) const {
    if constexpr (std::is_same_v<Gaps, SquaredGaps>)
      return bump_.of_square ? sums : rooted(sums);
    Lanes lengths;
    for (int lane = 0; lane < lanes; ++lane) lengths[lane] = region_.distance(sums[lane]);
    return bump_.of_square ? lengths * lengths : lengths;
  }

  const KdTree& tree_;
  const NodeWeights& weights_;
  Boxes<Gaps> region_;
  Bump bump_;
  double relative_, absolute_;
};

}  // namespace learnable
