// Losses of support vector machines as maxima over dual variables: a loss of the residual r = t - z.
//
//   loss(r) = max over low <= a <= high of  a r - epsilon |a| - curvature a^2 / 2
//
// hinge: t = y, bounds 0 and C y; squared hinge: no outer bound, curvature 1 / (2 C); with epsilon, the tubes of
// regression. The maximum is smoothed about a centre c: the proximal term (rho / 2) (a - c)^2 makes a a continuous
// function of r, linear inside a band and constant outside it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// `softness` is curvature + rho of the row, `shift` is rho times its centre.
struct BoundedRows {
  View<const double> low, high, curvature, softness, shift;
  double epsilon;

  // r moved towards zero by epsilon, and not across it.
  double soft_threshold(double r) const { return r > epsilon ? r - epsilon : r < -epsilon ? r + epsilon : 0; }

  double dual(index_t i, double r) const {
    return std::clamp(soft_threshold(r + shift[i]) / softness[i], low[i], high[i]);
  }
  // Whether the dual variable changes with r.
  bool inside(index_t i, double a) const { return a > low[i] && a < high[i] && (a != 0 || epsilon == 0); }

  double loss(index_t i, double r) const {
    const double far = soft_threshold(r), bound = far > 0 ? high[i] : low[i];
    if (far == 0 || bound == 0) return 0;
    return curvature[i] > 0 ? far * far / (2 * curvature[i]) : far * bound;
  }
  // The difference between the maximum and the value at a dual variable a.
  double shortfall(index_t i, double r, double a) const {
    const double missing = loss(i, r) - (a * r - epsilon * std::abs(a) - curvature[i] * a * a / 2);
    return missing < 0 ? 0 : missing;  // NaN stays, which proves nothing
  }
};

// Bounds and curvatures of a hinge, squared or not, with cost C = `limit` in each row; a row with a positive sign may
// push up only. Infinite limits forbid residuals, and nothing is squared then. Returns whether there are any.
inline bool hinge_bounds(View<const double> sign, View<const double> limit, bool squared, View<double> low,
                         View<double> high, View<double> curvature) {
  bool hard = false;
  for (const double one : limit) hard = hard || std::isinf(one);
  squared = squared && !hard;
  for (index_t i = 0; i < sign.size; ++i) {
    const double far = !(limit[i] > 0) ? 0 : hard || squared ? INFINITY : limit[i];
    low[i] = sign[i] > 0 ? 0 : -far;
    high[i] = sign[i] > 0 ? far : 0;
    curvature[i] = squared ? 0.5 / (limit[i] > 0 ? limit[i] : 1) : 0;
  }
  return hard;
}

// Sums over rows: losses, and their differences from the values at the dual variables.
struct BoundedSums {
  double loss = 0, shortfall = 0;

  void operator+=(const BoundedSums& more) { loss += more.loss, shortfall += more.shortfall; }
};

constexpr index_t bounded_block = 4096;

// The sums by add(i, sums) over the rows i < n. Blocks of rows are added in order.
template <class Sums, class F>
Sums sums_over(index_t n, F&& add) {
  const Blocks blocks(n, bounded_block);
  std::vector<Sums> parts(blocks.count);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    Sums sums;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) add(i, sums);
    parts[block] = sums;
  });
  Sums total;
  for (const Sums& part : parts) total += part;
  return total;
}

// dual[i] and its state (1 inside the band, 0 at an end) for the residuals r, and the sums. One pass.
inline BoundedSums update_duals(const BoundedRows& rows, View<const double> r, View<double> dual,
                                View<std::uint8_t> state) {
  return sums_over<BoundedSums>(r.size, [&](index_t i, BoundedSums& sums) {
    const double a = rows.dual(i, r[i]);
    dual[i] = a;
    state[i] = rows.inside(i, a);
    sums.loss += rows.loss(i, r[i]);
    sums.shortfall += rows.shortfall(i, r[i], a);
  });
}

// The sums for residuals r and any dual variables a within their bounds.
inline BoundedSums sum_losses(const BoundedRows& rows, View<const double> r, View<const double> a) {
  return sums_over<BoundedSums>(r.size, [&](index_t i, BoundedSums& sums) {
    sums.loss += rows.loss(i, r[i]);
    sums.shortfall += rows.shortfall(i, r[i], a[i]);
  });
}

// First and second derivative by s of the smoothed losses of the residuals r - s q.
struct LineDerivatives {
  double first = 0, second = 0;

  void operator+=(const LineDerivatives& more) { first += more.first, second += more.second; }
};

inline LineDerivatives derivatives_along(const BoundedRows& rows, View<const double> r, View<const double> q, double s) {
  return sums_over<LineDerivatives>(r.size, [&](index_t i, LineDerivatives& sums) {
    const double a = rows.dual(i, r[i] - s * q[i]);
    sums.first -= a * q[i];
    sums.second += rows.inside(i, a) ? q[i] * q[i] / rows.softness[i] : 0;
  });
}

// Line search: the s >= 0 that minimises the smoothed losses of r - s q plus gradient s + curvature s^2 / 2, a convex
// piecewise quadratic function. Safeguarded Newton steps; ends when the derivative has fallen to a small fraction.
inline double line_minimum(const BoundedRows& rows, View<const double> r, View<const double> q, double gradient,
                           double curvature) {
  const auto at = [&](double s) {
    LineDerivatives here = derivatives_along(rows, r, q, s);
    return LineDerivatives{here.first + gradient + curvature * s, here.second + curvature};
  };
  const double start = std::abs(at(0).first);
  double low = 0, high = INFINITY, s = 1;
  for (int step = 0; step < 60; ++step) {
    const LineDerivatives here = at(s);
    if (std::abs(here.first) <= 1e-3 * start || !std::isfinite(here.first)) break;
    (here.first > 0 ? high : low) = s;
    const double newton = here.second > 0 ? s - here.first / here.second : INFINITY;
    const double middle = std::isinf(high) ? 2 * s : (low + high) / 2;
    const double next = newton > low && newton < high && std::isfinite(newton) ? newton : middle;
    if (next == s || !(high - low > 1e-14 * high)) break;
    s = next;
  }
  return s;
}

}  // namespace learnable
