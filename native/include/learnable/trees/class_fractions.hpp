// Class fractions and impurities of the nodes of classification trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The Gini impurity of fractions of sum one, or their entropy in bits.
inline double impurity_of(View<const double> fractions, bool gini) {
  double sum = 0;
  for (const double fraction : fractions) sum += gini ? fraction * fraction : fraction > 0
      ? fraction * std::log2(fraction) : 0;
  return gini ? 1 - sum : -sum;
}

// The rows of `sums` are the weight of a node, that of each class of each target, and a last value; of two classes only
// the second is stored. value(node, t * widest + c) becomes the fraction of class c of target t, impurity the mean over
// the targets; `value` must be zero before.
inline void compute_class_fractions(Grid<const double> sums, View<const std::int64_t> sizes, bool gini,
                                    Grid<double> value,
                          View<double> impurity, View<double> weight) {
  const index_t widest = value.columns / sizes.size;
  const bool two = sizes.size == 1 && sizes[0] == 2;
  const Blocks blocks(sums.rows, 8192);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t node = blocks.begin(block); node < blocks.end(block); ++node) {
      const double *node_sums = sums.row(node).data, total = node_sums[0];
      double* fraction = value.row(node).data;
      double impure = 0;
      for (index_t t = 0, from = 1; t < sizes.size; from += sizes[t++]) {
        for (index_t c = 0; c < sizes[t]; ++c) {
          const double here = two ? (c == 0 ? total - node_sums[1] : node_sums[1]) : node_sums[from + c];
          fraction[t * widest + c] = std::max(here, 0.0) / total;
        }
        impure += impurity_of({fraction + t * widest, index_t(sizes[t])}, gini);
      }
      impurity[node] = impure / double(sizes.size);
      weight[node] = total;
    }
  });
}

}  // namespace learnable
