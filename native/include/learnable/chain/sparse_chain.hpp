// Chains in which each state has few predecessors: pairs of labels, whose potentials may differ from step to step.
//
// The recursions run on scaled potentials; a sequence whose scaled sums come close to underflow is done with logarithms.
#pragma once

#include <cstdint>

#include "learnable/chain/filtering.hpp"

namespace learnable {

// State s follows the states from[first[s]] to from[first[s + 1] - 1], with these log weights.
struct SparseLattice {
  View<const double> start;
  View<const std::int64_t> first;
  View<const std::int32_t> from;
  View<const double> weight;
  Grid<const double> node;
  View<const std::int64_t> offset;

  index_t states() const { return start.size; }
  index_t edges() const { return from.size; }
  index_t sequences() const { return offset.size - 1; }
  index_t length(index_t s) const { return index_t(offset[s + 1] - offset[s]); }
  // What is common to all chains: steps, and where sequences begin.
  Lattice frame() const { return {start, {}, node, offset}; }
};

class SparseChain {
 public:
  explicit SparseChain(const SparseLattice& lattice)
      : lattice_(lattice), S_(lattice.states()), start_(S_), weight_(lattice.edges()),
        start_shift_(finite_or_zero(largest(lattice.start))), weight_shift_(finite_or_zero(largest(lattice.weight))) {
    for (index_t s = 0; s < S_; ++s) start_[s] = std::exp(lattice.start[s] - start_shift_);
    for (index_t e = 0; e < lattice.edges(); ++e) weight_[e] = std::exp(lattice.weight[e] - weight_shift_);
  }

  // Probabilities of the states given the steps so far; returns the log likelihood.
  double filter(index_t sequence, Grid<double> filtered) const {
    const double scaled = forward(sequence, filtered);
    if (!std::isnan(scaled)) return scaled;
    const double whole = log_forward(sequence, filtered);
    for (index_t t = begin(sequence); t < end(sequence); ++t) {
      const double total = log_sum_exp(filtered.row(t));
      for (index_t s = 0; s < S_; ++s) filtered(t, s) = total > impossible ? std::exp(filtered(t, s) - total) : 0.0;
    }
    return whole;
  }

  // Posteriors of the states, and expected numbers of transitions times `weight`; returns the log likelihood.
  double forward_backward(index_t sequence, double weight, Grid<double> posterior, double* transitions) const {
    if (begin(sequence) == end(sequence)) return 0;
    const double scaled = forward(sequence, posterior);
    if (!std::isnan(scaled) && backward(sequence, weight, posterior, transitions)) return scaled;
    const double whole = log_forward(sequence, posterior);
    log_backward(sequence, weight, whole, posterior, transitions);
    return whole;
  }

  double viterbi(index_t sequence, View<std::int64_t> path) const {
    const index_t first = begin(sequence), length = end(sequence) - first;
    if (length == 0) return 0;
    std::vector<double> score(S_), best(S_);
    std::vector<std::int32_t> from(length * S_);
    for (index_t s = 0; s < S_; ++s) score[s] = lattice_.start[s] + lattice_.node(first, s);
    for (index_t t = 1; t < length; ++t) {
      for (index_t s = 0; s < S_; ++s) {
        best[s] = impossible;
        for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e) {
          const double total = score[lattice_.from[e]] + lattice_.weight[e];
          if (total > best[s]) best[s] = total, from[t * S_ + s] = lattice_.from[e];
        }
        best[s] += lattice_.node(first + t, s);
      }
      std::swap(score, best);
      if (t % steps_between_polls == 0) poll_interrupt();
    }
    index_t state = std::max_element(score.begin(), score.end()) - score.begin();
    const double reached = score[state];
    for (index_t t = length - 1; t >= 0; --t) {
      path[first + t] = state;
      if (t > 0) state = from[t * S_ + state];
    }
    return reached;
  }

