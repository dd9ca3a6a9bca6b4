// Groups of dense points, as Python sees them.
#include "learnable/kd_dense.hpp"

#include "arrays.hpp"
#include "kd_parts.hpp"

namespace learnable::bind {

static void bound_dense(const nb::tuple& parts, std::int64_t columns, const char* kind, double power,
                        const nb::object& balls, double radius, const nb::object& weight, double least,
                        const VectorOut<std::uint8_t>& dense, const VectorOut<std::int64_t>& label) {
  const KdTree tree = tree_of(parts, index_t(columns));
  Vector<double> held;
  View<const double> weights{};
  if (!weight.is_none()) {
    held = nb::cast<Vector<double>>(weight, false);
    weights = view(held);
    require(weights.size == tree.shape.rows, "weight must have a number for every row");
  }
  require(index_t(dense.shape(0)) == tree.shape.rows && index_t(label.shape(0)) == tree.shape.rows,
          "dense and label must have an entry for every row");
  with_region(tree, kind, power, balls, [&](const auto& region) {
    DensePoints<std::decay_t<decltype(region)>> points(tree, region, radius);
    points.find_dense(weights, least, view(dense));
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

void bind_kd_dense(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("kd_dense", &bind::bound_dense, "tree"_a, "columns"_a, "kind"_a, "power"_a, "balls"_a.none(), "radius"_a,
        "weight"_a.none(), "least"_a, "dense"_a.noconvert(), "label"_a.noconvert(),
        "kd_dense(tree, columns, kind, power, balls, radius, weight, least, dense, label) -> None; writes which rows have "
        "weights of `least` within the radius, and the group of connected dense rows that each is in or beside, or -1.");
  m.def("kd_lowest", &bind::bound_lowest, "tree"_a, "Q"_a.noconvert(), "kind"_a, "power"_a, "balls"_a.none(), "radius"_a,
        "label"_a.noconvert(), "out"_a.noconvert(),
        "kd_lowest(tree, Q, kind, power, balls, radius, label, out) -> None; writes the lowest label of the rows of the "
        "tree within the radius of each row of Q, -1 if there is none.");
}
