// Chains in which each state has few predecessors, as Python sees them.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "learnable/chain/sparse_chain.hpp"

namespace learnable::bind {

struct SparseArguments {
  Vector<double> start;
  Vector<std::int64_t> first;
  Vector<std::int32_t> from;
  Vector<double> weight;
  Rows<double> node;
  Vector<std::int64_t> offset;

  SparseLattice lattice() const {
    const SparseLattice found{view(start), view(first), view(from), view(weight), view(node), view(offset)};
    const index_t S = found.states();
    require(S > 0 && found.node.columns == S && found.first.size == S + 1 && found.first[0] == 0 &&
                found.first[S] == found.edges() && found.weight.size == found.edges(),
            "start, first and node must have the same number of states; from and weight an entry per transition");
    for (index_t s = 0; s < S; ++s) require(found.first[s] <= found.first[s + 1], "first must not decrease");
    for (const std::int32_t state : found.from) require(state >= 0 && state < S, "from is out of bounds");
    require(found.offset.size > 0 && found.offset[0] == 0 && found.offset[found.offset.size - 1] == found.node.rows,
            "offset must begin with 0 and end with the number of steps");
    for (index_t s = 0; s < found.sequences(); ++s) require(found.length(s) >= 0, "offset must not decrease");
    return found;
  }
};

template <class T>
static void require_shape(const Grid<T>& grid, index_t rows, index_t columns) {
  require(grid.rows == rows && grid.columns == columns, "an output does not have the shape of the lattice");
}

static void require_sequences(const VectorOut<double>& out, const SparseLattice& lattice) {
  require(index_t(out.shape(0)) == lattice.sequences(), "there must be a number per sequence");
}

static void sparse_posterior(const SparseArguments& given, const std::optional<Vector<double>>& weight,
                             const VectorOut<double>& log_likelihood, const RowsOut<double>& posterior,
                             const VectorOut<double>& transitions) {
  const SparseLattice lattice = given.lattice();
  const View<const double> weights = weight ? view(*weight) : View<const double>{};
  require(!weights || weights.size == lattice.sequences(), "weight must have a number per sequence");
  require_sequences(log_likelihood, lattice);
  require_shape(view(posterior), lattice.node.rows, lattice.states());
  require(index_t(transitions.shape(0)) == lattice.edges(), "transitions must have a number per transition");
  nb::gil_scoped_release release;
  sparse_forward_backward(lattice, weights, view(log_likelihood), view(posterior), view(transitions));
}

static void sparse_filter(const SparseArguments& given, const VectorOut<double>& log_likelihood,
                          const RowsOut<double>& filtered) {
  const SparseLattice lattice = given.lattice();
  require_sequences(log_likelihood, lattice);
  require_shape(view(filtered), lattice.node.rows, lattice.states());
  nb::gil_scoped_release release;
  const SparseChain chain(lattice);
  std::fill_n(log_likelihood.data(), log_likelihood.shape(0), 0.0);
  for_each_sequence(lattice.frame(), [&](index_t s) { view(log_likelihood)[s] = chain.filter(s, view(filtered)); });
}

static void sparse_viterbi(const SparseArguments& given, const VectorOut<std::int64_t>& path,
                           const VectorOut<double>& score) {
  const SparseLattice lattice = given.lattice();
  require_sequences(score, lattice);
  require(index_t(path.shape(0)) == lattice.node.rows, "path must have a state per step");
  nb::gil_scoped_release release;
  const SparseChain chain(lattice);
  std::fill_n(score.data(), score.shape(0), 0.0);
  for_each_sequence(lattice.frame(), [&](index_t s) { view(score)[s] = chain.viterbi(s, view(path)); });
}

static void sparse_k_best(const SparseArguments& given, const RowsOut<std::int64_t>& paths,
                          const RowsOut<double>& scores) {
  const SparseLattice lattice = given.lattice();
  const index_t count = paths.shape(1);
  require(count > 0, "at least one path is needed");
  require_shape(view(paths), lattice.node.rows, count);
  require_shape(view(scores), lattice.sequences(), count);
  nb::gil_scoped_release release;
  const SparseChain chain(lattice);
  std::fill_n(scores.data(), scores.size(), 0.0);
  for_each_sequence(lattice.frame(),
                    [&](index_t s) { chain.k_best(s, count, view(paths), view(scores).row(s)); });
}

}  // namespace learnable::bind

void bind_sparse_chain(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<SparseArguments>(m, "SparseLattice",
                              "SparseLattice(start, first, from_, weight, node, offset): log potentials of states that "
                              "follow the states from_[first[s]] to from_[first[s + 1] - 1] with these weights.")
      .def(nb::init<Vector<double>, Vector<std::int64_t>, Vector<std::int32_t>, Vector<double>, Rows<double>,
                    Vector<std::int64_t>>(),
           "start"_a.noconvert(), "first"_a.noconvert(), "from_"_a.noconvert(), "weight"_a.noconvert(),
           "node"_a.noconvert(), "offset"_a.noconvert())
      .def("forward_backward", &sparse_posterior, "weight"_a.none(), "log_likelihood"_a.noconvert(),
           "posterior"_a.noconvert(), "transitions"_a.noconvert(),
           "Writes the log likelihood of each sequence, posteriors of the states, and the expected numbers of "
           "transitions, weighted by sequence.")
      .def("filter", &sparse_filter, "log_likelihood"_a.noconvert(), "filtered"_a.noconvert(),
           "Writes the log likelihoods, and the probabilities of the states given the steps so far.")
      .def("viterbi", &sparse_viterbi, "path"_a.noconvert(), "score"_a.noconvert(),
           "Writes the best path and the score of each sequence.")
      .def("k_best", &sparse_k_best, "paths"_a.noconvert(), "scores"_a.noconvert(),
           "Writes the k best paths, a column each, and their scores.");
}
