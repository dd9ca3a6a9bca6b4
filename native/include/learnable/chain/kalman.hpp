// Linear Gaussian state-space models: the Kalman filter, and smoothing by the backward recursion of de Jong.
//
//   z_1 ~ N(m, P),  z_t+1 ~ N(A z_t + b, Q),  x_t ~ N(C z_t + d, R);  missing entries of x (NaN) are left out.
//
// Smoothing inverts no covariance of the states, so that Q and P may be singular.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

struct StateSpace {
  Grid<const double> A;
  View<const double> b;
  Grid<const double> Q, C;
  View<const double> d;
  Grid<const double> R;
  View<const double> mean;
  Grid<const double> covariance;

  index_t states() const { return A.rows; }
  index_t columns() const { return C.rows; }
};

// Moments of the states at each step: means, (steps, states), and covariances, (steps, states^2).
struct StateMoments {
  Grid<double> mean, covariance;
};

// A small dense matrix.
struct Small {
  index_t rows, columns;
  std::vector<double> entries;

  Small(index_t rows, index_t columns) : rows(rows), columns(columns), entries(rows * columns) {}
  double& operator()(index_t i, index_t j) { return entries[i * columns + j]; }
  double operator()(index_t i, index_t j) const { return entries[i * columns + j]; }
};

// left times right; either may be transposed.
template <bool left_transposed = false, bool right_transposed = false, class L, class R>
inline Small product(const L& left, const R& right) {
  const index_t rows = left_transposed ? left.columns : left.rows, inner = left_transposed ? left.rows : left.columns;
  Small found(rows, right_transposed ? right.rows : right.columns);
  for (index_t i = 0; i < rows; ++i)
    for (index_t k = 0; k < inner; ++k) {
      const double factor = left_transposed ? left(k, i) : left(i, k);
      if (factor == 0) continue;
      for (index_t j = 0; j < found.columns; ++j)
        found(i, j) += factor * (right_transposed ? right(j, k) : right(k, j));
    }
  return found;
}

// The lower Cholesky factor in place; returns the log determinant, or NaN if the matrix is not positive definite.
inline double factorise(Small& matrix) {
  const index_t n = matrix.rows;
  double log_determinant = 0;
  for (index_t j = 0; j < n; ++j) {
    double pivot = matrix(j, j);
    for (index_t k = 0; k < j; ++k) pivot -= matrix(j, k) * matrix(j, k);
    if (!(pivot > 0) || !std::isfinite(pivot)) return std::numeric_limits<double>::quiet_NaN();
    const double root = matrix(j, j) = std::sqrt(pivot);
    log_determinant += 2 * std::log(root);
    for (index_t i = j + 1; i < n; ++i) {
      double entry = matrix(i, j);
      for (index_t k = 0; k < j; ++k) entry -= matrix(i, k) * matrix(j, k);
      matrix(i, j) = entry / root;
    }
  }
  return log_determinant;
}

// The inverse of L L' times the columns of `right`, in place.
inline void solve(const Small& L, Small& right) {
  const index_t n = L.rows;
  for (index_t c = 0; c < right.columns; ++c) {
    for (index_t i = 0; i < n; ++i) {
      for (index_t k = 0; k < i; ++k) right(i, c) -= L(i, k) * right(k, c);
      right(i, c) /= L(i, i);
    }
    for (index_t i = n - 1; i >= 0; --i) {
      for (index_t k = i + 1; k < n; ++k) right(i, c) -= L(k, i) * right(k, c);
      right(i, c) /= L(i, i);
    }
  }
}

// The recursions for the rows of one sequence.
class KalmanFilter {
 public:
  KalmanFilter(const StateSpace& model, const Grid<const double>& rows, index_t first, index_t last)
      : model_(model), rows_(rows), first_(first), last_(last), n_(model.states()) {}

  // Writes moments of the states given the rows so far; returns the log likelihood, or NaN if the covariance of a row
  // is not positive definite.
  double filter(const StateMoments& filtered, bool keep) {
    Small mean(n_, 1), covariance(n_, n_);
    for (index_t i = 0; i < n_; ++i) {
      mean(i, 0) = model_.mean[i];
      for (index_t j = 0; j < n_; ++j) covariance(i, j) = model_.covariance(i, j);
    }
    double log_likelihood = 0;
    for (index_t t = first_; t < last_; ++t) {
      Step step{mean, covariance, Small(n_, 1), Small(n_, n_), Small(n_, n_)};
      log_likelihood += update(t, step, mean, covariance);
      if (std::isnan(log_likelihood)) return log_likelihood;
      for (index_t i = 0; i < n_; ++i) filtered.mean(t, i) = mean(i, 0);
      std::copy(covariance.entries.begin(), covariance.entries.end(), &filtered.covariance(t, 0));
      if (keep) steps_.push_back(std::move(step));
      mean = product(model_.A, mean);
      for (index_t i = 0; i < n_; ++i) mean(i, 0) += model_.b[i];
      covariance = product<false, true>(product(model_.A, covariance), model_.A);
      for (index_t i = 0; i < n_; ++i)
        for (index_t j = 0; j < n_; ++j) covariance(i, j) += model_.Q(i, j);
      poll_interrupt();
    }
    return log_likelihood;
  }

