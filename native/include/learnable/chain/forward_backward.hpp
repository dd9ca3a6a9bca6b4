// Forward-backward: log likelihoods, posteriors of states and expected numbers of transitions.
//
// The recursions run on scaled potentials. A sequence whose scaled sums come close to underflow is done again with
// logarithms; both give the same values up to rounding.
#pragma once

#include <memory>

#include "learnable/chain/fused_chain.hpp"

namespace learnable {

struct Scaled {
  double start_shift = 0, transition_shift = 0;
  std::vector<double> start, transition, transposed, reach;  // reach: sums of the columns of transition
  std::vector<double> shift;                                 // the largest node potential of each step
  std::unique_ptr<double[]> node;
};

// Potentials divided by their largest one: that of the start, of all transitions, and of each step.
inline Scaled scale(const Lattice& chain) {
  const index_t K = chain.states(), T = chain.steps();
  Scaled found;
  found.start_shift = finite_or_zero(largest(chain.start));
  double most = impossible;
  for (index_t j = 0; j < K; ++j) most = std::max(most, largest(chain.transition.row(j)));
  found.transition_shift = finite_or_zero(most);
  found.start.resize(K);
  found.transition.resize(K * K);
  found.transposed.resize(K * K);
  found.reach.resize(K);
  for (index_t j = 0; j < K; ++j) {
    found.start[j] = std::exp(chain.start[j] - found.start_shift);
    for (index_t k = 0; k < K; ++k) {
      const double potential = std::exp(chain.transition(j, k) - found.transition_shift);
      found.transition[j * K + k] = found.transposed[k * K + j] = potential;
      found.reach[k] += potential;
    }
  }
  found.node.reset(new double[std::max<index_t>(T * K, 1)]);
  found.shift.resize(T);
  const Blocks blocks(T, steps_per_block);
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t t = blocks.begin(block); t < blocks.end(block); ++t) {
      const View<const double> scores = chain.node.row(t);
      const double most = finite_or_zero(largest(scores));
      found.shift[t] = most;
      for (index_t k = 0; k < K; ++k) found.node[t * K + k] = std::exp(scores[k] - most);
    }
  });
  return found;
}

// out = row vector `from` times the K x K matrix.
inline void times_matrix(const double* from, const double* matrix, index_t K, double* out) {
  const double first = from[0];
  for (index_t k = 0; k < K; ++k) out[k] = first * matrix[k];
  for (index_t j = 1; j < K; ++j) {
    const double factor = from[j];
    const double* row = matrix + j * K;
    for (index_t k = 0; k < K; ++k) out[k] += factor * row[k];
  }
}

inline double sum(const double* values, index_t K) {
  double total = 0;
  for (index_t k = 0; k < K; ++k) total += values[k];
  return total;
}

// Filtered probabilities of the states, a row per step; returns the log likelihood, or NaN if sums underflow.
inline double forward(const Lattice& chain, const Scaled& scaled, index_t s, Grid<double> alpha) {
  const index_t K = chain.states(), first = chain.offset[s], last = chain.offset[s + 1];
  double log_likelihood = scaled.start_shift + scaled.transition_shift * double(last - first - 1);
  for (index_t t = first; t < last; ++t) {
    double* row = &alpha(t, 0);
    const double* node = &scaled.node[t * K];
    if (t == first)
      std::copy(scaled.start.begin(), scaled.start.end(), row);
    else
      times_matrix(&alpha(t - 1, 0), scaled.transition.data(), K, row);
    for (index_t k = 0; k < K; ++k) row[k] *= node[k];
    const double total = sum(row, K);
    if (!(total > smallest_safe_sum)) return std::numeric_limits<double>::quiet_NaN();
    const double factor = 1 / total;
    for (index_t k = 0; k < K; ++k) row[k] *= factor;
    log_likelihood += std::log(total) + scaled.shift[t];
    if (t % steps_between_polls == 0) poll_interrupt();
  }
  return log_likelihood;
}

