// One grower for every tree: divide a node by the split that is worth most, and again its sides.
#pragma once

#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "learnable/interrupt.hpp"
#include "learnable/parallel.hpp"
#include "learnable/tree_nodes.hpp"
#include "learnable/tree_search.hpp"

namespace learnable {

template <class Finder>
class Grower {
 public:
  using Open = OpenNode<typename Finder::Sums>;
  using Rows = NodeRows<typename Finder::Item>;

  // `alone` is what a row of weight one is worth on its own, one number if it is the same for all; it only goes into the
  // sums of the nodes, as their last. Rows without weight do not count.
  Grower(const RankedColumns& columns, const Finder& finder, View<const double> alone, const GrowthRules& rules,
         View<const double> weight, std::shared_ptr<typename Rows::Store> room)
      : columns_(columns), alone_(alone), rules_(rules), search_(columns, finder, rules),
        rows_(columns, finder, weight, search_.wants_orders(), std::move(room)),
        copies_(!rows_.kept() && rules.most_leaves == 0 && columns.count() <= 64 * search_.candidates()) {}

  // A tree of about as many nodes as expected, zero if that is not known, in the memory of one without nodes.
  Tree grow(index_t expected, Tree memory = {}) {
    tree_ = std::move(memory);
    tree_.reserve(expected + expected / 16, index_t(search_.finder().sum(rows_.items(), 0).size()) + 1);
    Open root = opened(0, rows_.count(), 0, -1, false, {});
    search_.add_bins(root, rows_);
    if (rules_.most_leaves > 0)
      grow_best_first(std::move(root));
    else if (search_.looks_at_all() && rules_.top == 1 && rows_.count() >= fewest_in_branches)
      grow_branches(std::move(root));
    else
      grow_depth_first(std::move(root));
    tree_.close_sets();
    return std::move(tree_);
  }

 private:
  static constexpr index_t fewest_in_branches = 4096, branch_share = 32;

  // Grows a part of the rows of another grower, with a tree of its own.
  struct PartOf {
    const Grower& whole;
  };
  // A node that may be divided, and what that would gain.
  struct Promising {
    Open open;
    Split split;
    double gain;

    bool operator<(const Promising& other) const {
      return gain != other.gain ? gain < other.gain : open.node > other.open.node;
    }
  };
  explicit Grower(PartOf part)
      : columns_(part.whole.columns_), alone_(part.whole.alone_), rules_(part.whole.rules_), search_(part.whole.search_),
        rows_(part.whole.rows_.shared()), copies_(part.whole.copies_) {}

  Open opened(index_t begin, index_t end, index_t depth, index_t parent, bool is_left, const Bounds& bounds) {
    const auto* items = rows_.items();
    Open open{begin, end, depth, parent, -1, is_left, search_.finder().sum(items + begin, end - begin), 0, bounds, {}};
    if (alone_.size == 1)
      open.alone = alone_[0] * open.sums[0];
    else
      for (index_t k = begin; k < end; ++k) open.alone += weight_of(items[k]) * alone_[rows_.row(k)];
    return open;
  }

  void grow_depth_first(Open first) {
    std::vector<Open> open;
    open.push_back(std::move(first));
    while (!open.empty()) {
      Open node = std::move(open.back());
      open.pop_back();
      const Split split = settle(node, copies_);
      if (split.found()) divide(node, split, open, search_.seen(split.feature));
    }
  }

  void grow_best_first(Open first) {
    std::priority_queue<Promising> queue;
    std::vector<Open> open;
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
  void grow_branches(Open first) {
    std::vector<Open> open, branches;
    open.push_back(std::move(first));
    while (!open.empty()) {
      Open node = std::move(open.back());
      open.pop_back();
      if (branch_share * node.rows() <= rows_.count()) {
        enter(node);
        branches.push_back(std::move(node));
      } else {
        const Split split = settle(node, false);
        if (split.found()) divide(node, split, open);
      }
    }
    std::vector<index_t> place;
    for (Open& branch : branches) place.push_back(std::exchange(branch.node, -1));
    std::vector<Tree> grown(branches.size());
    parallel_for(index_t(branches.size()), [&](index_t b, int) {
      Grower part(PartOf{*this});
      branches[b].parent = -1;
      part.grow_depth_first(std::move(branches[b]));
      grown[b] = std::move(part.tree_);
    });
    tree_ = joined(tree_, place, grown);
  }

  // Writes a node, as a leaf for now.
  void enter(Open& open) {
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

  double gain_of(const Open& open, const Split& split) { return split.worth - search_.finder().worth(open.sums); }

  // Enters a node and looks for its split, once its rows were brought close together if they are to be.
  Split settle(Open& open, bool close) {
    if (tree_.size() % 64 == 0) look_up();
    enter(open);
    if (!divisible(open)) return {};
    if (close) rows_.approach(open.begin, open.end);
    Split split = search_.best(open, rows_);
    if (split.found() && gain_of(open, split) + 1e-15 * std::abs(split.worth) < rules_.least_gain) return {};
    return split;
  }

  bool divisible(const Open& open) {
    const index_t rows = open.rows();
    if (open.depth >= rules_.most_depth || rows < rules_.least_rows_to_split || rows < 2 * rules_.least_rows) return false;
    if (open.sums[0] < 2 * rules_.least_weight) return false;
    const auto* items = rows_.items();
    for (index_t k = open.begin + 1; k < open.end; ++k)
      if (!search_.finder().same(items[k], items[open.begin])) return true;
    return false;
  }

  // Divides a node; its left side is the last that is opened.
  void divide(Open& open, const Split& split, std::vector<Open>& sides, OneOfFour seen = {}) {
    const index_t node = open.node, middle = open.begin + split.left_rows;
    tree_.feature[node] = std::int32_t(split.feature);
    const bool between_ranks = !split.by_value && split.categories.empty();
    tree_.threshold[node] = between_ranks ? threshold_of(split, columns_) : split.threshold;
    tree_.missing_left[node] = split.missing_left;
    if (!split.categories.empty()) tree_.sets.emplace(node, split.categories);
    rows_.divide(split, open.begin, open.end, open.depth + 1 < rules_.most_depth, seen);
    Bounds left = open.bounds, right = open.bounds;
    if (!rules_.direction.empty() && rules_.direction[split.feature] != 0) {
      const double half_way = split.left_value / 2 + split.right_value / 2;
      const bool rises = rules_.direction[split.feature] > 0;
      (rises ? left.high : left.low) = half_way;
      (rises ? right.low : right.high) = half_way;
    }
    Open first = opened(open.begin, middle, open.depth + 1, node, true, left);
    Open second = opened(middle, open.end, open.depth + 1, node, false, right);
    if (split.gapless) tree_.missing_left[node] = first.sums[0] > second.sums[0];
    search_.share_bins(open, first, second, rows_);
    sides.push_back(std::move(second));
    sides.push_back(std::move(first));
  }

  const RankedColumns& columns_;
  View<const double> alone_;
  GrowthRules rules_;
  NodeSearch<Finder> search_;
  Rows rows_;
  bool copies_;  // whether the cells of small nodes are copied: not if many more would be than are looked at
  Tree tree_;
};

}  // namespace learnable
