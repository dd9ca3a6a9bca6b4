// Kernel values, sums over support vectors and the solver of kernel machines against plain loops.
#include "check.hpp"
#include "learnable/kernels/kernel_scores.hpp"
#include "learnable/kernels/smo/shrinking.hpp"

using namespace learnable;

namespace {

constexpr double gamma = 0.3, coef0 = 0.5;

struct Table {
  index_t rows, columns;
  std::vector<double> dense, value;
  std::vector<std::int32_t> index, start{0};

  Table(index_t rows, index_t columns, unsigned long long seed = 3) : rows(rows), columns(columns) {
    check::Draws draw{seed};
    for (index_t k = 0; k < rows * columns; ++k) {
      const double x = 2 * draw();
      dense.push_back(std::abs(x) < 0.4 ? 0 : x);
      if (dense.back() != 0) value.push_back(dense.back()), index.push_back(std::int32_t(k % columns));
      if (k % columns == columns - 1) start.push_back(std::int32_t(index.size()));
    }
  }
  Grid<const double> grid() const { return {dense.data(), rows, columns, columns}; }
  SparseKernel::Rows sparse() const { return {rows, columns, value.data(), index.data(), start.data()}; }
};

double plain(KernelKind kind, const Table& X, index_t i, const Table& Y, index_t j) {
  double dot = 0, square = 0;
  for (index_t k = 0; k < X.columns; ++k) {
    const double x = X.dense[i * X.columns + k], y = Y.dense[j * Y.columns + k];
    dot += x * y, square += (x - y) * (x - y);
  }
  switch (kind) {
    case KernelKind::linear: return dot;
    case KernelKind::polynomial: return std::pow(gamma * dot + coef0, 3);
    case KernelKind::sigmoid: return std::tanh(gamma * dot + coef0);
    default: return std::exp(-gamma * square);
  }
}

constexpr KernelKind kinds[] = {KernelKind::linear, KernelKind::polynomial, KernelKind::gaussian, KernelKind::sigmoid};

KernelShape shape(KernelKind kind) { return {kind, gamma, coef0, 3}; }

template <class T>
std::vector<std::vector<T>> rows_of(const KernelSource& source, const std::vector<std::int32_t>& which) {
  std::vector<std::vector<T>> found(which.size(), std::vector<T>(KernelSource::stride(source.size())));
  std::vector<void*> out;
  for (auto& row : found) out.push_back(row.data());
  source.fill({which.data(), index_t(which.size())}, sizeof(T) == sizeof(float), out.data());
  return found;
}

void check_source(const KernelSource& source, KernelKind kind, const Table& X) {
  const std::vector<std::int32_t> which{4, 0, 36, 17};
  const auto found = rows_of<double>(source, which);
  for (std::size_t k = 0; k < which.size(); ++k)
    for (index_t j = 0; j < X.rows; ++j) CHECK(check::near(found[k][j], plain(kind, X, which[k], X, j), 1e-12));
  CHECK(check::near(source.diagonal(17), plain(kind, X, 17, X, 17)));
  const auto part = source.part({which.data(), 4});
  const auto among = rows_of<double>(*part, {0, 1, 2, 3});
  for (index_t k = 0; k < 4; ++k)
    for (index_t l = 0; l < 4; ++l) CHECK(among[k][l] == found[k][which[l]] && among[k][l] == among[l][k]);
}

// Two classes that overlap, and the table they come from.
struct Classes {
  Table X;
  std::vector<double> low, high, q, b, scores;
  std::vector<std::int8_t> group;
  SmoProblem problem;

  Classes(index_t rows, int copies, int groups, double cost) : X(rows, 3) {
    check::Draws draw{11};
    for (index_t v = 0; v < rows * copies; ++v) {
      const double sign = X.dense[3 * (v % rows)] + draw() > 0 ? 1 : -1;
      low.push_back(sign > 0 ? 0 : -cost), high.push_back(sign > 0 ? cost : 0), q.push_back(-sign + 0.1 * draw());
      group.push_back(std::int8_t(v % groups));
    }
    b.assign(q.size(), 0), scores.assign(rows, 0);
    const index_t count = index_t(q.size());
    problem = {{low.data(), count}, {high.data(), count}, {q.data(), count}, {group.data(), count}, groups, rows};
  }
  View<double> variables() { return {b.data(), index_t(b.size())}; }
  View<double> values() { return {scores.data(), X.rows}; }

