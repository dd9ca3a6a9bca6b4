// One grower for every tree: divide a node by the split that is worth most, and again its sides.
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

class Grower {
 public:
  Grower(NodeWork& work, const RankedColumns& columns, const GrowthRules& rules)
      : work_(work), columns_(columns), rules_(rules) {}

  // A tree of about as many nodes as expected, zero if that is not known, in the memory of one without nodes.
  Tree grow(index_t expected, Tree memory = {}) {
    tree_ = std::move(memory);
    OpenNode root = opened(0, work_.rows(), 0, -1, false, {});
    tree_.reserve(expected + expected / 16, root.sums.size() + 1);
    work_.add_bins(root);
    if (rules_.most_leaves > 0)
      grow_best_first(std::move(root));
    else if (work_.looks_at_all() && rules_.top == 1 && root.rows() >= fewest_in_branches)
      grow_branches(std::move(root));
    else
      grow_depth_first(std::move(root));
    tree_.close_sets();
    return std::move(tree_);
  }

 private:
  static constexpr index_t fewest_in_branches = 4096, branch_share = 32;

  // A node that may be divided, and what that would gain.
  struct Promising {
    OpenNode open;
    Split split;
    double gain;

    bool operator<(const Promising& other) const {
      return gain != other.gain ? gain < other.gain : open.node > other.open.node;
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
      if (split.found()) divide(node, split, open, work_.seen(split.feature));
    }
  }

  void grow_best_first(OpenNode first) {
    std::priority_queue<Promising> queue;
    std::vector<OpenNode> open;
    open.push_back(std::move(first));
    for (index_t leaves = 1;; ++leaves) {
      for (; !open.empty(); open.pop_back()) {
        Split split = settle(open.back(), false);
        const double gain = gain_of(open.back(), split);
        if (split.found()) queue.push({std::move(open.back()), std::move(split), gain});
      }
      if (queue.empty() || leaves >= rules_.most_leaves) return;
      Promising node = std::move(const_cast<Promising&>(queue.top()));  // it leaves the queue at once
      queue.pop();
      divide(node.open, node.split, open);
    }
  }

  // Grows nodes of many rows one after the other, with threads that share their columns; then what is below them side by
  // side. Which is which depends on rows alone, and nodes are numbered as if all had grown depth first.
  void grow_branches(OpenNode first) {
    std::vector<OpenNode> open, branches;
    open.push_back(std::move(first));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      if (branch_share * node.rows() <= work_.rows()) {
        enter(node);
        branches.push_back(std::move(node));
      } else {
        const Split split = settle(node, false);
        if (split.found()) divide(node, split, open);
      }
    }
    std::vector<index_t> place;
    for (OpenNode& branch : branches) place.push_back(std::exchange(branch.node, -1));
    std::vector<Tree> grown(branches.size());
    parallel_for(index_t(branches.size()), [&](index_t b, int) {
      const std::unique_ptr<NodeWork> work = work_.for_a_branch();
      Grower part(*work, columns_, rules_);
      branches[b].parent = -1;
      part.grow_depth_first(std::move(branches[b]));
      grown[b] = std::move(part.tree_);
    });
    tree_ = joined(tree_, place, grown);
  }

  // Writes a node, as a leaf for now.
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

  double gain_of(const OpenNode& open, const Split& split) const { return split.worth - work_.worth(open.sums); }

  // Enters a node and looks for its split, once its rows were brought close together if they may be.
  Split settle(OpenNode& open, bool close) {
    if (tree_.size() % 64 == 0) look_up();
    enter(open);
    if (!divisible(open)) return {};
    if (close) work_.approach(open);
    Split split = work_.best(open);
    if (split.found() && gain_of(open, split) + 1e-15 * std::abs(split.worth) < rules_.least_gain) return {};
    return split;
  }

  bool divisible(const OpenNode& open) const {
    const index_t rows = open.rows();
    if (open.depth >= rules_.most_depth || rows < rules_.least_rows_to_split || rows < 2 * rules_.least_rows) return false;
    return open.sums.weight() >= 2 * rules_.least_weight && work_.varies(open);
  }

  // Divides a node; its left side is the last that is opened.
  void divide(OpenNode& open, const Split& split, std::vector<OpenNode>& sides, OneOfFour seen = {}) {
    const index_t node = open.node, middle = open.begin + split.left_rows;
    tree_.feature[node] = std::int32_t(split.feature);
    const bool between_ranks = !split.by_value && split.categories.empty();
    tree_.threshold[node] = between_ranks ? threshold_of(split, columns_) : split.threshold;
    tree_.missing_left[node] = split.missing_left;
    if (!split.categories.empty()) tree_.sets.emplace(node, split.categories);
    work_.divide(open, split, open.depth + 1 < rules_.most_depth, seen);
    Bounds left = open.bounds, right = open.bounds;
    if (!rules_.direction.empty() && rules_.direction[split.feature] != 0) {
      const double half_way = split.left_value / 2 + split.right_value / 2;
      const bool rises = rules_.direction[split.feature] > 0;
      (rises ? left.high : left.low) = half_way;
      (rises ? right.low : right.high) = half_way;
    }
    OpenNode first = opened(open.begin, middle, open.depth + 1, node, true, left);
    OpenNode second = opened(middle, open.end, open.depth + 1, node, false, right);
    if (split.gapless) tree_.missing_left[node] = first.sums.weight() > second.sums.weight();
    work_.share_bins(open, first, second);
    sides.push_back(std::move(second));
    sides.push_back(std::move(first));
  }

  NodeWork& work_;
  const RankedColumns& columns_;
  const GrowthRules& rules_;
  Tree tree_;
};

}  // namespace learnable
