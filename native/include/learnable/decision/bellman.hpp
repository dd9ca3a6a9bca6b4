// Markov decision processes: Bellman updates over sparse transitions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Row s * actions + a holds where action a leads from state s, without the part that ends the episode. A reward of -inf
// marks an action that the state does not have.
struct DecisionProcess {
  View<const std::int64_t> start, next;
  View<const double> probability, reward;
  index_t states = 0, actions = 0;
  double discount = 1;

  double action_value(index_t row, View<const double> value) const {
    double ahead = 0;
    for (std::int64_t k = start[row]; k < start[row + 1]; ++k) ahead += probability[k] * value[next[k]];
    return reward[row] + discount * ahead;
  }
};

struct Change {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
};

constexpr index_t states_per_block = 512;

template <class F>
Change sweep_states(index_t states, F&& update) {
  const index_t blocks = (states + states_per_block - 1) / states_per_block;
  std::vector<Change> changes(blocks);
  parallel_if(states > 4 * states_per_block, blocks, [&](index_t block, index_t) {
    Change here;
    for (index_t s = block * states_per_block; s < std::min(states, (block + 1) * states_per_block); ++s) {
      const double change = update(s);
      here.least = std::min(here.least, change);
      here.most = std::max(here.most, change);
    }
    changes[block] = here;
  });
  Change whole;
  for (const Change& change : changes) {
    whole.least = std::min(whole.least, change.least);
    whole.most = std::max(whole.most, change.most);
  }
  return whole;
}

// One update of all states by the best action, from `value` into `updated`; of equal actions the first.
inline Change bellman_update(const DecisionProcess& process, View<const double> value, View<double> updated,
                             View<std::int64_t> policy) {
  return sweep_states(process.states, [&](index_t s) {
    double best = -std::numeric_limits<double>::infinity();
    index_t chosen = 0;
    for (index_t a = 0; a < process.actions; ++a) {
      const double here = process.action_value(s * process.actions + a, value);
      if (here > best) best = here, chosen = a;
    }
    updated[s] = best;
    policy[s] = chosen;
    return best - value[s];
  });
}

// One update of all states by the actions of a policy.
inline Change policy_update(const DecisionProcess& process, View<const std::int64_t> policy, View<const double> value,
                            View<double> updated) {
  return sweep_states(process.states, [&](index_t s) {
    updated[s] = process.action_value(s * process.actions + policy[s], value);
    return updated[s] - value[s];
  });
}

}  // namespace learnable
