// Coordinate descent on a working set: passes over its blocks, each set to its best value given the others, and now and
// then a jump to where the passes are heading. [Friedman, Hastie and Tibshirani, 2010]
#pragma once

#include <numeric>

#include "learnable/linear/lasso/newton_step.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable::coordinate {

// Weights of the last iterates, summing to one, whose mixture of steps is smallest. False if there are none.
inline bool mixture(const std::vector<Numbers>& past, double* share) {
  double M[memory][memory], trace = 0;
  for (int a = 0; a < memory; ++a)
    for (int b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < past[0].size(); ++i)
        sum += (past[a + 1][i] - past[a][i]) * (past[b + 1][i] - past[b][i]);
      M[a][b] = M[b][a] = sum;
      if (a == b) trace += sum;
    }
  for (int a = 0; a < memory; ++a) M[a][a] += 1e-10 * trace, share[a] = 1;
  for (int a = 0; a < memory; ++a)
    for (int b = 0; b < a; ++b) {
      const double factor = M[a][b] / M[b][b];
      for (int c = b; c < memory; ++c) M[a][c] -= factor * M[b][c];
      share[a] -= factor * share[b];
    }
  double total = 0;
  for (int a = memory - 1; a >= 0; --a) {
    for (int b = a + 1; b < memory; ++b) share[a] -= M[a][b] * share[b];
    total += share[a] /= M[a][a];
  }
  for (int a = 0; a < memory; ++a) share[a] /= total;
  return std::isfinite(total) && total != 0;
}

// A jump to the mixture of the last iterates that moves least, if that is better. [Bertrand and Massias, 2021]
inline void jump(Model& model, const Prox& prox, Subproblem& sub, const std::vector<Numbers>& past) {
  double share[memory];
  if (!mixture(past, share)) return;
  Numbers goal(sub.w.size()), change(sub.w.size());
  for (int a = 0; a < memory; ++a) add_multiple<double>(share[a], past[a + 1].data(), index_t(goal.size()), goal.data());
  const double before = objective(model, prox, sub, sub.w);
  for (std::size_t i = 0; i < goal.size(); ++i) change[i] = goal[i] - sub.start[i];
  model.mix(share, change);
  const bool allowed = std::all_of(goal.begin(), goal.end(), [&](double w) { return prox.allows(w); });
  if (allowed && objective(model, prox, sub, goal) < before) {
    sub.w = goal;
  } else {
    const double last[memory] = {0, 0, 0, 0, 1};
    for (std::size_t i = 0; i < goal.size(); ++i) change[i] = sub.w[i] - sub.start[i];
    model.mix(last, change);
  }
}

// Passes until the bound of `pass` is at most `tolerance`, or `limit` passes are done. Returns how many were done.
// Where a look at a block costs as much as a move, passes leave out blocks at zero until the others are settled. Where
// products of columns are at hand, Newton's step takes the place of jumps, as often as it pays; on sets that are small
// beside the passes done a last one makes the answer exact.
inline index_t descend(Model& model, const Prox& prox, Subproblem& sub, double tolerance, index_t limit) {
  GramModel* const products = model.products();
  const bool exact = products && prox.single();
  Numbers scratch(3 * prox.width());
  std::vector<Numbers> past(exact ? 0 : memory + 1);
  index_t age = 0;
  bool all = true;
  for (index_t done = 1; done <= limit; ++done, look_up()) {
    const double bound = prox.single() ? model.pass_of_one(prox.absolute(), sub, all, scratch.data())
                                       : pass(model, prox.group(), sub, all, scratch.data());
    const bool settled = bound <= tolerance, good = settled && all;
    all = settled || done % 5 == 0 || products;
    if (exact) {
      const bool worth = ++age > std::max<index_t>(memory, index_t(sub.set.size()) / 16);
      const bool last = good && index_t(sub.set.size()) <= 8 * (done + 8);
      if (worth || last) newton_step(*products, prox, sub), age = 0;
    } else {
      past[age] = sub.w;
      if (age > 0) model.keep(int(age) - 1);
      if (age++ == memory) jump(model, prox, sub, past), age = 0;
    }
    if (good) return done;
  }
  return limit;
}

}  // namespace learnable::coordinate
