// Linear-chain models with features of tokens, as Python sees them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "learnable/chain/chain_objective.hpp"
#include "learnable/chain/label_weights.hpp"
#include "learnable/chain/online_tagging.hpp"

namespace learnable::bind {

using Starts = Vector<std::int64_t>;
using Codes = Vector<std::int32_t>;
using Values = std::optional<Vector<double>>;

static void require_increasing(View<const std::int64_t> start, index_t entries, const char* message) {
  require(start.size > 0 && start[0] == 0 && start[start.size - 1] == entries, message);
  for (index_t i = 0; i + 1 < start.size; ++i) require(start[i] <= start[i + 1], message);
}

static void require_below(View<const std::int32_t> index, index_t limit, const char* message) {
  for (const std::int32_t i : index) require(i >= 0 && i < limit, message);
}

static Incidence incidence(const Starts& start, const Codes& index, const Values& value, index_t limit) {
  const Incidence found{view(start), view(index), value ? view(*value) : View<const double>{}};
  require_increasing(found.start, found.index.size, "start must lead from 0 to the number of entries");
  require_below(found.index, limit, "index is out of bounds");
  require(!found.value || found.value.size == found.index.size, "value must have a number per entry");
  return found;
}

static LabelTable label_table(const Starts& offset, const Codes& label, index_t labels) {
  const LabelTable table{view(offset), view(label), labels};
  require_increasing(table.offset, table.label.size, "offset must lead from 0 to the number of features");
  require_below(table.label, labels, "label is out of bounds");
  return table;
}

static void bound_score_labels(const Starts& start, const Codes& index, const Values& value, const Starts& offset,
                               const Codes& label, const Vector<double>& weight, const RowsOut<double>& score) {
  const LabelTable table = label_table(offset, label, index_t(score.shape(1)));
  const Incidence tokens = incidence(start, index, value, table.attributes());
  require(index_t(weight.shape(0)) == table.label.size, "weight must have a number per feature");
  require(index_t(score.shape(0)) == tokens.rows(), "score must have a row per token");
  nb::gil_scoped_release release;
  score_labels(tokens, table, view(weight), view(score));
}

static void bound_sum_by_attribute(const Starts& start, const Codes& index, const Values& value, const Starts& offset,
                                   const Codes& label, const Rows<double>& residual, const VectorOut<double>& gradient) {
  const LabelTable table = label_table(offset, label, index_t(residual.shape(1)));
  const Incidence attributes = incidence(start, index, value, index_t(residual.shape(0)));
  require(attributes.rows() == table.attributes(), "start and offset must have the same attributes");
  require(index_t(gradient.shape(0)) == table.label.size, "gradient must have a number per feature");
  nb::gil_scoped_release release;
  sum_by_attribute(attributes, table, view(residual), view(gradient));
}

static std::unique_ptr<ChainObjective> chain_objective(const Starts& start, const Codes& index, const Values& value,
                                                       const Starts& offset, const Codes& label, std::int64_t labels,
                                                       const Starts& sentences, const Codes& y,
                                                       const Vector<double>& sentence_weight) {
  require(labels > 0 && labels < (1 << 20), "at least one label is needed");
  const LabelTable table = label_table(offset, label, index_t(labels));
  const Incidence tokens = incidence(start, index, value, table.attributes());
  require_increasing(view(sentences), tokens.rows(), "sentences must lead from 0 to the number of tokens");
  require(index_t(y.shape(0)) == tokens.rows(), "y must have a label per token");
  for (const std::int32_t code : view(y)) require(code >= -1 && code < labels, "y is out of bounds");
  require(sentence_weight.shape(0) + 1 == sentences.shape(0), "there must be a weight per sentence");
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  require(tokens.index.size < most && table.label.size < most, "there may be at most 2147483646 entries and features");
  nb::gil_scoped_release release;
  return std::make_unique<ChainObjective>(tokens, table, view(sentences), view(y), view(sentence_weight));
}

static double evaluate_objective(ChainObjective& objective, const Vector<double>& weight,
                                 const VectorOut<double>& gradient) {
  require(index_t(weight.shape(0)) == objective.size() && index_t(gradient.shape(0)) == objective.size(),
          "weight and gradient must have a number per feature and transition");
  nb::gil_scoped_release release;
  return objective.evaluate(view(weight), view(gradient));
}

static std::pair<double, double> bound_online_epoch(
    const Starts& start, const Codes& index, const Values& value, const Starts& sentences, const Codes& y,
    const Values& sentence_weight, const Starts& offset, const Codes& label, const Rows<std::uint8_t>& transitions,
    const Starts& order, int rule, int slack, bool error_sensitive, const Vector<double>& settings, double step,
    const VectorOut<double>& weight, const std::optional<VectorOut<double>>& second) {
  const index_t K = index_t(transitions.shape(0));
  const LabelTable table = label_table(offset, label, K);
  const LabelledSentences data{incidence(start, index, value, table.attributes()), view(sentences), view(y),
                               sentence_weight ? view(*sentence_weight) : View<const double>{}};
  require(index_t(transitions.shape(1)) == K && K > 0, "transitions must be square");
  require_increasing(data.offset, data.tokens.rows(), "sentences must lead from 0 to the number of tokens");
  require(data.label.size == data.tokens.rows(), "y must have a label per token");
  require_below(data.label, K, "y is out of bounds");
  require(!data.weight || data.weight.size == data.offset.size - 1, "there must be a weight per sentence");
  for (const std::int64_t s : view(order)) require(s >= 0 && s < data.offset.size - 1, "order is out of bounds");
  require(rule >= 0 && rule <= 3 && settings.shape(0) == 4, "there are four rules, with four settings");
  require(index_t(weight.shape(0)) == table.label.size + K * K, "weight must have a number per feature and transition");
  require(!second || second->shape(0) == weight.shape(0), "second must have the size of weight");
  require(rule != int(OnlineRule::arow) || second, "AROW needs variances");
  const View<const double> number = view(settings);
  const OnlineSettings chosen{OnlineRule(rule), slack, error_sensitive, number[0], number[1], number[2], number[3]};
  OnlineState state{view(weight), second ? view(*second) : View<double>{}, step, 1.0};
  nb::gil_scoped_release release;
  const View<const std::uint8_t> known{transitions.data(), K * K};
  const double loss = OnlineEpoch(data, table, known, chosen, state).run(view(order));
  for (double& each : state.weight) each *= state.scale;
  return {loss, state.step};
}

}  // namespace learnable::bind

