// Losses of rows of scores: the value, and the derivative by each score in place of the scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "learnable/matrix/view.hpp"

namespace learnable::network {

enum class OutputLoss { softmax, logistic, squared, poisson, absolute, huber, quantile, log_cosh, hinge, squared_hinge };
constexpr int loss_count = 10;

// `parameter`: the threshold of huber, the level of quantile, and how many positions with classes of their own a row has
// for softmax (0: one); `smoothing`: of the classes of softmax and logistic.
struct LossPlan {
  OutputLoss kind;
  double parameter, smoothing;

  bool by_class() const { return kind == OutputLoss::softmax; }
  index_t positions() const { return by_class() && parameter > 1 ? index_t(parameter) : 1; }
};

namespace detail {

template <class T>
inline T clipped_log(T p) {
  constexpr T least = std::numeric_limits<T>::epsilon();
  return std::log(std::min(std::max(p, least), 1 - least));
}

// The scores of a row as probabilities of its classes.
template <class T>
inline void softmax(T* z, index_t classes) {
  const T top = *std::max_element(z, z + classes);
  T total = 0;
  for (index_t k = 0; k < classes; ++k) total += z[k] = std::exp(z[k] - top);
  for (index_t k = 0; k < classes; ++k) z[k] /= total;
}

template <class T>
inline double softmax_row(const LossPlan& plan, T code, T* z, index_t classes) {
  softmax(z, classes);
  const T other = T(plan.smoothing / double(classes)), own = T(1 - plan.smoothing) + other;
  const index_t c = index_t(code);
  double value = 0;
  for (index_t k = 0; k < classes; ++k) {
    const T target = k == c ? own : other;
    if (target != 0) value -= double(target) * double(clipped_log(z[k]));
    z[k] -= target;
  }
  return value;
}

template <class T>
inline double entry_loss(const LossPlan& plan, T y, T& z) {
  const T a = T(plan.parameter), residual = z - y;
  switch (plan.kind) {
    case OutputLoss::logistic: {
      const T p = 1 / (1 + std::exp(-z)), target = y * T(1 - plan.smoothing) + T(plan.smoothing / 2);
      z = p - target;
      return -double(target) * double(clipped_log(p)) - double(1 - target) * double(clipped_log(T(1 - p)));
    }
    case OutputLoss::poisson: {
      const T mean = std::exp(z), perfect = y > 0 ? y * std::log(y / mean) : T(0);
      z = mean - y;
      return double(perfect + z);
    }
    case OutputLoss::absolute: z = T((residual > 0) - (residual < 0)); return std::abs(double(residual));
    case OutputLoss::huber:
      if (std::abs(residual) <= a) return z = residual, 0.5 * double(residual) * double(residual);
      z = residual > 0 ? a : -a;
      return double(a) * (std::abs(double(residual)) - 0.5 * double(a));
    case OutputLoss::quantile:
      z = residual > 0 ? 1 - a : residual < 0 ? -a : T(0);
      return double(z) * double(residual);
    case OutputLoss::log_cosh:
      z = std::tanh(residual);
      return std::abs(double(residual)) + std::log1p(std::exp(-2 * std::abs(double(residual)))) - M_LN2;
    case OutputLoss::hinge: {
      const T margin = 1 - y * z;
      z = margin > 0 ? -y : T(0);
      return std::max(double(margin), 0.0);
    }
    case OutputLoss::squared_hinge: {
      const T margin = std::max(1 - y * z, T(0));
      z = -2 * y * margin;
      return double(margin) * double(margin);
    }
    default: z = residual; return 0.5 * double(residual) * double(residual);
  }
}

}  // namespace detail

// The loss of a row, summed over its outputs; z becomes the derivative by the scores. y has a code for each position of
// softmax, of which the mean counts and NaN as nothing, else an entry for each output.
template <class T>
double row_loss(const LossPlan& plan, const T* y, T* z, index_t outputs) {
  double total = 0;
  if (plan.by_class()) {
    const index_t positions = plan.positions(), classes = outputs / positions;
    for (index_t p = 0; p < positions; ++p, z += classes) {
      if (std::isnan(y[p])) {
        std::fill_n(z, classes, T(0));
        continue;
      }
      total += detail::softmax_row(plan, y[p], z, classes);
      for (index_t k = 0; k < classes && positions > 1; ++k) z[k] /= T(positions);
    }
    return total / double(positions);
  }
  for (index_t k = 0; k < outputs; ++k) total += detail::entry_loss(plan, y[k], z[k]);
  return total;
}

// The scores of a row as predictions: probabilities, means, or the scores themselves.
template <class T>
void predict_row(const LossPlan& plan, T* z, index_t outputs) {
  if (plan.by_class()) {
    const index_t classes = outputs / plan.positions();
    for (index_t first = 0; first < outputs; first += classes) detail::softmax(z + first, classes);
    return;
  }
  for (index_t k = 0; k < outputs; ++k) {
    if (plan.kind == OutputLoss::logistic) z[k] = 1 / (1 + std::exp(-z[k]));
    if (plan.kind == OutputLoss::poisson) z[k] = std::exp(z[k]);
  }
}

}  // namespace learnable::network