  // The largest descent of a pair from the definition, and how far the scores are off.
  void check(double tolerance) const {
    std::vector<double> exact(X.rows, 0.0), sum(2, 0.0);
    for (std::size_t v = 0; v < b.size(); ++v) {
      CHECK(b[v] >= low[v] && b[v] <= high[v]);
      sum[group[v]] += b[v];
      for (index_t i = 0; b[v] != 0 && i < X.rows; ++i)
        exact[i] += b[v] * plain(KernelKind::gaussian, X, i, X, index_t(v) % X.rows);
    }
    CHECK(check::near(sum[0], 0, 1e-9) && check::near(sum[1], 0, 1e-9));
    for (index_t i = 0; i < X.rows; ++i) CHECK(check::near(exact[i], scores[i], 1e-9));
    CHECK(problem.extremes({b.data(), index_t(b.size())}, {exact.data(), X.rows}).violation <= tolerance * 1.001);
  }
};

}  // namespace

TEST(decays_are_exponentials) {
  for (double x = 0; x > -740; x -= 0.37) {
    const double expected = std::exp(std::max(x, -700.0)), found = decay(Lanes{} + x)[0];
    CHECK(std::abs(found - expected) <= 4e-15 * expected * (1 + std::abs(x)));
  }
  CHECK(decay(Lanes{})[0] == 1);
  CHECK(std::abs(detail::f32_decay(detail::Floats{} - 3.7f)[0] - std::exp(-3.7)) < 1e-7);
}

TEST(kernel_rows_of_dense_and_sparse_tables) {
  const Table X(37, 6);
  for (const KernelKind kind : kinds) {
    check_source(DenseSource(X.grid(), shape(kind), {}), kind, X);
    check_source(SparseSource(X.sparse(), shape(kind)), kind, X);
  }
}

TEST(single_precision_is_within_its_error_bound) {
  const Table X(1100, 5);
  const DenseSource source(X.grid(), shape(KernelKind::gaussian), {});
  const auto f32 = rows_of<float>(source, {7, 1099});
  for (index_t j = 0; j < X.rows; ++j)
    CHECK(std::abs(f32[0][j] - plain(KernelKind::gaussian, X, 7, X, j)) <= source.f32_error());
  CHECK(f32[0][7] == 1 && f32[0][1099] == f32[1][7]);
}

TEST(sums_over_support_vectors) {
  const Table X(70, 6), Y(29, 6, 5);
  const Buffer coef(29 * 2), out(70 * 2);
  check::Draws draw{1};
  for (double& c : View<double>(coef)) c = draw();
  for (const KernelKind kind : kinds)
    for (const bool sparse : {false, true}) {
      const Grid<const double> weights{coef.data(), 29, 2, 2};
      const Grid<double> sums{out.data(), 70, 2, 2};
      if (sparse)
        kernel_scores(SparseKernel(Y.sparse(), shape(kind)), X.sparse(), weights, sums);
      else
        kernel_scores(DenseKernel(Y.grid(), shape(kind), {}), X.grid(), weights, sums);
      for (index_t i = 0; i < 70; ++i)
        for (index_t t = 0; t < 2; ++t) {
          double expected = 0;
          for (index_t j = 0; j < 29; ++j) expected += plain(kind, X, i, Y, j) * weights(j, t);
          CHECK(check::near(expected, sums(i, t), 1e-11));
        }
    }
}

TEST(sums_of_near_and_far_rows_in_one_block) {
  Table X(10, 6), Y(29, 6, 5);
  for (index_t k = 0; k < 6; ++k) X.dense[3 * 6 + k] = 40 * (X.dense[3 * 6 + k] + 0.1), X.dense[6 * 6 + k] = Y.dense[k];
  for (const double farther : {1.0, 1000.0}) {  // with the second all rows are far
    for (index_t k = 0; k < 6; ++k) X.dense[6 * 6 + k] *= farther, Y.dense[k] *= farther;
    const Buffer coef(29, 0.5), out(10), alone(1);
    const DenseKernel kernel(Y.grid(), shape(KernelKind::gaussian), {});
    kernel_scores(kernel, X.grid(), {coef.data(), 29, 1, 1}, {out.data(), 10, 1, 1});
    for (index_t i = 0; i < 10; ++i) {
      double expected = 0;
      for (index_t j = 0; j < 29; ++j) expected += 0.5 * plain(KernelKind::gaussian, X, i, Y, j);
      CHECK(check::near(expected, out[i], 1e-11));
      kernel_scores(kernel, {&X.dense[i * 6], 1, 6, 6}, {coef.data(), 29, 1, 1}, {alone.data(), 1, 1, 1});
      CHECK(alone[0] == out[i]);
    }
  }
}

