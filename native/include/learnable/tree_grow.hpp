// One grower for every tree: divide a node by the split that is worth most, and again its sides.
#pragma once

#include <map>
#include <numeric>
#include <queue>
#include <vector>

#include "learnable/interrupt.hpp"
#include "learnable/parallel.hpp"
#include "learnable/tree_draws.hpp"
#include "learnable/tree_nodes.hpp"
#include "learnable/tree_rows.hpp"
#include "learnable/tree_splits.hpp"

namespace learnable {

// The columns that a tree may use.
inline std::vector<index_t> drawn_columns(const RankedColumns& columns, const GrowthRules& rules) {
  std::vector<index_t> order(std::size_t(columns.count()));
  std::iota(order.begin(), order.end(), index_t(0));
  if (rules.tree_columns == 0) return order;
  Draws64 draws(rules.seed, std::uint64_t(-3));
  for (index_t k = 0; k < rules.tree_columns; ++k) std::swap(order[k], order[k + draws.below(columns.count() - k)]);
  order.resize(std::size_t(rules.tree_columns));
  std::sort(order.begin(), order.end());
  return order;
}

// Draws among the splits that are worth most.
inline Split one_of_the_best(std::vector<Split>& found, const GrowthRules& rules, index_t node) {
  std::erase_if(found, [](const Split& split) { return !split.found(); });
  if (found.empty()) return {};
  std::stable_sort(found.begin(), found.end(), [](const Split& a, const Split& b) { return a.worth > b.worth; });
  Draws64 draws(rules.seed, std::uint64_t(node));
  return std::move(found[draws.below(std::min(rules.top, index_t(found.size())))]);
}

// A range of rows that is to become a node, or is one that can still be divided.
template <class Sums>
struct OpenNode {
  index_t begin, end, depth, parent = -1, node = -1;
  bool is_left = false;
  Sums sums;
  double alone = 0;
  Bounds bounds;
  Split split;
  double gain = 0;

  bool operator<(const OpenNode& other) const { return gain != other.gain ? gain < other.gain : node > other.node; }
};

template <class Finder>
class Grower {
 public:
  using Open = OpenNode<typename Finder::Sums>;

  // `alone` is what a row of weight one is worth on its own, one number if it is the same for all; it only goes into the
  // sums of the nodes, as their last.
  Grower(const RankedColumns& columns, const Finder& finder, View<const double> alone, const GrowthRules& rules,
         std::vector<std::uint32_t> rows)
      : columns_(columns), alone_(alone), rules_(rules),
        order_(drawn_columns(columns, rules)),
        candidates_(rules.candidates > 0 ? std::min(rules.candidates, index_t(order_.size())) : index_t(order_.size())),
        rows_(columns, finder, std::move(rows), keeps_orders(columns, rules, candidates_)),
        copies_(!rows_.kept() && rules.most_leaves == 0 && columns.count() <= 64 * candidates_) {
    finders_.assign(std::size_t(threads_for(columns.count())), finder);
  }

  // Whether all orders are kept through the divisions: it pays if most columns are looked at.
  static bool keeps_orders(const RankedColumns& columns, const GrowthRules& rules, index_t candidates) {
    return !rules.random_thresholds && 2 * candidates >= columns.count();
  }

  // A tree of about as many nodes as expected, zero if that is not known.
  Tree grow(index_t expected) {
    tree_.reserve(expected + expected / 16, index_t(finders_[0].sum(rows_.items(), 0).size()) + 1);
    rules_.most_leaves > 0 ? grow_best_first() : grow_depth_first();
    close_sets();
    return std::move(tree_);
  }

 private:
  Open opened(index_t begin, index_t end, index_t depth, index_t parent, bool is_left, const Bounds& bounds) {
    Open open{begin, end, depth, parent, -1, is_left, finders_[0].sum(rows_.items() + begin, end - begin), 0, bounds, {}, 0};
    if (alone_.size == 1)
      open.alone = alone_[0] * open.sums[0];
    else
      for (index_t k = begin; k < end; ++k) open.alone += rows_.items()[k].weight * alone_[rows_.row(k)];
    return open;
  }

  Open root() { return opened(0, rows_.count(), 0, -1, false, {}); }

