// Solver of the dual of kernel machines, in rounds.
//
// A round selects the variables that violate the optimality conditions most, together with the free ones of the
// previous round, solves the problem for them by pairs, and updates the gradients of all others with the rows of K that
// moved.
#pragma once

#include "learnable/kernels/smo/pair_steps.hpp"
#include "learnable/kernels/smo/row_cache.hpp"
#include "learnable/kernels/smo/working_set.hpp"

namespace learnable {

// Results of rounds: pair steps, rows of K that moved, the remaining violation, the change of the objective.
struct SmoRound {
  index_t steps = 0, rounds = 0, rows = 0;
  double violation = 0, change = 0;
  bool unbounded = false, stuck = false;
};

// Kernel values are kept as floats where `f32`, else as doubles.
class Smo {
 public:
  Smo(const KernelSource& source, SmoProblem problem, bool f32, index_t cache_bytes,
      RowCache::Memory memory = nullptr)
      : source_(source), problem_(problem), f32_(f32), rows_(source.size()),
        cache_(source, f32, cache_bytes, few() ? rows_ : 16, std::move(memory)), diagonal_(rows_) {
    double largest = 0;
    for (index_t i = 0; i < rows_; ++i) {
      diagonal_[i] = source.diagonal(i);
      largest = std::max(largest, std::abs(diagonal_[i]));
    }
    tiny_ = largest > 0 && std::isfinite(largest) ? 2 * rounding * largest : 1e-300;
  }

  // scores = K b from nothing.
  void score(View<const double> b, View<double> scores) {
    std::fill(scores.begin(), scores.end(), 0.0);
    std::vector<std::int32_t> which;
    std::vector<double> moves;
    for (index_t i = 0; i < rows_; ++i) {
      double sum = 0;
      for (index_t v = i; v < problem_.variables(); v += rows_) sum += b[v];
      if (sum != 0) which.push_back(std::int32_t(i)), moves.push_back(sum);
    }
    add_rows(which, moves, scores);
  }

  // Up to `rounds` rounds and `limit` steps from b and its scores K b, until no violation is above `tolerance`.
  // `before` holds the variables of the last round.
  SmoRound improve(View<double> b, View<double> scores, std::vector<std::int32_t>& before, double tolerance,
                   index_t rounds, index_t limit) {
    SmoRound done;
    for (;;) {
      extremes_ = problem_.extremes(b, scores);
      done.violation = extremes_.violation;
      if (!(done.violation > tolerance) || done.rounds >= rounds || done.steps >= limit || done.unbounded || done.stuck)
        return done;
      choose(b, scores, before);
      const index_t soon = before.empty() && !few() ? problem_.variables() : limit;
      solve(b, scores, tolerance, std::min(soon, limit - done.steps), done);
      before = working_set_.chosen;
      ++done.rounds;
    }
  }

  const Extremes& extremes() const { return extremes_; }
  RowCache& cache() { return cache_; }
  const RowCache& cache() const { return cache_; }

 private:
  static constexpr index_t min_chosen = 768, max_chosen = 2304;
  static constexpr double rounding = 0.5e-12;  // relative error of kernel values, below which a curvature is zero
  static constexpr double thoroughness = 0.02;  // a round ends at this fraction of the violation that it started with

  bool few() const { return problem_.variables() <= 1024; }

  // Whether kernel values among the chosen are computed rather than read from their rows.
  bool computes() const { return source_.is_fast() && !source_.stored(0, f32_); }

  // Whether a round takes all variables: there are few of them; or the matrix is in memory and convergence may be near,
  // or too many are between their bounds.
  bool takes_all(bool first) const {
    if (few() || problem_.variables() > 4096 || !source_.stored(0, f32_)) return few();
    return first || double(extremes_.free) > WorkingSet::kept_fraction * double(min_chosen);
  }

