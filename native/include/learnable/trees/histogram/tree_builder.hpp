// Histogram trees: each node is split where the second-order loss decreases most.
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

class HistogramTreeBuilder {
 public:
  HistogramTreeBuilder(HistogramInterface& work, HistogramRules rules)
      : work_(work), table_(work.shape()), rules_(std::move(rules)), columns_(rules_, index_t(table_.features().size())),
        order_(table_.rows()) {
    feature_slot_.push_back(0);
    for (const BinnedFeature& feature : table_.features()) {
      feature_slot_.push_back(feature_slot_.back() + feature.bins());
      shared_ |= feature.fallback >= 0;
    }
  }

  HistogramTreeBuilder(const HistogramTreeBuilder&) = delete;  // its columns point to its rules

  // A tree for the gradients of some rows (all if none are listed). `weight` is the number of rows that each counts
  // for, one if it is empty; if `counted`, the Hessian is that number.
  const BinTree& grow(const GradHessView& grad_hess, View<const std::uint32_t> rows, View<const double> weight,
                      bool counted,
                      std::uint64_t seed) {
    work_.start(grad_hess);
    weight_ = weight;
    counted_ = counted;
    tree_ = BinTree{};
    order_.start(rows);
    columns_.start(seed);
    grow_nodes();
    if (rules_.prune_gain > 0) tree_.prune(rules_.prune_gain);
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

  // The same for other rows, which descend the tree; all if none are listed.
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
    GradHess64 sums;
    GradHess64* bins = nullptr;  // null for a node of few rows
    ColumnSampling::Groups groups;
    HistogramSplit split;
    double improvement = 0;
  };

  View<const std::uint32_t> rows_of(index_t begin, index_t end) const { return {order_.data() + begin, end - begin}; }
  View<const std::uint32_t> rows_of(index_t node) const { return rows_of(tree_.begin[node], tree_.end[node]); }

  void grow_nodes() {
    std::deque<Open> open;
    open.push_back(root());
    std::vector<Open*> first{&open.front()};
    find_splits(first);
    if (!open.front().split.found()) return;
    for (index_t leaves = 1; !open.empty() && (rules_.max_leaves == 0 || leaves < rules_.max_leaves); ++leaves) {
      poll_interrupt();
      const auto chosen = rules_.by_level ? open.begin() : std::max_element(open.begin(), open.end(), improves_less);
      Open node = std::move(*chosen);
      open.erase(chosen);
      split_node(node, rules_.max_leaves > 0 && leaves + 1 >= rules_.max_leaves, open);
    }
  }

  static bool improves_less(const Open& a, const Open& b) { return a.improvement != b.improvement
                                                           ? a.improvement < b.improvement : a.node > b.node; }

  Open root() {
    const GradHessTotals total = work_.totals(rows_of(0, order_.count()), weight_);
    hessian_of_row_ = total.largest * 1.0001;
    const double part = work_.is_f32() ? 1e-10 : 1e-12;
    min_hessian_ = rules_.min_hessian - part * total.sums[1];
    noise_ = total.sums[1] + rules_.l2 > 0 ? part * total.size * total.size / (total.sums[1] + rules_.l2) : 0.0;
    const index_t node = tree_.open(0, order_.count(), {});
    Open open{node, 0, total.sums, nullptr, columns_.every_group(), {}, 0};
    if (can_split(open) && !is_few(node)) open.bins = make_histogram(node);
    return open;
  }

  bool can_split(const Open& open) const {
    const index_t rows = tree_.rows(open.node);
    if (rows < 2 || (rules_.max_depth > 0 && open.depth >= rules_.max_depth)) return false;
    if (!weight_ && double(rows) < 2 * rules_.min_samples_leaf) return false;
    return open.sums[1] >= 2 * min_hessian_;
  }

  // Whether a node has so few rows that scanning them is faster than scanning all bins.
  bool is_few(index_t node) const {
    return !shared_ && 2 * tree_.rows(node) * table_.columns() < feature_slot_.back();
  }

  GradHess64* borrow_histogram() {
    if (free_.empty()) free_.emplace_back(feature_slot_.back());
    used_.push_back(std::move(free_.back()));
    free_.pop_back();
    return used_.back().data();
  }

  void return_histogram(GradHess64* bins) {
    const auto found = std::find_if(used_.begin(), used_.end(), [&](const auto& here) { return here.data() == bins; });
    if (found == used_.end()) return;
    free_.push_back(std::move(*found));
    used_.erase(found);
  }

