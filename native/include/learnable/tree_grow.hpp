// One grower for every tree: divide a node by the split that is worth most, and again its sides.
#pragma once

#include <numeric>
#include <queue>
#include <vector>

#include "learnable/interrupt.hpp"
#include "learnable/parallel.hpp"
#include "learnable/radix.hpp"
#include "learnable/tree_nodes.hpp"
#include "learnable/tree_splits.hpp"

namespace learnable {

// A stream of random numbers that depends on a seed and a place alone.
class Draws64 {
 public:
  Draws64(std::uint64_t seed, std::uint64_t place) : state_(seed ^ (place + 1) * 0xD1342543DE82EF95ull) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  index_t below(index_t bound) { return index_t((unsigned __int128)((*this)()) * std::uint64_t(bound) >> 64); }
  double uniform() { return double((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// The rows of every node side by side, with their items, and their order by each column: kept through all divisions if
// most columns are looked at, or made when a column is asked for. Deep nodes so find what they need close together.
template <class Item>
class NodeRows {
 public:
  template <class Finder>
  NodeRows(const RankedColumns& columns, const Finder& finder, std::vector<std::uint32_t> rows, bool keep)
      : columns_(columns), rows_(std::move(rows)), spare_rows_(rows_.size()), spare_items_(rows_.size()),
        moves_(rows_.size()) {
    for (const std::uint32_t row : rows_) items_.push_back(finder.item(row));
    if (!keep) return;
    kept_.resize(columns.count());
    parallel_if(count() * columns.count() > 20'000, columns.count(), [&](index_t j, int) {
      kept_[j].resize(rows_.size());
      std::vector<std::uint64_t> spare(rows_.size());
      make(j, 0, count(), kept_[j].data(), spare.data());
    });
  }

  index_t count() const { return index_t(rows_.size()); }
  std::uint32_t row(index_t place) const { return rows_[place]; }
  const Item* items() const { return items_.data(); }
  bool kept() const { return !kept_.empty(); }
  const std::uint64_t* keys(index_t feature, index_t begin) const { return kept_[feature].data() + begin; }
  std::uint32_t rank(index_t feature, index_t place) const { return columns_.ranks(feature, rows_[place]); }

  // The places begin .. end with their ranks in a column, sorted by these if there is spare room.
  void make(index_t feature, index_t begin, index_t end, std::uint64_t* keys, std::uint64_t* spare) const {
    const std::uint32_t* ranks = columns_.ranks.row(feature).data;
    for (index_t k = begin; k < end; ++k) keys[k - begin] = keyed(ranks[rows_[k]], std::uint32_t(k));
    if (spare) radix_sort(keys, spare, end - begin, [](std::uint64_t key) { return key >> 32; });
  }

  // Brings the rows that go left to the front of begin .. end, keeping all orders; `deeper` if the sides may divide.
  void divide(const Split& split, index_t begin, index_t end, bool deeper) {
    const std::uint32_t* ranks = columns_.ranks.row(split.feature).data;
    const auto missing = std::uint32_t(columns_.levels[split.feature].size);
    const index_t middle = begin + split.left_rows;
    index_t left = begin, right = middle;
    for (index_t k = begin; k < end; ++k) {
      const index_t place = split.goes_left(ranks[rows_[k]], missing) ? left++ : right++;
      moves_[k] = std::uint32_t(place);
      spare_rows_[place] = rows_[k];
      spare_items_[place] = items_[k];
    }
    std::copy(spare_rows_.begin() + begin, spare_rows_.begin() + end, rows_.begin() + begin);
    std::copy(spare_items_.begin() + begin, spare_items_.begin() + end, items_.begin() + begin);
    if (!kept() || !deeper) return;
    parallel_if((end - begin) * index_t(kept_.size()) > 20'000, index_t(kept_.size()), [&](index_t j, int) {
      thread_local std::vector<std::uint64_t> spare;
      if (index_t(spare.size()) < end - begin) spare.resize(end - begin);
      move_apart(kept_[j].data() + begin, spare.data(), end - begin, std::uint32_t(middle));
    });
  }

 private:
  void move_apart(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t middle) const {
    index_t left = 0, right = 0;
    for (index_t k = 0; k < count; ++k) {
      const std::uint32_t place = moves_[place_of(keys[k])];
      const std::uint64_t moved = keyed(rank_of(keys[k]), place);
      keys[left] = moved;
      spare[right] = moved;
      left += place < middle;
      right += place >= middle;
    }
    std::copy_n(spare, right, keys + left);
  }

  const RankedColumns& columns_;
  std::vector<std::uint32_t> rows_, spare_rows_;
  std::vector<Item> items_, spare_items_;
  std::vector<std::uint32_t> moves_;
  std::vector<std::vector<std::uint64_t>> kept_;
};

template <class Finder>
class Grower {
 public:
  using Sums = typename Finder::Sums;

  // `alone` is what a row of weight one is worth on its own; it only goes into the sums of the nodes, as their last.
  Grower(const RankedColumns& columns, const Finder& finder, View<const double> alone, const GrowthRules& rules,
         std::vector<std::uint32_t> rows)
      : columns_(columns), alone_(alone), rules_(rules),
        candidates_(rules.candidates > 0 ? std::min(rules.candidates, columns.count()) : columns.count()),
        rows_(columns, finder, std::move(rows), !rules.random_thresholds && 2 * candidates_ >= columns.count()) {
    finders_.assign(std::size_t(threads_for(columns.count())), finder);
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
    tree_.threshold[node] = split.threshold;
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

  // Every column is looked at alone and the best of them taken in order, so that threads do not matter.
  Split best_split(const Open& open) {
    const bool all = candidates_ == columns_.count() && !rules_.random_thresholds;
    return all ? best_of_all(open) : best_of_some(open);
  }

  double noise(const Open& open) const {
    return 1e-13 * (std::abs(open.alone) + std::abs(finders_[0].worth(open.sums)));
  }

  Split best_of_some(const Open& open) {
    Draws64 draws(rules_.seed, std::uint64_t(open.node));
    std::vector<index_t> left(columns_.count());
    std::iota(left.begin(), left.end(), index_t(0));
    Split best;
    index_t tried = 0;
    for (index_t remaining = columns_.count(); remaining > 0 && (tried < candidates_ || !best.found()); --remaining) {
      std::swap(left[draws.below(remaining)], left[remaining - 1]);
      const double uniform = draws.uniform();
      if (!varies(left[remaining - 1], open)) continue;
      ++tried;
      Split found = best_of_column(finders_[0], left[remaining - 1], open, uniform);
      if (best.less_than(found.worth, noise(open))) best = std::move(found);
    }
    return best;
  }

  Split best_of_all(const Open& open) {
    const index_t columns = columns_.count();
    std::vector<Split> found(columns);
    parallel_if((open.end - open.begin) * columns > 20'000, columns, [&](index_t j, int slot) {
      found[j] = best_of_column(finders_[slot], j, open, 0);
    });
    Split best;
    for (Split& candidate : found)
      if (best.less_than(candidate.worth, noise(open))) best = std::move(candidate);
    return best;
  }

  Split best_of_column(Finder& finder, index_t feature, const Open& open, double uniform) const {
    const index_t count = open.end - open.begin;
    finder.start(open.sums, count, open.bounds, noise(open), rows_.items());
    const std::uint64_t* keys = keys_of(feature, open);
    const View<const double> levels = columns_.levels[feature];
    if (columns_.categorical[feature])
      finder.categories(feature, keys, count, levels.size);
    else if (rules_.random_thresholds)
      finder.random_number(feature, keys, count, levels, uniform);
    else if (rank_of(keys[0]) != rank_of(keys[count - 1]))
      finder.numbers(feature, keys, count, levels);
    return std::move(finder.offers.best);
  }

  const std::uint64_t* keys_of(index_t feature, const Open& open) const {
    if (rows_.kept()) return rows_.keys(feature, open.begin);
    thread_local std::vector<std::uint64_t> memory;
    const index_t count = open.end - open.begin;
    if (index_t(memory.size()) < 2 * count) memory.resize(2 * count);
    const bool in_order = !rules_.random_thresholds && !columns_.categorical[feature];
    rows_.make(feature, open.begin, open.end, memory.data(), in_order ? memory.data() + count : nullptr);
    return memory.data();
  }

  bool varies(index_t feature, const Open& open) const {
    const std::uint32_t first = rows_.rank(feature, open.begin);
    for (index_t k = open.begin + 1; k < open.end; ++k)
      if (rows_.rank(feature, k) != first) return true;
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
  index_t candidates_;
  NodeRows<typename Finder::Item> rows_;
  std::vector<Finder> finders_;  // one a thread
  std::vector<CategorySet> sets_;
  Tree tree_;
};

}  // namespace learnable
