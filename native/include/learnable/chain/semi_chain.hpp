// Hidden semi-Markov chains: the sequence is cut into segments, each with a state and a duration.
//
// Boundary t lies before step t. `begun(t, k)`: log potential of the steps before t and of a segment of k that begins
// there; `ended(t, k)`: that of a segment of k that ends there. The last segment may go on after the end of the
// sequence, so that its potential is that of a duration of at least its length.
#pragma once

#include <cstdint>

#include "learnable/chain/filtering.hpp"

namespace learnable {

struct SemiLattice {
  Lattice chain;
  Grid<const double> duration;  // log potential of the durations 1, 2, ... of a segment, a row per state
  Grid<const double> survival;  // that of a duration of at least 1, 2, ...

  index_t longest() const { return duration.columns; }
};

// Sums of one block of sequences: expected numbers of transitions, of durations, and of lengths of last segments.
struct SegmentSums {
  std::vector<double> transitions, durations, last;

  SegmentSums(index_t K, index_t D) : transitions(K * K), durations(K * D), last(K * D) {}
};

// The recursions for one sequence.
class SemiChain {
 public:
  SemiChain(const SemiLattice& semi, index_t s)
      : semi_(semi), chain_(semi.chain), K_(chain_.states()), T_(chain_.length(s)), D_(semi.longest()),
        first_(index_t(chain_.offset[s])), node_(T_ * K_), begun_((T_ + 1) * K_, impossible),
        ended_((T_ + 1) * K_, impossible), terms_(std::max(K_, D_)) {
    for (index_t t = 0; t < T_; ++t) {
      const double most = largest(chain_.node.row(first_ + t));
      const double shift = std::isfinite(most) ? most : 0.0;
      shift_ += shift;
      for (index_t k = 0; k < K_; ++k) node_[t * K_ + k] = chain_.node(first_ + t, k) - shift;
    }
  }

  // Fills `begun` and `ended`; returns the log likelihood.
  double forward() {
    for (index_t k = 0; k < K_; ++k) begun_[k] = chain_.start[k];
    for (index_t t = 1; t <= T_; ++t) {
      for (index_t k = 0; k < K_; ++k) ended_[t * K_ + k] = total(segments_ending(t, k, semi_.duration));
      for (index_t k = 0; k < K_; ++k) {
        for (index_t j = 0; j < K_; ++j) terms_[j] = ended_[t * K_ + j] + chain_.transition(j, k);
        begun_[t * K_ + k] = total(K_);
      }
      poll_interrupt();
    }
    std::vector<double> whole(K_);
    for (index_t k = 0; k < K_; ++k) whole[k] = total(segments_ending(T_, k, semi_.survival));
    scaled_likelihood_ = log_sum_exp({whole.data(), K_});
    return scaled_likelihood_ + shift_;
  }

  // Probabilities of the states at each step given the steps so far.
  void filter(Grid<double> filtered) {
    for (index_t t = 1; t <= T_; ++t) {
      double* row = &filtered(first_ + t - 1, 0);
      for (index_t k = 0; k < K_; ++k) row[k] = total(segments_ending(t, k, semi_.survival));
      normalise(row);
      poll_interrupt();
    }
  }

  // Posteriors of the states, and expected numbers; `forward` must have been called, and its result be finite.
  void backward(double weight, Grid<double> posterior, SegmentSums& sums) {
    std::vector<double> next((T_ + 1) * K_, impossible), here(K_);  // next: of the steps after a segment ends there
    for (index_t t = first_; t < first_ + T_; ++t) std::fill_n(&posterior(t, 0), K_, 0.0);
    for (index_t t = T_ - 1; t >= 0; --t) {
      for (index_t k = 0; k < K_; ++k) {
        const index_t count = segments_beginning(t, k, T_, next);
        here[k] = total(count);
        const double before = begun_[t * K_ + k];
        if (before > impossible && here[k] > impossible) add_segments(t, k, count, weight, posterior, sums);
      }
      if (t == 0) break;
      for (index_t j = 0; j < K_; ++j) {
        for (index_t k = 0; k < K_; ++k) terms_[k] = chain_.transition(j, k) + here[k];
        next[t * K_ + j] = total(K_);
        if (!(ended_[t * K_ + j] > impossible)) continue;
        const double before = ended_[t * K_ + j] - scaled_likelihood_;
        for (index_t k = 0; k < K_; ++k) sums.transitions[j * K_ + k] += weight * std::exp(before + terms_[k]);
      }
      poll_interrupt();
    }
    std::vector<double> running(K_);
    for (index_t t = 0; t < T_; ++t) {
      double* row = &posterior(first_ + t, 0);
      double whole = 0;
      for (index_t k = 0; k < K_; ++k) whole += row[k] = running[k] = std::max(running[k] + row[k], 0.0);
      for (index_t k = 0; k < K_; ++k) row[k] /= whole;
    }
  }

