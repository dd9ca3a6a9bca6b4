// The transpose of a sparse matrix.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Writes the entries of X column by column, each column in the order of rows: start (columns + 1), index and value as
// many as X has entries. Two passes over X, divided among threads by rows; the result does not depend on their number.
template <class T>
void transpose(const SparseRows<T>& X, index_t* start, line_t* index, T* value) {
  const index_t entries = X.start[X.rows], p = X.columns;
  const index_t parts = threads_for(std::min<index_t>(entries / (1 << 16) + 1, 8));
  const auto first_row = [&](index_t part) {
    return index_t(std::lower_bound(X.start, X.start + X.rows, entries * part / parts) - X.start);
  };
  std::vector<std::vector<index_t>> position(parts);
  parallel_for(parts, [&](index_t part, int) {
    std::vector<index_t>& count = position[part];
    count.assign(std::size_t(p), 0);
    const index_t end = X.start[part + 1 == parts ? X.rows : first_row(part + 1)];
    for (index_t e = X.start[first_row(part)]; e < end; ++e) {
      if (X.index[e] < 0 || X.index[e] >= p) throw std::invalid_argument("indices must be those of columns");
      ++count[X.index[e]];
    }
  });
  index_t before = 0;
  for (index_t j = 0; j < p; ++j) {
    start[j] = before;
    for (index_t part = 0; part < parts; ++part) before += std::exchange(position[part][j], before);
  }
  start[p] = before;
  parallel_for(parts, [&](index_t part, int) {
    std::vector<index_t>& next = position[part];
    const index_t last = part + 1 == parts ? X.rows : first_row(part + 1);
    for (index_t i = first_row(part); i < last; ++i)
      for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) {
        const index_t at = next[X.index[e]]++;
        index[at] = line_t(i);
        value[at] = X.value[e];
      }
  });
}

}  // namespace learnable
