// Exact leave-one-out errors of ridge regression, for many values of alpha at once.
//
// With weights s, the weighted Gram matrix about the mean G = V diag(lambda) V', z_i = V'(x_i - mean) and
// c = V'X'S(y - mean of y), ridge regression with alpha fits row i as
//
//   f_i = mean of y + sum_k z_ik c_k / (lambda_k + alpha),
//
// changes that fit by h_i = 1 / sum of s + sum_k z_ik^2 / (lambda_k + alpha) per unit of y_i and of weight, and the
// same model fitted without weight d of row i, mean and intercept included, has the error e_i = (y_i - f_i) / (1 - d
// h_i) there. A weight counts copies, so one copy is left out: d = min(s_i, 1). Without an intercept the means are zero
// and the term 1 / sum of s is absent. A row with d h_i = 1 determines its own fit. Where 1 - d h_i is at most
// `decisive` it has lost its digits to cancellation, and with it e_i: such a row is left to the caller.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A fitted family of ridge models, one for each alpha.
struct RidgePath {
  Numbers mean, target_mean;           // (p), (t)
  Numbers vectors, values, projection; // V (p, k), lambda (k), c (k, t)
  Numbers alphas;                      // (a)
  bool intercept;
  double decisive;                     // the smallest 1 - d h_i of rows whose errors are computed
};

namespace detail {

// Values of any storage as doubles. Not inlined: it contains four kinds of loops.
[[gnu::noinline]] inline void copy_numbers(const Numbers& from, Grid<double> to) {
  for (index_t i = 0; i < from.rows; ++i)
    for (index_t j = 0; j < from.columns; ++j) to(i, j) = from(i, j);
}

inline Buffer copy_of(const Numbers& from) {
  Buffer copy(from.rows * from.columns);
  copy_numbers(from, {copy.data(), from.rows, from.columns, from.columns});
  return copy;
}

// Common to all rows: V, the shrunken c as (k, a t) with targets side by side, and 1 / (lambda + alpha) as (k, a).
struct RidgeFactors {
  Scratch vectors, shrunken, inverse;
  Buffer mean, target_mean;

  explicit RidgeFactors(const RidgePath& path)
      : vectors(path.vectors.rows, path.vectors.columns),
        shrunken(path.vectors.columns, path.alphas.rows * path.projection.columns),
        inverse(path.vectors.columns, path.alphas.rows), mean(copy_of(path.mean)),
        target_mean(copy_of(path.target_mean)) {
    for (const Scratch* scratch : {&vectors, &shrunken, &inverse}) scratch->clear();
    const index_t size = path.vectors.columns, t = path.projection.columns;
    copy_numbers(path.vectors, vectors.grid);
    const Buffer values = copy_of(path.values), alphas = copy_of(path.alphas), projection = copy_of(path.projection);
    for (index_t k = 0; k < size; ++k)
      for (index_t a = 0; a < path.alphas.rows; ++a) {
        const double sum = values[k] + alphas[a];
        inverse.grid(k, a) = sum > 0 ? 1 / sum : 0;
        for (index_t j = 0; j < t; ++j) shrunken.grid(k, a * t + j) = inverse.grid(k, a) * projection[k * t + j];
      }
  }
};

// Scratch of one thread for tile_depth rows.
struct RidgeRows {
  Panel panel;
  Scratch rotated, fits, leverages;
  Buffer targets;  // of one row

  RidgeRows(const RidgePath& path, index_t rows)
      : panel(rows, path.vectors.rows), rotated(rows, path.vectors.columns),
        fits(rows, path.alphas.rows * path.projection.columns), leverages(rows, path.alphas.rows),
        targets(path.projection.columns) {}

  // Fills fits with z c / (lambda + alpha) and leverages with z^2 / (lambda + alpha) for the rows that were read.
  void compute(index_t count, const RidgeFactors& factors) {
    for (const Scratch* scratch : {&rotated, &fits, &leverages}) scratch->clear();
    const Grid<double> z = rotated.grid;
    for (index_t block = 0; block < panel.blocks(); ++block)
      multiply({panel.row(block, 0), panel.stride(), 1}, count, &factors.vectors.grid(panel.left(block), 0),
               factors.vectors.grid.stride, z.columns, panel.width(block), z.data, z.stride);
    multiply({z.data, z.stride, 1}, count, factors.shrunken.grid.data, factors.shrunken.grid.stride, fits.grid.columns,
             z.columns, fits.grid.data, fits.grid.stride);
    for (index_t k = 0; k < count; ++k)
      for (index_t j = 0; j < z.columns; ++j) z(k, j) *= z(k, j);
    multiply({z.data, z.stride, 1}, count, factors.inverse.grid.data, factors.inverse.grid.stride,
             leverages.grid.columns, z.columns, leverages.grid.data, leverages.grid.stride);
  }

