// The clustering feature tree of BIRCH. An entry sums up rows: their number, mean and squared deviations from it.
// Entries of leaves are subclusters; an entry of another node sums up its child. [Zhang, Ramakrishnan and Livny, 1996]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

constexpr std::int64_t no_node = -1;

struct CfEntry {
  double rows = 0, deviations = 0;
  std::int64_t child = no_node;
};

// A node: its entries, their means side by side, and of a leaf the next one in the list of leaves.
struct CfNode {
  std::vector<CfEntry> entries;
  std::vector<double> means;
  std::int64_t next = no_node;
};

class CfTree {
 public:
  CfTree(index_t features, double threshold, index_t branching)
      : features_(features), most_(std::size_t(branching)), square_(threshold * threshold), nodes_(1) {}

  // Adds rows in their order.
  void insert(Grid<const double> X) {
    for (index_t i = 0; i < X.rows; ++i) {
      if (!insert(root_, &X(i, 0))) continue;
      const std::int64_t old = root_;
      root_ = std::int64_t(nodes_.size());
      nodes_.emplace_back();
      append(root_, CfEntry{.child = old}, &X(i, 0));
      split(root_, 0);
    }
  }

  index_t features() const { return features_; }
  std::int64_t root() const { return root_; }
  std::int64_t first_leaf() const { return first_; }
  const std::vector<CfNode>& nodes() const { return nodes_; }

  // Goes on with the nodes of another tree, whose root is the first.
  void restore(std::vector<CfNode> nodes, std::int64_t first_leaf) {
    nodes_ = std::move(nodes);
    root_ = 0;
    first_ = first_leaf;
  }

 private:
  // Adds a row below a node, and returns whether the node then has too many entries.
  bool insert(std::int64_t node, const double* x) {
    if (nodes_[node].entries.empty()) {
      append(node, CfEntry{.rows = 1}, x);
      return false;
    }
    const std::size_t k = nearest(nodes_[node], x);
    const CfEntry& entry = nodes_[node].entries[k];
    if (entry.child == no_node) {
      if (merged_deviations(node, k, x) <= square_ * (entry.rows + 1)) {
        absorb(node, k, x);
        return false;
      }
      append(node, CfEntry{.rows = 1}, x);
    } else if (insert(entry.child, x)) {
      split(node, k);
    } else {
      absorb(node, k, x);
      return false;
    }
    return nodes_[node].entries.size() > most_;
  }

  void append(std::int64_t node, const CfEntry& entry, const double* mean) {
    nodes_[node].entries.push_back(entry);
    nodes_[node].means.insert(nodes_[node].means.end(), mean, mean + features_);
  }

  double* mean(std::int64_t node, std::size_t k) { return nodes_[node].means.data() + k * std::size_t(features_); }

  double distance(const double* a, const double* b) const {
    double sum = 0;
    for (index_t j = 0; j < features_; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }

  std::size_t nearest(const CfNode& node, const double* x) const {
    std::size_t best = 0;
    double least = HUGE_VAL;
    for (std::size_t k = 0; k < node.entries.size(); ++k) {
      const double square = distance(node.means.data() + k * std::size_t(features_), x);
      if (square < least) least = square, best = k;
    }
    return best;
  }

  // Squared deviations of the rows of an entry and one more from their mean.
  double merged_deviations(std::int64_t node, std::size_t k, const double* x) {
    const CfEntry& entry = nodes_[node].entries[k];
    return entry.deviations + entry.rows / (entry.rows + 1) * distance(mean(node, k), x);
  }

  void absorb(std::int64_t node, std::size_t k, const double* x) {
    CfEntry& entry = nodes_[node].entries[k];
    entry.deviations = merged_deviations(node, k, x);
    entry.rows += 1;
    double* centre = mean(node, k);
    for (index_t j = 0; j < features_; ++j) centre[j] += (x[j] - centre[j]) / entry.rows;
  }

  // Splits the child of an entry between its two farthest entries; the second half gets an entry at the end of the node.
  void split(std::int64_t node, std::size_t k) {
    const std::int64_t left = nodes_[node].entries[k].child, right = std::int64_t(nodes_.size());
    const std::vector<bool> stays = nearer_to_first(nodes_[left]);
    const CfNode old = std::move(nodes_[left]);
    nodes_[left] = CfNode{{}, {}, old.next};
    nodes_.emplace_back();
    for (std::size_t e = 0; e < old.entries.size(); ++e)
      append(stays[e] ? left : right, old.entries[e], old.means.data() + e * std::size_t(features_));
    if (old.entries[0].child == no_node) nodes_[right].next = std::exchange(nodes_[left].next, right);
    sum_up(left, node, k);
    append(node, CfEntry{.child = right}, nodes_[right].means.data());
    sum_up(right, node, nodes_[node].entries.size() - 1);
  }

  // Which entries are nearer to the first of the two farthest from each other, which itself is.
  std::vector<bool> nearer_to_first(const CfNode& node) const {
    const std::size_t count = node.entries.size();
    const auto at = [&](std::size_t e) { return node.means.data() + e * std::size_t(features_); };
    std::size_t first = 0, second = 0;
    double farthest = -1;
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a; b < count; ++b) {
        const double square = distance(at(a), at(b));
        if (square > farthest) farthest = square, first = a, second = b;
      }
    std::vector<bool> nearer(count);
    for (std::size_t e = 0; e < count; ++e) nearer[e] = distance(at(e), at(first)) < distance(at(e), at(second));
    nearer[first] = true;
    return nearer;
  }

  // Entry k of a node as the sum of the entries of its child, in their order.
  void sum_up(std::int64_t child, std::int64_t node, std::size_t k) {
    const CfNode& parts = nodes_[child];
    CfEntry sum{.child = child};
    double* centre = mean(node, k);
    std::fill_n(centre, features_, 0.0);
    for (std::size_t e = 0; e < parts.entries.size(); ++e) {
      const CfEntry& part = parts.entries[e];
      const double* other = parts.means.data() + e * std::size_t(features_);
      const double rows = sum.rows + part.rows;
      sum.deviations += part.deviations + sum.rows / rows * part.rows * distance(centre, other);
      for (index_t j = 0; j < features_; ++j) centre[j] += part.rows / rows * (other[j] - centre[j]);
      sum.rows = rows;
    }
    nodes_[node].entries[k] = sum;
  }

  index_t features_;
  std::size_t most_;
  double square_;
  std::vector<CfNode> nodes_;
  std::int64_t root_ = 0, first_ = 0;
};

}  // namespace learnable
