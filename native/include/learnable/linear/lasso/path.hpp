// Regularisation paths: decreasing penalties for one problem, or for several that share X (folds of a
// cross-validation).
//
// Each problem is solved for a few penalties ahead on one working set; one pass over X then evaluates all problems and
// all these penalties. A penalty is done when its own duality gap, over all columns, is small enough; the first that is
// not is continued from its current solution. Problems are solved in parallel.
#pragma once

#include <functional>

#include "learnable/linear/lasso/solver.hpp"

namespace learnable::coordinate {

class PathSolver {
 public:
  // Called for each penalty that is done: problem, index, state, gap, passes.
  using Report = std::function<void(index_t, index_t, const ResidualState&, const Gap&, index_t)>;

  static constexpr index_t max_ahead = 8;  // penalties ahead
  static constexpr index_t easy_passes = 40;     // passes after which a problem is no longer easy

  PathSolver(std::vector<Solver*> problems, const Numbers& l1, const Numbers& l2, const Options& options)
      : options_(options) {
    for (Solver* problem : problems) {
      if (!problem->has_products() && problem->products_pay(index_t(l1.size()))) problem->compute_products();
      progress_.push_back({problem, {}, {}});
      for (std::size_t k = 0; k < l1.size(); ++k) progress_.back().penalties.push_back(problem->penalty(l1[k], l2[k]));
    }
  }

  // Starts problem `f` from the coefficients w.
  void start(index_t f, Numbers w) { progress_[f].here = progress_[f].solver->evaluate_at(w); }

  // Solves a few more penalties; false when none is left.
  bool advance(const Report& report) {
    std::vector<Progress*> active;
    for (Progress& progress : progress_) {
      skip_solved(progress, report);
      if (progress.next < index_t(progress.penalties.size())) active.push_back(&progress);
    }
    std::vector<Step> steps(active.size());
    // Hard problems may take long, and use the threads themselves.
    for (std::size_t f = 0; f < active.size(); ++f)
      if (active[f]->precision != Precision::f32) steps[f] = step(*active[f]);
    parallel_for(index_t(active.size()), [&](index_t f, int) {
      if (active[f]->precision == Precision::f32) steps[f] = step(*active[f]);
    });
    std::vector<Request> requests;
    for (std::size_t f = 0; f < active.size(); ++f)
      for (ResidualState& state : steps[f].states)
        if (!active[f]->solver->has_products()) requests.push_back({&active[f]->solver->columns(),
                                                                    &active[f]->solver->target(), &state});
    compute_states(requests);
    for (std::size_t f = 0; f < active.size(); ++f) settle(*active[f], steps[f], report);
    return !active.empty();
  }

 private:
  struct Progress {
    Solver* solver;
    std::vector<Penalty> penalties;
    ResidualState here;          // solution of the last penalty, or current one of the next
    index_t next = 0;  // the next penalty
    index_t ahead = 1;  // penalties to solve together
    index_t passes = 0;  // spent on the next penalty
    double gap = HUGE_VAL;  // at the last attempt, and the size of its working set
    index_t size = 0;
    Precision precision = Precision::f32;
  };
  struct Step {
    std::vector<ResidualState> states;
    Indices passes;
    index_t size = 0;  // of the working set
  };

  bool good(const Gap& gap) const { return gap.value <= std::max(options_.tolerance, gap.noise); }
  index_t index_of(const Progress& progress) const { return &progress - progress_.data(); }

  // Skips penalties for which the previous solution is good enough.
  void skip_solved(Progress& progress, const Report& report) {
    while (progress.next < index_t(progress.penalties.size())) {
      const Gap gap = progress.solver->measure(progress.here, progress.penalties[progress.next]);
      if (!good(gap)) return;
      done(progress, gap, report);
    }
  }

  Step step(Progress& progress) const {
    const index_t count = std::min(progress.ahead, index_t(progress.penalties.size()) - progress.next);
    const auto first = progress.penalties.begin() + progress.next;
    Options options = options_;
    options.precision = progress.precision;
    options.limit = std::max<index_t>(1, options.limit - progress.passes);
    if (progress.precision == Precision::f32) options.limit = std::min(options.limit, easy_passes);
    if (options.seed != 0) options.seed += progress.next;
    auto found = progress.solver->propose(progress.here, {first, first + count}, options);
    Step step{std::vector<ResidualState>(count), found.passes, found.size};
    for (index_t k = 0; k < count; ++k) {
      step.states[k].w = std::move(found.w[k]);
      if (progress.solver->has_products()) progress.solver->evaluate(step.states[k]);
    }
    return step;
  }

  void settle(Progress& progress, Step& step, const Report& report) {
    for (std::size_t k = 0; k < step.states.size(); ++k) {
      const Gap gap = progress.solver->measure(step.states[k], progress.penalties[progress.next]);
      progress.here = std::move(step.states[k]);
      progress.passes += step.passes[k];
      if (good(gap) || progress.passes >= options_.limit) {
        done(progress, gap, report);
        continue;
      }
      if (step.size <= progress.size) {
        if (gap.value > progress.gap / 2) progress.precision = Precision::f64;
        else if (step.passes[k] >= easy_passes) progress.precision = std::max(progress.precision, Precision::gram);
      }
      progress.gap = gap.value, progress.size = step.size;
      progress.ahead = std::max<index_t>(1, index_t(k));
      return;
    }
    progress.ahead = std::min({max_ahead, 2 * progress.ahead, ahead_that_pays(progress, step)});
  }

  // Solving further ahead saves evaluations and costs passes over a larger set: it pays while evaluations cost more.
  index_t ahead_that_pays(const Progress& progress, const Step& step) const {
    index_t visits = 1;
    for (const index_t passes : step.passes) visits += passes * step.size;
    return std::max<index_t>(1, 4 * progress.solver->columns().count * index_t(step.passes.size()) / visits);
  }

  void done(Progress& progress, const Gap& gap, const Report& report) {
    report(index_of(progress), progress.next, progress.here, gap, progress.passes);
    ++progress.next;
    progress.passes = 0;
    progress.gap = HUGE_VAL, progress.size = 0;
    progress.precision = Precision::f32;
  }

  Options options_;
  std::vector<Progress> progress_;
};

}  // namespace learnable::coordinate
