// Shrinking: rounds without the variables that are expected to stay at their bounds. They are inactive until the others
// have converged; then the scores of all rows are recomputed, and violating variables become active again.
// [Joachims, 1999]
#pragma once

#include <memory>

#include "learnable/kernels/smo/solver.hpp"

namespace learnable {

// The inactive rows: for each row 0, or the number of the time at which it became inactive; the variables b of those
// times; and the number of rows that moved since all rows were active.
struct Rest {
  static constexpr index_t times = 4;
  View<std::uint8_t> since;
  Grid<double> b;
  index_t* moved;

  index_t last() const { return since.size ? *std::max_element(since.begin(), since.end()) : 0; }
};

class ShrinkingSmo {
 public:
  ShrinkingSmo(const KernelSource& source, SmoProblem problem, bool f32, index_t cache_bytes, bool shrinks)
      : source_(source), problem_(problem), f32_(f32), bytes_(cache_bytes),
        whole_(source, problem, f32, cache_bytes),
        shrinks_(shrinks && problem.rows >= many_rows && problem.bounded() && source.parts()) {}

  void score(View<const double> b, View<double> scores) { whole_.score(b, scores); }
  const SmoProblem& problem() const { return problem_; }

  // As Smo::improve. Scores of inactive rows are those from when they became inactive; the violation is that of the
  // active rows, and that of all rows when all are active.
  SmoRound improve(View<double> b, View<double> scores, Rest rest, std::vector<std::int32_t>& before, double tolerance,
                   index_t rounds, index_t limit) {
    SmoRound done;
    for (;;) {
      const bool partly = rest.last() > 0;
      const index_t left = std::min<index_t>(1, rounds - done.rounds);
      const SmoRound one = partly ? some_improve(b, scores, rest, before, tolerance, left, limit - done.steps)
                                  : whole_.improve(b, scores, before, tolerance, left, limit - done.steps);
      done.steps += one.steps, done.rounds += one.rounds, done.change += one.change, done.rows += one.rows;
      *rest.moved += one.rows;
      done.violation = one.violation, done.unbounded = one.unbounded, done.stuck = one.stuck;
      if (partly && (!(one.violation > tolerance) || one.stuck)) {
        done.violation = wake(b, scores, rest);
        done.stuck = false;
        if (!(done.violation > tolerance)) return done;
        continue;
      }
      if (!(one.violation > tolerance) || one.unbounded || one.stuck) return done;
      if (shrinks_ && worn_out(b, *rest.moved))
        settle(b, scores, rest, partly ? part_->solver->extremes() : whole_.extremes());
      if (done.rounds >= rounds || done.steps >= limit) return done;
    }
  }

  // Updates the scores of inactive rows and activates them; returns the violation of all rows.
  double wake(View<double> b, View<double> scores, Rest rest) {
    for (index_t time = rest.last(); time > 0; --time) {
      const View<const double> then{&rest.b(time - 1, 0), problem_.variables()};
      std::vector<std::int32_t> rows;
      for (index_t i = 0; i < problem_.rows; ++i)
        if (rest.since[i] == time || has_moved(i, b, then)) rows.push_back(std::int32_t(i));
      const Part part = made(std::move(rows));
      for (index_t v = 0; v < part.b.size(); ++v) {
        const index_t there = part.variable(problem_, v);
        part.b[v] = b[there] - then[there];
      }
      part.solver->score(part.b, part.scores);
      for (index_t i = 0; i < part.size(); ++i)
        if (rest.since[part.rows[i]] == time) scores[part.rows[i]] += part.scores[i];
      computed_ += part.solver->cache().computed();
    }
    std::fill(rest.since.begin(), rest.since.end(), std::uint8_t(0));
    *rest.moved = 0;
    return problem_.extremes(b, scores).violation;
  }

  index_t computed() const {
    return computed_ + whole_.cache().computed() + (part_ ? part_->solver->cache().computed() : 0);
  }

 private:
  static constexpr index_t many_rows = 2048;
  // fraction of the active rows that must have settled before they become inactive
  static constexpr double worthwhile = 0.5;
  static constexpr index_t patience = 8, patience_uncached = 3;

  // The problem of some rows, the others fixed.
  struct Part {
    std::vector<std::int32_t> rows;
    std::unique_ptr<KernelSource> source;
    Buffer low, high, q, b, scores;
    std::vector<std::int8_t> group;
    SmoProblem problem;
    std::unique_ptr<Smo> solver;

    index_t size() const { return index_t(rows.size()); }
    index_t variable(const SmoProblem& whole, index_t v) const { return rows[v % size()] + v / size() * whole.rows; }

