// Many trees packed for prediction: the leaf of each row in each tree, and sums of leaf values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/nodes.hpp"

namespace learnable {

// The nodes of all trees, concatenated; those of tree t from start[t] to start[t + 1], children numbered from there.
struct StackView {
  View<const std::int64_t> start;
  TreeView nodes;
  Grid<const double> value;
  View<const std::int32_t> output;  // output of the single value of each tree

  index_t trees() const { return start.size - 1; }
  index_t outputs() const {
    if (value.columns != 1) return value.columns;
    return output.size == 0 ? 1 : index_t(*std::max_element(output.begin(), output.end())) + 1;
  }
};

// The largest T that is not above a threshold: values of type T compare the same with both.
template <class T>
T not_above(double threshold) {
  const T near = T(threshold);
  return double(near) > threshold ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

// Trees for rows of type T. The two children of a node are adjacent, and a leaf is its own child, so that a step needs
// no branch and several rows descend together. Trees of few leaves are not descended: every node removes the leaves on
// its left from a bit set if the row does not go left, for a vector of rows at once, and the first remaining leaf is
// that of the row [Lucchese et al., QuickScorer, 2015].
template <class T>
class PackedStack {
 public:
  explicit PackedStack(const StackView& stack) : stack_(stack) {
    number_columns();
    for (index_t t = 0; t < stack.trees(); ++t) pack(t);
  }

  index_t columns() const { return columns_; }  // the number of columns that X needs at least

  // sums(i, k) becomes the sum of the values of row i over the trees first .. last that add to output k, in their
  // order.
  template <class Matrix>
  void sums(const Matrix& X, index_t first, index_t last, Grid<double> sums) const {
    std::fill_n(sums.data, sums.rows * sums.columns, 0.0);
    over_rows(X, first, last, [&](index_t t, index_t row, index_t leaf) {
      const double* value = stack_.value.row(leaf).data;
      if (stack_.value.columns == 1) {
        sums(row, stack_.output[t]) += *value;
        return;
      }
      double* sum = sums.row(row).data;
      for (index_t k = 0; k < stack_.value.columns; ++k) sum[k] += value[k];
    });
  }

  // leaves(i, t) becomes the leaf of row i in tree t.
  template <class Matrix>
  void leaves(const Matrix& X, Grid<std::int64_t> leaves) const {
    over_rows(X, 0, stack_.trees(), [&](index_t t, index_t row, index_t leaf) { leaves(row, t) = leaf - stack_.start[t]; });
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Set = LanesOf<Bits>;
  static constexpr index_t width = lane_count<T>, together = 4 * width, most_bits = 32, walkers = 8;
  static constexpr std::uint32_t goes_left_if_missing = std::uint32_t(1) << 31;

  struct Node {
    T threshold;
    std::int32_t child;
    std::uint32_t column;  // its highest bit: missing values go left
  };
  struct Test {
    T threshold;
    std::uint32_t column;
    Bits removed;
  };
  struct Tree {
    index_t nodes = 0, tests = 0, tests_right = 0, tests_end = 0, leaves = 0;  // offsets of each
    bool small = false, sets = false;
  };

  // Columns that no tree uses are never read.
  void number_columns() {
    for (index_t node = 0; node < stack_.nodes.left.size; ++node) {
      if (stack_.nodes.left[node] < 0) continue;
      const index_t feature = stack_.nodes.feature[node];
      if (feature < 0) throw std::invalid_argument("a node of a tree asks for a column that is not there");
      if (feature >= columns_) {
        columns_ = feature + 1;
        packed_column_.resize(std::size_t(columns_), -1);
      }
      if (packed_column_[feature] >= 0) continue;
      packed_column_[feature] = std::int32_t(used_.size());
      used_.push_back(feature);
    }
  }

  // Lays out the nodes of a tree from the first down, left sides before right ones.
  void pack(index_t t) {
    const std::int64_t first = stack_.start[t], count = stack_.start[t + 1] - first;
    if (count < 1) throw std::invalid_argument("a tree needs a node");
    Tree tree;
    tree.nodes = index_t(nodes_.size());
    tree.leaves = index_t(leaves_.size());
    nodes_.emplace_back();
    origin_.push_back(0);
    std::vector<std::int32_t> open{0};
    while (!open.empty()) {
      const std::int32_t here = open.back();
      open.pop_back();
      const std::int64_t node = first + origin_[tree.nodes + here];
      if (stack_.nodes.left[node] < 0) {
        nodes_[tree.nodes + here] = {std::numeric_limits<T>::infinity(), here, goes_left_if_missing};
        leaves_.push_back(node);
        continue;
      }
      const auto child = std::int32_t(index_t(nodes_.size()) - tree.nodes);
      if (child + 2 > count) throw std::invalid_argument("the nodes of a tree go round in a circle");
      nodes_[tree.nodes + here] = {not_above<T>(stack_.nodes.threshold[node]), child, column_of(node)};
      tree.sets |= stack_.nodes.set_start[node + 1] > stack_.nodes.set_start[node];
      for (const std::int32_t side : {stack_.nodes.left[node], stack_.nodes.right[node]}) {
        if (side < 0 || side >= count) throw std::invalid_argument("a child is not a node of its tree");
        nodes_.emplace_back();
        origin_.push_back(side);
      }
      open.push_back(child + 1);
      open.push_back(child);
    }
    tree.small = !tree.sets && index_t(leaves_.size()) - tree.leaves <= most_bits;
    add_tests(tree);
    if (!tree.small) leaves_.resize(tree.leaves);
    trees_.push_back(tree);
  }

  std::uint32_t column_of(std::int64_t node) const {
    const auto column = std::uint32_t(packed_column_[stack_.nodes.feature[node]]);
    return stack_.nodes.missing_left[node] ? column | goes_left_if_missing : column;
  }

  // The tests of a small tree: those that send missing values left, then those that send them right.
  void add_tests(Tree& tree) {
    tree.tests = tree.tests_right = tree.tests_end = index_t(tests_.size());
    if (!tree.small) return;
    std::vector<Test> right;
    index_t leaf = 0;
    collect(tree.nodes, 0, leaf, right);
    tree.tests_right = index_t(tests_.size());
    tests_.insert(tests_.end(), right.begin(), right.end());
    tree.tests_end = index_t(tests_.size());
  }

  void collect(index_t nodes, std::int32_t here, index_t& leaf, std::vector<Test>& right) {
    const Node node = nodes_[nodes + here];
    if (node.child == here) return void(++leaf);
    const index_t before = leaf;
    collect(nodes, node.child, leaf, right);
    const Bits removed = ((Bits(1) << (leaf - before)) - 1) << before;
    const std::uint32_t column = node.column & ~goes_left_if_missing;
    (node.column & goes_left_if_missing ? tests_ : right).push_back({node.threshold, column, removed});
    collect(nodes, node.child + 1, leaf, right);
  }

  // Calls found(tree, row, leaf) for all rows and the trees first .. last; of one row always in the order of the trees.
  template <class Matrix, class Found>
  void over_rows(const Matrix& X, index_t first, index_t last, const Found& found) const {
    const bool all_small = std::all_of(trees_.begin(), trees_.end(), [](const Tree& tree) { return tree.small; });
    const Blocks blocks(X.rows, all_small && used_.size() <= 64 ? 128 : 1024);
    parallel_if(X.rows * (last - first) > 20'000, blocks.count, [&](index_t block, int) {
      const index_t begin = blocks.begin(block), rows = blocks.end(block) - begin;
      const index_t stride = rows < walkers ? rows : round_up(rows, together);
      thread_local std::vector<T> memory;
      memory.assign(std::size_t(std::max<index_t>(index_t(used_.size()), 1) * stride), T(0));
      for (std::size_t j = 0; j < used_.size(); ++j)
        for (index_t i = 0; i < rows; ++i) memory[index_t(j) * stride + i] = T(X(begin + i, used_[j]));
      for (index_t t = first; t < last; ++t) {
        const auto here = [&](index_t i, index_t leaf) { found(t, begin + i, leaf); };
        if (rows < walkers)
          for (index_t i = 0; i < rows; ++i) here(i, stack_.start[t] + walked<1>(t, memory.data() + i, stride)[0]);
        else if (trees_[t].small)
          by_bits(trees_[t], memory.data(), rows, stride, here);
        else
          by_walks(t, memory.data(), rows, stride, here);
      }
    });
  }

  template <class Found>
  void by_bits(const Tree& tree, const T* X, index_t rows, index_t stride, const Found& found) const {
    for (index_t i = 0; i < rows; i += together) {
      Set alive[4];
      for (Set& set : alive) set = ~Set{};
      for (index_t k = tree.tests; k < tree.tests_right; ++k) {
        const Test& test = tests_[k];
        for (int part = 0; part < 4; ++part)
          alive[part] &= ~((Set)(load<T>(X + test.column * stride + i + part * width) > test.threshold) & test.removed);
      }
      for (index_t k = tree.tests_right; k < tree.tests_end; ++k) {
        const Test& test = tests_[k];
        for (int part = 0; part < 4; ++part)
          alive[part] &= (Set)(load<T>(X + test.column * stride + i + part * width) <= test.threshold) | ~test.removed;
      }
      Bits sets[together];
      for (int part = 0; part < 4; ++part) store(sets + part * width, alive[part]);
      const index_t end = std::min(together, rows - i);
      for (index_t k = 0; k < end; ++k) found(i + k, leaves_[tree.leaves + std::countr_zero(sets[k])]);
    }
  }

  template <class Found>
  void by_walks(index_t t, const T* X, index_t rows, index_t stride, const Found& found) const {
    for (index_t i = 0; i < rows; i += walkers) {  // rows of the scratch beyond the last are zero
      const auto leaf = walked<walkers>(t, X + i, stride);
      const index_t end = std::min(walkers, rows - i);
      for (index_t k = 0; k < end; ++k) found(i + k, stack_.start[t] + leaf[k]);
    }
  }

  // The leaves, as node indices of the tree, of some rows that descend together.
  template <index_t many>
  std::array<std::int32_t, many> walked(index_t t, const T* X, index_t stride) const {
    const Node* nodes = nodes_.data() + trees_[t].nodes;
    std::array<std::int32_t, many> at{};
    for (bool moving = true; moving;) {
      moving = false;
      for (index_t k = 0; k < many; ++k) {
        const Node node = nodes[at[k]];
        const T value = X[index_t(node.column & ~goes_left_if_missing) * stride + k];
        std::int32_t next = node.child;
        if (trees_[t].sets && node.child != at[k])
          next += !stack_.nodes.goes_left(stack_.start[t] + origin_[trees_[t].nodes + at[k]], double(value));
        else
          next += !(value <= node.threshold) & !((value != value) & (node.column >> 31));
        moving |= next != at[k];
        at[k] = next;
      }
    }
    for (std::int32_t& leaf : at) leaf = origin_[trees_[t].nodes + leaf];
    return at;
  }

  StackView stack_;
  index_t columns_ = 0;
  std::vector<index_t> used_;
  std::vector<std::int32_t> packed_column_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> origin_;
  std::vector<Test> tests_;
  std::vector<std::int64_t> leaves_;
  std::vector<Tree> trees_;
};

}  // namespace learnable
