// Newton's method for a binary logistic model, one pass over the rows per step.
//
//   minimise over w, b    mean loss(code, x w + b) + strength |w|^2 / 2
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "learnable/linear/blocked_cholesky.hpp"
#include "learnable/linear/logistic_pass.hpp"

namespace learnable {

// The state of an optimisation, as a view of plain numbers: they can be stored, and an optimisation resumed from them
// gives the same bits.
struct LogisticState {
  index_t p;
  double* at;

  // Values of status; unfit: squares of columns out of range, or nearly collinear columns.
  static constexpr double searching = 0, stalled = 1, unfit = 2;
  static constexpr index_t scalars = 11;
  static index_t size(index_t p) { return scalars + 2 * (p + 1) + 4 * p + p * p + 1; }

  double& objective() const { return at[0]; }
  double& criterion() const { return at[1]; }  // largest entry of the gradient, relative to the terms that it sums
  double& status() const { return at[2]; }
  double& rate() const { return at[3]; }     // criterion over that before the last step
  double& best() const { return at[4]; }     // smallest criterion of earlier steps
  double& idle() const { return at[5]; }     // steps in a row that moved no more than rounding
  double& largest() const { return at[6]; }  // largest curvature of a row
  double& age() const { return at[7]; }      // of the curvature, in steps
  double& weight() const { return at[8]; }   // of the curvature: sum over rows
  // of the row gradients: their root mean square, at least that of a perfect fit
  double& size() const { return at[9]; }
  double& careful() const { return at[10]; }  // whether a column has outliers, so that magnitudes of terms are needed
  double* coef() const { return at + scalars; }                // p, then the constant
  double* gradient() const { return coef() + p + 1; }          // of the loss: p about the shift, then by the constant
  double* shift() const { return gradient() + p + 1; }         // p
  double* norm() const { return shift() + p; }                 // p: root mean squares of the columns
  double* far() const { return norm() + p; }                   // p: largest distances of entries from the shift
  double* mean() const { return far() + p; }                   // p: centre of the curvature
  Grid<double> gram() const { return {mean() + p, p, p, p}; }  // the curvature, the constant eliminated
  double& level() const { return at[size(p) - 1]; }            // the score at the shift; the constant follows from it
};

namespace detail {

// Solves (G + ridge) x = r for a positive semi-definite G after scaling its diagonal to one; where it is nearly
// singular an increasing diagonal is added, which changes the solution only along near-null directions of G.
class ScaledCholesky {
 public:
  ScaledCholesky(Grid<const double> G, double ridge) : p_(G.rows), scale_(G.rows), factor_(G.rows, G.rows) {
    for (index_t i = 0; i < p_; ++i) {
      const double diagonal = G(i, i) + ridge;
      scale_[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0;
    }
    const double epsilon = std::numeric_limits<double>::epsilon();
    for (const double extra : {4 * double(p_) * epsilon, 1e-9, 1e-6, 1e-3, 1.0, double(p_)}) {
      for (index_t i = 0; i < p_; ++i)
        for (index_t j = 0; j <= i; ++j) factor_.grid(i, j) = i == j ? 1 + extra : G(i, j) * scale_[i] * scale_[j];
      if (coordinate::factorise(factor_.grid, 0) && (extra >= 1e-9 || min_pivot() > 1e-11)) break;
    }
  }

  // The smallest squared pivot: small where some column is nearly a linear combination of others.
  double min_pivot() const {
    double smallest = 1;
    for (index_t i = 0; i < p_; ++i) smallest = std::min(smallest, factor_.grid(i, i) * factor_.grid(i, i));
    return smallest;
  }

  // x becomes the solution for the right-hand side x.
  void solve(double* x) const {
    const Grid<double> L = factor_.grid;
    for (index_t i = 0; i < p_; ++i) {
      double entry = x[i] * scale_[i];
      for (index_t k = 0; k < i; ++k) entry -= L(i, k) * x[k];
      x[i] = entry / L(i, i);
    }
    for (index_t i = p_ - 1; i >= 0; --i) {
      x[i] /= L(i, i);
      for (index_t k = 0; k < i; ++k) x[k] -= L(i, k) * x[i];
    }
    for (index_t i = 0; i < p_; ++i) x[i] *= scale_[i];
  }

 private:
  index_t p_;
  Buffer scale_;
  Scratch factor_;
};

}  // namespace detail

// The optimiser. A step solves with the current curvature and makes one pass over the rows at the new point, and more
// at shorter steps if the objective has not decreased. That pass computes the curvature too while the gradient is
// large; near the minimum the old one is kept as long as it reduces the gradient well. A step so short that the
// gradient at its end is provably small enough needs no pass; without `sure`, a likely bound is enough.
class LogisticNewton {
 public:
  LogisticNewton(const LabelledRows& rows, double strength, bool intercept, double tolerance, bool sure = true)
      : rows_(rows), p_(rows.columns), strength_(strength), intercept_(intercept), tolerance_(tolerance),
        sure_(sure) {}

