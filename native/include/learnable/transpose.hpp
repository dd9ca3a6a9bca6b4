// Sparse rows that also know their columns: what a product X'X of a sparse matrix walks over.
#pragma once

#include <vector>

#include "learnable/design.hpp"
#include "learnable/view.hpp"

namespace learnable {

// Entry e of column j (column[j] <= e < column[j + 1]) stands in row row[e], at place[e] of the sorted sparse rows.
template <class T>
struct CrossedSparse {
  index_t rows, columns;
  std::vector<index_t> start, index, column, row, place;
  std::vector<T> value;

  SparseRows<T, index_t> by_rows() const { return {rows, columns, value.data(), index.data(), start.data()}; }
};

namespace detail {

// Turns counts into starts: first[k] becomes the sum of the counts before k.
inline void counts_to_starts(std::vector<index_t>& first) {
  index_t sum = 0;
  for (index_t& count : first) sum += std::exchange(count, sum);
}

template <class T>
CrossedSparse<T> empty_crossed(index_t rows, index_t columns, index_t entries) {
  CrossedSparse<T> crossed{rows, columns, {}, {}, {}, {}, {}, {}};
  crossed.start.assign(rows + 1, 0);
  crossed.column.assign(columns + 1, 0);
  for (auto* list : {&crossed.index, &crossed.row, &crossed.place}) list->resize(entries);
  crossed.value.resize(entries);
  return crossed;
}

}  // namespace detail

// From sparse columns: rows come out sorted because columns are taken in order. Cost: a few passes over the entries.
template <class T, class Index>
CrossedSparse<T> crossed(const SparseColumns<T, Index>& X) {
  const index_t entries = X.start[X.columns];
  auto result = detail::empty_crossed<T>(X.rows, X.columns, entries);
  for (index_t e = 0; e < entries; ++e) ++result.start[X.index[e]];
  detail::counts_to_starts(result.start);
  std::vector<index_t> next(result.start);
  for (index_t j = 0; j < X.columns; ++j) {
    result.column[j + 1] = X.start[j + 1];
    for (index_t e = X.start[j]; e < X.start[j + 1]; ++e) {
      const index_t place = next[X.index[e]]++;
      result.index[place] = j;
      result.value[place] = X.value[e];
      result.row[e] = X.index[e];
      result.place[e] = place;
    }
  }
  return result;
}

// From sparse rows, by way of their columns, so that rows come out sorted whatever order they had.
template <class T, class Index>
CrossedSparse<T> crossed(const SparseRows<T, Index>& X) {
  const index_t entries = X.start[X.rows];
  std::vector<index_t> start(X.columns + 1, 0), index(entries);
  std::vector<T> value(entries);
  for (index_t e = 0; e < entries; ++e) ++start[X.index[e]];
  detail::counts_to_starts(start);
  std::vector<index_t> next(start);
  for (index_t i = 0; i < X.rows; ++i)
    for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) {
      const index_t place = next[X.index[e]]++;
      index[place] = i;
      value[place] = X.value[e];
    }
  return crossed(SparseColumns<T, index_t>{X.rows, X.columns, value.data(), index.data(), start.data()});
}

}  // namespace learnable
