// TreeSHAP: Shapley values of the columns for the prediction of a row, relative to the mean of all rows.
//
// A leaf of value v is reached with probability prod_j a_j(t), where column j is known with probability t: a_j = t o_j
// + (1 - t) z_j with o_j whether the row passes the splits on j above the leaf, and z_j the fraction of the training
// rows that do. The Shapley value of column i is the integral over t of v (o_i - z_i) prod_{j != i} a_j(t), a
// polynomial, which Gauss-Legendre quadrature integrates exactly with few points. Divided by a_i, the product is that
// of the whole path, so that one pass down a tree and one pass up serve all columns: O(nodes) for each point.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/packed_trees.hpp"

namespace learnable {

// Gauss-Legendre points and weights on [0, 1], exact for polynomials of degree 2 count - 1.
struct Quadrature {
  std::vector<double> point, weight;

  explicit Quadrature(index_t count) : point(count), weight(count) {
    for (index_t k = 0; k < count; ++k) {
      double x = std::cos(std::numbers::pi * (double(k) + 0.75) / (double(count) + 0.5)), derivative = 1;
      for (int step = 0; step < 100; ++step) {  // Newton's method on the polynomial of Legendre
        double before = 1, here = x;
        for (index_t n = 2; n <= count; ++n) {
          const double next = (double(2 * n - 1) * x * here - double(n - 1) * before) / double(n);
          before = here;
          here = next;
        }
        derivative = double(count) * (x * here - before) / (x * x - 1);
        const double move = here / derivative;
        x -= move;
        if (std::abs(move) < 1e-15) break;
      }
      point[k] = (1 - x) / 2;
      weight[k] = 1 / ((1 - x * x) * derivative * derivative);
    }
  }
};

// One tree with tables for the path of a row: for each node the factor of the path product, and the contribution of the
// sum of all leaves below to the column of the split above, for the three states of a row. `in`: it passes all splits
// on this column so far; `out`: it fails this one first; `lost`: it failed an earlier one, which contributes zero.
class ShapTree {
 public:
  ShapTree(const StackView& stack, index_t tree, View<const double> cover) {
    const std::int64_t first = stack.start[tree], count = stack.start[tree + 1] - first;
    parent_.assign(count, -1);
    earlier_.assign(count, -1);
    fraction_.assign(count, 1.0);
    order_.push_back(0);
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const std::int32_t node = order_[k], left = stack.nodes.left[first + node], right = stack.nodes.right[first + node];
      if (left < 0) continue;
      for (const std::int32_t child : {left, right}) {
        if (child <= 0 || child >= count || parent_[child] >= 0) throw std::invalid_argument("the nodes are not a tree");
        parent_[child] = node;
        const double above = cover[first + node], here = cover[first + child];
        own_fraction_.resize(count, 1.0);
        own_fraction_[child] = above > 0 ? std::max(here / above, min_fraction) : 0.5;
        order_.push_back(child);
      }
    }
    if (index_t(order_.size()) != count) throw std::invalid_argument("a node hangs on nothing");
    link(stack, first);
  }

  index_t nodes() const { return index_t(order_.size()); }
  index_t longest() const { return longest_; }

  // The mean prediction: leaf values weighted by the fractions of rows in the leaves.
  void add_mean(const StackView& stack, index_t tree, double* mean) const {
    const std::int64_t first = stack.start[tree];
    std::vector<double> probability(order_.size(), 1.0);
    for (const std::int32_t node : order_) {
      if (node > 0) probability[node] = probability[parent_[node]] * own_fraction_[node];
      if (stack.nodes.left[first + node] >= 0) continue;
      for (index_t k = 0; k < stack.value.columns; ++k)
        mean[stack.value.columns == 1 ? stack.output[tree] : k] += probability[node] * stack.value(first + node, k);
    }
  }

  // Tables for `points` of an integral, padded to whole vectors.
  void tabulate(const Quadrature& rule, index_t padded) {
    padded_ = padded;
    const index_t count = nodes();
    for (auto* table : {&in_, &out_, &lost_, &gives_in_, &gives_out_}) table->assign(count * padded, 0.0);
    for (index_t node = 1; node < count; ++node)
      for (index_t q = 0; q < index_t(rule.point.size()); ++q) fill(node, node * padded + q, rule.point[q], rule.weight[q]);
  }

