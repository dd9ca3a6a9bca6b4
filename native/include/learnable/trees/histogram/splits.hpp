// The best division of a node by one column, found in its histogram.
//
// A side with sums G of gradients and H of curvatures takes the value v = -G / (H + l2), which lowers the second-order
// loss by half of its worth G^2 / (H + l2); an absolute penalty l1, a longest step and bounds of the value change both.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "learnable/trees/histogram/histograms.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

struct HistogramRules {
  index_t most_depth = 0, most_leaves = 0;  // zero for no limit
  bool by_level = false;
  double least_rows = 1, least_curvature = 0, least_gain = 0;
  double prune_gain = 0;                    // divisions that gain no more are taken back when the tree is grown
  double l1 = 0, l2 = 0, longest_step = 0;  // no longest step if zero
  double category_smoothing = 0;
  double tree_share = 1, level_share = 1, node_share = 1;  // of the columns that are looked at
  std::vector<std::int8_t> direction;                      // of each column, or empty
  std::vector<std::vector<index_t>> groups;                // columns that may meet on a way from the root; empty: all

  bool plain() const { return l1 == 0 && longest_step == 0 && direction.empty(); }

  double value(WideSlope sums, const Bounds& bounds) const {
    const double pull = std::abs(sums[0]) - l1;
    double value = pull > 0 ? std::copysign(pull, -sums[0]) / (sums[1] + l2) : 0.0;
    if (longest_step > 0) value = std::clamp(value, -longest_step, longest_step);
    return std::clamp(value, bounds.low, bounds.high);
  }
  double worth(WideSlope sums, const Bounds& bounds) const {
    const double v = value(sums, bounds);
    return -(2 * sums[0] * v + (sums[1] + l2) * v * v + 2 * l1 * std::abs(v));
  }
};

// Left are the bins up to `bin`, or the categories of the set, and missing entries if missing_left.
struct HistogramSplit {
  double worth = -std::numeric_limits<double>::infinity();
  index_t feature = -1, bin = -1;
  bool missing_left = false, sure = true;  // sure that both sides have enough rows
  std::vector<std::uint32_t> categories;
  WideSlope left{};

  bool found() const { return feature >= 0; }
};

// A node as the search sees it.
struct SplitQuestion {
  const HistogramRules& rules;
  WideSlope sums;
  Bounds bounds;
  double noise;              // differences of worth that mean nothing
  double least_curvature;    // of a side, but for the rounding of sums
  double curvature_of_row;   // the largest there is: so much curvature needs at least one row
  bool counted;              // curvature counts the rows
};

// Looks for the best division of one column; a searcher belongs to one thread.
class SplitSearch {
 public:
  // `bins` are the sums of the bins of the feature; `rows`, if given, the number of rows in each of them.
  HistogramSplit best(const SplitQuestion& question, const BinnedFeature& feature, index_t number, const WideSlope* bins,
                      const double* rows) {
    start(question, feature, number, rows);
    feature.categorical ? sort_categories(feature, bins, rows) : keep_order(feature, bins, rows);
    return look(feature, number, bins[feature.values], rows);
  }

  // Where the few rows of a node are to be added up by their bins, which are then marked: for a node of so few rows that
  // most of the bins are empty, only those with rows are looked at.
  std::pair<WideSlope*, std::uint64_t*> room_for_few(const BinnedFeature& feature) {
    few_.resize(std::max(few_.size(), std::size_t(feature.bins())));  // zeros between two calls, as is met_
    met_.resize(std::max(met_.size(), std::size_t(feature.bins() / 64 + 1)));
    return {few_.data(), met_.data()};
  }

  // The best division of what was added there.
  HistogramSplit best_of_few(const SplitQuestion& question, const BinnedFeature& feature, index_t number,
                             const double* rows) {
    start(question, feature, number, rows);
    feature.categorical ? sort_categories(feature, few_.data(), rows) : keep_met(feature, rows);
    HistogramSplit found = look(feature, number, few_[feature.values], rows);
    if (found.found() && !feature.categorical) found.bin = order_[found.bin];
    each_met([&](index_t bin) { few_[bin] = WideSlope{}; });
    std::fill(met_.begin(), met_.end(), 0);
    return found;
  }

 private:
  void start(const SplitQuestion& question, const BinnedFeature& feature, index_t number, const double* rows) {
    question_ = &question;
    direction_ = question.rules.direction.empty() ? 0 : question.rules.direction[number];
    total_rows_ = rows ? std::accumulate(rows, rows + feature.bins(), 0.0) : 0;
    best_ = HistogramSplit{};
  }

