// The best split of a node by one column, from its histogram.
//
// A side with sums G of gradients and H of Hessians gets the value v = -G / (H + l2), which lowers the second-order
// loss by half of its gain G^2 / (H + l2); an absolute penalty l1, a maximum step and bounds of the value change both.
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
  index_t max_depth = 0, max_leaves = 0;  // zero: no limit
  bool by_level = false;
  double min_samples_leaf = 1, min_hessian = 0, min_gain = 0;
  double prune_gain = 0;                    // splits that gain no more are pruned when the tree is grown
  double l1 = 0, l2 = 0, max_delta_step = 0;  // max_delta_step: no limit if zero
  double category_smoothing = 0;
  double tree_fraction = 1, level_fraction = 1, node_fraction = 1;  // of the columns that are searched
  std::vector<std::int8_t> direction;                      // of each column, or empty
  // interaction constraints: columns that may occur on one path; empty: all
  std::vector<std::vector<index_t>> groups;

  bool plain() const { return l1 == 0 && max_delta_step == 0 && direction.empty(); }

  double value(GradHess64 sums, const Bounds& bounds) const {
    const double shrunken = std::abs(sums[0]) - l1;
    double value = shrunken > 0 ? std::copysign(shrunken, -sums[0]) / (sums[1] + l2) : 0.0;
    if (max_delta_step > 0) value = std::clamp(value, -max_delta_step, max_delta_step);
    return std::clamp(value, bounds.low, bounds.high);
  }
  double gain(GradHess64 sums, const Bounds& bounds) const {
    const double v = value(sums, bounds);
    return -(2 * sums[0] * v + (sums[1] + l2) * v * v + 2 * l1 * std::abs(v));
  }
};

// The bins up to `bin`, or the categories of the set, go left, and missing values if missing_left.
struct HistogramSplit {
  double gain = -std::numeric_limits<double>::infinity();
  index_t feature = -1, bin = -1;
  bool missing_left = false, sure = true;  // sure: both sides certainly have enough rows
  std::vector<std::uint32_t> categories;
  GradHess64 left{};

  bool found() const { return feature >= 0; }
};

// The node of a split search.
struct SplitContext {
  const HistogramRules& rules;
  GradHess64 sums;
  Bounds bounds;
  double noise;              // rounding error of gains
  double min_hessian;    // of a side, minus the rounding error of sums
  double hessian_of_row;   // the largest of a row: a lower bound of the rows of a sum
  bool counted;              // the Hessian counts the rows
};

// Finds the best split by one column; one object per thread.
class SplitSearch {
 public:
  // `bins` are the sums of the bins of the feature; `rows`, if given, the number of rows in each of them.
  HistogramSplit best(const SplitContext& context, const BinnedFeature& feature, index_t number, const GradHess64* bins,
                      const double* rows) {
    start(context, feature, number, rows);
    feature.categorical ? sort_categories(feature, bins, rows) : keep_order(feature, bins, rows);
    return find_best(feature, number, bins[feature.values], rows);
  }

  // Scratch for the sums of a node of few rows and for marks of its nonempty bins: where most of the bins are empty,
  // only the others are searched.
  std::pair<GradHess64*, std::uint64_t*> room_for_few(const BinnedFeature& feature) {
    few_.resize(std::max(few_.size(), std::size_t(feature.bins())));  // zero between two calls, as is met_
    met_.resize(std::max(met_.size(), std::size_t(feature.bins() / 64 + 1)));
    return {few_.data(), met_.data()};
  }

  // The best split by these sums.
  HistogramSplit best_of_few(const SplitContext& context, const BinnedFeature& feature, index_t number,
                             const double* rows) {
    start(context, feature, number, rows);
    feature.categorical ? sort_categories(feature, few_.data(), rows) : keep_met(feature, rows);
    HistogramSplit found = find_best(feature, number, few_[feature.values], rows);
    if (found.found() && !feature.categorical) found.bin = order_[found.bin];
    each_met([&](index_t bin) { few_[bin] = GradHess64{}; });
    std::fill(met_.begin(), met_.end(), 0);
    return found;
  }

 private:
  void start(const SplitContext& context, const BinnedFeature& feature, index_t number, const double* rows) {
    context_ = &context;
    direction_ = context.rules.direction.empty() ? 0 : context.rules.direction[number];
    total_rows_ = rows ? std::accumulate(rows, rows + feature.bins(), 0.0) : 0;
    best_ = HistogramSplit{};
  }

