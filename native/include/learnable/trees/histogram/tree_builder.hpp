// Trees from histograms: each node is divided where the second-order loss falls most.
#pragma once

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "learnable/threads/interrupt.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/histogram/column_sampling.hpp"
#include "learnable/trees/histogram/growing_tree.hpp"
#include "learnable/trees/histogram/node_interface.hpp"
#include "learnable/trees/histogram/node_rows.hpp"
#include "learnable/trees/histogram/splits.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

class HistogramGrower {
 public:
  HistogramGrower(SlopeWork& work, HistogramRules rules)
      : work_(work), table_(work.shape()), rules_(std::move(rules)), columns_(rules_, index_t(table_.features().size())),
        order_(table_.rows()) {
    feature_slot_.push_back(0);
    for (const BinnedFeature& feature : table_.features()) {
      feature_slot_.push_back(feature_slot_.back() + feature.bins());
      shared_ |= feature.fallback >= 0;
    }
  }

  HistogramGrower(const HistogramGrower&) = delete;  // its columns know where its rules are

  // A tree of the slopes of some rows (all if none are listed). `weight` says as how many rows each counts, one if it
  // is empty; if `counted`, the curvature is that number.
  const BinTree& grow(const Slopes& slopes, View<const std::uint32_t> rows, View<const double> weight, bool counted,
                      std::uint64_t seed) {
    work_.start(slopes);
    weight_ = weight;
    counted_ = counted;
    tree_ = BinTree{};
    order_.start(rows);
    columns_.start(seed);
    grow_nodes();
    if (rules_.prune_gain > 0) tree_.take_back(rules_.prune_gain);
    settle_values();
    free_.insert(free_.end(), std::make_move_iterator(used_.begin()), std::make_move_iterator(used_.end()));
    used_.clear();
    return tree_;
  }

  const BinTree& tree() const { return tree_; }
  const RowOrder& order() const { return order_; }

  // score[row] += value[leaf of the row], for the rows that the tree grew from.
  void add(View<const double> value, double* score) const {
    each_part([&](index_t leaf, index_t begin, index_t end, index_t) {
      const double here = value[leaf];
      for (index_t k = begin; k < end; ++k) score[order_[k]] += here;
    });
  }

  // The same for other rows, which are sent through the tree; all if none are listed.
  void add_elsewhere(View<const double> value, View<const std::uint32_t> rows, double* score) const {
    std::vector<std::vector<std::uint8_t>> left_of(tree_.size());
    for (index_t node = 0; node < tree_.size(); ++node)
      if (!tree_.is_leaf(node)) left_of[node] = goes_left(node);
    const Blocks blocks(rows ? rows.size : table_.rows(), 4096);
    parallel_for(blocks.count, [&](index_t block, int) {
      const index_t begin = blocks.begin(block), count = blocks.end(block) - begin;
      work_.add_values(tree_, left_of, value, detail::RowRange{rows.data, 0, blocks.total}.part(begin, count), score);
    });
  }

 private:
  struct Open {
    index_t node, depth;
    WideSlope sums;
    WideSlope* bins = nullptr;  // none for a node of few rows
    ColumnChoice::Groups groups;
    HistogramSplit split;
    double gain = 0;
  };

  View<const std::uint32_t> rows_of(index_t begin, index_t end) const { return {order_.data() + begin, end - begin}; }
  View<const std::uint32_t> rows_of(index_t node) const { return rows_of(tree_.begin[node], tree_.end[node]); }

  void grow_nodes() {
    std::deque<Open> open;
    open.push_back(root());
    std::vector<Open*> asked{&open.front()};
    ask(asked);
    if (!open.front().split.found()) return;
    for (index_t leaves = 1; !open.empty() && (rules_.most_leaves == 0 || leaves < rules_.most_leaves); ++leaves) {
      look_up();
      const auto chosen = rules_.by_level ? open.begin() : std::max_element(open.begin(), open.end(), gains_less);
      Open node = std::move(*chosen);
      open.erase(chosen);
      divide(node, rules_.most_leaves > 0 && leaves + 1 >= rules_.most_leaves, open);
    }
  }

  static bool gains_less(const Open& a, const Open& b) { return a.gain != b.gain ? a.gain < b.gain : a.node > b.node; }

