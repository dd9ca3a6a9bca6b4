// Affinities of near rows: Gaussian ones of a given perplexity, and the fuzzy sets of UMAP.
#pragma once

#include <cmath>
#include <limits>

#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// The least and the mean excess of the squares of a row.
struct Excess {
  double least = std::numeric_limits<double>::infinity(), mean = 0;

  explicit Excess(View<const double> square) {
    for (const double s : square) least = std::min(least, s);
    for (const double s : square) mean += s - least;
    mean /= double(square.size);
  }
};

}  // namespace detail

// p[j] proportional to exp(-beta (square[j] - least)) with sum 1 and the entropy log(perplexity); returns beta, or 0 if
// all squares are equal.
inline double perplexity_row(View<const double> square, double perplexity, View<double> p) {
  const detail::Excess excess(square);
  const double target = std::log(std::min(perplexity, double(square.size)));
  double low = 0, high = std::numeric_limits<double>::infinity();
  double beta = excess.mean > 0 ? 1 / excess.mean : 0;
  for (int step = 0; step < 200; ++step) {
    double sum = 0, moment = 0;
    for (index_t j = 0; j < square.size; ++j) {
      const double above = square[j] - excess.least;
      p[j] = std::exp(-beta * above);
      sum += p[j];
      moment += p[j] * above;
    }
    const double off = std::log(sum) + beta * moment / sum - target;
    for (double& entry : p) entry /= sum;
    if (beta == 0 || std::abs(off) < 1e-10) break;
    (off > 0 ? low : high) = beta;
    const double next = std::isinf(high) ? 2 * beta : (low + high) / 2;
    if (next == beta || !(next < 1e300)) break;
    beta = next;
  }
  return beta;
}

// p(i, j) for the squared distances of row i to its neighbours; beta[i] the precision of each row.
inline void perplexity_affinities(Grid<const double> square, double perplexity, View<double> beta, Grid<double> p) {
  const Blocks blocks(square.rows, 16);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      beta[i] = perplexity_row(square.row(i), perplexity, p.row(i));
  });
}

// The width sigma with sum_j exp(-max(0, d_j - rho) / sigma) = log2(k + 1) for the k distances of a row; rho is the
// distance of the nearest neighbours that are not equal to the row, of rank `connectivity`, by linear interpolation.
struct FuzzyRow {
  double rho = 0, sigma = 0;

  FuzzyRow(View<const double> distance, double k, double connectivity, double mean) {
    find_rho(distance, connectivity);
    const double target = std::log2(k);
    double low = 0, high = std::numeric_limits<double>::infinity(), row_mean = 0;
    for (const double d : distance) row_mean += d / double(distance.size + 1);
    const double unit = mean > 0 ? mean : 1;
    sigma = unit;
    for (int step = 0; step < 64; ++step) {
      double sum = 0;
      for (const double d : distance) sum += d > rho ? std::exp(-(d - rho) / sigma) : 1.0;
      if (std::abs(sum - target) < 1e-5) break;
      (sum > target ? high : low) = sigma;
      sigma = std::isinf(high) ? 2 * sigma : (low + high) / 2;
    }
    sigma = std::max(sigma, 1e-3 * (rho > 0 ? row_mean : unit));
  }

 private:
  void find_rho(View<const double> distance, double connectivity) {
    index_t first = 0;  // distances come in ascending order
    while (first < distance.size && distance[first] <= 0) ++first;
    const index_t apart = distance.size - first, whole = index_t(connectivity);
    if (double(apart) >= connectivity && apart > 0) {
      const double rest = connectivity - double(whole);
      if (whole > 0) {
        rho = distance[first + whole - 1];
        if (rest > 1e-5) rho += rest * (distance[first + whole] - distance[first + whole - 1]);
      } else {
        rho = rest * distance[first];
      }
    } else if (apart > 0) {
      rho = distance[distance.size - 1];
    }
  }
};

// Membership of each neighbour in the fuzzy set of its row, exp(-max(0, d - rho) / sigma).
inline void neighbour_memberships(Grid<const double> distance, double k, double connectivity, double mean, View<double> rho,
                              View<double> sigma, Grid<double> membership) {
  const Blocks blocks(distance.rows, 32);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const FuzzyRow row(distance.row(i), k, connectivity, mean);
      rho[i] = row.rho;
      sigma[i] = row.sigma;
      for (index_t j = 0; j < distance.columns; ++j) {
        const double above = distance(i, j) - row.rho;
        membership(i, j) = above <= 0 || row.sigma <= 0 ? 1.0 : std::exp(-above / row.sigma);
      }
    }
  });
}

}  // namespace learnable