  // Not inlined: it is called for all bins, and for few.
  [[gnu::noinline]] HistogramSplit find_best(const BinnedFeature& feature, index_t number, GradHess64 missing,
                                        const double* rows) {
    scan(false, GradHess64{}, 0, feature.has_missing);
    if (feature.has_missing) scan(true, missing, rows ? rows[feature.values] : 0, false);
    if (best_.found()) finish(feature, number);
    return std::move(best_);
  }

  // Memory for `count` candidate splits.
  void reserve(index_t count) {
    count_ = count;
    if (index_t(order_.size()) >= count) return;
    order_.resize(count);
    for (std::vector<double>* numbers : {&gradient_, &hessian_, &gain_, &rows_}) numbers->resize(count);
  }

  template <class F>
  void each_met(F&& f) const {
    for (std::size_t word = 0; word < met_.size(); ++word)
      for (std::uint64_t bits = met_[word]; bits; bits &= bits - 1) f(index_t(64 * word) + std::countr_zero(bits));
  }

  void keep_order(const BinnedFeature& feature, const GradHess64* bins, const double* rows) {
    reserve(feature.values);
    sum_in_order(bins);
    count_rows(rows, [](index_t k) { return k; });
  }

  // The nonempty bins, without that of missing values.
  void keep_met(const BinnedFeature& feature, const double* rows) {
    reserve(feature.values);
    GradHess64 sum{};
    index_t count = 0;
    each_met([&](index_t bin) {
      if (bin == feature.values) return;
      order_[count] = std::uint32_t(bin);
      put(count++, sum += few_[bin]);
    });
    count_ = count;
    count_rows(rows, [&](index_t k) { return index_t(order_[k]); });
  }

  // Categories in the order of their optimal values: the best split into two subsets is then contiguous.
  void sort_categories(const BinnedFeature& feature, const GradHess64* bins, const double* rows) {
    reserve(feature.values);
    index_t count = 0;
    for (index_t k = 0; k < feature.values; ++k)
      if (bins[k][1] > 0) order_[count++] = std::uint32_t(k);
    count_ = count;
    const double smooth = context_->rules.category_smoothing + context_->rules.l2;
    const auto rank = [&](std::uint32_t k) { return bins[k][0] / (bins[k][1] + smooth); };
    std::stable_sort(order_.begin(), order_.begin() + count, [&](auto a, auto b) { return rank(a) < rank(b); });
    GradHess64 sum{};
    for (index_t k = 0; k < count; ++k) put(k, sum += bins[order_[k]]);
    count_rows(rows, [&](index_t k) { return index_t(order_[k]); });
  }

  void put(index_t k, GradHess64 sum) {
    gradient_[k] = sum[0];
    hessian_[k] = sum[1];
  }

  // Cumulative sums over bins, in four independent parts, as every addition depends on the previous one; then combined.
  void sum_in_order(const GradHess64* bins) {
    const index_t count = count_, part = count / 4;
    GradHess64 sums[4] = {};
    for (index_t k = 0; k < part; ++k)
#pragma GCC unroll 4
      for (index_t c = 0; c < 4; ++c) put(c * part + k, sums[c] += bins[c * part + k]);
    GradHess64 before = sums[0];
    for (index_t c = 1; c < 4; before += sums[c++]) {
      double *gradient = gradient_.data() + c * part, *hessian = hessian_.data() + c * part;
      const double more_gradient = before[0], more_hessian = before[1];
#pragma omp simd
      for (index_t k = 0; k < part; ++k) {
        gradient[k] += more_gradient;
        hessian[k] += more_hessian;
      }
    }
    for (index_t k = 4 * part; k < count; ++k) put(k, before += bins[k]);
  }

  // Cumulative numbers of rows, in the order `at`, if they are given.
  template <class At>
  void count_rows(const double* rows, At at) {
    double count = 0;
    for (index_t k = 0; rows && k < count_; ++k) rows_[k] = count += rows[at(k)];
    counted_ = rows != nullptr;
  }

  struct Range {
    index_t begin, end;
  };

  // The range in which both sides have enough Hessian, which increases from bin to bin.
  Range allowed(index_t count, double missing, double min_hessian) const {
    const auto begin = hessian_.begin(), end = begin + count;
    const double total = context_->sums[1];
    const auto first = std::partition_point(begin, end, [&](double here) { return here + missing < min_hessian; });
    const auto last = std::partition_point(first, end,
                                           [&](double here) { return total - (here + missing) >= min_hessian; });
    return {first - begin, last - begin};
  }

