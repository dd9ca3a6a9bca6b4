// Contingency tables of a variable and its parents in coded data, and what structure learning computes from them.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

using Code = std::uint16_t;

// Columns of codes, each contiguous, with the number of states of each and a weight for every row (empty: ones). A code
// that is not below the number of states is a missing value.
struct CodedColumns {
  Grid<const Code> code;
  View<const std::int64_t> card;
  View<const double> weight;

  index_t rows() const { return code.columns; }
  double weight_of(index_t i) const { return weight ? weight[i] : 1.0; }
};

// The configuration of some columns in every row, as an index below `size`, -1 where one is missing. Where there are
// many more configurations than rows, those that occur are numbered in the order in which they do.
struct Configurations {
  std::vector<std::int64_t> index;
  index_t size = 1;
  double count = 1;  // of configurations, those that do not occur included

  Configurations(const CodedColumns& data, View<const std::int64_t> columns) : index(data.rows(), 0) {
    for (index_t k = 0; k < columns.size; ++k) {
      const Code* code = data.code.row(columns[k]).data;
      const index_t card = data.card[columns[k]];
      for (index_t i = 0; i < data.rows(); ++i)
        index[i] = index[i] < 0 || code[i] >= card ? -1 : index[i] * card + code[i];
      size *= card;
      count *= double(card);
      if (size > 4 * data.rows() + 1024) renumber();
    }
  }

 private:
  void renumber() {
    std::unordered_map<std::int64_t, std::int64_t> number;
    number.reserve(index.size());
    for (auto& i : index)
      if (i >= 0) i = number.emplace(i, std::int64_t(number.size())).first->second;
    size = std::max<index_t>(1, index_t(number.size()));
  }
};

enum class FamilyScore : int { likelihood = 0, dirichlet_uniform = 1, dirichlet_ones = 2 };

struct ScoreRule {
  FamilyScore kind;
  double strength;  // of the prior: its equivalent sample size
  double penalty;   // of each free parameter
};

inline double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

// The score of a child with r states from its counts: parents' configurations x states, laid out as
// count[(outer * r + state) * inner + configuration within], of q configurations in all.
inline double score_counts(const double* count, index_t outer, index_t r, index_t inner, double q, const ScoreRule& rule) {
  const double share = rule.kind == FamilyScore::dirichlet_ones ? 1.0 : rule.strength / (q * double(r));
  double score = 0;
  for (index_t o = 0; o < outer; ++o)
    for (index_t c = 0; c < inner; ++c) {
      const double* n = count + o * r * inner + c;
      double total = 0;
      for (index_t k = 0; k < r; ++k) total += n[k * inner];
      if (total <= 0) continue;
      if (rule.kind == FamilyScore::likelihood) {
        for (index_t k = 0; k < r; ++k)
          if (n[k * inner] > 0) score += n[k * inner] * std::log(n[k * inner]);
        score -= total * std::log(total);
      } else {
        for (index_t k = 0; k < r; ++k)
          if (n[k * inner] > 0) score += log_gamma(share + n[k * inner]) - log_gamma(share);
        score += log_gamma(share * double(r)) - log_gamma(share * double(r) + total);
      }
    }
  return rule.kind == FamilyScore::likelihood ? score - rule.penalty * q * double(r - 1) : score;
}

// The counts of (configuration, state of the child, state of the other column), without a column if `other` < 0.
inline void count_family(const CodedColumns& data, const Configurations& base, index_t child, index_t other,
                         std::vector<double>& count) {
  const Code *x = data.code.row(child).data, *y = other < 0 ? nullptr : data.code.row(other).data;
  const index_t r = data.card[child], width = other < 0 ? 1 : data.card[other];
  count.assign(base.size * r * width, 0.0);
  for (index_t i = 0; i < data.rows(); ++i) {
    if (base.index[i] < 0 || x[i] >= r || (y && y[i] >= width)) continue;
    count[(base.index[i] * r + x[i]) * width + (y ? y[i] : 0)] += data.weight_of(i);
  }
}

// The score of `child` with the parents `base` and one more of `others` each (-1: none more).
inline void score_families(const CodedColumns& data, index_t child, View<const std::int64_t> base,
                           View<const std::int64_t> others, const ScoreRule& rule, View<double> score) {
  const Configurations configurations(data, base);
  std::vector<std::vector<double>> counts(threads_for(others.size));
  parallel_for(others.size, [&](index_t k, int slot) {
    const index_t width = others[k] < 0 ? 1 : data.card[others[k]];
    count_family(data, configurations, child, others[k], counts[slot]);
    score[k] = score_counts(counts[slot].data(), configurations.size, data.card[child], width,
                            configurations.count * double(width), rule);
  });
}

// For each of `others`: the likelihood-ratio statistic G^2 and Pearson's X^2 of its independence of `first` given the
// columns `given`, and the degrees of freedom, without and with the empty rows and columns of each table left out.
inline void test_independence(const CodedColumns& data, index_t first, View<const std::int64_t> given,
                              View<const std::int64_t> others, Grid<double> statistic) {
  const Configurations strata(data, given);
  const index_t r = data.card[first];
  std::vector<std::vector<double>> counts(threads_for(others.size));
  parallel_for(others.size, [&](index_t k, int slot) {
    const index_t s = data.card[others[k]];
    count_family(data, strata, first, others[k], counts[slot]);
    double g2 = 0, x2 = 0, free = 0;
    std::vector<double> down(s), across(r);
    for (index_t z = 0; z < strata.size; ++z) {
      const double* n = counts[slot].data() + z * r * s;
      std::fill(down.begin(), down.end(), 0.0), std::fill(across.begin(), across.end(), 0.0);
      double total = 0;
      for (index_t a = 0; a < r; ++a)
        for (index_t b = 0; b < s; ++b) across[a] += n[a * s + b], down[b] += n[a * s + b], total += n[a * s + b];
      if (total <= 0) continue;
      index_t rows = 0, columns = 0;
      for (index_t a = 0; a < r; ++a) rows += across[a] > 0;
      for (index_t b = 0; b < s; ++b) columns += down[b] > 0;
      free += double((rows - 1) * (columns - 1));
      for (index_t a = 0; a < r; ++a)
        for (index_t b = 0; b < s; ++b) {
          const double expected = across[a] * down[b] / total, seen = n[a * s + b];
          if (expected <= 0) continue;
          if (seen > 0) g2 += 2 * seen * std::log(seen / expected);
          x2 += (seen - expected) * (seen - expected) / expected;
        }
    }
    const View<double> result = statistic.row(k);
    result[0] = std::max(g2, 0.0), result[1] = x2, result[2] = double((r - 1) * (s - 1)) * strata.count, result[3] = free;
  });
}

}  // namespace learnable
