// Kernel functions of inner products or distances, several values at a time and in place.
#pragma once

#include <algorithm>
#include <cmath>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/simd_exp.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

namespace detail {

// values[i] = f(values[i]) for a function of whole vectors.
template <class F>
void map_lanes(double* values, index_t count, F&& f) {
  index_t i = 0;
  for (; i + lanes <= count; i += lanes) store(values + i, f(load(values + i)));
  if (i == count) return;
  double rest[lanes] = {};
  std::copy_n(values + i, count - i, rest);
  store(rest, f(load(rest)));
  std::copy_n(rest, count - i, values + i);
}

// x^exponent by squaring.
inline Lanes whole_power(Lanes x, unsigned exponent) {
  Lanes result = Lanes{} + 1;
  for (; exponent; exponent >>= 1, x = x * x)
    if (exponent & 1) result = result * x;
  return result;
}

}  // namespace detail

struct Identity {
  void operator()(double*, index_t) const {}
};

struct Negated {
  void operator()(double* values, index_t count) const {
    for (index_t i = 0; i < count; ++i) values[i] = -values[i];
  }
};

// e^(-rate distance); 1 at distance 0 even if the rate is infinite, and 0 from about 1e-304 on.
struct Decay {
  double rate;
  void operator()(double* values, index_t count) const {
    detail::map_lanes(values, count, [this](Lanes distance) {
      const Lanes exponent = distance > 0 ? distance * -rate : Lanes{};
      const Lanes found = Exponential(exponent).value();
      return exponent < Lanes{} - 700 ? Lanes{} : found;
    });
  }
};

// (gamma product + coef0)^degree
struct Power {
  double gamma, coef0, degree;
  void operator()(double* values, index_t count) const {
    if (degree >= 0 && degree <= 64 && degree == std::floor(degree))
      detail::map_lanes(values, count, [this](Lanes x) { return detail::whole_power(x * gamma + coef0, unsigned(degree)); });
    else
      for (index_t i = 0; i < count; ++i) values[i] = std::pow(values[i] * gamma + coef0, degree);
  }
};

// tanh(gamma product + coef0)
struct HyperbolicTangent {
  double gamma, coef0;
  void operator()(double* values, index_t count) const {
    for (index_t i = 0; i < count; ++i) values[i] = std::tanh(values[i] * gamma + coef0);
  }
};

// 1 / (1 + e^-(gamma product + coef0))
struct Logistic {
  double gamma, coef0;
  void operator()(double* values, index_t count) const {
    detail::map_lanes(values, count, [this](Lanes x) { return 1 / (1 + Exponential(-(x * gamma + coef0)).value()); });
  }
};

}  // namespace learnable
