// The best split of a node: which columns are looked at, in which order, and how.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/tree_draws.hpp"
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

// A range of rows that is to become a node, or is one.
template <class Sums>
struct OpenNode {
  index_t begin, end, depth, parent = -1, node = -1;
  bool is_left = false;
  Sums sums;
  double alone = 0;
  Bounds bounds;
  std::vector<double> bins;  // the sums of all columns, if they are kept

  index_t rows() const { return end - begin; }
};

// Looks for splits of the nodes of one tree.
template <class Finder>
class NodeSearch {
 public:
  using Open = OpenNode<typename Finder::Sums>;
  using Rows = NodeRows<typename Finder::Item>;

  NodeSearch(const RankedColumns& columns, const Finder& finder, const GrowthRules& rules)
      : columns_(columns), rules_(rules), order_(drawn_columns(columns, rules)),
        candidates_(rules.candidates > 0 ? std::min(rules.candidates, index_t(order_.size())) : index_t(order_.size())),
        subtracts_(Finder::adds_bins && columns.binned && rules.most_leaves == 0 && looks_at_all()) {
    finders_.assign(std::size_t(threads_for(columns.count())), finder);
    first_bin_.push_back(0);
    for (index_t j = 0; j < columns.count(); ++j) first_bin_.push_back(first_bin_.back() + columns.bins(j));
  }

  Finder& finder() { return finders_[0]; }
  index_t candidates() const { return candidates_; }
  bool looks_at_all() const { return candidates_ == index_t(order_.size()) && !rules_.random_thresholds; }
  // Whether all orders should be kept through the divisions: it pays if most columns are looked at.
  bool wants_orders() const {
    return !rules_.random_thresholds && !columns_.binned && 2 * candidates_ >= columns_.count();
  }

  // Every column is looked at alone and the best of them taken in order, so that threads do not matter.
  Split best(const Open& open, const Rows& rows) {
    return looks_at_all() ? best_of_all(open, rows) : best_of_some(open, rows);
  }

  // The numbers of the rows of the last node in a column, if they still stand in memory.
  OneOfFour seen(index_t feature) const {
    const auto found = std::find(read_.begin(), read_.end(), feature) - read_.begin();
    return found < 4 ? seen_[found] : OneOfFour{};
  }

  // Adds up the bins of a node that has many more rows than bins.
  void add_bins(Open& open, const Rows& rows) {
    if (!keeps_bins(open)) return;
    open.bins = sums_of(open, rows);
  }

  // Gives the bins of a node to its sides: those of the smaller are added up, those of the larger are what is left.
  void share_bins(Open& open, Open& left, Open& right, const Rows& rows) {
    Open &small = left.rows() <= right.rows() ? left : right, &large = &small == &left ? right : left;
    if (open.bins.empty() || !keeps_bins(large)) return;
    std::vector<double> bins = sums_of(small, rows);
#pragma omp simd
    for (std::size_t k = 0; k < bins.size(); ++k) open.bins[k] -= bins[k];
    large.bins = std::move(open.bins);
    if (keeps_bins(small)) small.bins = std::move(bins);
  }

 private:
  static constexpr index_t fewest_for_four = 4;  // rows: a smaller node is often settled by its first column

  bool keeps_bins(const Open& open) const {
    return subtracts_ && open.depth < rules_.most_depth && open.rows() * columns_.count() >= 2 * first_bin_.back();
  }

