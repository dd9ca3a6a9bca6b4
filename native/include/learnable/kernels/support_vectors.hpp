// What stands before and after the solver of a support vector classifier: bounds of its variables, support vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Variables with the signs of their classes, between zero and price times weight (zero without weight, whatever the
// price), and the slopes q of the hinge.
inline void hinge_box(View<const double> sign, View<const double> weight, double price, View<double> low,
                      View<double> high, View<double> q) {
  for (index_t i = 0; i < sign.size; ++i) {
    const double most = weight[i] > 0 ? sign[i] * (price * weight[i]) : 0;
    low[i] = std::min(most, 0.0), high[i] = std::max(most, 0.0), q[i] = -sign[i];
  }
}

// The rows that some decision uses, class by class, at the beginning of `order`, and how many of each class they are.
// Codes are below counts.size. Returns how many there are.
inline index_t support_order(Grid<const double> decisions, View<const std::int64_t> code, View<std::int32_t> counts,
                             View<std::int64_t> order) {
  std::fill(counts.begin(), counts.end(), 0);
  std::vector<char> used(code.size, 0);
  for (index_t pair = 0; pair < decisions.rows; ++pair)
    for (index_t i = 0; i < code.size; ++i) used[i] |= decisions(pair, i) != 0;
  for (index_t i = 0; i < code.size; ++i) counts[code[i]] += used[i];
  std::vector<index_t> place(counts.size + 1, 0);
  for (index_t k = 0; k < counts.size; ++k) place[k + 1] = place[k] + counts[k];
  const index_t total = place[counts.size];
  for (index_t i = 0; i < code.size; ++i)
    if (used[i]) order[place[code[i]]++] = i;
  return total;
}

}  // namespace learnable