// Potentials of all later steps given the state, divided by their sum; false if sums underflow.
inline bool backward(const Lattice& chain, const Scaled& scaled, index_t s, Grid<double> beta) {
  const index_t K = chain.states(), first = chain.offset[s], last = chain.offset[s + 1];
  std::vector<double> later(K);
  std::fill_n(&beta(last - 1, 0), K, 1.0);
  for (index_t t = last - 2; t >= first; --t) {
    const double *node = &scaled.node[(t + 1) * K], *next = &beta(t + 1, 0);
    for (index_t k = 0; k < K; ++k) later[k] = node[k] * next[k];
    double* row = &beta(t, 0);
    times_matrix(later.data(), scaled.transposed.data(), K, row);
    const double total = sum(row, K);
    if (!(total > smallest_safe_sum)) return false;
    const double factor = 1 / total;
    for (index_t k = 0; k < K; ++k) row[k] *= factor;
    if (t % steps_between_polls == 0) poll_interrupt();
  }
  return true;
}

// The logarithms of the forward variables; returns the log likelihood.
inline double log_forward(const Lattice& chain, index_t s, Grid<double> alpha) {
  const index_t K = chain.states(), first = chain.offset[s], last = chain.offset[s + 1];
  std::vector<double> terms(K);
  for (index_t t = first; t < last; ++t) {
    for (index_t k = 0; k < K; ++k) {
      if (t > first)
        for (index_t j = 0; j < K; ++j) terms[j] = alpha(t - 1, j) + chain.transition(j, k);
      const double before = t > first ? log_sum_exp({terms.data(), K}) : chain.start[k];
      alpha(t, k) = before + chain.node(t, k);
    }
    poll_interrupt();
  }
  return log_sum_exp({&alpha(last - 1, 0), K});
}

// The logarithms of the backward variables.
inline void log_backward(const Lattice& chain, index_t s, Grid<double> beta) {
  const index_t K = chain.states(), first = chain.offset[s], last = chain.offset[s + 1];
  std::vector<double> terms(K);
  std::fill_n(&beta(last - 1, 0), K, 0.0);
  for (index_t t = last - 2; t >= first; --t) {
    for (index_t j = 0; j < K; ++j) {
      for (index_t k = 0; k < K; ++k) terms[k] = chain.transition(j, k) + chain.node(t + 1, k) + beta(t + 1, k);
      beta(t, j) = log_sum_exp({terms.data(), K});
    }
    poll_interrupt();
  }
}

enum class Arithmetic : char { scaled, logarithms, none };  // none: no path is possible

// Sums of a block of steps: products of forward and backward variables, still without the transition potentials, and
// posterior probabilities of transitions of sequences done with logarithms.
struct TransitionSums {
  std::vector<double> products, probabilities;

  explicit TransitionSums(index_t K) : products(K * K), probabilities(K * K) {}
};

class ForwardBackward {
 public:
  ForwardBackward(const Lattice& chain, View<const double> weight, Grid<double> posterior)
      : chain_(chain), weight_(weight), alpha_(posterior), K_(chain.states()),
        beta_memory_(new double[std::max<index_t>(chain.steps() * chain.states(), 1)]),
        beta_{beta_memory_.get(), chain.steps(), chain.states(), chain.states()}, scaled_(scale(chain)),
        arithmetic_(chain.sequences(), Arithmetic::scaled) {}

  // Writes posteriors, log likelihoods of sequences (-inf if no path is possible, with posteriors of zero) and the
  // expected numbers of transitions, weighted by sequence.
  void run(View<double> log_likelihood, Grid<double> transitions) {
    recursions(log_likelihood);
    const Blocks blocks(chain_.steps(), steps_per_block);
    std::vector<TransitionSums> sums(blocks.count, TransitionSums(K_));
    parallel_for(blocks.count, [&](index_t block, int) {
      combine(blocks.begin(block), blocks.end(block), log_likelihood, sums[block]);
    });
    for (index_t j = 0; j < K_; ++j)
      for (index_t k = 0; k < K_; ++k) {
        double products = 0, probabilities = 0;
        for (const TransitionSums& part : sums) {
          products += part.products[j * K_ + k];
          probabilities += part.probabilities[j * K_ + k];
        }
        transitions(j, k) = products * scaled_.transition[j * K_ + k] + probabilities;
      }
  }

