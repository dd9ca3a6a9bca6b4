// Contingency tables of a variable and its parents in coded data, and what structure learning computes from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
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

// Numbers keys that are not negative, in the order in which they first occur: a hash table with open addressing.
class Numbering {
 public:
  explicit Numbering(index_t keys) {
    while (slots() < 2 * keys) --shift_;
    key_.assign(slots(), -1), number_.resize(slots());
  }
  std::int64_t operator()(std::int64_t key) {
    std::uint64_t at = (std::uint64_t(key) * 0x9E3779B97F4A7C15u) >> shift_;
    while (key_[at] != key && key_[at] >= 0) at = (at + 1) & (key_.size() - 1);
    if (key_[at] < 0) key_[at] = key, number_[at] = count_++;
    return number_[at];
  }
  std::int64_t count() const { return count_; }

 private:
  index_t slots() const { return index_t(1) << (64 - shift_); }
  int shift_ = 63;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> key_, number_;
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
    Numbering number(index_t(index.size()));
    for (auto& i : index)
      if (i >= 0) i = number(i);
    size = std::max<index_t>(1, index_t(number.count()));
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

// The configuration and the state of `child` in every row as one index, -1 where one is missing.
struct Cells {
  std::vector<std::int64_t> index;
  index_t size;
  bool complete = true;

