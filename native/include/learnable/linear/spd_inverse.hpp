// The inverse of a small symmetric positive definite matrix, with its condition number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Factorise A = L L' in place (lower triangle, the rest is not read). Returns false if A is not positive definite.
inline bool cholesky(Grid<double> A) {
  for (index_t j = 0; j < A.rows; ++j) {
    for (index_t i = j; i < A.rows; ++i) {
      double rest = A(i, j);
      for (index_t k = 0; k < j; ++k) rest -= A(i, k) * A(j, k);
      if (i > j) {
        A(i, j) = rest / A(j, j);
      } else if (rest > 0) {
        A(j, j) = std::sqrt(rest);
      } else {
        return false;
      }
    }
  }
  return true;
}

// Replace the lower triangle L by its inverse.
inline void invert_triangle(Grid<double> L) {
  for (index_t j = 0; j < L.rows; ++j) {
    L(j, j) = 1 / L(j, j);
    for (index_t i = j + 1; i < L.rows; ++i) {
      double sum = 0;
      for (index_t k = j; k < i; ++k) sum += L(i, k) * L(k, j);
      L(i, j) = -sum / L(i, i);
    }
  }
}

// Write the inverse of G + alpha I, computed after scaling its diagonal to one; a zero diagonal entry makes it
// singular. Returns the condition number of the scaled matrix in the 1-norm, infinite if it is not positive definite.
// Cost p^3.
inline double invert_symmetric(Grid<const double> G, double alpha, Grid<double> inverse) {
  const index_t p = G.rows;
  const double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> scale(p), triangle(p * p), sums(p, 0.0);
  for (index_t j = 0; j < p; ++j) {
    const double diagonal = G(j, j) + alpha;
    if (!(diagonal > 0) || !std::isfinite(diagonal)) return infinite;
    scale[j] = 1 / std::sqrt(diagonal);
  }
  Grid<double> L{triangle.data(), p, p, p};
  for (index_t i = 0; i < p; ++i)
    for (index_t j = 0; j < p; ++j) {
      L(i, j) = i == j ? 1.0 : G(i, j) * scale[i] * scale[j];
      sums[j] += std::abs(L(i, j));
    }
  const double size = *std::max_element(sums.begin(), sums.end());
  if (!cholesky(L)) return infinite;
  invert_triangle(L);
  std::fill(sums.begin(), sums.end(), 0.0);
  for (index_t i = 0; i < p; ++i)
    for (index_t j = 0; j <= i; ++j) {
      double entry = 0;
      for (index_t k = i; k < p; ++k) entry += L(k, i) * L(k, j);
      sums[j] += std::abs(entry);
      if (i != j) sums[i] += std::abs(entry);
      inverse(i, j) = inverse(j, i) = entry * scale[i] * scale[j];
    }
  return size * *std::max_element(sums.begin(), sums.end());
}

struct Spread {
  double trace, at_mean;
};

// The covariance C of the coefficients of a fit with unit noise whose (G + alpha I)^-1 is `inverse`: C =
// inverse - alpha inverse^2. Writes the roots of the diagonal of C; returns the trace of the inverse and mean' C mean.
inline Spread coefficient_spread(Grid<const double> inverse, View<const double> mean, double alpha, View<double> root) {
  Spread spread{0, 0};
  for (index_t i = 0; i < inverse.rows; ++i) {
    double squares = 0, turned = 0;
    for (index_t j = 0; j < inverse.columns; ++j) {
      squares += alpha * inverse(i, j) * inverse(i, j);
      turned += inverse(i, j) * mean[j];
    }
    root[i] = std::sqrt(std::max(inverse(i, i) - squares, 0.0));
    spread.trace += inverse(i, i);
    spread.at_mean += (mean[i] - alpha * turned) * turned;
  }
  return spread;
}

}  // namespace learnable
