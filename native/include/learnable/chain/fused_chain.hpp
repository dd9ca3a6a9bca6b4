// Forward-backward for few states: recursions, posteriors and expected transitions in two visits of each step.
//
// Forward variables of the first half and backward variables of the second half come first, side by side; then each
// direction goes on through the other half, where it meets the variables stored there: their products are posteriors.
// Variables are rescaled only when their sum leaves [1e-30, 1e30].
#pragma once

#include <cmath>
#include <vector>

#include "learnable/chain/lattice.hpp"
#include "learnable/matrix/vector_exp.hpp"

namespace learnable {

constexpr double low_sum = 1e-30, high_sum = 1e30, lost_sum = 1e-130, lost_overlap = 1e-165;

// Potentials of the start and of transitions divided by the largest, in rows of `width` entries, zero beyond the states.
struct PaddedPotentials {
  index_t width;
  double start_shift = 0, transition_shift = 0;
  std::vector<double> start, transition, transposed;

  PaddedPotentials(const Lattice& chain, index_t width)
      : width(width), start(width), transition(width * width), transposed(width * width) {
    const index_t K = chain.states();
    start_shift = finite_or_zero(largest(chain.start));
    double most = impossible;
    for (index_t j = 0; j < K; ++j) most = std::max(most, largest(chain.transition.row(j)));
    transition_shift = finite_or_zero(most);
    for (index_t j = 0; j < K; ++j) {
      start[j] = std::exp(chain.start[j] - start_shift);
      for (index_t k = 0; k < K; ++k)
        transition[j * width + k] = transposed[k * width + j] = std::exp(chain.transition(j, k) - transition_shift);
    }
  }
};

// One sequence of states in V vectors of four, of which only the last may be partly filled.
template <int V>
class FusedSequence {
 public:
  static constexpr index_t width = 4 * V;

  FusedSequence(const Lattice& chain, const PaddedPotentials& potentials, index_t s, Grid<double> posterior)
      : chain_(chain), potentials_(potentials), posterior_(posterior), K_(chain.states()),
        first_(index_t(chain.offset[s])), last_(index_t(chain.offset[s + 1])), middle_(first_ + (last_ - first_) / 2) {}

  // Forward variables of the first half.
  bool begin_forward() {
    log_likelihood_ = potentials_.start_shift + potentials_.transition_shift * double(last_ - first_ - 1);
    bool sound = true;
    for (index_t t = first_; t < middle_ && sound; ++t) {
      advance(t);
      sound = rescale_forward(t);
      write(t, alpha_);
    }
    return sound;
  }

  // Backward variables of the second half.
  bool begin_backward() {
    std::fill_n(beta_, width, 0.0);
    std::fill_n(beta_, K_, 1.0);
    if (last_ > middle_) write(last_ - 1, beta_);
    bool sound = true;
    for (index_t t = last_ - 2; t >= middle_ && sound; --t) {
      retreat(t);
      sound = rescale_backward(t);
      write(t, beta_);
    }
    return sound;
  }

  // Posteriors of the second half, and its transitions; returns false if sums underflow.
  bool finish_forward(double weight, double* products) {
    alignas(32) double before[width], beta[width];
    for (index_t t = middle_; t < last_; ++t) {
      std::copy_n(alpha_, width, before);
      advance(t);
      read(t, beta);
      Quad joint[V], total = spread(0.0);
      for (int v = 0; v < V; ++v) total += joint[v] = load_quad(alpha_ + 4 * v) * load_quad(beta + 4 * v);
      const double overlap = add_up(total);
      if (!(overlap > lost_overlap)) return false;
      keep(t, joint, 1 / overlap);
      if (t > middle_) {  // the transition into the middle belongs to the other direction
        Quad later[V];
        for (int v = 0; v < V; ++v) later[v] = node_[v] * load_quad(beta + 4 * v);
        add_products(weight / overlap, before, later, products);
      }
      if (!rescale_forward(t)) return false;
    }
    log_likelihood_ += std::log(sum_of(alpha_));
    return true;
  }

  // Posteriors of the first half, and its transitions.
  bool finish_backward(double weight, double* products) {
    alignas(32) double alpha[width];
    for (index_t t = middle_ - 1; t >= first_; --t) {
      retreat(t);
      read(t, alpha);
      Quad joint[V], total = spread(0.0);
      for (int v = 0; v < V; ++v) total += joint[v] = load_quad(alpha + 4 * v) * load_quad(beta_ + 4 * v);
      const double overlap = add_up(total);
      if (!(overlap > lost_overlap)) return false;
      keep(t, joint, 1 / overlap);
      add_products(weight / overlap, alpha, later_, products);
      if (!rescale_backward(t)) return false;
    }
    return true;
  }

