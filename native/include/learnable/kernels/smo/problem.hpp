// A quadratic problem with bounds and one or two equality constraints, and the feasible moves of its variables.
//
//   minimise over b   b'Kb / 2 + q'b,   low <= b <= high,   the sum of b of each group is constant
//
// There may be two variables for each row of K: variable v belongs to row v % rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// The largest negative gradient among variables of a group that can rise, and the smallest among those that can fall.
struct Extremes {
  double highest[2] = {-HUGE_VAL, -HUGE_VAL}, lowest[2] = {HUGE_VAL, HUGE_VAL};
  double violation = 0;
  index_t free = 0;
};

struct SmoProblem {
  View<const double> low, high, q;
  View<const std::int8_t> group;
  int groups = 1;
  index_t rows = 0;

  index_t variables() const { return q.size; }
  index_t row(index_t v) const {
    while (v >= rows) v -= rows;
    return v;
  }
  bool can_rise(View<const double> b, index_t v) const { return b[v] < high[v]; }
  bool can_fall(View<const double> b, index_t v) const { return b[v] > low[v]; }
  double steepness(View<const double> scores, index_t v) const { return -(scores[row(v)] + q[v]); }

  Extremes extremes(View<const double> b, View<const double> scores) const {
    Extremes found;
    for (index_t v = 0; v < variables(); ++v) {
      const double steep = steepness(scores, v);
      const int g = group[v];
      const bool rise = can_rise(b, v), fall = can_fall(b, v);
      if (rise) found.highest[g] = std::max(found.highest[g], steep);
      if (fall) found.lowest[g] = std::min(found.lowest[g], steep);
      found.free += rise && fall;
    }
    for (int g = 0; g < groups; ++g)
      if (found.highest[g] > -HUGE_VAL && found.lowest[g] < HUGE_VAL)
        found.violation = std::max(found.violation, found.highest[g] - found.lowest[g]);
    return found;
  }

  bool bounded() const {
    for (index_t v = 0; v < variables(); ++v)
      if (!std::isfinite(low[v]) || !std::isfinite(high[v])) return false;
    return true;
  }

  // The common gradient of the free variables of each group; the midpoint of the bounds where none is free.
  void levels(View<const double> b, View<const double> scores, View<double> found) const {
    const Extremes ends = extremes(b, scores);
    double sum[2] = {};
    index_t free[2] = {};
    for (index_t v = 0; v < variables(); ++v)
      if (can_rise(b, v) && can_fall(b, v)) sum[group[v]] -= steepness(scores, v), ++free[group[v]];
    for (int g = 0; g < groups; ++g) {
      const bool above = std::isfinite(ends.highest[g]), below = std::isfinite(ends.lowest[g]);
      if (free[g] > 0)
        found[g] = sum[g] / double(free[g]);
      else if (above && below)
        found[g] = -(ends.highest[g] / 2 + ends.lowest[g] / 2);
      else
        found[g] = above ? -ends.highest[g] : below ? -ends.lowest[g] : 0;
    }
  }

  // Whether a variable at its bound is pushed against it by more than the violation of any pair.
  bool settled(View<const double> b, View<const double> scores, const Extremes& among, index_t v) const {
    const double steep = steepness(scores, v);
    const int g = group[v];
    return !(can_rise(b, v) || can_fall(b, v)) || (!can_rise(b, v) && steep > among.highest[g]) ||
           (!can_fall(b, v) && steep < among.lowest[g]);
  }
};

}  // namespace learnable
