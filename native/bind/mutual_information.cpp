// Mutual information by nearest neighbours.
#include "learnable/stats/mutual_information.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static void require_sizes(const Rows<double>& columns, std::size_t rows, std::int64_t neighbours,
                          const Vector<double>& digamma, const VectorOut<double>& out) {
  require(columns.shape(1) == rows && out.shape(0) == columns.shape(0), "one number per row and per column is needed");
  require(rows < (std::size_t(1) << 31), "at most 2^31 rows are supported");
  require(neighbours > 0 && digamma.shape(0) > rows, "a positive number of neighbours and digamma(0..rows) are needed");
}

static void bound_of_two(const Rows<double>& columns, const Vector<double>& y, std::int64_t neighbours,
                         const Vector<double>& digamma, const VectorOut<double>& out) {
  require_sizes(columns, y.shape(0), neighbours, digamma, out);
  require(std::size_t(neighbours) < y.shape(0), "fewer neighbours than rows are needed");
  nb::gil_scoped_release release;
  mean_digamma_continuous(view(columns), view(y), neighbours, view(digamma), view(out));
}

static void bound_within_labels(const Rows<double>& columns, const Vector<std::int32_t>& label, std::int64_t labels,
                                std::int64_t neighbours, const Vector<double>& digamma, const VectorOut<double>& out) {
  require_sizes(columns, label.shape(0), neighbours, digamma, out);
  const View<const std::int32_t> given = view(label);
  require(std::all_of(given.begin(), given.end(), [&](std::int32_t one) { return one >= 0 && one < labels; }),
          "labels must be whole numbers below their number");
  nb::gil_scoped_release release;
  mean_digamma_labels(view(columns), given, labels, neighbours, view(digamma), view(out));
}

}  // namespace learnable::bind

void bind_mutual_information(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("mean_digamma_continuous", &bind::bound_of_two, "columns"_a.noconvert(), "y"_a.noconvert(), "neighbours"_a,
        "digamma"_a.noconvert(), "out"_a.noconvert(),
        "mean_digamma_continuous(columns, y, neighbours, digamma, out) -> None; for each column (a row of `columns`) the mean of "
        "digamma(points nearer than the k-th neighbour in it) + digamma(those nearer in y).");
  m.def("mean_digamma_labels", &bind::bound_within_labels, "columns"_a.noconvert(), "label"_a.noconvert(),
        "labels"_a, "neighbours"_a, "digamma"_a.noconvert(), "out"_a.noconvert(),
        "mean_digamma_labels(columns, label, labels, neighbours, digamma, out) -> None; for each column (a row of "
        "`columns`) the mean of digamma(points nearer than the k-th neighbour of the same label).");
}
