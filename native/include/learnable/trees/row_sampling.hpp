// Bootstrap samples of the rows of a forest's trees, as weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/random.hpp"

namespace learnable {

// Rows drawn with replacement, by weight. They are drawn by their position in `order`, so that the sample depends
// neither on the order of the rows, nor on whether a row occurs twice or has weight two.
struct Sampling {
  index_t draws = 0;               // 0: every row with its own weight
  View<const std::uint32_t> order;
  View<const double> cumulative;   // cumulative weight in `order`; empty: equal weights
  Grid<const std::int32_t> label;  // with labels, classes are balanced within a sample
  index_t classes = 0;             // of all columns of `label` together; codes of later columns are higher

  // How often each row is drawn.
  void count(std::uint64_t seed, View<double> counts) const {
    std::fill(counts.begin(), counts.end(), 0.0);
    Draws64 next(seed, std::uint64_t(-2));
    if (draws / order.size >= kMany) return count_by_row(next, counts);
    for (index_t k = 0; k < draws; ++k) counts[order[draw_position(next)]] += 1;
  }

  // The weight of each row in the sample of a tree: `weight` itself if nothing is drawn.
  void weigh(std::uint64_t seed, View<const double> weight, std::vector<double>& out) const {
    out.assign(weight.begin(), weight.end());
    if (draws == 0) return;
    count(seed, {out.data(), index_t(out.size())});
    if (label) balance(out);
  }

 private:
  static constexpr index_t kMany = 64;  // draws per row beyond which counts are drawn row by row

  double up_to(index_t k) const { return k == 0 ? 0.0 : cumulative ? cumulative[k - 1] : double(k); }

  // The same distribution for any number of draws: binomial counts of the remaining draws for each row in turn.
  void count_by_row(Draws64& next, View<double> counts) const {
    const double total = up_to(order.size);
    index_t left = draws;
    for (index_t k = 0; k < order.size && left > 0; ++k) {
      const double probability = (up_to(k + 1) - up_to(k)) / (total - up_to(k));
      const index_t drawn = probability < 1 ? std::binomial_distribution<index_t>(left, probability)(next) : left;
      counts[order[k]] = double(drawn);
      left -= drawn;
    }
  }

  index_t draw_position(Draws64& next) const {
    const double at = next.uniform() * up_to(order.size);
    if (!cumulative) return std::min(index_t(at), order.size - 1);
    const index_t found = std::upper_bound(cumulative.begin(), cumulative.end(), at) - cumulative.begin();
    return std::min(found, order.size - 1);
  }

  // Balances the classes of every column of labels: weights times total / (classes in the sample times weight of the
  // class).
  void balance(std::vector<double>& out) const {
    std::vector<double> by_class(std::size_t(classes), 0.0), factor(out.size(), 1.0);
    double total = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      total += out[i];
      for (index_t t = 0; t < label.columns; ++t) by_class[label(index_t(i), t)] += out[i];
    }
    std::vector<double> present(std::size_t(label.columns), 0.0);
    std::vector<std::uint8_t> met(std::size_t(classes), 0);
    for (std::size_t i = 0; i < out.size(); ++i)
      for (index_t t = 0; t < label.columns; ++t) {
        const std::int32_t code = label(index_t(i), t);
        if (out[i] == 0 || met[code]) continue;
        met[code] = 1;
        present[t] += 1;
      }
    for (std::size_t i = 0; i < out.size(); ++i)
      for (index_t t = 0; t < label.columns; ++t)
        if (out[i] > 0) factor[i] *= total / (present[t] * by_class[label(index_t(i), t)]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= factor[i];
  }
};

}  // namespace learnable
