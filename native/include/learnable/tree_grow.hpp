// One grower for every tree: divide a node by the split that is worth most, and again its sides.
#pragma once

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

template <class Finder>
class Grower {
 public:
  using Sums = typename Finder::Sums;

  // `alone` is what a row of weight one is worth on its own; it only goes into the sums of the nodes, as their last.
  Grower(const RankedColumns& columns, const Finder& finder, View<const double> alone, const GrowthRules& rules,
         std::vector<std::uint32_t> rows)
      : columns_(columns), alone_(alone), rules_(rules),
        order_(drawn_columns(columns, rules)),
        candidates_(rules.candidates > 0 ? std::min(rules.candidates, index_t(order_.size())) : index_t(order_.size())),
        rows_(columns, finder, std::move(rows), keeps_orders(columns, rules, candidates_)) {
    finders_.assign(std::size_t(threads_for(columns.count())), finder);
  }

  // Whether all orders are kept through the divisions: it pays if most columns are looked at.
  static bool keeps_orders(const RankedColumns& columns, const GrowthRules& rules, index_t candidates) {
    return !rules.random_thresholds && 2 * candidates >= columns.count();
  }

  Tree grow() {
    rules_.most_leaves > 0 ? grow_best_first() : grow_depth_first();
    close_sets();
    return std::move(tree_);
  }

 private:
  // A range of rows that is to become a node, or is one that can still be divided.
  struct Open {
    index_t begin, end, depth, parent = -1, node = -1;
    bool is_left = false;
    Sums sums;
    double alone = 0;
    Bounds bounds;
    Split split;
    double gain = 0;
  };
  struct GainsLess {
    bool operator()(const Open& a, const Open& b) const { return a.gain != b.gain ? a.gain < b.gain : a.node > b.node; }
  };

  Open opened(index_t begin, index_t end, index_t depth, index_t parent, bool is_left, const Bounds& bounds) {
    Open open{begin, end, depth, parent, -1, is_left, finders_[0].sum(rows_.items() + begin, end - begin), 0, bounds, {}, 0};
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
    std::priority_queue<Open, std::vector<Open>, GainsLess> open;
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
    look_up();
    open.node = tree_.size();
    if (open.parent >= 0) (open.is_left ? tree_.left : tree_.right)[open.parent] = std::int32_t(open.node);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.feature.push_back(-2);
    tree_.threshold.push_back(-2);
    tree_.gain.push_back(0);
    tree_.low.push_back(open.bounds.low);
    tree_.high.push_back(open.bounds.high);
    tree_.missing_left.push_back(0);
    tree_.rows.push_back(open.end - open.begin);
    tree_.sums.insert(tree_.sums.end(), open.sums.begin(), open.sums.end());
    tree_.sums.push_back(open.alone);
    sets_.emplace_back();
    if (!divisible(open)) return;
    open.split = best_split(open);
    open.gain = open.split.worth - finders_[0].worth(open.sums);
    if (open.split.found() && open.gain + 1e-15 * std::abs(open.split.worth) < rules_.least_gain) open.split = Split{};
  }

  bool divisible(const Open& open) const {
    const index_t rows = open.end - open.begin;
    if (open.depth >= rules_.most_depth || rows < rules_.least_rows_to_split || rows < 2 * rules_.least_rows) return false;
    if (open.sums[0] < 2 * rules_.least_weight) return false;
    for (index_t k = open.begin + 1; k < open.end; ++k)
      if (!finders_[0].same(rows_.row(k), rows_.row(open.begin))) return true;
    return false;
  }