  void choose(View<double> b, View<double> scores, const std::vector<std::int32_t>& before) {
    all_ = takes_all(before.empty());
    if (all_) return working_set_.all(problem_);
    index_t max_rows = min_chosen;
    if (computes())  // enough for the free ones, and half as many more
      max_rows = std::clamp<index_t>(extremes_.free * 3 / 2, min_chosen, max_chosen);
    else
      max_rows = std::min(max_rows, cache_.room());
    working_set_.worst(problem_, extremes_, b, scores, before, std::min(max_rows, problem_.variables()));
  }

  void solve(View<double> b, View<double> scores, double tolerance, index_t limit, SmoRound& done) {
    const auto& chosen = working_set_.chosen;
    lay_out_groups();
    rows_of_chosen();
    Pairs pairs(slots_);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const index_t v = chosen[k], at = at_[k], row = problem_.row(v);
      pairs.b[at] = b[v], pairs.low[at] = problem_.low[v], pairs.high[at] = problem_.high[v];
      pairs.gradient[at] = scores[row] + problem_.q[v], pairs.diagonal[at] = diagonal_[row];
    }
    const double enough = all_ ? tolerance : std::max(0.5 * tolerance, thoroughness * extremes_.violation);
    const auto K = matrix();
    const auto found = f32_ ? pairs.solve<float>(K, ranges_, enough, limit, tiny_, rounding)
                               : pairs.solve<double>(K, ranges_, enough, limit, tiny_, rounding);
    done.steps += found.steps;
    done.unbounded = found.unbounded;
    done.stuck = found.stuck && found.steps == 0;
    follow(pairs, b, scores, done);
  }

