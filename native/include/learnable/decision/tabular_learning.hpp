// Learning by trial and error in a world that is a table: temporal differences and Monte Carlo.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/decision/random_stream.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

// Row s * actions + a holds the outcomes of an action: the cumulated probability, the next state, the reward, whether
// the episode ends. `initial` is the cumulated distribution of the first state.
struct TableWorld {
  View<const std::int64_t> start, next;
  View<const double> cumulated, reward;
  View<const std::uint8_t> done;
  View<const double> initial;
  index_t states = 0, actions = 0;

  index_t first_state(RandomStream& random) const {
    const double u = random.uniform();
    const index_t s = std::upper_bound(initial.begin(), initial.end(), u) - initial.begin();
    return std::min(s, states - 1);
  }
  index_t outcome(index_t pair, RandomStream& random) const {
    const double u = random.uniform();
    index_t k = start[pair];
    while (k + 1 < start[pair + 1] && cumulated[k] <= u) ++k;
    return k;
  }
};

enum class Rule { q_learning, sarsa, expected_sarsa, double_q, monte_carlo };

struct LearningSettings {
  Rule rule = Rule::q_learning;
  double alpha = 0.1, alpha_power = 0, discount = 1, trace_decay = 0;
  bool replacing = true;
  index_t planning = 0, longest = 1000;
};

// What is learned and kept from episode to episode. `second` is the other table of double Q-learning, `model_*` the last
// outcome of every pair for planning, `known` the pairs that were visited, in order, `known_count` how many.
struct LearnedTables {
  Grid<double> q, second;
  Grid<std::int64_t> visits, model_next;
  Grid<double> model_reward;
  Grid<std::uint8_t> model_done;
  View<std::int64_t> known;
  std::int64_t known_count = 0;
};

class TabularLearner {
 public:
  TabularLearner(const TableWorld& world, const LearningSettings& settings, LearnedTables& tables)
      : world_(world), set_(settings), learned_(tables), actions_(world.actions) {
    if (set_.trace_decay > 0) trace_.assign(world.states * actions_, 0.0);
  }

  // One episode; returns the sum of its rewards, and its length in `steps`.
  double episode(RandomStream random, double epsilon, std::int64_t& steps) {
    epsilon_ = epsilon;
    for (const index_t pair : active_) trace_[pair] = 0;
    active_.clear();
    path_.clear();
    double total = 0;
    index_t s = world_.first_state(random), a = action(s, random);
    steps = 0;
    for (bool over = false; !over && steps < set_.longest; ++steps) {
      const index_t pair = s * actions_ + a, k = world_.outcome(pair, random);
      const index_t after = world_.next[k];
      const double reward = world_.reward[k];
      over = world_.done[k] != 0;
      total += reward;
      const index_t coming = over ? 0 : action(after, random);
      ++learned_.visits.data[pair];
      if (set_.rule == Rule::monte_carlo)
        path_.push_back({pair, reward});
      else
        learn(pair, reward, after, coming, over, random);
      if (set_.planning > 0) plan(pair, reward, after, over, random);
      s = after;
      // Q-learning acts by what it has just learned; the action of SARSA is the one that it learned from.
      a = over || set_.rule == Rule::sarsa ? coming : action(s, random);
      if (steps % 4096 == 4095) poll_interrupt();
    }
    if (set_.rule == Rule::monte_carlo) learn_from_path();
    return total;
  }

 private:
  struct Step {
    index_t pair;
    double reward;
  };

  double preference(index_t s, index_t a) const {
    return learned_.second ? learned_.q(s, a) + learned_.second(s, a) : learned_.q(s, a);
  }

  // Greedy with probability 1 - epsilon, else any; of equal actions each is as probable.
  index_t action(index_t s, RandomStream& random) const {
    if (random.uniform() < epsilon_) return random.below(actions_);
    double best = preference(s, 0);
    index_t chosen = 0, ties = 1;
    for (index_t a = 1; a < actions_; ++a) {
      const double here = preference(s, a);
      if (here > best) {
        best = here, chosen = a, ties = 1;
      } else if (here == best && random.uniform() * static_cast<double>(++ties) < 1) {
        chosen = a;
      }
    }
    return chosen;
  }