  Open root() {
    const SlopeTotals total = work_.totals(rows_of(0, order_.count()), weight_);
    curvature_of_row_ = total.largest * 1.0001;
    const double part = work_.narrow() ? 1e-10 : 1e-12;
    least_curvature_ = rules_.least_curvature - part * total.sums[1];
    noise_ = total.sums[1] + rules_.l2 > 0 ? part * total.size * total.size / (total.sums[1] + rules_.l2) : 0.0;
    const index_t node = tree_.open(0, order_.count(), {});
    Open open{node, 0, total.sums, nullptr, columns_.every_group(), {}, 0};
    if (divisible(open) && !is_few(node)) open.bins = made(node);
    return open;
  }

  bool divisible(const Open& open) const {
    const index_t rows = tree_.rows(open.node);
    if (rows < 2 || (rules_.most_depth > 0 && open.depth >= rules_.most_depth)) return false;
    if (!weight_ && double(rows) < 2 * rules_.least_rows) return false;
    return open.sums[1] >= 2 * least_curvature_;
  }

  // Whether so few rows are at a node that it is quicker to look at them than at all bins.
  bool is_few(index_t node) const {
    return !shared_ && 2 * tree_.rows(node) * table_.columns() < feature_slot_.back();
  }

  WideSlope* borrowed() {
    if (free_.empty()) free_.emplace_back(feature_slot_.back());
    used_.push_back(std::move(free_.back()));
    free_.pop_back();
    return used_.back().data();
  }

  void give_back(WideSlope* bins) {
    const auto place = std::find_if(used_.begin(), used_.end(), [&](const auto& here) { return here.data() == bins; });
    if (place == used_.end()) return;
    free_.push_back(std::move(*place));
    used_.erase(place);
  }

  WideSlope* made(index_t node) {
    const index_t begin = tree_.begin[node], end = tree_.end[node];
    const bool listed = !order_.in_order(begin, end) || tree_.size() > 1;
    const detail::RowRange rows{listed ? order_.data() + begin : nullptr, 0, end - begin};
    WideSlope* bins = borrowed();
    if (!shared_) {
      work_.make(rows, bins);
    } else {
      stored_.resize(table_.slots());
      work_.make(rows, stored_.data());
      for (std::size_t f = 0; f < table_.features().size(); ++f)
        spread(index_t(f), stored_.data() + table_.slot(table_.features()[f].column), bins + feature_slot_[f]);
    }
    return bins;
  }

  // The bins of a feature from those of the stored column that it shares.
  template <class Number>
  void spread(index_t number, const Number* stored, Number* bins) const {
    const BinnedFeature& feature = table_.features()[number];
    Number rest{};
    if (feature.fallback >= 0)
      for (index_t k = 0; k < table_.bins(feature.column); ++k) rest += stored[k];
    for (index_t k = 0; k < feature.bins(); ++k) {
      if (k == feature.fallback) continue;
      bins[k] = stored[feature.stored(k)];
      rest -= bins[k];
    }
    if (feature.fallback >= 0) bins[feature.fallback] = rest;
  }

