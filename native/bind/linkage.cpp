// Hierarchical clustering.
#include "learnable/cluster/linkage/distance_table.hpp"
#include "learnable/cluster/linkage/graph.hpp"
#include "learnable/cluster/linkage/merges.hpp"
#include "learnable/cluster/linkage/single.hpp"
#include "learnable/cluster/linkage/ward.hpp"

#include <cstring>

#include "arrays.hpp"

namespace learnable::bind {

static void check_merges(const RowsOut<double>& merges, std::size_t rows) {
  require(rows > 0 && rows < (std::size_t(1) << 30), "between 1 and 2^30 rows can be linked");
  require(merges.shape(0) + 1 == rows && merges.shape(1) == 4, "merges must have four columns and a row less than X");
}

static View<const double> optional(const nb::object& values, Vector<double>& array, std::size_t rows) {
  if (values.is_none()) return {};
  array = nb::cast<Vector<double>>(values, false);
  require(array.shape(0) == rows, "reach must have a number for every row");
  return view(array);
}

static void bound_single(const Rows<double>& X, double power, const nb::object& reach, const RowsOut<double>& merges) {
  check_merges(merges, X.shape(0));
  require(power >= 1, "power must be at least 1");
  Vector<double> array;
  const View<const double> lengths = optional(reach, array, X.shape(0));
  nb::gil_scoped_release release;
  with_norm(power, [&](const auto& norm) {
    std::vector<Merge> found = SpanningTree(view(X), norm, Reach{lengths}).edges();
    write_sorted_merges(found, view(merges));
  });
}

static void bound_order(const Rows<double>& X, double power, const Vector<double>& reach, double limit,
                        const VectorOut<std::int64_t>& order, const VectorOut<double>& distance,
                        const VectorOut<std::int64_t>& before) {
  const std::size_t rows = X.shape(0);
  require(power >= 1 && rows > 0 && rows < (std::size_t(1) << 30), "power must be at least 1, and there must be rows");
  require(reach.shape(0) == rows && order.shape(0) == rows && distance.shape(0) == rows && before.shape(0) == rows,
          "reach, order, distance and before must have an entry for every row");
  nb::gil_scoped_release release;
  with_norm(power, [&](const auto& norm) {
    const std::vector<Merge> found = SpanningTree(view(X), norm, Reach{view(reach), false, limit}).edges();
    order.data()[0] = 0;
    distance.data()[0] = HUGE_VAL;
    before.data()[0] = -1;
    for (std::size_t k = 0; k < found.size(); ++k) {
      order.data()[k + 1] = found[k].right;
      distance.data()[found[k].right] = found[k].height;
      before.data()[found[k].right] = found[k].left;
    }
  });
}

static void bound_ward(const Rows<double>& X, const RowsOut<double>& merges) {
  check_merges(merges, X.shape(0));
  nb::gil_scoped_release release;
  std::vector<Merge> found = WardChain(view(X)).merges();
  write_sorted_merges(found, view(merges));
}

static void bound_table(const RowsOut<double>& table, const char* rule, const RowsOut<double>& merges) {
  check_merges(merges, table.shape(0));
  require(table.shape(0) == table.shape(1), "the table must be square");
  const auto is = [&](const char* name) { return std::strcmp(rule, name) == 0; };
  const auto chain = [&](auto chosen) {
    nb::gil_scoped_release release;
    std::vector<Merge> found = chain_merges(view(table), chosen);
    write_sorted_merges(found, view(merges));
  };
  const auto nearest = [&](auto chosen) {
    nb::gil_scoped_release release;
    write_merges(nearest_merges(view(table), chosen), view(merges));
  };
  if (is("complete")) return chain(CompleteRule{});
  if (is("average")) return chain(AverageRule{});
  if (is("weighted")) return chain(WeightedRule{});
  if (is("ward")) return chain(WardRule{});
  if (is("centroid")) return nearest(CentroidRule{});
  if (is("median")) return nearest(MedianRule{});
  throw std::invalid_argument("unknown linkage");
}

static void bound_single_table(const Rows<double>& table, const nb::object& reach, const RowsOut<double>& merges) {
  check_merges(merges, table.shape(0));
  require(table.shape(0) == table.shape(1), "the table must be square");
  Vector<double> array;
  const View<const double> lengths = optional(reach, array, table.shape(0));
  nb::gil_scoped_release release;
  std::vector<Merge> found = spanning_tree(view(table), lengths);
  write_sorted_merges(found, view(merges));
}

// The edges of a CSR graph, validated.
static std::vector<Edges> edge_lists(const Vector<double>& apart, const Vector<std::int64_t>& to,
                                     const Vector<std::int64_t>& start) {
  const index_t rows = index_t(start.shape(0)) - 1;
  require(rows > 0 && start(0) == 0 && start(rows) == std::int64_t(to.shape(0)) && to.shape(0) == apart.shape(0),
          "the arrays of the graph are inconsistent");
  std::vector<Edges> edges(std::size_t(rows), Edges{});
  for (index_t i = 0; i < rows; ++i) {
    require(start(i) <= start(i + 1), "the graph must be in order");
    for (std::int64_t k = start(i); k < start(i + 1); ++k) {
      require(to(k) >= 0 && to(k) < rows && (k == start(i) || to(k - 1) < to(k)), "the graph must be in order");
      edges[i].push_back({std::int32_t(to(k)), apart(k)});
    }
  }
  return edges;
}

static void bound_graph(const Vector<double>& apart, const Vector<std::int64_t>& to, const Vector<std::int64_t>& start,
                        const char* rule, const nb::object& X, const RowsOut<double>& merges) {
  std::vector<Edges> edges = edge_lists(apart, to, start);
  check_merges(merges, edges.size());
  const auto is = [&](const char* name) { return std::strcmp(rule, name) == 0; };
  const auto run = [&](GraphMeasure&& measure) {
    nb::gil_scoped_release release;
    graph_merges(edges, measure, view(merges));
  };
  if (is("single")) return run(ByEdges<SingleRule>{});
  if (is("complete")) return run(ByEdges<CompleteRule>{});
  if (is("average")) return run(ByEdges<AverageRule>{});
  require(is("ward"), "unknown linkage");
  const auto rows = nb::cast<Rows<double>>(X, false);
  require(rows.shape(0) == edges.size(), "the graph must have a list for every row of X");
  run(ByMeans(view(rows)));
}

}  // namespace learnable::bind

