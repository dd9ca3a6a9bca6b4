// Sums over chosen rows of a design: X'D X and X'd, where only the rows of a list have an entry of the diagonal D.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/buffer.hpp"
#include "learnable/panel.hpp"
#include "learnable/parallel.hpp"
#include "learnable/row.hpp"
#include "learnable/tile.hpp"

namespace learnable {

// out += sum over k of factor[k] x x' for x = (row chosen[k] of X, constant), or the row alone if constant is zero;
// only the part on and above the diagonal. Blocks of rows, by their place in the list, are added in order.
template <class Design>
void add_chosen_products(const Design& X, View<const std::int64_t> chosen, View<const double> factor, double constant,
                         Grid<double> out) {
  const index_t p = X.columns + (constant != 0), depth = tile_depth;
  const index_t work = std::max<index_t>(p * p / 2, 64);
  const Blocks blocks(chosen.size, round_up(std::max<index_t>({(1 << 23) / work, chosen.size / 32, depth}), depth));
  const index_t at_once = std::min<index_t>(blocks.count, 4 * threads_for(blocks.count));
  std::vector<Scratch> parts(at_once);
  std::vector<Panel> plain, scaled;
  for (int slot = 0; slot < threads_for(at_once); ++slot) plain.emplace_back(depth, p), scaled.emplace_back(depth, p);
  const Buffer zero(p, 0);
  const double one = 1;
  for (index_t first = 0; first < blocks.count; first += at_once) {
    const index_t count = std::min(at_once, blocks.count - first);
    parallel_for(count, [&](index_t part, int slot) {
      Scratch& sums = parts[part];
      const index_t padded = round_up(p, panel_block);
      if (!sums.grid) sums = Scratch(padded, padded);
      sums.clear();
      const Panel &left = scaled[slot], &right = plain[slot];
      for (index_t k = blocks.begin(first + part); k < blocks.end(first + part); k += depth) {
        const index_t here = std::min(depth, blocks.end(first + part) - k);
        for (index_t row = 0; row < here; ++row) {
          const index_t ahead = k + std::min(row + 8, here - 1);
          row_of(X, chosen[ahead]).prefetch();
          fill_panel(X, chosen[k + row], 1, zero.data(), &one, right, row);
          fill_panel(X, chosen[k + row], 1, zero.data(), &factor[k + row], left, row);
          if (constant != 0) right(row, p - 1) = constant, left(row, p - 1) = constant * factor[k + row];
        }
        for (index_t down = 0; down < right.blocks(); ++down)
          for (index_t across = down; across < right.blocks(); ++across)
            add_gram_block(left.row(down, 0), right.row(across, 0), right.stride(), here, right.left(down),
                           round_up(right.width(down), tile_rows), right.left(across),
                           round_up(right.width(across), lanes), sums.grid, [] {});
      }
    });
    for (index_t part = 0; part < count; ++part)
      for (index_t i = 0; i < p; ++i)
        for (index_t j = i; j < p; ++j) out(i, j) += parts[part].grid(i, j);
  }
}

// out += sum over k of factor[k] times row chosen[k] of X. Blocks of the list are added in order.
template <class Design>
void add_chosen_rows(const Design& X, View<const std::int64_t> chosen, View<const double> factor, View<double> out) {
  const index_t p = X.columns;
  const Blocks blocks(chosen.size, std::max<index_t>({chosen.size / 32, (1 << 18) / std::max<index_t>(p, 1), 64}));
  std::vector<Buffer> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    parts[block] = Buffer(p, 0);
    const View<double> sums = parts[block];
    for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) {
      row_of(X, chosen[std::min(k + 8, blocks.end(block) - 1)]).prefetch();
      row_of(X, chosen[k]).axpy(factor[k], sums);
    }
  });
  for (const Buffer& part : parts)
    for (index_t j = 0; j < p; ++j) out[j] += part[j];
}

}  // namespace learnable