  void grow_depth_first() {
    std::vector<Open> open;
    open.push_back(root());
    while (!open.empty()) {
      Open node = std::move(open.back());
      open.pop_back();
      settle(node);
      if (!node.split.found()) continue;
      auto [left, right] = divided(node);
      open.push_back(std::move(right));
      open.push_back(std::move(left));
    }
  }

  void grow_best_first() {
    std::priority_queue<Open> open;
    const auto admit = [&](Open node) {
      settle(node);
      if (node.split.found()) open.push(std::move(node));
    };
    admit(root());
    for (index_t leaves = 1; !open.empty() && leaves < rules_.most_leaves; ++leaves) {
      Open node = std::move(const_cast<Open&>(open.top()));  // it leaves the queue at once
      open.pop();
      auto [left, right] = divided(node);
      admit(std::move(left));
      admit(std::move(right));
    }
  }

  // Writes a node, as a leaf for now, and looks for its split.
  void settle(Open& open) {
    if (tree_.size() % 64 == 0) look_up();
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
    tree_.rows.push_back(open.end - open.begin);
    tree_.sums.insert(tree_.sums.end(), open.sums.begin(), open.sums.end());
    tree_.sums.push_back(open.alone);
    if (!divisible(open)) return;
    if (copies_) rows_.approach(open.begin, open.end);
    open.split = best_split(open);
    open.gain = open.split.worth - finders_[0].worth(open.sums);
    if (open.split.found() && open.gain + 1e-15 * std::abs(open.split.worth) < rules_.least_gain) open.split = Split{};
  }

  bool divisible(const Open& open) const {
    const index_t rows = open.end - open.begin;
    if (open.depth >= rules_.most_depth || rows < rules_.least_rows_to_split || rows < 2 * rules_.least_rows) return false;
    if (open.sums[0] < 2 * rules_.least_weight) return false;
    for (index_t k = open.begin + 1; k < open.end; ++k)
      if (!finders_[0].same(rows_.items()[k], rows_.items()[open.begin])) return true;
    return false;
  }

  std::pair<Open, Open> divided(Open& open) {
    const Split& split = open.split;
    const index_t node = open.node, middle = open.begin + split.left_rows;
    tree_.feature[node] = std::int32_t(split.feature);
    const bool between_ranks = !split.by_value && split.categories.empty();
    tree_.threshold[node] = between_ranks ? threshold_of(split, columns_.levels[split.feature]) : split.threshold;
    tree_.missing_left[node] = split.missing_left;
    if (!split.categories.empty()) sets_.emplace(node, split.categories);
    rows_.divide(split, open.begin, open.end, open.depth + 1 < rules_.most_depth);
    Bounds left = open.bounds, right = open.bounds;
    if (!rules_.direction.empty() && rules_.direction[split.feature] != 0) {
      const double half_way = split.left_value / 2 + split.right_value / 2;
      const bool rises = rules_.direction[split.feature] > 0;
      (rises ? left.high : left.low) = half_way;
      (rises ? right.low : right.high) = half_way;
    }
    Open first = opened(open.begin, middle, open.depth + 1, node, true, left);
    return {std::move(first), opened(middle, open.end, open.depth + 1, node, false, right)};
  }

  // Every column is looked at alone and the best of them taken in order, so that threads do not matter.
  Split best_split(const Open& open) {
    const bool all = candidates_ == index_t(order_.size()) && !rules_.random_thresholds;
    return all ? best_of_all(open) : best_of_some(open);
  }

  double noise(const Open& open) const {
    return 1e-13 * (std::abs(open.alone) + std::abs(finders_[0].worth(open.sums)));
  }

  Split best_of_some(const Open& open) {
    Draws64 draws(rules_.seed, std::uint64_t(open.node));
    Finder& finder = finders_[0];
    finder.start(open.sums, open.end - open.begin, open.bounds, noise(open), rows_.items());
    index_t tried = 0;
    for (auto left = index_t(order_.size()); left > 0 && (tried < candidates_ || !finder.offers.best.found()); --left) {
      swaps_.push_back(draws.below(left));
      std::swap(order_[swaps_.back()], order_[left - 1]);
      tried += look_at(finder, order_[left - 1], open, draws.uniform());
    }
    for (auto end = index_t(order_.size() - swaps_.size()); !swaps_.empty(); swaps_.pop_back(), ++end)
      std::swap(order_[swaps_.back()], order_[end]);  // every node begins with the same order
    return std::move(finder.offers.best);
  }

