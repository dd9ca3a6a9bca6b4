// Paths: a falling sequence of strengths for one problem, or for several that share X (the folds of a cross-validation).
//
// Each problem is solved for a few strengths ahead on one working set; one reading of X then serves all problems and all
// these strengths. A strength counts as done when its own duality gap, over all columns, is small enough; the first that
// is not is taken up again from where it stands. Problems work side by side.
#pragma once

#include <functional>

#include "learnable/linear/lasso/solver.hpp"

namespace learnable::coordinate {

class Trail {
 public:
  // Told of each strength that is done: problem, place, look, gap, passes.
  using Report = std::function<void(index_t, index_t, const Look&, const Gap&, index_t)>;

  static constexpr index_t furthest = 8;  // strengths ahead
  static constexpr index_t easy = 40;     // passes after which a working set is no longer called easy

  Trail(std::vector<Solver*> problems, const Numbers& l1, const Numbers& l2, const Effort& effort)
      : effort_(effort) {
    for (Solver* problem : problems) {
      if (!problem->known() && problem->products_pay(index_t(l1.size()))) problem->know_products();
      walkers_.push_back({problem, {}, {}});
      for (std::size_t k = 0; k < l1.size(); ++k) walkers_.back().strengths.push_back(problem->penalty(l1[k], l2[k]));
    }
  }

  // Starts problem `f` from the coefficients w.
  void start(index_t f, Numbers w) { walkers_[f].here = walkers_[f].solver->look_at(w); }

  // Goes on by a few strengths; false when there are none left.
  bool advance(const Report& report) {
    std::vector<Walker*> going;
    for (Walker& walker : walkers_) {
      skip(walker, report);
      if (walker.place < index_t(walker.strengths.size())) going.push_back(&walker);
    }
    std::vector<Step> steps(going.size());
    // Hard problems can take long, and use the threads themselves.
    for (std::size_t f = 0; f < going.size(); ++f)
      if (going[f]->care != Care::little) steps[f] = step(*going[f]);
    parallel_for(index_t(going.size()), [&](index_t f, int) {
      if (going[f]->care == Care::little) steps[f] = step(*going[f]);
    });
    std::vector<Request> requests;
    for (std::size_t f = 0; f < going.size(); ++f)
      for (Look& look : steps[f].looks)
        if (!going[f]->solver->known()) requests.push_back({&going[f]->solver->columns(), &going[f]->solver->target(), &look});
    take_looks(requests);
    for (std::size_t f = 0; f < going.size(); ++f) settle(*going[f], steps[f], report);
    return !going.empty();
  }

 private:
  struct Walker {
    Solver* solver;
    std::vector<Penalty> strengths;
    Look here;          // where the last strength ended, or where the next one stands
    index_t place = 0;  // the next strength
    index_t ahead = 1;  // strengths to try together
    index_t passes = 0;  // spent on the next strength
    double gap = HUGE_VAL;  // at the last try of it, and the size of its working set
    index_t size = 0;
    Care care = Care::little;
  };
  struct Step {
    std::vector<Look> looks;
    Indices passes;
    index_t size = 0;  // of the working set
  };

  bool good(const Gap& gap) const { return gap.value <= std::max(effort_.tolerance, gap.noise); }
  index_t index(const Walker& walker) const { return &walker - walkers_.data(); }

  // Strengths for which the solution of the one before is good enough.
  void skip(Walker& walker, const Report& report) {
    while (walker.place < index_t(walker.strengths.size())) {
      const Gap gap = walker.solver->measure(walker.here, walker.strengths[walker.place]);
      if (!good(gap)) return;
      done(walker, gap, report);
    }
  }

  Step step(Walker& walker) const {
    const index_t count = std::min(walker.ahead, index_t(walker.strengths.size()) - walker.place);
    const auto first = walker.strengths.begin() + walker.place;
    Effort effort = effort_;
    effort.care = walker.care;
    effort.limit = std::max<index_t>(1, effort.limit - walker.passes);
    if (walker.care == Care::little) effort.limit = std::min(effort.limit, easy);
    if (effort.seed != 0) effort.seed += walker.place;
    auto found = walker.solver->propose(walker.here, {first, first + count}, effort);
    Step step{std::vector<Look>(count), found.passes, found.size};
    for (index_t k = 0; k < count; ++k) {
      step.looks[k].w = std::move(found.w[k]);
      if (walker.solver->known()) walker.solver->see(step.looks[k]);
    }
    return step;
  }

  void settle(Walker& walker, Step& step, const Report& report) {
    for (std::size_t k = 0; k < step.looks.size(); ++k) {
      const Gap gap = walker.solver->measure(step.looks[k], walker.strengths[walker.place]);
      walker.here = std::move(step.looks[k]);
      walker.passes += step.passes[k];
      if (good(gap) || walker.passes >= effort_.limit) {
        done(walker, gap, report);
        continue;
      }
      if (step.size <= walker.size) {
        if (gap.value > walker.gap / 2) walker.care = Care::most;
        else if (step.passes[k] >= easy) walker.care = std::max(walker.care, Care::more);
      }
      walker.gap = gap.value, walker.size = step.size;
      walker.ahead = std::max<index_t>(1, index_t(k));
      return;
    }
    walker.ahead = std::min({furthest, 2 * walker.ahead, worthwhile(walker, step)});
  }

  // Looking further ahead saves looks and costs passes over a larger set: it pays while looks cost more.
  index_t worthwhile(const Walker& walker, const Step& step) const {
    index_t visits = 1;
    for (const index_t passes : step.passes) visits += passes * step.size;
    return std::max<index_t>(1, 4 * walker.solver->columns().count * index_t(step.passes.size()) / visits);
  }

  void done(Walker& walker, const Gap& gap, const Report& report) {
    report(index(walker), walker.place, walker.here, gap, walker.passes);
    ++walker.place;
    walker.passes = 0;
    walker.gap = HUGE_VAL, walker.size = 0;
    walker.care = Care::little;
  }

  Effort effort_;
  std::vector<Walker> walkers_;
};

}  // namespace learnable::coordinate