  index_t columns() const { return p_; }

  // Fills in the state from its coefficients, constant last.
  void start(const LogisticState& state) const {
    std::fill_n(state.shift(), p_, 0.0);
    if (intercept_) choose_shift(state.shift());
    state.level() = state.coef()[p_] + along(state.shift(), state.coef());
    begin(state);
    if (detail::ScaledCholesky(state.gram(), 0).min_pivot() < near_collinear) state.status() = LogisticState::unfit;
  }

  void step(const LogisticState& state) const {
    const Buffer gradient(p_ + 1), move(p_ + 1), there(p_);
    const detail::ScaledCholesky factor(state.gram(), strength_);
    for (index_t j = 0; j <= p_; ++j) gradient[j] = state.gradient()[j] + (j < p_ ? strength_ * state.coef()[j] : 0);
    move_against(state, factor, gradient.data(), move.data());
    if (ends_without_pass(state, move.data(), dot(gradient.data(), move.data()))) return;
    add_chebyshev_correction(state, factor, gradient.data(), move.data());
    const double descent = dot(gradient.data(), move.data()), before = state.objective();
    const bool curvature = needs_curvature(state);
    const LogisticRequest request = curvature || !state.careful() ? LogisticRequest{.curvature = curvature}
        : with_reach(state);
    double length = 1;
    for (int trial = 0; trial < max_trials; ++trial) {
      for (index_t j = 0; j < p_; ++j) there[j] = state.coef()[j] + length * move[j];
      const double level = state.level() + length * move[p_];
      const LogisticSums sums = evaluate(state, there.data(), level, request);
      const double value = sums.loss + penalty(there.data()), curvature_change = value - before - length * descent;
      if (curvature_change <= (1e-4 - 1) * length * descent + rounding * std::abs(before)) {
        settle(state, there.data(), level);
        return arrive(state, sums, request, descent);
      }
      const double bottom = -descent * length / (2 * curvature_change);  // of the parabola through the known values
      length *= std::isfinite(bottom) ? std::clamp(bottom, 0.1, 0.5) : 0.1;
    }
    give_up(state);
  }

 private:
  static constexpr double near_collinear = 1e-8;  // pivots below it need a closer analysis of the columns
  static constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  static constexpr double perfect = 1e-6;  // root mean square of row gradients below which the fit is perfect
  static constexpr double min_curvature = 1e-40;  // of the largest: keeps every row in the Hessian
  static constexpr index_t few_columns = 64;  // columns up to which a curvature costs less than another pass
  static constexpr double near_minimum = 1e-3, good_rate = 0.1;
  static constexpr double outlier_factor = 100;  // times the usual size of entries
  static constexpr double notable = 0.9;  // of the smallest criterion so far: progress if below
  static constexpr double smallest_square = 1e-240, largest_square = 1e240;
  static constexpr int max_trials = 60, patience = 10;
  static constexpr index_t sampled_rows = 8192;  // rows sampled where an accuracy of a tenth is enough

  const LabelledRows& rows_;
  index_t p_;
  double strength_;
  bool intercept_;
  double tolerance_;
  bool sure_;

  // Some rows spread over all.
  Panel some_rows() const {
    const index_t sample = std::min<index_t>(rows_.rows, 63);
    const Buffer zero(p_, 0), one(sample, 1);
    Panel some(sample, p_);
    for (index_t k = 0; k < sample; ++k)
      rows_.fill(k * rows_.rows / sample, 1, zero.data(), one.data(), some, k);
    return some;
  }

