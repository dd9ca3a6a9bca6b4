// Sums over selected rows of a design: X'D X and X'd, where D is zero outside a list of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/type_erased_rows.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// out += sum over k of factor[k] x x' for x = (row chosen[k] of X, constant), or the row alone if constant is zero;
// only the part on and above the diagonal. Blocks of rows, by their position in the list, are added in order.
inline void add_selected_gram(const AnyRows& X, View<const std::int64_t> chosen, View<const double> factor,
                                double constant, Grid<double> out) {
  const index_t p = X.columns + (constant != 0), depth = tile_depth;
  const index_t work = std::max<index_t>(p * p / 2, 64);
  const Blocks blocks(chosen.size, round_up(std::max<index_t>({(1 << 23) / work, chosen.size / 32, depth}), depth));
  const index_t at_once = std::min<index_t>(blocks.count, 4 * threads_for(blocks.count));
  std::vector<Scratch> parts(at_once);
  std::vector<Panel> plain, scaled;
  for (int slot = 0; slot < threads_for(at_once); ++slot) plain.emplace_back(depth, p), scaled.emplace_back(depth, p);
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
        X.read_selected(chosen.part(k, here), right);
        for (index_t row = 0; row < here && constant != 0; ++row) right(row, p - 1) = constant;
        for (index_t block = 0; block < right.blocks(); ++block)
          for (index_t row = 0; row < here; ++row) {
            const double *from = right.row(block, row), scale = factor[k + row];
            double* to = left.row(block, row);
            for (index_t j = 0; j < right.width(block); ++j) to[j] = scale * from[j];
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
inline void add_selected_rows(const AnyRows& X, View<const std::int64_t> chosen, View<const double> factor,
                            View<double> out) {
  const index_t p = X.columns;
  const Blocks blocks(chosen.size, std::max<index_t>({chosen.size / 32, (1 << 18) / std::max<index_t>(p, 1), 64}));
  std::vector<Buffer> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block);
    parts[block] = Buffer(p, 0);
    X.add_selected(chosen.part(begin, blocks.end(block) - begin), &factor[begin], parts[block]);
  });
  for (const Buffer& part : parts)
    for (index_t j = 0; j < p; ++j) out[j] += part[j];
}

}  // namespace learnable
