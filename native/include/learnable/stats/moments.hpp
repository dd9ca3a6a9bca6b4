// Moments of a dense design: the sufficient statistics of least squares, in one pass.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/stats/comoments.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

constexpr index_t wide_design = 1024;  // columns from which on threads share one product instead of having one each
constexpr index_t max_pieces = 4;    // pieces of tile_depth rows in that shared panel

// Weighted mean of up to 32 rows spread over [begin, end): near the data wherever they are.
inline void choose_shift(const PanelRows& X, const Numbers& y, const Numbers& weight, index_t begin, index_t end,
                         double* shift) {
  const index_t p = X.columns, t = y.columns, rows = end - begin, sample = std::min<index_t>(rows, 32);
  const double one = 1;
  const Buffer zero(p, 0);
  const Panel row(1, p);
  double total = 0;
  for (index_t k = 0; k < sample; ++k) {
    const index_t i = begin + k * rows / sample;
    const double w = weight ? weight(i) : 1;
    if (!(w > 0)) continue;
    total += w;
    fill_panel(X, i, 1, zero.data(), &one, row, 0);
    for (index_t block = 0; block < row.blocks(); ++block) {
      const double* from = row.row(block, 0);
      double* its = shift + row.left(block);
      for (index_t j = 0; j < row.width(block); ++j) its[j] += w / total * (from[j] - its[j]);
    }
    for (index_t target = 0; target < t; ++target) shift[p + target] += w / total * (y(i, target) - shift[p + target]);
  }
}

// The part [y, 1] of fill_augmented, from column p of the panel on.
inline void fill_targets(const Numbers& y, index_t begin, index_t count, const double* roots,
                         const double* shift, const Panel& panel, index_t first, index_t p) {
  for (index_t k = 0; k < count; ++k) {
    for (index_t target = 0, j = p; target < y.columns; ++target, ++j)
      panel(first + k, j) = roots[k] * (y(begin + k, target) - shift[j]);
    panel(first + k, p + y.columns) = roots[k];
  }
}

// Rows [begin, begin + count) of [X, y, 1], about the shift and times the roots of the weights, into the panel from its
// row `first` on. Returns their weight.
inline double fill_augmented(const PanelRows& X, const Numbers& y, const Numbers& weight, index_t begin, index_t count,
                             const double* shift, const Panel& panel, index_t first) {
  double roots[tile_depth] = {};
  const double total = read_roots(weight, begin, count, roots);
  fill_panel(X, begin, count, shift, roots, panel, first);
  fill_targets(y, begin, count, roots, shift, panel, first, X.columns);
  return total;
}

// products += P'P for `count` rows of the panel, in tasks for several threads; `next` prefetches if there is one.
inline void add_products(const Panel& panel, index_t count, Comoments& sums, ReadAhead next) {
  const index_t blocks = panel.blocks();
  const bool alone = threads_for(blocks) == 1;
  parallel_if(count * sums.p * panel.columns() > 1 << 21, blocks, [&](index_t task, int) {
    const index_t across = blocks - 1 - task, columns = round_up(panel.width(across), lanes);  // those with most work first
    const auto read_on = [&] {
      if (alone) next();
    };
    for (index_t k = 0; k < count; k += tile_depth)
      for (index_t down = 0; down <= across && panel.left(down) < sums.p; ++down) {
        const index_t rows = round_up(std::min(panel.width(down), sums.p - panel.left(down)), tile_rows);
        add_gram_block(panel.row(down, k), panel.row(across, k), panel.stride(), std::min(tile_depth, count - k),
                       panel.left(down), rows, panel.left(across), columns, sums.products.grid, read_on);
      }
  });
}

// Sums over the panel without matrix products: of the targets and of their squares.
inline void add_targets(const Panel& panel, index_t count, Comoments& sums) {
  constexpr index_t chains = 4;  // independent sums
  for (index_t target = 0; target < sums.t; ++target) {
    double sum[chains] = {}, square[chains] = {};
    for (index_t k = 0; k < count; ++k) {
      const double value = panel(k, sums.p + target);
      sum[k % chains] += value * panel(k, sums.p + sums.t);
      square[k % chains] += value * value;
    }
    sums.sums[sums.p + target] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    sums.spread[target] += (square[0] + square[1]) + (square[2] + square[3]);
  }
}