  // Their median, which is robust to outliers.
  void choose_shift(double* shift) const {
    const Panel some = some_rows();
    const Buffer column(some.rows());
    for (index_t j = 0; j < p_; ++j) {
      for (index_t k = 0; k < some.rows(); ++k) column[k] = some(k, j);
      std::nth_element(column.data(), column.data() + some.rows() / 2, column.data() + some.rows());
      shift[j] = column[some.rows() / 2];
    }
  }

  // Whether the root mean square of a column is far beyond the geometric mean of some of its entries.
  bool has_outliers(const LogisticState& state) const {
    const Panel some = some_rows();
    for (index_t j = 0; j < p_; ++j) {
      double logs = 0, count = 0;
      for (index_t k = 0; k < some.rows(); ++k) {
        const double size = std::abs(some(k, j));
        if (size > 0) logs += std::log(size), count += 1;
      }
      const double usual = std::exp(logs / std::max(count, 1.0)) * std::sqrt(count / double(some.rows()));
      if (count > 0 && state.norm()[j] > outlier_factor * usual) return true;
    }
    return false;
  }

  double largest_weight() const {
    double largest = rows_.weight ? 0 : 1;
    for (index_t i = 0; rows_.weight && i < rows_.rows; ++i) largest = std::max(largest, rows_.weight(i));
    return largest / rows_.total;
  }

  double along(const double* x, const double* coef) const {
    double sum = 0;
    for (index_t j = 0; j < p_; ++j) sum += x[j] * coef[j];
    return sum;
  }

  LogisticSums evaluate(const LogisticState& state, const double* coef, double level, LogisticRequest request) const {
    return logistic_pass(rows_, {coef, level, state.shift(), min_curvature * state.largest()}, request);
  }

  void begin(const LogisticState& state) const {
    state.status() = LogisticState::searching;
    state.idle() = 0;
    state.rate() = 1;
    state.best() = std::numeric_limits<double>::infinity();
    state.largest() = 0.25 * largest_weight();
    const LogisticRequest request{.curvature = true, .sizes = true};
    const LogisticSums sums = evaluate(state, state.coef(), state.level(), request);
    for (index_t j = 0; j < p_; ++j) {
      const double square = sums.squares[j];
      if (!(square > smallest_square && square < largest_square)) state.status() = LogisticState::unfit;
      state.norm()[j] = std::sqrt(square);
      const double usual = std::max(state.norm()[j] - std::abs(state.shift()[j]), 0.0);
      state.far()[j] = sure_ ? sums.far[j] : usual;
    }
    state.careful() = has_outliers(state);
    keep(state, sums, request);
  }

  double penalty(const double* coef) const {
    double square = 0;
    for (index_t j = 0; j < p_; ++j) square += coef[j] * coef[j];
    return strength_ / 2 * square;
  }

  // Stores the sums of a pass at the coefficients of the state.
  void keep(const LogisticState& state, const LogisticSums& sums, LogisticRequest request) const {
    state.objective() = sums.loss + penalty(state.coef());
    state.largest() = sums.largest;
    std::copy_n(sums.gradient.data(), p_, state.gradient());
    state.gradient()[p_] = intercept_ ? sums.intercept_gradient : 0;
    state.age() += 1;
    if (request.curvature) keep_curvature(state, sums);
    const double gradients = std::sqrt(sums.gradient_square), changes = std::sqrt(sums.change_square);
    state.size() = std::max(gradients, perfect);
    state.criterion() = optimality_violation(state, state.coef(), state.gradient(), state.size() + doubt() * changes, 0);
    if (state.criterion() > tolerance_ || !state.careful()) return;
    const LogisticSums again = request.reach ? LogisticSums()
        : evaluate(state, state.coef(), state.level(), with_reach(state));
    const double ratio = largest_ratio(state, request.reach ? sums : again, gradients > 0 ? state.size() / gradients : 1);
    state.criterion() = std::max(state.criterion(), ratio);
  }

  LogisticRequest with_reach(const LogisticState& state) const {
    return {.reach = true, .doubt = doubt(), .faint = tolerance_ * state.size()};
  }

  // The factor of rounding errors that makes them tolerable under the tolerance.
  double doubt() const { return rounding / std::max(tolerance_, rounding); }

