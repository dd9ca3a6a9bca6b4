// The one solver of kernel machines: a quadratic problem with bounds and one or two sums that are kept.
//
//   minimise over b   b'Kb / 2 + q'b,   low <= b <= high,   the sum of b of each group stays what it is
//
// A round takes the variables that violate the conditions of an optimum most, together with the free ones of the round
// before, solves the problem for them by pairs, and brings the slopes of all others up to date with the rows of K that moved.
// There may be two variables for each row of K: variable v belongs to row v % rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "learnable/smo_cache.hpp"
#include "learnable/smo_pairs.hpp"

namespace learnable {

struct SmoProblem {
  View<const double> low, high, q;
  View<const std::int8_t> group;
  int groups = 1;
};

struct SmoRound {
  index_t steps = 0, rounds = 0;
  double violation = 0;
  bool unbounded = false, stuck = false;
};

template <class T>
class Smo {
 public:
  Smo(const KernelSource& source, SmoProblem problem, index_t cache_bytes)
      : source_(source), problem_(problem), rows_(source.size()), variables_(problem.q.size),
        most_(working_size(cache_bytes)), cache_(source, cache_bytes, most_), diagonal_(rows_) {
    double largest = 0;
    for (index_t i = 0; i < rows_; ++i) {
      diagonal_[i] = source.diagonal(i);
      largest = std::max(largest, std::abs(diagonal_[i]));
    }
    tiny_ = largest > 0 && std::isfinite(largest) ? 1e-12 * largest : 1e-300;
  }

  // scores = K b from nothing.
  void score(View<const double> b, View<double> scores) {
    std::fill(scores.begin(), scores.end(), 0.0);
    std::vector<std::int32_t> which;
    std::vector<double> moves;
    for (index_t i = 0; i < rows_; ++i) {
      double sum = 0;
      for (index_t v = i; v < variables_; v += rows_) sum += b[v];
      if (sum == 0) continue;
      which.push_back(std::int32_t(i));
      moves.push_back(sum);
      if (index_t(which.size()) == most_) add_rows(which, moves, scores);
    }
    add_rows(which, moves, scores);
  }

  // Up to `rounds` rounds and `limit` steps from b and its scores K b, until no violation is above `tolerance`.
  // `before` holds the variables of the last round.
  SmoRound improve(View<double> b, View<double> scores, std::vector<std::int32_t>& before, double tolerance,
                   index_t rounds, index_t limit) {
    SmoRound done;
    for (;;) {
      choose(b, scores, before);
      done.violation = violation_;
      if (!(violation_ > tolerance) || done.rounds >= rounds || done.steps >= limit || done.unbounded || done.stuck)
        return done;
      solve(b, scores, tolerance, limit - done.steps, done);
      before = chosen_;
      ++done.rounds;
    }
  }

  index_t computed() const { return cache_.computed(); }

 private:
  static constexpr index_t most_chosen = 768;
  static constexpr double kept_share = 0.75;  // of a round, for free variables of the round before
  static constexpr double thoroughness = 0.02;  // a round leaves this part of the violation it began with

  index_t working_size(index_t cache_bytes) const {
    if (few()) return rows_;
    const index_t fit = cache_bytes / (KernelSource::stride(rows_) * index_t(sizeof(T)));
    return std::clamp<index_t>(fit, std::min<index_t>(16, rows_), std::min(most_chosen, rows_));
  }

  bool few() const { return variables_ <= 1024; }

  // Whether a round takes all variables: there are few of them, or a matrix at hand and too many between their bounds.
  bool takes_all(View<double> b) const {
    if (few() || variables_ > 4096 || !source_.lying(0, T())) return few();
    index_t free = 0;
    for (index_t v = 0; v < variables_; ++v) free += can_rise(b, v) && can_fall(b, v);
    return double(free) > kept_share * double(most_);
  }

  bool can_rise(View<double> b, index_t v) const { return b[v] < problem_.high[v]; }
  bool can_fall(View<double> b, index_t v) const { return b[v] > problem_.low[v]; }
  double steepness(View<double> scores, index_t v) const { return -(scores[v % rows_] + problem_.q[v]); }

