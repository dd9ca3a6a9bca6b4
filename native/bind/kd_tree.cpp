// Trees of points and searches in them, as Python sees them.
#include "learnable/neighbors/kd_search.hpp"

#include <cstring>

#include "arrays.hpp"
#include "kd_arguments.hpp"

namespace learnable::bind {

static nb::tuple bound_shape(std::int64_t rows) {
  require(rows > 0 && rows < (std::int64_t(1) << 31), "a tree has between 1 and 2^31 rows");
  const KdShape shape{index_t(rows)};
  return nb::make_tuple(shape.leaves, shape.width);
}

static void bound_build(const Rows<double>& X, const RowsOut<double>& points, const VectorOut<std::int64_t>& order,
                        const RowsOut<double>& boxes) {
  require(X.shape(0) > 0 && X.shape(0) < (std::size_t(1) << 31), "a tree has between 1 and 2^31 rows");
  const Grid<const double> rows = view(X);
  const KdShape shape(rows.rows);
  require(index_t(points.shape(0)) == shape.leaves * rows.columns && index_t(points.shape(1)) == shape.width,
          "points must have a row per leaf and column");
  require(index_t(order.shape(0)) == shape.leaves * shape.width, "order must have an entry per position");
  require(index_t(boxes.shape(0)) == shape.nodes() && index_t(boxes.shape(1)) == 2 * rows.columns,
          "boxes must have a row per node");
  nb::gil_scoped_release release;
  KdBuilder(rows, view(points), view(order), view(boxes));
}

static void bound_balls(const nb::tuple& parts, const char* kind, const RowsOut<double>& centre,
                        const VectorOut<double>& radius) {
  const KdTree tree = tree_of(parts, index_t(centre.shape(1)));
  require(index_t(centre.shape(0)) == tree.shape.nodes() && index_t(radius.shape(0)) == tree.shape.nodes(),
          "a ball per node is needed");
  require(std::strcmp(kind, "haversine") != 0 || tree.columns == 2, "latitude and longitude are needed");
  const auto run = [&](const auto& chosen) {
    nb::gil_scoped_release release;
    build_balls(tree, chosen, view(centre), view(radius));
  };
  if (std::strcmp(kind, "canberra") == 0) return run(Canberra{});
  if (std::strcmp(kind, "hamming") == 0) return run(Hamming{});
  if (std::strcmp(kind, "haversine") == 0) return run(Haversine{});
  throw std::invalid_argument("unknown kind of distance");
}

static void bound_nearest(const nb::tuple& parts, const Rows<double>& Q, const char* kind, double power,
                          const nb::object& balls, bool same, const RowsOut<std::int64_t>& nearest,
                          const RowsOut<double>& distance) {
  const Grid<const double> queries = view(Q);
  const KdTree tree = tree_of(parts, queries.columns);
  require(nearest.shape(0) == Q.shape(0) && distance.shape(0) == Q.shape(0) && nearest.shape(1) == distance.shape(1),
          "one row of neighbours per row of Q is needed");
  require(nearest.shape(1) > 0 && index_t(nearest.shape(1)) + same <= tree.shape.rows,
          "the tree has too few rows for that many neighbours");
  require(!same || queries.rows == tree.shape.rows, "Q is not the rows of the tree");
  with_region(tree, kind, power, balls, [&](const auto& region) {
    kd_nearest(tree, region, queries, same, view(nearest), view(distance));
  });
}

static nb::tuple bound_within(const nb::tuple& parts, const Rows<double>& Q, const char* kind, double power,
                              const nb::object& balls, double radius, bool same, const VectorOut<std::int64_t>& start) {
  const Grid<const double> queries = view(Q);
  const KdTree tree = tree_of(parts, queries.columns);
  require(index_t(start.shape(0)) == queries.rows + 1, "start must have an entry more than there are queries");
  require(!same || queries.rows == tree.shape.rows, "Q is not the rows of the tree");
  Within found;
  with_region(tree, kind, power, balls, [&](const auto& region) {
    found = kd_within(tree, region, queries, radius, same);
  });
  const index_t total = found.total();
  auto* rows = new std::vector<std::int64_t>(std::size_t(total));
  nb::capsule owner(rows, [](void* held) noexcept { delete static_cast<std::vector<std::int64_t>*>(held); });
  const NewArray distances = new_array(total);
  found.write(view(start), {rows->data(), total}, {distances.data, total});
  const std::size_t shape[] = {std::size_t(total)};
  return nb::make_tuple(distances.array, nb::ndarray<nb::numpy, std::int64_t>(rows->data(), 1, shape, owner));
}

static void bound_nearest_of_table(const Rows<double>& table, std::int64_t skip, const RowsOut<std::int64_t>& nearest,
                                   const RowsOut<double>& distance) {
  require(nearest.shape(0) == table.shape(0) && distance.shape(0) == table.shape(0) &&
              nearest.shape(1) == distance.shape(1) && nearest.shape(1) + (skip >= 0) <= table.shape(1),
          "one row of neighbours per row of the table is needed, and columns enough");
  nb::gil_scoped_release release;
  nearest_of_table(view(table), index_t(skip), view(nearest), view(distance));
}

}  // namespace learnable::bind

void bind_kd_tree(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("kd_shape", &bind::bound_shape, "rows"_a,
        "kd_shape(rows) -> number of leaves of a tree with this number of rows, positions in each.");
  m.def("kd_build", &bind::bound_build, "X"_a.noconvert(), "points"_a.noconvert(), "order"_a.noconvert(),
        "boxes"_a.noconvert(),
        "kd_build(X, points, order, boxes) -> None; writes the rows leaf by leaf, their order, and a box per node.");
  m.def("kd_balls", &bind::bound_balls, "tree"_a, "kind"_a, "centre"_a.noconvert(), "radius"_a.noconvert(),
        "kd_balls(tree, kind, centre, radius) -> None; writes a ball per node of (rows, points, order, boxes), by the "
        "distance canberra, hamming or haversine.");
  m.def("kd_nearest", &bind::bound_nearest, "tree"_a, "Q"_a.noconvert(), "kind"_a, "power"_a, "balls"_a.none(), "same"_a,
        "nearest"_a.noconvert(), "distance"_a.noconvert(),
        "kd_nearest(tree, Q, kind, power, balls, same, nearest, distance) -> None; writes the nearest rows, nearest "
        "first, and their distances. With `same`, Q is the rows of the tree, and none is its own neighbour.");
  m.def("kd_within", &bind::bound_within, "tree"_a, "Q"_a.noconvert(), "kind"_a, "power"_a, "balls"_a.none(), "radius"_a,
        "same"_a, "start"_a.noconvert(),
        "kd_within(tree, Q, kind, power, balls, radius, same, start) -> distances and rows of all points within the "
        "radius, those of query i from start[i] up to start[i + 1].");
  m.def("nearest_of_table", &bind::bound_nearest_of_table, "table"_a.noconvert(), "skip"_a, "nearest"_a.noconvert(),
        "distance"_a.noconvert(),
        "nearest_of_table(table, skip, nearest, distance) -> None; writes the columns of the smallest entries of every "
        "row, and these; row i leaves out column skip + i unless skip < 0.");
}
