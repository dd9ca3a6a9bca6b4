// Bayesian networks: junction trees and contingency tables, as Python sees them.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "learnable/graphical/family_counts.hpp"
#include "learnable/graphical/junction_tree.hpp"

namespace learnable::bind {

using Indices = Vector<std::int64_t>;

static void require_below(View<const std::int64_t> values, index_t limit, const char* message) {
  for (index_t i = 0; i < values.size; ++i) require(values[i] >= 0 && values[i] < limit, message);
}

// `start` has an entry more than there are groups of `entries`.
static void require_groups(View<const std::int64_t> start, index_t groups, index_t entries, const char* message) {
  require(start.size == groups + 1 && start[0] == 0 && start[groups] == entries, message);
  for (index_t g = 0; g < groups; ++g) require(start[g] <= start[g + 1], message);
}

// A junction tree that Python keeps: its arrays are copied and checked once.
struct BoundTree {
  std::vector<std::int64_t> start, scope, separator, parent, card, home;
  std::unique_ptr<JunctionTree> tree;

  static std::vector<std::int64_t> copied(const Indices& a) { return {a.data(), a.data() + a.shape(0)}; }
  static View<const std::int64_t> seen(const std::vector<std::int64_t>& a) { return {a.data(), index_t(a.size())}; }

  BoundTree(const Indices& start_, const Indices& scope_, const Indices& separator_, const Indices& parent_,
            const Indices& card_, const Indices& home_)
      : start(copied(start_)), scope(copied(scope_)), separator(copied(separator_)), parent(copied(parent_)),
        card(copied(card_)), home(copied(home_)) {
    const index_t cliques = parent.size(), variables = card.size();
    require_groups(seen(start), cliques, scope.size(), "start must divide scope into cliques");
    require(index_t(separator.size()) == cliques && index_t(home.size()) == variables,
            "separator must have a number per clique, home one per variable");
    require_below(seen(scope), variables, "scope must hold variables");
    require_below(seen(home), cliques, "home must hold cliques");
    for (index_t c = 0; c < cliques; ++c) {
      require(separator[c] >= 0 && separator[c] <= start[c + 1] - start[c] && start[c + 1] - start[c] < 64,
              "a separator must be a part of its clique, of fewer than 64 variables");
      require(parent[c] == -1 || (parent[c] > c && parent[c] < cliques), "parents must come after their children");
      for (index_t k = 0; k < separator[c] && parent[c] >= 0; ++k) require_member(parent[c], scope[start[c] + k]);
    }
    for (const auto size : card) require(size > 0, "card must be positive");
    for (index_t v = 0; v < variables; ++v) require_member(home[v], v);
    tree = std::make_unique<JunctionTree>(seen(start), seen(scope), seen(separator), seen(parent), seen(card), seen(home));
  }

  void require_member(index_t clique, std::int64_t variable) const {
    const auto end = scope.begin() + start[clique + 1];
    require(std::find(scope.begin() + start[clique], end, variable) != end, "a clique lacks a variable");
  }

  FamilyTables families(const Indices& first, const Indices& members, const Indices& clique) const {
    require_groups(view(first), index_t(clique.shape(0)), index_t(members.shape(0)), "start must divide the families");
    require_below(view(clique), tree->cliques(), "clique must hold cliques");
    require_below(view(members), tree->variables(), "families must hold variables");
    for (index_t f = 0; f < index_t(clique.shape(0)); ++f)
      for (index_t a = first.data()[f]; a < first.data()[f + 1]; ++a) require_member(clique.data()[f], members.data()[a]);
    return FamilyTables(*tree, view(first), view(members), view(clique));
  }

  void require_rows(const Vector<double>& potential, const Indices& evident, const Rows<double>& likelihood,
                    index_t outputs) const {
    require(index_t(potential.shape(0)) == tree->entries(), "potential must have a number per entry of the cliques");
    require(index_t(likelihood.shape(1)) == tree->states(), "likelihood must have a number per state");
    require(likelihood.shape(0) > 0 && index_t(likelihood.shape(0)) == outputs, "an output must have a number per row");
    require_below(view(evident), tree->variables(), "evident must hold variables");
  }

  void assemble(const Indices& first, const Indices& members, const Indices& clique, const Vector<double>& value,
                const VectorOut<double>& potential) const {
    const FamilyTables tables = families(first, members, clique);
    require(index_t(value.shape(0)) == tables.entries() && index_t(potential.shape(0)) == tree->entries(),
            "value must have the entries of the families, potential those of the cliques");
    nb::gil_scoped_release release;
    learnable::assemble(*tree, tables, value.data(), potential.data());
  }

