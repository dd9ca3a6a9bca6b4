// Breakpoints of piecewise linear coefficient paths.
#include "learnable/linear/lars_breakpoints.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"

namespace learnable::bind {

using Met = std::tuple<double, index_t, int>;  // distance, column, sign

static void check_columns(View<const std::int64_t> columns, index_t bound) {
  for (const std::int64_t column : columns) require(column >= 0 && column < bound, "a column is out of range");
}

static Met entry(const Vector<std::int64_t>& columns, const Vector<double>& fixed, const Vector<double>& rate,
                 const Vector<bool>& inactive, const Vector<double>& noise, double level, double unclear, double turning,
                 bool ties_enter, bool one_sided) {
  require(fixed.shape(0) == columns.shape(0) && rate.shape(0) == columns.shape(0), "columns, fixed, rate differ");
  require(inactive.shape(0) == noise.shape(0), "inactive and noise must have an entry for each column");
  check_columns(view(columns), noise.shape(0));
  const Breakpoint met = first_entry(view(columns), view(fixed), view(rate), view(inactive), view(noise), level, unclear,
                                  turning, ties_enter, one_sided);
  return {met.level, index_t(met.column), met.sign};
}

static Met exit(const Vector<std::int64_t>& active, const Vector<double>& coef, const Vector<double>& signs,
                const Vector<double>& b, const Vector<double>& w, const Vector<double>& noise, double top,
                double unclear) {
  require(signs.shape(0) == active.shape(0) && b.shape(0) == active.shape(0) && w.shape(0) == active.shape(0),
          "active, signs, b and w differ in length");
  require(coef.shape(0) == noise.shape(0), "coef and noise must have an entry for each column");
  check_columns(view(active), coef.shape(0));
  const Breakpoint met = first_exit(view(active), view(coef), view(signs), view(b), view(w), view(noise), top, unclear);
  return {met.level, index_t(met.column), met.sign};
}

static double excess(const Vector<double>& fixed, const Vector<double>& rate, const Vector<double>& norms, double off,
                     double from, double to, bool one_sided) {
  require(fixed.shape(0) == rate.shape(0) && fixed.shape(0) == norms.shape(0), "fixed, rate and norms differ");
  return largest_excess(view(fixed), view(rate), view(norms), off, from, to, one_sided);
}

static double distance(const Rows<double>& here, const Rows<double>& there, double from, double to) {
  require(here.shape(0) == 2 && there.shape(0) == 2 && here.shape(1) == there.shape(1), "two rows of one length each");
  return largest_distance(view(here), view(there), from, to);
}

}  // namespace learnable::bind

void bind_lars(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("first_entry", &bind::entry, "columns"_a.noconvert(), "fixed"_a.noconvert(), "rate"_a.noconvert(),
        "inactive"_a.noconvert(), "noise"_a.noconvert(), "level"_a, "unclear"_a, "turning"_a, "ties_enter"_a, "one_sided"_a,
        "first_entry(...) -> (level, column, sign) of the inactive column that first reaches the decreasing level; "
        "(-inf, -1, 0) if none does.");
  m.def("first_exit", &bind::exit, "active"_a.noconvert(), "coef"_a.noconvert(), "signs"_a.noconvert(),
        "b"_a.noconvert(), "w"_a.noconvert(), "noise"_a.noconvert(), "top"_a, "unclear"_a,
        "first_exit(...) -> (level, column, 0) of the active coefficient that first returns to zero; "
        "(-inf, -1, 0) if none does.");
  m.def("largest_excess", &bind::excess, "fixed"_a.noconvert(), "rate"_a.noconvert(), "norms"_a.noconvert(), "off"_a,
        "start"_a, "end"_a, "one_sided"_a,
        "largest_excess(...) -> the largest excess of |fixed + c rate| + off norm over c, at both ends c of a segment.");
  m.def("largest_distance", &bind::distance, "here"_a.noconvert(), "there"_a.noconvert(), "start"_a, "end"_a,
        "largest_distance(here, there, start, end) -> the larger of |d + c t| at the two levels c, for the rows d and t "
        "of here - there.");
}
