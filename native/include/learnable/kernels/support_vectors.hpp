// Before and after the solver of a support vector classifier: bounds of its variables, support vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Variables with the signs of their classes, between zero and cost times weight (zero without weight, also for an
// infinite cost), and the linear terms q of the hinge.
inline void svc_bounds(View<const double> sign, View<const double> weight, double cost, View<double> low,
                      View<double> high, View<double> q) {
  for (index_t i = 0; i < sign.size; ++i) {
    const double bound = weight[i] > 0 ? sign[i] * (cost * weight[i]) : 0;
    low[i] = std::min(bound, 0.0), high[i] = std::max(bound, 0.0), q[i] = -sign[i];
  }
}

// The rows that are support vectors of some decision, class by class, at the front of `order`, and their number per
// class. Codes are below counts.size. Returns their number.
inline index_t support_order(Grid<const double> decisions, View<const std::int64_t> code, View<std::int32_t> counts,
                             View<std::int64_t> order) {
  std::fill(counts.begin(), counts.end(), 0);
  std::vector<char> used(code.size, 0);
  for (index_t pair = 0; pair < decisions.rows; ++pair)
    for (index_t i = 0; i < code.size; ++i) used[i] |= decisions(pair, i) != 0;
  for (index_t i = 0; i < code.size; ++i) counts[code[i]] += used[i];
  std::vector<index_t> position(counts.size + 1, 0);
  for (index_t k = 0; k < counts.size; ++k) position[k + 1] = position[k] + counts[k];
  const index_t total = position[counts.size];
  for (index_t i = 0; i < code.size; ++i)
    if (used[i]) order[position[code[i]]++] = i;
  return total;
}

}  // namespace learnable