  // Not inlined: it is asked for all bins, and for few.
  [[gnu::noinline]] HistogramSplit look(const BinnedFeature& feature, index_t number, WideSlope gone,
                                        const double* rows) {
    scan(false, WideSlope{}, 0, feature.has_missing);
    if (feature.has_missing) scan(true, gone, rows ? rows[feature.values] : 0, false);
    if (best_.found()) finish(feature, number);
    return std::move(best_);
  }

  // Room for so many divisions, of which count_ are there.
  void room(index_t most) {
    count_ = most;
    if (index_t(order_.size()) >= most) return;
    order_.resize(most);
    for (std::vector<double>* numbers : {&gradient_, &curvature_, &worth_, &rows_}) numbers->resize(most);
  }

  template <class F>
  void each_met(F&& f) const {
    for (std::size_t word = 0; word < met_.size(); ++word)
      for (std::uint64_t bits = met_[word]; bits; bits &= bits - 1) f(index_t(64 * word) + std::countr_zero(bits));
  }

  void keep_order(const BinnedFeature& feature, const WideSlope* bins, const double* rows) {
    room(feature.values);
    sum_in_order(bins);
    count_rows(rows, [](index_t k) { return k; });
  }

  // The bins that have rows, but for that of missing entries.
  void keep_met(const BinnedFeature& feature, const double* rows) {
    room(feature.values);
    WideSlope sum{};
    index_t count = 0;
    each_met([&](index_t bin) {
      if (bin == feature.values) return;
      order_[count] = std::uint32_t(bin);
      put(count++, sum += few_[bin]);
    });
    count_ = count;
    count_rows(rows, [&](index_t k) { return index_t(order_[k]); });
  }

  // Categories in the order of their best values, which puts the best division into two sets between two of them.
  void sort_categories(const BinnedFeature& feature, const WideSlope* bins, const double* rows) {
    room(feature.values);
    index_t count = 0;
    for (index_t k = 0; k < feature.values; ++k)
      if (bins[k][1] > 0) order_[count++] = std::uint32_t(k);
    count_ = count;
    const double smooth = question_->rules.category_smoothing + question_->rules.l2;
    const auto rank = [&](std::uint32_t k) { return bins[k][0] / (bins[k][1] + smooth); };
    std::stable_sort(order_.begin(), order_.begin() + count, [&](auto a, auto b) { return rank(a) < rank(b); });
    WideSlope sum{};
    for (index_t k = 0; k < count; ++k) put(k, sum += bins[order_[k]]);
    count_rows(rows, [&](index_t k) { return index_t(order_[k]); });
  }

  void put(index_t k, WideSlope sum) {
    gradient_[k] = sum[0];
    curvature_[k] = sum[1];
  }

  // Sums up to each bin, of four parts side by side, as an addition must wait for the one before it; then of all.
  void sum_in_order(const WideSlope* bins) {
    const index_t count = count_, part = count / 4;
    WideSlope sums[4] = {};
    for (index_t k = 0; k < part; ++k)
#pragma GCC unroll 4
      for (index_t c = 0; c < 4; ++c) put(c * part + k, sums[c] += bins[c * part + k]);
    WideSlope before = sums[0];
    for (index_t c = 1; c < 4; before += sums[c++]) {
      double *gradient = gradient_.data() + c * part, *curvature = curvature_.data() + c * part;
      const double more_gradient = before[0], more_curvature = before[1];
#pragma omp simd
      for (index_t k = 0; k < part; ++k) {
        gradient[k] += more_gradient;
        curvature[k] += more_curvature;
      }
    }
    for (index_t k = 4 * part; k < count; ++k) put(k, before += bins[k]);
  }

  // Rows up to each bin, in an order that `at` tells, if they are given.
  template <class At>
  void count_rows(const double* rows, At at) {
    double count = 0;
    for (index_t k = 0; rows && k < count_; ++k) rows_[k] = count += rows[at(k)];
    counted_ = rows != nullptr;
  }

  struct Range {
    index_t begin, end;
  };

  // Where both sides have enough curvature, which grows from bin to bin.
  Range allowed(index_t count, double gone, double least) const {
    const auto begin = curvature_.begin(), end = begin + count;
    const double total = question_->sums[1];
    const auto first = std::partition_point(begin, end, [&](double here) { return here + gone < least; });
    const auto last = std::partition_point(first, end, [&](double here) { return total - (here + gone) >= least; });
    return {first - begin, last - begin};
  }