  // Adds the values of this tree for a row to phi, a vector for each column and output.
  template <class Matrix>
  void explain(const StackView& stack, index_t tree, const Matrix& X, index_t row, double* product, double* sum,
               std::uint8_t* passes, double* phi) const {
    const std::int64_t first = stack.start[tree];
    const index_t count = nodes(), width = stack.value.columns, outputs = stack.outputs();
    const index_t output = width == 1 ? stack.output[tree] : 0;
    std::fill_n(product, padded_, 1.0);
    std::fill_n(sum, count * width * padded_, 0.0);
    for (const std::int32_t node : order_) {
      const std::int32_t left = stack.nodes.left[first + node];
      if (left < 0) {
        for (index_t k = 0; k < width; ++k) scaled(product + node * padded_, stack.value(first + node, k),
                                                   sum + (node * width + k) * padded_);
        continue;
      }
      const std::int32_t right = stack.nodes.right[first + node];
      const bool goes_left = stack.nodes.goes_left(first + node, double(X(row, stack.nodes.feature[first + node])));
      enter(left, goes_left, product, passes);
      enter(right, !goes_left, product, passes);
    }
    for (index_t k = count - 1; k > 0; --k) {
      const std::int32_t node = order_[k], above = parent_[node];
      const index_t column = stack.nodes.feature[first + above];
      const double* gives = passes[node] == here ? gives_in_.data() : gives_out_.data();
      for (index_t w = 0; w < width; ++w) {
        const double* own = sum + (node * width + w) * padded_;
        double* total = sum + (above * width + w) * padded_;
        double* out = phi + (column * outputs + output + w) * lanes;
        for (index_t q = 0; q < padded_; q += lanes) {
          const Lanes part = load(own + q);
          store(total + q, load(total + q) + part);
          if (passes[node] != lost) store(out, fused(load(gives + node * padded_ + q), part, load(out)));
        }
      }
    }
  }

 private:
  enum Fate : std::uint8_t { here = 0, out = 1, lost = 2 };
  static constexpr double min_fraction = 1e-9;  // a positive fraction keeps quotients finite

  // The previous split on the same column on the path, and the fraction of rows that pass all splits on it.
  void link(const StackView& stack, std::int64_t first) {
    std::vector<index_t> different(order_.size(), 0);
    for (const std::int32_t node : order_) {
      if (node == 0) continue;
      const std::int32_t column = stack.nodes.feature[first + parent_[node]];
      std::int32_t above = parent_[node];
      while (above > 0 && stack.nodes.feature[first + parent_[above]] != column) above = parent_[above];
      earlier_[node] = above > 0 ? above : -1;
      fraction_[node] = own_fraction_[node] * (above > 0 ? fraction_[above] : 1.0);
      different[node] = different[parent_[node]] + (above <= 0);
      longest_ = std::max(longest_, different[node]);
    }
  }

  void fill(index_t node, index_t at, double t, double weight) {
    const auto inside = [t](double fraction) { return t + (1 - t) * fraction; };
    const auto log_derivative = [&](double fraction) { return (1 - fraction) / inside(fraction); };
    const double fraction = fraction_[node], failed = -1 / (1 - t);
    const bool again = earlier_[node] >= 0;
    const double before = again ? fraction_[earlier_[node]] : 1.0;
    const double base = again ? inside(before) : 1.0, given = again ? log_derivative(before) : 0.0;
    in_[at] = inside(fraction) / base;
    out_[at] = (1 - t) * fraction / base;
    lost_[at] = own_fraction_[node];
    gives_in_[at] = weight * (log_derivative(fraction) - given);
    gives_out_[at] = weight * (failed - given);
  }

  void enter(std::int32_t node, bool goes, double* product, std::uint8_t* passes) const {
    const bool alive = earlier_[node] < 0 || passes[earlier_[node]] == here;
    const Fate fate = !alive ? lost : goes ? here : out;
    passes[node] = fate;
    const double* factor = (fate == here ? in_ : fate == out ? out_ : lost_).data() + node * padded_;
    const double* above = product + parent_[node] * padded_;
    double* own = product + node * padded_;
    for (index_t q = 0; q < padded_; q += lanes) store(own + q, load(above + q) * load(factor + q));
  }

  void scaled(const double* from, double by, double* to) const {
    for (index_t q = 0; q < padded_; q += lanes) store(to + q, load(from + q) * by);
  }

  std::vector<std::int32_t> order_, parent_, earlier_;
  std::vector<double> own_fraction_, fraction_, in_, out_, lost_, gives_in_, gives_out_;
  index_t longest_ = 0, padded_ = 0;
};

// phi(i, j * outputs + k) becomes the Shapley value of column j for output k of row i, mean[k] the mean prediction;
// unknown columns are distributed as the training rows counted by `cover` at each node.
template <class Matrix>
void tree_shap(const StackView& stack, View<const double> cover, const Matrix& X, Grid<double> phi, View<double> mean) {
  std::vector<ShapTree> trees;
  index_t nodes = 1, longest = 1;
  for (index_t t = 0; t < stack.trees(); ++t) {
    trees.emplace_back(stack, t, cover);
    nodes = std::max(nodes, trees.back().nodes());
    longest = std::max(longest, trees.back().longest());
  }
  const Quadrature rule((longest + 1) / 2);
  const index_t padded = round_up(index_t(rule.point.size()), lanes), width = stack.value.columns;
  for (ShapTree& tree : trees) tree.tabulate(rule, padded);
  std::fill_n(mean.data, mean.size, 0.0);
  for (index_t t = 0; t < stack.trees(); ++t) trees[t].add_mean(stack, t, mean.data);
  const Blocks blocks(X.rows, 16);
  parallel_if(X.rows * stack.trees() > 64, blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), rows = blocks.end(block) - begin, stride = phi.columns * lanes;
    std::vector<double> product(nodes * padded), sum(nodes * width * padded), vectors(rows * stride, 0.0);
    std::vector<std::uint8_t> passes(nodes, 0);
    for (index_t t = 0; t < stack.trees(); ++t)
      for (index_t i = 0; i < rows; ++i)
        trees[t].explain(stack, t, X, begin + i, product.data(), sum.data(), passes.data(), vectors.data() + i * stride);
    for (index_t i = 0; i < rows; ++i)
      for (index_t k = 0; k < phi.columns; ++k) {
        const double* part = vectors.data() + i * stride + k * lanes;
        double total = 0;
        for (index_t q = 0; q < lanes; ++q) total += part[q];
        phi(begin + i, k) = total;
      }
  });
}

