// What ends a straight stretch of a coefficient path.
//
// The level c falls. A column's product with the residual is fixed + c slope; every active column has a product of size
// c, and the active coefficients are b - c w.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "learnable/matrix/view.hpp"

namespace learnable {

// At `level`, the entry at `position` meets its bound on the side `sign`: the highest level at which one does. Of several
// at the top, where the stretch begins, it is the one with the least column, so that pivoting among ties ends.
struct Meeting {
  double top;
  double level = -std::numeric_limits<double>::infinity();
  index_t position = -1;
  int sign = 0;
  std::int64_t column = -1;

  void offer(double when, index_t where, int side, std::int64_t name) {
    when = std::min(when, top);
    if (when > level || (when == top && level == top && name < column)) *this = {top, when, where, side, name};
  }
};

// Levels of at most so many times the noise of a column are too low for it: its product is none but for rounding.
constexpr double faint = 16;

// Where the first idle column reaches the level. `noise` is how far a product may be off: closer than that to the level
// is at the level. A gap that closes at a rate of at most `unclear`, and `turning` times the noise, does not close,
// unless `ties_enter` lets every column in that is at the level.
inline Meeting first_entry(View<const std::int64_t> columns, View<const double> fixed, View<const double> slope,
                           View<const bool> idle, View<const double> noise, double level, double unclear,
                           double turning, bool ties_enter, bool one_sided) {
  Meeting first{level};
  for (index_t i = 0; i < columns.size; ++i) {
    const std::int64_t column = columns[i];
    const double lowest = faint * noise[column];
    if (!idle[column] || level <= lowest) continue;
    const double product = fixed[i] + level * slope[i];
    for (int side = 1; side >= (one_sided ? 1 : -1); side -= 2) {
      const double gap = level - side * product, closing = 1 - side * slope[i];
      const bool at_level = gap <= noise[column], closes = closing > unclear + turning * noise[column];
      const double meeting = side * fixed[i] / closing;
      if (at_level && (closes || ties_enter))
        first.offer(level, i, side, column);
      else if (closes && meeting > lowest)
        first.offer(meeting, i, side, column);
    }
  }
  return first;
}

// Where the first active coefficient comes back to zero from `coef`, which it has at the top; one that moves by at most
// `unclear` does not. Of a column for which the level is too low there, the sign does not matter, and it stays.
inline Meeting first_exit(View<const std::int64_t> active, View<const double> coef, View<const double> signs,
                          View<const double> b, View<const double> w, View<const double> noise, double top,
                          double unclear) {
  Meeting first{top};
  for (index_t i = 0; i < active.size; ++i) {
    if (-w[i] * signs[i] <= unclear) continue;
    const double meeting = coef[active[i]] * signs[i] > 0 ? b[i] / w[i] : top;
    if (meeting > faint * noise[active[i]]) first.offer(meeting, i, 0, active[i]);
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
