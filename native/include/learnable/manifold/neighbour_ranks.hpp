// Ranks of given neighbours by distance, for measures of how well an embedding keeps neighbourhoods.
#pragma once

#include <cstdint>

#include "learnable/threads/parallel.hpp"

namespace learnable {

// rank(i, j) = the position of row neighbour(i, j) among all rows but `first + i`, by the distances of row i of the
// table, from 1 on; of equal distances the first row comes first.
inline void neighbour_ranks(Grid<const double> table, index_t first, Grid<const std::int64_t> neighbour,
                            Grid<std::int64_t> rank) {
  const Blocks blocks(table.rows, 4);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* distance = table.data + i * table.stride;
      const index_t self = first + i;
      for (index_t k = 0; k < neighbour.columns; ++k) {
        const index_t row = neighbour(i, k);
        const double own = distance[row];
        std::int64_t nearer = 0;
#pragma omp simd reduction(+ : nearer)
        for (index_t j = 0; j < row; ++j) nearer += distance[j] <= own;
#pragma omp simd reduction(+ : nearer)
        for (index_t j = row + 1; j < table.columns; ++j) nearer += distance[j] < own;
        if (self != row) nearer -= self < row ? distance[self] <= own : distance[self] < own;
        rank(i, k) = nearer + 1;
      }
    }
  });
}

}  // namespace learnable