  // The `count` best paths, a column each; where fewer are possible, states of -1 with the score -inf.
  void k_best(index_t sequence, index_t count, Grid<std::int64_t> paths, View<double> scores) const {
    const index_t first = begin(sequence), length = end(sequence) - first;
    const PartialPath none{impossible, -1, -1};
    std::vector<PartialPath> kept(length * S_ * count, none), offered;
    const auto keep = [&](PartialPath* to) {
      std::stable_sort(offered.begin(), offered.end(),
                       [](const PartialPath& a, const PartialPath& b) { return a.score > b.score; });
      std::copy_n(offered.begin(), std::min<index_t>(count, index_t(offered.size())), to);
      offered.clear();
    };
    const auto offer = [&](double score, index_t state, index_t rank) {
      if (score > impossible) offered.push_back({score, std::int32_t(state), std::int32_t(rank)});
    };
    for (index_t t = 0; t < length; ++t) {
      for (index_t s = 0; s < S_; ++s) {
        const double node = lattice_.node(first + t, s);
        if (t == 0)
          offer(lattice_.start[s] + node, 0, 0);
        else
          for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e)
            for (index_t r = 0; r < count; ++r)
              offer(kept[((t - 1) * S_ + lattice_.from[e]) * count + r].score + lattice_.weight[e] + node,
                    lattice_.from[e], r);
        keep(&kept[(t * S_ + s) * count]);
      }
      poll_interrupt();
    }
    for (index_t s = 0; s < S_; ++s)
      for (index_t r = 0; r < count; ++r) offer(kept[((length - 1) * S_ + s) * count + r].score, s, r);
    std::vector<PartialPath> last(count, none);
    keep(last.data());
    for (index_t n = 0; n < count; ++n) {
      PartialPath at = last[n];
      scores[n] = at.score;
      for (index_t t = length - 1; t >= 0; --t) {
        paths(first + t, n) = at.state;
        if (at.state >= 0) at = kept[(t * S_ + at.state) * count + at.rank];
      }
    }
  }

 private:
  struct PartialPath {
    double score;
    std::int32_t state, rank;
  };

  index_t begin(index_t sequence) const { return index_t(lattice_.offset[sequence]); }
  index_t end(index_t sequence) const { return index_t(lattice_.offset[sequence + 1]); }

  double shift_of(index_t t) const { return finite_or_zero(largest(lattice_.node.row(t))); }

  double forward(index_t sequence, Grid<double> alpha) const {
    double log_likelihood = start_shift_ + weight_shift_ * double(end(sequence) - begin(sequence) - 1);
    for (index_t t = begin(sequence); t < end(sequence); ++t) {
      double *row = &alpha(t, 0), total = 0;
      const double* before = t > begin(sequence) ? &alpha(t - 1, 0) : nullptr;
      const double shift = shift_of(t);
      for (index_t s = 0; s < S_; ++s) {
        double reached = before ? 0.0 : start_[s];
        if (before)
          for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e)
            reached += weight_[e] * before[lattice_.from[e]];
        row[s] = reached > 0 ? reached * std::exp(lattice_.node(t, s) - shift) : 0.0;
        total += row[s];
      }
      if (!(total > smallest_safe_sum)) return std::numeric_limits<double>::quiet_NaN();
      for (index_t s = 0; s < S_; ++s) row[s] /= total;
      log_likelihood += std::log(total) + shift;
      if (t % steps_between_polls == 0) poll_interrupt();
    }
    return log_likelihood;
  }

  // Turns forward variables into posteriors; false, with nothing added to `transitions`, if sums underflow.
  bool backward(index_t sequence, double weight, Grid<double> posterior, double* transitions) const {
    std::vector<double> beta(S_, 1.0), later(S_), sums(lattice_.edges());
    for (index_t t = end(sequence) - 1; t >= begin(sequence); --t) {
      double *row = &posterior(t, 0), overlap = 0;
      for (index_t s = 0; s < S_; ++s) overlap += row[s] * beta[s];
      if (!(overlap > smallest_safe_sum)) return false;
      const bool first = t == begin(sequence);
      if (!first) {
        const double shift = shift_of(t), *before = &posterior(t - 1, 0);
        double total = 0;
        for (index_t s = 0; s < S_; ++s)
          later[s] = beta[s] > 0 ? beta[s] * std::exp(lattice_.node(t, s) - shift) : 0.0;
        for (index_t s = 0; s < S_; ++s) row[s] *= beta[s] / overlap;
        std::fill(beta.begin(), beta.end(), 0.0);
        for (index_t s = 0; s < S_; ++s) {
          if (!(later[s] > 0)) continue;
          double whole = 0;
          for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e) {
            const double moved = weight_[e] * later[s];
            beta[lattice_.from[e]] += moved;
            whole += moved * before[lattice_.from[e]];
          }
          if (!(whole > 0)) continue;
          const double factor = weight * row[s] * later[s] / whole;
          for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e)
            sums[e] += factor * weight_[e] * before[lattice_.from[e]];
        }
        for (const double value : beta) total += value;
        if (!(total > smallest_safe_sum)) return false;
        for (double& value : beta) value /= total;
      } else {
        for (index_t s = 0; s < S_; ++s) row[s] *= beta[s] / overlap;
      }
      if (t % steps_between_polls == 0) poll_interrupt();
    }
    for (index_t e = 0; e < lattice_.edges(); ++e) transitions[e] += sums[e];
    return true;
  }

  double log_forward(index_t sequence, Grid<double> alpha) const {
    std::vector<double> terms;
    for (index_t t = begin(sequence); t < end(sequence); ++t) {
      for (index_t s = 0; s < S_; ++s) {
        terms.clear();
        if (t > begin(sequence))
          for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e)
            terms.push_back(alpha(t - 1, lattice_.from[e]) + lattice_.weight[e]);
        const double before = t > begin(sequence) ? log_sum_exp({terms.data(), index_t(terms.size())}) : lattice_.start[s];
        alpha(t, s) = before + lattice_.node(t, s);
      }
      poll_interrupt();
    }
    return log_sum_exp(alpha.row(end(sequence) - 1));
  }

  void log_backward(index_t sequence, double weight, double whole, Grid<double> posterior, double* transitions) const {
    std::vector<double> beta(S_), before(S_);
    const bool possible = whole > impossible;
    for (index_t t = end(sequence) - 1; t >= begin(sequence); --t) {
      if (t > begin(sequence)) {
        std::fill(before.begin(), before.end(), impossible);
        for (index_t s = 0; s < S_; ++s) {
          const double later = lattice_.node(t, s) + beta[s];
          if (!(later > impossible)) continue;
          for (std::int64_t e = lattice_.first[s]; e < lattice_.first[s + 1]; ++e) {
            const index_t j = lattice_.from[e];
            const double terms[2] = {before[j], lattice_.weight[e] + later};
            before[j] = log_sum_exp({terms, 2});
            if (possible) transitions[e] += weight * std::exp(posterior(t - 1, j) + terms[1] - whole);
          }
        }
      }
      for (index_t s = 0; s < S_; ++s) posterior(t, s) = possible ? std::exp(posterior(t, s) + beta[s] - whole) : 0.0;
      std::swap(beta, before);
      poll_interrupt();
    }
  }

  const SparseLattice& lattice_;
  index_t S_;
  std::vector<double> start_, weight_;
  double start_shift_, weight_shift_;
};

// Log likelihoods, posteriors and expected numbers of transitions, weighted by sequence, in fixed blocks.
inline void sparse_forward_backward(const SparseLattice& lattice, View<const double> weight,
                                    View<double> log_likelihood, Grid<double> posterior, View<double> transitions) {
  const SparseChain chain(lattice);
  const std::vector<index_t> first = sequence_blocks(lattice.frame());
  std::vector<std::vector<double>> sums(first.size() - 1, std::vector<double>(lattice.edges()));
  parallel_for(index_t(sums.size()), [&](index_t block, int) {
    for (index_t s = first[block]; s < first[block + 1]; ++s)
      log_likelihood[s] = chain.forward_backward(s, weight ? weight[s] : 1.0, posterior, sums[block].data());
  });
  std::fill(transitions.begin(), transitions.end(), 0.0);
  for (const std::vector<double>& part : sums)
    for (index_t e = 0; e < lattice.edges(); ++e) transitions[e] += part[e];
}

}  // namespace learnable