  // The largest entry of the gradient about the shift, each relative to the magnitudes of its terms: an outlier counts
  // by its own gradient, where root mean squares of columns would hide all other rows. The remaining gradients of rows
  // whose margins grow without bound do not cancel: then the other rows are evaluated alone.
  double largest_ratio(const LogisticState& state, const LogisticSums& sums, double growth) const {
    const double whole = ratio_without(state, sums, growth, 0);
    if (whole <= tolerance_ || sums.faint_reach[p_] == 0) return whole;
    return std::min(whole, ratio_without(state, sums, growth, 1));
  }

  // The same without the fraction `faint` of the faint rows.
  double ratio_without(const LogisticState& state, const LogisticSums& sums, double growth, double faint) const {
    double worst = 0;
    for (index_t j = 0; j <= p_; ++j) {
      const double penalty_gradient = j < p_ ? strength_ * state.coef()[j] : 0;
      const double reach = std::max(0.0, sums.reach[j] - faint * sums.faint_reach[j]);
      const double scale = growth * reach + std::abs(penalty_gradient);
      const double entry = state.gradient()[j] - (j < p_ || intercept_ ? faint * sums.faint_gradient[j] : 0);
      if (scale > 0) worst = std::max(worst, std::abs(entry + penalty_gradient) / scale);
    }
    return worst;
  }

  void keep_curvature(const LogisticState& state, const LogisticSums& sums) const {
    const Grid<double> products = sums.products.grid, gram = state.gram();
    state.weight() = sums.total_curvature;
    state.age() = 0;
    for (index_t i = 0; i < p_; ++i) {
      const double mean = intercept_ ? products(i, p_) / sums.total_curvature : 0;
      state.mean()[i] = state.shift()[i] + mean;
      for (index_t j = i; j < p_; ++j) gram(i, j) = gram(j, i) = products(i, j) - mean * products(j, p_);
    }
  }

  // The largest entry of a gradient of the loss at coefficients, each relative to its value without cancellation: at
  // most 1. Entries about the means of the columns count too, as for columns far from zero the others are small before
  // any fit. The error of the gradient is at most `unknown` times the largest entry of a column.
  double optimality_violation(const LogisticState& state, const double* coef, const double* gradient, double size,
                double unknown) const {
    const double by_constant = gradient[p_];
    double worst = (std::abs(by_constant) + (intercept_ ? unknown : 0)) / size;
    for (index_t j = 0; j < p_; ++j) {
      const double penalty_gradient = strength_ * coef[j], shift = state.shift()[j], far = state.far()[j];
      const double entry = std::abs(gradient[j] + shift * by_constant + penalty_gradient) +
          unknown * (far + std::abs(shift));
      const double scale = state.norm()[j] * size + std::abs(penalty_gradient);
      if (scale > 0) worst = std::max(worst, entry / scale);
      if (!intercept_) continue;
      const double spread = std::sqrt(std::max(0.0, state.gram()(j, j)) / state.weight()), off = shift - state.mean()[j];
      const double centred = std::abs(gradient[j] + off * by_constant + penalty_gradient) +
          unknown * (far + std::abs(off));
      const double reach = spread * size + std::abs(penalty_gradient);
      if (reach > 0) worst = std::max(worst, centred / reach);
    }
    return std::isfinite(size) ? worst : std::numeric_limits<double>::infinity();
  }

  // Of coefficients, or sums over columns, with the level or the constant last.
  double dot(const double* a, const double* b) const { return along(a, b) + a[p_] * b[p_]; }

  // The Newton step of coefficients and level against a gradient, by the current curvature.
  void move_against(const LogisticState& state, const detail::ScaledCholesky& factor, const double* gradient,
                    double* move) const {
    const double *shift = state.shift(), *mean = state.mean();
    for (index_t j = 0; j < p_; ++j) move[j] = -(gradient[j] + (shift[j] - mean[j]) * gradient[p_]);
    factor.solve(move);
    double by_mean = 0;
    for (index_t j = 0; j < p_; ++j) by_mean += (mean[j] - shift[j]) * move[j];
    move[p_] = intercept_ ? -gradient[p_] / state.weight() - by_mean : 0;
  }

