// Logarithms of densities of Gaussians with covariances of their own.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/buffer.hpp"
#include "learnable/numbers.hpp"
#include "learnable/panel.hpp"
#include "learnable/parallel.hpp"
#include "learnable/tile.hpp"

namespace learnable {

// A Gaussian: precision L L' for a lower triangle L, mean m about some centre, and what the scores begin with.
struct Gaussian {
  Scratch triangle;  // (p, p), zeros above the diagonal and in the room at the end of a row
  Buffer turned;     // L'm, with the same room
  double constant;
};

namespace detail {

// length[m] += squares of row m of the panel times columns [left, left + columns) of the triangle, less those of
// `turned`, for M rows from `row` on. Columns fill at most tile_vectors vectors.
template <int M>
void add_squared_strip(const Panel& panel, index_t row, const Gaussian& shape, index_t left, index_t columns,
                       double* length) {
  double products[M * tile_columns] = {};
  const index_t vectors = (columns + lanes - 1) / lanes;
  for (index_t block = left / panel_block; block < panel.blocks(); ++block) {
    const index_t from = std::max(left, panel.left(block)), end = panel.left(block) + panel.width(block);
    multiply_tile_of<M>(vectors, {&panel(row, from), panel.stride(), 1}, &shape.triangle.grid(from, left),
                        shape.triangle.grid.stride, end - from, products, tile_columns);
  }
  for (int m = 0; m < M; ++m) {
    Lanes sum{};
    for (index_t v = 0; v < vectors; ++v) {
      const Lanes apart = load(products + m * tile_columns + v * lanes) - load(&shape.turned[left + v * lanes]);
      sum += apart * apart;
    }
    for (int lane = 0; lane < lanes; ++lane) length[m] += sum[lane];
  }
}

// out[m] = |L'x - turned|^2 for the first `count` rows x of the panel.
inline void squared_lengths(const Panel& panel, index_t count, const Gaussian& shape, double* out) {
  std::fill_n(out, count, 0.0);
  for (index_t left = 0; left < panel.columns(); left += tile_columns) {
    const index_t columns = std::min(tile_columns, panel.columns() - left);
    index_t row = 0;
    for (; row + tile_rows <= count; row += tile_rows)
      add_squared_strip<tile_rows>(panel, row, shape, left, columns, out + row);
    for (; row < count; ++row) add_squared_strip<1>(panel, row, shape, left, columns, out + row);
  }
}

}  // namespace detail

// The Gaussian of mean `mean` and precision L L', for rows that are taken about `centre`.
inline Gaussian gaussian(const Numbers& triangle, const double* mean, const double* centre, double constant) {
  const index_t p = triangle.rows;
  Gaussian made{Scratch(p, p), Buffer(scratch_stride(p), 0), constant};
  made.triangle.clear();
  for (index_t k = 0; k < p; ++k)
    for (index_t j = 0; j <= k; ++j) {
      made.triangle.grid(k, j) = triangle(k, j);
      made.turned[j] += triangle(k, j) * (mean[k] - centre[k]);
    }
  return made;
}

// out(i, k) = constant_k - (x_i - mean_k)' L_k L_k' (x_i - mean_k) / 2. A block of rows is read once; about p^2 / 2
// products for each row and class.
template <class Design>
void quadratic_scores(const Design& X, const double* centre, const std::vector<Gaussian>& classes, Grid<double> out) {
  const index_t p = X.columns;
  const Blocks blocks(X.rows, tile_depth);
  const bool worth_it = X.rows * p * p * index_t(classes.size()) > 1 << 20;
  parallel_if(worth_it, blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), count = blocks.end(block) - begin;
    const Panel panel(count, p);
    const Buffer one(count, 1), length(count);
    fill_panel(X, begin, count, centre, one.data(), panel, 0);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      detail::squared_lengths(panel, count, classes[k], length.data());
      for (index_t i = 0; i < count; ++i) out(begin + i, k) = classes[k].constant - length[i] / 2;
    }
  });
}

}  // namespace learnable