  GradHess64* make_histogram(index_t node) {
    const index_t begin = tree_.begin[node], end = tree_.end[node];
    const bool listed = !order_.in_order(begin, end) || tree_.size() > 1;
    const detail::RowRange rows{listed ? order_.data() + begin : nullptr, 0, end - begin};
    GradHess64* bins = borrow_histogram();
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

  // The bins of a feature from those of the stored column of its bundle.
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

  // Finds the best split of each node, in parallel over all columns of all nodes.
  void find_splits(const std::vector<Open*>& nodes) {
    struct Task {
      Open* open;
      index_t column;
    };
    std::vector<Task> tasks;
    for (Open* open : nodes)
      if (open->bins || (is_few(open->node) && can_split(*open)))
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

  SplitContext context_of(const Open& open) const {
    return {rules_, open.sums, tree_.bounds[open.node], noise_, min_hessian_, hessian_of_row_, counted_};
  }

  HistogramSplit search(SplitSearch& search, const Open& open, index_t column, const double* rows) const {
    const SplitContext context = context_of(open);
    const BinnedFeature& feature = table_.features()[column];
    if (!open.bins) {
      const auto [sums, met] = search.room_for_few(feature);
      work_.add_few(feature.column, rows_of(open.node), sums, met);
      return search.best_of_few(context, feature, column, rows);
    }
    return search.best(context, feature, column, open.bins + feature_slot_[column], rows);
  }

  // Selects the best of all; where it is not sure that both its sides have enough rows, they are counted.
  void choose(Open& open, View<HistogramSplit> found) {
    for (;;) {
      HistogramSplit* best = nullptr;
      for (HistogramSplit& split : found)
        if (split.found() && (!best || split.gain > best->gain + noise_)) best = &split;
      if (!best) return;
      if (best->sure) {
        open.improvement = (best->gain - rules_.gain(open.sums, tree_.bounds[open.node])) / 2;
        if (open.improvement > rules_.min_gain + noise_) open.split = std::move(*best);
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

  void split_node(Open& open, bool last, std::deque<Open>& queue) {
    const index_t node = open.node;
    HistogramSplit& split = open.split;
    const BinnedFeature& feature = table_.features()[split.feature];
    tree_.feature[node] = std::int32_t(split.feature);
    tree_.bin[node] = split.bin;
    tree_.gain[node] = open.improvement;
    tree_.missing_left[node] = split.missing_left;
    tree_.categories[node] = std::move(split.categories);
    const index_t begin = tree_.begin[node], end = tree_.end[node];
    const index_t middle = work_.partition(order_, begin, end, feature.column, goes_left(node).data());
    const GradHess64 right_sums = open.sums - split.left;
    const auto [left_bounds, right_bounds] = bounds_of_sides(open, right_sums);
    const ColumnSampling::Groups groups = columns_.groups_after(std::move(open.groups), split.feature);
    Open left{tree_.open(begin, middle, left_bounds), open.depth + 1, split.left, nullptr, groups, {}, 0};
    Open right{tree_.open(middle, end, right_bounds), open.depth + 1, right_sums, nullptr, groups, {}, 0};
    tree_.left[node] = std::int32_t(left.node);
    tree_.right[node] = std::int32_t(right.node);
    if (last) return;
    make_side_histograms(open, left, right);
    find_splits({&left, &right});
    for (Open* side : {&left, &right})
      if (side->split.found())
        queue.push_back(std::move(*side));
      else if (side->bins)
        return_histogram(side->bins);
  }

  // Histograms of the sides: those of the smaller are summed, those of the larger follow by subtraction.
  void make_side_histograms(Open& open, Open& left, Open& right) {
    const bool deeper_left = can_split(left) && !is_few(left.node), deeper_right = can_split(right) &&
        !is_few(right.node);
    if (!deeper_left && !deeper_right) return return_histogram(open.bins);
    const bool left_smaller = tree_.rows(left.node) <= tree_.rows(right.node);
    Open &small = left_smaller ? left : right, &large = left_smaller ? right : left;
    GradHess64* bins = make_histogram(small.node);
    if (left_smaller ? deeper_right : deeper_left) {
      subtract_histogram(bins, open.bins);
      large.bins = open.bins;
    } else {
      return_histogram(open.bins);
    }
    if (left_smaller ? deeper_left : deeper_right)
      small.bins = bins;
    else
      return_histogram(bins);
  }

  void subtract_histogram(const GradHess64* small, GradHess64* whole) const {
    const double* from = reinterpret_cast<const double*>(small);
    double* to = reinterpret_cast<double*>(whole);
#pragma omp simd
    for (index_t k = 0; k < 2 * feature_slot_.back(); ++k) to[k] -= from[k];
  }

  std::pair<Bounds, Bounds> bounds_of_sides(const Open& open, GradHess64 right_sums) const {
    Bounds left = tree_.bounds[open.node], right = left;
    const int direction = rules_.direction.empty() ? 0 : rules_.direction[open.split.feature];
    if (direction == 0) return {left, right};
    const double middle = rules_.value(open.split.left, left) / 2 + rules_.value(right_sums, right) / 2;
    (direction > 0 ? left.high : left.low) = middle;
    (direction > 0 ? right.low : right.high) = middle;
    return {left, right};
  }

  // Calls f(leaf, begin, end, part) for parts of the rows of all leaves, in parallel; returns the number of parts.
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

  // Recomputes the sums of the leaves in double precision, those of inner nodes, and the values of all.
  void settle_values() {
    struct Sums {
      index_t leaf = 0;
      GradHess64 sums{};
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
    for (index_t node = 0; node < tree_.size(); ++node)  // without missing values, new ones go with most of the weight
      if (!tree_.is_leaf(node) && !table_.features()[tree_.feature[node]].has_missing)
        tree_.missing_left[node] = tree_.weight[tree_.left[node]] > tree_.weight[tree_.right[node]];
  }

  HistogramInterface& work_;
  const TableShape& table_;
  HistogramRules rules_;
  ColumnSampling columns_;
  RowOrder order_;
  std::vector<index_t> feature_slot_;
  bool shared_ = false;

  View<const double> weight_;
  bool counted_ = false;
  double noise_ = 0, min_hessian_ = 0, hessian_of_row_ = 0;
  BinTree tree_;
  std::vector<std::vector<GradHess64>> free_, used_;
  std::vector<GradHess64> stored_;
  std::vector<SplitSearch> searches_;
};

}  // namespace learnable