    void pick(const SmoProblem& whole, View<const double> all, View<const double> all_scores) const {
      for (index_t v = 0; v < b.size(); ++v) b[v] = all[variable(whole, v)];
      for (index_t i = 0; i < size(); ++i) scores[i] = all_scores[rows[i]];
    }
    void put(const SmoProblem& whole, View<double> all, View<double> all_scores) const {
      for (index_t v = 0; v < b.size(); ++v) all[variable(whole, v)] = b[v];
      for (index_t i = 0; i < size(); ++i) all_scores[rows[i]] = scores[i];
    }
  };

  bool has_moved(index_t row, View<const double> b, View<const double> then) const {
    for (index_t v = row; v < problem_.variables(); v += problem_.rows)
      if (b[v] != then[v]) return true;
    return false;
  }

  bool is_used(index_t row, View<const double> b) const {
    for (index_t v = row; v < problem_.variables(); v += problem_.rows)
      if (b[v] != 0) return true;
    return false;
  }

  // Creates the problem of some rows, in the memory of earlier problems.
  Part made(std::vector<std::int32_t> rows) {
    if (part_) computed_ += part_->solver->cache().computed();
    part_.reset();
    whole_.cache().forget();
    Part part;
    part.rows = std::move(rows);
    const index_t count = part.size() * (problem_.variables() / problem_.rows);
    part.source = source_.part({part.rows.data(), part.size()});
    for (Buffer* values : {&part.low, &part.high, &part.q, &part.b}) *values = Buffer(count);
    part.scores = Buffer(part.size());
    part.group.resize(count);
    for (index_t v = 0; v < count; ++v) {
      const index_t there = part.variable(problem_, v);
      part.low[v] = problem_.low[there], part.high[v] = problem_.high[there];
      part.q[v] = problem_.q[there], part.group[v] = problem_.group[there];
    }
    part.problem = {part.low, part.high, part.q, {part.group.data(), count}, problem_.groups, part.size()};
    part.solver = std::make_unique<Smo>(*part.source, part.problem, f32_, bytes_, whole_.cache().memory());
    return part;
  }

  // A round of the active rows.
  SmoRound some_improve(View<double> b, View<double> scores, Rest rest, std::vector<std::int32_t>& before,
                        double tolerance, index_t rounds, index_t limit) {
    ensure_part(rest);
    const Part& part = *part_;
    std::vector<std::int32_t> mine;
    for (const std::int32_t v : before)
      if (const index_t row = problem_.row(v); !rest.since[row])
        mine.push_back(std::int32_t(index_of_row_[row] + v / problem_.rows * part.size()));
    part.pick(problem_, b, scores);
    const SmoRound done = part.solver->improve(part.b, part.scores, mine, tolerance, rounds, limit);
    part.put(problem_, b, scores);
    before.clear();
    for (const std::int32_t v : mine) before.push_back(std::int32_t(part.variable(problem_, v)));
    return done;
  }

  void ensure_part(Rest rest) {
    std::vector<std::int32_t> rows;
    for (index_t i = 0; i < problem_.rows; ++i)
      if (!rest.since[i]) rows.push_back(std::int32_t(i));
    if (part_ && part_->rows == rows) return;
    part_ = std::make_unique<Part>(made(std::move(rows)));
    index_of_row_.assign(problem_.rows, -1);
    for (index_t i = 0; i < part_->size(); ++i) index_of_row_[part_->rows[i]] = std::int32_t(i);
  }

  // Whether updates of all rows have cost about as much as activating the inactive rows again; from then on shrinking
  // pays, however many rounds follow.
  bool worn_out(View<const double> b, index_t moved) const {
    index_t used = 0;
    for (index_t i = 0; i < problem_.rows; ++i) used += is_used(i, b);
    return moved > used * (used <= whole_.cache().room() ? patience : patience_uncached);
  }

  // Makes settled rows inactive if they are many.
  void settle(View<const double> b, View<const double> scores, Rest rest, const Extremes& found) const {
    std::vector<std::int32_t> settled;
    index_t at_work = 0;
    for (index_t i = 0; i < problem_.rows; ++i) {
      if (rest.since[i]) continue;
      ++at_work;
      bool all = true;
      for (index_t v = i; v < problem_.variables(); v += problem_.rows)
        all = all && problem_.settled(b, scores, found, v);
      if (all) settled.push_back(std::int32_t(i));
    }
    const index_t time = rest.last() + 1;
    if (at_work < many_rows || time > Rest::times || double(settled.size()) < worthwhile * double(at_work)) return;
    for (const std::int32_t i : settled) rest.since[i] = std::uint8_t(time);
    std::copy(b.begin(), b.end(), &rest.b(time - 1, 0));
  }

  const KernelSource& source_;
  SmoProblem problem_;
  bool f32_;
  index_t bytes_;
  Smo whole_;
  bool shrinks_;
  std::unique_ptr<Part> part_;
  std::vector<std::int32_t> index_of_row_;
  index_t computed_ = 0;
};

}  // namespace learnable
