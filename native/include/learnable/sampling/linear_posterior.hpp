// The posterior of a normal linear model, with normal effects of groups integrated out, from sums over the rows.
#pragma once

#include <vector>

#include "learnable/sampling/log_density.hpp"

namespace learnable::sampling {

// Rows z = (1, x, y). `gram` is the sum of weight z z', `groups` the sums of weight z by group, of which the first entry
// is the weight of the group. Parameters: intercept, coefficients, log sigma, and with groups log tau.
//
//   y = b + x w + u_g + sigma e,   u_g ~ N(0, tau^2),   b, w ~ N(0, scale^2),   sigma, tau ~ Exponential(rate)
struct LinearData {
  std::vector<double> gram, groups, scale;
  index_t width = 0, group_count = 0;  // width: 1 + coefficients + 1
  double sigma_rate = 1, tau_rate = 1;

  index_t dimension() const { return width - 1 + 1 + (group_count > 0); }
};

class LinearPosterior final : public LogDensity {
 public:
  explicit LinearPosterior(const LinearData& data) : data_(data), v_(data.width), u_(data.width) {}
  index_t dimension() const override { return data_.dimension(); }

  double evaluate(const double* x, double* gradient) override {
    const index_t Q = data_.width, P = Q - 1;
    for (index_t j = 0; j < P; ++j) v_[j] = -x[j];
    v_[P] = 1;
    double squares = 0;
    for (index_t i = 0; i < Q; ++i) {
      double sum = 0;
      for (index_t j = 0; j < Q; ++j) sum += data_.gram[i * Q + j] * v_[j];
      u_[i] = sum;
      squares += sum * v_[i];
    }
    const double sigma = std::exp(x[P]), noise = sigma * sigma;
    double log_density = 0;
    by_noise_ = 0;
    double log_determinant = (data_.gram[0] - double(data_.group_count)) * 2 * x[P];
    if (data_.group_count > 0) log_determinant += with_groups(x[P + 1], noise, squares, gradient[P + 1], log_density);
    squares = std::max(squares, 0.0);
    log_density -= (squares / noise + log_determinant) / 2;
    for (index_t j = 0; j < P; ++j) {
      const double shrunk = x[j] / (data_.scale[j] * data_.scale[j]);
      gradient[j] = u_[j] / noise - shrunk;
      log_density -= x[j] * shrunk / 2;
    }
    gradient[P] = squares / noise - (data_.gram[0] - double(data_.group_count)) - by_noise_ * noise;
    gradient[P] += 1 - data_.sigma_rate * sigma;
    return log_density + x[P] - data_.sigma_rate * sigma;
  }

 private:
  // What the groups change: `squares`, and u, the gradient of half of it. Returns their part of the log determinant.
  double with_groups(double log_tau, double noise, double& squares, double& by_log_tau, double& log_density) {
    const index_t Q = data_.width;
    const double tau = std::exp(log_tau), spread = tau * tau;
    double determinant = 0, by_spread = 0;
    for (index_t g = 0; g < data_.group_count; ++g) {
      const double* sums = data_.groups.data() + g * Q;
      double residual = 0;
      for (index_t j = 0; j < Q; ++j) residual += sums[j] * v_[j];
      const double total = noise + sums[0] * spread, ratio = residual / total;
      const double shrunk = spread * ratio;
      for (index_t j = 0; j < Q; ++j) u_[j] -= shrunk * sums[j];
      squares -= shrunk * residual;
      determinant += std::log(total);
      by_noise_ += spread * ratio * ratio / noise + 1 / total;
      by_spread += sums[0] / total - ratio * ratio;
    }
    by_log_tau = 1 - data_.tau_rate * tau - spread * by_spread;
    log_density += log_tau - data_.tau_rate * tau;
    return determinant;
  }

  const LinearData& data_;
  std::vector<double> v_, u_;
  double by_noise_ = 0;  // of the parts of groups
};

}  // namespace learnable::sampling
