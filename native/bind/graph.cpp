// Neighbour graphs of embeddings: shortest paths, affinities, ranks, and the steps of SMACOF.
#include "learnable/manifold/affinities.hpp"
#include "learnable/manifold/neighbour_ranks.hpp"
#include "learnable/manifold/nn_descent.hpp"
#include "learnable/manifold/shortest_paths.hpp"
#include "learnable/manifold/smacof.hpp"

#include "arrays.hpp"

namespace learnable::bind {

using Integers = Vector<std::int64_t>;

static void check_graph(const Integers& start, const Integers& index, index_t entries) {
  const View<const std::int64_t> from = view(start), to = view(index);
  require(from.size > 0 && from[0] == 0 && from[from.size - 1] == to.size && to.size == entries,
          "start must begin at 0 and end at the number of edges");
  for (index_t i = 1; i < from.size; ++i) require(from[i - 1] <= from[i], "start must not decrease");
  for (const std::int64_t node : to) require(node >= 0 && node < from.size - 1, "index names a node that is not there");
}

static void bound_paths(const Integers& start, const Integers& index, const Vector<double>& length,
                        const Integers& sources, const RowsOut<double>& distance) {
  check_graph(start, index, index_t(length.shape(0)));
  const EdgeLists graph{view(start), view(index), view(length)};
  require(graph.nodes() < (index_t(1) << 31), "a graph has fewer than 2^31 nodes");
  require(distance.shape(0) == sources.shape(0) && index_t(distance.shape(1)) == graph.nodes(),
          "distance must have a row per source and a column per node");
  for (const std::int64_t source : view(sources))
    require(source >= 0 && source < graph.nodes(), "a source is not a node of the graph");
  for (const double edge : view(length)) require(edge >= 0, "lengths must not be negative");
  nb::gil_scoped_release release;
  shortest_paths(graph, view(sources), view(distance));
}

static void bound_ranks(const Rows<double>& table, std::int64_t first, const Rows<std::int64_t>& neighbour,
                        const RowsOut<std::int64_t>& rank) {
  require(table.shape(0) == neighbour.shape(0) && rank.shape(0) == neighbour.shape(0) &&
              rank.shape(1) == neighbour.shape(1),
          "neighbour and rank must have a row for each row of the table");
  require(first >= 0 && std::size_t(first) + table.shape(0) <= table.shape(1), "rows lie beyond the columns");
  const Grid<const std::int64_t> rows = view(neighbour);
  for (index_t i = 0; i < rows.rows; ++i)
    for (const std::int64_t row : rows.row(i))
      require(row >= 0 && row < index_t(table.shape(1)), "a neighbour is not a row of the table");
  nb::gil_scoped_release release;
  neighbour_ranks(view(table), index_t(first), rows, view(rank));
}

static void bound_perplexity(const Rows<double>& square, double perplexity, const VectorOut<double>& beta,
                             const RowsOut<double>& p) {
  require(square.shape(0) == p.shape(0) && square.shape(1) == p.shape(1) && beta.shape(0) == p.shape(0),
          "p must have the shape of square, and beta a number for each row");
  require(square.shape(1) > 0 && perplexity > 0, "neighbours and a perplexity above 0 are needed");
  nb::gil_scoped_release release;
  perplexity_affinities(view(square), perplexity, view(beta), view(p));
}

static void bound_fuzzy(const Rows<double>& distance, double k, double connectivity, double mean,
                        const VectorOut<double>& rho, const VectorOut<double>& sigma, const RowsOut<double>& membership) {
  require(distance.shape(0) == membership.shape(0) && distance.shape(1) == membership.shape(1) &&
              rho.shape(0) == distance.shape(0) && sigma.shape(0) == distance.shape(0),
          "membership must have the shape of distance, rho and sigma a number for each row");
  require(distance.shape(1) > 0 && k > 0, "neighbours are needed");
  nb::gil_scoped_release release;
  neighbour_memberships(view(distance), k, connectivity, mean, view(rho), view(sigma), view(membership));
}

static std::int64_t bound_descend(const Rows<double>& X, const Rows<std::int64_t>& near, const Integers& start,
                                  const Integers& reversed, const RowsOut<std::int64_t>& next,
                                  const RowsOut<double>& square) {
  const std::size_t rows = X.shape(0), columns = near.shape(1);
  require(near.shape(0) == rows && columns > 0 && next.shape(0) == rows && next.shape(1) == columns &&
              square.shape(0) == rows && square.shape(1) == columns,
          "near, next and square must have a row for each row of X, and the same columns");
  require(start.shape(0) == rows + 1, "start must have an entry for each row of X, and one more");
  check_graph(start, reversed, index_t(reversed.shape(0)));
  const Grid<const std::int64_t> lists = view(near);
  for (index_t i = 0; i < lists.rows; ++i)
    for (const std::int64_t row : lists.row(i)) require(row >= 0 && row < index_t(rows), "near names a row that is not there");
  nb::gil_scoped_release release;
  return descend_neighbours(view(X), {lists, view(start), view(reversed)}, view(next), view(square));
}

static double bound_smacof(const Rows<double>& target, const nb::object& weight, const Rows<double>& X,
                           const RowsOut<double>& out) {
  require(target.shape(0) == X.shape(0) && target.shape(1) == X.shape(0), "target must be square, a row for each of X");
  require(out.shape(0) == X.shape(0) && out.shape(1) == X.shape(1), "out must have the shape of X");
  Rows<double> array;
  Grid<const double> weights;
  if (!weight.is_none()) {
    array = nb::cast<Rows<double>>(weight, false);
    require(array.shape(0) == X.shape(0) && array.shape(1) == X.shape(0), "weight must have the shape of target");
    weights = view(array);
  }
  nb::gil_scoped_release release;
  return smacof_product(view(target), weights, view(X), view(out));
}

}  // namespace learnable::bind

