// What the nodes of trees of classes tell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Of shares that add up to one: the Gini impurity, or the entropy in bits.
inline double impurity_of(View<const double> shares, bool gini) {
  double sum = 0;
  for (const double share : shares) sum += gini ? share * share : share > 0 ? share * std::log2(share) : 0;
  return gini ? 1 - sum : -sum;
}

// The rows of `sums` are the weight of a node, that of each class of each target, and a last number; of two classes only
// the second is told. value(node, t * widest + c) becomes the share of class c of target t, impurity the mean over the
// targets; `value` is to be zero before.
inline void share_classes(Grid<const double> sums, View<const std::int64_t> sizes, bool gini, Grid<double> value,
                          View<double> impurity, View<double> weight) {
  const index_t widest = value.columns / sizes.size;
  const bool two = sizes.size == 1 && sizes[0] == 2;
  const Blocks blocks(sums.rows, 8192);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t node = blocks.begin(block); node < blocks.end(block); ++node) {
      const double *told = sums.row(node).data, total = told[0];
      double* share = value.row(node).data;
      double impure = 0;
      for (index_t t = 0, from = 1; t < sizes.size; from += sizes[t++]) {
        for (index_t c = 0; c < sizes[t]; ++c) {
          const double here = two ? (c == 0 ? total - told[1] : told[1]) : told[from + c];
          share[t * widest + c] = std::max(here, 0.0) / total;
        }
        impure += impurity_of({share + t * widest, index_t(sizes[t])}, gini);
      }
      impurity[node] = impure / double(sizes.size);
      weight[node] = total;
    }
  });
}

}  // namespace learnable
