// Residuals of a linear model and the sums for its certificate, in one pass.
#pragma once

#include <vector>

#include "learnable/matrix/centred_design.hpp"
#include "learnable/matrix/products.hpp"

namespace learnable {

// With r = y - X w - b and weights s (none: all 1), per target:
// loss = sum s r^2, total = sum s r, transposed_product = X'(s r). Sparse columns take two passes over X, all else one.
struct ResidualSums {
  View<double> loss, total;  // t
  Grid<double> transposed_product;  // (p, t)
};

namespace detail {

// Turns scores of rows [begin, begin + count) into s r, adding s r^2 to loss and s r to total.
// Not inlined: it is the same for every design.
[[gnu::noinline]] inline void residuals_of_rows(const Numbers& y, const Buffer& constant, const Numbers& weight,
                                                index_t begin, index_t count, Grid<double> scores, double* loss,
                                                double* total) {
  for (index_t k = 0; k < count; ++k) {
    const double s = weight ? weight(begin + k) : 1;
    for (index_t target = 0; target < scores.columns; ++target) {
      const double r = (y(begin + k, target) - constant[target]) - scores(k, target);
      loss[target] += s * r * r;
      total[target] += s * r;
      scores(k, target) = s * r;
    }
  }
}

inline void add_totals(const std::vector<Padded>& parts, ResidualSums out) {
  for (index_t target = 0; target < out.loss.size; ++target) {
    out.loss[target] = out.total[target] = 0;
    for (const Padded& part : parts) {
      out.loss[target] += part.grid(0, target);
      out.total[target] += part.grid(1, target);
    }
  }
}

}  // namespace detail

template <class Design>
void residual_products(const Design& X, const Numbers& y, const Numbers& w, const Numbers& b, const Numbers& weight,
                       ResidualSums out) {
  const Padded coefficients(w);
  const Buffer constant = detail::read_constant(b, w.columns);
  const index_t t = w.columns, step = rows_at_once(X.columns, t);
  const Blocks blocks = detail::summing_blocks(X.rows, detail::entries(X), X.columns * Padded::width(t));
  std::vector<Padded> sums, totals;
  for (index_t block = 0; block < blocks.count; ++block) {
    sums.emplace_back(X.columns, t);
    totals.emplace_back(2, t);
  }
  parallel_for(blocks.count, [&](index_t block, int) {
    const Panel panel = product_panel(X, t, step);
    const Padded here(step, t);
    const Grid<double> total = totals[block].grid;
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += step) {
      const index_t count = std::min(step, blocks.end(block) - i);
      scores_of_rows(X, i, count, coefficients.grid, here.grid, panel);
      detail::residuals_of_rows(y, constant, weight, i, count, here.grid, &total(0, 0), &total(1, 0));
      add_rmatvec_of_rows(X, i, count, here.grid, sums[block].grid, panel, true);
    }
  });
  detail::add_in_order(sums, out.transposed_product);
  detail::add_totals(totals, out);
}

template <class T>
void residual_products(const SparseColumns<T>& X, const Numbers& y, const Numbers& w, const Numbers& b,
                       const Numbers& weight, ResidualSums out) {
  const index_t t = w.columns;
  const Buffer memory(X.rows * t);
  const Grid<double> residual{memory.data(), X.rows, t, t};
  matvec(X, w, {}, residual);
  std::vector<Padded> totals;
  totals.emplace_back(2, t);
  const Grid<double> total = totals[0].grid;
  detail::residuals_of_rows(y, detail::read_constant(b, t), weight, 0, X.rows, residual, &total(0, 0), &total(1, 0));
  rmatvec(X, Numbers{memory.data(), X.rows, t, t, 1, true}, out.transposed_product);
  detail::add_totals(totals, out);
}

// The same about the means of the columns: r = y - (X - mean) w - b and transposed_product = (X - mean)'(s r). Entries
// of a sparse design are not centred; the means are subtracted from the sums.
template <class Design>
void residual_products(const Design& X, const Numbers& mean, const Numbers& y, const Numbers& w, const Numbers& b,
                       const Numbers& weight, ResidualSums out) {
  const Buffer means = detail::read_constant(mean, X.columns);
  if constexpr (Design::dense) {
    residual_products(CentredDesign<Design>(X, means.data()), y, w, b, weight, out);
  } else {
    const Buffer constant = detail::read_constant(b, w.columns);
    for (index_t j = 0; j < X.columns; ++j)
      for (index_t target = 0; target < w.columns; ++target) constant[target] -= means[j] * w(j, target);
    residual_products(X, y, w, Numbers{constant.data(), w.columns, 1, 1, 0, true}, weight, out);
    for (index_t j = 0; j < X.columns; ++j)
      for (index_t target = 0; target < w.columns; ++target) out.transposed_product(j,
          target) -= means[j] * out.total[target];
  }
}

}  // namespace learnable