  std::pair<Open, Open> divided(Open& open) {
    const Split& split = open.split;
    const index_t node = open.node, middle = open.begin + split.left_rows;
    tree_.feature[node] = std::int32_t(split.feature);
    const bool between_ranks = !split.by_value && split.categories.empty();
    tree_.threshold[node] = between_ranks ? threshold_of(split, columns_.levels[split.feature]) : split.threshold;
    tree_.gain[node] = open.gain;
    tree_.missing_left[node] = split.missing_left;
    sets_[node] = split.categories;
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

  static std::vector<index_t> drawn_columns(const RankedColumns& columns, const GrowthRules& rules) {
    std::vector<index_t> order(std::size_t(columns.count()));
    std::iota(order.begin(), order.end(), index_t(0));
    if (rules.tree_columns == 0) return order;
    Draws64 draws(rules.seed, std::uint64_t(-3));
    for (index_t k = 0; k < rules.tree_columns; ++k) std::swap(order[k], order[k + draws.below(columns.count() - k)]);
    order.resize(std::size_t(rules.tree_columns));
    std::sort(order.begin(), order.end());
    return order;
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
    const double noise = this->noise(open);
    Split best;
    index_t tried = 0;
    for (auto left = index_t(order_.size()); left > 0 && (tried < candidates_ || !best.found()); --left) {
      swaps_.push_back(draws.below(left));
      std::swap(order_[swaps_.back()], order_[left - 1]);
      if (!best_of_column(finders_[0], order_[left - 1], open, noise, draws.uniform())) continue;
      ++tried;
      Split& found = finders_[0].offers.best;
      if (best.less_than(found.worth, noise)) best = std::move(found);
    }
    for (auto end = index_t(order_.size() - swaps_.size()); !swaps_.empty(); swaps_.pop_back(), ++end)
      std::swap(order_[swaps_.back()], order_[end]);  // every node begins with the same order
    return best;
  }

  Split best_of_all(const Open& open) {
    const auto columns = index_t(order_.size());
    const double noise = this->noise(open);
    std::vector<Split> found(columns);
    parallel_if((open.end - open.begin) * columns > 20'000, columns, [&](index_t j, int slot) {
      if (best_of_column(finders_[slot], order_[j], open, noise, 0)) found[j] = std::move(finders_[slot].offers.best);
    });
    if (rules_.top > 1) return one_of_the_best(open, found);
    Split best;
    for (Split& candidate : found)
      if (best.less_than(candidate.worth, noise)) best = std::move(candidate);
    return best;
  }

  Split one_of_the_best(const Open& open, std::vector<Split>& found) const {
    std::erase_if(found, [](const Split& split) { return !split.found(); });
    if (found.empty()) return {};
    std::stable_sort(found.begin(), found.end(), [](const Split& a, const Split& b) { return a.worth > b.worth; });
    Draws64 draws(rules_.seed, std::uint64_t(open.node));
    return std::move(found[draws.below(std::min(rules_.top, index_t(found.size())))]);
  }

  // Leaves the best division by a column with the finder; false if all rows have the same there.
  bool best_of_column(Finder& finder, index_t feature, const Open& open, double noise, double uniform) const {
    const index_t begin = open.begin, end = open.end, count = end - begin;
    finder.start(open.sums, count, open.bounds, noise, rows_.items());
    if (rules_.random_thresholds && !columns_.categorical[feature]) {
      double* values = scratch<double>(count);
      rows_.read(feature, begin, end, values);
      if (!vary(values, count)) return false;
      finder.random_number(feature, values, begin, count, uniform);
      return true;
    }
    std::uint64_t* keys = scratch<std::uint64_t>(2 * count);
    const View<const double> levels = columns_.levels[feature];
    if (columns_.categorical[feature]) {
      const auto found = rows_.unordered(feature, begin, end, keys);
      if (found.vary) finder.categories(feature, found.data, count, levels.size);
      return found.vary;
    }
    const auto found = rows_.in_order(feature, begin, end, keys, keys + count);
    if (found.vary) finder.numbers(feature, found.data, count, levels);
    return found.vary;
  }

  template <class T>
  static T* scratch(index_t count) {
    thread_local std::vector<T> memory;
    if (index_t(memory.size()) < count) memory.resize(std::size_t(count));
    return memory.data();
  }

  // Whether some are missing and some not, or two numbers differ.
  static bool vary(const double* values, index_t count) {
    for (index_t k = 1; k < count; ++k)
      if (!(values[k] == values[0]) && !(values[k] != values[k] && values[0] != values[0])) return true;
    return false;
  }

  void close_sets() {
    for (const CategorySet& set : sets_) {
      tree_.set_start.push_back(std::int64_t(tree_.set_words.size()));
      tree_.set_words.insert(tree_.set_words.end(), set.words().begin(), set.words().end());
    }
    tree_.set_start.push_back(std::int64_t(tree_.set_words.size()));
  }

  const RankedColumns& columns_;
  View<const double> alone_;
  GrowthRules rules_;
  std::vector<index_t> order_, swaps_;  // of the columns, in which they are drawn
  index_t candidates_;
  NodeRows<typename Finder::Item> rows_;
  std::vector<Finder> finders_;  // one a thread
  std::vector<CategorySet> sets_;
  Tree tree_;
};

}  // namespace learnable
