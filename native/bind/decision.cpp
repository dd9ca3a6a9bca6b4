// Markov decision processes and tabular reinforcement learning, as Python sees them.
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "learnable/decision/bellman.hpp"
#include "learnable/decision/tabular_learning.hpp"

namespace learnable::bind {

using Indices = Vector<std::int64_t>;

// Rows of a sparse table whose columns are states.
static void require_rows(View<const std::int64_t> start, View<const std::int64_t> next, index_t rows, index_t states) {
  require(start.size == rows + 1 && start[0] == 0 && start[rows] == next.size,
          "start must have an entry per state and action, and one more");
  for (index_t i = 0; i < rows; ++i) require(start[i] <= start[i + 1], "start must not decrease");
  for (const std::int64_t s : next) require(s >= 0 && s < states, "a next state is out of range");
}

static DecisionProcess process(const Indices& start, const Indices& next, const Vector<double>& probability,
                               const Vector<double>& reward, std::int64_t states, double discount) {
  require(states > 0 && reward.shape(0) % states == 0 && reward.shape(0) > 0, "a reward per state and action is needed");
  require(probability.shape(0) == next.shape(0), "a probability per next state is needed");
  DecisionProcess found{view(start), view(next), view(probability), view(reward), states,
                        index_t(reward.shape(0)) / states, discount};
  return found;
}

static void check_transitions(const Indices& start, const Indices& next, std::int64_t rows, std::int64_t states) {
  require_rows(view(start), view(next), rows, states);
}

static std::pair<double, double> bound_bellman(const Indices& start, const Indices& next,
                                               const Vector<double>& probability, const Vector<double>& reward,
                                               double discount, const Vector<double>& value,
                                               const VectorOut<double>& updated, const VectorOut<std::int64_t>& policy) {
  const index_t states = value.shape(0);
  const DecisionProcess known = process(start, next, probability, reward, states, discount);
  require(known.start.size == known.reward.size + 1, "start must have an entry per state and action, and one more");
  require(index_t(updated.shape(0)) == states && index_t(policy.shape(0)) == states, "an output is not as long as value");
  nb::gil_scoped_release release;
  const Change change = bellman_update(known, view(value), view(updated), view(policy));
  return {change.least, change.most};
}

static std::pair<double, double> bound_policy(const Indices& start, const Indices& next,
                                              const Vector<double>& probability, const Vector<double>& reward,
                                              double discount, const Indices& policy, const Vector<double>& value,
                                              const VectorOut<double>& updated) {
  const index_t states = value.shape(0);
  const DecisionProcess known = process(start, next, probability, reward, states, discount);
  require(known.start.size == known.reward.size + 1, "start must have an entry per state and action, and one more");
  require(index_t(updated.shape(0)) == states && index_t(policy.shape(0)) == states, "an array is not as long as value");
  for (const std::int64_t a : view(policy)) require(a >= 0 && a < known.actions, "an action is out of range");
  nb::gil_scoped_release release;
  const Change change = policy_update(known, view(policy), view(value), view(updated));
  return {change.least, change.most};
}

static std::int64_t bound_learn(
    const Indices& start, const Indices& next, const Vector<double>& cumulated, const Vector<double>& reward,
    const Vector<std::uint8_t>& done, const Vector<double>& initial, std::int64_t rule, const Vector<double>& numbers,
    bool replacing, std::int64_t planning, std::int64_t longest, std::uint64_t seed, std::int64_t first_episode,
    const Vector<double>& epsilon, const RowsOut<double>& q, const RowsOut<double>& second,
    const RowsOut<std::int64_t>& visits, const RowsOut<std::int64_t>& model_next, const RowsOut<double>& model_reward,
    const RowsOut<std::uint8_t>& model_done, const VectorOut<std::int64_t>& known, std::int64_t known_count,
    const VectorOut<double>& returns, const VectorOut<std::int64_t>& lengths) {
  const index_t states = q.shape(0), actions = q.shape(1), pairs = states * actions;
  require(pairs > 0 && rule >= 0 && rule <= 4 && longest > 0 && planning >= 0, "a setting is out of range");
  require_rows(view(start), view(next), pairs, states);
  for (index_t i = 0; i < pairs; ++i) require(start.data()[i] < start.data()[i + 1], "an action has no outcome");
  require(cumulated.shape(0) == next.shape(0) && reward.shape(0) == next.shape(0) && done.shape(0) == next.shape(0) &&
              index_t(initial.shape(0)) == states && numbers.shape(0) == 4,
          "the arrays of the world do not fit together");
  const bool twice = Rule(rule) == Rule::double_q;
  const index_t kept = planning > 0 ? states : 0;
  require(index_t(visits.shape(0)) == states && index_t(visits.shape(1)) == actions, "visits must be as large as q");
  require(!twice || (index_t(second.shape(0)) == states && index_t(second.shape(1)) == actions), "a second q is needed");
  require(index_t(model_next.shape(0)) >= kept && index_t(model_reward.shape(0)) >= kept &&
              index_t(model_done.shape(0)) >= kept && index_t(known.shape(0)) >= kept * actions &&
              (kept == 0 || (index_t(model_next.shape(1)) == actions && index_t(model_reward.shape(1)) == actions &&
                             index_t(model_done.shape(1)) == actions)),
          "planning needs a model as large as q");
  require(known_count >= 0 && known_count <= index_t(known.shape(0)), "known_count is out of range");
  for (index_t i = 0; i < known_count; ++i)
    require(known.data()[i] >= 0 && known.data()[i] < pairs, "a known pair is out of range");
  if (kept > 0)
    for (index_t i = 0; i < pairs; ++i)
      require(model_next.data()[i] >= 0 && model_next.data()[i] < states, "a state of the model is out of range");
  require(returns.shape(0) == epsilon.shape(0) && lengths.shape(0) == epsilon.shape(0), "a return per episode is needed");
  nb::gil_scoped_release release;
  const TableWorld world{view(start), view(next), view(cumulated), view(reward), view(done), view(initial), states, actions};
  const LearningSettings settings{Rule(rule), numbers.data()[0], numbers.data()[1], numbers.data()[2], numbers.data()[3],
                                  replacing, planning, longest};
  LearnedTables tables{view(q), twice ? view(second) : Grid<double>{}, view(visits), view(model_next),
                       view(model_reward), view(model_done), view(known), known_count};
  TabularLearner learner(world, settings, tables);
  for (index_t e = 0; e < index_t(epsilon.shape(0)); ++e) {
    returns.data()[e] = learner.episode(RandomStream(seed, first_episode + e), epsilon.data()[e], lengths.data()[e]);
    poll_interrupt();
  }
  return tables.known_count;
}

}  // namespace learnable::bind