  // Posteriors of the states given the steps up to `lag` later.
  void fixed_lag(index_t lag, Grid<double> posterior) {
    std::vector<double> next((T_ + 1) * K_), here(K_), parts;
    for (index_t t = 0; t < T_; ++t) {
      const index_t end = std::min(t + 1 + lag, T_);
      for (index_t e = end - 1; e > t; --e) {
        for (index_t k = 0; k < K_; ++k) here[k] = total(segments_beginning(e, k, end, next));
        for (index_t j = 0; j < K_; ++j) {
          for (index_t k = 0; k < K_; ++k) terms_[k] = chain_.transition(j, k) + here[k];
          next[e * K_ + j] = total(K_);
        }
      }
      double* row = &posterior(first_ + t, 0);
      for (index_t k = 0; k < K_; ++k) {
        parts.clear();
        double before = 0;
        for (index_t begin = t; begin >= 0 && t - begin < D_; --begin) {
          before += node(begin, k);
          double running = begun_[begin * K_ + k] + before;
          for (index_t e = t + 1; e < end && e - begin <= D_ && running > impossible; running += node(e, k), ++e)
            parts.push_back(running + semi_.duration(k, e - begin - 1) + next[e * K_ + k]);
          if (end - begin <= D_) {
            double rest = begun_[begin * K_ + k] + before;
            for (index_t e = t + 1; e < end; ++e) rest += node(e, k);
            parts.push_back(rest + semi_.survival(k, end - begin - 1));
          }
        }
        row[k] = log_sum_exp({parts.data(), index_t(parts.size())});
      }
      normalise(row);
      poll_interrupt();
    }
  }

  // The best path, where its segments begin (1), and its score.
  double viterbi(View<std::int64_t> path, View<std::int64_t> begins) {
    std::vector<std::int32_t> length((T_ + 1) * K_), from((T_ + 1) * K_);
    for (index_t k = 0; k < K_; ++k) begun_[k] = chain_.start[k];
    for (index_t t = 1; t <= T_; ++t) {
      for (index_t k = 0; k < K_; ++k)
        ended_[t * K_ + k] = best(segments_ending(t, k, semi_.duration), length[t * K_ + k]);
      for (index_t k = 0; k < K_; ++k) {
        for (index_t j = 0; j < K_; ++j) terms_[j] = ended_[t * K_ + j] + chain_.transition(j, k);
        begun_[t * K_ + k] = best(K_, from[t * K_ + k]);
      }
      poll_interrupt();
    }
    double reached = impossible;
    index_t state = 0, end = T_;
    std::int32_t segment = 0;
    for (index_t k = 0; k < K_; ++k) {
      std::int32_t found = 0;
      const double score = best(segments_ending(T_, k, semi_.survival), found);
      if (k == 0 || score > reached) reached = score, state = k, segment = found;
    }
    while (end > 0) {
      const index_t begin = std::max<index_t>(end - 1 - segment, 0);
      for (index_t t = begin; t < end; ++t) path[first_ + t] = state, begins[first_ + t] = t == begin;
      end = begin;
      state = from[end * K_ + state];
      segment = length[end * K_ + state];
    }
    return reached + shift_;
  }

  // A path drawn from its posterior: the last segment, then the state and the duration of each before it.
  void sample(Grid<const double> uniform, index_t column, Grid<std::int64_t> paths) {
    std::vector<double> weights(K_ * D_);
    index_t end = T_, state = -1;
    while (end > 0) {
      std::fill(weights.begin(), weights.end(), impossible);
      for (index_t k = 0; k < K_; ++k) {
        const double later = state < 0 ? 0.0 : chain_.transition(k, state);
        if (!(later > impossible)) continue;
        const index_t count = segments_ending(end, k, state < 0 ? semi_.survival : semi_.duration);
        for (index_t d = 0; d < count; ++d) weights[k * D_ + d] = terms_[d] + later;
      }
      const double most = largest({weights.data(), K_ * D_});
      for (double& weight : weights) weight = weight > impossible ? std::exp(weight - most) : 0.0;
      const index_t drawn = draw(weights.data(), K_ * D_, uniform(first_ + end - 1, column));
      state = drawn / D_;
      const index_t begin = std::max<index_t>(end - 1 - drawn % D_, 0);
      for (index_t t = begin; t < end; ++t) paths(first_ + t, column) = state;
      end = begin;
    }
  }

