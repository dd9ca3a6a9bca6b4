// The logistic loss of two classes and of several: value and derivatives with respect to the scores in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/simd_exp.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

constexpr index_t logistic_block = 4096;

// log(1 + e) for 0 <= e <= 1, to full relative accuracy: twice the inverse hyperbolic tangent of e / (2 + e), or of
// (e - 1) / (e + 3) after halving 1 + e where that is nearer to one.
inline Lanes log_one_plus(Lanes e) {
  constexpr double log_two = 0.6931471805599453;
  const Lanes zero{}, border = zero + 0.41421356237309503;
  const Lanes u = e > border ? (e - 1) / (e + 3) : e / (e + 2), square = u * u;
  Lanes sum = zero + 1.0 / 23;
#pragma GCC unroll 11
  for (int k = 10; k >= 0; --k) sum = sum * square + 1.0 / (2 * k + 1);
  return 2 * (u * sum) + (e > border ? zero + log_two : zero);
}

struct LogisticTerms {
  Lanes value, gradient, curvature;
};

// log(1 + e^z) - y z with p = 1 / (1 + e^-z): gradient p - y, curvature p (1 - p), from e = e^-|z|, without
// cancellation.
inline LogisticTerms logistic_of(Lanes z, Lanes y) {
  const Lanes zero{}, size = z > zero ? z : -z;
  const Lanes e = Exponential(-size).value(), rest = 1 / (1 + e), far = e * rest;  // far: the smaller probability
  const auto positive = z > zero;
  return {log_one_plus(e) + (positive ? (1 - y) * z : -y * z), positive ? (1 - y) - far : far - y, far * rest};
}

inline double add_logistic(View<const double> z, View<const double> y, View<const double> weight, index_t begin,
                           index_t end, View<double> gradient, View<double> curvature) {
  Lanes sums{};
  index_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const Lanes s = load(&weight[i]);
    const LogisticTerms terms = logistic_of(load(&z[i]), load(&y[i]));
    store(&gradient[i], s * terms.gradient);
    store(&curvature[i], s * terms.curvature);
    sums += s * terms.value;
  }
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sums[lane];
  for (; i < end; ++i) {
    const Lanes zero{};
    const LogisticTerms terms = logistic_of(zero + z[i], zero + y[i]);
    gradient[i] = weight[i] * terms.gradient[0];
    curvature[i] = weight[i] * terms.curvature[0];
    total += weight[i] * terms.value[0];
  }
  return total;
}

// e^x - shift of each of the entries of a row, as their sum.
inline double exponentials(const double* x, index_t n, double shift, double* out) {
  Lanes sums{};
  index_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    const Lanes e = Exponential(load(x + k) - shift).value();
    store(out + k, e);
    sums += e;
  }
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sums[lane];
  if (k < n) {
    Lanes last{};
    for (index_t q = k; q < n; ++q) last[q - k] = x[q] - shift;
    last = Exponential(last).value();
    for (index_t q = k; q < n; ++q) total += out[q] = last[q - k];
  }
  return total;
}

}  // namespace detail

// The sum over rows of weight (log(1 + e^z) - y z), for y between 0 and 1; gradient and curvature are its first and
// second derivatives by each score z. Blocks of rows are added in order.
inline double logistic_terms(View<const double> z, View<const double> y, View<const double> weight, View<double> gradient,
                             View<double> curvature) {
  const Blocks blocks(z.size, detail::logistic_block);
  std::vector<double> sums(blocks.count);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    sums[block] = detail::add_logistic(z, y, weight, blocks.begin(block), blocks.end(block), gradient, curvature);
  });
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

// The sum over rows of weight (log sum_k e^z_k - z_code), and its derivative by each score: weight (p_k - [k = code]).
// `proba` gets the probabilities p; `squares` the sums over rows of weight (p_k - [k = code])^2, one per class, and
// `changes` those of weight (p_k (1 - p_k) z_k)^2: the effect of rounding the scores on the gradients.
inline double softmax_terms(Grid<const double> Z, View<const std::int64_t> code, View<const double> weight,
                            Grid<double> proba, Grid<double> gradient, View<double> squares, View<double> changes) {
  const Blocks blocks(Z.rows, std::max<index_t>(64, detail::logistic_block / Z.columns));
  const index_t classes = Z.columns, width = 2 * classes + 1;  // of a block's sums: squares, changes and the value
  std::vector<double> sums(blocks.count * width);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    double *square = &sums[block * width], *change = square + classes, value = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double *z = &Z(i, 0), top = *std::max_element(z, z + classes), part = weight[i];
      double *p = &proba(i, 0), *g = &gradient(i, 0);
      const double total = detail::exponentials(z, classes, top, p), each = 1 / total;
      const index_t own = code[i];
      double others = 0;  // probability of the classes that are not the row's own, without cancellation
      for (index_t k = 0; k < own; ++k) others += p[k];
      for (index_t k = own + 1; k < classes; ++k) others += p[k];
      others *= each;
      for (index_t k = 0; k < classes; ++k) {
        p[k] *= each;
        const double moved = p[k] * (1 - p[k]) * z[k];
        g[k] = part * p[k];
        change[k] += part * moved * moved;
      }
      g[own] = -part * others;
      const double whole = part > 0 ? 1 / part : 0;
      for (index_t k = 0; k < classes; ++k) square[k] += whole * g[k] * g[k];
      value += part * ((top - z[own]) + std::log(total));
    }
    square[width - 1] = value;
  });
  std::fill(squares.begin(), squares.end(), 0.0);
  std::fill(changes.begin(), changes.end(), 0.0);
  double value = 0;
  for (index_t block = 0; block < blocks.count; ++block) {
    const double* sum = &sums[block * width];
    for (index_t k = 0; k < classes; ++k) squares[k] += sum[k], changes[k] += sum[classes + k];
    value += sum[width - 1];
  }
  return value;
}

}  // namespace learnable
