// Working set selection: free variables of the previous round, and those that violate the optimality conditions most.
#pragma once

#include <numeric>

#include "learnable/kernels/smo/problem.hpp"

namespace learnable {

class WorkingSet {
 public:
  std::vector<std::int32_t> chosen;

  void all(const SmoProblem& problem) {
    chosen.resize(problem.variables());
    std::iota(chosen.begin(), chosen.end(), 0);
    by_group(problem);
  }

  void worst(const SmoProblem& problem, const Extremes& found, View<const double> b, View<const double> scores,
             const std::vector<std::int32_t>& before, index_t max_size) {
    chosen.clear();
    taken_.assign(problem.variables(), 0);
    for (const std::int32_t v : before)  // those between their bounds stay
      if (index_t(chosen.size()) < index_t(kept_fraction * double(max_size)) && problem.can_rise(b, v) &&
          problem.can_fall(b, v))
        take(v);
    for (int g = 0; g < problem.groups; ++g) {
      const index_t count = std::max<index_t>((max_size - index_t(chosen.size())) / (2 * (problem.groups - g)), 1);
      take_worst(problem, g, count, [&](index_t v) {
        const double steep = problem.steepness(scores, v);
        return problem.can_rise(b, v) && steep > found.lowest[g] ? steep : -HUGE_VAL;
      });
      take_worst(problem, g, count, [&](index_t v) {
        const double steep = problem.steepness(scores, v);
        return problem.can_fall(b, v) && steep < found.highest[g] ? -steep : -HUGE_VAL;
      });
    }
    by_group(problem);
  }

  static constexpr double kept_fraction = 0.75;  // of a working set, for free variables of the previous round

 private:
  struct Candidate {
    double value;
    std::int32_t variable;
  };

  void take(index_t v) {
    if (taken_[v]) return;
    taken_[v] = 1;
    chosen.push_back(std::int32_t(v));
  }

  // Takes up to `count` variables of a group with the largest measure, the first of equals; minus infinity is never
  // taken.
  template <class Measure>
  void take_worst(const SmoProblem& problem, int g, index_t count, Measure measure) {
    candidates_.clear();
    for (index_t v = 0; v < problem.variables(); ++v)
      if (problem.group[v] == g && !taken_[v])
        if (const double value = measure(v); value > -HUGE_VAL) candidates_.push_back({value, std::int32_t(v)});
    take_candidates(count);
  }

  // Not inlined: sorting is large, and it is the same for every measure.
  [[gnu::noinline]] void take_candidates(index_t count) {
    const index_t available = std::min<index_t>(count, index_t(candidates_.size()));
    const auto before = [](const Candidate& a, const Candidate& c) {
      return a.value != c.value ? a.value > c.value : a.variable < c.variable;
    };
    if (available == 0) return;
    std::nth_element(candidates_.begin(), candidates_.begin() + available - 1, candidates_.end(), before);
    std::sort(candidates_.begin(), candidates_.begin() + available, before);
    for (index_t k = 0; k < available; ++k) take(candidates_[k].variable);
  }

  void by_group(const SmoProblem& problem) {
    std::stable_partition(chosen.begin(), chosen.end(), [&](std::int32_t v) { return problem.group[v] == 0; });
  }

  std::vector<char> taken_;
  std::vector<Candidate> candidates_;
};

}  // namespace learnable