 private:
  // Forward and backward variables: the two directions are jobs of their own, so that one long sequence takes two
  // threads.
  void recursions(View<double> log_likelihood) {
    const std::vector<index_t> first = sequence_blocks(chain_);
    std::vector<char> unsafe(chain_.sequences());
    parallel_for(2 * (index_t(first.size()) - 1), [&](index_t job, int) {
      for (index_t s = first[job / 2]; s < first[job / 2 + 1]; ++s) {
        const bool empty = chain_.length(s) == 0;
        if (job % 2)
          unsafe[s] = !empty && !backward(chain_, scaled_, s, beta_);
        else
          log_likelihood[s] = empty ? 0.0 : forward(chain_, scaled_, s, alpha_);
      }
    });
    for_each_sequence(chain_, [&](index_t s) {
      if (!unsafe[s] && !std::isnan(log_likelihood[s]) && overlaps(s)) return;
      log_likelihood[s] = log_forward(chain_, s, alpha_);
      log_backward(chain_, s, beta_);
      arithmetic_[s] = log_likelihood[s] > impossible ? Arithmetic::logarithms : Arithmetic::none;
    });
  }

  // Whether forward and backward variables have mass in common at every step, by far above underflow.
  bool overlaps(index_t s) const {
    for (index_t t = chain_.offset[s]; t < chain_.offset[s + 1]; ++t) {
      double total = 0;
      for (index_t k = 0; k < K_; ++k) total += alpha_(t, k) * beta_(t, k);
      if (!(total > smallest_safe_sum)) return false;
    }
    return true;
  }

  void combine(index_t from, index_t to, View<const double> log_likelihood, TransitionSums& sums) {
    const std::int64_t* const begin = chain_.offset.begin();
    index_t s = std::upper_bound(begin, chain_.offset.end(), std::int64_t(from)) - begin - 1;
    std::vector<double> later(K_);
    for (index_t t = from; t < to; ++t) {
      while (chain_.offset[s + 1] <= t) ++s;
      const double weight = weight_ ? weight_[s] : 1.0;
      const bool last = t + 1 == chain_.offset[s + 1];
      if (arithmetic_[s] == Arithmetic::scaled)
        combine_scaled(t, last, weight, later.data(), sums.products);
      else if (arithmetic_[s] == Arithmetic::logarithms)
        combine_logarithms(t, last, weight, log_likelihood[s], sums.probabilities);
      else
        std::fill_n(&alpha_(t, 0), K_, 0.0);
    }
  }

  // With l(k) = node(t + 1, k) beta(t + 1, k), the posterior of a transition is proportional to alpha(t, j) A(j, k) l(k),
  // and that of the state to alpha(t) beta(t), where beta(t) is A l divided by the sum c of its entries. So the sum over
  // all transitions is c times that over states.
  void combine_scaled(index_t t, bool last, double weight, double* later, std::vector<double>& products) {
    double *alpha = &alpha_(t, 0), overlap = 0;
    const double* beta = &beta_(t, 0);
    for (index_t k = 0; k < K_; ++k) overlap += alpha[k] * beta[k];
    if (!last) {
      const double *node = &scaled_.node[(t + 1) * K_], *next = &beta_(t + 1, 0);
      double c = 0;
      for (index_t k = 0; k < K_; ++k) {
        later[k] = node[k] * next[k];
        c += scaled_.reach[k] * later[k];
      }
      const double factor = weight / (c * overlap);
      for (index_t j = 0; j < K_; ++j) {
        const double mass = factor * alpha[j];
        double* row = &products[j * K_];
        for (index_t k = 0; k < K_; ++k) row[k] += mass * later[k];
      }
    }
    for (index_t k = 0; k < K_; ++k) alpha[k] *= beta[k] / overlap;
  }

