// Columns as ranks: a tree depends on numeric values only through their order.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/radix_sort.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The sorted distinct values of each column; NaN is not among them and has the rank after the last.
using Levels = std::vector<std::vector<double>>;

namespace detail {

struct KeyedRow {
  std::uint64_t key;
  std::uint32_t row;
};

// Order-preserving integer keys of numbers; both zeros have the same key.
inline std::uint64_t ordered_key(double value) {
  if (value == 0) value = 0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | (std::uint64_t(1) << 63);
}

inline double number_of(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t(1) << 63) : ~key);
}

template <class Matrix>
std::vector<double> rank_column(const Matrix& X, index_t column, std::uint32_t* ranks) {
  std::vector<KeyedRow> order(X.rows), spare(X.rows);
  index_t present = 0;
  for (index_t i = 0; i < X.rows; ++i) {
    const double value = X(i, column);
    if (!std::isnan(value)) order[present++] = {ordered_key(value), std::uint32_t(i)};
  }
  radix_sort(order.data(), spare.data(), present, [](const KeyedRow& placed) { return placed.key; });
  std::vector<double> levels;
  for (index_t k = 0; k < present; ++k) {
    if (k == 0 || order[k].key != order[k - 1].key) levels.push_back(number_of(order[k].key));
    ranks[order[k].row] = std::uint32_t(levels.size() - 1);
  }
  if (present < X.rows)
    for (index_t i = 0; i < X.rows; ++i)
      if (std::isnan(double(X(i, column)))) ranks[i] = std::uint32_t(levels.size());
  return levels;
}

}  // namespace detail

// ranks(j, i) is the rank of X(i, j) among the levels of column j, which are returned.
template <class Matrix>
Levels rank_columns(const Matrix& X, Grid<std::uint32_t> ranks) {
  Levels levels(X.columns);
  parallel_if(X.rows * X.columns > 20'000, X.columns,
              [&](index_t j, int) { levels[j] = detail::rank_column(X, j, ranks.row(j).data); });
  return levels;
}

}  // namespace learnable
