// Isotonic regression: pool adjacent violators.
#pragma once

#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// fitted minimises sum weight (y - fitted)^2 over nondecreasing sequences. Weights are positive. O(n).
inline void pool_adjacent_violators(View<const double> y, View<const double> weight, View<double> fitted) {
  struct Pool {
    double mean, weight;
    index_t end;
  };
  std::vector<Pool> pools;
  for (index_t i = 0; i < y.size; ++i) {
    Pool last{y[i], weight[i], i + 1};
    while (!pools.empty() && pools.back().mean >= last.mean) {
      const Pool before = pools.back();
      pools.pop_back();
      const double both = before.weight + last.weight;
      last = {before.mean + (last.mean - before.mean) * (last.weight / both), both, last.end};
    }
    pools.push_back(last);
  }
  index_t i = 0;
  for (const Pool& pool : pools)
    for (; i < pool.end; ++i) fitted[i] = pool.mean;
}

}  // namespace learnable