  // Chooses the variables of a round, and measures the violation of all.
  void choose(View<double> b, View<double> scores, const std::vector<std::int32_t>& before) {
    violation_ = 0;
    std::vector<double> highest(problem_.groups, -HUGE_VAL), lowest(problem_.groups, HUGE_VAL);
    for (index_t v = 0; v < variables_; ++v) {
      const double steep = steepness(scores, v);
      const int g = problem_.group[v];
      if (can_rise(b, v)) highest[g] = std::max(highest[g], steep);
      if (can_fall(b, v)) lowest[g] = std::min(lowest[g], steep);
    }
    for (int g = 0; g < problem_.groups; ++g)
      if (highest[g] > -HUGE_VAL && lowest[g] < HUGE_VAL) violation_ = std::max(violation_, highest[g] - lowest[g]);
    chosen_.clear();
    all_ = takes_all(b);
    if (all_) {
      chosen_.resize(variables_);
      std::iota(chosen_.begin(), chosen_.end(), 0);
    } else {
      choose_some(b, scores, before, highest, lowest);
    }
    std::stable_sort(chosen_.begin(), chosen_.end(),
                     [&](std::int32_t a, std::int32_t c) { return problem_.group[a] < problem_.group[c]; });
  }

  void choose_some(View<double> b, View<double> scores, const std::vector<std::int32_t>& before,
                   const std::vector<double>& highest, const std::vector<double>& lowest) {
    taken_.assign(variables_, 0);
    for (const std::int32_t v : before)  // those between their bounds go on
      if (index_t(chosen_.size()) < index_t(kept_share * double(most_)) && can_rise(b, v) && can_fall(b, v)) take(v);
    for (int g = 0; g < problem_.groups; ++g) {
      const index_t share = std::max<index_t>((most_ - index_t(chosen_.size())) / (2 * (problem_.groups - g)), 1);
      take_worst(g, share, [&](index_t v) {
        const double steep = steepness(scores, v);
        return can_rise(b, v) && steep > lowest[g] ? steep : -HUGE_VAL;
      });
      take_worst(g, share, [&](index_t v) {
        const double steep = steepness(scores, v);
        return can_fall(b, v) && steep < highest[g] ? -steep : -HUGE_VAL;
      });
    }
  }

  void take(index_t v) {
    if (taken_[v]) return;
    taken_[v] = 1;
    chosen_.push_back(std::int32_t(v));
  }

  // Takes up to `share` variables of a group with the largest measure, the first of equals; infinitely low is never taken.
  template <class Measure>
  void take_worst(int g, index_t share, Measure measure) {
    candidates_.clear();
    for (index_t v = 0; v < variables_; ++v)
      if (problem_.group[v] == g && !taken_[v])
        if (const double value = measure(v); value > -HUGE_VAL) candidates_.push_back({value, std::int32_t(v)});
    const index_t count = std::min<index_t>(share, index_t(candidates_.size()));
    const auto before = [](const Candidate& a, const Candidate& c) {
      return a.value != c.value ? a.value > c.value : a.variable < c.variable;
    };
    if (count == 0) return;
    std::nth_element(candidates_.begin(), candidates_.begin() + count - 1, candidates_.end(), before);
    std::sort(candidates_.begin(), candidates_.begin() + count, before);
    for (index_t k = 0; k < count; ++k) take(candidates_[k].variable);
  }