void bind_tagging(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("score_labels", &bound_score_labels, "start"_a.noconvert(), "index"_a.noconvert(), "value"_a.none(),
        "offset"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert(), "score"_a.noconvert(),
        "score_labels(start, index, value, offset, label, weight, score) -> None; attributes of tokens (value None: all "
        "ones), and features (an attribute has entries offset[a] to offset[a + 1] of label and weight); writes the "
        "score of each label at each token.");
  m.def("sum_by_attribute", &bound_sum_by_attribute, "start"_a.noconvert(), "index"_a.noconvert(), "value"_a.none(),
        "offset"_a.noconvert(), "label"_a.noconvert(), "residual"_a.noconvert(), "gradient"_a.noconvert(),
        "sum_by_attribute(start, index, value, offset, label, residual, gradient) -> None; tokens of attributes; writes "
        "for each feature the sum of value times residual over the tokens of its attribute.");
  nb::class_<learnable::ChainObjective>(
      m, "ChainObjective",
      "ChainObjective(start, index, value, offset, label, labels, sentences, y, sentence_weight): the negative log "
      "likelihood of the labels y (-1: unknown) of tokens with these attributes, whose features are as in score_labels, "
      "in sentences from sentences[s] to sentences[s + 1]. It holds copies of all of these.")
      .def(nb::new_(&chain_objective), "start"_a.noconvert(), "index"_a.noconvert(), "value"_a.none(),
           "offset"_a.noconvert(), "label"_a.noconvert(), "labels"_a, "sentences"_a.noconvert(), "y"_a.noconvert(),
           "sentence_weight"_a.noconvert())
      .def("evaluate", &evaluate_objective, "weight"_a.noconvert(), "gradient"_a.noconvert(),
           "The value at the weights of features and of transitions, and writes the gradient.");
  m.def("online_tagging_epoch", &bound_online_epoch, "start"_a.noconvert(), "index"_a.noconvert(), "value"_a.none(),
        "sentences"_a.noconvert(), "y"_a.noconvert(), "sentence_weight"_a.none(), "offset"_a.noconvert(),
        "label"_a.noconvert(), "transitions"_a.noconvert(), "order"_a.noconvert(), "rule"_a, "slack"_a,
        "error_sensitive"_a, "settings"_a.noconvert(), "step"_a, "weight"_a.noconvert(), "second"_a.none(),
        "online_tagging_epoch(start, index, value, sentences, y, sentence_weight, offset, label, transitions, order, "
        "rule, slack, error_sensitive, settings, step, weight, second) -> (loss, step); an epoch of the perceptron (0), "
        "passive-aggressive (1), AROW (2) or stochastic gradient (3); changes weight, and second: sums for the average, "
        "or variances of AROW. settings: c, gamma, lambda, first.");
}
