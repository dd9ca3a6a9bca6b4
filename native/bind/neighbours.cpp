// Nearest neighbours by brute force.
#include "learnable/neighbors/brute_force.hpp"

#include "arrays.hpp"

namespace learnable::bind {

// Contiguous rows of one table.
static Numbers rows_of(nb::handle table) {
  const Numbers rows = numbers(table);
  require(rows.across == 1 || rows.columns <= 1, "rows must be contiguous");
  return rows;
}

static void check_neighbours(const Numbers& X, const Numbers& Y, bool same, const RowsOut<std::int64_t>& nearest,
                             const RowsOut<double>& square) {
  require(X.columns == Y.columns, "X and Y must have equally many columns");
  require(index_t(nearest.shape(0)) == X.rows && index_t(square.shape(0)) == X.rows &&
              nearest.shape(1) == square.shape(1),
          "one row of neighbours per row of X is needed");
  require(!same || X.rows == Y.rows, "X and Y are not the same");
  require(nearest.shape(1) > 0 && index_t(nearest.shape(1)) + same <= Y.rows,
          "Y has too few rows for that many neighbours");
  require(Y.rows < (index_t(1) << 31), "at most 2^31 rows are supported");
}

static void bound_neighbours(nb::handle X, nb::handle Y, bool same, const RowsOut<std::int64_t>& nearest,
                             const RowsOut<double>& square) {
  const Numbers rows = rows_of(X), others = rows_of(Y);
  check_neighbours(rows, others, same, nearest, square);
  nb::gil_scoped_release release;
  Neighbours(rows, others, index_t(nearest.shape(1)), same).find(view(nearest), view(square));
}

static void bound_nearest_of_few(nb::handle X, nb::handle Y, const RowsOut<std::int64_t>& nearest,
                                 const RowsOut<double>& square) {
  const Numbers rows = rows_of(X), others = rows_of(Y);
  check_neighbours(rows, others, false, nearest, square);
  nb::gil_scoped_release release;
  nearest_of_few(rows, others, view(nearest), view(square));
}

}  // namespace learnable::bind

void bind_neighbours(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("nearest_neighbours", &learnable::bind::bound_neighbours, "X"_a, "Y"_a, "same"_a,
        "nearest"_a.noconvert(), "square"_a.noconvert(),
        "nearest_neighbours(X, Y, same, nearest, square) -> None; writes the nearest rows of Y, nearest first, and their "
        "squared distances. With `same`, a row is not its own neighbour. Tables of double or float with contiguous rows.");
  m.def("nearest_of_few", &learnable::bind::bound_nearest_of_few, "X"_a, "Y"_a,
        "nearest"_a.noconvert(), "square"_a.noconvert(),
        "nearest_of_few(X, Y, nearest, square) -> None; the same for few rows of X, without preparation.");
}
