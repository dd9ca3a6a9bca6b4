#include "learnable/neighbors/kd_tree.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "check.hpp"
#include "learnable/neighbors/kd_search.hpp"
#include "learnable/neighbors/kernel_density.hpp"

using namespace learnable;

namespace {

// Rows on a coarse grid, so that many distances are equal.
std::vector<double> grid_rows(index_t n, index_t p, unsigned long long seed) {
  check::Draws draw{seed};
  std::vector<double> X(n * p);
  for (double& entry : X) entry = std::round(draw() * 8) / 4;
  return X;
}

struct Grown {
  std::vector<double> X;
  KdShape shape;
  index_t columns;
  std::vector<double> points, boxes;
  std::vector<std::int64_t> order;

  Grown(index_t n, index_t p, unsigned long long seed)
      : X(grid_rows(n, p, seed)), shape(n), columns(p), points(shape.leaves * p * shape.width),
        boxes(shape.nodes() * 2 * p), order(shape.leaves * shape.width) {
    KdBuilder(rows(), {points.data(), shape.leaves * p, shape.width, shape.width}, {order.data(), index_t(order.size())},
              {boxes.data(), shape.nodes(), 2 * p, 2 * p});
  }
  Grid<const double> rows() const { return {X.data(), shape.rows, columns, columns}; }
  KdTree tree() const {
    return {shape, columns, {points.data(), shape.leaves * columns, shape.width, shape.width},
            {order.data(), index_t(order.size())}, {boxes.data(), shape.nodes(), 2 * columns, 2 * columns}};
  }
};

template <class Norm>
double norm_sum(const Norm& norm, const double* x, const double* y, index_t p) {
  double sum = 0;
  for (index_t j = 0; j < p; ++j) sum = norm.join(sum, norm.term(x[j] - y[j]));
  return sum;
}

template <class Norm>
void check_search(const Grown& grown, const Norm& norm, index_t k, bool same) {
  const std::vector<double> other = grid_rows(50, grown.columns, 77);
  const Grid<const double> Q = same ? grown.rows() : Grid<const double>{other.data(), 50, grown.columns, grown.columns};
  const KdTree tree = grown.tree();
  const Boxes<Norm> region{tree, norm};
  std::vector<std::int64_t> nearest(Q.rows * k);
  std::vector<double> distance(Q.rows * k);
  kd_nearest(tree, region, Q, same, {nearest.data(), Q.rows, k, k}, {distance.data(), Q.rows, k, k});
  const Within within = kd_within(tree, region, Q, 0.75, same);
  bool right = true;
  for (index_t i = 0; i < Q.rows; ++i) {
    std::vector<std::pair<double, std::int64_t>> all;
    std::size_t near = 0;
    for (index_t row = 0; row < grown.shape.rows; ++row) {
      if (same && row == i) continue;
      all.emplace_back(norm_sum(norm, Q.data + i * Q.stride, grown.X.data() + row * grown.columns, grown.columns), row);
      near += all.back().first <= norm.sum(0.75);
    }
    std::sort(all.begin(), all.end());
    for (index_t rank = 0; rank < k; ++rank)
      right = right && nearest[i * k + rank] == all[rank].second &&
          distance[i * k + rank] == norm.distance(all[rank].first);
    right = right && within.of_query[i].size() == near && std::is_sorted(within.of_query[i].begin(), within.of_query[i].end());
  }
  CHECK(right);
}

}  // namespace

TEST(a_tree_contains_every_row_once_in_boxes_around_their_points) {
  for (const index_t n : {1, 7, 32, 33, 500, 3001}) {
    const Grown grown(n, 3, 5);
    std::vector<std::int64_t> seen(grown.order);
    std::erase(seen, -1);
    std::sort(seen.begin(), seen.end());
    bool right = index_t(seen.size()) == n;
    for (index_t i = 0; i < index_t(seen.size()); ++i) right = right && seen[i] == i;
    const KdTree tree = grown.tree();
    for (index_t leaf = 0; leaf < grown.shape.leaves; ++leaf)
      for (index_t i = 0; i < grown.shape.count(leaf); ++i)
        for (index_t node = grown.shape.first_leaf() + leaf;; node = (node - 1) / 2) {
          for (index_t j = 0; j < 3; ++j) {
            const double value = tree.column(leaf, j)[i];
            right = right && value >= tree.low(node)[j] && value <= tree.high(node)[j];
          }
          if (node == 0) break;
        }
    CHECK(right);
  }
}

TEST(tree_searches_equal_brute_force) {
  for (const auto& [n, p] : {std::pair<index_t, index_t>{40, 1}, {700, 2}, {900, 5}}) {
    const Grown grown(n, p, 9);
    for (const bool same : {false, true}) {
      check_search(grown, L2Norm{}, 1, same);
      check_search(grown, L2Norm{}, 12, same);
      check_search(grown, L1Norm{}, 7, same);
      check_search(grown, MaxNorm{}, 30, same);
      check_search(grown, PNorm{3}, 5, same);
    }
  }
}

TEST(ball_searches_equal_brute_force) {
  const Grown grown(600, 4, 21);
  const KdTree tree = grown.tree();
  std::vector<double> centre(grown.shape.nodes() * 4), radius(grown.shape.nodes());
  build_balls(tree, Canberra{}, {centre.data(), grown.shape.nodes(), 4, 4}, {radius.data(), grown.shape.nodes()});
  const Balls<Canberra> region{tree, {}, {centre.data(), grown.shape.nodes(), 4, 4}, {radius.data(), grown.shape.nodes()}};
  std::vector<std::int64_t> nearest(600 * 6);
  std::vector<double> distance(600 * 6);
  kd_nearest(tree, region, grown.rows(), true, {nearest.data(), 600, 6, 6}, {distance.data(), 600, 6, 6});
  bool right = true;
  for (index_t i = 0; i < 600; i += 7) {
    std::vector<std::pair<double, std::int64_t>> all;
    for (index_t row = 0; row < 600; ++row)
      if (row != i) all.emplace_back(one_distance(Canberra{}, grown.X.data() + i * 4, grown.X.data() + row * 4, 4), row);
    std::sort(all.begin(), all.end());
    for (index_t rank = 0; rank < 6; ++rank) right = right && nearest[i * 6 + rank] == all[rank].second;
  }
  CHECK(right);
}

TEST(kernel_sums_are_within_their_tolerance) {
  const Grown grown(2000, 2, 31);
  const KdTree tree = grown.tree();
  std::vector<double> weight(grown.order.size());
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = grown.order[i] < 0 ? 0 : 1;
  const NodeWeights weights(tree, {weight.data(), index_t(weight.size())});
  for (const double relative : {1e-14, 1e-4}) {
    std::vector<double> found(2000);
    KernelSums(weights, L2Norm{}, GaussianKernel{}, relative, 0.0).log_sums(grown.rows(), {found.data(), 2000});
    double worst = 0;
    for (index_t i = 0; i < 2000; i += 13) {
      double sum = 0;
      for (index_t row = 0; row < 2000; ++row)
        sum += std::exp(-norm_sum(L2Norm{}, grown.X.data() + 2 * i, grown.X.data() + 2 * row, 2) / 2);
      worst = std::max(worst, std::abs(std::exp(found[i]) / sum - 1));
    }
    CHECK(worst <= relative + 1e-12);
  }
}
