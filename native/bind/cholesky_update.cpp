// Cholesky factors that gain and lose rows.
#include "learnable/linear/cholesky_update.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static void check_factor(index_t rows, index_t columns, index_t size) {
  require(size >= 0 && size <= rows && size <= columns, "size must be between 0 and the side of the factor");
}

static void solve(const Rows<double>& L, index_t size, const RowsOut<double>& sides) {
  check_factor(L.shape(0), L.shape(1), size);
  require(index_t(sides.shape(1)) == size, "every side must have `size` entries");
  nb::gil_scoped_release release;
  solve_triangles(view(L), size, view(sides));
}

static double append(const RowsOut<double>& L, index_t size, const Vector<double>& products, double square,
                     double min_square) {
  check_factor(L.shape(0), L.shape(1), size + 1);
  require(index_t(products.shape(0)) == size, "there must be a product with each of the `size` columns");
  nb::gil_scoped_release release;
  return append_row(view(L), size, view(products), square, min_square);
}

static void remove(const RowsOut<double>& L, index_t size, index_t removed) {
  check_factor(L.shape(0), L.shape(1), size);
  require(removed >= 0 && removed < size, "the removed row must be one of the first `size`");
  nb::gil_scoped_release release;
  delete_row(view(L), size, removed);
}

}  // namespace learnable::bind

void bind_cholesky_update(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("cholesky_solve", &bind::solve, "L"_a.noconvert(), "size"_a, "sides"_a.noconvert(),
        "cholesky_solve(L, size, sides): each row of sides becomes the solution of L L' x = row.");
  m.def("cholesky_append", &bind::append, "L"_a.noconvert(), "size"_a, "products"_a.noconvert(), "square"_a,
        "min_square"_a,
        "cholesky_append(L, size, products, square, min_square) -> squared distance of the new column from the old ones. "
        "Row `size` of L is written; it belongs to a factor only if the distance is above min_square.");
  m.def("cholesky_delete", &bind::remove, "L"_a.noconvert(), "size"_a, "removed"_a,
        "cholesky_delete(L, size, removed): L becomes the factor without row and column `removed`.");
}
