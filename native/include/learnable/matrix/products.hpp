// Products with a whole design: scores X w + b, transposed products X'r, and both in one pass for residuals.
//
// Rows are cut into fixed blocks. A block of scores is written by one thread; for transposed products every block has
// its own sums, which are added in block order.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/matrix/row_matmul.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// Blocks of rows with `sums` values each: enough for many threads, few enough for 32 MB.
inline Blocks summing_blocks(index_t rows, index_t entries, index_t sums) {
  const index_t max_blocks = std::clamp<index_t>((1 << 22) / std::max<index_t>(sums, 1), 1, 64);
  const index_t count = std::clamp<index_t>(entries / (1 << 17), 1, max_blocks);
  return Blocks(rows, round_up((rows + count - 1) / count, tile_depth));
}

template <class Design>
index_t entries(const Design& X) {
  if constexpr (Design::dense)
    return X.rows * X.columns;
  else if constexpr (requires { X.squared_norm(0); })
    return X.start[X.columns];
  else
    return X.start[X.rows];
}

// The number of rows or columns, of `lines` with `entries` in all, that have about `target` entries; at least one.
inline index_t lines_of(index_t target, index_t lines, index_t entries) {
  return std::max<index_t>(target * lines / std::max<index_t>(entries, 1), 1);
}

inline Buffer read_constant(const Numbers& b, index_t targets) {
  Buffer constant(targets, 0);
  for (index_t target = 0; b && target < targets; ++target) constant[target] = b(target);
  return constant;
}

// out(j, target) = sum over parts, in their order.
inline void add_in_order(const std::vector<Padded>& parts, Grid<double> out) {
  for (index_t j = 0; j < out.rows; ++j)
    for (index_t target = 0; target < out.columns; ++target) {
      double sum = 0;
      for (const Padded& part : parts) sum += part.grid(j, target);
      out(j, target) = sum;
    }
}

}  // namespace detail

// out = X w + b for w (p, t) and b (t) or none; out (n, t). One pass over X.
template <class Design>
void matvec(const Design& X, const Numbers& w, const Numbers& b, Grid<double> out) {
  const Padded coefficients(w);
  const Buffer constant = detail::read_constant(b, w.columns);
  const index_t t = w.columns, step = rows_in_a_pass(X, t);
  const Blocks blocks(X.rows, round_up(detail::lines_of(1 << 16, X.rows, detail::entries(X)), step));
  parallel_for(blocks.count, [&](index_t block, int) {
    const Panel panel = score_panel(X, t, step);
    const Padded scores(t == 1 ? 0 : step, t);
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += step) {
      const index_t count = std::min(step, blocks.end(block) - i);
      const Grid<double> here = t == 1 ? Grid<double>{&out(i, 0), count, 1, 1} : scores.grid;
      scores_of_rows(X, i, count, coefficients.grid, here, panel);
      for (index_t k = 0; k < count; ++k)
        for (index_t target = 0; target < t; ++target) out(i + k, target) = here(k, target) + constant[target];
    }
  });
}

// The same by columns, for the rows of one block at a time: their scores stay in the cache.
template <class T>
void matvec(const SparseColumns<T>& X, const Numbers& w, const Numbers& b, Grid<double> out) {
  const index_t t = w.columns, per_column = detail::entries(X) / std::max<index_t>(X.columns, 1);
  const Padded coefficients(w);
  const Buffer constant = detail::read_constant(b, t);
  // Finding the rows of a block takes a search in each column: not worth it for short columns.
  const Blocks blocks(X.rows, X.sorted && per_column > 512 ? std::max<index_t>((1 << 15) / t, X.rows / 64) : X.rows);
  parallel_for(blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), end = blocks.end(block);
    for (index_t i = begin; i < end; ++i)
      for (index_t target = 0; target < t; ++target) out(i, target) = constant[target];
    for (index_t j = 0; j < X.columns; ++j) {
      if (blocks.count == 1 && j % 4096 == 4095) poll_interrupt();
      const line_t *first = X.index + X.start[j], *last = X.index + X.start[j + 1];
      if (blocks.count > 1) {
        first = std::lower_bound(first, last, line_t(begin));
        last = std::lower_bound(first, last, line_t(end));
      }
      const double* row = &coefficients.grid(j, 0);
      for (; first < last; ++first) {
        const double value = X.value[first - X.index];
        for (index_t target = 0; target < t; ++target) out(*first, target) += value * row[target];
      }
    }
  });
}

// out = X'r for r (n, t); out (p, t). One pass over X.
template <class Design>
void rmatvec(const Design& X, const Numbers& r, Grid<double> out) {
  const index_t t = r.columns, step = rows_in_a_pass(X, t);
  const Blocks blocks = detail::summing_blocks(X.rows, detail::entries(X), X.columns * Padded::width(t));
  std::vector<Padded> parts;
  for (index_t block = 0; block < blocks.count; ++block) parts.emplace_back(X.columns, t);
  parallel_for(blocks.count, [&](index_t block, int) {
    const Panel panel = product_panel(X, t, step);
    const Padded here(step, t);
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += step) {
      const index_t count = std::min(step, blocks.end(block) - i);
      for (index_t k = 0; k < count; ++k)
        for (index_t target = 0; target < t; ++target) here.grid(k, target) = r(i + k, target);
      add_rmatvec_of_rows(X, i, count, here.grid, parts[block].grid, panel, false);
    }
  });
  detail::add_in_order(parts, out);
}

// The same by columns: each entry of the result belongs to one column.
template <class T>
void rmatvec(const SparseColumns<T>& X, const Numbers& r, Grid<double> out) {
  const Blocks blocks(X.columns, detail::lines_of(1 << 15, X.columns, detail::entries(X)));
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t j = blocks.begin(block); j < blocks.end(block); ++j)
      for (index_t target = 0; target < r.columns; ++target) {
        double sum = 0;
        for (index_t e = X.start[j]; e < X.start[j + 1]; ++e) sum += double(X.value[e]) * r(X.index[e], target);
        out(j, target) = sum;
      }
  });
}

}  // namespace learnable
