// A step of fuzzy c-means: each row shares itself out among the centres, and pulls at each with its share to a power.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/buffer.hpp"
#include "learnable/design.hpp"
#include "learnable/parallel.hpp"

namespace learnable {

// Centres as columns, side by side for each column of the rows.
struct FuzzyCentres {
  index_t count, columns, width;
  Buffer values;

  explicit FuzzyCentres(Grid<const double> centres)
      : count(centres.rows), columns(centres.columns), width(round_up(count, lanes)), values(columns * width, 0) {
    for (index_t c = 0; c < count; ++c)
      for (index_t j = 0; j < columns; ++j) values[j * width + c] = centres(c, j);
  }

  // shares[c] = d_c^(-1 / (power - 1)) over their sum, d the squared distances, which are left in `square`. Centres at
  // distance zero share the row. Returns what the row costs: sum of shares^power times d.
  template <class T>
  double share(const T* x, double power, double* square, double* shares) const {
    std::fill_n(square, width, 0.0);
    for (index_t j = 0; j < columns; ++j) {
      const double value = double(x[j]);
      const double* centre = values.data() + j * width;
#pragma omp simd
      for (index_t c = 0; c < width; ++c) square[c] += (value - centre[c]) * (value - centre[c]);
    }
    const double least = *std::min_element(square, square + count);
    double sum = 0;
    if (power == 2 && least > 0) {
#pragma omp simd
      for (index_t c = 0; c < count; ++c) shares[c] = least / square[c];
    } else {
      for (index_t c = 0; c < count; ++c)
        shares[c] = std::pow(least > 0 ? least / square[c] : double(square[c] == 0), 1 / (power - 1));
    }
    for (index_t c = 0; c < count; ++c) sum += shares[c];
    for (index_t c = 0; c < count; ++c) shares[c] /= sum;
    if (power == 2) return least / sum;  // as every share times its distance is that much
    double cost = 0;
    for (index_t c = 0; c < count; ++c) cost += std::pow(shares[c], power) * square[c];
    return cost;
  }
};

// Sums over rows: of weight times share^power, of that times (x - origin), and of costs. Blocks are added in order.
struct FuzzySums {
  Buffer sums, mass;
  double cost = 0;
};

template <class T>
FuzzySums fuzzy_pass(const RowMajor<T>& X, const double* weight, Grid<const double> centres, View<const double> origin,
                     double power) {
  const FuzzyCentres turned(centres);
  const index_t many = centres.rows, p = X.columns;
  const Blocks blocks(X.rows, std::max<index_t>(512, X.rows / 64));
  std::vector<FuzzySums> parts(static_cast<std::size_t>(blocks.count));
  parallel_if(X.rows * p * many > 1 << 15, blocks.count, [&](index_t block, int) {
    FuzzySums& mine = parts[block];
    mine.sums = Buffer(many * p, 0);
    mine.mass = Buffer(many, 0);
    const Buffer square(turned.width), shares(turned.width), apart(p);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const T* x = X.data + i * X.stride;
      const double heavy = weight ? weight[i] : 1.0;
      mine.cost += heavy * turned.share(x, power, square.data(), shares.data());
      for (index_t j = 0; j < p; ++j) apart[j] = double(x[j]) - origin[j];
      for (index_t c = 0; c < many; ++c) {
        const double pull = heavy * (power == 2 ? shares[c] * shares[c] : std::pow(shares[c], power));
        double* place = mine.sums.data() + c * p;
        mine.mass[c] += pull;
#pragma omp simd
        for (index_t j = 0; j < p; ++j) place[j] += pull * apart[j];
      }
    }
  });
  for (index_t block = 1; block < blocks.count; ++block) {
    for (index_t e = 0; e < many * p; ++e) parts[0].sums[e] += parts[block].sums[e];
    for (index_t c = 0; c < many; ++c) parts[0].mass[c] += parts[block].mass[c];
    parts[0].cost += parts[block].cost;
  }
  return std::move(parts[0]);
}

// shares(i, c) = the share of row i that centre c has.
template <class T>
void fuzzy_shares(const RowMajor<T>& X, Grid<const double> centres, double power, Grid<double> shares) {
  const FuzzyCentres turned(centres);
  const Blocks blocks(X.rows, 512);
  parallel_if(X.rows * X.columns * centres.rows > 1 << 15, blocks.count, [&](index_t block, int) {
    const Buffer square(turned.width), mine(turned.width);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      turned.share(X.data + i * X.stride, power, square.data(), mine.data());
      std::copy_n(mine.data(), centres.rows, &shares(i, 0));
    }
  });
}

}  // namespace learnable
