// Small inputs of a kernel (targets, weights, coefficients): float or double, any strides, read as double.
#pragma once

#include <cmath>
#include <stdexcept>

#include "learnable/matrix/view.hpp"

namespace learnable {

struct Numbers {
  const void* data = nullptr;
  index_t rows = 0, columns = 0;
  index_t down = 0, across = 0;  // strides, in entries
  bool f64 = true;              // double, else float

  explicit operator bool() const { return data != nullptr; }

  double operator()(index_t i, index_t j = 0) const {
    const index_t at = i * down + j * across;
    return f64 ? static_cast<const double*>(data)[at] : double(static_cast<const float*>(data)[at]);
  }
};

inline Numbers numbers_of(Grid<const double> table) {
  return {table.data, table.rows, table.columns, table.stride, 1, true};
}

// Row i of a table whose rows are contiguous, as doubles: the row itself, or a copy in `room`.
inline const double* read_row(const Numbers& table, index_t i, double* room) {
  if (table.f64) return static_cast<const double*>(table.data) + i * table.down;
  const float* row = static_cast<const float*>(table.data) + i * table.down;
  for (index_t j = 0; j < table.columns; ++j) room[j] = double(row[j]);
  return room;
}

// roots[k] = sqrt of the weight of row begin + k, or 1 where there are no weights. Returns the sum of the weights.
[[gnu::noinline]] inline double read_roots(const Numbers& weight, index_t begin, index_t count, double* roots) {
  if (!weight) {
    for (index_t k = 0; k < count; ++k) roots[k] = 1;
    return double(count);
  }
  double total = 0;
  for (index_t k = 0; k < count; ++k) {
    const double w = weight(begin + k);
    if (w < 0) throw std::invalid_argument("weights must not be negative");
    total += w;
    roots[k] = std::sqrt(w);
  }
  return total;
}

}  // namespace learnable
