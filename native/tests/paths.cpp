// Updates of Cholesky factors, and the breakpoints of a path.
#include "check.hpp"
#include "learnable/linear/cholesky_update.hpp"
#include "learnable/linear/lars_breakpoints.hpp"

using namespace learnable;

namespace {

// A positive definite matrix: products of random columns, one of them larger than the sum of the others.
std::vector<double> gram(index_t size) {
  check::Draws draw{3};
  std::vector<double> x(size * size), products(size * size);
  for (double& value : x) value = draw();
  for (index_t i = 0; i < size; ++i) x[i * size + i] += double(size);
  for (index_t i = 0; i < size; ++i)
    for (index_t j = 0; j < size; ++j)
      for (index_t k = 0; k < size; ++k) products[i * size + j] += x[k * size + i] * x[k * size + j];
  return products;
}

Grid<double> grow(const std::vector<double>& G, index_t size, std::vector<double>& room) {
  room.assign(size * size, 0.0);
  const Grid<double> L{room.data(), size, size, size};
  for (index_t k = 0; k < size; ++k) append_row(L, k, {G.data() + k * size, k}, G[k * size + k], 0.0);
  return L;
}

double product(Grid<double> L, index_t i, index_t j) {
  double sum = 0;
  for (index_t k = 0; k <= std::min(i, j); ++k) sum += L(i, k) * L(j, k);
  return sum;
}

}  // namespace

TEST(grown_factor_times_itself_is_the_matrix) {
  const index_t size = 19;
  const std::vector<double> G = gram(size);
  std::vector<double> room;
  const Grid<double> L = grow(G, size, room);
  for (index_t i = 0; i < size; ++i)
    for (index_t j = 0; j <= i; ++j) CHECK(check::near(product(L, i, j), G[i * size + j]));
}

TEST(deleted_row_is_gone_from_the_matrix) {
  const index_t size = 11;
  const std::vector<double> G = gram(size);
  for (index_t gone : {0, 4, 10}) {
    std::vector<double> room;
    const Grid<double> L = grow(G, size, room);
    delete_row(L, size, gone);
    const auto from = [&](index_t i) { return i < gone ? i : i + 1; };
    for (index_t i = 0; i + 1 < size; ++i)
      for (index_t j = 0; j <= i; ++j) CHECK(check::near(product(L, i, j), G[from(i) * size + from(j)]));
  }
}

TEST(factor_solves_every_side) {
  const index_t size = 13;
  const std::vector<double> G = gram(size);
  std::vector<double> room, x(2 * size), b(2 * size);
  const Grid<double> L = grow(G, size, room);
  check::Draws draw{9};
  for (double& value : x) value = draw();
  for (index_t s = 0; s < 2; ++s)
    for (index_t i = 0; i < size; ++i)
      for (index_t j = 0; j < size; ++j) b[s * size + i] += G[i * size + j] * x[s * size + j];
  solve_triangles({L.data, size, size, size}, size, {b.data(), 2, size, size});
  for (index_t i = 0; i < 2 * size; ++i) CHECK(std::abs(b[i] - x[i]) < 1e-9);
}

TEST(a_dependent_column_leaves_no_distance) {
  std::vector<double> room{2.0, 0.0, 0.0, 0.0};
  const double products[] = {4.0};
  CHECK(append_row({room.data(), 2, 2, 2}, 1, {products, 1}, 4.0, 0.0) == 0.0);
}

TEST(breakpoints_of_a_segment) {
  const std::int64_t columns[] = {5, 2};
  const double fixed[] = {0.5, -1.0}, rate[] = {0.0, 0.0}, noise[6] = {};
  const bool idle[] = {true, true, true, true, true, true};
  const Breakpoint met =
      first_entry({columns, 2}, {fixed, 2}, {rate, 2}, {idle, 6}, {noise, 6}, 2.0, 1e-12, 0.0, false, false);
  CHECK(met.column == 2 && met.sign == -1 && met.level == 1.0);
  const std::int64_t active[] = {1, 0};
  const double coef[] = {3.0, -1.0}, signs[] = {-1.0, 1.0}, b[] = {1.0, -2.0}, w[] = {0.5, -1.0};
  const Breakpoint left = first_exit({active, 2}, {coef, 2}, {signs, 2}, {b, 2}, {w, 2}, {noise, 2}, 4.0, 0.0);
  CHECK(left.column == 1 && left.level == 2.0);
  const double norms[] = {1.0, 1.0};
  CHECK(largest_excess({fixed, 2}, {rate, 2}, {norms, 2}, 0.25, 2.0, 1.5, false) == -0.25);
  const double here[] = {1.0, 2.0, 0.0, 1.0}, there[] = {0.0, 2.0, 0.0, 0.0};
  CHECK(check::near(largest_distance({here, 2, 2, 2}, {there, 2, 2, 2}, 1.0, 2.0), std::sqrt(5.0)));
}
