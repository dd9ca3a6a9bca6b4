// Exact searches in a tree of points: the k nearest, or all within a radius; of equals the first rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/neighbors/kd_bounds.hpp"
#include "learnable/neighbors/nearest_list.hpp"

namespace learnable {

// Passes to `found` every point that may be within found.limit() of x, near leaves first.
template <class Region, class Found>
void visit_near(const KdTree& tree, const Region& region, const double* x, Found& found) {
  struct Waiting {
    double away;
    index_t node;
  } waiting[64];
  int count = 0;
  waiting[count++] = {0, 0};
  while (count > 0) {
    auto [away, node] = waiting[--count];
    if (away > found.limit()) continue;
    while (!tree.is_leaf(node)) {
      index_t near = 2 * node + 1, far = near + 1;
      double nearer = region.away(x, near), farther = region.away(x, far);
      if (farther < nearer) {
        std::swap(near, far);
        std::swap(nearer, farther);
      }
      if (farther <= found.limit()) waiting[count++] = {farther, far};
      node = near;
      away = nearer;
    }
    if (away <= found.limit()) visit_leaf(tree, region, x, node - tree.shape.first_leaf(), found);
  }
}

template <class Region, class Found>
void visit_leaf(const KdTree& tree, const Region& region, const double* x, index_t leaf, Found& found) {
  const index_t count = tree.shape.count(leaf);
  const std::int64_t* rows = tree.rows(leaf);
  for (index_t first = 0; first < count; first += lanes) {
    const Lanes sums = region.sums(x, leaf, first);
    const auto near = sums <= found.limit() - Lanes{};
    std::int64_t any = 0;
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; ++lane) any |= near[lane];
    if (any == 0) continue;
    const index_t last = std::min<index_t>(lanes, count - first);
    for (index_t lane = 0; lane < last; ++lane)
      if (sums[lane] <= found.limit()) found.take(sums[lane], rows[first + lane]);
  }
}

// Queries in the order of the leaves that they fall into, so that those with the same points follow each other.
template <class Region>
std::vector<std::int64_t> queries_by_leaf(const KdTree& tree, const Region& region, Grid<const double> Q) {
  std::vector<std::int64_t> leaf(Q.rows), start(tree.shape.leaves + 1, 0), order(Q.rows);
  const Blocks blocks(Q.rows, 1024);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      index_t node = 0;
      for (const double* x = Q.data + i * Q.stride; !tree.is_leaf(node);) {
        const index_t left = 2 * node + 1;
        node = region.away(x, left + 1) < region.away(x, left) ? left + 1 : left;
      }
      leaf[i] = node - tree.shape.first_leaf();
    }
  });
  for (const std::int64_t one : leaf) ++start[one + 1];
  for (index_t l = 0; l < tree.shape.leaves; ++l) start[l + 1] += start[l];
  for (index_t i = 0; i < Q.rows; ++i) order[start[leaf[i]]++] = i;
  return order;
}

// Calls f(i, slot) for every query, several at a time.
template <class Region, class F>
void for_queries(const KdTree& tree, const Region& region, Grid<const double> Q, F&& f) {
  const std::vector<std::int64_t> order = queries_by_leaf(tree, region, Q);
  const Blocks blocks(Q.rows, 64);
  parallel_for(blocks.count, [&](index_t block, int slot) {
    for (index_t position = blocks.begin(block); position < blocks.end(block); ++position) {
      f(order[position], slot);
      if (position % 8 == 7) poll_interrupt();  // of many columns a query takes milliseconds
    }
  });
}

// nearest(i, :) = the rows nearest to row i of Q, nearest first and of equals the first; distance(i, :) how far they
// are. With `same`, row i of Q is row i of the tree and not its own neighbour.
template <class Region>
void kd_nearest(const KdTree& tree, const Region& region, Grid<const double> Q, bool same, Grid<std::int64_t> nearest,
                Grid<double> distance) {
  std::vector<NearestList> lists(threads_for(Q.rows), NearestList(nearest.columns));
  for_queries(tree, region, Q, [&](index_t i, int slot) {
    lists[slot].clear(same ? i : -1);
    visit_near(tree, region, Q.data + i * Q.stride, lists[slot]);
    lists[slot].write(&nearest(i, 0), &distance(i, 0));
    for (index_t rank = 0; rank < nearest.columns; ++rank) distance(i, rank) = region.distance(distance(i, rank));
  });
}

// Everything within a radius of some queries: rows in order, with distances.
struct Within {
  std::vector<std::vector<std::pair<std::int64_t, double>>> of_query;

  index_t total() const {
    index_t sum = 0;
    for (const auto& one : of_query) sum += index_t(one.size());
    return sum;
  }

  // Those of query i are from start[i] up to start[i + 1].
  void write(View<std::int64_t> start, View<std::int64_t> rows, View<double> distances) const {
    index_t position = 0;
    for (std::size_t i = 0; i < of_query.size(); ++i) {
      start[index_t(i)] = position;
      for (const auto& [row, distance] : of_query[i]) {
        rows[position] = row;
        distances[position++] = distance;
      }
    }
    start[index_t(of_query.size())] = position;
  }
};

namespace detail {

struct WithinList {
  double max_sum;
  std::int64_t self;
  std::vector<std::pair<std::int64_t, double>>& found;

  double limit() const { return max_sum; }
  void take(double sum, std::int64_t row) {
    if (row != self) found.emplace_back(row, sum);
  }
};

}  // namespace detail

template <class Region>
Within kd_within(const KdTree& tree, const Region& region, Grid<const double> Q, double radius, bool same) {
  Within result{std::vector<std::vector<std::pair<std::int64_t, double>>>(Q.rows)};
  for_queries(tree, region, Q, [&](index_t i, int) {
    detail::WithinList list{region.sum(radius), same ? i : -1, result.of_query[i]};
    visit_near(tree, region, Q.data + i * Q.stride, list);
    std::sort(list.found.begin(), list.found.end());
    for (auto& one : list.found) one.second = region.distance(one.second);
  });
  return result;
}

}  // namespace learnable