TEST(a_cache_that_is_too_small_gives_the_same_rows) {
  const Table X(100, 4);
  const DenseSource source(X.grid(), shape(KernelKind::gaussian), {});
  RowCache cache(source, false, 0, 8, nullptr);
  const auto expected = rows_of<double>(source, {1, 2, 3, 50, 60, 70, 80, 99});
  std::vector<const void*> rows;
  const auto value = [&](index_t k, index_t j) { return static_cast<const double*>(rows[k])[j]; };
  for (const std::vector<std::int32_t>& which : {std::vector<std::int32_t>{1, 2, 3, 50}, {60, 70, 80, 99, 4, 5}, {1, 50, 99}}) {
    cache.get({which.data(), index_t(which.size())}, rows);
    for (std::size_t k = 0; k < which.size(); ++k)
      for (index_t j = 0; j < 100; ++j) CHECK(check::near(value(k, j), plain(KernelKind::gaussian, X, which[k], X, j)));
  }
  CHECK(cache.room() == 8 && cache.computed() == 11 && value(0, 7) == expected[0][7]);
  cache.forget();
  const std::vector<std::int32_t> again{3};
  cache.get({again.data(), 1}, rows);
  CHECK(value(0, 7) == expected[2][7]);
}

TEST(optima_of_one_and_two_groups) {
  for (const index_t rows : {index_t(1), index_t(40), index_t(1300)})
    for (const int copies : {1, 2})
      for (const int groups : {1, 2}) {
        Classes two(rows, copies, groups, 2.0);
        const DenseSource source(two.X.grid(), shape(KernelKind::gaussian), {});
        Smo solver(source, two.problem, false, 1 << 22);
        std::vector<std::int32_t> before;
        CHECK(solver.improve(two.variables(), two.values(), before, 1e-6, 1000, 1 << 20).violation <= 1e-6);
        two.check(1e-6);
        Buffer recomputed(rows), levels(groups, 0);
        solver.score(two.variables(), recomputed);
        for (index_t i = 0; i < rows; ++i) CHECK(check::near(recomputed[i], two.scores[i], 1e-9));
        two.problem.levels(two.variables(), two.values(), levels);
        CHECK(std::isfinite(levels[0]) && std::isfinite(levels[groups - 1]));
      }
}

TEST(inactive_rows_are_checked_in_the_end) {
  for (const bool sparse : {false, true}) {
    Classes two(2200, 1, 1, 1.0);
    const DenseSource dense(two.X.grid(), shape(KernelKind::gaussian), {});
    const SparseSource light(two.X.sparse(), shape(KernelKind::gaussian));
    const KernelSource& source = sparse ? static_cast<const KernelSource&>(light) : dense;
    ShrinkingSmo solver(source, two.problem, false, 1 << 24, true);
    std::vector<std::uint8_t> since(2200, 0);
    const Buffer then(Rest::times * 2200, 0);
    index_t moved = 1 << 30;  // as if many updates had been done
    const Rest rest{{since.data(), 2200}, {then.data(), Rest::times, 2200, 2200}, &moved};
    std::vector<std::int32_t> before;
    index_t inactive = 0;
    double change = 0;
    for (int round = 0; round < 500; ++round) {
      const SmoRound done = solver.improve(two.variables(), two.values(), rest, before, 1e-5, 1, 1 << 20);
      inactive = std::max<index_t>(inactive, std::count_if(since.begin(), since.end(), [](int s) { return s > 0; }));
      change += done.change;
      if (done.violation <= 1e-5) break;
    }
    CHECK(inactive > 500 && rest.last() == 0);
    two.check(1e-5);
    double objective = 0;
    for (index_t v = 0; v < 2200; ++v) objective += two.b[v] * (two.scores[v] / 2 + two.q[v]);
    CHECK(check::near(objective, change, 1e-9));
  }
}

TEST(unbounded_problems_are_detected) {
  Classes two(2, 1, 1, 1.0);
  two.X.dense = {1, 1, 1, 1, 1, 1};  // the same row in both classes
  two.low = {0, -HUGE_VAL}, two.high = {HUGE_VAL, 0}, two.q = {-1, 1};
  const DenseSource source(two.X.grid(), shape(KernelKind::linear), {});
  Smo solver(source, two.problem, false, 1 << 20);
  std::vector<std::int32_t> before;
  CHECK(solver.improve(two.variables(), two.values(), before, 1e-6, 10, 100).unbounded && !two.problem.bounded());
}
