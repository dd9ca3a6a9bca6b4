// Kernel matrices of two dense matrices: products or distances in blocks, transformed while they are in the cache.
#pragma once

#include <algorithm>

#include "learnable/kernels/kernel_functions.hpp"
#include "learnable/neighbors/columnwise_distances.hpp"
#include "learnable/neighbors/euclidean_distances.hpp"

namespace learnable {

namespace detail {

// Writes a block, and its mirror image if X and Y are the same and it is not on the diagonal.
template <class T>
void write_block(Grid<double> block, index_t row, index_t column, bool same, Grid<T> out) {
  for (index_t i = 0; i < block.rows; ++i) {
    T* to = &out(row + i, column);
    const double* from = &block(i, 0);
    for (index_t j = 0; j < block.columns; ++j) to[j] = T(from[j]);
  }
  if (!same) return;
  for (index_t j = 0; j < block.columns; ++j) {
    T* to = &out(column + j, row);
    const index_t end = row == column ? std::min(j + 1, block.rows) : block.rows;
    for (index_t i = 0; i < end; ++i) to[i] = T(block(i, j));
  }
}

}  // namespace detail

// out(i, j) = shape(X_i . Y_j)
template <class Shape, class T>
void kernel_of_products(const Shape& shape, Grid<const double> X, Grid<const double> Y, bool same, Grid<T> out) {
  const Buffer origin(X.columns, 0);
  for_row_blocks<ProductBlock>(X, Y, origin, same, [&](Grid<double> block, index_t row, index_t column) {
    for (index_t i = 0; i < block.rows; ++i) shape(&block(i, 0), block.columns);
    detail::write_block(block, row, column, same, out);
  });
}

// out(i, j) = shape(|X_i - Y_j|^2)
template <class Shape, class T>
void kernel_of_squares(const Shape& shape, Grid<const double> X, Grid<const double> Y, bool same, Grid<T> out) {
  for_distance_blocks(X, Y, same, [&](Grid<double> block, index_t row, index_t column) {
    for (index_t i = 0; i < block.rows; ++i) {
      if (same && row == column) block(i, i) = 0;
      shape(&block(i, 0), block.columns);
    }
    detail::write_block(block, row, column, same, out);
  });
}

}  // namespace learnable
