// Matrices of weights in panels, and the tile of a product that stays in registers.
//
// A panel holds panel_width columns of a matrix, row after row; columns beyond the last are zero. Every sum of a tile
// runs over its depth in order, whatever the height of the tile: an entry of a product has the same bits in any batch.
#pragma once

#include <algorithm>

#include "learnable/matrix/simd.hpp"

namespace learnable::network {

template <class T>
constexpr index_t panel_width = 2 * lane_count<T>;
#if defined(__AVX512F__)
constexpr int tile_height = 12;
#else
constexpr int tile_height = 6;
#endif

template <class T>
constexpr index_t panels_of(index_t columns) { return (columns + panel_width<T> - 1) / panel_width<T>; }
template <class T>
constexpr index_t padded(index_t columns) { return panels_of<T>(columns) * panel_width<T>; }

// out(m, n) = sum over k < depth of a(m, k) panel(k, n), for m < M and n < panel_width; a(m, k) is
// a[m * across + k * down], row k of the panel starts at panel + k * stride.
template <class T, int M>
[[gnu::always_inline]] inline void multiply_tile(const T* a, index_t across, index_t down, const T* panel,
                                                 index_t stride, index_t depth, T* out, index_t out_stride) {
  using V = LanesOf<T>;
  V sums[M][2];
#pragma GCC unroll 12
  for (int m = 0; m < M; ++m) sums[m][0] = sums[m][1] = V{};
  const T* rows[M];
#pragma GCC unroll 12
  for (int m = 0; m < M; ++m) rows[m] = hidden(a + m * across);
  for (index_t k = 0; k < depth; ++k) {
    const V right = load<T>(panel + k * stride), next = load<T>(panel + k * stride + lane_count<T>);
#pragma GCC unroll 12
    for (int m = 0; m < M; ++m) {
      const V left = rows[m][k * down] - V{};
      sums[m][0] = fused(left, right, sums[m][0]);
      sums[m][1] = fused(left, next, sums[m][1]);
    }
  }
#pragma GCC unroll 12
  for (int m = 0; m < M; ++m) {
    store(out + m * out_stride, sums[m][0]);
    store(out + m * out_stride + lane_count<T>, sums[m][1]);
  }
}

namespace detail {

// The rows that are left: a tile of their number.
template <class T, int M = tile_height - 1>
inline void multiply_rest(const T* a, index_t rows, index_t across, index_t down, const T* panel, index_t stride,
                          index_t depth, T* out, index_t out_stride) {
  if (rows == M) return multiply_tile<T, M>(a, across, down, panel, stride, depth, out, out_stride);
  if constexpr (M > 1) multiply_rest<T, M - 1>(a, rows, across, down, panel, stride, depth, out, out_stride);
}

}  // namespace detail

// The same for any number of rows.
template <class T>
[[gnu::noinline]] void multiply_rows(const T* a, index_t rows, index_t across, index_t down, const T* panel,
                                     index_t stride, index_t depth, T* out, index_t out_stride) {
  index_t m = 0;
  for (; m + tile_height <= rows; m += tile_height)
    multiply_tile<T, tile_height>(a + m * across, across, down, panel, stride, depth, out + m * out_stride, out_stride);
  detail::multiply_rest<T>(a + m * across, rows - m, across, down, panel, stride, depth, out + m * out_stride, out_stride);
}

// A matrix with contiguous rows, to panels; and back.
template <class T>
void pack(const T* matrix, index_t rows, index_t columns, T* panels) {
  constexpr index_t width = panel_width<T>;
  for (index_t p = 0; p < panels_of<T>(columns); ++p, panels += rows * width)
    for (index_t i = 0; i < rows; ++i) {
      const index_t here = std::min(width, columns - p * width);
      std::copy_n(matrix + i * columns + p * width, here, panels + i * width);
      std::fill_n(panels + i * width + here, width - here, T(0));
    }
}

template <class T>
void unpack(const T* panels, index_t rows, index_t columns, T* matrix) {
  constexpr index_t width = panel_width<T>;
  for (index_t p = 0; p < panels_of<T>(columns); ++p, panels += rows * width)
    for (index_t i = 0; i < rows; ++i)
      std::copy_n(panels + i * width, std::min(width, columns - p * width), matrix + i * columns + p * width);
}

// Rows [begin, end) of a matrix in panels, to the panels of its transpose, which has `rows` columns.
template <class T>
void transpose_rows(const T* panels, index_t panel_rows, index_t columns, index_t begin, index_t end, T* transposed) {
  constexpr index_t width = panel_width<T>;
  for (index_t j = 0; j < columns; ++j) {
    const T* column = panels + j / width * panel_rows * width + j % width;
    for (index_t i = begin; i < end; ++i) transposed[(i / width * columns + j) * width + i % width] = column[i * width];
  }
}

}  // namespace learnable::network
