// The most probable paths: Viterbi's algorithm, and its extension to the k best paths.
#pragma once

#include <cstdint>
#include <memory>

#include "learnable/chain/lattice.hpp"

namespace learnable {

// best[k] = max_j score[j] + transition(j, k), and the first state j that reaches it.
inline void best_predecessors(const double* score, const Lattice& chain, double* best, std::int64_t* from) {
  const index_t K = chain.states();
  for (index_t k = 0; k < K; ++k) {
    best[k] = score[0] + chain.transition(0, k);
    from[k] = 0;
  }
  for (index_t j = 1; j < K; ++j) {
    const double reached = score[j];
    const double* row = &chain.transition(j, 0);
    for (index_t k = 0; k < K; ++k) {
      const double total = reached + row[k];
      const bool better = total > best[k];
      best[k] = better ? total : best[k];
      from[k] = better ? j : from[k];
    }
  }
}

// Writes the path of sequence s and returns its score. Of several best paths, it is the one whose last states are first.
inline double viterbi(const Lattice& chain, index_t s, View<std::int64_t> path) {
  const index_t K = chain.states(), first = chain.offset[s], length = chain.length(s);
  std::vector<double> score(K), best(K);
  std::unique_ptr<std::int64_t[]> from(new std::int64_t[length * K]);
  for (index_t k = 0; k < K; ++k) score[k] = chain.start[k] + chain.node(first, k);
  for (index_t t = 1; t < length; ++t) {
    best_predecessors(score.data(), chain, best.data(), &from[t * K]);
    for (index_t k = 0; k < K; ++k) score[k] = best[k] + chain.node(first + t, k);
    if (t % steps_between_polls == 0) poll_interrupt();
  }
  index_t state = std::max_element(score.begin(), score.end()) - score.begin();
  const double reached = score[state];
  for (index_t t = length - 1; t >= 0; --t) {
    path[first + t] = state;
    if (t > 0) state = from[t * K + state];
  }
  return reached;
}

struct PartialPath {
  double score;
  std::int32_t state, rank;  // of the step before, and which of its best paths
};

// The `count` best paths of sequence s, best first: one column of `paths` and one score for each. Where fewer are
// possible, the others have the score -inf and states -1.
inline void k_best_paths(const Lattice& chain, index_t s, index_t count, Grid<std::int64_t> paths, View<double> scores) {
  const index_t K = chain.states(), first = chain.offset[s], length = chain.length(s);
  const PartialPath none{impossible, -1, -1};
  std::vector<PartialPath> kept(length * K * count, none), offered;
  const auto better = [](const PartialPath& a, const PartialPath& b) { return a.score > b.score; };
  for (index_t t = 0; t < length; ++t) {
    for (index_t k = 0; k < K; ++k) {
      PartialPath* here = &kept[(t * K + k) * count];
      const double node = chain.node(first + t, k);
      if (t == 0) {
        here[0].score = chain.start[k] + node;
        continue;
      }
      offered.clear();
      for (index_t j = 0; j < K; ++j)
        for (index_t r = 0; r < count; ++r) {
          const double total = kept[((t - 1) * K + j) * count + r].score + chain.transition(j, k) + node;
          if (total > impossible) offered.push_back({total, std::int32_t(j), std::int32_t(r)});
        }
      std::stable_sort(offered.begin(), offered.end(), better);
      std::copy_n(offered.begin(), std::min<index_t>(count, index_t(offered.size())), here);
    }
    poll_interrupt();
  }
  offered.clear();
  for (index_t k = 0; k < K; ++k)
    for (index_t r = 0; r < count; ++r) {
      const double total = kept[((length - 1) * K + k) * count + r].score;
      if (total > impossible) offered.push_back({total, std::int32_t(k), std::int32_t(r)});
    }
  std::stable_sort(offered.begin(), offered.end(), better);
  for (index_t n = 0; n < count; ++n) {
    PartialPath at = n < index_t(offered.size()) ? offered[n] : none;
    scores[n] = at.score;
    for (index_t t = length - 1; t >= 0; --t) {
      paths(first + t, n) = at.state;
      if (at.state >= 0) at = kept[(t * K + at.state) * count + at.rank];
    }
  }
}

}  // namespace learnable
