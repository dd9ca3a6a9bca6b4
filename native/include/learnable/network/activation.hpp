// Activation functions of rows of scores, and their derivatives.
#pragma once

#include <cmath>

#include "learnable/network/vector_math.hpp"

namespace learnable::network {

enum class Activation { identity, logistic, tanh, relu, leaky_relu, elu, selu, gelu, silu, mish, softplus };
constexpr int activation_count = 11;

constexpr double selu_alpha = 1.6732632423543772, selu_scale = 1.0507009873554805;

// Whether the derivative needs the score z, not the value alone.
inline bool needs_scores(Activation kind) {
  return kind == Activation::gelu || kind == Activation::silu || kind == Activation::mish;
}

namespace detail {

template <class T, class F>
inline void each_vector(const T* z, T* out, index_t count, F f) {
  for (index_t i = 0; i < count; i += lane_count<T>) store(out + i, f(load<T>(z + i)));
}

template <class T, class F>
inline void each_entry(const T* z, T* out, index_t count, F f) {
  for (index_t i = 0; i < count; ++i) out[i] = T(f(double(z[i])));
}

template <class T>
inline LanesOf<T> mish_tanh(LanesOf<T> z) {  // tanh(log(1 + e^z)); beyond 30 it is one
  using V = LanesOf<T>;
  const V growth = exponential<T>(z > 30 ? V{} + 30 : z), product = growth * (growth + 2);
  return product / (product + 2);
}

// z g, where g is zero in effect for z far below zero, though not in the arithmetic of large numbers.
template <class T>
inline LanesOf<T> gated(LanesOf<T> z, LanesOf<T> g) {
  return z < -ExpConstants<T>::farthest ? LanesOf<T>{} : z * g;
}

}  // namespace detail

// out = g(z), entry by entry; `count` is rounded up to whole vectors. z and out may be the same.
template <class T>
[[gnu::noinline]] void activate(Activation kind, T alpha, const T* z, T* out, index_t count) {
  using V = LanesOf<T>;
  using namespace detail;
  const V zero{};
  const auto elu = [&](V x, T a, T scale) { return scale * (x > zero ? x : a * VectorExp<T>(x > zero ? zero : x).minus_one()); };
  switch (kind) {
    case Activation::identity:
      if (z != out) each_vector(z, out, count, [](V x) { return x; });
      break;
    case Activation::logistic: each_vector(z, out, count, [](V x) { return logistic<T>(x); }); break;
    case Activation::tanh: each_vector(z, out, count, [](V x) { return hyperbolic_tangent<T>(x); }); break;
    case Activation::relu: each_vector(z, out, count, [&](V x) { return x < zero ? zero : x; }); break;
    case Activation::leaky_relu: each_vector(z, out, count, [&](V x) { return x > zero ? x : alpha * x; }); break;
    case Activation::elu: each_vector(z, out, count, [&](V x) { return elu(x, alpha, T(1)); }); break;
    case Activation::selu: each_vector(z, out, count, [&](V x) { return elu(x, T(selu_alpha), T(selu_scale)); }); break;
    case Activation::silu: each_vector(z, out, count, [](V x) { return gated<T>(x, logistic<T>(x)); }); break;
    case Activation::mish: each_vector(z, out, count, [](V x) { return gated<T>(x, mish_tanh<T>(x)); }); break;
    case Activation::gelu:
      each_entry(z, out, count, [](double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); });
      break;
    case Activation::softplus:
      each_entry(z, out, count, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); });
      break;
  }
}

// delta *= g'(z), by the score z or, where that is enough, by the value a = g(z) alone.
template <class T>
[[gnu::noinline]] void multiply_derivative(Activation kind, T alpha, const T* z, const T* a, T* delta, index_t count) {
  using V = LanesOf<T>;
  const V zero{}, one = V{} + 1;
  const auto by = [&](const T* from, auto g) {
    for (index_t i = 0; i < count; i += lane_count<T>) store(delta + i, load<T>(delta + i) * g(load<T>(from + i)));
  };
  const auto by_entry = [&](const T* from, auto g) {
    for (index_t i = 0; i < count; ++i) delta[i] *= T(g(double(from[i])));
  };
  switch (kind) {
    case Activation::identity: break;
    case Activation::logistic: by(a, [&](V v) { return v * (one - v); }); break;
    case Activation::tanh: by(a, [&](V v) { return one - v * v; }); break;
    case Activation::relu: by(a, [&](V v) { return v > zero ? one : zero; }); break;
    case Activation::leaky_relu: by(a, [&](V v) { return v > zero ? one : zero + alpha; }); break;
    case Activation::elu: by(a, [&](V v) { return v > zero ? one : v + alpha; }); break;
    case Activation::selu:
      by(a, [&](V v) { return v > zero ? zero + T(selu_scale) : v + T(selu_scale * selu_alpha); });
      break;
    case Activation::silu:
      by(z, [&](V x) {
        const V s = logistic<T>(x);
        return s + detail::gated<T>(x, s * (one - s));
      });
      break;
    case Activation::mish:
      by(z, [&](V x) {
        const V w = detail::mish_tanh<T>(x);
        return w + detail::gated<T>(x, (one - w * w) * logistic<T>(x));
      });
      break;
    case Activation::gelu:
      by_entry(z, [](double x) {
        return 0.5 * std::erfc(-x * M_SQRT1_2) + x * std::exp(-0.5 * x * x) * 0.3989422804014327;
      });
      break;
    case Activation::softplus: by_entry(a, [](double v) { return -std::expm1(-v); }); break;
  }
}

}  // namespace learnable::network
