// Hamiltonian dynamics: metric, leapfrog steps, and the step size by dual averaging.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/sampling/log_density.hpp"

namespace learnable::sampling {

constexpr double largest_error = 1000;  // of the energy, beyond which a trajectory has diverged

// The inverse mass matrix: `diagonal` entries, or if dense its rows and its lower Cholesky factor.
struct Metric {
  const double* inverse_mass;
  const double* factor;  // null if diagonal
  index_t dimension;

  void velocity(const double* momentum, double* out) const {
    for (index_t i = 0; i < dimension; ++i) {
      if (!factor) {
        out[i] = inverse_mass[i] * momentum[i];
        continue;
      }
      double sum = 0;
      for (index_t j = 0; j < dimension; ++j) sum += inverse_mass[i * dimension + j] * momentum[j];
      out[i] = sum;
    }
  }
  // Momentum from a normal distribution whose covariance is the mass matrix.
  void draw(DrawRandom& random, double* momentum) const {
    for (index_t i = 0; i < dimension; ++i) momentum[i] = random.normal();
    if (!factor) {
      for (index_t i = 0; i < dimension; ++i) momentum[i] /= std::sqrt(inverse_mass[i]);
      return;
    }
    for (index_t i = dimension - 1; i >= 0; --i) {  // back substitution with the transposed factor
      for (index_t j = i + 1; j < dimension; ++j) momentum[i] -= factor[j * dimension + i] * momentum[j];
      momentum[i] /= factor[i * dimension + i];
    }
  }
};

inline double inner(const double* a, const double* b, index_t size) {
  double sum = 0;
  for (index_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

// A point of phase space, with the gradient of the log density there.
struct PhasePoint {
  std::vector<double> position, momentum, gradient, velocity;
  double log_density = 0;

  explicit PhasePoint(index_t dimension)
      : position(dimension), momentum(dimension), gradient(dimension), velocity(dimension) {}
  double energy() const {
    const double found = inner(momentum.data(), velocity.data(), index_t(momentum.size())) / 2 - log_density;
    return std::isnan(found) ? INFINITY : found;
  }
};

inline void leapfrog(LogDensity& density, const Metric& metric, double step, PhasePoint& point) {
  const index_t D = metric.dimension;
  for (index_t i = 0; i < D; ++i) point.momentum[i] += step / 2 * point.gradient[i];
  metric.velocity(point.momentum.data(), point.velocity.data());
  for (index_t i = 0; i < D; ++i) point.position[i] += step * point.velocity[i];
  point.log_density = density.evaluate(point.position.data(), point.gradient.data());
  for (index_t i = 0; i < D; ++i) point.momentum[i] += step / 2 * point.gradient[i];
  metric.velocity(point.momentum.data(), point.velocity.data());
}

// Step size by dual averaging (Nesterov; Hoffman and Gelman), as five plain numbers:
// logarithm of the step, of its average, the mean error of the acceptance rate, the number of updates, the centre.
struct StepSize {
  double* numbers;

  double step() const { return std::exp(numbers[0]); }
  double average() const { return std::exp(numbers[1]); }
  bool fresh() const { return numbers[3] == 0; }
  void begin(double step) {
    numbers[0] = std::log(step);
    numbers[1] = numbers[0];
    numbers[2] = 0;
    numbers[4] = std::log(10 * step);
  }
  void update(double accepted, double target) {
    constexpr double shrinkage = 0.05, delay = 10, decay = 0.75;
    const double count = ++numbers[3], newest = 1 / (count + delay);
    numbers[2] += newest * (target - accepted - numbers[2]);
    numbers[0] = numbers[4] - std::sqrt(count) / shrinkage * numbers[2];
    const double weight = std::pow(count, -decay);
    numbers[1] = weight * numbers[0] + (1 - weight) * numbers[1];
  }
};

// Doubles or halves a step until the acceptance rate of one leapfrog step crosses 0.8.
inline double reasonable_step(LogDensity& density, const Metric& metric, const PhasePoint& from, double step,
                              DrawRandom& random) {
  PhasePoint start = from;
  metric.draw(random, start.momentum.data());
  metric.velocity(start.momentum.data(), start.velocity.data());
  const double before = start.energy();
  int direction = 0;
  for (int tried = 0; tried < 100; ++tried) {
    PhasePoint point = start;
    leapfrog(density, metric, step, point);
    const int side = before - point.energy() > std::log(0.8) ? 1 : -1;
    if (direction == 0) direction = side;
    if (side != direction) break;
    step = direction > 0 ? 2 * step : step / 2;
  }
  return std::clamp(step, 1e-12, 1e12);
}

// What is known of a transition beside the new point.
struct Transition {
  double accepted = 0;  // mean acceptance probability of the trajectory
  int depth = 0;
  index_t steps = 0;
  bool diverging = false;
  double energy = 0;
};

}  // namespace learnable::sampling
