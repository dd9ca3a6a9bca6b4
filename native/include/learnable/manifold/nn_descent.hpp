// Nearest neighbour descent: neighbours of neighbours are likely neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable {

struct NeighbourLists {
  Grid<const std::int64_t> near;             // of each row
  View<const std::int64_t> start, reversed;  // rows that have row i in their lists, from start[i] up to start[i + 1]
};

namespace detail {

// The sorted candidates of a row: its lists, and those of the rows in them.
inline void collect_candidates(const NeighbourLists& lists, index_t row, std::vector<std::int64_t>& found) {
  found.clear();
  const auto add_lists_of = [&](index_t i) {
    for (const std::int64_t other : lists.near.row(i)) found.push_back(other);
    const std::int64_t first = lists.start[i], count = lists.start[i + 1] - first, most = lists.near.columns;
    for (std::int64_t k = 0; k < std::min(count, most); ++k)  // of many, some spread over all
      found.push_back(lists.reversed[first + (count > most ? k * count / most : k)]);
  };
  add_lists_of(row);
  const std::size_t own = found.size();
  for (std::size_t k = 0; k < own; ++k) add_lists_of(index_t(found[k]));
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace detail

// next(i, :) = the nearest of the candidates of row i, with their squared distances, nearest first, of equal ones the
// first row. A row without enough candidates keeps infinite distances. Returns how many neighbours were not in `near`.
inline std::int64_t descend_neighbours(Grid<const double> X, const NeighbourLists& lists, Grid<std::int64_t> next,
                                       Grid<double> square) {
  const Blocks blocks(X.rows, 32);
  std::vector<std::int64_t> fresh(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<std::int64_t> candidates;
    std::vector<std::pair<double, std::int64_t>> nearest;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      detail::collect_candidates(lists, i, candidates);
      nearest.clear();
      const double* x = X.data + i * X.stride;
      for (const std::int64_t other : candidates) {
        if (other == i) continue;
        const double* z = X.data + other * X.stride;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (index_t c = 0; c < X.columns; ++c) sum += (x[c] - z[c]) * (x[c] - z[c]);
        nearest.emplace_back(sum, other);
      }
      const std::size_t kept = std::min(nearest.size(), std::size_t(next.columns));
      std::partial_sort(nearest.begin(), nearest.begin() + std::ptrdiff_t(kept), nearest.end());
      const auto before = lists.near.row(i);
      for (std::size_t k = 0; k < kept; ++k) {
        next(i, index_t(k)) = nearest[k].second;
        square(i, index_t(k)) = nearest[k].first;
        fresh[std::size_t(block)] += std::find(before.begin(), before.end(), nearest[k].second) == before.end();
      }
      for (index_t k = index_t(kept); k < next.columns; ++k) {
        next(i, k) = lists.near(i, k);
        square(i, k) = std::numeric_limits<double>::infinity();
      }
    }
  });
  std::int64_t sum = 0;
  for (const std::int64_t count : fresh) sum += count;
  return sum;
}

}  // namespace learnable
