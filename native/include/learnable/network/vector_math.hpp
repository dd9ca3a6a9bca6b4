// Exponential, logistic function and hyperbolic tangent of whole vectors of float or double, without branches.
#pragma once

#include <cstdint>
#include <type_traits>

#include "learnable/matrix/simd.hpp"

namespace learnable::network {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// The constants of e^x = 2^octaves e^rest, |rest| <= log(2) / 2, and of the series of e^rest - 1 - rest.
template <class T>
struct ExpConstants;

template <>
struct ExpConstants<double> {
  static constexpr double octave = 0x1.62e42fefa38p-1, octave_tail = 0x1.ef35793c7673p-45, anchor = 0x1.8p52;
  static constexpr double farthest = 700, saturated = 40;  // |2 x| from which tanh x rounds to one
  static constexpr int bias = 1023, mantissa = 52, terms = 12;
  static constexpr double factorials[terms] = {6227020800, 479001600, 39916800, 3628800, 362880, 40320,
                                               5040,       720,       120,      24,      6,      2};
};

template <>
struct ExpConstants<float> {
  static constexpr float octave = 0x1.62e4p-1f, octave_tail = 0x1.7f7d1cp-20f, anchor = 0x1.8p23f;
  static constexpr float farthest = 87, saturated = 20;
  static constexpr int bias = 127, mantissa = 23, terms = 6;
  static constexpr float factorials[terms] = {5040, 720, 120, 24, 6, 2};
};

template <class V>
inline V clipped(V x, V lowest, V highest) {
  const V above = x < lowest ? lowest : x;
  return above > highest ? highest : above;
}

// e^x as scale (1 + rest + curve), where curve = e^rest - 1 - rest. Errors are about one rounding; x is clipped where
// e^x or its inverse would leave the range.
template <class T>
struct VectorExp {
  using V = LanesOf<T>;
  using C = ExpConstants<T>;
  typedef BitsOf<T> Bits __attribute__((vector_size(vector_bytes)));
  V scale, rest, curve;

  explicit VectorExp(V exponent) {
    const V x = clipped(exponent, V{} - C::farthest, V{} + C::farthest);
    const V anchored = x * T(1.4426950408889634) + C::anchor, octaves = anchored - C::anchor;
    scale = (V)(((Bits)anchored + BitsOf<T>(C::bias)) << C::mantissa);
    rest = (x - octaves * C::octave) - octaves * C::octave_tail;
    V sum = V{} + 1 / C::factorials[0];
#pragma GCC unroll 12
    for (int k = 1; k < C::terms; ++k) sum = sum * rest + 1 / C::factorials[k];
    curve = sum * (rest * rest);
  }

  V value() const { return scale + scale * (rest + curve); }
  V minus_one() const { return scale * (rest + curve) + (scale - 1); }
};

inline double square_root(double x) { return __builtin_sqrt(x); }
inline float square_root(float x) { return __builtin_sqrtf(x); }

template <class V>
inline V square_roots(V x) {
  V result;
#pragma GCC unroll 16
  for (int lane = 0; lane < int(sizeof(V) / sizeof(x[0])); ++lane) result[lane] = square_root(x[lane]);
  return result;
}

template <class T>
inline LanesOf<T> exponential(LanesOf<T> x) {
  return VectorExp<T>(x).value();
}

template <class T>
inline LanesOf<T> logistic(LanesOf<T> x) {
  return 1 / (1 + exponential<T>(-x));
}

// e^y - 1 over e^y + 1 for y = 2 x: accurate near zero too.
template <class T>
inline LanesOf<T> hyperbolic_tangent(LanesOf<T> x) {
  using V = LanesOf<T>;
  const V end = V{} + ExpConstants<T>::saturated, growth = VectorExp<T>(clipped(x + x, -end, end)).minus_one();
  return growth / (growth + 2);
}

}  // namespace learnable::network
