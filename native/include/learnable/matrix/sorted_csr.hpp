// Sparse rows whose entries are sorted by column, from any sparse storage.
#pragma once

#include <utility>
#include <vector>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

template <class T>
struct SortedRows {
  std::vector<index_t> start;
  std::vector<line_t> index;
  std::vector<T> value;

  SparseRows<T> design(index_t rows, index_t columns) const {
    return {rows, columns, value.data(), index.data(), start.data(), true};
  }
};

// The transpose of compressed storage with `lines` lines (rows or columns) into `other` lines of the other kind. Lines
// are read in order, so each new line is sorted. Cost: three passes over the entries.
template <class T>
SortedRows<T> transposed(index_t lines, index_t other, const T* value, const line_t* index, const index_t* start) {
  const index_t entries = start[lines];
  SortedRows<T> made{std::vector<index_t>(other + 1, 0), std::vector<line_t>(entries), std::vector<T>(entries)};
  for (index_t e = 0; e < entries; ++e) ++made.start[index[e]];
  index_t sum = 0;
  for (index_t& count : made.start) sum += std::exchange(count, sum);
  std::vector<index_t> next(made.start);
  for (index_t line = 0; line < lines; ++line) {
    if (line % 4096 == 4095) poll_interrupt();
    for (index_t e = start[line]; e < start[line + 1]; ++e) {
      const index_t position = next[index[e]]++;
      made.index[position] = line_t(line);
      made.value[position] = value[e];
    }
  }
  return made;
}

// Calls f(rows) with X as sorted sparse rows; nothing is copied if that is what X is.
template <class T, class F>
auto with_sorted_rows(const SparseColumns<T>& X, F&& f) {
  const auto made = transposed(X.columns, X.rows, X.value, X.index, X.start);
  return f(made.design(X.rows, X.columns));
}

template <class T, class F>
auto with_sorted_rows(const SparseRows<T>& X, F&& f) {
  if (X.sorted) return f(X);
  const auto columns = transposed(X.rows, X.columns, X.value, X.index, X.start);
  const auto made = transposed(X.columns, X.rows, columns.value.data(), columns.index.data(), columns.start.data());
  return f(made.design(X.rows, X.columns));
}

}  // namespace learnable
