// The two forces of t-SNE and the placing of new points among fixed ones.
//
// Attraction: sum_j p_ij w_ij (y_i - y_j), along the edges of a graph; repulsion: sum_j q_ij w_ij (y_i - y_j) over all
// points, with the kernel q and w = 1 / (1 + d^2 / dof). All forces of a step are computed from the same positions.
#pragma once

#include <cmath>

#include "learnable/manifold/shortest_paths.hpp"
#include "learnable/manifold/space_tree.hpp"

namespace learnable {

// Writes the attraction of each row; returns the sum of p_ij log q_ij if `with_sum`, otherwise 0.
template <bool one>
double student_attraction(const EdgeLists& graph, Grid<const double> Y, const StudentKernel<one>& kernel, bool with_sum,
                          Grid<double> force) {
  const index_t D = Y.columns;
  const Blocks blocks(Y.rows, 256);
  std::vector<double> sums(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    double sum = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      for (index_t c = 0; c < D; ++c) force(i, c) = 0;
      for (std::int64_t edge = graph.start[i]; edge < graph.start[i + 1]; ++edge) {
        const index_t j = index_t(graph.index[edge]);
        double s = 0;
        for (index_t c = 0; c < D; ++c) s += (Y(i, c) - Y(j, c)) * (Y(i, c) - Y(j, c));
        const double pull = graph.length[edge] * kernel.weight(s);
        for (index_t c = 0; c < D; ++c) force(i, c) += pull * (Y(i, c) - Y(j, c));
        if (with_sum) sum -= graph.length[edge] * (kernel.dof + 1) / 2 * std::log1p(s / kernel.dof);
      }
    }
    sums[block] = sum;
  });
  double whole = 0;
  for (const double block_sum : sums) whole += block_sum;
  return whole;
}

// Writes the repulsion of each row by all pairs; returns the sum of q_ij over i != j.
template <bool one>
double student_repulsion_exact(Grid<const double> Y, const StudentKernel<one>& kernel, Grid<double> force) {
  const index_t rows = Y.rows, D = Y.columns;
  std::vector<double> coordinate(std::size_t(rows * D));
  for (index_t i = 0; i < rows; ++i)
    for (index_t c = 0; c < D; ++c) coordinate[c * rows + i] = Y(i, c);
  const Blocks blocks(rows, 16);
  std::vector<double> sums(std::size_t(blocks.count));
  std::vector<std::vector<double>> scratch(std::size_t(std::max(threads_for(blocks.count), 1)));
  parallel_for(blocks.count, [&](index_t block, int slot) {
    scratch[slot].resize(std::size_t(rows));
    double* s = scratch[slot].data();
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      std::fill(s, s + rows, 0.0);
      for (index_t c = 0; c < D; ++c) {
        const double *y = coordinate.data() + c * rows, own = y[i];
        for (index_t j = 0; j < rows; ++j) s[j] += (own - y[j]) * (own - y[j]);
      }
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (index_t j = 0; j < rows; ++j) {
        const double q = kernel.value(s[j]);
        sum += q;
        s[j] = q * kernel.weight(s[j]);
      }
      sums[block] += sum - 1;
      for (index_t c = 0; c < D; ++c) {
        const double *y = coordinate.data() + c * rows, own = y[i];
        double push = 0;
#pragma omp simd reduction(+ : push)
        for (index_t j = 0; j < rows; ++j) push += s[j] * (own - y[j]);
        force(i, c) = push;
      }
    }
  });
  double whole = 0;
  for (const double block_sum : sums) whole += block_sum;
  return whole;
}

// The same by a tree, up to the error that `angle` allows.
template <int D, bool one>
double student_repulsion_tree(Grid<const double> Y, const StudentKernel<one>& kernel, double angle, Grid<double> force) {
  const SpaceTree<D> tree(Y);
  const Blocks blocks((Y.rows + 3) / 4, 32);  // of groups of four rows
  std::vector<double> sums(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    double sum = 0;
    for (index_t group = blocks.begin(block); group < blocks.end(block); ++group) {
      const index_t first = 4 * group, count = std::min<index_t>(4, Y.rows - first);
      std::array<Four, D> x{};
      const auto at = [&](index_t lane, int c) { return tree.coordinate(first + std::min(lane, count - 1), c); };
      for (int c = 0; c < D; ++c) x[c] = Four{at(0, c), at(1, c), at(2, c), at(3, c)};
      const Repulsion<D> found = tree.sums(x, angle, kernel);
      for (index_t lane = 0; lane < count; ++lane) {
        sum += found.normaliser[lane] - 1;
        for (int c = 0; c < D; ++c) force(tree.order()[first + lane], c) = found.force[c][lane];
      }
    }
    sums[block] = sum;
  });
  double whole = 0;
  for (const double block_sum : sums) whole += block_sum;
  return whole;
}

// Moves each new point from where it is to a minimum of the divergence of its affinities p to points of a fixed
// embedding from the kernel's: majorisation steps, each point for itself.
template <int D, bool one>
void student_place(Grid<const double> fixed, Grid<const std::int64_t> neighbour, Grid<const double> p,
                   const StudentKernel<one>& kernel, double angle, int steps, double tolerance, Grid<double> Y) {
  const SpaceTree<D> tree(fixed);
  const Blocks blocks(Y.rows, 4);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      for (int step = 0; step < steps; ++step) {
        std::array<Four, D> x{};
        for (int c = 0; c < D; ++c) x[c] = Four{} + Y(i, c);
        const Repulsion<D> push = tree.sums(x, angle, kernel);
        double total = 0, moved = 0;
        std::array<double, D> sum{};
        for (index_t k = 0; k < neighbour.columns; ++k) {
          const index_t j = neighbour(i, k);
          double s = 0;
          for (int c = 0; c < D; ++c) s += (Y(i, c) - fixed(j, c)) * (Y(i, c) - fixed(j, c));
          const double pull = p(i, k) * kernel.weight(s);
          total += pull;
          for (int c = 0; c < D; ++c) sum[c] += pull * fixed(j, c);
        }
        if (!(total > 0 && push.normaliser[0] > 0)) break;
        for (int c = 0; c < D; ++c) {
          const double next = (sum[c] + push.force[c][0] / push.normaliser[0]) / total;
          moved = std::max(moved, std::abs(next - Y(i, c)));
          Y(i, c) = next;
        }
        if (moved <= tolerance) break;
      }
  });
}

}  // namespace learnable