  std::vector<double> sums_of(const Open& open, const Rows& rows) const {
    std::vector<double> sums;
    if constexpr (Finder::adds_bins) {
      const auto& bins = finders_[0].bins;
      sums.assign(std::size_t(first_bin_.back() * bins.stride()), 0.0);
      const auto columns = index_t(order_.size());
      parallel_if(open.rows() * columns > 20'000, columns, [&](index_t j, int) {
        if (columns_.categorical[order_[j]]) return;
        double* here = sums.data() + first_bin_[order_[j]] * bins.stride();
        rows.with_ranks(order_[j], open.begin, open.end, [&](const auto& rank, View<const std::uint32_t> listed) {
          bins.add(rows.items() + open.begin, listed, rank, here);
        });
      });
    }
    return sums;
  }

  double noise(const Open& open) const {
    return 1e-13 * (std::abs(open.alone) + std::abs(finders_[0].worth(open.sums)));
  }

  Split best_of_some(const Open& open, const Rows& rows) {
    Draws64 draws(rules_.seed, std::uint64_t(open.node));
    Finder& finder = finders_[0];
    finder.start(open.sums, open.rows(), open.bounds, noise(open), rows.items());
    read_.fill(-1);
    const double most = finder.most_worth(open.sums, open.alone);
    const auto goes_on = [&](index_t tried) {
      return !finder.offers.best.found() || (tried < candidates_ && !finder.offers.settled(most));
    };
    index_t tried = 0;
    for (auto left = index_t(order_.size()); left > 0 && goes_on(tried); --left) {
      if constexpr (Finder::adds_fours) {
        if (rules_.random_thresholds && open.rows() >= fewest_for_four && std::min(left, candidates_ - tried) >= 4) {
          std::array<index_t, 4> features;
          std::array<double, 4> uniform;
          for (int c = 0; c < 4; ++c) {
            features[c] = drawn(draws, left - c);
            uniform[c] = draws.uniform();
          }
          tried += look_at_four(finder, features, uniform, open, rows);
          left -= 3;
          continue;
        }
      }
      const index_t feature = drawn(draws, left);
      tried += look_at(finder, feature, open, rows, draws.uniform());
    }
    for (auto end = index_t(order_.size() - swaps_.size()); !swaps_.empty(); swaps_.pop_back(), ++end)
      std::swap(order_[swaps_.back()], order_[end]);  // every node begins with the same order
    return std::move(finder.offers.best);
  }

  // One of the first so many columns in order, which is then put behind the others.
  index_t drawn(Draws64& draws, index_t left) {
    swaps_.push_back(draws.below(left));
    std::swap(order_[swaps_.back()], order_[left - 1]);
    return order_[left - 1];
  }

  // Columns are looked at one after the other, until no other could be better.
  Split best_in_turn(const Open& open, const Rows& rows) {
    Finder& finder = finders_[0];
    finder.start(open.sums, open.rows(), open.bounds, noise(open), rows.items());
    const double most = finder.most_worth(open.sums, open.alone);
    for (const index_t feature : order_) {
      look_at(finder, feature, open, rows, 0);
      if (finder.offers.settled(most)) break;
    }
    return std::move(finder.offers.best);
  }

  Split best_of_all(const Open& open, const Rows& rows) {
    const auto columns = index_t(order_.size());
    if (rules_.top == 1 && open.rows() * columns <= 20'000) return best_in_turn(open, rows);
    const double noise = this->noise(open);
    std::vector<Split> found(columns);
    parallel_for(columns, [&](index_t j, int slot) {
      Finder& finder = finders_[slot];
      finder.start(open.sums, open.rows(), open.bounds, noise, rows.items());
      if (look_at(finder, order_[j], open, rows, 0)) found[j] = std::move(finder.offers.best);
    });
    if (rules_.top > 1) return one_of_the_best(found, rules_, open.node);
    Split best;
    for (Split& candidate : found)
      if (best.less_than(candidate.worth, noise)) best = std::move(candidate);
    return best;
  }

  // Offers the divisions by a column to the finder; false if all rows have the same there.
  bool look_at(Finder& finder, index_t feature, const Open& open, const Rows& rows, double uniform) const {
    const index_t begin = open.begin, end = open.end, count = open.rows();
    if (rules_.random_thresholds && !columns_.categorical[feature]) {
      double* values = scratch<double>(count);
      rows.read(feature, begin, end, values);
      const RandomCut cut(values, count, uniform);
      if (cut.found) finder.random_number(feature, cut, values, begin, count);
      return cut.varies;
    }
    if constexpr (Finder::adds_bins) {
      if (columns_.binned && !columns_.categorical[feature]) return look_at_bins(finder, feature, open, rows);
    }
    const View<const double> levels = columns_.levels[feature];
    if (rows.kept() && !columns_.categorical[feature]) {
      const std::uint64_t* sorted = rows.in_order(feature, begin);
      if (rank_of(sorted[0]) == rank_of(sorted[count - 1])) return false;
      finder.numbers(feature, sorted, count, levels);
      return true;
    }
    std::uint32_t* ranks = scratch<std::uint32_t>(count);
    const RankRange range = rows.read_ranks(feature, begin, end, ranks);
    if (range.low != range.high) look_at_ranks(finder, feature, open, ranks, range);
    return range.low != range.high;
  }

  // Offers random divisions by four columns, whose cells are read together; how many of them vary.
  index_t look_at_four(Finder& finder, const std::array<index_t, 4>& features, const std::array<double, 4>& uniform,
                       const Open& open, const Rows& rows)
    requires Finder::adds_fours
  {
    const auto gapless = [&](index_t feature) { return columns_.gapless[feature] != 0; };
    if (std::all_of(features.begin(), features.end(), gapless))
      return columns_.cells.narrow ? look_at_numbers<float>(finder, features, uniform, open, rows)
                                   : look_at_numbers<double>(finder, features, uniform, open, rows);
    index_t varying = 0;
    for (int c = 0; c < 4; ++c) varying += look_at(finder, features[c], open, rows, uniform[c]);
    return varying;
  }

  template <class T>
  index_t look_at_numbers(Finder& finder, const std::array<index_t, 4>& features, const std::array<double, 4>& uniform,
                          const Open& open, const Rows& rows) {
    FourOf<T>* values = scratch<FourOf<T>>(open.rows());
    const FourRange<T> range = rows.template read_four<T>(features, open.begin, open.end, values);
    read_ = features;
    for (int c = 0; c < 4; ++c) seen_[c] = {values, c};
    return finder.random_four(features, uniform, range, values, open.begin, open.rows());
  }

  bool look_at_bins(Finder& finder, index_t feature, const Open& open, const Rows& rows) const
    requires Finder::adds_bins
  {
    const index_t bins = columns_.bins(feature);
    if (!open.bins.empty()) {
      const double* sums = open.bins.data() + first_bin_[feature] * finder.bins.stride();
      finder.bins.find_present(sums, bins);
      return finder.binned_numbers(feature, sums, bins);
    }
    bool varies = false;
    rows.with_ranks(feature, open.begin, open.end, [&](const auto& rank, View<const std::uint32_t> listed) {
      const double* sums = finder.bins.sums(rows.items() + open.begin, listed, rank, bins);
      varies = finder.binned_numbers(feature, sums, bins);
      finder.bins.forget(bins);
    });
    return varies;
  }

  void look_at_ranks(Finder& finder, index_t feature, const Open& open, const std::uint32_t* ranks, RankRange range) const {
    const index_t count = open.rows();
    const View<const double> levels = columns_.levels[feature];
    std::uint64_t* keys = scratch<std::uint64_t>(2 * count);
    if constexpr (Finder::convex) {
      const bool plain = !columns_.categorical[feature] && range.high < levels.size && !finder.offers.directed();
      if (plain && count >= Bins::fewest_rows)
        return finder.many_numbers(feature, ranks, open.begin, count, range, keys, keys + count);
    }
    Rows::key(ranks, open.begin, open.end, keys);
    if (columns_.categorical[feature]) return finder.categories(feature, keys, count, levels.size);
    finder.numbers(feature, detail::sort_keys(keys, keys + count, count, range.low, range.high), count, levels);
  }

  template <class T>
  static T* scratch(index_t count) {
    thread_local std::vector<T> memory;
    if (index_t(memory.size()) < count) memory.resize(std::size_t(count));
    return memory.data();
  }

  const RankedColumns& columns_;
  GrowthRules rules_;
  std::vector<index_t> order_, swaps_;  // of the columns, in which they are drawn
  index_t candidates_;
  bool subtracts_;                      // whether nodes keep bins for their sides
  std::vector<Finder> finders_;         // one a thread
  std::vector<index_t> first_bin_;      // of each column among all
  std::array<index_t, 4> read_{};       // the columns that were last read together, and their numbers
  std::array<OneOfFour, 4> seen_{};
};

}  // namespace learnable