  void propagate(const Vector<double>& potential, const Indices& evident, const Rows<double>& likelihood,
                 const RowsOut<double>& posterior, const VectorOut<double>& log_evidence) const {
    require_rows(potential, evident, likelihood, log_evidence.shape(0));
    require(posterior.shape(0) == likelihood.shape(0) && posterior.shape(1) == likelihood.shape(1),
            "posterior must have the shape of likelihood");
    nb::gil_scoped_release release;
    learnable::propagate(*tree, potential.data(), view(evident), view(likelihood), view(posterior), view(log_evidence));
  }

  void expected_counts(const Vector<double>& potential, const Indices& evident, const Rows<double>& likelihood,
                       const Vector<double>& weight, const Indices& first, const Indices& members,
                       const Indices& clique, const VectorOut<double>& counts,
                       const VectorOut<double>& log_evidence) const {
    require_rows(potential, evident, likelihood, log_evidence.shape(0));
    const FamilyTables tables = families(first, members, clique);
    require(index_t(counts.shape(0)) == tables.entries(), "counts must have the entries of the families");
    require(weight.shape(0) == likelihood.shape(0), "weight must have a number per row");
    nb::gil_scoped_release release;
    learnable::expected_counts(*tree, tables, potential.data(), view(evident), view(likelihood), view(weight),
                               view(counts), view(log_evidence));
  }

