// Minkowski distances in a cheaper form of the same order: the sum, or the maximum, of a term per column. The terms are
// monotone in the difference of a column, also when rounded; so the distance of a box from a query, computed in the
// same way, is never above that of a point in it.
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

struct L2Norm {
  template <class V>
  V term(V gap) const { return gap * gap; }
  template <class V>
  V join(V sum, V term) const { return sum + term; }
  double distance(double sum) const { return std::sqrt(sum); }
  double sum(double distance) const { return distance * distance; }
};

struct L1Norm {
  template <class V>
  V term(V gap) const { return detail::magnitude(gap); }
  template <class V>
  V join(V sum, V term) const { return sum + term; }
  double distance(double sum) const { return sum; }
  double sum(double distance) const { return distance; }
};

struct MaxNorm {
  template <class V>
  V term(V gap) const { return detail::magnitude(gap); }
  template <class V>
  V join(V sum, V term) const { return detail::larger(sum, term); }
  double distance(double sum) const { return sum; }
  double sum(double distance) const { return distance; }
};

struct PNorm {
  double power;
  double term(double gap) const { return std::pow(std::abs(gap), power); }
  Lanes term(Lanes gap) const {
    Lanes raised;
    for (int lane = 0; lane < lanes; ++lane) raised[lane] = term(double(gap[lane]));
    return raised;
  }
  template <class V>
  V join(V sum, V term) const { return sum + term; }
  double distance(double sum) const { return std::pow(sum, 1 / power); }
  double sum(double distance) const { return std::pow(distance, power); }
};

// Calls f with the norm (sum |x_j - y_j|^power)^(1 / power), power >= 1 or infinite.
template <class F>
void with_norm(double power, F&& f) {
  if (power == 2) return f(L2Norm{});
  if (power == 1) return f(L1Norm{});
  if (std::isinf(power)) return f(MaxNorm{});
  f(PNorm{power});
}

}  // namespace learnable
