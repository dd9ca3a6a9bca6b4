// The posteriors of logistic and Poisson regression.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/matrix/simd_exp.hpp"
#include "learnable/sampling/log_density.hpp"

namespace learnable::sampling {

// Rows in blocks, in each block column by column, filled up with rows without weight.
//
//   log density = sum weight (y z - a(z)) - v' prior v / 2,   z = offset + x w,   v = (-w, 1)
//
// with a(z) = log(1 + e^z) for logistic and e^z for Poisson regression. The intercept is one of the columns.
struct GlmData {
  static constexpr index_t block = 64;
  bool logistic = true, weighted = false;
  index_t columns = 0, blocks = 0;
  std::vector<double> X, y, weight, offset, prior;

  GlmData(const double* rows, const double* targets, const double* weights, const double* offsets, index_t count,
          index_t columns)
      : columns(columns), blocks((count + block - 1) / block), X(blocks * block * columns), y(blocks * block),
        weight(blocks * block), offset(blocks * block) {
    for (index_t i = 0; i < count; ++i) {
      const index_t b = i / block, r = i % block;
      for (index_t j = 0; j < columns; ++j) X[(b * columns + j) * block + r] = rows[i * columns + j];
      y[i] = targets[i];
      weight[i] = weights[i];
      offset[i] = offsets[i];
      weighted |= weights[i] != 1;
    }
  }
};

class GlmPosterior final : public LogDensity {
 public:
  explicit GlmPosterior(const GlmData& data) : data_(data) {}
  index_t dimension() const override { return data_.columns; }

  double evaluate(const double* x, double* gradient) override {
    const index_t P = data_.columns, Q = P + 1;
    double prior = 0;
    for (index_t i = 0; i < Q; ++i) {
      double sum = data_.prior[i * Q + P];
      for (index_t j = 0; j < P; ++j) sum -= data_.prior[i * Q + j] * x[j];
      prior += i < P ? -x[i] * sum : sum;
      if (i < P) gradient[i] = sum;
    }
    double log_density = -prior / 2;
    for (index_t b = 0; b < data_.blocks; ++b) log_density += add_block(b, x, gradient);
    return log_density;
  }

 private:
  static constexpr index_t block = GlmData::block, parts = block / lanes;

  double add_block(index_t b, const double* x, double* gradient) {
    const double* X = data_.X.data() + b * block * data_.columns;
    scores(X, data_.offset.data() + b * block, x);
    const double* y = data_.y.data() + b * block;
    const double* weight = data_.weight.data() + b * block;
    double sum = data_.logistic ? logistic(y, weight) : poisson(y, weight);
    add_products(X, gradient);
    return sum;
  }

  void scores(const double* X, const double* offset, const double* x) {
    for (index_t k = 0; k < parts; ++k) z_[k] = load(offset + k * lanes);
    index_t j = 0;
    for (; j + 4 <= data_.columns; j += 4) {
      const Lanes a = Lanes{} + x[j], b = Lanes{} + x[j + 1], c = Lanes{} + x[j + 2], d = Lanes{} + x[j + 3];
      const double* column = X + j * block;
      for (index_t k = 0; k < parts; ++k) {
        const double* at = column + k * lanes;
        const Lanes first = fused(a, load(at), z_[k]), second = fused(b, load(at + block), first);
        z_[k] = fused(d, load(at + 3 * block), fused(c, load(at + 2 * block), second));
      }
    }
    for (; j < data_.columns; ++j)
      for (index_t k = 0; k < parts; ++k)
        z_[k] = fused(Lanes{} + x[j], load(X + j * block + k * lanes), z_[k]);
  }

  void add_products(const double* X, double* gradient) {
    index_t j = 0;
    for (; j + 4 <= data_.columns; j += 4) {
      Lanes a{}, b{}, c{}, d{};
      const double* column = X + j * block;
      for (index_t k = 0; k < parts; ++k) {
        const double* at = column + k * lanes;
        a = fused(residual_[k], load(at), a);
        b = fused(residual_[k], load(at + block), b);
        c = fused(residual_[k], load(at + 2 * block), c);
        d = fused(residual_[k], load(at + 3 * block), d);
      }
      for (int lane = 0; lane < lanes; ++lane) {
        gradient[j] += a[lane];
        gradient[j + 1] += b[lane];
        gradient[j + 2] += c[lane];
        gradient[j + 3] += d[lane];
      }
    }
    for (; j < data_.columns; ++j) {
      Lanes a{};
      for (index_t k = 0; k < parts; ++k) a = fused(residual_[k], load(X + j * block + k * lanes), a);
      for (int lane = 0; lane < lanes; ++lane) gradient[j] += a[lane];
    }
  }

  // Residuals and the log likelihood of a block. log(1 + e^z) = max(z, 0) + log(1 + e^-|z|), and without weights the
  // second terms add up to the logarithm of a product of numbers between 1 and 2.
  double logistic(const double* y, const double* weight) {
    Lanes sum{}, product = Lanes{} + 1;
    double logs = 0;
    for (index_t k = 0; k < parts; ++k) {
      const Lanes z = z_[k], w = load(weight + k * lanes), target = load(y + k * lanes);
      const Lanes size = z < 0 ? z : -z, tail = decay(size), whole = tail + 1;
      const Lanes probability = (z < 0 ? tail : Lanes{} + 1) / whole;
      residual_[k] = w * (target - probability);
      sum += w * (target * z - (z < 0 ? Lanes{} : z));
      if (data_.weighted) {
        for (int lane = 0; lane < lanes; ++lane)
          if (w[lane] != 0) logs += w[lane] * std::log(whole[lane]);
      } else {
        product *= w == 0 ? Lanes{} + 1 : whole;
      }
    }
    double total = -logs;
    for (int lane = 0; lane < lanes; ++lane) total += sum[lane] - (data_.weighted ? 0 : std::log(product[lane]));
    return total;
  }

  double poisson(const double* y, const double* weight) {
    Lanes sum{};
    for (index_t k = 0; k < parts; ++k) {
      const Lanes w = load(weight + k * lanes), target = load(y + k * lanes), mean = Exponential(z_[k]).value();
      residual_[k] = w * (target - mean);
      sum += w * (target * z_[k] - mean);
    }
    double total = 0;
    for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
    return total;
  }

  const GlmData& data_;
  Lanes z_[parts], residual_[parts];
};

}  // namespace learnable::sampling