void bind_decision(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("check_transitions", &check_transitions, "start"_a.noconvert(), "next"_a.noconvert(), "rows"_a, "states"_a,
        "check_transitions(start, next, rows, states) -> None; refuses rows of next states that are out of range.");
  m.def("bellman_update", &bound_bellman, "start"_a.noconvert(), "next"_a.noconvert(), "probability"_a.noconvert(),
        "reward"_a.noconvert(), "discount"_a, "value"_a.noconvert(), "updated"_a.noconvert(), "policy"_a.noconvert(),
        "bellman_update(start, next, probability, reward, discount, value, updated, policy) -> (least, most) change; "
        "writes the values after an update by the best actions, and these. Transitions must have been checked.");
  m.def("policy_update", &bound_policy, "start"_a.noconvert(), "next"_a.noconvert(), "probability"_a.noconvert(),
        "reward"_a.noconvert(), "discount"_a, "policy"_a.noconvert(), "value"_a.noconvert(), "updated"_a.noconvert(),
        "policy_update(start, next, probability, reward, discount, policy, value, updated) -> (least, most) change; "
        "writes the values after an update by the actions of a policy. Transitions must have been checked.");
  m.def("tabular_learning", &bound_learn, "start"_a.noconvert(), "next"_a.noconvert(), "cumulated"_a.noconvert(),
        "reward"_a.noconvert(), "done"_a.noconvert(), "initial"_a.noconvert(), "rule"_a, "numbers"_a.noconvert(),
        "replacing"_a, "planning"_a, "longest"_a, "seed"_a, "first_episode"_a, "epsilon"_a.noconvert(),
        "q"_a.noconvert(), "second"_a.noconvert(), "visits"_a.noconvert(), "model_next"_a.noconvert(),
        "model_reward"_a.noconvert(), "model_done"_a.noconvert(), "known"_a.noconvert(), "known_count"_a,
        "returns"_a.noconvert(), "lengths"_a.noconvert(),
        "tabular_learning(...) -> known_count; runs an episode for each entry of epsilon in a world that is a table, "
        "and updates q, visits and the model. numbers: alpha, its power of visits, discount, trace decay; rule: 0 "
        "Q-learning, 1 SARSA, 2 expected SARSA, 3 double Q-learning, 4 Monte Carlo.");
}