 private:
  double node(index_t t, index_t k) const { return node_[t * K_ + k]; }
  double total(index_t count) const { return log_sum_exp({terms_.data(), count}); }

  double best(index_t count, std::int32_t& which) const {
    if (count == 0) return impossible;
    which = std::int32_t(std::max_element(terms_.begin(), terms_.begin() + count) - terms_.begin());
    return terms_[which];
  }

  // terms[d - 1]: log potential of a segment of k with the steps t - d to t - 1, and all before. Returns how many.
  index_t segments_ending(index_t t, index_t k, const Grid<const double>& length) {
    double running = 0;
    const index_t most = std::min(D_, t);
    for (index_t d = 1; d <= most; ++d) {
      running += node(t - d, k);
      if (!(running > impossible)) return d - 1;
      terms_[d - 1] = running + begun_[(t - d) * K_ + k] + length(k, d - 1);
    }
    return most;
  }

  // terms[d - 1]: log potential of a segment of k with the steps t to t + d - 1 and all after, up to `end`.
  index_t segments_beginning(index_t t, index_t k, index_t end, const std::vector<double>& next) {
    double running = 0;
    const index_t most = std::min(D_, end - t);
    for (index_t d = 1; d <= most; ++d) {
      running += node(t + d - 1, k);
      if (!(running > impossible)) return d - 1;
      terms_[d - 1] = running + (t + d == end ? semi_.survival(k, d - 1)
                                              : semi_.duration(k, d - 1) + next[(t + d) * K_ + k]);
    }
    return most;
  }

  // Adds the posteriors of the segments whose terms were just written.
  void add_segments(index_t t, index_t k, index_t count, double weight, Grid<double> posterior, SegmentSums& sums) {
    const double before = begun_[t * K_ + k] - scaled_likelihood_;
    double whole = 0;
    for (index_t d = 1; d <= count; ++d) {
      if (!(terms_[d - 1] > impossible)) continue;
      const double mass = std::exp(before + terms_[d - 1]);
      whole += mass;
      const bool last = t + d == T_;
      (last ? sums.last : sums.durations)[k * D_ + d - 1] += weight * mass;
      if (!last) posterior(first_ + t + d, k) -= mass;
    }
    posterior(first_ + t, k) += whole;
  }

  void normalise(double* row) const {
    const double whole = log_sum_exp({row, K_});
    for (index_t k = 0; k < K_; ++k) row[k] = whole > impossible ? std::exp(row[k] - whole) : 0.0;
  }

  const SemiLattice& semi_;
  const Lattice& chain_;
  index_t K_, T_, D_, first_;
  double shift_ = 0, scaled_likelihood_ = 0;
  std::vector<double> node_, begun_, ended_, terms_;
};

// Log likelihoods, posteriors of the states and expected numbers, weighted by sequence; -inf and posteriors of zero for
// sequences for which no path is possible.
inline void semi_forward_backward(const SemiLattice& semi, View<const double> weight, View<double> log_likelihood,
                                  Grid<double> posterior, SegmentSums& whole) {
  const index_t K = semi.chain.states(), D = semi.longest();
  const std::vector<index_t> first = sequence_blocks(semi.chain);
  std::vector<SegmentSums> sums(first.size() - 1, SegmentSums(K, D));
  parallel_for(index_t(sums.size()), [&](index_t block, int) {
    for (index_t s = first[block]; s < first[block + 1]; ++s) {
      log_likelihood[s] = 0;
      if (semi.chain.length(s) == 0) continue;
      SemiChain one(semi, s);
      log_likelihood[s] = one.forward();
      if (log_likelihood[s] > impossible)
        one.backward(weight ? weight[s] : 1.0, posterior, sums[block]);
      else
        std::fill_n(&posterior(index_t(semi.chain.offset[s]), 0), semi.chain.length(s) * K, 0.0);
    }
  });
  const auto add = [](std::vector<double>& to, const std::vector<double>& part) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += part[i];
  };
  for (const SegmentSums& part : sums) {
    add(whole.transitions, part.transitions);
    add(whole.durations, part.durations);
    add(whole.last, part.last);
  }
}

}  // namespace learnable
