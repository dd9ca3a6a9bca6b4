// Coordinate descent on a working set: passes over its blocks, each minimised given the others, with occasional
// extrapolation. [Friedman, Hastie and Tibshirani, 2010]
#pragma once

#include <numeric>

#include "learnable/linear/lasso/newton_step.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable::coordinate {

// Anderson acceleration: weights of the last iterates, of sum one, for which the combined step is smallest. False if
// there are none.
inline bool anderson_weights(const std::vector<Numbers>& past, double* weight) {
  double M[memory][memory], trace = 0;
  for (int a = 0; a < memory; ++a)
    for (int b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < past[0].size(); ++i)
        sum += (past[a + 1][i] - past[a][i]) * (past[b + 1][i] - past[b][i]);
      M[a][b] = M[b][a] = sum;
      if (a == b) trace += sum;
    }
  for (int a = 0; a < memory; ++a) M[a][a] += 1e-10 * trace, weight[a] = 1;
  for (int a = 0; a < memory; ++a)
    for (int b = 0; b < a; ++b) {
      const double factor = M[a][b] / M[b][b];
      for (int c = b; c < memory; ++c) M[a][c] -= factor * M[b][c];
      weight[a] -= factor * weight[b];
    }
  double total = 0;
  for (int a = memory - 1; a >= 0; --a) {
    for (int b = a + 1; b < memory; ++b) weight[a] -= M[a][b] * weight[b];
    total += weight[a] /= M[a][a];
  }
  for (int a = 0; a < memory; ++a) weight[a] /= total;
  return std::isfinite(total) && total != 0;
}

// Replaces w by the extrapolated combination of the last iterates if the objective is lower. [Bertrand and Massias,
// 2021]
inline void extrapolate(Model& model, const Prox& prox, Subproblem& sub, const std::vector<Numbers>& past) {
  double weight[memory];
  if (!anderson_weights(past, weight)) return;
  Numbers goal(sub.w.size()), change(sub.w.size());
  for (int a = 0; a < memory; ++a) add_multiple<double>(weight[a], past[a + 1].data(), index_t(goal.size()), goal.data());
  const double before = objective(model, prox, sub, sub.w);
  for (std::size_t i = 0; i < goal.size(); ++i) change[i] = goal[i] - sub.start[i];
  model.mix(weight, change);
  const bool allowed = std::all_of(goal.begin(), goal.end(), [&](double w) { return prox.allows(w); });
  if (allowed && objective(model, prox, sub, goal) < before) {
    sub.w = goal;
  } else {
    const double last[memory] = {0, 0, 0, 0, 1};
    for (std::size_t i = 0; i < goal.size(); ++i) change[i] = sub.w[i] - sub.start[i];
    model.mix(last, change);
  }
}

// Passes until the bound of `pass` is at most `tolerance`, or `limit` passes are done. Returns their number. Where the
// correlation of a block costs as much as a move, passes skip blocks at zero until the others have converged. With
// products of columns, Newton's steps replace extrapolation, as often as they pay; on sets that are small compared with
// the passes done a last one makes the solution exact.
inline index_t descend(Model& model, const Prox& prox, Subproblem& sub, double tolerance, index_t limit) {
  GramModel* const products = model.products();
  const bool exact = products && prox.single();
  Numbers scratch(3 * prox.width());
  std::vector<Numbers> past(exact ? 0 : memory + 1);
  index_t age = 0;
  bool all = true;
  for (index_t done = 1; done <= limit; ++done, poll_interrupt()) {
    const double bound = prox.single() ? model.pass_of_one(prox.absolute(), sub, all, scratch.data())
                                       : pass(model, prox.group(), sub, all, scratch.data());
    const bool settled = bound <= tolerance, good = settled && all;
    all = settled || done % 5 == 0 || products;
    if (exact) {
      const bool pays = ++age > std::max<index_t>(memory, index_t(sub.set.size()) / 16);
      const bool last = good && index_t(sub.set.size()) <= 8 * (done + 8);
      if (pays || last) newton_step(*products, prox, sub), age = 0;
    } else {
      past[age] = sub.w;
      if (age > 0) model.keep(int(age) - 1);
      if (age++ == memory) extrapolate(model, prox, sub, past), age = 0;
    }
    if (good) return done;
  }
  return limit;
}

}  // namespace learnable::coordinate