void bind_graph(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("shortest_paths", &bind::bound_paths, "start"_a.noconvert(), "index"_a.noconvert(), "length"_a.noconvert(),
        "sources"_a.noconvert(), "distance"_a.noconvert(),
        "shortest_paths(start, index, length, sources, distance) -> None; writes the lengths of the shortest paths from "
        "each source to every node, infinite where there is none.");
  m.def("neighbour_ranks", &bind::bound_ranks, "table"_a.noconvert(), "first"_a, "neighbour"_a.noconvert(),
        "rank"_a.noconvert(),
        "neighbour_ranks(table, first, neighbour, rank) -> None; writes the rank, from 1 on, of each neighbour by the "
        "distances of its row; row i of the table is row first + i, which does not count.");
  m.def("perplexity_affinities", &bind::bound_perplexity, "square"_a.noconvert(), "perplexity"_a, "beta"_a.noconvert(),
        "p"_a.noconvert(),
        "perplexity_affinities(square, perplexity, beta, p) -> None; writes Gaussian affinities of squared distances, "
        "each row with sum 1 and the given perplexity, and the precision of each row.");
  m.def("neighbour_memberships", &bind::bound_fuzzy, "distance"_a.noconvert(), "k"_a, "connectivity"_a, "mean"_a,
        "rho"_a.noconvert(), "sigma"_a.noconvert(), "membership"_a.noconvert(),
        "neighbour_memberships(distance, k, connectivity, mean, rho, sigma, membership) -> None; writes exp(-max(0, d - rho) / "
        "sigma) of ascending distances, the distance rho of the nearest others and the width sigma of each row.");
  m.def("descend_neighbours", &bind::bound_descend, "X"_a.noconvert(), "near"_a.noconvert(), "start"_a.noconvert(),
        "reversed"_a.noconvert(), "next"_a.noconvert(), "square"_a.noconvert(),
        "descend_neighbours(X, near, start, reversed, next, square) -> number of neighbours that are not in near; writes the "
        "nearest of the neighbours of neighbours of each row, and their squared distances.");
  m.def("smacof_product", &bind::bound_smacof, "target"_a.noconvert(), "weight"_a.none(), "X"_a.noconvert(),
        "out"_a.noconvert(),
        "smacof_product(target, weight, X, out) -> stress, the weighted sum of (target - distance)^2 over pairs; writes "
        "B(X) X, the sums over j of weight_ij target_ij / d_ij (x_i - x_j).");
}
