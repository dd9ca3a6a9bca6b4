// DBSCAN.
#include "learnable/cluster/dbscan.hpp"
#include "learnable/cluster/dbscan_grid.hpp"

#include "arrays.hpp"
#include "kd_arguments.hpp"

namespace learnable::bind {

static View<const double> optional(const nb::object& weight, Vector<double>& array, index_t rows) {
  if (weight.is_none()) return {};
  array = nb::cast<Vector<double>>(weight, false);
  require(index_t(array.shape(0)) == rows, "weight must have a number for every row");
  return view(array);
}

static void check_outputs(const VectorOut<std::uint8_t>& dense, const VectorOut<std::int64_t>& label, index_t rows) {
  require(index_t(dense.shape(0)) == rows && index_t(label.shape(0)) == rows,
          "core and label must have an entry for every row");
}

static bool bound_plane(const Rows<double>& X, double power, double radius, const nb::object& weight, double min_weight,
                        const VectorOut<std::uint8_t>& dense, const VectorOut<std::int64_t>& label) {
  const index_t rows = index_t(X.shape(0));
  require(X.shape(1) == 2 && rows > 0 && rows < (index_t(1) << 30), "X must have two columns and at least a row");
  require(power >= 1 && radius > 0, "power must be at least 1, and the radius above 0");
  Vector<double> array;
  const View<const double> weights = optional(weight, array, rows);
  check_outputs(dense, label, rows);
  nb::gil_scoped_release release;
  bool suited = false;
  with_norm(power, [&](const auto& norm) {
    const PlanePoints<std::decay_t<decltype(norm)>> points(view(X), norm, radius);
    suited = points.suited();
    if (!suited) return;
    points.find_dense(weights, min_weight, view(dense));
    points.label({dense.data(), rows}, view(label));
  });
  return suited;
}

static void bound_dense(const nb::tuple& parts, std::int64_t columns, const char* kind, double power,
                        const nb::object& balls, double radius, const nb::object& weight, double min_weight,
                        const VectorOut<std::uint8_t>& dense, const VectorOut<std::int64_t>& label) {
  const KdTree tree = tree_of(parts, index_t(columns));
  Vector<double> array;
  const View<const double> weights = optional(weight, array, tree.shape.rows);
  check_outputs(dense, label, tree.shape.rows);
  with_region(tree, kind, power, balls, [&](const auto& region) {
    DensePoints<std::decay_t<decltype(region)>> points(tree, region, radius);
    points.find_dense(weights, min_weight, view(dense));
    points.label({dense.data(), tree.shape.rows}, view(label));
  });
}

static void bound_lowest(const nb::tuple& parts, const Rows<double>& Q, const char* kind, double power,
                         const nb::object& balls, double radius, const Vector<std::int64_t>& label,
                         const VectorOut<std::int64_t>& out) {
  const KdTree tree = tree_of(parts, index_t(Q.shape(1)));
  require(index_t(label.shape(0)) == tree.shape.rows, "label must have a number for every row of the tree");
  require(out.shape(0) == Q.shape(0), "out must have an entry for every row of Q");
  with_region(tree, kind, power, balls, [&](const auto& region) {
    lowest_within(tree, region, view(Q), radius, view(label), view(out));
  });
}

}  // namespace learnable::bind

void bind_dbscan(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("dbscan_tree", &bind::bound_dense, "tree"_a, "columns"_a, "kind"_a, "power"_a, "balls"_a.none(), "radius"_a,
        "weight"_a.none(), "min_weight"_a, "core"_a.noconvert(), "label"_a.noconvert(),
        "dbscan_tree(tree, columns, kind, power, balls, radius, weight, min_weight, core, label) -> None; writes which rows have "
        "at least min_weight within the radius, and the cluster of each core or border row, or -1.");
  m.def("dbscan_grid", &bind::bound_plane, "X"_a.noconvert(), "power"_a, "radius"_a, "weight"_a.none(), "min_weight"_a,
        "core"_a.noconvert(), "label"_a.noconvert(),
        "dbscan_grid(X, power, radius, weight, min_weight, core, label) -> bool; the same as dbscan_tree for rows of two columns, "
        "by a grid; False, and nothing is written, where too many cells or crowded ones make that slow.");
  m.def("lowest_label_within", &bind::bound_lowest, "tree"_a, "Q"_a.noconvert(), "kind"_a, "power"_a,
        "balls"_a.none(), "radius"_a,
        "label"_a.noconvert(), "out"_a.noconvert(),
        "lowest_label_within(tree, Q, kind, power, balls, radius, label, out) -> None; writes the lowest label of the rows of the "
        "tree within the radius of each row of Q, -1 if there is none.");
}
