#include <algorithm>
#include <vector>

#include "check.hpp"
#include "learnable/cluster/kmeans/assignment.hpp"
#include "learnable/cluster/kmeans/seeding.hpp"
#include "learnable/cluster/kmeans/sparse.hpp"

using namespace learnable;

namespace {

// Rows on a coarse grid, so that many distances are equal; far from zero, so that single precision alone would fail.
template <class T>
std::vector<T> on_a_grid(index_t n, index_t p, double offset, unsigned long long seed) {
  check::Draws draw{seed};
  std::vector<T> X(std::size_t(n * p));
  for (T& entry : X) entry = T(offset + std::round(draw() * 6) / 8);
  return X;
}

template <class T>
std::vector<std::int32_t> brute_force(const std::vector<T>& X, const std::vector<double>& centres, index_t p) {
  std::vector<std::int32_t> label;
  for (index_t i = 0; i < index_t(X.size()) / p; ++i) {
    double nearest = HUGE_VAL;
    label.push_back(0);
    for (index_t c = 0; c < index_t(centres.size()) / p; ++c) {
      const double square = detail::squared_gap(X.data() + i * p, centres.data() + c * p, p);
      if (square < nearest) nearest = square, label.back() = std::int32_t(c);
    }
  }
  return label;
}

// Centres that occasionally move in steps of eighths: many ties, valid and invalid bounds.
template <class T>
void check_steps(index_t n, index_t p, index_t k, double offset, bool bounded) {
  const std::vector<T> X = on_a_grid<T>(n, p, offset, 4);
  std::vector<double> centres = on_a_grid<double>(k, p, offset, 8);
  const std::vector<double> origin(std::size_t(p), offset);
  NearestCentres<T> nearest({X.data(), n, p, p}, {origin.data(), p}, bounded);
  std::vector<std::int32_t> label(std::size_t(n), -1);
  check::Draws draw{unsigned(n + k)};
  bool right = true, counted = true;
  for (int step = 0; step < 12; ++step) {
    const std::vector<std::int32_t> before = label;
    const CentreSums sums = nearest.assign({centres.data(), k, p, p}, nullptr, {label.data(), n});
    right = right && label == brute_force(X, centres, p);
    index_t changed = 0;
    double mass = 0;
    for (index_t i = 0; i < n; ++i) changed += before[i] != label[i];
    for (index_t c = 0; c < k; ++c) mass += sums.mass[c];
    counted = counted && changed == sums.changed && mass == double(n);
    for (double& entry : centres)
      if (draw() > 0.9 - step / 10.0) entry += std::round(draw() * 2) / 8;
      else if (step > 6) entry += draw() * 1e-3;
  }
  CHECK(right && counted);
}

}  // namespace

TEST(nearest_centres_equal_brute_force) {
  for (const bool bounded : {false, true})
    for (const double offset : {0.0, 1e4, 1e8}) {
      check_steps<double>(700, 3, 1, offset, bounded);
      check_steps<double>(700, 2, 7, offset, bounded);
      check_steps<double>(300, 17, 30, offset, bounded);
      check_steps<double>(300, 3, 400, offset, bounded);
      if (offset < 1e8) check_steps<float>(500, 5, 9, offset, bounded);
    }
}

TEST(an_outlying_centre_does_not_disturb_the_others) {
  const index_t n = 400, p = 3;
  const std::vector<double> X = on_a_grid<double>(n, p, 0, 4), origin(p, 0.0);
  std::vector<double> centres = on_a_grid<double>(6, p, 0, 8);
  centres[0] = 1e9;
  std::vector<std::int32_t> label(n, -1);
  NearestCentres<double>({X.data(), n, p, p}, {origin.data(), p}, true)
      .assign({centres.data(), 6, p, p}, nullptr, {label.data(), n});
  CHECK(label == brute_force(X, centres, p));
}

TEST(bounds_save_distances_when_centres_do_not_move) {
  const index_t n = 2000, p = 4, k = 20;
  const std::vector<double> X = on_a_grid<double>(n, p, 0, 4), origin(p, 0.0);
  std::vector<double> centres = on_a_grid<double>(k, p, 0.01, 8);
  check::Draws draw{3};
  for (double& entry : centres) entry += draw() / 100;
  NearestCentres<double> nearest({X.data(), n, p, p}, {origin.data(), p}, true);
  std::vector<std::int32_t> label(n, -1);
  const index_t first = nearest.assign({centres.data(), k, p, p}, nullptr, {label.data(), n}).distances;
  const index_t second = nearest.assign({centres.data(), k, p, p}, nullptr, {label.data(), n}).distances;
  CHECK(first == n * k && second < first / 4);
}

TEST(sparse_rows_find_the_same_centres) {
  const index_t n = 300, p = 6, k = 11;
  const std::vector<double> X = on_a_grid<double>(n, p, 0, 4), centres = on_a_grid<double>(k, p, 0, 8);
  std::vector<double> value;
  std::vector<line_t> index;
  std::vector<index_t> start{0};
  std::vector<std::int32_t> label(n, -1);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < p; ++j)
      if (X[i * p + j] != 0) value.push_back(X[i * p + j]), index.push_back(line_t(j));
    start.push_back(index_t(value.size()));
  }
  const SparseRows<double> rows{n, p, value.data(), index.data(), start.data(), true};
  assign_sparse(rows, {centres.data(), k, p, p}, nullptr, {label.data(), n});
  CHECK(label == brute_force(X, centres, p));  // entries are eighths: both ways are exact
  std::vector<double> square(n);
  squares_to_centres(rows, {centres.data(), k, p, p}, {label.data(), n}, {square.data(), n});
  bool right = true;
  for (index_t i = 0; i < n; ++i)
    right = right && square[i] == detail::squared_gap(X.data() + i * p, centres.data() + label[i] * p, p);
  CHECK(right);
}

TEST(seeds_keep_the_nearest_of_all) {
  const index_t n = 500, p = 3;
  const std::vector<double> X = on_a_grid<double>(n, p, 0, 4);
  const RowMajor<double> rows{X.data(), n, p, p};
  std::vector<double> closest(n), mass(1), apart;
  std::vector<std::int32_t> seed(n, -1);
  for (std::int32_t s = 0; s < 20; ++s) {
    const double* centre = X.data() + (s * 17) * p;
    apart.clear();
    for (std::int32_t t = 0; t < s; ++t) apart.push_back(detail::squared_gap(centre, X.data() + (t * 17) * p, p));
    double potential = -1;
    if (s > 0)
      seed_potentials(rows, nullptr, {centre, 1, p, p}, {apart.data(), 1, s, s}, {closest.data(), n}, {seed.data(), n},
                      {&potential, 1});
    take_seed(rows, nullptr, {centre, p}, s, {apart.data(), s}, {closest.data(), n}, {seed.data(), n}, {mass.data(), 1});
    double sum = 0;
    bool right = true;
    for (index_t i = 0; i < n; ++i) {
      double nearest = HUGE_VAL;
      for (std::int32_t t = 0; t <= s; ++t)
        nearest = std::min(nearest, detail::squared_gap(X.data() + i * p, X.data() + (t * 17) * p, p));
      right = right && nearest == closest[i];
      sum += nearest;
    }
    CHECK(right && check::near(sum, mass[0]) && (s == 0 || check::near(sum, potential)));
  }
}
