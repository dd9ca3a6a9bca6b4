// Log densities that samplers draw from.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/random.hpp"

namespace learnable::sampling {

// An unnormalised log density on R^dimension. An object serves one chain at a time: it may own scratch memory.
struct LogDensity {
  virtual ~LogDensity() = default;
  virtual index_t dimension() const = 0;
  // The log density at x; its gradient is written. Minus infinity, or NaN, outside the support.
  virtual double evaluate(const double* x, double* gradient) = 0;
  // The log density alone.
  virtual double value(const double* x) {
    scratch_.resize(dimension());
    return evaluate(x, scratch_.data());
  }

 private:
  std::vector<double> scratch_;
};

// What makes an object for each chain, so that chains can run side by side.
struct LogDensityFactory {
  virtual ~LogDensityFactory() = default;
  virtual index_t dimension() const = 0;
  virtual std::unique_ptr<LogDensity> chain() const = 0;
};

// Random numbers of one draw of one chain.
class DrawRandom {
 public:
  DrawRandom(std::uint64_t chain, std::uint64_t draw) : bits_(chain, draw) {}
  double uniform() { return bits_.uniform(); }
  double log_uniform() { return std::log1p(-bits_.uniform()); }
  bool flip() { return bits_() >> 63; }
  // Marsaglia's polar method.
  double normal() {
    if (kept_) {
      kept_ = false;
      return spare_;
    }
    double x, y, square;
    do {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = y * factor;
    kept_ = true;
    return x * factor;
  }

 private:
  Draws64 bits_;
  double spare_ = 0;
  bool kept_ = false;
};

inline double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return most == -INFINITY ? most : most + std::log(std::exp(a - most) + std::exp(b - most));
}

}  // namespace learnable::sampling
