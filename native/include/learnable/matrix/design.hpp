// Designs: the matrix X of a linear model behind one small interface, so that an algorithm is written once.
//
//   X.rows  X.columns        sizes
//   X.dot(j, v)              x_j . v           v of length rows
//   X.axpy(j, a, v)          v += a x_j
//   X.squared_norm(j)        x_j . x_j
//
// x_j is column j. Entries are float or double; every sum is in double, in an order that depends on the sizes alone.
#pragma once

#include <cstdint>
#include <memory>

#include "learnable/matrix/view.hpp"

namespace learnable {

// x . v over n entries, in eight running sums so that the loop can be vectorised without reordering by the compiler.
template <class T, class U>
inline double dot(const T* x, const U* v, index_t n) {
  double sums[8] = {};
  index_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane) sums[lane] += double(x[i + lane]) * double(v[i + lane]);
  double tail = 0;
  for (; i < n; ++i) tail += double(x[i]) * double(v[i]);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + tail;
}

// Dense, columns contiguous; column j starts at data + j * stride.
template <class T>
struct ColumnMajor {
  static constexpr bool dense = true;
  const T* data;
  index_t rows, columns, stride;

  View<const T> column(index_t j) const { return {data + j * stride, rows}; }
  double dot(index_t j, View<const double> v) const { return learnable::dot(data + j * stride, v.data, rows); }
  void axpy(index_t j, double a, View<double> v) const {
    const T* x = data + j * stride;
    for (index_t i = 0; i < rows; ++i) v[i] += a * double(x[i]);
  }
  double squared_norm(index_t j) const { return learnable::dot(data + j * stride, data + j * stride, rows); }
};

// Dense, rows contiguous; row i starts at data + i * stride. Column access is strided: correct, but slow for many rows.
template <class T>
struct RowMajor {
  static constexpr bool dense = true;
  const T* data;
  index_t rows, columns, stride;

  View<const T> row(index_t i) const { return {data + i * stride, columns}; }
  double dot(index_t j, View<const double> v) const {
    double sum = 0;
    for (index_t i = 0; i < rows; ++i) sum += double(data[i * stride + j]) * v[i];
    return sum;
  }
  void axpy(index_t j, double a, View<double> v) const {
    for (index_t i = 0; i < rows; ++i) v[i] += a * double(data[i * stride + j]);
  }
  double squared_norm(index_t j) const {
    double sum = 0;
    for (index_t i = 0; i < rows; ++i) sum += double(data[i * stride + j]) * double(data[i * stride + j]);
    return sum;
  }
};

// Index of a row or column of a sparse matrix. The number of entries may exceed its range, that of lines may not.
using line_t = std::int32_t;

// Compressed sparse columns: column j holds value[k] at row index[k] for start[j] <= k < start[j + 1].
template <class T>
struct SparseColumns {
  static constexpr bool dense = false;
  index_t rows, columns;
  const T* value;
  const line_t* index;
  const index_t* start;
  bool sorted = false;               // whether the rows of each column ascend
  std::shared_ptr<const void> kept{};  // owner of start and index, if they are copies

  double dot(index_t j, View<const double> v) const {
    double sum = 0;
    for (index_t k = start[j]; k < start[j + 1]; ++k) sum += double(value[k]) * v[index[k]];
    return sum;
  }
  void axpy(index_t j, double a, View<double> v) const {
    for (index_t k = start[j]; k < start[j + 1]; ++k) v[index[k]] += a * double(value[k]);
  }
  double squared_norm(index_t j) const {
    return learnable::dot(value + start[j], value + start[j], index_t(start[j + 1] - start[j]));
  }
};

// Compressed sparse rows: row i holds value[k] at column index[k] for start[i] <= k < start[i + 1]. Rows only.
template <class T>
struct SparseRows {
  static constexpr bool dense = false;
  index_t rows, columns;
  const T* value;
  const line_t* index;
  const index_t* start;
  bool sorted = false;               // whether the columns of each row ascend
  std::shared_ptr<const void> kept{};  // owner of start and index, if they are copies
};

}  // namespace learnable
