// Builder of all trees: splits a node by the split of largest improvement, then its sides.
#pragma once

#include <cmath>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "learnable/threads/interrupt.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/node_interface.hpp"
#include "learnable/trees/nodes.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

class TreeBuilder {
 public:
  TreeBuilder(NodeInterface& work, const RankedColumns& columns, const GrowthRules& rules)
      : work_(work), columns_(columns), rules_(rules) {}

  // A tree of about `expected` nodes, zero if that is unknown, in the memory of an empty one.
  Tree grow(index_t expected, Tree memory = {}) {
    tree_ = std::move(memory);
    OpenNode root = opened(0, work_.rows(), 0, -1, false, {});
    tree_.reserve(expected + expected / 16, root.sums.size() + 1);
    work_.add_bins(root);
    if (rules_.max_leaves > 0)
      grow_best_first(std::move(root));
    else if (work_.searches_all() && rules_.top == 1 && root.rows() >= min_rows_for_branches)
      grow_branches(std::move(root));
    else
      grow_depth_first(std::move(root));
    tree_.close_sets();
    return std::move(tree_);
  }

 private:
  static constexpr index_t min_rows_for_branches = 4096, branch_divisor = 32;

  // A node that may be split, and the improvement by it.
  struct Promising {
    OpenNode open;
    Split split;
    double improvement;

    bool operator<(const Promising& other) const {
      return improvement != other.improvement ? improvement < other.improvement : open.node > other.open.node;
    }
  };

  OpenNode opened(index_t begin, index_t end, index_t depth, index_t parent, bool is_left, const Bounds& bounds) {
    OpenNode open{begin, end, depth, parent, -1, is_left, {}, 0, bounds, {}};
    work_.sum(open);
    return open;
  }

  void grow_depth_first(OpenNode first) {
    std::vector<OpenNode> open;
    open.push_back(std::move(first));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      const Split split = settle(node, true);
      if (split.found()) split_node(node, split, open, work_.seen(split.feature));
    }
  }

  void grow_best_first(OpenNode first) {
    std::priority_queue<Promising> queue;
    std::vector<OpenNode> open;
    open.push_back(std::move(first));
    for (index_t leaves = 1;; ++leaves) {
      for (; !open.empty(); open.pop_back()) {
        Split split = settle(open.back(), false);
        const double improvement = improvement_of(open.back(), split);
        if (split.found()) queue.push({std::move(open.back()), std::move(split), improvement});
      }
      if (queue.empty() || leaves >= rules_.max_leaves) return;
      Promising node = std::move(const_cast<Promising&>(queue.top()));  // it is popped at once
      queue.pop();
      split_node(node.open, node.split, open);
    }
  }

  // Grows nodes of many rows one after the other, with threads over columns; then the branches below them in parallel.
  // The choice depends on rows alone, and nodes are numbered as if all had grown depth first.
  void grow_branches(OpenNode first) {
    std::vector<OpenNode> open, branches;
    open.push_back(std::move(first));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      if (branch_divisor * node.rows() <= work_.rows()) {
        enter(node);
        branches.push_back(std::move(node));
      } else {
        const Split split = settle(node, false);
        if (split.found()) split_node(node, split, open);
      }
    }
    std::vector<index_t> leaf_of_branch;
    for (OpenNode& branch : branches) leaf_of_branch.push_back(std::exchange(branch.node, -1));
    std::vector<Tree> grown(branches.size());
    parallel_for(index_t(branches.size()), [&](index_t b, int) {
      const std::unique_ptr<NodeInterface> work = work_.for_a_branch();
      TreeBuilder part(*work, columns_, rules_);
      branches[b].parent = -1;
      part.grow_depth_first(std::move(branches[b]));
      grown[b] = std::move(part.tree_);
    });
    tree_ = joined(tree_, leaf_of_branch, grown);
  }

  // Appends a node, as a leaf for now.
  void enter(OpenNode& open) {
    open.node = tree_.size();
    if (open.parent >= 0) (open.is_left ? tree_.left : tree_.right)[open.parent] = std::int32_t(open.node);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.feature.push_back(-2);
    tree_.threshold.push_back(-2);
    if (!rules_.direction.empty()) {
      tree_.low.push_back(open.bounds.low);
      tree_.high.push_back(open.bounds.high);
    }
    tree_.missing_left.push_back(0);
    tree_.rows.push_back(open.rows());
    tree_.sums.insert(tree_.sums.end(), open.sums.begin(), open.sums.end());
    tree_.sums.push_back(open.alone);
  }

  double improvement_of(const OpenNode& open, const Split& split) const { return split.gain - work_.gain(open.sums); }

  // Enters a node and finds its split, after its rows have been copied together if `close`.
  Split settle(OpenNode& open, bool close) {
    if (tree_.size() % 64 == 0) poll_interrupt();
    enter(open);
    if (!can_split(open)) return {};
    if (close) work_.cache_rows(open);
    Split split = work_.best(open);
    if (split.found() && improvement_of(open, split) + 1e-15 * std::abs(split.gain) < rules_.min_gain) return {};
    return split;
  }

  bool can_split(const OpenNode& open) const {
    const index_t rows = open.rows();
    if (open.depth >= rules_.max_depth || rows < rules_.min_samples_split ||
        rows < 2 * rules_.min_samples_leaf) return false;
    return open.sums.weight() >= 2 * rules_.min_leaf_weight && work_.varies(open);
  }

  // Splits a node; its left side is opened last.
  void split_node(OpenNode& open, const Split& split, std::vector<OpenNode>& sides, InterleavedColumn seen = {}) {
    const index_t node = open.node, middle = open.begin + split.left_rows;
    tree_.feature[node] = std::int32_t(split.feature);
    const bool between_ranks = !split.by_threshold && split.categories.empty();
    tree_.threshold[node] = between_ranks ? threshold_of(split, columns_) : split.threshold;
    tree_.missing_left[node] = split.missing_left;
    if (!split.categories.empty()) tree_.sets.emplace(node, split.categories);
    work_.partition(open, split, open.depth + 1 < rules_.max_depth, seen);
    Bounds left = open.bounds, right = open.bounds;
    if (!rules_.direction.empty() && rules_.direction[split.feature] != 0) {
      const double half_way = split.left_value / 2 + split.right_value / 2;
      const bool rises = rules_.direction[split.feature] > 0;
      (rises ? left.high : left.low) = half_way;
      (rises ? right.low : right.high) = half_way;
    }
    OpenNode first = opened(open.begin, middle, open.depth + 1, node, true, left);
    OpenNode second = opened(middle, open.end, open.depth + 1, node, false, right);
    if (split.no_missing) tree_.missing_left[node] = first.sums.weight() > second.sums.weight();
    work_.subtract_bins(open, first, second);
    sides.push_back(std::move(second));
    sides.push_back(std::move(first));
  }

  NodeInterface& work_;
  const RankedColumns& columns_;
  const GrowthRules& rules_;
  Tree tree_;
};

}  // namespace learnable
