// Newton's step on a face: as long as no coefficient changes its sign the objective is quadratic, so one linear system
// in the non-zero coefficients gives its minimum. Coefficients that would change sign stop at zero.
#pragma once

#include "learnable/linear/blocked_cholesky.hpp"
#include "learnable/linear/cholesky_update.hpp"
#include "learnable/linear/lasso/quadratic_models.hpp"

namespace learnable::coordinate {

constexpr index_t max_face = 2048;

// The step d on `face` that minimises  d'(G + rho + ridge) d / 2 - d . (correlation - rho w - lambda sign(w)); empty if
// that is singular.
inline Numbers face_step(const GramModel& model, const Subproblem& sub, const Indices& face, double ridge) {
  const index_t size = index_t(face.size()), stride = scratch_stride(size);
  Numbers matrix(size * stride), step(size);
  const Grid<double> L{matrix.data(), size, size, stride};
  for (index_t i = 0; i < size; ++i) {
    const index_t k = face[i];
    for (index_t q = 0; q < i; ++q) L(i, q) = model.product(k, face[q]);
    L(i, i) = 1 + sub.rho[k] + ridge;
    model.correlation(k, &step[i]);
    step[i] -= sub.rho[k] * sub.w[k] + std::copysign(sub.lambda[k], sub.w[k]);
  }
  if (!factorise(L, 1e-10)) return {};
  solve_triangles(L, size, {step.data(), 1, size, size});
  return step;
}

// Moves w along the step. With `all` every coefficient that would change sign stops at zero; without, the step is cut
// at the first such coefficient, which cannot raise the objective.
inline void move_on_face(GramModel& model, Subproblem& sub, const Indices& face, const Numbers& step, bool all) {
  double length = 1;
  index_t first = -1;
  const auto changes_sign = [&](index_t i) { return sub.w[face[i]] * (sub.w[face[i]] + step[i]) < 0; };
  for (index_t i = 0; i < index_t(face.size()) && !all; ++i)
    if (changes_sign(i) && -sub.w[face[i]] / step[i] < length) length = -sub.w[face[i]] / step[i], first = i;
  for (index_t i = 0; i < index_t(face.size()); ++i) {
    double& w = sub.w[face[i]];
    const bool stops = i == first || (all && changes_sign(i));
    const double moved = stops ? -w : length * step[i];
    if (moved == 0) continue;
    w = stops ? 0 : w + moved;
    model.move(face[i], &moved);
  }
}

// Moves to the minimum on the face, or as near to it as the signs allow. If columns of the face are linearly dependent,
// the step goes along the null space until one of them is zero.
inline void newton_step(GramModel& model, const Prox& prox, Subproblem& sub) {
  Indices face;
  for (index_t k = 0; k < index_t(sub.set.size()); ++k)
    if (sub.w[k] != 0) face.push_back(k);
  if (face.empty() || index_t(face.size()) > max_face) return;
  Numbers step = face_step(model, sub, face, 0);
  const bool flat = step.empty();
  if (flat) step = face_step(model, sub, face, 1e-8);
  if (step.empty()) return;
  const double before = objective(model, prox, sub, sub.w);
  const Numbers w = sub.w;
  model.keep(0);
  if (!flat) {
    move_on_face(model, sub, face, step, true);
    if (objective(model, prox, sub, sub.w) <= before) return;
    const double back[memory] = {1};
    model.mix(back, w);
    sub.w = w;
  }
  move_on_face(model, sub, face, step, false);
}

}  // namespace learnable::coordinate
