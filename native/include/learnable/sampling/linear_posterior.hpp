// The posterior of a normal linear model, with normal effects of groups integrated out, from sums over the rows.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/sampling/log_density.hpp"

namespace learnable::sampling {

// Rows are (x, y) with the intercept among x. Parameters are z and log sigma; coefficients are
// w = sigma z, or with groups s z, about the values and in the directions that the caller has chosen.
//
//   y = x w + u_g + sigma e,   u_g ~ N(0, tau^2),   sigma, tau ~ Exponential(rate),   w a priori exp(-v' prior v / 2)
//
// with v = (-w, 1). `gram` is the sum of weight (x, y) (x, y)'. Groups come by their weight: `counts` groups have the
// weight `sizes`, and the squared sums of their residuals add up to those of the rows `sums` from `begin` on.
//
// With groups chains move in log s and logit f, where s^2 = sigma^2 + tau^2 and f = tau^2 / s^2: groups of one row leave
// f to its prior, and the posterior is a curved ridge in log sigma and log tau. The Jacobian of this map is 1 / 2.
struct LinearData {
  std::vector<double> gram, prior, sums, sizes, counts;
  std::vector<index_t> begin;
  index_t width = 0;  // coefficients and y
  double weight = 0, sigma_rate = 1, tau_rate = 1;

  bool grouped() const { return !sizes.empty(); }
  index_t dimension() const { return width + grouped(); }
};

class LinearPosterior final : public LogDensity {
 public:
  explicit LinearPosterior(const LinearData& data) : data_(data), v_(data.width), u_(data.width) {
    for (const double count : data.counts) groups_ += count;
  }
  index_t dimension() const override { return data_.dimension(); }

  double evaluate(const double* x, double* gradient) override {
    const index_t P = data_.width - 1;
    if (!data_.grouped()) return of_scales(x, x[P], 0, gradient);
    const double tail = std::exp(-std::abs(x[P + 1])), whole = 1 + tail;
    const double fraction = (x[P + 1] < 0 ? tail : 1) / whole;
    const double log_fraction = std::min(x[P + 1], 0.0) - std::log(whole);
    const double found = of_scales(x, x[P] + (log_fraction - x[P + 1]) / 2, x[P] + log_fraction / 2, gradient);
    const double by_sigma = by_sigma_, by_tau = gradient[P + 1];
    gradient[P] += by_tau;
    gradient[P + 1] = ((1 - fraction) * by_tau - fraction * by_sigma) / 2;
    return found;
  }

 private:
  // The log density of z, log sigma and log tau.
  double of_scales(const double* x, double log_sigma, double log_tau, double* gradient) {
    const index_t Q = data_.width, P = Q - 1;
    const double sigma = std::exp(log_sigma), noise = sigma * sigma, scale = std::exp(x[P]);
    for (index_t j = 0; j < P; ++j) v_[j] = -scale * x[j];
    v_[P] = 1;
    const double prior = product(data_.prior);
    std::copy_n(u_.begin(), P, gradient);
    double squares = product(data_.gram), log_density = -prior / 2;
    double log_determinant = (data_.weight - groups_) * 2 * log_sigma;
    by_noise_ = 0;
    if (data_.grouped()) log_determinant += with_groups(log_tau, noise, squares, gradient[P + 1], log_density);
    squares = std::max(squares, 0.0);
    log_density -= (squares / noise + log_determinant) / 2;
    double by_scale = 0;
    for (index_t j = 0; j < P; ++j) {
      gradient[j] = scale * (gradient[j] + u_[j] / noise);
      by_scale += x[j] * gradient[j];
    }
    by_sigma_ = squares / noise - (data_.weight - groups_) - by_noise_ * noise + 1 - data_.sigma_rate * sigma;
    gradient[P] = by_scale + double(P) + by_sigma_;
    return log_density + double(P) * x[P] + log_sigma - data_.sigma_rate * sigma;
  }

  // u = matrix v; v' u.
  double product(const std::vector<double>& matrix) {
    const index_t Q = data_.width;
    double total = 0;
    for (index_t i = 0; i < Q; ++i) {
      double sum = 0;
      for (index_t j = 0; j < Q; ++j) sum += matrix[i * Q + j] * v_[j];
      u_[i] = sum;
      total += sum * v_[i];
    }
    return total;
  }

  // What the groups change: `squares`, and u, the gradient of half of it. Returns their part of the log determinant.
  double with_groups(double log_tau, double noise, double& squares, double& by_log_tau, double& log_density) {
    const index_t Q = data_.width;
    const double tau = std::exp(log_tau), spread = tau * tau;
    double determinant = 0, by_spread = 0;
    for (std::size_t m = 0; m < data_.sizes.size(); ++m) {
      const double total = noise + data_.sizes[m] * spread, shrinkage = spread / total;
      double residuals = 0;
      for (index_t r = data_.begin[m]; r < data_.begin[m + 1]; ++r) {
        const double* sums = data_.sums.data() + r * Q;
        double residual = 0;
        for (index_t j = 0; j < Q; ++j) residual += sums[j] * v_[j];
        residuals += residual * residual;
        for (index_t j = 0; j < Q; ++j) u_[j] -= shrinkage * residual * sums[j];
      }
      const double ratio = residuals / (total * total);
      squares -= shrinkage * residuals;
      determinant += data_.counts[m] * std::log(total);
      by_noise_ += spread * ratio / noise + data_.counts[m] / total;
      by_spread += data_.counts[m] * data_.sizes[m] / total - ratio;
    }
    by_log_tau = 1 - data_.tau_rate * tau - spread * by_spread;
    log_density += log_tau - data_.tau_rate * tau;
    return determinant;
  }

  const LinearData& data_;
  std::vector<double> v_, u_;
  double groups_ = 0, by_noise_ = 0, by_sigma_ = 0;  // by_noise_ is that of the parts of groups
};

}  // namespace learnable::sampling