  void combine_logarithms(index_t t, bool last, double weight, double whole, std::vector<double>& probabilities) {
    if (!last)
      for (index_t j = 0; j < K_; ++j)
        for (index_t k = 0; k < K_; ++k)
          probabilities[j * K_ + k] += weight * std::exp(alpha_(t, j) + chain_.transition(j, k) +
                                                         chain_.node(t + 1, k) + beta_(t + 1, k) - whole);
    for (index_t k = 0; k < K_; ++k) alpha_(t, k) = std::exp(alpha_(t, k) + beta_(t, k) - whole);
  }

  const Lattice& chain_;
  View<const double> weight_;
  Grid<double> alpha_;
  index_t K_;
  std::unique_ptr<double[]> beta_memory_;
  Grid<double> beta_;
  Scaled scaled_;
  std::vector<Arithmetic> arithmetic_;
};

// Recursions with logarithms for the sequences that are marked; adds their expected numbers of transitions.
inline void logarithmic_forward_backward(const Lattice& chain, View<const double> weight, const std::vector<char>& marked,
                                         View<double> log_likelihood, Grid<double> posterior,
                                         Grid<double> transitions) {
  const index_t K = chain.states();
  std::vector<double> memory;
  for (index_t s = 0; s < chain.sequences(); ++s) {
    if (!marked[s]) continue;
    const index_t first = index_t(chain.offset[s]), length = chain.length(s);
    memory.resize(length * K);
    const Grid<double> beta{memory.data() - first * K, chain.steps(), K, K};
    log_likelihood[s] = log_forward(chain, s, posterior);
    log_backward(chain, s, beta);
    const double whole = log_likelihood[s], heavy = weight ? weight[s] : 1.0;
    for (index_t t = first; t < first + length; ++t) {
      if (whole > impossible && t + 1 < first + length)
        for (index_t j = 0; j < K; ++j)
          for (index_t k = 0; k < K; ++k)
            transitions(j, k) += heavy * std::exp(posterior(t, j) + chain.transition(j, k) + chain.node(t + 1, k) +
                                                  beta(t + 1, k) - whole);
      for (index_t k = 0; k < K; ++k)
        posterior(t, k) = whole > impossible ? std::exp(posterior(t, k) + beta(t, k) - whole) : 0.0;
    }
  }
}

template <int V>
void fused_forward_backward(const Lattice& chain, View<const double> weight, View<double> log_likelihood,
                            Grid<double> posterior, Grid<double> transitions) {
  FusedForwardBackward<V> fused(chain, weight, posterior);
  fused.run(log_likelihood, transitions);
  logarithmic_forward_backward(chain, weight, fused.unsafe, log_likelihood, posterior, transitions);
}

// Log likelihoods of sequences (-inf if no path is possible, with posteriors of zero), posteriors of the states, and
// expected numbers of transitions, weighted by sequence.
inline void forward_backward(const Lattice& chain, View<const double> weight, View<double> log_likelihood,
                             Grid<double> posterior, Grid<double> transitions) {
  const index_t K = chain.states();
  if (K <= 4)
    fused_forward_backward<1>(chain, weight, log_likelihood, posterior, transitions);
  else if (K <= 8)
    fused_forward_backward<2>(chain, weight, log_likelihood, posterior, transitions);
  else if (K <= 12)
    fused_forward_backward<3>(chain, weight, log_likelihood, posterior, transitions);
  else if (K <= 16)
    fused_forward_backward<4>(chain, weight, log_likelihood, posterior, transitions);
  else if (K <= 20)
    fused_forward_backward<5>(chain, weight, log_likelihood, posterior, transitions);
  else if (K <= 24)
    fused_forward_backward<6>(chain, weight, log_likelihood, posterior, transitions);
  else
    ForwardBackward(chain, weight, posterior).run(log_likelihood, transitions);
}

}  // namespace learnable