  // Writes moments of the states given all rows, and the covariance of each state with the next one, after `filter`.
  void smooth(const StateMoments& smoothed, Grid<double> cross) const {
    Small r(n_, 1), N(n_, n_);  // of the rows after t
    for (index_t t = last_ - 1; t >= first_; --t) {
      const Step& step = steps_[t - first_];
      const Small L = product(model_.A, step.gain);
      if (t + 1 < last_) {
        Small rest = product(N, steps_[t + 1 - first_].covariance);
        for (index_t i = 0; i < n_; ++i)
          for (index_t j = 0; j < n_; ++j) rest(i, j) = double(i == j) - rest(i, j);
        const Small both = product(product<false, true>(step.covariance, L), rest);
        std::copy(both.entries.begin(), both.entries.end(), &cross(t, 0));
      }
      r = product<true>(L, r);
      N = product<true>(L, product(N, L));
      for (index_t i = 0; i < n_; ++i) r(i, 0) += step.score(i, 0);
      for (index_t i = 0; i < n_ * n_; ++i) N.entries[i] += step.information.entries[i];
      const Small moved = product(step.covariance, r);
      const Small shrunk = product(step.covariance, product(N, step.covariance));
      for (index_t i = 0; i < n_; ++i) {
        smoothed.mean(t, i) = step.mean(i, 0) + moved(i, 0);
        for (index_t j = 0; j < n_; ++j)
          smoothed.covariance(t, i * n_ + j) = step.covariance(i, j) - 0.5 * (shrunk(i, j) + shrunk(j, i));
      }
      poll_interrupt();
    }
  }

 private:
  // Moments of the state before its row, and what the row adds: C' F^-1 v, C' F^-1 C and I - K C, where v is the
  // difference of the row from its mean, F its covariance, and K the gain.
  struct Step {
    Small mean, covariance, score, information, gain;
  };

  double update(index_t t, Step& step, Small& mean, Small& covariance) const {
    std::vector<index_t> seen;
    for (index_t j = 0; j < model_.columns(); ++j)
      if (!std::isnan(rows_(t, j))) seen.push_back(j);
    for (index_t i = 0; i < n_; ++i) step.gain(i, i) = 1;
    const index_t q = index_t(seen.size());
    if (q == 0) return 0;
    Small C(q, n_), v(q, 1);
    for (index_t i = 0; i < q; ++i) {
      v(i, 0) = rows_(t, seen[i]) - model_.d[seen[i]];
      for (index_t k = 0; k < n_; ++k) {
        C(i, k) = model_.C(seen[i], k);
        v(i, 0) -= C(i, k) * mean(k, 0);
      }
    }
    const Small CP = product(C, covariance);
    Small F = product<false, true>(CP, C);
    for (index_t i = 0; i < q; ++i)
      for (index_t j = 0; j < q; ++j) F(i, j) += model_.R(seen[i], seen[j]);
    const double log_determinant = factorise(F);
    if (std::isnan(log_determinant)) return log_determinant;
    Small weighted = v, FC = C, gain = CP;  // F^-1 v, F^-1 C, F^-1 C P = K'
    solve(F, weighted);
    solve(F, FC);
    solve(F, gain);
    step.score = product<true>(C, weighted);
    step.information = product<true>(C, FC);
    const Small KC = product<true>(gain, C), moved = product<true>(gain, v);
    for (index_t i = 0; i < n_; ++i) {
      mean(i, 0) += moved(i, 0);
      for (index_t j = 0; j < n_; ++j) step.gain(i, j) -= KC(i, j);
    }
    Small noise(q, q);
    for (index_t i = 0; i < q; ++i)
      for (index_t j = 0; j < q; ++j) noise(i, j) = model_.R(seen[i], seen[j]);
    covariance = product<false, true>(product(step.gain, covariance), step.gain);
    const Small added = product(product<true>(gain, noise), gain);
    for (index_t i = 0; i < n_; ++i)
      for (index_t j = 0; j <= i; ++j) {
        const double entry = 0.5 * (covariance(i, j) + covariance(j, i) + added(i, j) + added(j, i));
        covariance(i, j) = covariance(j, i) = entry;
      }
    double square = 0;
    for (index_t i = 0; i < q; ++i) square += v(i, 0) * weighted(i, 0);
    return -0.5 * (square + log_determinant + double(q) * std::log(2 * 3.14159265358979323846));
  }

  const StateSpace& model_;
  const Grid<const double>& rows_;
  index_t first_, last_, n_;
  std::vector<Step> steps_;
};

}  // namespace learnable
