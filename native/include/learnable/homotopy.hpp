// What ends a straight stretch of a coefficient path.
//
// The level c falls. A column's product with the residual is fixed + c slope; every active column has a product of size
// c, and an active coefficient changes by w for each unit that c falls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "learnable/view.hpp"

namespace learnable {

// After `distance`, the entry at `position` meets its bound on the side `sign`. Of several at distance zero it is the
// one with the least column, so that pivoting among ties ends.
struct Meeting {
  double distance = std::numeric_limits<double>::infinity();
  index_t position = -1;
  int sign = 0;
  std::int64_t column = -1;

  void offer(double when, index_t where, int side, std::int64_t name) {
    if (when < distance || (when == 0 && distance == 0 && name < column)) *this = {when, where, side, name};
  }
};

// When the first idle column reaches the level. `noise` is how far a product may be off: closer than that to the level
// is at the level. A gap that closes at a rate of at most `unclear` does not close, unless `ties_enter` lets every
// column in that is at the level.
inline Meeting first_entry(View<const std::int64_t> columns, View<const double> fixed, View<const double> slope,
                           View<const bool> idle, View<const double> noise, double level, double unclear,
                           bool ties_enter, bool one_sided) {
  Meeting first;
  for (index_t i = 0; i < columns.size; ++i) {
    const std::int64_t column = columns[i];
    if (!idle[column]) continue;
    const double product = fixed[i] + level * slope[i];
    for (int side = 1; side >= (one_sided ? 1 : -1); side -= 2) {
      const double gap = level - side * product, closing = 1 - side * slope[i];
      const bool at_level = gap <= noise[column], closes = closing > unclear;
      if (at_level && (closes || ties_enter))
        first.offer(0, i, side, column);
      else if (closes)
        first.offer(gap / closing, i, side, column);
    }
  }
  return first;
}

// When the first active coefficient comes back to zero; one that moves by at most `unclear` does not.
inline Meeting first_exit(View<const std::int64_t> active, View<const double> coef, View<const double> signs,
                          View<const double> w, double unclear) {
  Meeting first;
  for (index_t i = 0; i < active.size; ++i) {
    const double towards = -w[i] * signs[i];
    if (towards > unclear) first.offer(std::max(coef[active[i]] * signs[i], 0.0) / towards, i, 0, active[i]);
  }
  return first;
}

// The most that |fixed + c slope| + off norm exceeds c, over all entries and both ends c of a stretch; negative if every
// product stays below the level although each may be off by `off` times its norm.
inline double largest_excess(View<const double> fixed, View<const double> slope, View<const double> norms, double off,
                             double from, double to, bool one_sided) {
  double excess = -std::numeric_limits<double>::infinity();
  for (index_t i = 0; i < fixed.size; ++i) {
    const double start = fixed[i] + from * slope[i], end = fixed[i] + to * slope[i];
    const double above_start = (one_sided ? start : std::abs(start)) - from;
    const double above_end = (one_sided ? end : std::abs(end)) - to;
    excess = std::max(excess, std::max(above_start, above_end) + off * norms[i]);
  }
  return excess;
}

// The larger of |d + c t| at the two levels c, where (d, t) = `here` - `there`, both of two rows.
inline double largest_distance(Grid<const double> here, Grid<const double> there, double from, double to) {
  double at_start = 0, at_end = 0;
  for (index_t i = 0; i < here.columns; ++i) {
    const double apart = here(0, i) - there(0, i), turned = here(1, i) - there(1, i);
    at_start += (apart + from * turned) * (apart + from * turned);
    at_end += (apart + to * turned) * (apart + to * turned);
  }
  return std::sqrt(std::max(at_start, at_end));
}

}  // namespace learnable
