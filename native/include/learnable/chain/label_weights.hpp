// Scores of labels that are sums over the attributes of a token, and sums over tokens for the gradient.
//
// An attribute has weights for some labels: entries offset[a] to offset[a + 1] of `label` and of the weights. One with
// many of them is handled as a whole row of labels, which takes vectors; one with few, entry by entry.
#pragma once

#include <cstdint>

#include "learnable/chain/lattice.hpp"

namespace learnable {

constexpr index_t tokens_per_block = 512, occurrences_per_block = 16384;

// Attributes of tokens, or tokens of attributes: entries start[i] to start[i + 1] of `index`, with values (none: ones).
struct Incidence {
  View<const std::int64_t> start;
  View<const std::int32_t> index;
  View<const double> value;

  index_t rows() const { return start.size - 1; }
  double at(index_t entry) const { return value ? value[entry] : 1.0; }
};

struct LabelTable {
  View<const std::int64_t> offset;  // an attribute's first entry
  View<const std::int32_t> label;
  index_t labels;

  index_t attributes() const { return offset.size - 1; }
  index_t entries(index_t attribute) const { return index_t(offset[attribute + 1] - offset[attribute]); }
  bool whole(index_t attribute) const { return 3 * entries(attribute) > labels; }
};

// The weights of attributes that are handled as whole rows; the others have the row -1.
class WholeRows {
 public:
  WholeRows(const LabelTable& table, View<const double> weight) : row_(table.attributes(), -1) {
    index_t count = 0;
    for (index_t a = 0; a < table.attributes(); ++a)
      if (table.whole(a)) row_[a] = std::int32_t(count++);
    rows_.assign(count * table.labels, 0.0);
    for (index_t a = 0; a < table.attributes(); ++a)
      if (row_[a] >= 0)
        for (std::int64_t f = table.offset[a]; f < table.offset[a + 1]; ++f)
          rows_[row_[a] * table.labels + table.label[f]] = weight[f];
    labels_ = table.labels;
  }
  const double* find(index_t attribute) const {
    return row_[attribute] >= 0 ? &rows_[row_[attribute] * labels_] : nullptr;
  }

 private:
  std::vector<std::int32_t> row_;
  std::vector<double> rows_;
  index_t labels_;
};

// score(t, y) = sum of value * weight over the attributes of token t.
inline void score_labels(const Incidence& tokens, const LabelTable& table, View<const double> weight,
                         Grid<double> score) {
  const WholeRows whole(table, weight);
  const Blocks blocks(tokens.rows(), tokens_per_block);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t t = blocks.begin(block); t < blocks.end(block); ++t) {
      double* out = &score(t, 0);
      std::fill_n(out, table.labels, 0.0);
      for (std::int64_t e = tokens.start[t]; e < tokens.start[t + 1]; ++e) {
        const index_t a = tokens.index[e];
        const double value = tokens.at(e);
        if (const double* row = whole.find(a)) {
          for (index_t y = 0; y < table.labels; ++y) out[y] += value * row[y];
        } else {
          for (std::int64_t f = table.offset[a]; f < table.offset[a + 1]; ++f) out[table.label[f]] += value * weight[f];
        }
      }
    }
  });
}

// Consecutive attributes with at least occurrences_per_block occurrences together.
inline std::vector<index_t> attribute_blocks(const Incidence& attributes) {
  std::vector<index_t> first{0};
  for (index_t a = 0; a < attributes.rows(); ++a)
    if (attributes.start[a + 1] - attributes.start[first.back()] >= occurrences_per_block) first.push_back(a + 1);
  if (first.back() < attributes.rows()) first.push_back(attributes.rows());
  return first;
}

// gradient[f] = sum of value * residual(t, label) over the tokens t of the attribute of f.
inline void sum_by_attribute(const Incidence& attributes, const LabelTable& table, Grid<const double> residual,
                             View<double> gradient) {
  const std::vector<index_t> first = attribute_blocks(attributes);
  parallel_for(index_t(first.size()) - 1, [&](index_t block, int) {
    std::vector<double> total(table.labels);
    for (index_t a = first[block]; a < first[block + 1]; ++a) {
      const std::int64_t from = table.offset[a], to = table.offset[a + 1];
      if (!table.whole(a)) {
        for (std::int64_t f = from; f < to; ++f) {
          double sum = 0;
          for (std::int64_t e = attributes.start[a]; e < attributes.start[a + 1]; ++e)
            sum += attributes.at(e) * residual(attributes.index[e], table.label[f]);
          gradient[f] = sum;
        }
        continue;
      }
      std::fill(total.begin(), total.end(), 0.0);
      for (std::int64_t e = attributes.start[a]; e < attributes.start[a + 1]; ++e) {
        const double value = attributes.at(e), *row = &residual(attributes.index[e], 0);
        for (index_t y = 0; y < table.labels; ++y) total[y] += value * row[y];
      }
      for (std::int64_t f = from; f < to; ++f) gradient[f] = total[table.label[f]];
    }
  });
}

}  // namespace learnable