// The Shapley values of one row against one background row, whose entries replace unknown columns. A leaf is reached
// with the columns of a set if the row passes the splits on some columns, `mine`, where the other fails, and the other
// row those on `other` columns: weights of both depend on the two counts alone [Laberge and Pequignot, 2022].
template <class Matrix>
class ShapPair {
 public:
  ShapPair(const StackView& stack, const Matrix& X, const Matrix& background, index_t longest)
      : stack_(stack), X_(X), background_(background), side_(X.columns, none), weight_((longest + 2) * (longest + 2)),
        reach_(longest + 2) {
    for (index_t a = 0; a < reach_; ++a)
      for (index_t b = 0; b < reach_; ++b)  // a! b! / (a + b + 1)!
        weight_[a * reach_ + b] = std::exp(std::lgamma(double(a + 1)) +
                                           std::lgamma(double(b + 1)) - std::lgamma(double(a + b + 2)));
  }

  // Adds scale times the values to phi, which has an entry for each column and output.
  void explain(index_t row, index_t other, double scale, double* phi) {
    row_ = row;
    other_ = other;
    scale_ = scale;
    phi_ = phi;
    for (index_t t = 0; t < stack_.trees(); ++t)
      for (output_ = 0; output_ < stack_.value.columns; ++output_) {
        first_ = stack_.start[t];
        output_index_ = stack_.value.columns == 1 ? stack_.output[t] : output_;
        visit(0, 0, 0);
      }
  }

 private:
  enum Side : std::uint8_t { none, mine, others };
  struct Weights {
    double mine, others;  // of a column on which the row passes, and of one on which the other passes
  };

  Weights visit(std::int32_t node, index_t passed, index_t failed) {
    const std::int64_t here = first_ + node;
    const std::int32_t left = stack_.nodes.left[here];
    if (left < 0) {
      const double value = scale_ * stack_.value(here, output_);
      return {passed > 0 ? value * weight_[(passed - 1) * reach_ + failed] : 0.0,
              failed > 0 ? value * weight_[passed * reach_ + failed - 1] : 0.0};
    }
    const std::int32_t right = stack_.nodes.right[here];
    const index_t column = stack_.nodes.feature[here];
    const std::int32_t way = stack_.nodes.goes_left(here, double(X_(row_, column))) ? left : right;
    const std::int32_t other_way = stack_.nodes.goes_left(here, double(background_(other_, column))) ? left : right;
    if (way == other_way || side_[column] == mine) return visit(way, passed, failed);
    if (side_[column] == others) return visit(other_way, passed, failed);
    side_[column] = mine;
    const Weights with = visit(way, passed + 1, failed);
    side_[column] = others;
    const Weights without = visit(other_way, passed, failed + 1);
    side_[column] = none;
    phi_[column * stack_.outputs() + output_index_] += with.mine - without.others;
    return {with.mine + without.mine, with.others + without.others};
  }

  const StackView& stack_;
  const Matrix &X_, &background_;
  std::vector<Side> side_;
  std::vector<double> weight_;
  index_t reach_, row_ = 0, other_ = 0, output_ = 0, output_index_ = 0;
  std::int64_t first_ = 0;
  double scale_ = 1;
  double* phi_ = nullptr;
};

// phi(i, j * outputs + k) becomes the Shapley value of column j for output k of row i, with unknown columns
// taken from each row of the background in turn, averaged.
template <class Matrix>
void tree_shap_against(const StackView& stack, View<const double> cover, const Matrix& X, const Matrix& background,
                       Grid<double> phi) {
  index_t longest = 1;
  for (index_t t = 0; t < stack.trees(); ++t) longest = std::max(longest, ShapTree(stack, t, cover).longest());
  const Blocks blocks(X.rows, 4);
  parallel_for(blocks.count, [&](index_t block, int) {
    ShapPair<Matrix> pair(stack, X, background, longest);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      std::fill_n(phi.row(i).data, phi.columns, 0.0);
      for (index_t b = 0; b < background.rows; ++b) pair.explain(i, b, 1.0 / double(background.rows), phi.row(i).data);
    }
  });
}

}  // namespace learnable
