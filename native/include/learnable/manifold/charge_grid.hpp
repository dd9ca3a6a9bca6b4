// Points of two columns on a grid of boxes with three by three nodes each: sums of kernels of all distances become
// convolutions. [Linderman, Rachh, Hoskins, Steinerberger and Kluger, 2019]
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable {

constexpr int box_nodes = 3;

// Where the grid lies: boxes of a width, from the corner on.
struct BoxGrid {
  double left, bottom, width;
  index_t boxes;

  index_t nodes() const { return boxes * box_nodes; }
  double corner(int column) const { return column == 0 ? left : bottom; }
  index_t box(double y, int column) const {
    const double at = (y - corner(column)) / width;
    return at <= 0 ? 0 : std::min(index_t(at), boxes - 1);
  }
};

// Weights of the nodes of a box for a point, by Lagrange's interpolation along one column.
inline std::array<double, box_nodes> node_weights(const BoxGrid& grid, double y, int column, index_t box) {
  const double t = (y - grid.corner(column)) / grid.width - double(box);  // between 0 and 1
  constexpr double a = 1.0 / 6, b = 0.5, c = 5.0 / 6;
  return {(t - b) * (t - c) * 4.5, (t - a) * (t - c) * -9, (t - a) * (t - b) * 4.5};
}

// charge[0], [1], [2] = the points themselves and their two coordinates, spread over the nodes.
inline void spread_charges(Grid<const double> Y, const BoxGrid& grid, View<double> charge) {
  const index_t nodes = grid.nodes(), plane = nodes * nodes;
  std::vector<std::int64_t> start(std::size_t(grid.boxes) + 1), order(std::size_t(Y.rows));
  for (index_t i = 0; i < Y.rows; ++i) ++start[grid.box(Y(i, 0), 0) + 1];
  for (index_t b = 0; b < grid.boxes; ++b) start[b + 1] += start[b];
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  for (index_t i = 0; i < Y.rows; ++i) order[next[grid.box(Y(i, 0), 0)]++] = i;
  parallel_for(grid.boxes, [&](index_t row, int) {
    for (int term = 0; term < 3; ++term) {
      double* first = charge.data + term * plane + row * box_nodes * nodes;
      std::fill(first, first + box_nodes * nodes, 0.0);
    }
    for (std::int64_t at = start[row]; at < start[row + 1]; ++at) {
      const index_t i = order[at], box = grid.box(Y(i, 1), 1);
      const auto down = node_weights(grid, Y(i, 0), 0, row), across = node_weights(grid, Y(i, 1), 1, box);
      for (int u = 0; u < box_nodes; ++u)
        for (int v = 0; v < box_nodes; ++v) {
          const double weight = down[u] * across[v];
          double* node = charge.data + (row * box_nodes + u) * nodes + box * box_nodes + v;
          node[0] += weight;
          node[plane] += weight * Y(i, 0);
          node[2 * plane] += weight * Y(i, 1);
        }
    }
  });
}

// Repulsion of each point from the potentials at the nodes: of the kernel for the points, and of its weighted form for
// the points and their coordinates. `stride` is the length of a line, `plane` of a potential. Returns the normaliser.
inline double gather_repulsion(Grid<const double> Y, const BoxGrid& grid, View<const double> potential, index_t stride,
                               index_t plane, Grid<double> force) {
  const Blocks blocks(Y.rows, 512);
  std::vector<double> sums(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    double sum = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const index_t row = grid.box(Y(i, 0), 0), box = grid.box(Y(i, 1), 1);
      const auto down = node_weights(grid, Y(i, 0), 0, row), across = node_weights(grid, Y(i, 1), 1, box);
      std::array<double, 4> found{};
      for (int u = 0; u < box_nodes; ++u)
        for (int v = 0; v < box_nodes; ++v) {
          const double weight = down[u] * across[v];
          const double* node = potential.data + (row * box_nodes + u) * stride + box * box_nodes + v;
          for (int term = 0; term < 4; ++term) found[term] += weight * node[term * plane];
        }
      sum += found[0] - 1;
      force(i, 0) = Y(i, 0) * found[1] - found[2];
      force(i, 1) = Y(i, 1) * found[1] - found[3];
    }
    sums[block] = sum;
  });
  double whole = 0;
  for (const double block_sum : sums) whole += block_sum;
  return whole;
}

}  // namespace learnable
