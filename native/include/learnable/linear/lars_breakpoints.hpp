// Breakpoints of a piecewise linear coefficient path: the next column that enters or leaves.
//
// The level c decreases. The correlation of a column with the residual is fixed + c rate; every active column has a
// correlation of absolute value c, and the active coefficients are b - c w.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "learnable/matrix/view.hpp"

namespace learnable {

// At `level`, the entry at `position` meets its bound on the side `sign`: the highest such level. Of several at the
// top, the start of the segment, it is the one with the smallest column, so that pivoting among ties ends.
struct Breakpoint {
  double top;
  double level = -std::numeric_limits<double>::infinity();
  index_t position = -1;
  int sign = 0;
  std::int64_t column = -1;

  void propose(double when, index_t where, int side, std::int64_t name) {
    when = std::min(when, top);
    if (when > level || (when == top && level == top && name < column)) *this = {top, when, where, side, name};
  }
};

// Levels below this multiple of the noise of a column are too low for it: its correlation is zero up to rounding.
constexpr double noise_factor = 16;

// The first inactive column that reaches the level. `noise` bounds the error of a correlation: closer than that to the
// level is at the level. A distance that closes at a rate of at most `unclear`, and `turning` times the noise, does not
// close, unless `ties_enter` admits every column at the level.
inline Breakpoint first_entry(View<const std::int64_t> columns, View<const double> fixed, View<const double> rate,
                           View<const bool> inactive, View<const double> noise, double level, double unclear,
                           double turning, bool ties_enter, bool one_sided) {
  Breakpoint first{level};
  for (index_t i = 0; i < columns.size; ++i) {
    const std::int64_t column = columns[i];
    const double lowest = noise_factor * noise[column];
    if (!inactive[column] || level <= lowest) continue;
    const double product = fixed[i] + level * rate[i];
    for (int side = 1; side >= (one_sided ? 1 : -1); side -= 2) {
      const double gap = level - side * product, closing = 1 - side * rate[i];
      const bool at_level = gap <= noise[column], closes = closing > unclear + turning * noise[column];
      const double meeting = side * fixed[i] / closing;
      if (at_level && (closes || ties_enter))
        first.propose(level, i, side, column);
      else if (closes && meeting > lowest)
        first.propose(meeting, i, side, column);
    }
  }
  return first;
}

// The first active coefficient that returns to zero from `coef`, its value at the top; one that moves by at most
// `unclear` does not. A column for which the level is too low there stays, whatever its sign.
inline Breakpoint first_exit(View<const std::int64_t> active, View<const double> coef, View<const double> signs,
                          View<const double> b, View<const double> w, View<const double> noise, double top,
                          double unclear) {
  Breakpoint first{top};
  for (index_t i = 0; i < active.size; ++i) {
    if (-w[i] * signs[i] <= unclear) continue;
    const double meeting = coef[active[i]] * signs[i] > 0 ? b[i] / w[i] : top;
    if (meeting > noise_factor * noise[active[i]]) first.propose(meeting, i, 0, active[i]);
  }
  return first;
}

// The largest excess of |fixed + c rate| + off norm over c, over all entries and both ends c of a segment; negative if
// every correlation stays below the level although each may be off by `off` times its norm.
inline double largest_excess(View<const double> fixed, View<const double> rate, View<const double> norms, double off,
                             double from, double to, bool one_sided) {
  double excess = -std::numeric_limits<double>::infinity();
  for (index_t i = 0; i < fixed.size; ++i) {
    const double start = fixed[i] + from * rate[i], end = fixed[i] + to * rate[i];
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
