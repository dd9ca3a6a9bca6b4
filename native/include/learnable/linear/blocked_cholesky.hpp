// Cholesky factor of a symmetric matrix, by blocks of columns: G = L L'. Bits do not depend on threads.
#pragma once

#include "learnable/matrix/dot_products.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable::coordinate {

namespace detail {

// G[i, left:right] -= L[i, :left] L[left:right, :left]' for the rows i of [top, bottom).
inline void subtract_products(Grid<double> G, index_t top, index_t bottom, index_t left, index_t right) {
  double tile[16];
  for (index_t i = top; i < bottom; i += 4)
    for (index_t j = left; j < right; j += 4) {
      const index_t rows = std::min<index_t>(4, bottom - i), columns = std::min<index_t>(4, right - j);
      std::fill(tile, tile + 16, 0.0);
      if (rows == 4 && columns == 4)
        tile_of_dots<double, 4, 4>(&G(i, 0), G.stride, nullptr, &G(j, 0), G.stride, left, tile, 4);
      else
        for (index_t r = 0; r < rows; ++r)
          for (index_t c = 0; c < columns; ++c)
            tile_of_dots<double, 1, 1>(&G(i + r, 0), G.stride, nullptr, &G(j + c, 0), G.stride, left, &tile[4 * r + c], 1);
      for (index_t r = 0; r < rows; ++r)
        for (index_t c = 0; c < columns; ++c) G(i + r, j + c) -= tile[4 * r + c];
    }
}

// L[i, left:right] from what subtract_products left, for one row below the block on the diagonal.
inline void finish_row(Grid<double> L, index_t i, index_t left, index_t right) {
  for (index_t j = left; j < right; ++j) {
    double entry = L(i, j);
    for (index_t k = left; k < j; ++k) entry -= L(i, k) * L(j, k);
    L(i, j) = entry / L(j, j);
  }
}

}  // namespace detail

// The lower triangle of G becomes L. False, with G destroyed, if some pivot is not above `min_pivot`.
inline bool factorise(Grid<double> G, double min_pivot) {
  constexpr index_t width = 32;
  for (index_t left = 0; left < G.rows; left += width) {
    const index_t right = std::min(G.rows, left + width);
    detail::subtract_products(G, left, right, left, right);
    for (index_t j = left; j < right; ++j) {
      double pivot = G(j, j);
      for (index_t k = left; k < j; ++k) {
        double entry = G(j, k);
        for (index_t q = left; q < k; ++q) entry -= G(j, q) * G(k, q);
        G(j, k) = entry / G(k, k);
        pivot -= G(j, k) * G(j, k);
      }
      if (!(pivot > min_pivot)) return false;
      G(j, j) = std::sqrt(pivot);
    }
    const Blocks below(G.rows - right, 64);
    parallel_for(below.count, [&](index_t b, int) {
      const index_t top = right + below.begin(b), bottom = right + below.end(b);
      detail::subtract_products(G, top, bottom, left, right);
      for (index_t i = top; i < bottom; ++i) detail::finish_row(G, i, left, right);
    });
  }
  return true;
}

}  // namespace learnable::coordinate
