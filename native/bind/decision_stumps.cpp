// Decision stumps for boosting.
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "learnable/trees/decision_stumps.hpp"

namespace learnable::bind {

static StumpColumns* columns_of(const Rows<std::uint32_t>& ranks, const Vector<std::int64_t>& counts,
                                const Vector<std::uint8_t>& second) {
  const Grid<const std::uint32_t> grid = view(ranks);
  require(index_t(counts.shape(0)) == grid.rows, "there must be a number of ranks for each column");
  require(index_t(second.shape(0)) == grid.columns, "there must be a class for each row");
  for (const std::uint8_t is : view(second)) require(is <= 1, "a class is neither 0 nor 1");
  for (index_t j = 0; j < grid.rows; ++j)
    for (const std::uint32_t rank : grid.row(j)) require(rank < counts.data()[j], "a rank is not that of a level");
  nb::gil_scoped_release release;
  return new StumpColumns(grid, view(counts), view(second));
}

using Sums = std::tuple<double, double>;
using Found = std::tuple<index_t, index_t, std::uint32_t, std::uint32_t, Sums, Sums>;

static Found best(StumpColumns& columns, const Vector<double>& weight, bool by_error) {
  require(index_t(weight.shape(0)) == columns.rows(), "there must be a weight for each row");
  Stump stump;
  {
    nb::gil_scoped_release release;
    stump = by_error ? columns.least_error(view(weight)) : columns.best(view(weight));
  }
  const Sums total{columns.total()[0], columns.total()[1]}, left{stump.left_weight, stump.left_amount};
  if (stump.feature < 0) return {-1, 0, 0, 0, left, total};
  return {stump.feature, stump.rows, columns.row_at(stump.feature, stump.rows - 1),
          columns.row_at(stump.feature, stump.rows), left, total};
}

}  // namespace learnable::bind

void bind_decision_stumps(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  nanobind::class_<StumpColumns>(m, "StumpColumns", "Columns in order, for stumps.")
      .def(nanobind::new_(&bind::columns_of), "ranks"_a.noconvert(), "counts"_a.noconvert(), "second"_a.noconvert())
      .def("best", &bind::best, "weight"_a.noconvert(), "by_error"_a,
           "best(weight, by_error) -> column, rows that go left, the last of them, the first that does not, their weight and "
           "that of their second class, and both of all rows. The least Gini impurity is best, or the least error.");
}