  // Updates b and the scores by the moves of the pairs.
  void follow(const Pairs& pairs, View<double> b, View<double> scores, SmoRound& done) {
    const auto& chosen = working_set_.chosen;
    std::vector<double> sum(needed_.size(), 0.0), moves(chosen.size());
    double change = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      moves[k] = pairs.b[at_[k]] - b[chosen[k]];
      sum[row_at_[k]] += moves[k];
      change += moves[k] * pairs.gradient[at_[k]];
      b[chosen[k]] = pairs.b[at_[k]];
    }
    std::vector<std::int32_t> which;
    std::vector<double> steps;
    for (std::size_t r = 0; r < needed_.size(); ++r)
      if (sum[r] != 0) which.push_back(needed_[r]), steps.push_back(sum[r]);
    add_rows(which, steps, scores);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      change += moves[k] * (scores[problem_.row(chosen[k])] + problem_.q[chosen[k]]);
    done.change += change / 2;
    done.rows += index_t(which.size());
  }

  // The slot of each chosen variable among the pairs: groups start at whole vectors.
  void lay_out_groups() {
    const auto& chosen = working_set_.chosen;
    at_.resize(chosen.size());
    ranges_.clear();
    index_t slot = 0;
    for (std::size_t k = 0; k < chosen.size();) {
      const int g = problem_.group[chosen[k]];
      const index_t begin = slot;
      for (; k < chosen.size() && problem_.group[chosen[k]] == g; ++k) at_[k] = slot++;
      slot = round_up(slot, lanes);
      ranges_.push_back({begin, slot});
    }
    slots_ = slot;
  }

  void rows_of_chosen() {
    const auto& chosen = working_set_.chosen;
    needed_.clear();
    row_at_.resize(chosen.size());
    index_of_row_.assign(rows_, -1);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const index_t row = problem_.row(chosen[k]);
      if (index_of_row_[row] < 0) {
        index_of_row_[row] = std::int32_t(needed_.size());
        needed_.push_back(std::int32_t(row));
      }
      row_at_[k] = index_of_row_[row];
    }
  }

  // Rows of the kernel matrix among the chosen.
  std::vector<const void*> matrix() {
    if (!all_ && computes()) return computed();
    cache_.get({needed_.data(), index_t(needed_.size())}, stored_);
    if (all_ && problem_.variables() == rows_ && problem_.groups == 1) return stored_;  // the whole matrix
    return f32_ ? looked_up<float>() : looked_up<double>();
  }

  std::vector<const void*> computed() {
    std::vector<std::int32_t> row(slots_, needed_[0]), index(slots_);  // padding may hold any row
    for (std::size_t k = 0; k < at_.size(); ++k) row[at_[k]] = needed_[row_at_[k]];
    std::iota(index.begin(), index.end(), 0);
    const auto among = source_.part({row.data(), slots_});
    const index_t stride = KernelSource::stride(slots_) * KernelSource::bytes(f32_);
    small_.resize(std::size_t(slots_ * stride));
    std::vector<void*> rows(slots_);
    for (index_t k = 0; k < slots_; ++k) rows[k] = &small_[std::size_t(k * stride)];
    among->fill({index.data(), slots_}, f32_, rows.data());
    return {rows.begin(), rows.end()};
  }

  template <class T>
  std::vector<const void*> looked_up() {
    const auto& chosen = working_set_.chosen;
    std::vector<const void*> rows(slots_, nullptr);
    small_.resize(std::size_t(slots_ * slots_) * sizeof(T));
    T* small = reinterpret_cast<T*>(small_.data());
    const Blocks blocks(index_t(chosen.size()), 16);
    parallel_if(slots_ > 128, blocks.count, [&](index_t block, int) {
      for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) {
        const T* row = static_cast<const T*>(stored_[row_at_[k]]);
        T* out = small + at_[k] * slots_;
        std::fill_n(out, slots_, T(0));
        for (std::size_t l = 0; l < chosen.size(); ++l) out[at_[l]] = row[needed_[row_at_[l]]];
        rows[at_[k]] = out;
      }
    });
    return rows;
  }

  // scores += sum of moves[k] times row which[k], as many rows at once as the cache holds.
  void add_rows(const std::vector<std::int32_t>& which, const std::vector<double>& moves, View<double> scores) {
    const index_t count = index_t(which.size()), max_rows = std::clamp<index_t>(cache_.room() / 4 * 4, 4, 768);
    for (index_t k = 0; k < count; k += max_rows) {
      const index_t some = std::min(max_rows, count - k);
      cache_.get({which.data() + k, some}, moving_);
      f32_ ? add_to<float>(moves.data() + k, scores) : add_to<double>(moves.data() + k, scores);
    }
  }

  template <class T>
  void add_to(const double* moves, View<double> scores) const {
    const std::size_t count = moving_.size();
    const Blocks blocks(rows_, 1024);
    parallel_if(rows_ * index_t(count) > (1 << 15), blocks.count, [&](index_t block, int) {
      const index_t begin = blocks.begin(block), end = blocks.end(block);
      std::size_t k = 0;
      for (; k + 4 <= count; k += 4) {
        const T *a = moving<T>(k), *c = moving<T>(k + 1), *d = moving<T>(k + 2), *e = moving<T>(k + 3);
        const double s = moves[k], t = moves[k + 1], u = moves[k + 2], v = moves[k + 3];
#pragma omp simd
        for (index_t j = begin; j < end; ++j)
          scores[j] += (s * double(a[j]) + t * double(c[j])) + (u * double(d[j]) + v * double(e[j]));
      }
      for (; k < count; ++k) {
        const T* a = moving<T>(k);
        const double s = moves[k];
#pragma omp simd
        for (index_t j = begin; j < end; ++j) scores[j] += s * double(a[j]);
      }
    });
  }

  template <class T>
  const T* moving(std::size_t k) const { return static_cast<const T*>(moving_[k]); }

  const KernelSource& source_;
  SmoProblem problem_;
  bool f32_;
  index_t rows_;
  RowCache cache_;
  Buffer diagonal_;
  double tiny_;
  WorkingSet working_set_;
  Extremes extremes_;
  index_t slots_ = 0;
  bool all_ = false;
  std::vector<std::int32_t> needed_, index_of_row_;
  std::vector<index_t> at_, row_at_;
  std::vector<Pairs::Range> ranges_;
  std::vector<const void*> stored_, moving_;
  std::vector<std::byte> small_;
};

}  // namespace learnable