  // Corrects a Newton step by the change of the curvature along it, estimated from a sample of many rows: it ends
  // nearer to the minimum by a factor of about ten. [Chebyshev's method]
  void add_chebyshev_correction(const LogisticState& state, const detail::ScaledCholesky& factor,
                                const double* gradient, double* move) const {
    const index_t every = rows_.rows / sampled_rows;
    if (every < 8 || state.age() > 0 || state.careful()) return;
    const Buffer curvature_change = second_order_gradient(rows_, {state.coef(), state.level(), state.shift(), 0},
                                                          move, every), more(p_ + 1);
    if (!intercept_) curvature_change[p_] = 0;
    move_against(state, factor, curvature_change.data(), more.data());
    if (!(-dot(curvature_change.data(), more.data()) <= -dot(gradient, move) / 4)) return;  // squares of their lengths
    for (index_t j = 0; j <= p_; ++j) move[j] += more[j];
  }

  // Predicts the gradient of the loss after a move from the current curvature; returns the squared length of the move
  // in the norm of that curvature.
  double predict_gradient(const LogisticState& state, const double* move, double* gradient) const {
    const Grid<double> gram = state.gram();
    double all = move[p_], square = 0;  // all: the mean change of the scores
    for (index_t j = 0; j < p_; ++j) all += (state.mean()[j] - state.shift()[j]) * move[j];
    const double by_constant = intercept_ ? state.weight() * all : 0;
    for (index_t i = 0; i < p_; ++i) {
      const double change = along(&gram(i, 0), move);
      square += move[i] * change;
      gradient[i] = state.gradient()[i] + change + (state.mean()[i] - state.shift()[i]) * by_constant;
    }
    gradient[p_] = state.gradient()[p_] + by_constant;
    return square + (intercept_ ? by_constant * all : 0);
  }

  // Makes a move that provably ends the optimisation, without a pass over the rows; returns whether it did.
  //
  // A row whose score changes by u has the gradient s + b u then, up to b u^2 e^|u| / 2: the second derivative of s is
  // never larger than the first, b, which grows by e^|u| at most. So the gradient is as predicted up to e^max|u| / 2
  // times the sum of b u^2, the squared length of the move, times the largest entry of a column.
  bool ends_without_pass(const LogisticState& state, const double* move, double descent) const {
    if (state.age() > 0 || state.careful()) return false;
    const Buffer there(p_), gradient(p_ + 1);
    double reach = std::abs(move[p_]);
    for (index_t j = 0; j < p_; ++j) {
      reach += state.far()[j] * std::abs(move[j]);
      there[j] = state.coef()[j] + move[j];
    }
    if (!(reach < 1)) return false;
    const double square = std::max(predict_gradient(state, move, gradient.data()), 0.0), growth = std::exp(reach) / 2;
    const double size = std::max(state.size() - growth * std::sqrt(square), perfect);
    const double criterion = optimality_violation(state, there.data(), gradient.data(), size, growth * square);
    if (!(criterion <= tolerance_)) return false;
    state.objective() += descent + square / 2 + penalty(move);
    settle(state, there.data(), state.level() + move[p_]);
    std::copy_n(gradient.data(), p_ + 1, state.gradient());
    state.age() += 1;
    state.rate() = criterion / state.criterion();
    state.criterion() = criterion;
    return true;
  }

  // Moves to coefficients with that score at the shift.
  void settle(const LogisticState& state, const double* coef, double level) const {
    std::copy_n(coef, p_, state.coef());
    state.level() = level;
    state.coef()[p_] = intercept_ ? level - along(state.shift(), coef) : 0;
  }

  bool needs_curvature(const LogisticState& state) const {
    const double near = p_ <= few_columns ? std::min(near_minimum, std::sqrt(tolerance_)) : near_minimum;
    return state.criterion() > near || state.idle() > 0 || (state.age() > 0 && state.rate() > good_rate);
  }

  void arrive(const LogisticState& state, const LogisticSums& sums, LogisticRequest request, double descent) const {
    const double before = state.criterion(), noise = rounding * std::abs(state.objective());
    keep(state, sums, request);
    state.best() = std::min(state.best(), before);
    state.rate() = before > 0 ? state.criterion() / before : 0;
    const bool moved = descent < -noise || state.criterion() <= notable * state.best();
    state.idle() = moved ? 0 : state.idle() + 1;
    if (state.idle() >= patience) state.status() = LogisticState::stalled;
  }

  // No step lowers the objective: recompute the curvature here, or end if it is current.
  void give_up(const LogisticState& state) const {
    if (state.age() == 0) {
      state.status() = LogisticState::stalled;
      return;
    }
    const LogisticRequest request{.curvature = true};
    keep(state, evaluate(state, state.coef(), state.level(), request), request);
  }
};

}  // namespace learnable