// Adds rows [begin, end), about the shift of `sums`; `panel` is scratch.
inline void add_rows(const PanelRows& X, const Numbers& y, const Numbers& weight, index_t begin, index_t end,
                     const Panel& panel, Comoments& sums) {
  for (index_t from = begin; from < end; from += panel.rows()) {
    const index_t count = std::min(panel.rows(), end - from);
    const Blocks pieces(count, tile_depth);
    double weights[max_pieces];
    parallel_for(pieces.count, [&](index_t piece, int) {
      const index_t first = pieces.begin(piece), rows = pieces.end(piece) - first;
      weights[piece] = fill_augmented(X, y, weight, from + first, rows, sums.shift.data(), panel, first);
    });
    for (index_t piece = 0; piece < pieces.count; ++piece) sums.weight += weights[piece];
    const index_t ahead = std::min(panel.rows(), end - from - count);
    add_products(panel, count, sums, read_ahead(X, from + count, ahead, sums.tiles()));
    add_targets(panel, count, sums);
  }
}

// The sums of columns, stored beside their products; none without centring.
inline void take_sums(Comoments& sums, bool centre) {
  for (index_t i = 0; i < sums.p; ++i) sums.sums[i] = sums.products.grid(i, sums.p + sums.t);
  if (!centre) std::fill_n(sums.sums.data(), sums.p + sums.t, 0.0);
}

// Rows per group: some milliseconds of work at least; up to 32 groups, fewer where each needs much memory.
inline index_t rows_per_group(index_t rows, index_t p, index_t t) {
  const index_t work = std::max<index_t>(p * (p + t + 1) / 2, 64);
  const index_t min_rows = std::max<index_t>((1 << 22) / work, 4 * tile_depth);
  const index_t max_groups = std::clamp<index_t>((1 << 20) / work, 4, 32);
  const index_t groups = std::max<index_t>(Blocks(rows, std::max(rows / max_groups, min_rows)).count, 1);
  return round_up((rows + groups - 1) / groups, tile_depth);
}

// Rows of a group per step: less than 20 milliseconds of work.
inline index_t rows_per_step(index_t p, index_t t) {
  return round_up(std::max<index_t>((1 << 27) / std::max<index_t>(p * (p + t + 1) / 2, 64), 4 * tile_depth), tile_depth);
}

}  // namespace detail

// Weight, means, X'WX, X'Wy and y'Wy (one number per target) of a dense design, about the weighted means, or about zero
// if not centred. One pass over X, no copy; about p (p + t) / 2 products per row. Sums run over fixed blocks of rows
// that are merged in order; each group is summed about a value near its own rows, so large means cost no digits.
inline Comoments moments(const PanelRows& X, const Numbers& y, const Numbers& weight, bool centre) {
  const index_t p = X.columns, t = y.columns;
  const bool wide = p > detail::wide_design, many = p + t + 1 > panel_block;
  const Blocks groups(X.rows, wide ? X.rows : detail::rows_per_group(X.rows, p, t));
  const Blocks steps(groups.size, wide ? X.rows : detail::rows_per_step(p, t));
  const index_t rows = std::min(X.rows, wide ? detail::max_pieces * tile_depth : many ? rows_of_many : tile_depth);
  const index_t block = many ? block_of_many : panel_block;
  std::vector<Panel> panels;
  for (int slot = 0; slot < threads_for(groups.count); ++slot) panels.emplace_back(rows, p + t + 1, block);
  std::vector<Comoments> sums(groups.count);
  if (sums.empty()) sums.emplace_back(p, t);
  for (index_t step = 0; step < steps.count; ++step)
    parallel_for(groups.count, [&](index_t group, int slot) {
      const index_t begin = groups.begin(group), end = groups.end(group);
      if (step == 0) {
        sums[group] = Comoments(p, t);
        if (centre) detail::choose_shift(X, y, weight, begin, end, sums[group].shift.data());
      }
      detail::add_rows(X, y, weight, begin + steps.begin(step), std::min(begin + steps.end(step), end), panels[slot],
                       sums[group]);
    });
  for (Comoments& part : sums) detail::take_sums(part, centre);
  sums[0].centre();
  for (std::size_t group = 1; group < sums.size(); ++group) sums[0].merge(sums[group]);
  return std::move(sums[0]);
}

}  // namespace learnable