  Split best_of_all(const Open& open) {
    const auto columns = index_t(order_.size());
    const double noise = this->noise(open);
    std::vector<Split> found(columns);
    parallel_if((open.end - open.begin) * columns > 20'000, columns, [&](index_t j, int slot) {
      Finder& finder = finders_[slot];
      finder.start(open.sums, open.end - open.begin, open.bounds, noise, rows_.items());
      if (look_at(finder, order_[j], open, 0)) found[j] = std::move(finder.offers.best);
    });
    if (rules_.top > 1) return one_of_the_best(found, rules_, open.node);
    Split best;
    for (Split& candidate : found)
      if (best.less_than(candidate.worth, noise)) best = std::move(candidate);
    return best;
  }

  // Offers the divisions by a column to the finder; false if all rows have the same there.
  bool look_at(Finder& finder, index_t feature, const Open& open, double uniform) const {
    const index_t begin = open.begin, end = open.end, count = end - begin;
    if (rules_.random_thresholds && !columns_.categorical[feature]) {
      double* values = scratch<double>(count);
      rows_.read(feature, begin, end, values);
      const RandomCut cut(values, count, uniform);
      if (cut.found) finder.random_number(feature, cut, values, begin, count);
      return cut.varies;
    }
    const View<const double> levels = columns_.levels[feature];
    if (rows_.kept() && !columns_.categorical[feature]) {
      const std::uint64_t* sorted = rows_.in_order(feature, begin);
      if (rank_of(sorted[0]) == rank_of(sorted[count - 1])) return false;
      finder.numbers(feature, sorted, count, levels);
      return true;
    }
    std::uint32_t* ranks = scratch<std::uint32_t>(count);
    const RankRange range = rows_.read_ranks(feature, begin, end, ranks);
    if (range.low != range.high) look_at_ranks(finder, feature, open, ranks, range);
    return range.low != range.high;
  }

  void look_at_ranks(Finder& finder, index_t feature, const Open& open, const std::uint32_t* ranks, RankRange range) const {
    const index_t count = open.end - open.begin;
    const View<const double> levels = columns_.levels[feature];
    std::uint64_t* keys = scratch<std::uint64_t>(2 * count);
    if constexpr (Finder::convex) {
      const bool plain = !columns_.categorical[feature] && range.high < levels.size && !finder.offers.directed();
      if (plain && count >= Bins::fewest_rows)
        return finder.many_numbers(feature, ranks, open.begin, count, range, keys, keys + count);
    }
    rows_.key(ranks, open.begin, open.end, keys);
    if (columns_.categorical[feature]) return finder.categories(feature, keys, count, levels.size);
    finder.numbers(feature, detail::sort_keys(keys, keys + count, count, range.low, range.high), count, levels);
  }

  template <class T>
  static T* scratch(index_t count) {
    thread_local std::vector<T> memory;
    if (index_t(memory.size()) < count) memory.resize(std::size_t(count));
    return memory.data();
  }

  void close_sets() {
    if (sets_.empty()) return;
    tree_.set_start.assign(std::size_t(tree_.size() + 1), 0);
    for (const auto& [node, set] : sets_) {
      tree_.set_words.insert(tree_.set_words.end(), set.words().begin(), set.words().end());
      tree_.set_start[node + 1] = std::int64_t(set.words().size());
    }
    std::partial_sum(tree_.set_start.begin(), tree_.set_start.end(), tree_.set_start.begin());
  }

  const RankedColumns& columns_;
  View<const double> alone_;
  GrowthRules rules_;
  std::vector<index_t> order_, swaps_;  // of the columns, in which they are drawn
  index_t candidates_;
  NodeRows<typename Finder::Item> rows_;
  bool copies_;  // whether the cells of small nodes are copied: not if many more would be than are looked at
  std::vector<Finder> finders_;  // one a thread
  std::map<index_t, CategorySet> sets_;  // by node
  Tree tree_;
};

}  // namespace learnable