void bind_linkage(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("link_single", &bind::bound_single, "X"_a.noconvert(), "power"_a, "reach"_a.none(), "merges"_a.noconvert(),
        "link_single(X, power, reach, merges) -> None; writes the merges of single linkage by a Minkowski distance: two "
        "clusters, distance, rows together. No distance of a row is below its `reach`.");
  m.def("optics_order", &bind::bound_order, "X"_a.noconvert(), "power"_a, "reach"_a.noconvert(), "limit"_a,
        "order"_a.noconvert(), "distance"_a.noconvert(), "before"_a.noconvert(),
        "optics_order(X, power, reach, limit, order, distance, before) -> None; writes the order in which OPTICS visits rows "
        "with these core distances, the reachability of each, and its predecessor; infinite and -1 beyond `limit`.");
  m.def("link_ward", &bind::bound_ward, "X"_a.noconvert(), "merges"_a.noconvert(),
        "link_ward(X, merges) -> None; writes the merges of Ward's linkage of the rows of X.");
  m.def("link_table", &bind::bound_table, "table"_a.noconvert(), "rule"_a, "merges"_a.noconvert(),
        "link_table(table, rule, merges) -> None; writes the merges of complete, average or weighted linkage by a table "
        "of distances, which is overwritten; of ward, centroid or median linkage by squares, and their heights are squares.");
  m.def("link_single_table", &bind::bound_single_table, "table"_a.noconvert(), "reach"_a.none(), "merges"_a.noconvert(),
        "link_single_table(table, reach, merges) -> None; writes the merges of single linkage by a table of distances.");
  m.def("link_graph", &bind::bound_graph, "apart"_a.noconvert(), "to"_a.noconvert(), "start"_a.noconvert(), "rule"_a,
        "X"_a.none(), "merges"_a.noconvert(),
        "link_graph(apart, to, start, rule, X, merges) -> None; writes the merges of single, complete or average linkage "
        "along the edges of a connected graph, or of Ward's linkage of the rows of X, whose heights and `apart` are squares.");
}
