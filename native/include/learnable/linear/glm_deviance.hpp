// Half deviances of the Tweedie family with the log link: values, gradients and curvatures of all rows in one pass.
#pragma once

#include <vector>

#include "learnable/matrix/simd_exp.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Rows of a model whose variance is mean^power: log_y is the log of the target (0 where the target is 0) and
// unit = target^(2 - power), weight the weight of the row.
struct DevianceRows {
  View<const double> log_y, unit, weight;
  double power;
  bool expected;  // curvature in expectation, as in Fisher scoring, instead of the second derivative
};

namespace detail {

constexpr index_t deviance_block = 4096;

// Value, gradient and curvature of a vector of rows, times their weights.
struct DevianceTerms {
  Lanes value, gradient, curvature;
};

// With a = 2 - power, b = 1 - power and x = score - log_y, where the target is positive:
//   value = unit ((e^ax - 1) / a - (e^bx - 1) / b),  gradient = unit (e^ax - e^bx),  curvature = unit (a e^ax - b e^bx).
// The linear terms of value cancel exactly if they are omitted from both. A rate of zero makes its term linear; `first`
// and `second` mark the nonzero rates. Where the target is zero, only the first term remains.
template <bool first, bool second>
inline DevianceTerms deviance_of(Lanes x, Lanes unit, Lanes weight, double power, bool expected) {
  const double a = 2 - power, b = 1 - power;
  const Lanes zero{};
  Lanes value = zero, gradient = zero, curvature = zero + (expected && !first), part = zero + 1;  // part is e^ax
  if constexpr (first) {
    const Exponential e(a * x);
    value = e.excess() / a;
    gradient = e.growth();
    part = e.value();
    curvature = expected ? part : a * part;
  }
  if constexpr (second) {
    const Exponential e(b * x);
    value -= e.excess() / b;
    const Lanes near = gradient - e.growth(), far = part - e.value();  // accurate for small and for large x
    gradient = x * x < zero + 0.25 ? near : far;
    if (!expected) curvature -= b * e.value();
  }
  const Lanes alone = expected ? part : a * part;
  return {weight * (unit > zero ? unit * value : part / a), weight * (unit > zero ? unit * gradient : part),
          weight * (unit > zero ? unit * curvature : alone)};
}

template <bool first, bool second>
double add_deviance(const DevianceRows& rows, View<const double> z, index_t begin, index_t end, View<double> gradient,
                    View<double> curvature) {
  const double power = rows.power;
  const bool expected = rows.expected;
  Lanes sums{};
  index_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const Lanes x = load(&z[i]) - load(&rows.log_y[i]);
    const auto terms = deviance_of<first, second>(x, load(&rows.unit[i]), load(&rows.weight[i]), power, expected);
    store(&gradient[i], terms.gradient);
    store(&curvature[i], terms.curvature);
    sums += terms.value;
  }
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sums[lane];
  for (; i < end; ++i) {
    const Lanes zero{}, x = zero + (z[i] - rows.log_y[i]);
    const auto terms = deviance_of<first, second>(x, zero + rows.unit[i], zero + rows.weight[i], power, expected);
    gradient[i] = terms.gradient[0];
    curvature[i] = terms.curvature[0];
    total += terms.value[0];
  }
  return total;
}

}  // namespace detail

// gradient and curvature: first and second derivative by each score z of the sum over rows of weight times half
// deviance, which is returned. One pass; blocks of rows are added in order.
inline double deviance_terms(const DevianceRows& rows, View<const double> z, View<double> gradient,
                             View<double> curvature) {
  const Blocks blocks(z.size, detail::deviance_block);
  std::vector<double> sums(blocks.count);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    const auto add = rows.power == 1   ? detail::add_deviance<true, false>
                     : rows.power == 2 ? detail::add_deviance<false, true>
                                       : detail::add_deviance<true, true>;
    sums[block] = add(rows, z, blocks.begin(block), blocks.end(block), gradient, curvature);
  });
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

}  // namespace learnable
