// Hidden semi-Markov chains, as Python sees them.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "learnable/chain/semi_best_paths.hpp"
#include "learnable/chain/semi_chain.hpp"

namespace learnable::bind {

using Offsets = Vector<std::int64_t>;

// The arguments of all functions: log potentials, and where sequences begin.
struct SemiArguments {
  Vector<double> start;
  Rows<double> transition, duration, survival, node;
  Offsets offset;

  SemiLattice lattice() const {
    const SemiLattice semi{{view(start), view(transition), view(node), view(offset)}, view(duration), view(survival)};
    const Lattice& chain = semi.chain;
    const index_t K = chain.states();
    require(K > 0 && chain.transition.rows == K && chain.transition.columns == K && chain.node.columns == K,
            "start, transition and node must have the same number of states, at least one");
    require(semi.duration.rows == K && semi.survival.rows == K && semi.longest() > 0 &&
                semi.survival.columns == semi.longest(),
            "duration and survival must have a row per state, and at least one column");
    require(chain.offset.size > 0 && chain.offset[0] == 0 && chain.offset[chain.offset.size - 1] == chain.steps(),
            "offset must begin with 0 and end with the number of steps");
    for (index_t s = 0; s < chain.sequences(); ++s) require(chain.length(s) >= 0, "offset must not decrease");
    return semi;
  }
};

template <class T>
static void require_shape(const Grid<T>& grid, index_t rows, index_t columns) {
  require(grid.rows == rows && grid.columns == columns, "an output does not have the shape of the lattice");
}

static void semi_posterior(const SemiArguments& given, const std::optional<Vector<double>>& weight,
                           const VectorOut<double>& log_likelihood, const RowsOut<double>& posterior,
                           const RowsOut<double>& transitions, const RowsOut<double>& durations,
                           const RowsOut<double>& last) {
  const SemiLattice semi = given.lattice();
  const index_t K = semi.chain.states(), D = semi.longest();
  const View<const double> weights = weight ? view(*weight) : View<const double>{};
  require(!weights || weights.size == semi.chain.sequences(), "weight must have a number per sequence");
  require(index_t(log_likelihood.shape(0)) == semi.chain.sequences(), "log_likelihood: a number per sequence");
  require_shape(view(posterior), semi.chain.steps(), K);
  require_shape(view(transitions), K, K);
  require_shape(view(durations), K, D);
  require_shape(view(last), K, D);
  nb::gil_scoped_release release;
  SegmentSums sums(K, D);
  semi_forward_backward(semi, weights, view(log_likelihood), view(posterior), sums);
  std::copy(sums.transitions.begin(), sums.transitions.end(), transitions.data());
  std::copy(sums.durations.begin(), sums.durations.end(), durations.data());
  std::copy(sums.last.begin(), sums.last.end(), last.data());
}

static void semi_filter(const SemiArguments& given, const VectorOut<double>& log_likelihood,
                        const RowsOut<double>& filtered) {
  const SemiLattice semi = given.lattice();
  require(index_t(log_likelihood.shape(0)) == semi.chain.sequences(), "log_likelihood: a number per sequence");
  require_shape(view(filtered), semi.chain.steps(), semi.chain.states());
  nb::gil_scoped_release release;
  std::fill_n(log_likelihood.data(), log_likelihood.shape(0), 0.0);
  for_each_sequence(semi.chain, [&](index_t s) {
    SemiChain one(semi, s);
    view(log_likelihood)[s] = one.forward();
    one.filter(view(filtered));
  });
}

static void semi_fixed_lag(const SemiArguments& given, std::int64_t lag, const RowsOut<double>& posterior) {
  const SemiLattice semi = given.lattice();
  require(lag >= 0, "lag must be at least 0");
  require_shape(view(posterior), semi.chain.steps(), semi.chain.states());
  nb::gil_scoped_release release;
  for_each_sequence(semi.chain, [&](index_t s) {
    SemiChain one(semi, s);
    one.forward();
    one.fixed_lag(std::min<index_t>(lag, semi.chain.steps()), view(posterior));
  });
}

static void semi_sample(const SemiArguments& given, const Rows<double>& uniform, const RowsOut<std::int64_t>& paths) {
  const SemiLattice semi = given.lattice();
  require_shape(view(uniform), semi.chain.steps(), index_t(paths.shape(1)));
  require_shape(view(paths), semi.chain.steps(), index_t(paths.shape(1)));
  nb::gil_scoped_release release;
  for_each_sequence(semi.chain, [&](index_t s) {
    SemiChain one(semi, s);
    one.forward();
    for (index_t n = 0; n < index_t(paths.shape(1)); ++n) one.sample(view(uniform), n, view(paths));
  });
}

static void semi_viterbi(const SemiArguments& given, const VectorOut<std::int64_t>& path,
                         const VectorOut<std::int64_t>& begins, const VectorOut<double>& score) {
  const SemiLattice semi = given.lattice();
  require(index_t(path.shape(0)) == semi.chain.steps() && index_t(begins.shape(0)) == semi.chain.steps() &&
              index_t(score.shape(0)) == semi.chain.sequences(),
          "path and begins must have an entry per step, score a number per sequence");
  nb::gil_scoped_release release;
  std::fill_n(score.data(), score.shape(0), 0.0);
  for_each_sequence(semi.chain, [&](index_t s) { view(score)[s] = SemiChain(semi, s).viterbi(view(path), view(begins)); });
}

static void semi_k_best(const SemiArguments& given, const RowsOut<std::int64_t>& paths, const RowsOut<double>& scores) {
  const SemiLattice semi = given.lattice();
  const index_t count = paths.shape(1);
  require(count > 0, "at least one path is needed");
  require_shape(view(paths), semi.chain.steps(), count);
  require_shape(view(scores), semi.chain.sequences(), count);
  nb::gil_scoped_release release;
  std::fill_n(scores.data(), scores.size(), 0.0);
  for_each_sequence(semi.chain,
                    [&](index_t s) { BestSegmentations(semi, s, count).run(view(paths), view(scores).row(s)); });
}

}  // namespace learnable::bind

