// Stochastic gradient descent on a linear model z = x . w + b: one step per row, in the order given.
//
// The weights are stored as scale * v, so that the shrinkage of the squared penalty costs one product per row, and a
// step touches only the columns of the row's entries. The absolute penalty is cumulative: a weight is moved towards
// zero by the penalty accumulated since its column last occurred, and never across zero. [Tsuruoka et al., 2009]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/single_row.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

// The first four are losses of a regression target, the others of the margin y z of a class y in {-1, 1}.
enum class SgdLoss {
  squared, huber, epsilon_insensitive, squared_epsilon_insensitive, hinge, squared_hinge, modified_huber, logistic,
  exponential, step
};
enum class SgdRate { constant, optimal, inverse_scaling, passive_one, passive_two };

// Loss of the score z for the target y, and its derivative by z. `epsilon` is the half-width of a tube or of a
// quadratic region, and for the hinge the required margin: 1, or 0 for the perceptron, whose rule also moves for a
// score of exactly zero. For the step, the perceptron's rule for targets 0 and 1, such a score is of class 1.
struct PointLoss {
  SgdLoss kind;
  double epsilon;

  double value(double y, double z) const {
    const double size = std::abs(y - z), violation = 1 - y * z;
    switch (kind) {
      case SgdLoss::hinge: return std::max(0.0, epsilon - y * z);
      case SgdLoss::squared_hinge: return violation > 0 ? violation * violation : 0;
      case SgdLoss::modified_huber: return violation > 2 ? 4 * (violation - 1) : violation > 0
          ? violation * violation : 0;
      case SgdLoss::logistic: return std::max(0.0, -y * z) + std::log1p(std::exp(-std::abs(z)));
      case SgdLoss::exponential: return std::exp(-y * z);
      case SgdLoss::step: return std::max(0.0, -y * z);
      case SgdLoss::squared: return 0.5 * size * size;
      case SgdLoss::huber: return size <= epsilon ? 0.5 * size * size : epsilon * (size - 0.5 * epsilon);
      case SgdLoss::epsilon_insensitive: return std::max(0.0, size - epsilon);
      default: return size <= epsilon ? 0 : (size - epsilon) * (size - epsilon);
    }
  }
  double gradient(double y, double z) const {
    const double excess = z - y, inside = std::clamp(excess, -epsilon, epsilon);
    switch (kind) {
      case SgdLoss::hinge: return y * z <= epsilon ? -y : 0;
      case SgdLoss::squared_hinge: return -2 * y * std::max(0.0, 1 - y * z);
      case SgdLoss::modified_huber: return -2 * y * std::clamp(1 - y * z, 0.0, 2.0);
      case SgdLoss::logistic: return -y / (1 + std::exp(y * z));
      case SgdLoss::exponential: return -y * std::exp(-y * z);
      case SgdLoss::step: return double(z >= 0) - double(y > 0);
      case SgdLoss::squared: return excess;
      case SgdLoss::huber: return inside;
      case SgdLoss::epsilon_insensitive: return double(excess > epsilon) - double(excess < -epsilon);
      default: return 2 * (excess - inside);
    }
  }
};

// The gain of the margin by an implicit step of the exponential loss, with the gradient at its end: u = rate e^-(margin
// + u). The gradient at its start is unbounded, so that explicit steps may diverge; small steps are the same either
// way. Newton's method on u + log u. [Toulis and Airoldi, 2017] Not inlined: its logarithms take longer than a call,
// and are not compiled for every kind of rows.
[[gnu::noinline]] inline double implicit_gain(double rate, double margin) {
  const double exponent = std::log(rate) - margin;
  if (exponent < -36) return std::exp(exponent);  // where u is too small to matter in the exponent
  double u = exponent > 1 ? exponent - std::log(exponent) : std::exp(std::min(exponent, 0.0)) / 2;
  for (int round = 0; round < 6; ++round) u *= (1 + exponent - std::log(u)) / (1 + u);
  return u;
}