  // All divisions with `gone` on the left; the last one, of all values against the missing ones, if `whole`.
  void scan(bool missing_left, WideSlope gone, double gone_rows, bool whole) {
    const index_t count = count_ - (whole ? 0 : 1);
    if (count <= 0) return;
    const double least = std::max(least_curvature(), 1e-300);
    const Range range = allowed(count, gone[1], least);
    question_->rules.plain() ? weigh(range, gone, least) : weigh_held(range, gone, least);
    if (counted_) demand_rows(range, gone_rows);
    const double top = most(range);
    if (!(top > best_.worth + question_->noise)) return;
    const index_t at = first_of(range, top - question_->noise);
    best_.worth = worth_[at];
    best_.bin = at;
    best_.feature = 0;
    best_.missing_left = missing_left;
    best_.left = WideSlope{gradient_[at], curvature_[at]} + gone;
  }

  double most(Range range) const {
    const double* worth = worth_.data();
    double top = -std::numeric_limits<double>::infinity();
#pragma omp simd reduction(max : top)
    for (index_t k = range.begin; k < range.end; ++k) top = worth[k] > top ? worth[k] : top;
    return top;
  }

  // The first division that is worth enough, of which there is one; a few at a time are looked at first.
  index_t first_of(Range range, double enough) const {
    constexpr index_t together = 32;
    index_t at = range.begin;
    while (at + together < range.end && most({at, at + together}) < enough) at += together;
    while (!(worth_[at] >= enough)) ++at;
    return at;
  }

  double least_curvature() const {
    const double least = question_->least_curvature;
    return question_->counted ? std::max(least, question_->rules.least_rows - 0.25) : least;
  }

  // g^2 / h + g'^2 / h' of both sides, with one division in place of two.
  void weigh(Range range, WideSlope gone, double least) {
    const double l2 = question_->rules.l2;
    const double total_gradient = question_->sums[0], total_curvature = question_->sums[1];
    const double gone_gradient = gone[0], gone_curvature = gone[1];
    const double *gradient = gradient_.data(), *curvature = curvature_.data();
    double* worth = worth_.data();
#pragma omp simd
    for (index_t k = range.begin; k < range.end; ++k) {
      const double g = gradient[k] + gone_gradient, h = curvature[k] + gone_curvature;
      const double rest_g = total_gradient - g, rest_h = total_curvature - h;
      const bool allowed = (h >= least) & (rest_h >= least);
      const double one = h + l2, other = rest_h + l2, share = 1 / (one * other);
      const double both = (g * share) * (g * other) + (rest_g * share) * (rest_g * one);
      worth[k] = allowed ? both : -std::numeric_limits<double>::infinity();
    }
  }

  void weigh_held(Range range, WideSlope gone, double least) {
    const HistogramRules& rules = question_->rules;
    for (index_t k = range.begin; k < range.end; ++k) {
      const WideSlope left = WideSlope{gradient_[k], curvature_[k]} + gone, right = question_->sums - left;
      worth_[k] = -std::numeric_limits<double>::infinity();
      if (!(left[1] >= least) || !(right[1] >= least)) continue;
      const double rise = rules.value(right, question_->bounds) - rules.value(left, question_->bounds);
      if (direction_ * rise < 0) continue;
      worth_[k] = rules.worth(left, question_->bounds) + rules.worth(right, question_->bounds);
    }
  }

  void demand_rows(Range range, double gone_rows) {
    const double least = question_->rules.least_rows - 0.25;
    for (index_t k = range.begin; k < range.end; ++k) {
      const double left = rows_[k] + gone_rows;
      if (left < least || total_rows_ - left < least) worth_[k] = -std::numeric_limits<double>::infinity();
    }
  }

  void finish(const BinnedFeature& feature, index_t number) {
    best_.feature = number;
    if (feature.categorical) best_.categories.assign(order_.begin(), order_.begin() + best_.bin + 1);
    const double enough = question_->rules.least_rows * question_->curvature_of_row;
    const double right = question_->sums[1] - best_.left[1];
    best_.sure = question_->counted || counted_ || (best_.left[1] >= enough && right >= enough);
  }

  const SplitQuestion* question_ = nullptr;
  int direction_ = 0;
  bool counted_ = false;
  double total_rows_ = 0;
  index_t count_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<double> gradient_, curvature_, worth_, rows_;
  std::vector<WideSlope> few_;
  std::vector<std::uint64_t> met_;
  HistogramSplit best_;
};

}  // namespace learnable