  Cells(const CodedColumns& data, const Configurations& base, index_t child)
      : index(base.index), size(base.size * data.card[child]) {
    const Code* x = data.code.row(child).data;
    const index_t r = data.card[child];
    for (index_t i = 0; i < data.rows(); ++i) {
      index[i] = index[i] < 0 || x[i] >= r ? -1 : index[i] * r + x[i];
      complete &= index[i] >= 0;
    }
  }
};

// The counts of (configuration, state of the child, state of the other column), without a column if `other` < 0. Four
// rows in a row are counted in tables of their own, so that no row waits for the one before it.
inline void count_family(const CodedColumns& data, const Cells& cells, index_t other, std::vector<double>& count) {
  const Code* y = other < 0 ? nullptr : data.code.row(other).data;
  const index_t width = other < 0 ? 1 : data.card[other], n = data.rows(), size = cells.size * width;
  const bool known = cells.complete && (!y || n == 0 || *std::max_element(y, y + n) < width);
  const index_t tables = known && size <= 2048 ? 4 : 1;
  count.assign(size * tables, 0.0);
  const std::int64_t* cell = cells.index.data();
  if (!known) {
    for (index_t i = 0; i < n; ++i)
      if (cell[i] >= 0 && (!y || y[i] < width)) count[cell[i] * width + (y ? y[i] : 0)] += data.weight_of(i);
    return;
  }
  const auto tally = [&](auto weight) {
    double* table[4];
    for (index_t k = 0; k < 4; ++k) table[k] = count.data() + k % tables * size;
    index_t i = 0;
    for (; y && i + 4 <= n; i += 4)
      for (index_t k = 0; k < 4; ++k) table[k][cell[i + k] * width + y[i + k]] += weight(i + k);
    for (; i < n; ++i) table[0][cell[i] * width + (y ? y[i] : 0)] += weight(i);
  };
  if (data.weight)
    tally([&](index_t i) { return data.weight[i]; });
  else
    tally([](index_t) { return 1.0; });
  for (index_t k = 1; k < tables; ++k)
    for (index_t c = 0; c < size; ++c) count[c] += count[k * size + c];
  count.resize(size);
}

// The score of `child` with the parents `base` and one more of `others` each (-1: none more).
inline void score_families(const CodedColumns& data, index_t child, View<const std::int64_t> base,
                           View<const std::int64_t> others, const ScoreRule& rule, View<double> score) {
  const Configurations configurations(data, base);
  const Cells cells(data, configurations, child);
  std::vector<std::vector<double>> counts(threads_for(others.size));
  parallel_for(others.size, [&](index_t k, int slot) {
    const index_t width = others[k] < 0 ? 1 : data.card[others[k]];
    count_family(data, cells, others[k], counts[slot]);
    score[k] = score_counts(counts[slot].data(), configurations.size, data.card[child], width,
                            configurations.count * double(width), rule);
  });
}

// For each of `others`: the likelihood-ratio statistic G^2 and Pearson's X^2 of its independence of `first` given the
// columns `given`, and the degrees of freedom, without and with the empty rows and columns of each table left out.
inline void test_independence(const CodedColumns& data, index_t first, View<const std::int64_t> given,
                              View<const std::int64_t> others, Grid<double> statistic) {
  const Configurations strata(data, given);
  const Cells cells(data, strata, first);
  const index_t r = data.card[first];
  std::vector<std::vector<double>> counts(threads_for(others.size));
  parallel_for(others.size, [&](index_t k, int slot) {
    const index_t s = data.card[others[k]];
    count_family(data, cells, others[k], counts[slot]);
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

// The contingency table of some columns, the last of them fastest; rows with a missing entry are left out. The indices of
// a block of rows are computed column by column, and every other row is counted in a second table.
inline void count_table(const CodedColumns& data, View<const std::int64_t> columns, View<double> count) {
  constexpr index_t width = 512;
  const index_t n = data.rows();
  const bool split = count.size <= 4096;
  std::vector<double> second(split ? count.size : 0, 0.0);
  double* const tables[2] = {count.data, split ? second.data() : count.data};
  std::fill(count.data, count.data + count.size, 0.0);
  std::uint32_t index[width], missing[width];
  for (index_t begin = 0; begin < n; begin += width) {
    const index_t rows = std::min(width, n - begin);
    std::fill(index, index + rows, 0u), std::fill(missing, missing + rows, 0u);
    for (index_t k = 0; k < columns.size; ++k) {
      const Code* code = data.code.row(columns[k]).data + begin;
      const auto card = std::uint32_t(data.card[columns[k]]);
      for (index_t i = 0; i < rows; ++i) {
        missing[i] |= code[i] >= card;
        index[i] = index[i] * card + code[i];
      }
    }
    for (index_t i = 0; i < rows; ++i)
      if (!missing[i]) tables[i & 1][index[i]] += data.weight_of(begin + i);
  }
  for (index_t c = 0; c < index_t(second.size()); ++c) count[c] += second[c];
}

namespace detail {

inline double entropy_term(double count) { return count > 0 ? count * std::log(count) : 0.0; }

// Columns first to last - 1, each given all others, of which those outside this range make `group`.
inline void saturate(const CodedColumns& data, index_t first, index_t last, const std::vector<std::int64_t>& group,
                     std::int64_t groups, View<double> likelihood) {
  const index_t n = data.rows();
  if (groups == n) return std::fill(likelihood.data + first, likelihood.data + last, 0.0);
  if (last - first == 1) {
    const Code* x = data.code.row(first).data;
    Numbering number(n);
    std::vector<double> whole(groups, 0.0), part(n, 0.0);
    for (index_t i = 0; i < n; ++i) {
      whole[group[i]] += data.weight_of(i);
      part[number((group[i] << 16) + x[i])] += data.weight_of(i);
    }
    double sum = 0;
    for (std::int64_t c = 0; c < number.count(); ++c) sum += entropy_term(part[c]);
    for (const double count : whole) sum -= entropy_term(count);
    likelihood[first] = std::min(sum, 0.0);
    return;
  }
  const index_t middle = (first + last) / 2;
  const auto descend = [&](index_t from, index_t to, index_t begin, index_t end) {
    std::vector<std::int64_t> finer = group;
    std::int64_t count = groups;
    for (index_t v = from; v < to && count < n; ++v) {
      Numbering number(n);
      for (index_t i = 0; i < n; ++i) finer[i] = number((finer[i] << 16) + data.code(v, i));
      count = number.count();
    }
    saturate(data, begin, end, finer, count, likelihood);
  };
  descend(middle, last, first, middle);
  descend(first, middle, middle, last);
}

}  // namespace detail

// The log likelihood of each column given all others, which no choice of its parents exceeds, of rows that are complete.
inline void saturated_likelihoods(const CodedColumns& data, View<double> likelihood) {
  if (data.rows() == 0) return std::fill(likelihood.data, likelihood.data + likelihood.size, 0.0);
  detail::saturate(data, 0, data.code.rows, std::vector<std::int64_t>(data.rows(), 0), 1, likelihood);
}

}  // namespace learnable
