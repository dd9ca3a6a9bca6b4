// A chain of hidden states: log potentials of the first state, of transitions and of the states at every step.
//
// Hidden Markov models put log probabilities there, conditional random fields any scores; -inf forbids a state.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr double smallest_safe_sum = 1e-100;  // a smaller one of scaled terms may have lost what counts
constexpr index_t steps_per_block = 2048, steps_between_polls = 4096;

// Steps of several sequences one after the other; sequence s holds steps offset[s] to offset[s + 1].
struct Lattice {
  View<const double> start;       // log potential of the first state
  Grid<const double> transition;  // log potential of going from the row's state to the column's
  Grid<const double> node;        // log potential of each state at each step
  View<const std::int64_t> offset;

  index_t states() const { return start.size; }
  index_t steps() const { return node.rows; }
  index_t sequences() const { return offset.size - 1; }
  index_t length(index_t s) const { return index_t(offset[s + 1] - offset[s]); }
};

inline double finite_or_zero(double value) { return std::isfinite(value) ? value : 0.0; }

inline double largest(View<const double> values) {
  double most = impossible;
  for (const double value : values) most = std::max(most, value);
  return most;
}

// log sum exp, where `most` is the largest of the values; that of nothing possible is -inf.
inline double log_sum_exp(View<const double> values) {
  const double most = largest(values);
  if (!(most > impossible)) return most;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

// Consecutive sequences with at least steps_per_block steps together: block b has sequences first[b] to first[b + 1].
inline std::vector<index_t> sequence_blocks(const Lattice& chain) {
  std::vector<index_t> first{0};
  for (index_t s = 0, filled = 0; s < chain.sequences(); ++s) {
    filled += chain.length(s);
    if (filled >= steps_per_block || s + 1 == chain.sequences()) {
      first.push_back(s + 1);
      filled = 0;
    }
  }
  return first;
}

// Calls f(sequence) for all sequences, in blocks on several threads.
template <class F>
void for_each_sequence(const Lattice& chain, F&& f) {
  const std::vector<index_t> first = sequence_blocks(chain);
  parallel_for(index_t(first.size()) - 1, [&](index_t block, int) {
    for (index_t s = first[block]; s < first[block + 1]; ++s)
      if (chain.length(s) > 0) f(s);
  });
}

}  // namespace learnable
