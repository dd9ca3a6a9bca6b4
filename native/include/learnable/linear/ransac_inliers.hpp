// RANSAC: weights of the inliers of many linear models, in one pass.
#pragma once

#include <cmath>
#include <vector>

#include "learnable/matrix/products.hpp"

namespace learnable {

namespace detail {

// Adds to total[model] the weights of rows [begin, begin + count) with |y - score - constant| <= bound.
inline void add_weight_within(const Numbers& y, const Buffer& constant, const Numbers& bound, const Numbers& weight,
                              index_t begin, index_t count, Grid<const double> scores, double* total) {
  for (index_t k = 0; k < count; ++k) {
    const double target = y(begin + k), threshold = bound(begin + k), s = weight ? weight(begin + k) : 1;
    for (index_t model = 0; model < scores.columns; ++model)
      total[model] += std::abs(target - scores(k, model) - constant[model]) <= threshold ? s : 0;
  }
}

}  // namespace detail

// out[m] = sum of the weights (none: all 1) of the rows i with |y_i - x_i w_m - b_m| <= bound_i, for models w (p, m)
// and b (m) or none. Cost: one product X w; the product is never stored.
template <class Design>
void weight_within(const Design& X, const Numbers& y, const Numbers& w, const Numbers& b, const Numbers& bound,
                   const Numbers& weight, View<double> out) {
  const Padded coefficients(w);
  const Buffer constant = detail::read_constant(b, w.columns);
  const index_t t = w.columns, step = rows_at_once(X.columns, t);
  const Blocks blocks = detail::summing_blocks(X.rows, detail::entries(X) * ((t + 7) / 8), Padded::width(t));
  std::vector<Padded> parts;
  for (index_t block = 0; block < blocks.count; ++block) parts.emplace_back(1, t);
  parallel_for(blocks.count, [&](index_t block, int) {
    const Panel panel = score_panel(X, t, step);
    const Padded scores(step, t);
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += step) {
      const index_t count = std::min(step, blocks.end(block) - i);
      scores_of_rows(X, i, count, coefficients.grid, scores.grid, panel);
      detail::add_weight_within(y, constant, bound, weight, i, count, scores.grid, parts[block].grid.data);
    }
  });
  detail::add_in_order(parts, {out.data, 1, t, t});
}

// The same by columns: the scores of all rows are stored.
template <class T>
void weight_within(const SparseColumns<T>& X, const Numbers& y, const Numbers& w, const Numbers& b,
                   const Numbers& bound, const Numbers& weight, View<double> out) {
  const index_t t = w.columns;
  const Buffer memory(X.rows * t);
  const Grid<double> scores{memory.data(), X.rows, t, t};
  matvec(X, w, b, scores);
  std::fill_n(out.data, t, 0.0);
  detail::add_weight_within(y, Buffer(t, 0), bound, weight, 0, X.rows, scores, out.data);
}

}  // namespace learnable
