// Minkowski distances in a form that costs less and has the same order: the sum, or the largest, of parts, a part for
// each column. All of them only grow with the gap of a column, also when rounded; so what a box is away from a point,
// computed in the same way, is never more than what a point in it is.
#pragma once

#include <cmath>

#include "learnable/matrix/simd.hpp"
#include "learnable/neighbors/columnwise_distances.hpp"

namespace learnable {

namespace detail {

inline double magnitude(double x) { return std::abs(x); }

template <class V>
inline V larger(V a, V b) { return a > b ? a : b; }

}  // namespace detail

struct SquaredGaps {
  template <class V>
  V part(V gap) const { return gap * gap; }
  template <class V>
  V join(V sum, V part) const { return sum + part; }
  double distance(double sum) const { return std::sqrt(sum); }
  double sum(double distance) const { return distance * distance; }
};

struct AbsoluteGaps {
  template <class V>
  V part(V gap) const { return detail::magnitude(gap); }
  template <class V>
  V join(V sum, V part) const { return sum + part; }
  double distance(double sum) const { return sum; }
  double sum(double distance) const { return distance; }
};

struct LargestGap {
  template <class V>
  V part(V gap) const { return detail::magnitude(gap); }
  template <class V>
  V join(V sum, V part) const { return detail::larger(sum, part); }
  double distance(double sum) const { return sum; }
  double sum(double distance) const { return distance; }
};

struct RaisedGaps {
  double power;
  double part(double gap) const { return std::pow(std::abs(gap), power); }
  Lanes part(Lanes gap) const {
    Lanes raised;
    for (int lane = 0; lane < lanes; ++lane) raised[lane] = part(double(gap[lane]));
    return raised;
  }
  template <class V>
  V join(V sum, V part) const { return sum + part; }
  double distance(double sum) const { return std::pow(sum, 1 / power); }
  double sum(double distance) const { return std::pow(distance, power); }
};

// Calls f with the kind of gaps whose distance is (sum |x_j - y_j|^power)^(1 / power), power >= 1 or infinite.
template <class F>
void with_gaps(double power, F&& f) {
  if (power == 2) return f(SquaredGaps{});
  if (power == 1) return f(AbsoluteGaps{});
  if (std::isinf(power)) return f(LargestGap{});
  f(RaisedGaps{power});
}

}  // namespace learnable
