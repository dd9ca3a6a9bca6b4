// Update and downdate of a Cholesky factor: G = L L' gains or loses a row and column at a time.
//
// L is the lower triangle of the first `size` rows of a grid; what is above the diagonal is never read or written.
// Every function costs a constant times size^2.
#pragma once

#include <cmath>
#include <vector>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// Solve L L' x = b for each row b of `sides`, in place.
inline void solve_triangles(Grid<const double> L, index_t size, Grid<double> sides) {
  for (index_t i = 0; i < size; ++i) {
    const double* row = &L(i, 0);
    for (index_t s = 0; s < sides.rows; ++s) {
      double* b = &sides(s, 0);
      b[i] = (b[i] - dot(row, b, i)) / row[i];
    }
  }
  for (index_t i = size - 1; i >= 0; --i) {
    const double* row = &L(i, 0);
    for (index_t s = 0; s < sides.rows; ++s) {
      double* b = &sides(s, 0);
      const double x = b[i] = b[i] / row[i];
      for (index_t j = 0; j < i; ++j) b[j] -= x * row[j];
    }
  }
}

// Write row `size` of L for a new column with products `products` with the old ones and squared length `square`.
// Returns the squared distance of the new column from the span of the old ones; if it is not above `min_square`, the
// new row is not part of a factor and the caller must leave `size` as it is.
inline double append_row(Grid<double> L, index_t size, View<const double> products, double square, double min_square) {
  double* added = &L(size, 0);
  for (index_t i = 0; i < size; ++i) {
    const double* row = &L(i, 0);
    added[i] = (products[i] - dot(row, added, i)) / row[i];
  }
  const double left = square - dot(added, added, size);
  added[size] = left > min_square ? std::sqrt(left) : 0.0;
  return left;
}

// Remove row and column `removed` from G: the rows below move up, and plane rotations restore the triangle.
inline void delete_row(Grid<double> L, index_t size, index_t removed) {
  std::vector<double> cosine(size), sine(size);
  for (index_t i = removed + 1; i < size; ++i) {
    const double* from = &L(i, 0);
    double* to = &L(i - 1, 0);
    for (index_t j = 0; j < removed; ++j) to[j] = from[j];
    double carried = from[removed];
    for (index_t j = removed; j < i - 1; ++j) {
      const double next = from[j + 1];
      to[j] = cosine[j] * carried + sine[j] * next;
      carried = cosine[j] * next - sine[j] * carried;
    }
    const double corner = from[i], length = std::hypot(carried, corner);
    cosine[i - 1] = length > 0 ? carried / length : 1.0;
    sine[i - 1] = length > 0 ? corner / length : 0.0;
    to[i - 1] = length;
  }
}

}  // namespace learnable
