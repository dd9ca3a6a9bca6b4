// Rows sorted by class.
#pragma once

#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Rows of class k, in their order, are order[start[k]] ... order[start[k + 1] - 1].
struct ClassOrder {
  std::vector<index_t> order, start;

  ClassOrder(View<const std::int64_t> code, index_t classes) : order(code.size), start(classes + 1, 0) {
    for (const std::int64_t k : code) ++start[k + 1];
    for (index_t k = 0; k < classes; ++k) start[k + 1] += start[k];
    std::vector<index_t> next(start.begin(), start.end() - 1);
    for (index_t i = 0; i < code.size; ++i) order[next[code[i]]++] = i;
  }

  View<const index_t> rows(index_t k) const { return {order.data() + start[k], start[k + 1] - start[k]}; }
};

}  // namespace learnable