void bind_semi_chain(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<SemiArguments>(m, "SemiLattice",
                            "SemiLattice(start, transition, duration, survival, node, offset): log potentials of a "
                            "hidden semi-Markov chain for steps offset[s] to offset[s + 1] of each sequence s.")
      .def(nb::init<Vector<double>, Rows<double>, Rows<double>, Rows<double>, Rows<double>, Offsets>(),
           "start"_a.noconvert(), "transition"_a.noconvert(), "duration"_a.noconvert(), "survival"_a.noconvert(),
           "node"_a.noconvert(), "offset"_a.noconvert())
      .def("forward_backward", &semi_posterior, "weight"_a.none(), "log_likelihood"_a.noconvert(),
           "posterior"_a.noconvert(), "transitions"_a.noconvert(), "durations"_a.noconvert(), "last"_a.noconvert(),
           "Writes the log likelihood of each sequence, posteriors of the states, and the expected numbers of "
           "transitions, of durations of complete segments, and of lengths of last segments, weighted by sequence.")
      .def("filter", &semi_filter, "log_likelihood"_a.noconvert(), "filtered"_a.noconvert(),
           "Writes the probabilities of the states given the steps so far.")
      .def("fixed_lag", &semi_fixed_lag, "lag"_a, "posterior"_a.noconvert(),
           "Writes the probabilities of the states given the steps up to `lag` later.")
      .def("sample", &semi_sample, "uniform"_a.noconvert(), "paths"_a.noconvert(),
           "Writes paths drawn from their posterior, a column each, by uniform numbers of the same shape.")
      .def("viterbi", &semi_viterbi, "path"_a.noconvert(), "begins"_a.noconvert(), "score"_a.noconvert(),
           "Writes the best path, 1 where its segments begin, and the score of each sequence.")
      .def("k_best", &semi_k_best, "paths"_a.noconvert(), "scores"_a.noconvert(),
           "Writes the k best segmentations as paths, a column each, and their scores; where fewer are possible, -1 "
           "with the score -inf.");
}
