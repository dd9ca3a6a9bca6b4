// Search of the best split of a node over columns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "learnable/threads/parallel.hpp"
#include "learnable/trees/column_splits.hpp"
#include "learnable/trees/node_interface.hpp"
#include "learnable/trees/node_rows.hpp"
#include "learnable/trees/random.hpp"

namespace learnable {

// Draws one of the splits of largest gain.
inline Split one_of_the_best(std::vector<Split>& found, const GrowthRules& rules, index_t node) {
  std::erase_if(found, [](const Split& split) { return !split.found(); });
  if (found.empty()) return {};
  std::vector<std::uint32_t> order(found.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<double> key;
  for (const Split& split : found) key.push_back(-split.gain);
  sort_by_key(order, key);
  Draws64 draws(rules.seed, std::uint64_t(node));
  return std::move(found[order[draws.below(std::min(rules.top, index_t(found.size())))]]);
}

// Finds splits of the nodes of one tree.
template <class Finder>
class NodeSearch final : public NodeInterface {
 public:
  using Sums = typename Finder::Sums;
  using Rows = NodeRows<typename Finder::Item>;

  // `alone` is the gain of a row of weight one on its own, a single value if it is the same for all; it only goes into
  // the sums of the nodes, as their last. Rows without weight are ignored.
  NodeSearch(const RankedColumns& columns, const Finder& finder, View<const double> alone, const GrowthRules& rules,
             View<const double> weight, std::shared_ptr<NodeRowIndex::Store>& room)
      : NodeInterface(columns, rules), alone_(alone), rows_(columns, finder, weight, keeps_orders(), room),
        copies_(!rows_.kept() && rules.max_leaves == 0 && columns.count() <= 64 * candidates_),
        subtracts_(Finder::adds_bins && columns.binned && rules.max_leaves == 0 && searches_all()) {
    add_finders(finder);
    first_bin_.push_back(0);
    for (index_t j = 0; j < columns.count(); ++j) first_bin_.push_back(first_bin_.back() + columns.bins(j));
  }

  index_t rows() const override { return rows_.count(); }

  void sum(OpenNode& open) override {
    const auto* items = rows_.items();
    open.sums = finder().sum(items + open.begin, open.rows());
    if (alone_.size == 1)
      open.alone = alone_[0] * open.sums.weight();
    else
      for (index_t k = open.begin; k < open.end; ++k) open.alone += weight_of(items[k]) * alone_[rows_.row(k)];
  }

  double gain(const NodeSums& sums) const override { return finder().gain(sums.as<Sums>()); }

  bool varies(const OpenNode& open) const override {
    const auto* items = rows_.items();
    for (index_t k = open.begin + 1; k < open.end; ++k)
      if (!finder().same(items[k], items[open.begin])) return true;
    return false;
  }

  void cache_rows(const OpenNode& open) override {
    if (copies_) rows_.cache_rows(open.begin, open.end);
  }

  // Every column is searched independently and the best is selected in order, so that results do not depend on threads.
  Split best(const OpenNode& open) override { return searches_all() ? best_of_all(open) : best_of_some(open); }

  void partition(const OpenNode& open, const Split& split, bool deeper, InterleavedColumn seen) override {
    rows_.partition(split, open.begin, open.end, deeper, seen);
  }

  void add_bins(OpenNode& open) const override {
    if (keeps_bins(open)) open.bins = sums_of(open);
  }

  void subtract_bins(OpenNode& open, OpenNode& left, OpenNode& right) const override {
    OpenNode &small = left.rows() <= right.rows() ? left : right, &large = &small == &left ? right : left;
    if (open.bins.empty() || !keeps_bins(large)) return;
    std::vector<double> bins = sums_of(small);
#pragma omp simd
    for (std::size_t k = 0; k < bins.size(); ++k) open.bins[k] -= bins[k];
    large.bins = std::move(open.bins);
    if (keeps_bins(small)) small.bins = std::move(bins);
  }

  std::unique_ptr<NodeInterface> for_a_branch() const override {
    return std::unique_ptr<NodeInterface>(new NodeSearch(*this));
  }

 private:
  static constexpr index_t min_rows_for_four = 4;  // rows: a smaller node is often decided by its first column

  NodeSearch(const NodeSearch& whole)
      : NodeInterface(whole), alone_(whole.alone_), rows_(whole.rows_), copies_(whole.copies_),
        subtracts_(whole.subtracts_), first_bin_(whole.first_bin_) {
    add_finders(whole.finder());
  }

  // One for each thread. Not inlined: constructing a finder is much code, and both constructors do it.
  [[gnu::noinline]] void add_finders(const Finder& first) {
    for (int slot = threads_for(columns_.count()); slot > 0; --slot) finders_.push_back(std::make_unique<Finder>(first));
  }
  Finder& finder() const { return *finders_[0]; }

  bool keeps_bins(const OpenNode& open) const {
    return subtracts_ && open.depth < rules_.max_depth && open.rows() * columns_.count() >= 2 * first_bin_.back();
  }

  std::vector<double> sums_of(const OpenNode& open) const {
    std::vector<double> sums;
    if constexpr (Finder::adds_bins) {
      const auto& bins = finder().bins;
      sums.assign(std::size_t(first_bin_.back() * bins.stride()), 0.0);
      const auto columns = index_t(order_.size());
      parallel_if(open.rows() * columns > 20'000, columns, [&](index_t j, int) {
        if (columns_.categorical[order_[j]]) return;
        double* here = sums.data() + first_bin_[order_[j]] * bins.stride();
        rows_.with_ranks(order_[j], open.begin, open.end, [&](const auto& rank, View<const std::uint32_t> listed) {
          bins.add(rows_.items() + open.begin, listed, rank, here);
        });
      });
    }
    return sums;
  }

  double noise(const OpenNode& open) const {
    return 1e-13 * (std::abs(open.alone) + std::abs(finder().gain(open.sums.as<Sums>())));
  }

  Split best_of_some(const OpenNode& open) {
    Draws64 draws(rules_.seed, std::uint64_t(open.node));
    Finder& finder = this->finder();
    finder.start(open.sums.as<Sums>(), open.rows(), open.bounds, noise(open), rows_.items());
    read_.fill(-1);
    const double max_gain = finder.max_gain(open.sums.as<Sums>(), open.alone);
    const auto goes_on = [&](index_t tried) {
      return !finder.selector.best.found() || (tried < candidates_ && !finder.selector.settled(max_gain));
    };
    index_t tried = 0;
    for (auto left = index_t(order_.size()); left > 0 && goes_on(tried); --left) {
      if constexpr (Finder::adds_fours) {
        if (rules_.random_thresholds && open.rows() >= min_rows_for_four && std::min(left, candidates_ - tried) >= 4) {
          std::array<index_t, 4> features;
          std::array<double, 4> uniform;
          for (int c = 0; c < 4; ++c) {
            features[c] = drawn(draws, left - c);
            uniform[c] = draws.uniform();
          }
          tried += search_four(finder, features, uniform, open);
          left -= 3;
          continue;
        }
      }
      const index_t feature = drawn(draws, left);
      tried += search_column(finder, feature, open, draws.uniform());
    }
    put_back();
    return std::move(finder.selector.best);
  }

  // Columns are searched one after the other, until no other can be better.
  Split best_in_turn(const OpenNode& open) {
    Finder& finder = this->finder();
    finder.start(open.sums.as<Sums>(), open.rows(), open.bounds, noise(open), rows_.items());
    const double max_gain = finder.max_gain(open.sums.as<Sums>(), open.alone);
    for (const index_t feature : order_) {
      search_column(finder, feature, open, 0);
      if (finder.selector.settled(max_gain)) break;
    }
    return std::move(finder.selector.best);
  }

  Split best_of_all(const OpenNode& open) {
    const auto columns = index_t(order_.size());
    if (rules_.top == 1 && open.rows() * columns <= 20'000) return best_in_turn(open);
    const double noise = this->noise(open);
    std::vector<Split> found(columns);
    parallel_for(columns, [&](index_t j, int slot) {
      Finder& finder = *finders_[slot];
      finder.start(open.sums.as<Sums>(), open.rows(), open.bounds, noise, rows_.items());
      if (search_column(finder, order_[j], open, 0)) found[j] = std::move(finder.selector.best);
    });
    if (rules_.top > 1) return one_of_the_best(found, rules_, open.node);
    Split best;
    for (Split& candidate : found)
      if (best.less_than(candidate.gain, noise)) best = std::move(candidate);
    return best;
  }

  // Searches the splits by a column; false if it is constant.
  bool search_column(Finder& finder, index_t feature, const OpenNode& open, double uniform) const {
    const index_t begin = open.begin, end = open.end, count = open.rows();
    if (rules_.random_thresholds && !columns_.categorical[feature]) {
      double* values = scratch<double>(count);
      rows_.read(feature, begin, end, values);
      const RandomCut cut(values, count, uniform);
      if (cut.found) finder.random_number(feature, cut, values, begin, count);
      return cut.varies;
    }
    if constexpr (Finder::adds_bins) {
      if (columns_.binned && !columns_.categorical[feature]) return search_bins(finder, feature, open);
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
    if (range.low != range.high) search_ranks(finder, feature, open, ranks, range);
    return range.low != range.high;
  }

  // Evaluates random splits by four columns, whose cells are read together; returns how many are not constant.
  index_t search_four(Finder& finder, const std::array<index_t, 4>& features, const std::array<double, 4>& uniform,
                       const OpenNode& open)
    requires Finder::adds_fours
  {
    const auto no_missing = [&](index_t feature) { return columns_.no_missing[feature] != 0; };
    if (std::all_of(features.begin(), features.end(), no_missing))
      return columns_.cells.f32 ? search_four_values<float>(finder, features, uniform, open)
                                   : search_four_values<double>(finder, features, uniform, open);
    index_t varying = 0;
    for (int c = 0; c < 4; ++c) varying += search_column(finder, features[c], open, uniform[c]);
    return varying;
  }

  template <class T>
  index_t search_four_values(Finder& finder, const std::array<index_t, 4>& features, const std::array<double, 4>& uniform,
                          const OpenNode& open) {
    FourOf<T>* values = scratch<FourOf<T>>(open.rows());
    const FourRange<T> range = rows_.template read_four<T>(features, open.begin, open.end, values);
    read_ = features;
    for (int c = 0; c < 4; ++c) seen_[c] = {values, c};
    return finder.random_four(features, uniform, range, values, open.begin, open.rows());
  }

  bool search_bins(Finder& finder, index_t feature, const OpenNode& open) const
    requires Finder::adds_bins
  {
    const index_t bins = columns_.bins(feature);
    if (!open.bins.empty()) {
      const double* sums = open.bins.data() + first_bin_[feature] * finder.bins.stride();
      finder.bins.find_present(sums, bins);
      return finder.binned_numbers(feature, sums, bins);
    }
    bool varies = false;
    rows_.with_ranks(feature, open.begin, open.end, [&](const auto& rank, View<const std::uint32_t> listed) {
      const double* sums = finder.bins.sums(rows_.items() + open.begin, listed, rank, bins);
      varies = finder.binned_numbers(feature, sums, bins);
      finder.bins.forget(bins);
    });
    return varies;
  }

  void search_ranks(Finder& finder, index_t feature, const OpenNode& open, const std::uint32_t* ranks,
                     RankRange range) const {
    const index_t count = open.rows();
    const View<const double> levels = columns_.levels[feature];
    std::uint64_t* keys = scratch<std::uint64_t>(2 * count);
    if constexpr (Finder::has_squares) {
      const bool plain = !columns_.categorical[feature] && range.high < levels.size && !finder.selector.directed();
      if (plain && count >= RankBuckets::min_rows && finder.convex())
        return finder.many_numbers(feature, ranks, open.begin, count, range, keys, keys + count);
    }
    Rows::key(ranks, open.begin, open.end, keys);
    if (columns_.categorical[feature]) return finder.categories(feature, keys, count, levels.size);
    finder.numbers(feature, detail::sort_keys(keys, keys + count, count, range.low, range.high), count, levels);
  }

  View<const double> alone_;
  Rows rows_;
  bool copies_;                                   // whether cells of small nodes are copied: not if many more would be than
                                                  // are searched
  bool subtracts_;                                // whether nodes keep histograms for their sides
  std::vector<std::unique_ptr<Finder>> finders_;  // one per thread
  std::vector<index_t> first_bin_;                // of each column among all
};

}  // namespace learnable
