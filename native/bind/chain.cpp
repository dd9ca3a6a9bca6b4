// Chains of hidden states, as Python sees them.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "learnable/chain/best_paths.hpp"
#include "learnable/chain/filtering.hpp"
#include "learnable/chain/forward_backward.hpp"

namespace learnable::bind {

using Offsets = Vector<std::int64_t>;

static Lattice lattice(const Vector<double>& start, const Rows<double>& transition, const Rows<double>& node,
                       const Offsets& offset) {
  const Lattice chain{view(start), view(transition), view(node), view(offset)};
  const index_t K = chain.states();
  require(K > 0 && chain.transition.rows == K && chain.transition.columns == K && chain.node.columns == K,
          "start, transition and node must have the same number of states, at least one");
  require(chain.offset.size > 0 && chain.offset[0] == 0 && chain.offset[chain.offset.size - 1] == chain.steps(),
          "offset must begin with 0 and end with the number of steps");
  for (index_t s = 0; s < chain.sequences(); ++s) require(chain.length(s) >= 0, "offset must not decrease");
  return chain;
}

template <class T>
static void require_shape(const Grid<T>& grid, index_t rows, index_t columns) {
  require(grid.rows == rows && grid.columns == columns, "an output does not have the shape of the lattice");
}

static void bound_forward_backward(const Vector<double>& start, const Rows<double>& transition,
                                   const Rows<double>& node, const Offsets& offset,
                                   const std::optional<Vector<double>>& weight, const VectorOut<double>& log_likelihood,
                                   const RowsOut<double>& posterior, const RowsOut<double>& transitions) {
  const Lattice chain = lattice(start, transition, node, offset);
  const View<const double> weights = weight ? view(*weight) : View<const double>{};
  require(!weights || weights.size == chain.sequences(), "weight must have a number per sequence");
  require(index_t(log_likelihood.shape(0)) == chain.sequences(), "log_likelihood must have a number per sequence");
  require_shape(view(posterior), chain.steps(), chain.states());
  require_shape(view(transitions), chain.states(), chain.states());
  nb::gil_scoped_release release;
  forward_backward(chain, weights, view(log_likelihood), view(posterior), view(transitions));
}

static void bound_filter(const Vector<double>& start, const Rows<double>& transition, const Rows<double>& node,
                         const Offsets& offset, const VectorOut<double>& log_likelihood,
                         const RowsOut<double>& filtered) {
  const Lattice chain = lattice(start, transition, node, offset);
  require(index_t(log_likelihood.shape(0)) == chain.sequences(), "log_likelihood must have a number per sequence");
  require_shape(view(filtered), chain.steps(), chain.states());
  nb::gil_scoped_release release;
  filter(chain, view(filtered), view(log_likelihood));
}

static void bound_fixed_lag(const Vector<double>& start, const Rows<double>& transition, const Rows<double>& node,
                            const Offsets& offset, const Rows<double>& filtered, std::int64_t lag,
                            const RowsOut<double>& posterior) {
  const Lattice chain = lattice(start, transition, node, offset);
  require(lag >= 0, "lag must be at least 0");
  require_shape(view(filtered), chain.steps(), chain.states());
  require_shape(view(posterior), chain.steps(), chain.states());
  nb::gil_scoped_release release;
  fixed_lag(chain, view(filtered), std::min<index_t>(lag, chain.steps()), view(posterior));
}

static void bound_sample(const Vector<double>& start, const Rows<double>& transition, const Rows<double>& node,
                         const Offsets& offset, const Rows<double>& filtered, const Rows<double>& uniform,
                         const RowsOut<std::int64_t>& paths) {
  const Lattice chain = lattice(start, transition, node, offset);
  require_shape(view(filtered), chain.steps(), chain.states());
  require_shape(view(uniform), chain.steps(), index_t(paths.shape(1)));
  require_shape(view(paths), chain.steps(), index_t(paths.shape(1)));
  nb::gil_scoped_release release;
  sample_paths(chain, view(filtered), view(uniform), view(paths));
}

static void bound_viterbi(const Vector<double>& start, const Rows<double>& transition, const Rows<double>& node,
                          const Offsets& offset, const VectorOut<std::int64_t>& path, const VectorOut<double>& score) {
  const Lattice chain = lattice(start, transition, node, offset);
  require(index_t(path.shape(0)) == chain.steps() && index_t(score.shape(0)) == chain.sequences(),
          "path must have a state per step, score a number per sequence");
  nb::gil_scoped_release release;
  std::fill_n(score.data(), score.shape(0), 0.0);
  for_each_sequence(chain, [&](index_t s) { view(score)[s] = viterbi(chain, s, view(path)); });
}

static void bound_k_best(const Vector<double>& start, const Rows<double>& transition, const Rows<double>& node,
                         const Offsets& offset, const RowsOut<std::int64_t>& paths, const RowsOut<double>& scores) {
  const Lattice chain = lattice(start, transition, node, offset);
  const index_t count = paths.shape(1);
  require(count > 0, "at least one path is needed");
  require_shape(view(paths), chain.steps(), count);
  require_shape(view(scores), chain.sequences(), count);
  nb::gil_scoped_release release;
  std::fill_n(scores.data(), scores.size(), 0.0);
  for_each_sequence(chain, [&](index_t s) { k_best_paths(chain, s, count, view(paths), view(scores).row(s)); });
}

}  // namespace learnable::bind

