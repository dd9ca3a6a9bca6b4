// Weighted sums of squares of the columns of a design.
#pragma once

#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/products.hpp"

namespace learnable {

namespace detail {

template <class T>
void add_squares(const RowMajor<T>& X, index_t begin, index_t end, View<const double> weight, double* out) {
  for (index_t i = begin; i < end; ++i) {
    const T* row = X.data + i * X.stride;
    const double w = weight[i];
#pragma omp simd
    for (index_t j = 0; j < X.columns; ++j) out[j] += w * (double(row[j]) * double(row[j]));
  }
}

template <class T>
void add_squares(const ColumnMajor<T>& X, index_t begin, index_t end, View<const double> weight, double* out) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* column = X.data + j * X.stride;
    double sums[8] = {}, rest = 0;
    index_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (int lane = 0; lane < 8; ++lane)
        sums[lane] += weight[i + lane] * (double(column[i + lane]) * double(column[i + lane]));
    for (; i < end; ++i) rest += weight[i] * (double(column[i]) * double(column[i]));
    out[j] += ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
  }
}

template <class T>
void add_squares(const SparseRows<T>& X, index_t begin, index_t end, View<const double> weight, double* out) {
  for (index_t i = begin; i < end; ++i)
    for (index_t e = X.start[i]; e < X.start[i + 1]; ++e)
      out[X.index[e]] += weight[i] * (double(X.value[e]) * double(X.value[e]));
}

}  // namespace detail

// out[j] = sum over rows of weight x_ij^2. One pass; blocks of rows are added in order.
template <class Design>
void weighted_squares(const Design& X, View<const double> weight, View<double> out) {
  const Blocks blocks = detail::summing_blocks(X.rows, detail::entries(X), X.columns);
  std::vector<Buffer> parts;
  for (index_t block = 0; block < blocks.count; ++block) parts.emplace_back(X.columns, 0);
  parallel_for(blocks.count, [&](index_t block, int) {
    detail::add_squares(X, blocks.begin(block), blocks.end(block), weight, parts[block].data());
  });
  for (index_t j = 0; j < X.columns; ++j) {
    out[j] = 0;
    for (const Buffer& part : parts) out[j] += part[j];
  }
}

// The same by columns: each entry of the result belongs to one column.
template <class T>
void weighted_squares(const SparseColumns<T>& X, View<const double> weight, View<double> out) {
  for (index_t j = 0; j < X.columns; ++j) {
    out[j] = 0;
    for (index_t e = X.start[j]; e < X.start[j + 1]; ++e)
      out[j] += weight[X.index[e]] * (double(X.value[e]) * double(X.value[e]));
  }
}

}  // namespace learnable
