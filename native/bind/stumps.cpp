// Stumps for boosting.
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "learnable/stumps.hpp"

namespace learnable::bind {

static StumpColumns* columns_of(const Rows<std::uint32_t>& ranks, const Vector<std::int64_t>& counts) {
  const Grid<const std::uint32_t> grid = view(ranks);
  require(index_t(counts.shape(0)) == grid.rows, "there must be a number of ranks for each column");
  for (index_t j = 0; j < grid.rows; ++j)
    for (const std::uint32_t rank : grid.row(j)) require(rank < counts.data()[j], "a rank is not that of a level");
  nb::gil_scoped_release release;
  return new StumpColumns(grid, view(counts));
}

using Found = std::tuple<index_t, index_t, std::uint32_t, std::uint32_t, double, double>;

static Found best(StumpColumns& columns, const Vector<double>& signed_weight, const Vector<double>& total,
                  double noise, bool by_error) {
  require(index_t(signed_weight.shape(0)) == columns.rows() && total.shape(0) == 2, "there must be a weight for each row");
  Stump stump;
  {
    nb::gil_scoped_release release;
    stump = by_error ? columns.least_error(view(signed_weight), view(total), noise)
                     : columns.best(view(signed_weight), view(total), noise);
  }
  if (stump.feature < 0) return {-1, 0, 0, 0, 0.0, 0.0};
  return {stump.feature, stump.rows, columns.row_at(stump.feature, stump.rows - 1),
          columns.row_at(stump.feature, stump.rows), stump.left_weight, stump.left_amount};
}

}  // namespace learnable::bind

void bind_stumps(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  nanobind::class_<StumpColumns>(m, "StumpColumns", "Columns in order, for stumps.")
      .def(nanobind::new_(&bind::columns_of), "ranks"_a.noconvert(), "counts"_a.noconvert())
      .def("best", &bind::best, "signed_weight"_a.noconvert(), "total"_a.noconvert(), "noise"_a,
           "by_error"_a,
           "best(signed_weight, total, noise, by_error) -> column, rows that go left, the last of them, the first that does not, their "
           "weight and that of their second class. Rows of the second class have their weight with a minus; total is the "
           "weight of all and of the second class. The least Gini impurity is best, or the least error.");
}