  double step_size(index_t pair) const {
    const double count = static_cast<double>(learned_.visits.data[pair]);
    return set_.alpha_power > 0 ? set_.alpha / std::pow(count, set_.alpha_power) : set_.alpha;
  }

  double best_of(Grid<double> table, index_t s) const {
    return *std::max_element(table.row(s).begin(), table.row(s).end());
  }

  double expected(index_t s) const {
    const View<double> values = learned_.q.row(s);
    const double best = best_of(learned_.q, s);
    double sum = 0;
    for (const double value : values) sum += value;
    return epsilon_ * sum / static_cast<double>(actions_) + (1 - epsilon_) * best;
  }

  void learn(index_t pair, double reward, index_t after, index_t coming, bool over, RandomStream& random) {
    const double alpha = step_size(pair);
    if (set_.rule == Rule::double_q) {
      learn_double(pair, alpha, reward, after, over, random);
      return;
    }
    double ahead = 0;
    if (!over) {
      if (set_.rule == Rule::q_learning) ahead = best_of(learned_.q, after);
      if (set_.rule == Rule::sarsa) ahead = learned_.q(after, coming);
      if (set_.rule == Rule::expected_sarsa) ahead = expected(after);
    }
    const double error = reward + set_.discount * ahead - learned_.q.data[pair];
    if (set_.trace_decay > 0)
      spread(pair, alpha * error);
    else
      learned_.q.data[pair] += alpha * error;
  }

  // Eligibility traces: the error also corrects the pairs that led here.
  void spread(index_t pair, double correction) {
    if (trace_[pair] == 0) active_.push_back(pair);
    trace_[pair] = set_.replacing ? 1.0 : trace_[pair] + 1.0;
    const double decay = set_.discount * set_.trace_decay;
    index_t kept = 0;
    for (const index_t other : active_) {
      learned_.q.data[other] += correction * trace_[other];
      trace_[other] *= decay;
      if (trace_[other] > 1e-12)
        active_[kept++] = other;
      else
        trace_[other] = 0;
    }
    active_.resize(kept);
  }

  void learn_double(index_t pair, double alpha, double reward, index_t after, bool over, RandomStream& random) {
    const bool first = random.uniform() < 0.5;
    const Grid<double> own = first ? learned_.q : learned_.second, other = first ? learned_.second : learned_.q;
    double ahead = 0;
    if (!over) {
      const View<double> values = own.row(after);
      ahead = other(after, std::max_element(values.begin(), values.end()) - values.begin());
    }
    own.data[pair] += alpha * (reward + set_.discount * ahead - own.data[pair]);
  }

  void plan(index_t pair, double reward, index_t after, bool over, RandomStream& random) {
    if (learned_.visits.data[pair] == 1) learned_.known[learned_.known_count++] = pair;
    learned_.model_next.data[pair] = after;
    learned_.model_reward.data[pair] = reward;
    learned_.model_done.data[pair] = over;
    for (index_t n = 0; n < set_.planning; ++n) {
      const index_t old = learned_.known[random.below(learned_.known_count)];
      const double ahead = learned_.model_done.data[old] ? 0 : best_of(learned_.q, learned_.model_next.data[old]);
      learned_.q.data[old] +=
          step_size(old) * (learned_.model_reward.data[old] + set_.discount * ahead - learned_.q.data[old]);
    }
  }

  // Every visit: the value moves towards the return that followed.
  void learn_from_path() {
    double total = 0;
    for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
      total = step->reward + set_.discount * total;
      learned_.q.data[step->pair] += step_size(step->pair) * (total - learned_.q.data[step->pair]);
    }
  }

  const TableWorld& world_;
  const LearningSettings& set_;
  LearnedTables& learned_;
  const index_t actions_;
  double epsilon_ = 0;
  std::vector<double> trace_;
  std::vector<index_t> active_;
  std::vector<Step> path_;
};

}  // namespace learnable