  // All splits with `missing` on the left; the last one, of all values against the missing ones, if `whole`.
  void scan(bool missing_left, GradHess64 missing, double missing_rows, bool whole) {
    const index_t count = count_ - (whole ? 0 : 1);
    if (count <= 0) return;
    const double min_hessian = std::max(required_hessian(), 1e-300);
    const Range range = allowed(count, missing[1], min_hessian);
    context_->rules.plain() ? compute_gains(range, missing, min_hessian)
        : compute_bounded_gains(range, missing, min_hessian);
    if (counted_) require_rows(range, missing_rows);
    const double top = max_gain(range);
    if (!(top > best_.gain + context_->noise)) return;
    const index_t at = first_of(range, top - context_->noise);
    best_.gain = gain_[at];
    best_.bin = at;
    best_.feature = 0;
    best_.missing_left = missing_left;
    best_.left = GradHess64{gradient_[at], hessian_[at]} + missing;
  }

  double max_gain(Range range) const {
    const double* gain = gain_.data();
    double top = -std::numeric_limits<double>::infinity();
#pragma omp simd reduction(max : top)
    for (index_t k = range.begin; k < range.end; ++k) top = gain[k] > top ? gain[k] : top;
    return top;
  }

  // The first split with a gain of at least `enough`, which exists; blocks are checked first.
  index_t first_of(Range range, double enough) const {
    constexpr index_t together = 32;
    index_t at = range.begin;
    while (at + together < range.end && max_gain({at, at + together}) < enough) at += together;
    while (!(gain_[at] >= enough)) ++at;
    return at;
  }

  double required_hessian() const {
    const double min_hessian = context_->min_hessian;
    return context_->counted ? std::max(min_hessian, context_->rules.min_samples_leaf - 0.25) : min_hessian;
  }

  // g^2 / h + g'^2 / h' of both sides, with one division in place of two.
  void compute_gains(Range range, GradHess64 missing, double min_hessian) {
    const double l2 = context_->rules.l2;
    const double total_gradient = context_->sums[0], total_hessian = context_->sums[1];
    const double missing_gradient = missing[0], missing_hessian = missing[1];
    const double *gradient = gradient_.data(), *hessian = hessian_.data();
    double* gain = gain_.data();
#pragma omp simd
    for (index_t k = range.begin; k < range.end; ++k) {
      const double g = gradient[k] + missing_gradient, h = hessian[k] + missing_hessian;
      const double rest_g = total_gradient - g, rest_h = total_hessian - h;
      const bool allowed = (h >= min_hessian) & (rest_h >= min_hessian);
      const double one = h + l2, other = rest_h + l2, inverse = 1 / (one * other);
      const double both = (g * inverse) * (g * other) + (rest_g * inverse) * (rest_g * one);
      gain[k] = allowed ? both : -std::numeric_limits<double>::infinity();
    }
  }

  void compute_bounded_gains(Range range, GradHess64 missing, double min_hessian) {
    const HistogramRules& rules = context_->rules;
    for (index_t k = range.begin; k < range.end; ++k) {
      const GradHess64 left = GradHess64{gradient_[k], hessian_[k]} + missing, right = context_->sums - left;
      gain_[k] = -std::numeric_limits<double>::infinity();
      if (!(left[1] >= min_hessian) || !(right[1] >= min_hessian)) continue;
      const double rise = rules.value(right, context_->bounds) - rules.value(left, context_->bounds);
      if (direction_ * rise < 0) continue;
      gain_[k] = rules.gain(left, context_->bounds) + rules.gain(right, context_->bounds);
    }
  }

  void require_rows(Range range, double missing_rows) {
    const double min_rows = context_->rules.min_samples_leaf - 0.25;
    for (index_t k = range.begin; k < range.end; ++k) {
      const double left = rows_[k] + missing_rows;
      if (left < min_rows || total_rows_ - left < min_rows) gain_[k] = -std::numeric_limits<double>::infinity();
    }
  }

  void finish(const BinnedFeature& feature, index_t number) {
    best_.feature = number;
    if (feature.categorical) best_.categories.assign(order_.begin(), order_.begin() + best_.bin + 1);
    const double enough = context_->rules.min_samples_leaf * context_->hessian_of_row;
    const double right = context_->sums[1] - best_.left[1];
    best_.sure = context_->counted || counted_ || (best_.left[1] >= enough && right >= enough);
  }

  const SplitContext* context_ = nullptr;
  int direction_ = 0;
  bool counted_ = false;
  double total_rows_ = 0;
  index_t count_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<double> gradient_, hessian_, gain_, rows_;
  std::vector<GradHess64> few_;
  std::vector<std::uint64_t> met_;
  HistogramSplit best_;
};

}  // namespace learnable
