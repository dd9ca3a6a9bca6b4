// The largest entries of each row of a matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// best(i, :) = the columns of the largest entries of row i, the largest first, of equal ones the first; NaN is the least.
// A heap holds the best so far with the worst of them on top: most entries only meet one comparison with it.
inline void best_columns(Grid<const double> scores, Grid<std::int64_t> best) {
  struct Scored {
    double value;
    std::int64_t column;
    bool operator<(const Scored& other) const {
      return value > other.value || (value == other.value && column < other.column);
    }
  };
  const index_t n = best.columns;
  if (n == 0) return;
  const Blocks blocks(scores.rows, 16);
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<Scored> heap(static_cast<std::size_t>(n));
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* row = scores.data + i * scores.stride;
      for (index_t j = 0; j < n; ++j)
        heap[j] = {std::isnan(row[j]) ? -std::numeric_limits<double>::infinity() : row[j], j};
      std::make_heap(heap.begin(), heap.end());
      double worst = heap.front().value;
      for (index_t j = n; j < scores.columns; ++j) {
        for (int above = 0; j + 16 <= scores.columns; j += 16) {
          for (index_t k = j; k < j + 16; ++k) above |= row[k] > worst;
          if (above) break;
        }
        if (j == scores.columns) break;
        if (!(row[j] > worst)) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = {row[j], j};
        std::push_heap(heap.begin(), heap.end());
        worst = heap.front().value;
      }
      std::sort_heap(heap.begin(), heap.end());
      for (index_t k = 0; k < n; ++k) best(i, k) = heap[k].column;
    }
  });
}

}  // namespace learnable