  // The best division of each node, all columns of all nodes side by side.
  void ask(const std::vector<Open*>& nodes) {
    struct Task {
      Open* open;
      index_t column;
    };
    std::vector<Task> tasks;
    for (Open* open : nodes)
      if (open->bins || (is_few(open->node) && divisible(*open)))
        for (const index_t column : columns_.at(open->depth, open->node, open->groups)) tasks.push_back({open, column});
    std::vector<HistogramSplit> found(tasks.size());
    const Blocks blocks(index_t(tasks.size()), 4);
    searches_.resize(std::max(searches_.size(), std::size_t(threads_for(blocks.count))));
    const bool many = std::any_of(nodes.begin(), nodes.end(), [](const Open* open) { return open->bins != nullptr; });
    const index_t bins = index_t(tasks.size()) * feature_slot_.back() / index_t(table_.features().size());
    parallel_if(many && bins > 32'768, blocks.count, [&](index_t block, int slot) {
      for (index_t k = blocks.begin(block); k < blocks.end(block); ++k)
        found[k] = search(searches_[slot], *tasks[k].open, tasks[k].column, nullptr);
    });
    for (std::size_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
      while (end < tasks.size() && tasks[end].open == tasks[begin].open) ++end;
      choose(*tasks[begin].open, {found.data() + begin, index_t(end - begin)});
    }
  }

  SplitQuestion question(const Open& open) const {
    return {rules_, open.sums, tree_.bounds[open.node], noise_, least_curvature_, curvature_of_row_, counted_};
  }

  HistogramSplit search(SplitSearch& search, const Open& open, index_t column, const double* rows) const {
    const SplitQuestion asked = question(open);
    const BinnedFeature& feature = table_.features()[column];
    if (!open.bins) {
      const auto [sums, met] = search.room_for_few(feature);
      work_.add_few(feature.column, rows_of(open.node), sums, met);
      return search.best_of_few(asked, feature, column, rows);
    }
    return search.best(asked, feature, column, open.bins + feature_slot_[column], rows);
  }

  // The best of all; where it is not sure that the best leaves enough rows on both sides, they are counted.
  void choose(Open& open, View<HistogramSplit> found) {
    for (;;) {
      HistogramSplit* best = nullptr;
      for (HistogramSplit& split : found)
        if (split.found() && (!best || split.worth > best->worth + noise_)) best = &split;
      if (!best) return;
      if (best->sure) {
        open.gain = (best->worth - rules_.worth(open.sums, tree_.bounds[open.node])) / 2;
        if (open.gain > rules_.least_gain + noise_) open.split = std::move(*best);
        return;
      }
      const std::vector<double> rows = count_rows(open, best->feature);
      *best = search(searches_[0], open, best->feature, rows.data());
    }
  }

  std::vector<double> count_rows(const Open& open, index_t number) const {
    const BinnedFeature& feature = table_.features()[number];
    std::vector<double> stored(table_.bins(feature.column), 0.0), rows(feature.bins());
    work_.count(feature.column, rows_of(open.node), weight_, stored.data());
    spread(number, stored.data(), rows.data());
    return rows;
  }

  // Whether each bin of the stored column goes left at a node.
  std::vector<std::uint8_t> goes_left(index_t node) const {
    const BinnedFeature& feature = table_.features()[tree_.feature[node]];
    std::vector<std::uint8_t> of_bin(feature.bins(), 0);
    if (feature.categorical)
      for (const std::uint32_t code : tree_.categories[node]) of_bin[code] = 1;
    else
      std::fill_n(of_bin.begin(), std::min(tree_.bin[node] + 1, feature.values), 1);
    of_bin[feature.values] = tree_.missing_left[node];
    if (feature.fallback < 0) return of_bin;
    std::vector<std::uint8_t> of_stored(table_.bins(feature.column), of_bin[feature.fallback]);
    for (index_t k = 0; k < feature.bins(); ++k)
      if (k != feature.fallback) of_stored[feature.stored(k)] = of_bin[k];
    return of_stored;
  }

  void divide(Open& open, bool last, std::deque<Open>& queue) {
    const index_t node = open.node;
    HistogramSplit& split = open.split;
    const BinnedFeature& feature = table_.features()[split.feature];
    tree_.feature[node] = std::int32_t(split.feature);
    tree_.bin[node] = split.bin;
    tree_.gain[node] = open.gain;
    tree_.missing_left[node] = split.missing_left;
    tree_.categories[node] = std::move(split.categories);
    const index_t begin = tree_.begin[node], end = tree_.end[node];
    const index_t middle = work_.divide(order_, begin, end, feature.column, goes_left(node).data());
    const WideSlope right_sums = open.sums - split.left;
    const auto [left_bounds, right_bounds] = bounds_of_sides(open, right_sums);
    const ColumnChoice::Groups groups = columns_.groups_after(std::move(open.groups), split.feature);
    Open left{tree_.open(begin, middle, left_bounds), open.depth + 1, split.left, nullptr, groups, {}, 0};
    Open right{tree_.open(middle, end, right_bounds), open.depth + 1, right_sums, nullptr, groups, {}, 0};
    tree_.left[node] = std::int32_t(left.node);
    tree_.right[node] = std::int32_t(right.node);
    if (last) return;
    give_histograms(open, left, right);
    ask({&left, &right});
    for (Open* side : {&left, &right})
      if (side->split.found())
        queue.push_back(std::move(*side));
      else if (side->bins)
        give_back(side->bins);
  }

  // Sums over the smaller side; those of the larger are what is left.
  void give_histograms(Open& open, Open& left, Open& right) {
    const bool deeper_left = divisible(left) && !is_few(left.node), deeper_right = divisible(right) && !is_few(right.node);
    if (!deeper_left && !deeper_right) return give_back(open.bins);
    const bool left_smaller = tree_.rows(left.node) <= tree_.rows(right.node);
    Open &small = left_smaller ? left : right, &large = left_smaller ? right : left;
    WideSlope* bins = made(small.node);
    if (left_smaller ? deeper_right : deeper_left) {
      take_off(bins, open.bins);
      large.bins = open.bins;
    } else {
      give_back(open.bins);
    }
    if (left_smaller ? deeper_left : deeper_right)
      small.bins = bins;
    else
      give_back(bins);
  }

  void take_off(const WideSlope* small, WideSlope* whole) const {
    const double* from = reinterpret_cast<const double*>(small);
    double* to = reinterpret_cast<double*>(whole);
#pragma omp simd
    for (index_t k = 0; k < 2 * feature_slot_.back(); ++k) to[k] -= from[k];
  }

  std::pair<Bounds, Bounds> bounds_of_sides(const Open& open, WideSlope right_sums) const {
    Bounds left = tree_.bounds[open.node], right = left;
    const int direction = rules_.direction.empty() ? 0 : rules_.direction[open.split.feature];
    if (direction == 0) return {left, right};
    const double middle = rules_.value(open.split.left, left) / 2 + rules_.value(right_sums, right) / 2;
    (direction > 0 ? left.high : left.low) = middle;
    (direction > 0 ? right.low : right.high) = middle;
    return {left, right};
  }

  // Calls f(leaf, begin, end, part) for parts of the rows of all leaves, side by side; returns the number of parts.
  template <class F>
  index_t each_part(F&& f) const {
    struct Part {
      index_t leaf, begin, end;
    };
    std::vector<Part> parts;
    for (index_t node = 0; node < tree_.size(); ++node)
      if (tree_.is_leaf(node))
        for (index_t from = tree_.begin[node]; from < tree_.end[node]; from += 16'384)
          parts.push_back({node, from, std::min(from + 16'384, tree_.end[node])});
    parallel_if(order_.count() > 16'384, index_t(parts.size()),
                [&](index_t k, int) { f(parts[k].leaf, parts[k].begin, parts[k].end, k); });
    return index_t(parts.size());
  }

  // The sums of the leaves anew, in double precision, those of the nodes above, and the values of all.
  void settle_values() {
    struct Sums {
      index_t leaf = 0;
      WideSlope sums{};
      double weight = 0;
    };
    std::vector<Sums> parts(order_.count() / 16'384 + tree_.size() + 1);
    const index_t count = each_part([&](index_t leaf, index_t begin, index_t end, index_t part) {
      Sums here{leaf, work_.sum(rows_of(begin, end))};
      for (index_t k = begin; weight_ && k < end; ++k) here.weight += weight_[order_[k]];
      if (!weight_) here.weight = double(end - begin);
      parts[part] = here;
    });
    tree_.clear_sums();
    for (index_t part = 0; part < count; ++part) tree_.add_sums(parts[part].leaf, parts[part].sums, parts[part].weight);
    tree_.settle(rules_);
    for (index_t node = 0; node < tree_.size(); ++node)  // where none is missing, those to come follow most of the weight
      if (!tree_.is_leaf(node) && !table_.features()[tree_.feature[node]].has_missing)
        tree_.missing_left[node] = tree_.weight[tree_.left[node]] > tree_.weight[tree_.right[node]];
  }

  SlopeWork& work_;
  const TableShape& table_;
  HistogramRules rules_;
  ColumnChoice columns_;
  RowOrder order_;
  std::vector<index_t> feature_slot_;
  bool shared_ = false;

  View<const double> weight_;
  bool counted_ = false;
  double noise_ = 0, least_curvature_ = 0, curvature_of_row_ = 0;
  BinTree tree_;
  std::vector<std::vector<WideSlope>> free_, used_;
  std::vector<WideSlope> stored_;
  std::vector<SplitSearch> searches_;
};

}  // namespace learnable