void bind_chain(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("chain_forward_backward", &bound_forward_backward, "start"_a.noconvert(), "transition"_a.noconvert(),
        "node"_a.noconvert(), "offset"_a.noconvert(), "weight"_a.none(), "log_likelihood"_a.noconvert(),
        "posterior"_a.noconvert(), "transitions"_a.noconvert(),
        "chain_forward_backward(start, transition, node, offset, weight, log_likelihood, posterior, transitions) -> "
        "None; log potentials in, out: the log likelihood of each sequence (-inf: no path is possible, then its "
        "posteriors are 0), posteriors of the states, and the expected numbers of transitions, weighted by sequence.");
  m.def("chain_filter", &bound_filter, "start"_a.noconvert(), "transition"_a.noconvert(), "node"_a.noconvert(),
        "offset"_a.noconvert(), "log_likelihood"_a.noconvert(), "filtered"_a.noconvert(),
        "chain_filter(start, transition, node, offset, log_likelihood, filtered) -> None; writes the probabilities of "
        "the states given the steps so far.");
  m.def("chain_fixed_lag", &bound_fixed_lag, "start"_a.noconvert(), "transition"_a.noconvert(), "node"_a.noconvert(),
        "offset"_a.noconvert(), "filtered"_a.noconvert(), "lag"_a, "posterior"_a.noconvert(),
        "chain_fixed_lag(start, transition, node, offset, filtered, lag, posterior) -> None; writes the probabilities "
        "of the states given the steps up to `lag` later.");
  m.def("chain_sample", &bound_sample, "start"_a.noconvert(), "transition"_a.noconvert(), "node"_a.noconvert(),
        "offset"_a.noconvert(), "filtered"_a.noconvert(), "uniform"_a.noconvert(), "paths"_a.noconvert(),
        "chain_sample(start, transition, node, offset, filtered, uniform, paths) -> None; writes paths drawn from their "
        "posterior, a column each, by uniform numbers of the same shape.");
  m.def("chain_viterbi", &bound_viterbi, "start"_a.noconvert(), "transition"_a.noconvert(), "node"_a.noconvert(),
        "offset"_a.noconvert(), "path"_a.noconvert(), "score"_a.noconvert(),
        "chain_viterbi(start, transition, node, offset, path, score) -> None; writes the best path and the score of "
        "each sequence.");
  m.def("chain_k_best", &bound_k_best, "start"_a.noconvert(), "transition"_a.noconvert(), "node"_a.noconvert(),
        "offset"_a.noconvert(), "paths"_a.noconvert(), "scores"_a.noconvert(),
        "chain_k_best(start, transition, node, offset, paths, scores) -> None; writes the k best paths, a column each, "
        "and their scores; where fewer are possible, states of -1 with the score -inf.");
}
