// Coordinate descent on a working set: passes over its blocks, each set to its best value given the others, and now and
// then a jump to where the passes are heading. [Friedman, Hastie and Tibshirani, 2010]
#pragma once

#include <numeric>

#include "learnable/coordinate_newton.hpp"
#include "learnable/coordinate_prox.hpp"
#include "learnable/interrupt.hpp"

namespace learnable::coordinate {

// A problem of k blocks: start and w are (k, width), slope is the exact negative gradient at start.
struct Subproblem {
  Indices set;
  Numbers start, w, slope, lambda, rho;
  double residual = 1;  // |r|^2 + sum rho |w|^2 at start
};

// One pass. Returns an estimate of the duality gap of the subproblem before it: with v_k the violation of block k when it
// is visited and m = max_k v_k / lambda_k,   sum_k |w_k| v_k + m sum_k lambda_k |w_k| + m^2 |r|^2 / 2,
// or with a squared penalty   sum_k v_k^2 / (2 rho_k)   if that is less.
// Blocks without an absolute penalty add what the visit gains at most, v_k^2. Blocks at zero are left out if not `all`.
template <class Model, class Prox>
double pass(Model& model, const Prox& prox, Subproblem& sub, bool all, double* scratch) {
  const index_t width = prox.width();
  double *slope = scratch, *target = scratch + width, *step = target + width;
  double active = 0, worst = 0, penalty = 0, square = 0;
  for (index_t k = 0; k < index_t(sub.set.size()); ++k) {
    double* w = &sub.w[k * width];
    const double lambda = sub.lambda[k], rho = sub.rho[k], size = prox.magnitude(w);
    if (!all && size == 0) continue;
    model.slope(k, slope);
    for (index_t t = 0; t < width; ++t) {
      target[t] = slope[t] + w[t];
      slope[t] -= rho * w[t];
    }
    const double wrong = prox.violation(slope, w, lambda);
    active += size * wrong;
    penalty += size * lambda;
    if (lambda > 0) worst = std::max(worst, wrong / lambda);
    else active += wrong * wrong;
    if (wrong == 0) continue;
    square += wrong * wrong / (2 * rho);
    prox.step(target, lambda, rho, step);
    bool moved = false;
    for (index_t t = 0; t < width; ++t) {
      const double goal = step[t];
      step[t] -= w[t];
      moved |= step[t] != 0;
      w[t] = goal;
    }
    if (moved) model.move(k, step);
  }
  return std::min(active + worst * penalty + worst * worst * sub.residual / 2, square);
}

template <class Model, class Prox>
double objective(const Model& model, const Prox& prox, const Subproblem& sub, const Numbers& w) {
  const index_t width = prox.width();
  Numbers change(w.size());
  double value = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    change[i] = w[i] - sub.start[i];
    value += sub.rho[i / width] * w[i] * w[i] / 2 - sub.slope[i] * change[i];
  }
  for (index_t k = 0; k < index_t(sub.set.size()); ++k) value += sub.lambda[k] * prox.magnitude(&w[k * width]);
  return value + model.energy(change);
}

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
template <class Model, class Prox>
void jump(Model& model, const Prox& prox, Subproblem& sub, const std::vector<Numbers>& past) {
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
// Where a look at a block costs as much as a move, passes leave out blocks at zero until the others are settled. Where products of columns are at hand, Newton's step takes the place of jumps, as often as it pays; on sets that are
// small beside the passes done a last one makes the answer exact.
template <class Model, class Prox>
index_t descend(Model& model, const Prox& prox, Subproblem& sub, double tolerance, index_t limit) {
  constexpr bool exact = std::is_same_v<Model, GramModel> && !std::is_same_v<Prox, Group>;
  Numbers scratch(3 * prox.width());
  std::vector<Numbers> past(exact ? 0 : memory + 1);
  index_t age = 0;
  bool all = true;
  for (index_t done = 1; done <= limit; ++done, look_up()) {
    const bool settled = pass(model, prox, sub, all, scratch.data()) <= tolerance, good = settled && all;
    all = settled || done % 5 == 0 || std::is_same_v<Model, GramModel>;
    if constexpr (exact) {
      const bool worth = ++age > std::max<index_t>(memory, index_t(sub.set.size()) / 16);
      const bool last = good && index_t(sub.set.size()) <= 8 * (done + 8);
      if (worth || last) newton_step(model, sub, [&] { return objective(model, prox, sub, sub.w); }), age = 0;
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
