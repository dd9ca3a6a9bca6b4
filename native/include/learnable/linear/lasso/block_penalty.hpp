// Penalties of one block of coefficients: lambda |w| + rho |w|^2 / 2, and their operations in coordinate descent.
//
//   width()          numbers in a block: one, or one per target
//   size(h)          dual norm of h; a block at zero stays there while size(h) <= lambda
//   magnitude(w)     |w|
//   step(u, lambda, rho, w)   w = argmin over w of |w - u|^2 / 2 + lambda |w| + rho |w|^2 / 2
//   violation(h, w, lambda)   distance of h = correlation - rho w to lambda times the subdifferential of |w|
//   allows(w)        whether the value w of a coefficient is feasible
#pragma once

#include <algorithm>
#include <cmath>

#include "learnable/matrix/view.hpp"

namespace learnable::coordinate {

struct Absolute {
  bool positive = false;  // constrain w >= 0

  static constexpr index_t width() { return 1; }
  double size(const double* h) const { return positive ? std::max(0.0, *h) : std::abs(*h); }
  static double magnitude(const double* w) { return std::abs(*w); }
  void step(const double* u, double lambda, double rho, double* w) const {
    const double kept = std::max(0.0, size(u) - lambda) / (1 + rho);
    *w = positive ? kept : std::copysign(kept, *u);
  }
  double violation(const double* h, const double* w, double lambda) const {
    return *w == 0 ? std::max(0.0, size(h) - lambda) : std::abs(*h - std::copysign(lambda, *w));
  }
  bool allows(double w) const { return !positive || w >= 0; }
};

// Euclidean length of a block: all its coefficients are zero or none is.
struct Group {
  index_t targets;

  index_t width() const { return targets; }
  double size(const double* h) const { return magnitude(h); }
  double magnitude(const double* w) const {
    double sum = 0;
    for (index_t t = 0; t < targets; ++t) sum += w[t] * w[t];
    return std::sqrt(sum);
  }
  void step(const double* u, double lambda, double rho, double* w) const {
    const double length = magnitude(u), shrink = length > lambda ? (1 - lambda / length) / (1 + rho) : 0;
    for (index_t t = 0; t < targets; ++t) w[t] = shrink * u[t];
  }
  double violation(const double* h, const double* w, double lambda) const {
    const double length = magnitude(w);
    if (length == 0) return std::max(0.0, magnitude(h) - lambda);
    double sum = 0;
    for (index_t t = 0; t < targets; ++t) {
      const double apart = h[t] - lambda * w[t] / length;
      sum += apart * apart;
    }
    return std::sqrt(sum);
  }
  static bool allows(double) { return true; }
};

// The penalty of a problem outside of inner loops, dispatched at run time: absolute for one target, group for several.
struct Prox {
  index_t targets = 1;
  bool positive = false;

  bool single() const { return targets == 1; }
  Absolute absolute() const { return {positive}; }
  Group group() const { return {targets}; }
  index_t width() const { return targets; }
  double size(const double* h) const { return single() ? absolute().size(h) : group().size(h); }
  double magnitude(const double* w) const { return single() ? Absolute::magnitude(w) : group().magnitude(w); }
  bool allows(double w) const { return absolute().allows(w); }
};

}  // namespace learnable::coordinate