  void solve(View<double> b, View<double> scores, double tolerance, index_t limit, SmoRound& done) {
    place_groups();
    Pairs<T> pairs(places_);
    rows_of_chosen();
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      const index_t v = chosen_[k], at = at_[k];
      pairs.b[at] = b[v], pairs.low[at] = problem_.low[v], pairs.high[at] = problem_.high[v];
      pairs.slope[at] = scores[v % rows_] + problem_.q[v], pairs.diagonal[at] = diagonal_[v % rows_];
    }
    const double enough = all_ ? tolerance : std::max(0.5 * tolerance, thoroughness * violation_);
    const auto found = pairs.solve(matrix(), ranges_, enough, limit, tiny_);
    done.steps += found.steps;
    done.unbounded = found.unbounded;
    done.stuck = found.stuck && found.steps == 0;
    std::vector<std::int32_t> which;
    std::vector<double> moves;
    std::vector<double> sum(needed_.size(), 0.0);
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      sum[row_at_[k]] += pairs.b[at_[k]] - b[chosen_[k]];
      b[chosen_[k]] = pairs.b[at_[k]];
    }
    for (std::size_t r = 0; r < needed_.size(); ++r)
      if (sum[r] != 0) which.push_back(needed_[r]), moves.push_back(sum[r]);
    add_rows(which, moves, scores);
  }

  // Where each chosen variable stands among the pairs: groups begin at whole vectors.
  void place_groups() {
    at_.resize(chosen_.size());
    ranges_.clear();
    index_t place = 0;
    for (std::size_t k = 0; k < chosen_.size();) {
      const int g = problem_.group[chosen_[k]];
      const index_t begin = place;
      for (; k < chosen_.size() && problem_.group[chosen_[k]] == g; ++k) at_[k] = place++;
      place = round_up(place, lanes);
      ranges_.push_back({begin, place});
    }
    places_ = place;
  }

  void rows_of_chosen() {
    needed_.clear();
    row_at_.resize(chosen_.size());
    place_of_row_.assign(rows_, -1);
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      const index_t row = chosen_[k] % rows_;
      if (place_of_row_[row] < 0) {
        place_of_row_[row] = std::int32_t(needed_.size());
        needed_.push_back(std::int32_t(row));
      }
      row_at_[k] = place_of_row_[row];
    }
    cache_.get({needed_.data(), index_t(needed_.size())}, lying_);
  }

  // Rows of the kernel matrix among the chosen.
  std::vector<const T*> matrix() {
    if (all_ && variables_ == rows_ && problem_.groups == 1) return lying_;  // that is all of it
    std::vector<const T*> rows(places_, nullptr);
    small_.resize(std::size_t(places_ * places_));
    const Blocks blocks(index_t(chosen_.size()), 16);
    parallel_if(places_ > 128, blocks.count, [&](index_t block, int) {
      for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) {
        const T* row = lying_[row_at_[k]];
        T* out = &small_[std::size_t(at_[k] * places_)];
        std::fill_n(out, places_, T(0));
        for (std::size_t l = 0; l < chosen_.size(); ++l) out[at_[l]] = row[chosen_[l] % rows_];
        rows[at_[k]] = out;
      }
    });
    return rows;
  }

  // scores += sum of moves[k] times row which[k]; both are emptied.
  void add_rows(std::vector<std::int32_t>& which, std::vector<double>& moves, View<double> scores) {
    if (which.empty()) return;
    cache_.get({which.data(), index_t(which.size())}, moving_);
    const Blocks blocks(rows_, 1024);
    parallel_if(rows_ * index_t(which.size()) > (1 << 15), blocks.count, [&](index_t block, int) {
      const index_t begin = blocks.begin(block), end = blocks.end(block);
      std::size_t k = 0;
      for (; k + 4 <= which.size(); k += 4) {
        const T *a = moving_[k], *c = moving_[k + 1], *d = moving_[k + 2], *e = moving_[k + 3];
        const double s = moves[k], t = moves[k + 1], u = moves[k + 2], v = moves[k + 3];
#pragma omp simd
        for (index_t j = begin; j < end; ++j)
          scores[j] += (s * double(a[j]) + t * double(c[j])) + (u * double(d[j]) + v * double(e[j]));
      }
      for (; k < which.size(); ++k) {
        const T* a = moving_[k];
        const double s = moves[k];
#pragma omp simd
        for (index_t j = begin; j < end; ++j) scores[j] += s * double(a[j]);
      }
    });
    which.clear();
    moves.clear();
  }

  struct Candidate {
    double value;
    std::int32_t variable;
  };

  const KernelSource& source_;
  SmoProblem problem_;
  index_t rows_, variables_, most_;
  RowCache<T> cache_;
  Buffer diagonal_;
  double tiny_, violation_ = 0;
  index_t places_ = 0;
  bool all_ = false;
  std::vector<std::int32_t> chosen_, needed_, place_of_row_;
  std::vector<index_t> at_, row_at_;
  std::vector<typename Pairs<T>::Range> ranges_;
  std::vector<const T*> lying_, moving_;
  std::vector<T> small_;
  std::vector<char> taken_;
  std::vector<Candidate> candidates_;
};

}  // namespace learnable