  double log_likelihood() const { return log_likelihood_; }

 private:
  // Forward variables of step t from those of the step before, and the potentials of its node.
  void advance(index_t t) {
    shift_ = load_node(t, node_);
    if (t == first_) {
      for (int v = 0; v < V; ++v) store_quad(alpha_ + 4 * v, load_quad(&potentials_.start[4 * v]) * node_[v]);
      return;
    }
    Quad moved[V];
    multiply(alpha_, potentials_.transition.data(), moved);
    for (int v = 0; v < V; ++v) store_quad(alpha_ + 4 * v, moved[v] * node_[v]);
  }

  // Backward variables of step t from those of the step after.
  void retreat(index_t t) {
    Quad node[V];
    load_node(t + 1, node);
    alignas(32) double later[width];
    for (int v = 0; v < V; ++v) store_quad(later + 4 * v, later_[v] = node[v] * load_quad(beta_ + 4 * v));
    Quad moved[V];
    multiply(later, potentials_.transposed.data(), moved);
    for (int v = 0; v < V; ++v) store_quad(beta_ + 4 * v, moved[v]);
  }

  void multiply(const double* from, const double* matrix, Quad* out) const {
    Quad even[V], odd[V];
    for (int v = 0; v < V; ++v) even[v] = odd[v] = spread(0.0);
    for (index_t j = 0; j < width; j += 2) {
      const Quad one = spread(from[j]), two = spread(from[j + 1]);
      for (int v = 0; v < V; ++v) {
        even[v] = fused(one, load_quad(matrix + j * width + 4 * v), even[v]);
        odd[v] = fused(two, load_quad(matrix + (j + 1) * width + 4 * v), odd[v]);
      }
    }
    for (int v = 0; v < V; ++v) out[v] = even[v] + odd[v];
  }

  // Potentials of the states at step t, divided by the largest; returns its logarithm.
  double load_node(index_t t, Quad* node) const {
    load_row(&chain_.node(t, 0), impossible, node);
    Quad most = node[0];
    for (int v = 1; v < V; ++v) most = node[v] > most ? node[v] : most;
    const double shift = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
    if (!std::isfinite(shift)) {  // infinite or impossible throughout: as they are
      for (int v = 0; v < V; ++v)
        for (int i = 0; i < 4; ++i) node[v][i] = std::exp(node[v][i]);
      return 0.0;
    }
    for (int v = 0; v < V; ++v) node[v] = exp_of_negative(node[v] - shift);
    return shift;
  }

  double sum_of(const double* values) const {
    Quad total = load_quad(values);
    for (int v = 1; v < V; ++v) total += load_quad(values + 4 * v);
    return add_up(total);
  }

  bool rescale_forward(index_t t) {
    log_likelihood_ += shift_;
    return rescale(t, alpha_, &log_likelihood_);
  }
  bool rescale_backward(index_t t) { return rescale(t, beta_, nullptr); }

  bool rescale(index_t t, double* values, double* log_sum) {
    const double total = sum_of(values);
    if (t % steps_between_polls == 0) poll_interrupt();
    if (total > low_sum && total < high_sum) return true;
    if (!(total > lost_sum) || !std::isfinite(total)) return false;
    for (int v = 0; v < V; ++v) store_quad(values + 4 * v, load_quad(values + 4 * v) / total);
    if (log_sum) *log_sum += std::log(total);
    return true;
  }

  void add_products(double factor, const double* alpha, const Quad* later, double* products) const {
    for (index_t j = 0; j < K_; ++j) {
      const Quad mass = spread(factor * alpha[j]);
      double* row = products + j * width;
      for (int v = 0; v < V; ++v) store_quad(row + 4 * v, fused(mass, later[v], load_quad(row + 4 * v)));
    }
  }

  void keep(index_t t, const Quad* joint, double factor) {
    alignas(32) double row[width];
    for (int v = 0; v < V; ++v) store_quad(row + 4 * v, joint[v] * factor);
    write(t, row);
  }

