// The one dense inner loop: a small block of a product of matrices, kept in registers over the whole depth.
#pragma once

#include <algorithm>
#include <numeric>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

constexpr int tile_rows = 4;
#if defined(__AVX__) || defined(__aarch64__)
constexpr int tile_vectors = 3;
#else
constexpr int tile_vectors = 2;
#endif
constexpr index_t tile_columns = lanes * tile_vectors;
#if defined(__AVX512F__)
constexpr int tallest_tile = 6;  // away from the diagonal: as many rows as registers allow
#else
constexpr int tallest_tile = tile_rows;
#endif
constexpr index_t tile_depth = 128;  // rows of a panel for which a strip of tile_columns stays in the first cache

// Left factor of a product: entry (m, k) is data[m * across + k * down].
struct Factor {
  const double* data;
  index_t across, down;
};

// sums(m, n) = sum over k < depth of a(m, k) b(k, n), for m < M and n < N * lanes; row k of b starts at b + k * stride.
template <int M, int N>
[[gnu::always_inline]] inline void sum_tile(Factor a, const double* b, index_t b_stride, index_t depth,
                                            Lanes (&sums)[M][N]) {
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) sums[m][n] = Lanes{};
  const double* rows[M];
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) rows[m] = hidden(a.data + m * a.across);
  for (index_t k = 0; k < depth; ++k) {
    Lanes right[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) right[n] = load(b + k * b_stride + n * lanes);
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) {
      const Lanes left = rows[m][k * a.down] - Lanes{};
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) sums[m][n] = fused(left, right[n], sums[m][n]);
    }
  }
}

// c(m, n) += sum over k < depth of a(m, k) b(k, n), for m < M and n < N * lanes.
template <int M, int N>
void multiply_tile(Factor a, const double* b, index_t b_stride, index_t depth, double* c, index_t c_stride) {
  Lanes sums[M][N];
  sum_tile<M, N>(a, b, b_stride, depth, sums);
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      double* out = c + m * c_stride + n * lanes;
      store(out, load(out) + sums[m][n]);
    }
}

namespace detail {

template <int M, int N = tile_vectors>
void multiply_tile_of(index_t vectors, Factor a, const double* b, index_t b_stride, index_t depth, double* c,
                      index_t c_stride) {
  if constexpr (N > 1)
    if (vectors < N) return multiply_tile_of<M, N - 1>(vectors, a, b, b_stride, depth, c, c_stride);
  multiply_tile<M, N>(a, b, b_stride, depth, c, c_stride);
}

// The same with M rows, for c that may be far in memory.
template <int M>
void multiply_far_tile(index_t vectors, Factor a, const double* b, index_t b_stride, index_t depth, double* c,
                       index_t c_stride) {
  for (int m = 0; m < M; ++m)
    for (index_t v = 0; v < vectors; ++v) __builtin_prefetch(c + m * c_stride + v * lanes, 1);
  multiply_tile_of<M>(vectors, a, b, b_stride, depth, c, c_stride);
}

}  // namespace detail

// c += a b for a of `rows` rows and b, c of `columns` columns, rows of both padded to whole vectors. Not inlined: its
// many tiles would be compiled again at every call.
[[gnu::noinline]] inline void multiply(Factor a, index_t rows, const double* b, index_t b_stride, index_t columns,
                                       index_t depth, double* c, index_t c_stride) {
  const index_t vectors = (columns + lanes - 1) / lanes;
  for (index_t k = 0; k < depth; k += 2 * tile_depth)
    for (index_t v = 0; v < vectors; v += tile_vectors) {
      const index_t width = std::min<index_t>(tile_vectors, vectors - v), deep = std::min(2 * tile_depth, depth - k);
      const double *left = a.data + k * a.down, *right = b + k * b_stride + v * lanes;
      double* out = c + v * lanes;
      index_t i = 0;
      for (; i + tile_rows <= rows; i += tile_rows)
        detail::multiply_tile_of<tile_rows>(width, {left + i * a.across, a.across, a.down}, right, b_stride, deep,
                                            out + i * c_stride, c_stride);
      for (; i < rows; ++i)
        detail::multiply_tile_of<1>(width, {left + i * a.across, a.across, a.down}, right, b_stride, deep,
                                    out + i * c_stride, c_stride);
    }
}

// The part of G += A'B with i < rows, j < columns and top + i <= left + j up to whole vectors: a block of a Gram matrix
// whose corner is at row `top` and column `left`. A and B have `depth` rows; rows and columns are padded to whole
// tiles. Calls after_tile() after each tile.
template <class F>
void add_gram_block(const double* A, const double* B, index_t stride, index_t depth, index_t top, index_t rows,
                    index_t left, index_t columns, Grid<double> G, F&& after_tile) {
  const index_t vectors = columns / lanes;
  const index_t tall = left >= top + rows ? rows - rows % std::lcm(tallest_tile, tile_rows) : 0;  // then whole tiles
  index_t width = vectors % tile_vectors ? vectors % tile_vectors : tile_vectors;  // the short strip first: it is low
  for (index_t v = 0; v < vectors; v += width, width = tile_vectors) {
    const index_t end = (v + width) * lanes;
    index_t i = 0;
    for (; i < tall; i += tallest_tile) {
      detail::multiply_far_tile<tallest_tile>(width, {A + i, 1, stride}, B + v * lanes, stride, depth,
                                              &G(top + i, left + v * lanes), G.stride);
      after_tile();
    }
    for (; i < std::min(rows, left + end - top); i += tile_rows) {
      const index_t first = std::max(v * lanes, (top + i - left) / lanes * lanes);
      detail::multiply_tile_of<tile_rows>((end - first) / lanes, {A + i, 1, stride}, B + first, stride, depth,
                                          &G(top + i, left + first), G.stride);
      after_tile();
    }
  }
}

}  // namespace learnable