  void best_states(const Vector<double>& potential, const Indices& evident, const Rows<double>& likelihood,
                   const RowsOut<std::int64_t>& state, const VectorOut<double>& log_probability) const {
    require_rows(potential, evident, likelihood, log_probability.shape(0));
    require(state.shape(0) == likelihood.shape(0) && index_t(state.shape(1)) == tree->variables(),
            "state must have a number per row and variable");
    nb::gil_scoped_release release;
    const Blocks blocks(likelihood.shape(0), std::max<index_t>(1, 400'000 / (tree->entries() + 1)));
    parallel_for(blocks.count, [&](index_t block, int) {
      TreePass<double> pass(*tree, widest_message(*tree));
      for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        pass.enter(potential.data(), view(evident), view(likelihood).row(i).data);
        log_probability.data()[i] = best_assignment(*tree, pass, view(state).row(i).data);
      }
    });
  }
};

static CodedColumns coded(const Rows<Code>& code, const Indices& card, const std::optional<Vector<double>>& weight) {
  require(card.shape(0) == code.shape(0), "card must have a number per column");
  require(!weight || weight->shape(0) == code.shape(1), "weight must have a number per row");
  return {view(code), view(card), weight ? view(*weight) : View<const double>{}};
}

static void require_columns(const CodedColumns& data, index_t child, View<const std::int64_t> base,
                            View<const std::int64_t> others, bool or_none) {
  const index_t columns = data.code.rows;
  require(child >= 0 && child < columns, "the child must be a column");
  require_below(base, columns, "parents must be columns");
  for (index_t k = 0; k < others.size; ++k)
    require(others[k] < columns && others[k] >= (or_none ? -1 : 0), "others must be columns");
}

static void bound_score_families(const Rows<Code>& code, const Indices& card,
                                 const std::optional<Vector<double>>& weight, std::int64_t child, const Indices& base,
                                 const Indices& others, int kind, double strength, double penalty,
                                 const VectorOut<double>& score) {
  const CodedColumns data = coded(code, card, weight);
  require_columns(data, child, view(base), view(others), true);
  require(score.shape(0) == others.shape(0) && kind >= 0 && kind <= 2, "score must have a number per candidate");
  nb::gil_scoped_release release;
  score_families(data, child, view(base), view(others), {FamilyScore(kind), strength, penalty}, view(score));
}

static void bound_saturated_likelihoods(const Rows<Code>& code, const Indices& card,
                                        const std::optional<Vector<double>>& weight,
                                        const VectorOut<double>& likelihood) {
  const CodedColumns data = coded(code, card, weight);
  require(likelihood.shape(0) == code.shape(0), "likelihood must have a number per column");
  nb::gil_scoped_release release;
  saturated_likelihoods(data, view(likelihood));
}

static void bound_test_independence(const Rows<Code>& code, const Indices& card,
                                    const std::optional<Vector<double>>& weight, std::int64_t first,
                                    const Indices& given, const Indices& others, const RowsOut<double>& statistic) {
  const CodedColumns data = coded(code, card, weight);
  require_columns(data, first, view(given), view(others), false);
  require(statistic.shape(0) == others.shape(0) && statistic.shape(1) == 4, "statistic must have four numbers a column");
  nb::gil_scoped_release release;
  test_independence(data, first, view(given), view(others), view(statistic));
}

static void bound_count_families(const Rows<Code>& code, const Indices& card,
                                 const std::optional<Vector<double>>& weight, const Indices& start,
                                 const Indices& columns, const VectorOut<double>& counts) {
  const CodedColumns data = coded(code, card, weight);
  const index_t families = index_t(start.shape(0)) - 1;
  require_groups(view(start), families, columns.shape(0), "start must divide columns into families");
  require_below(view(columns), data.code.rows, "families must hold columns");
  std::vector<index_t> at{0};
  for (index_t f = 0; f < families; ++f) {
    index_t size = 1;
    for (index_t a = start.data()[f]; a < start.data()[f + 1]; ++a) size *= data.card[columns.data()[a]];
    at.push_back(at.back() + size);
  }
  require(index_t(counts.shape(0)) == at.back(), "counts must have an entry per configuration of each family");
  nb::gil_scoped_release release;
  parallel_for(families, [&](index_t f, int) {
    const View<const std::int64_t> family{columns.data() + start.data()[f], start.data()[f + 1] - start.data()[f]};
    count_table(data, family, {counts.data() + at[f], at[f + 1] - at[f]});
  });
}

}  // namespace learnable::bind

void bind_graphical(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<BoundTree>(m, "JunctionTree",
                        "JunctionTree(start, scope, separator, parent, card, home): cliques, each before its parent, "
                        "that begin with the variables which they share with it.")
      .def(nb::init<const Indices&, const Indices&, const Indices&, const Indices&, const Indices&, const Indices&>(),
           "start"_a.noconvert(), "scope"_a.noconvert(), "separator"_a.noconvert(), "parent"_a.noconvert(),
           "card"_a.noconvert(), "home"_a.noconvert())
      .def("assemble", &BoundTree::assemble, "start"_a.noconvert(), "scope"_a.noconvert(), "clique"_a.noconvert(),
           "value"_a.noconvert(), "potential"_a.noconvert(),
           "assemble(start, scope, clique, value, potential) -> None; the factors multiplied into their cliques.")
      .def("propagate", &BoundTree::propagate, "potential"_a.noconvert(), "evident"_a.noconvert(),
           "likelihood"_a.noconvert(), "posterior"_a.noconvert(), "log_evidence"_a.noconvert(),
           "propagate(potential, evident, likelihood, posterior, log_evidence) -> None; for each row the posteriors of "
           "all variables and the log probability of the evidence.")
      .def("expected_counts", &BoundTree::expected_counts, "potential"_a.noconvert(), "evident"_a.noconvert(),
           "likelihood"_a.noconvert(), "weight"_a.noconvert(), "start"_a.noconvert(), "scope"_a.noconvert(),
           "clique"_a.noconvert(), "counts"_a.noconvert(), "log_evidence"_a.noconvert(),
           "expected_counts(potential, evident, likelihood, weight, start, scope, clique, counts, log_evidence) -> "
           "None; the expected counts of each family, weighted by row.")
      .def("best_states", &BoundTree::best_states, "potential"_a.noconvert(), "evident"_a.noconvert(),
           "likelihood"_a.noconvert(), "state"_a.noconvert(), "log_probability"_a.noconvert(),
           "best_states(potential, evident, likelihood, state, log_probability) -> None; the most probable states of "
           "all variables in each row.");
  m.def("score_families", &bound_score_families, "code"_a.noconvert(), "card"_a.noconvert(), "weight"_a.none(),
        "child"_a, "base"_a.noconvert(), "others"_a.noconvert(), "kind"_a, "strength"_a, "penalty"_a,
        "score"_a.noconvert(),
        "score_families(code, card, weight, child, base, others, kind, strength, penalty, score) -> None; the scores "
        "of the child with the parents `base` and each of `others` (-1: none). Kinds: 0 log likelihood less a penalty "
        "per parameter, 1 BDeu, 2 K2.");
  m.def("saturated_likelihoods", &bound_saturated_likelihoods, "code"_a.noconvert(), "card"_a.noconvert(),
        "weight"_a.none(), "likelihood"_a.noconvert(),
        "saturated_likelihoods(code, card, weight, likelihood) -> None; the log likelihood of each column given all "
        "others.");
  m.def("test_independence", &bound_test_independence, "code"_a.noconvert(), "card"_a.noconvert(), "weight"_a.none(),
        "first"_a, "given"_a.noconvert(), "others"_a.noconvert(), "statistic"_a.noconvert(),
        "test_independence(code, card, weight, first, given, others, statistic) -> None; G^2, X^2 and degrees of "
        "freedom, without and with empty rows and columns left out.");
  m.def("count_families", &bound_count_families, "code"_a.noconvert(), "card"_a.noconvert(), "weight"_a.none(),
        "start"_a.noconvert(), "columns"_a.noconvert(), "counts"_a.noconvert(),
        "count_families(code, card, weight, start, columns, counts) -> None; the contingency table of each family.");
}