  void write(index_t t, const double* row) {
    double* to = &posterior_(t, 0);
    for (int v = 0; v + 1 < V; ++v) store_quad(to + 4 * v, load_quad(row + 4 * v));
    if (K_ == width)
      store_quad(to + width - 4, load_quad(row + width - 4));
    else
      for (index_t k = width - 4; k < K_; ++k) to[k] = row[k];
  }
  void read(index_t t, double* row) const {
    Quad found[V];
    load_row(&posterior_(t, 0), 0.0, found);
    for (int v = 0; v < V; ++v) store_quad(row + 4 * v, found[v]);
  }
  // A row of K numbers, filled up with others.
  void load_row(const double* from, double other, Quad* row) const {
    for (int v = 0; v + 1 < V; ++v) row[v] = load_quad(from + 4 * v);
    const double* last = from + width - 4;
    if (K_ == width)
      row[V - 1] = load_quad(last);
    else
      row[V - 1] = Quad{last[0], K_ > width - 3 ? last[1] : other, K_ > width - 2 ? last[2] : other, other};
  }

  const Lattice& chain_;
  const PaddedPotentials& potentials_;
  Grid<double> posterior_;
  index_t K_, first_, last_, middle_;
  // The two directions run at the same time: each has members of its own, on lines of its own.
  alignas(64) double log_likelihood_ = 0;
  double shift_ = 0;
  Quad node_[V];
  alignas(32) double alpha_[width] = {};
  alignas(64) Quad later_[V];
  alignas(32) double beta_[width] = {};
};

// The sequences of a lattice in V vectors of four states: two phases of two jobs for each block of sequences.
template <int V>
class FusedForwardBackward {
 public:
  static constexpr index_t width = FusedSequence<V>::width;

  FusedForwardBackward(const Lattice& chain, View<const double> weight, Grid<double> posterior)
      : chain_(chain), weight_(weight), potentials_(chain, width), block_(sequence_blocks(chain)),
        unsafe(chain.sequences()) {
    work_.reserve(chain.sequences());
    for (index_t s = 0; s < chain.sequences(); ++s) work_.emplace_back(chain, potentials_, s, posterior);
  }

  // Writes posteriors and log likelihoods of the sequences whose sums do not underflow, marks the others as unsafe, and
  // adds up the expected numbers of transitions of the former.
  void run(View<double> log_likelihood, Grid<double> transitions) {
    const index_t K = chain_.states();
    std::vector<std::vector<double>> sums;
    do {  // again without those that were found to be unsafe late
      sums.assign(2 * (block_.size() - 1), std::vector<double>(width * width));
      phase([](FusedSequence<V>& one, index_t job, double, double*) {
        return job % 2 ? one.begin_backward() : one.begin_forward();
      }, sums);
    } while (!phase([](FusedSequence<V>& one, index_t job, double weight, double* products) {
      return job % 2 ? one.finish_backward(weight, products) : one.finish_forward(weight, products);
    }, sums));
    for (index_t s = 0; s < chain_.sequences(); ++s)
      if (!unsafe[s]) log_likelihood[s] = chain_.length(s) ? work_[s].log_likelihood() : 0.0;
    for (index_t j = 0; j < K; ++j)
      for (index_t k = 0; k < K; ++k) {
        double total = 0;
        for (const std::vector<double>& part : sums) total += part[j * width + k];
        transitions(j, k) = total * potentials_.transition[j * width + k];
      }
  }

 private:
  // Calls f for both directions of all sequences that are safe; false if one turns out not to be.
  template <class F>
  bool phase(F&& f, std::vector<std::vector<double>>& sums) {
    std::vector<char> wrong(2 * chain_.sequences());
    parallel_for(index_t(sums.size()), [&](index_t job, int) {
      for (index_t s = block_[job / 2]; s < block_[job / 2 + 1]; ++s)
        if (chain_.length(s) > 0 && !unsafe[s])
          wrong[2 * s + job % 2] = !f(work_[s], job, weight_ ? weight_[s] : 1.0, sums[job].data());
    });
    bool sound = true;
    for (index_t s = 0; s < chain_.sequences(); ++s)
      if (wrong[2 * s] || wrong[2 * s + 1]) {
        unsafe[s] = 1;
        sound = false;
      }
    return sound;
  }

  const Lattice& chain_;
  View<const double> weight_;
  PaddedPotentials potentials_;
  std::vector<index_t> block_;
  std::vector<FusedSequence<V>> work_;

 public:
  std::vector<char> unsafe;
};

}  // namespace learnable
