// Distances between rows.
#include "learnable/neighbors/euclidean_distances.hpp"

#include <cstring>

#include "arrays.hpp"
#include "learnable/neighbors/columnwise_distances.hpp"

namespace learnable::bind {

static void require_same_columns(const Rows<double>& X, const Rows<double>& Y) {
  require(X.shape(1) == Y.shape(1), "X and Y must have equally many columns");
}

static nb::object bound_euclidean(const Rows<double>& X, const Rows<double>& Y, bool squared) {
  require_same_columns(X, Y);
  const Grid<const double> left = view(X), right = view(Y);
  const bool same = left.data == right.data && left.rows == right.rows;
  const NewArray out = new_array(left.rows, right.rows);
  {
    nb::gil_scoped_release release;
    euclidean_distances(left, right, squared, same, {out.data, left.rows, right.rows, right.rows});
  }
  return out.array;
}

static nb::object bound_column_distances(const Rows<double>& X, const Rows<double>& Y, const char* kind, double power,
                                         const nb::object& weight, const nb::object& categorical) {
  require_same_columns(X, Y);
  const Grid<const double> left = view(X), right = view(Y);
  const NewArray made = new_array(left.rows, right.rows);
  const Grid<double> out{made.data, left.rows, right.rows, right.rows};
  Vector<double> weights, categories;
  const bool gower = std::strcmp(kind, "gower") == 0;
  if (gower) {
    weights = nb::cast<Vector<double>>(weight, false);
    categories = nb::cast<Vector<double>>(categorical, false);
    require(weights.shape(0) == X.shape(1) && categories.shape(0) == X.shape(1), "one number per column is needed");
  }
  const auto is = [&](const char* name) { return std::strcmp(kind, name) == 0; };
  const auto run = [&](const auto& chosen) {
    nb::gil_scoped_release release;
    column_distances(chosen, left, right, out);
  };
  if (is("manhattan")) run(Manhattan{});
  else if (is("chebyshev")) run(Chebyshev{});
  else if (is("minkowski")) run(Minkowski{power});
  else if (is("canberra")) run(Canberra{});
  else if (is("braycurtis")) run(BrayCurtis{});
  else if (is("hamming")) run(Hamming{});
  else if (is("chi2")) run(ChiSquared{});
  else if (is("nan_euclidean")) run(NanEuclidean{});
  else if (gower) run(Gower{view(weights), view(categories)});
  else if (is("jaccard")) run(BooleanDistance<Jaccard>{});
  else if (is("dice")) run(BooleanDistance<Dice>{});
  else if (is("rogerstanimoto")) run(BooleanDistance<RogersTanimoto>{});
  else if (is("russellrao")) run(BooleanDistance<RussellRao>{});
  else if (is("sokalsneath")) run(BooleanDistance<SokalSneath>{});
  else if (is("yule")) run(BooleanDistance<Yule>{});
  else throw std::invalid_argument("unknown distance");
  return made.array;
}

static void bound_nearest(const Rows<double>& X, const Rows<double>& Y, const VectorOut<std::int64_t>& nearest,
                          const VectorOut<double>& square) {
  require_same_columns(X, Y);
  require(nearest.shape(0) == X.shape(0) && square.shape(0) == X.shape(0), "one entry per row of X is needed");
  nb::gil_scoped_release release;
  nearest_rows(view(X), view(Y), view(nearest), view(square));
}

static nb::object bound_cluster_distances(const Rows<double>& X, const Vector<std::int64_t>& starts) {
  const Grid<const double> rows = view(X);
  const View<const std::int64_t> bounds = view(starts);
  require(bounds.size > 1 && bounds[0] == 0 && bounds[bounds.size - 1] == rows.rows &&
              std::is_sorted(bounds.begin(), bounds.end()),
          "starts must rise from zero to the number of rows");
  const NewArray out = new_array(rows.rows, bounds.size - 1);
  {
    nb::gil_scoped_release release;
    cluster_distances(rows, bounds, {out.data, rows.rows, bounds.size - 1, bounds.size - 1});
  }
  return out.array;
}

}  // namespace learnable::bind

void bind_distances(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  const auto none = nanobind::none();
  m.def("euclidean_distances", &bind::bound_euclidean, "X"_a.noconvert(), "Y"_a.noconvert(), "squared"_a = false,
        "euclidean_distances(X, Y, squared=False) -> |X_i - Y_j| for all rows, or its square.");
  m.def("column_distances", &bind::bound_column_distances, "X"_a.noconvert(), "Y"_a.noconvert(), "kind"_a,
        "power"_a = 0.0, "weight"_a.none() = none, "categorical"_a.none() = none,
        "column_distances(X, Y, kind, power=0, weight=None, categorical=None) -> distances of all rows; kind is "
        "manhattan, chebyshev, minkowski, canberra, braycurtis, hamming, chi2, nan_euclidean, gower, jaccard, dice, "
        "rogerstanimoto, russellrao, sokalsneath or yule.");
  m.def("nearest_rows", &bind::bound_nearest, "X"_a.noconvert(), "Y"_a.noconvert(), "nearest"_a.noconvert(),
        "square"_a.noconvert(),
        "nearest_rows(X, Y, nearest, square) -> None; writes the nearest row of Y and its squared distance.");
  m.def("cluster_distances", &bind::bound_cluster_distances, "X"_a.noconvert(), "starts"_a.noconvert(),
        "cluster_distances(X, starts) -> sum of the distances of each row to the rows of each cluster, for rows that "
        "are sorted by cluster; cluster c has rows starts[c] up to starts[c + 1].");
}
