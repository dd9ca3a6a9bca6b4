#include <algorithm>
#include <utility>
#include <vector>

#include "check.hpp"
#include "learnable/neighbors/brute_force.hpp"
#include "learnable/stats/mutual_information.hpp"

using namespace learnable;

namespace {

// Rows on a coarse grid, so that many distances are equal; far from zero, so that single precision alone would fail.
std::vector<double> rows_of(index_t n, index_t p, double offset, unsigned long long seed) {
  check::Draws draw{seed};
  std::vector<double> X(n * p);
  for (double& entry : X) entry = offset + std::round(draw() * 6) / 8;
  return X;
}

using Found = std::vector<std::pair<double, std::int64_t>>;

// All distances, sorted, and the first k.
Found nearest_by_brute_force(const std::vector<double>& X, index_t i, const std::vector<double>& Y, index_t p, index_t k,
                       bool same) {
  Found all;
  for (index_t m = 0; m < index_t(Y.size()) / p; ++m) {
    if (same && m == i) continue;
    all.emplace_back(squared_distance(X.data() + i * p, Y.data() + m * p, p), m);
  }
  std::sort(all.begin(), all.end());
  all.resize(std::size_t(k));
  return all;
}

void check_neighbours(index_t n, index_t m, index_t p, index_t k, double offset, bool same) {
  const std::vector<double> X = rows_of(n, p, offset, 4), Y = same ? X : rows_of(m, p, offset, 8);
  std::vector<std::int64_t> nearest(n * k);
  std::vector<double> square(n * k);
  const Numbers rows{X.data(), n, p, p, 1}, others{Y.data(), index_t(Y.size()) / p, p, p, 1};
  Neighbours(rows, others, k, same).find({nearest.data(), n, k, k}, {square.data(), n, k, k});
  bool right = true;
  for (index_t i = 0; i < n; ++i) {
    const Found expected = nearest_by_brute_force(X, i, Y, p, k, same);
    for (index_t rank = 0; rank < k; ++rank)
      right = right && nearest[i * k + rank] == expected[rank].second && square[i * k + rank] == expected[rank].first;
  }
  CHECK(right);
}

}  // namespace

TEST(neighbours_equal_brute_force) {
  for (const double offset : {0.0, 1e4, 1e8}) {
    check_neighbours(70, 50, 3, 1, offset, false);
    check_neighbours(70, 90, 5, 7, offset, false);
    check_neighbours(130, 130, 2, 20, offset, true);
    check_neighbours(5, 4, 17, 4, offset, false);
  }
}

TEST(counts_within_a_radius_equal_brute_force) {
  const std::vector<double> x = rows_of(500, 1, 0, 6);
  const Ordered order({x.data(), 500});
  bool right = true;
  for (index_t position = 0; position < 500; position += 7)
    for (const double radius : {0.0, 0.1, 0.125, 0.4, 10.0}) {
      index_t within = 0;
      for (const double value : x) within += std::abs(value - order.value[position]) <= radius;
      right = right && order.within(position, radius) == within && x[order.row[position]] == order.value[position];
    }
  CHECK(right);
}

TEST(strips_find_the_distance_to_the_kth_point) {
  const index_t n = 700;
  const std::vector<double> x = rows_of(n, 1, 0, 11), y = rows_of(n, 1, 3, 12);
  const Ordered across({x.data(), n}), up({y.data(), n});
  for (const index_t k : {1, 3, 10}) {
    const Strips strips(across, up, k);
    Nearest nearest(k);
    bool right = true;
    for (index_t at = 0; at < n; at += 11) {
      const index_t i = strips.row(at);
      std::vector<double> all;
      for (index_t m = 0; m < n; ++m)
        if (m != i) all.push_back(std::max(std::abs(x[i] - x[m]), std::abs(y[i] - y[m])));
      std::nth_element(all.begin(), all.begin() + k - 1, all.end());
      right = right && strips.radius(at, nearest) == all[k - 1];
    }
    CHECK(right);
  }
}

TEST(the_radius_in_sorted_order_is_the_kth_distance) {
  const double sorted[] = {0, 1, 1, 4, 9};
  CHECK(radius_in_order(sorted, 5, 0, 1) == 1 && radius_in_order(sorted, 5, 1, 1) == 0);
  CHECK(radius_in_order(sorted, 5, 3, 2) == 3 && radius_in_order(sorted, 5, 3, 4) == 5);
  CHECK(radius_in_order(sorted, 5, 4, 4) == 9);
}
