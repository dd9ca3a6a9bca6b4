// TF-IDF weighting: sparse rows scaled by column and normalised.
#pragma once

#include <cmath>
#include <cstdint>

#include "learnable/threads/parallel.hpp"

namespace learnable {

enum class RowNorm { none, l1, l2 };

// value <- log(value) + 1 if sublinear; then times weight[column] if there are weights; then each row over its norm.
// A row whose norm is zero stays as it is. Sums run over a row in order, in double precision.
template <class T, class Index>
void tfidf_rows(View<const Index> start, View<const Index> index, View<const T> weight, bool sublinear, RowNorm norm,
                View<T> value) {
  const Blocks blocks(start.size - 1, 256);
  parallel_if(value.size > 20'000, blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      double sum = 0;
      for (index_t j = start[i]; j < index_t(start[i + 1]); ++j) {
        if (sublinear) value[j] = std::log(value[j]) + T(1);
        if (weight) value[j] *= weight[index[j]];
        const double entry = double(value[j]);
        sum += norm == RowNorm::l1 ? std::abs(entry) : entry * entry;
      }
      if (norm == RowNorm::none || sum == 0) continue;
      const double length = norm == RowNorm::l1 ? sum : std::sqrt(sum);
      for (index_t j = start[i]; j < index_t(start[i + 1]); ++j) value[j] = T(double(value[j]) / length);
    }
  });
}

}  // namespace learnable
