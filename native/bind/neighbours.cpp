// The nearest rows of rows, as Python sees them.
#include "learnable/neighbours.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static void check_neighbours(const Rows<double>& X, const Rows<double>& Y, bool same,
                             const RowsOut<std::int64_t>& nearest, const RowsOut<double>& square) {
  require(X.shape(1) == Y.shape(1), "X and Y must have equally many columns");
  require(nearest.shape(0) == X.shape(0) && square.shape(0) == X.shape(0) && nearest.shape(1) == square.shape(1),
          "one row of neighbours per row of X is needed");
  require(!same || X.shape(0) == Y.shape(0), "X and Y are not the same");
  require(nearest.shape(1) > 0 && nearest.shape(1) + same <= Y.shape(0), "Y has too few rows for that many neighbours");
  require(Y.shape(0) < (std::size_t(1) << 31), "at most 2^31 rows can be told apart");
}

static void bound_neighbours(const Rows<double>& X, const Rows<double>& Y, bool same,
                             const RowsOut<std::int64_t>& nearest, const RowsOut<double>& square) {
  check_neighbours(X, Y, same, nearest, square);
  nb::gil_scoped_release release;
  Neighbours(view(X), view(Y), index_t(nearest.shape(1)), same).find(view(nearest), view(square));
}

static void bound_nearest_of_few(const Rows<double>& X, const Rows<double>& Y, const RowsOut<std::int64_t>& nearest,
                                 const RowsOut<double>& square) {
  check_neighbours(X, Y, false, nearest, square);
  nb::gil_scoped_release release;
  nearest_of_few(view(X), view(Y), view(nearest), view(square));
}

}  // namespace learnable::bind

void bind_neighbours(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("nearest_neighbours", &learnable::bind::bound_neighbours, "X"_a.noconvert(), "Y"_a.noconvert(), "same"_a,
        "nearest"_a.noconvert(), "square"_a.noconvert(),
        "nearest_neighbours(X, Y, same, nearest, square) -> None; writes the nearest rows of Y, nearest first, and their "
        "squared distances. With `same`, a row is not its own neighbour.");
  m.def("nearest_of_few", &learnable::bind::bound_nearest_of_few, "X"_a.noconvert(), "Y"_a.noconvert(),
        "nearest"_a.noconvert(), "square"_a.noconvert(),
        "nearest_of_few(X, Y, nearest, square) -> None; the same for so few rows of X that nothing is prepared.");
}