// Constants of a fit. `l1` and `l2` are the regularisation strengths; `intercept_step` is the fraction of a step
// that is applied to the intercept (0: there is none), `intercept_cost` a linear cost of it; steps from number
// `average_from` on are averaged (0: none are).
struct SgdPlan {
  PointLoss loss;
  SgdRate rate;
  double eta, power, strength, optimal_start, l1, l2, intercept_step, intercept_cost, average_from;

  bool passive() const { return rate == SgdRate::passive_one || rate == SgdRate::passive_two; }

  double eta_at(double t) const {
    if (rate == SgdRate::optimal) return 1 / (strength * (optimal_start + t - 1));
    if (rate != SgdRate::inverse_scaling) return eta;
    if (power == 0.25) return eta / std::sqrt(std::sqrt(t));
    return eta / (power == 0.5 ? std::sqrt(t) : std::pow(t, power));
  }

  // The step length along x for a row of the given weight; very large gradients are clipped so that one outlier cannot
  // overflow.
  double step(double eta_now, double weight, double y, double z, double cost, double squared_norm) const {
    const double side = y < z ? -1 : 1;
    if (rate == SgdRate::passive_one) return weight * side * std::min(eta, cost / squared_norm);
    if (rate == SgdRate::passive_two) return weight * side * cost / (squared_norm + 0.5 / eta);
    const double reach = squared_norm + intercept_step;
    if (loss.kind == SgdLoss::exponential && reach > 0)  // at a rate of at most 1 / reach, the inverse curvature where z = 0
      return y * implicit_gain(weight * std::min(eta_now * reach, 1.0), y * z) / reach;
    return -weight * eta_now * std::clamp(loss.gradient(y, z), -1e12, 1e12);
  }
};

// The state: weights, their average, the absolute penalty applied to each weight so far, and scalars, of which `moves`
// counts the rows of the last epoch with a nonzero gradient: for the perceptron, its mistakes. `average` and
// `l1_applied` are empty where the plan does not need them.
struct SgdState {
  View<double> w, average, l1_applied;
  double &intercept, &average_intercept, &t, &l1_total, &moves;
};

// Random permutation of `order` from `key`, every order being equally likely (up to 64 random bits a swap).
inline void shuffle(View<std::int64_t> order, std::uint64_t key) {
  for (index_t left = order.size; left > 1; --left) {
    key += 0x9E3779B97F4A7C15;
    std::uint64_t bits = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    bits ^= bits >> 31;
    const auto chosen = index_t((unsigned __int128)(bits) * std::uint64_t(left) >> 64);
    std::swap(order[left - 1], order[chosen]);
  }
}

// Weights scale * v with their squared and absolute size, and past sums of weights kept as past * v + sum.
class ScaledWeights {
 public:
  [[gnu::noinline]] ScaledWeights(const SgdState& state, double averaged)
      : v_(state.w), sum_(state.average), l1_applied_(state.l1_applied) {
    for (double w : v_) squared_ += w * w, absolute_ += std::abs(w);
    for (double& s : sum_) s *= averaged;
  }

  template <class Row>
  double dot(const Row& x) const { return scale_ * x.dot(v_); }

  double penalty(const SgdPlan& plan) const { return 0.5 * plan.l2 * squared_ + plan.l1 * absolute_; }

  void shrink(double factor) {
    scale_ *= factor;
    squared_ *= factor * factor;
    absolute_ *= factor;
    unscale_ = 1 / scale_;
    if (scale_ < 1e-9) settle();
  }

  // w += step * x, where product is w . x and squared_norm is x . x.
  template <class Row>
  void add(const Row& x, double step, double product, double squared_norm) {
    const double along = step * unscale_;
    x.axpy(along, v_);
    if (past_ != 0) x.axpy(-past_ * along, sum_);
    squared_ = std::max(0.0, squared_ + step * (2 * product + step * squared_norm));
  }

