// Concentration steps of the minimum covariance determinant.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Rows with weights, of which `half` (a total weight) have the smallest distances from a location by a covariance, to
// the diagonal of which `floor` is added so that distances exist where rows lie in a plane.
class Concentration {
 public:
  Concentration(Grid<const double> X, View<const double> weight, double half, double floor)
      : X_(X), weight_(weight), half_(half), floor_(floor), factor_(size(X.columns * X.columns)),
        inverse_(size(X.columns * X.columns)), distance_(size(X.rows)), order_(size(X.rows)),
        panel_(size(X.columns * lanes)) {}

  // Replaces location and covariance by those of the nearest rows, up to `steps` times or until the log determinant
  // falls by no more than `tolerance`. Returns the last log determinant and counts the steps; infinity if the
  // covariance does not have a Cholesky factor.
  double run(int steps, double tolerance, double* location, double* covariance, index_t& done) {
    double before = std::numeric_limits<double>::infinity();
    if (!factorise(covariance)) return std::numeric_limits<double>::infinity();
    for (int step = 0; step < steps; ++step) {
      poll_interrupt();
      measure(location);
      choose();
      estimate(location, covariance);
      ++done;
      if (!factorise(covariance)) return std::numeric_limits<double>::infinity();
      const double after = log_determinant();
      if (!(after < before - tolerance)) return after;
      before = after;
    }
    return before;
  }

 private:
  static std::size_t size(index_t n) { return std::size_t(n); }

  bool factorise(const double* covariance) {
    const index_t p = X_.columns;
    for (index_t i = 0; i < p; ++i) {
      double* row = factor_.data() + i * p;
      for (index_t j = 0; j <= i; ++j) {
        const double left = covariance[i * p + j] + (i == j ? floor_ : 0.0) - inner(row, factor_.data() + j * p, j);
        if (i == j && !(left > 0)) return false;
        row[j] = i == j ? std::sqrt(left) : left / factor_[size(j * p + j)];
      }
    }
    for (index_t j = 0; j < p; ++j) {  // the inverse of the factor, by columns
      for (index_t i = 0; i < j; ++i) inverse_[size(i * p + j)] = 0;
      for (index_t i = j; i < p; ++i) {
        double sum = i == j ? 1.0 : 0.0;
        for (index_t k = j; k < i; ++k) sum -= factor_[size(i * p + k)] * inverse_[size(k * p + j)];
        inverse_[size(i * p + j)] = sum / factor_[size(i * p + i)];
      }
    }
    return true;
  }

  double log_determinant() const {
    double sum = 0;
    for (index_t i = 0; i < X_.columns; ++i) sum += std::log(factor_[size(i * X_.columns + i)]);
    return 2 * sum;
  }

  // Squared Mahalanobis distances, a vector of rows at a time.
  void measure(const double* location) {
    const index_t p = X_.columns, n = X_.rows;
    for (index_t first = 0; first < n; first += lanes) {
      const index_t here = std::min<index_t>(lanes, n - first);
      for (index_t j = 0; j < p; ++j)
        for (index_t r = 0; r < lanes; ++r)
          panel_[size(j * lanes + r)] = r < here ? X_(first + r, j) - location[j] : 0.0;
      Lanes total = {};
      for (index_t i = 0; i < p; ++i) {
        Lanes z = {};
        for (index_t k = 0; k <= i; ++k) {
          Lanes by = {};
          by += inverse_[size(i * p + k)];
          z = fused(by, load(panel_.data() + k * lanes), z);
        }
        total = fused(z, z, total);
      }
      for (index_t r = 0; r < here; ++r) distance_[size(first + r)] = total[r];
    }
  }

  // Brings the nearest rows to the front of the order: `chosen_` whole ones, then one of which `part_` counts.
  void choose() {
    std::iota(order_.begin(), order_.end(), index_t(0));
    const auto nearer = [&](index_t a, index_t b) {
      const double one = distance_[size(a)], other = distance_[size(b)];
      return one < other || (one == other && a < b);
    };
    if (weight_.size == 0) {
      chosen_ = std::min<index_t>(index_t(half_), X_.rows);
      std::nth_element(order_.begin(), order_.begin() + (chosen_ - 1), order_.end(), nearer);
      std::sort(order_.begin(), order_.begin() + chosen_);
      part_ = 0;
      return;
    }
    std::sort(order_.begin(), order_.end(), nearer);
    double left = half_;
    chosen_ = 0;
    while (chosen_ < X_.rows && weight_[order_[size(chosen_)]] <= left) left -= weight_[order_[size(chosen_++)]];
    part_ = chosen_ < X_.rows ? left : 0.0;
  }

  double weight_at(index_t place) const {
    return place == chosen_ ? part_ : weight_.size == 0 ? 1.0 : weight_[order_[size(place)]];
  }

  void estimate(double* location, double* covariance) {
    const index_t p = X_.columns, end = chosen_ + (part_ > 0 ? 1 : 0);
    double total = 0;
    std::fill(location, location + p, 0.0);
    for (index_t i = 0; i < end; ++i) {
      const double weight = weight_at(i);
      total += weight;
      add_scaled(weight, X_.data + order_[size(i)] * X_.stride, location, p);
    }
    for (index_t j = 0; j < p; ++j) location[j] /= total;
    std::fill(covariance, covariance + p * p, 0.0);
    double* centred = panel_.data();
    for (index_t i = 0; i < end; ++i) {
      const double weight = weight_at(i) / total;
      const double* row = X_.data + order_[size(i)] * X_.stride;
      for (index_t j = 0; j < p; ++j) centred[j] = row[j] - location[j];
      for (index_t j = 0; j < p; ++j) add_scaled(weight * centred[j], centred, covariance + j * p, j + 1);
    }
    for (index_t j = 0; j < p; ++j)
      for (index_t k = 0; k < j; ++k) covariance[k * p + j] = covariance[j * p + k];
  }

  Grid<const double> X_;
  View<const double> weight_;
  double half_, floor_, part_ = 0;
  index_t chosen_ = 0;
  std::vector<double> factor_, inverse_, distance_;
  std::vector<index_t> order_;
  std::vector<double> panel_;
};

// Concentration steps from each of several starts: row s of `location` (p) and `covariance` (p p) are replaced.
// Returns the number of steps in all.
inline index_t concentrate(Grid<const double> X, View<const double> weight, double half, double floor, int steps,
                           double tolerance, Grid<double> location, Grid<double> covariance,
                           View<double> log_determinant) {
  std::vector<index_t> done(std::size_t(location.rows));
  parallel_for(location.rows, [&](index_t start, int) {
    Concentration run(X, weight, half, floor);
    log_determinant[start] = run.run(steps, tolerance, location.data + start * location.stride,
                                     covariance.data + start * covariance.stride, done[start]);
  });
  return std::accumulate(done.begin(), done.end(), index_t(0));
}

}  // namespace learnable