  // Adds s_i e_i^2 of the computed rows, from row `begin` of the data on, to sums (a, t); `constant` is 1 / sum of s or
  // 0. Rows that determine their own fit are appended to `left_over`.
  void add_errors(index_t begin, index_t count, const Numbers& y, const Numbers& weight, const RidgePath& path,
                  const RidgeFactors& factors, double constant, double* sums, double* predictions,
                  std::vector<index_t>& left_over) const {
    const index_t t = y.columns, n_alphas = path.alphas.rows;
    for (index_t k = 0, i = begin; k < count; ++k, ++i) {
      const double s = weight ? weight(i) : 1, removed = std::min(s, 1.0), *leverage = &leverages.grid(k, 0);
      const bool reliable = 1 - removed * (constant + *std::max_element(leverage, leverage + n_alphas)) > path.decisive;
      if (!reliable) left_over.push_back(i);
      for (index_t j = 0; j < t; ++j) targets[j] = y(i, j);
      for (index_t a = 0; a < n_alphas; ++a) {
        const double remaining = reliable ? 1 - removed * (constant + leverage[a])
            : std::numeric_limits<double>::infinity();
        for (index_t j = 0; j < t; ++j) {
          const double error = (targets[j] - factors.target_mean[j] - fits.grid(k, a * t + j)) / remaining;
          sums[a * t + j] += s * error * error;
          if (predictions) predictions[(i * t + j) * n_alphas + a] = targets[j] - error;
        }
      }
    }
  }
};

}  // namespace detail

// errors (a, t): sum over rows of s_i e_i^2. predictions (n, t, a), if given: y_i - e_i. Returns the rows that
// determine their own fit, in order: their errors count zero. Cost per row: p k + 2 k a (1 + t) products.
//
// fill(begin, count, mean, ones, panel) packs rows of the design about the mean into the panel, each times one.
using FillRows = std::function<void(index_t, index_t, const double*, const double*, const Panel&)>;

inline std::vector<index_t> leave_one_out(const FillRows& fill, const Numbers& y, const Numbers& weight,
                                          const RidgePath& path, View<double> errors, double* predictions) {
  const index_t n = y.rows, p = path.vectors.rows, size = path.vectors.columns, n_alphas = path.alphas.rows;
  const index_t t = y.columns;
  double total = 0;
  for (index_t i = 0; i < n; ++i) total += weight ? weight(i) : 1;
  const double constant = path.intercept ? 1 / total : 0;
  const detail::RidgeFactors factors(path);
  const index_t work = std::max<index_t>(size * (p + 2 * n_alphas * (1 + t)), 1);
  const Blocks blocks(n, round_up(std::clamp<index_t>((1 << 25) / work, tile_depth, 8192), tile_depth));
  const Buffer sums(blocks.count * n_alphas * t, 0), ones(tile_depth, 1);
  std::vector<std::vector<index_t>> left_over(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    detail::RidgeRows rows(path, tile_depth);
    for (index_t begin = blocks.begin(block); begin < blocks.end(block); begin += tile_depth) {
      const index_t count = std::min(tile_depth, blocks.end(block) - begin);
      fill(begin, count, factors.mean.data(), ones.data(), rows.panel);
      rows.compute(count, factors);
      rows.add_errors(begin, count, y, weight, path, factors, constant, &sums[block * n_alphas * t], predictions,
                      left_over[block]);
    }
  });
  std::fill(errors.begin(), errors.end(), 0.0);
  std::vector<index_t> all;
  for (index_t block = 0; block < blocks.count; ++block) {
    for (index_t k = 0; k < n_alphas * t; ++k) errors[k] += sums[block * n_alphas * t + k];
    all.insert(all.end(), left_over[block].begin(), left_over[block].end());
  }
  return all;
}

template <class Design>
std::vector<index_t> leave_one_out(const Design& X, const Numbers& y, const Numbers& weight, const RidgePath& path,
                                   View<double> errors, double* predictions) {
  const auto fill = [&](index_t begin, index_t count, const double* mean, const double* ones, const Panel& panel) {
    fill_panel(X, begin, count, mean, ones, panel, 0);
  };
  return leave_one_out(FillRows(fill), y, weight, path, errors, predictions);
}

}  // namespace learnable
