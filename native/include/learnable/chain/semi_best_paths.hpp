// The k best segmentations of a hidden semi-Markov chain.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/chain/semi_chain.hpp"

namespace learnable {

// The best partial segmentations that end, or begin a segment, at each boundary in each state; best first.
class BestSegmentations {
 public:
  BestSegmentations(const SemiLattice& semi, index_t s, index_t count)
      : semi_(semi), chain_(semi.chain), K_(chain_.states()), T_(chain_.length(s)), count_(count),
        first_(index_t(chain_.offset[s])), begun_((T_ + 1) * K_ * count, none), ended_(begun_.size(), none) {}

  void run(Grid<std::int64_t> paths, View<double> scores) {
    for (index_t k = 0; k < K_; ++k) begun_[k * count_] = {chain_.start[k], 0, 0};
    for (index_t t = 1; t <= T_; ++t) {
      for (index_t k = 0; k < K_; ++k) {
        offered_.clear();
        offer_segments(t, k, semi_.duration, 0);
        keep(&ended_[(t * K_ + k) * count_]);
      }
      for (index_t k = 0; k < K_; ++k) {
        offered_.clear();
        for (index_t j = 0; j < K_; ++j)
          for (index_t r = 0; r < count_; ++r)
            offer(ended_[(t * K_ + j) * count_ + r].score + chain_.transition(j, k), j, r);
        keep(&begun_[(t * K_ + k) * count_]);
      }
      poll_interrupt();
    }
    offered_.clear();
    for (index_t k = 0; k < K_; ++k) offer_segments(T_, k, semi_.survival, k * semi_.longest());
    std::vector<Partial> last(count_, none);
    keep(last.data());
    for (index_t n = 0; n < count_; ++n) {
      scores[n] = last[n].score;
      trace(last[n], n, paths);
    }
  }

 private:
  struct Partial {
    double score;
    std::int32_t which, rank;  // the state or duration before, and which of its best segmentations
  };
  static constexpr Partial none{impossible, -1, -1};

  void offer(double score, index_t which, index_t rank) {
    if (score > impossible) offered_.push_back({score, std::int32_t(which), std::int32_t(rank)});
  }

  // Segments of k that end at t; `code` is added to the number of their steps minus 1.
  void offer_segments(index_t t, index_t k, const Grid<const double>& length, index_t code) {
    double running = 0;
    for (index_t d = 1; d <= std::min(semi_.longest(), t); ++d) {
      running += chain_.node(first_ + t - d, k);
      for (index_t r = 0; r < count_; ++r)
        offer(begun_[((t - d) * K_ + k) * count_ + r].score + running + length(k, d - 1), code + d - 1, r);
    }
  }

  void keep(Partial* to) {
    std::stable_sort(offered_.begin(), offered_.end(),
                     [](const Partial& a, const Partial& b) { return a.score > b.score; });
    std::copy_n(offered_.begin(), std::min<index_t>(count_, index_t(offered_.size())), to);
  }

  void trace(const Partial& last, index_t column, Grid<std::int64_t> paths) const {
    if (last.which < 0) {
      for (index_t t = 0; t < T_; ++t) paths(first_ + t, column) = -1;
      return;
    }
    index_t state = last.which / semi_.longest(), length = last.which % semi_.longest() + 1, rank = last.rank;
    for (index_t end = T_; end > 0;) {
      const index_t begin = end - length;
      for (index_t t = begin; t < end; ++t) paths(first_ + t, column) = state;
      end = begin;
      if (end == 0) break;
      const Partial& from = begun_[(end * K_ + state) * count_ + rank];
      state = from.which;
      const Partial& before = ended_[(end * K_ + state) * count_ + from.rank];
      length = before.which + 1;
      rank = before.rank;
    }
  }

  const SemiLattice& semi_;
  const Lattice& chain_;
  index_t K_, T_, count_, first_;
  std::vector<Partial> begun_, ended_, offered_;
};

}  // namespace learnable