  // w += step * x, then the outstanding part of `l1_total` is applied to every weight that x touches.
  template <class Row>
  void add_with_l1(const Row& x, double step, double l1_total) {
    const double along = step * unscale_, unscale = unscale_, scale = scale_, past = past_;
    double *v = v_.data, *l1_applied = l1_applied_.data, *sum = sum_.data, squared[8] = {}, absolute[8] = {};
    x.each([&](index_t j, double value, int lane) {
      const double before = v[j], moved = before + along * value;
      const double from_above = std::max(0.0, moved - (l1_total + l1_applied[j]) * unscale);
      const double from_below = std::min(0.0, moved + (l1_total - l1_applied[j]) * unscale);
      const double after = moved > 0 ? from_above : from_below;
      l1_applied[j] += scale * (after - moved);
      squared[lane] += after * after - before * before;
      absolute[lane] += std::abs(after) - std::abs(before);
      v[j] = after;
      if (past != 0) sum[j] -= past * (after - before);
    });
    squared_ = std::max(0.0, squared_ + scale * scale * std::accumulate(squared, squared + 8, 0.0));
    absolute_ = std::max(0.0, absolute_ + scale * std::accumulate(absolute, absolute + 8, 0.0));
  }

  void remember() { past_ += scale_; }

  // Scale becomes 1 and the past moves into sum: rare, and so not inlined.
  [[gnu::noinline]] void settle() {
    if (past_ != 0)
      for (index_t j = 0; j < v_.size; ++j) sum_[j] += past_ * v_[j];
    past_ = 0;
    if (scale_ != 1)
      for (double& v : v_) v *= scale_;
    scale_ = unscale_ = 1;
  }

 private:
  View<double> v_, sum_, l1_applied_;
  double scale_ = 1, unscale_ = 1, past_ = 0, squared_ = 0, absolute_ = 0;
};

// One pass over the rows `order`, a step for each. weight may be empty (all one); norms[i] is x_i . x_i.
// Returns the sum over the rows of loss plus penalty, each taken before the row's step, or NaN if a weight is no longer
// finite. If it throws, the state is lost.
template <class Design>
double sgd_epoch(const Design& X, const SgdPlan& plan, View<const double> y, View<const double> weight,
                 View<const std::int64_t> order, View<const double> norms, const SgdState& state) {
  const auto averaged = [&] { return plan.average_from > 0 ? std::max(0.0, state.t - plan.average_from) : 0.0; };
  ScaledWeights w(state, averaged());
  index_t work = 0;
  double total = 0;
  state.moves = 0;
  for (index_t k = 0; k < order.size; ++k) {
    const index_t i = order[k], soon = order[std::min(k + 10, order.size - 1)];
    prefetch_start(X, order[std::min(k + 16, order.size - 1)]);
    row_of(X, soon).prefetch();
    __builtin_prefetch(&y[soon]);
    __builtin_prefetch(&norms[soon]);
    const auto x = row_of(X, i);
    if (plan.rate == SgdRate::passive_one && norms[i] == 0) continue;
    const double product = w.dot(x), z = product + state.intercept, eta = plan.eta_at(state.t);
    const double cost = plan.loss.value(y[i], z);
    total += plan.passive() ? cost : cost + w.penalty(plan) + plan.intercept_cost * state.intercept;
    const double step = plan.step(eta, weight.size ? weight[i] : 1.0, y[i], z, cost, norms[i]);
    const double decay = std::max(0.0, 1 - eta * plan.l2);
    state.moves += step != 0;
    if (decay != 1) w.shrink(decay);
    if (plan.l1 > 0)
      w.add_with_l1(x, step, state.l1_total += eta * plan.l1);
    else if (step != 0)
      w.add(x, step, decay * product, norms[i]);
    state.intercept += (step - eta * plan.intercept_cost) * plan.intercept_step;
    state.t += 1;
    if (averaged() > 0) {
      w.remember();
      state.average_intercept += (state.intercept - state.average_intercept) / averaged();
    }
    work += x.size + 32;
    if (work > (1 << 22)) poll_interrupt(), work = 0;
  }
  w.settle();
  if (averaged() > 0)
    for (double& mean : state.average) mean /= averaged();
  const bool finite = std::all_of(state.w.begin(), state.w.end(), [](double v) { return std::isfinite(v); });
  return finite && std::isfinite(state.intercept) ? total : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace learnable
