// Stochastic gradient descent on a linear model z = x . w + b: one step per row, in the order given.
//
// The weights are kept as scale * v, so that the shrinkage of the squared penalty costs one product per row, and a step
// touches only the columns that the row holds. The absolute penalty is cumulative: a weight is moved towards zero by all
// the pull it has missed since its column was last seen, and never across zero. [Tsuruoka et al., 2009]
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

// The first four price the error of a number, the others the margin y z of a class y in {-1, 1}.
enum class SgdLoss {
  squared, huber, epsilon_insensitive, squared_epsilon_insensitive, hinge, squared_hinge, modified_huber, logistic,
  exponential, step
};
enum class SgdRate { constant, optimal, inverse_scaling, passive_one, passive_two };

// Price of the score z for the target y, and its derivative by z. `epsilon` is where a tube or a bend ends, and for the
// hinge the margin that is wanted: 1, or 0 for the perceptron, whose rule also moves for a score of exactly zero. For
// the step, the perceptron's rule for targets 0 and 1, such a score is of class 1.
struct PointLoss {
  SgdLoss kind;
  double epsilon;

  double value(double y, double z) const {
    const double size = std::abs(y - z), short_of = 1 - y * z;
    switch (kind) {
      case SgdLoss::hinge: return std::max(0.0, epsilon - y * z);
      case SgdLoss::squared_hinge: return short_of > 0 ? short_of * short_of : 0;
      case SgdLoss::modified_huber: return short_of > 2 ? 4 * (short_of - 1) : short_of > 0 ? short_of * short_of : 0;
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

// What the margin gains by a step of the exponential loss whose slope is that at its end: u = rate e^-(margin + u). The
// slope at its start outgrows every rate, and one row would throw the weights so far that the next throws them further;
// steps that are small are the same either way. Newton's method on u + log u. [Toulis and Airoldi, 2017]
// Not inlined: its logarithms take longer than a call, and are not compiled for every kind of rows.
[[gnu::noinline]] inline double implicit_gain(double rate, double margin) {
  const double wanted = std::log(rate) - margin;
  if (wanted < -36) return std::exp(wanted);  // where u is too small to matter in its own slope
  double u = wanted > 1 ? wanted - std::log(wanted) : std::exp(std::min(wanted, 0.0)) / 2;
  for (int round = 0; round < 6; ++round) u *= (1 + wanted - std::log(u)) / (1 + u);
  return u;
}

// What stays the same over a fit. `l1` and `l2` are the strengths of the two penalties; `intercept_step` is the share of
// a step that the intercept takes (0: there is none), `intercept_cost` a price of one unit of it; steps from number
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

  // How far the weights go along x for a row of the given weight; very large gradients are cut so that one bad row
  // cannot overflow.
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

// What changes: weights, their average, the pull of the absolute penalty that each weight has taken, and the numbers,
// of which `moves` counts the rows of the last epoch whose loss had a slope: for the perceptron, its mistakes.
// `average` and `pulled` are empty where the plan has no use for them.
struct SgdState {
  View<double> w, average, pulled;
  double &intercept, &average_intercept, &t, &pull, &moves;
};

// Draws an order of the entries of `order` from `key`, every order being equally likely (up to 64 random bits a swap).
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
      : v_(state.w), sum_(state.average), pulled_(state.pulled) {
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

  // w += step * x, then every weight that x touches is pulled to zero by what it still owes of `pull`.
  template <class Row>
  void add_and_pull(const Row& x, double step, double pull) {
    const double along = step * unscale_, unscale = unscale_, scale = scale_, past = past_;
    double *v = v_.data, *pulled = pulled_.data, *sum = sum_.data, squared[8] = {}, absolute[8] = {};
    x.each([&](index_t j, double value, int lane) {
      const double before = v[j], moved = before + along * value;
      const double from_above = std::max(0.0, moved - (pull + pulled[j]) * unscale);
      const double from_below = std::min(0.0, moved + (pull - pulled[j]) * unscale);
      const double after = moved > 0 ? from_above : from_below;
      pulled[j] += scale * (after - moved);
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
  View<double> v_, sum_, pulled_;
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
    const double kept = std::max(0.0, 1 - eta * plan.l2);
    state.moves += step != 0;
    if (kept != 1) w.shrink(kept);
    if (plan.l1 > 0)
      w.add_and_pull(x, step, state.pull += eta * plan.l1);
    else if (step != 0)
      w.add(x, step, kept * product, norms[i]);
    state.intercept += (step - eta * plan.intercept_cost) * plan.intercept_step;
    state.t += 1;
    if (averaged() > 0) {
      w.remember();
      state.average_intercept += (state.intercept - state.average_intercept) / averaged();
    }
    work += x.size + 32;
    if (work > (1 << 22)) look_up(), work = 0;
  }
  w.settle();
  if (averaged() > 0)
    for (double& mean : state.average) mean /= averaged();
  const bool finite = std::all_of(state.w.begin(), state.w.end(), [](double v) { return std::isfinite(v); });
  return finite && std::isfinite(state.intercept) ? total : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace learnable
