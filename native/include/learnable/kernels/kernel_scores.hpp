// Decision values of a kernel machine: sums over support vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "learnable/kernels/gaussian_sums.hpp"
#include "learnable/kernels/kernel_rows.hpp"

namespace learnable {

// Sums over the rows of a kernel table, for a few rows at a time.
class DenseSums {
 public:
  DenseSums(const DenseKernel& Y, Grid<const double> coef)
      : Y_(Y), targets_(coef.columns), room_(Y.strips() * DenseKernel::strip_width), weight_(targets_ * room_, 0) {
    for (index_t j = 0; j < coef.rows; ++j)
      for (index_t t = 0; t < targets_; ++t) weight_[t * room_ + j] = coef(j, t);
    if (Y.shape().kind == KernelKind::gaussian) gaussian_.emplace(Y, coef);
  }

  // out(i, t) = sum over rows j of the table of k(X_i, Y_j) coef(j, t), for `count` rows from `begin` on.
  void operator()(Grid<const double> X, index_t begin, index_t count, Grid<double> out) const {
    DenseKernel::Left left;
    Y_.take(X, begin, count, left);
    const index_t padded = round_up(count, tile_rows);
    std::vector<char> near(std::size_t(padded), false);
    for (index_t i = 0; i < padded; ++i)
      if ((near[i] = gaussian_ && gaussian_->in_range(left.half[i]))) gaussian_->prepare(left, i);
    Buffer sums(2 * padded * targets_ * lanes, 0);
    double *of_near = sums.data(), *of_far = of_near + padded * targets_ * lanes;
    for (index_t strip = 0; strip < Y_.strips(); ++strip)
      for (index_t i = 0; i < count; i += tile_rows) {
        const index_t served = std::count(&near[i], &near[i] + tile_rows, true);
        if (served > 0) gaussian_->add(left, i, strip, of_near);
        if (served < tile_rows) add(left, i, strip, of_far);
      }
    for (index_t i = 0; i < count; ++i) {
      const double* parts = (near[i] ? of_near : of_far) + i * targets_ * lanes;
      const double factor = near[i] ? std::exp(-left.half[i]) : 1.0;
      for (index_t t = 0; t < targets_; ++t) out(begin + i, t) = factor * total(parts + t * lanes);
    }
  }

 private:
  // Adds the contribution of a strip to the sums of four rows from i on.
  void add(const DenseKernel::Left& left, index_t i, index_t strip, double* sums) const {
    constexpr index_t width = DenseKernel::strip_width;
    Y_.tile(left, i, strip, [&](index_t first, index_t at, const double* values) {
      for (index_t t = 0; t < targets_; ++t) {
        const double* weight = &weight_[t * room_ + at * width];
        for (index_t m = 0; m < tile_rows; ++m) {
          double* cell = sums + ((first + m) * targets_ + t) * lanes;
          Lanes sum = load(cell);
          for (index_t v = 0; v < width; v += lanes) sum = fused(load(values + m * width + v), load(weight + v), sum);
          store(cell, sum);
        }
      }
    });
  }

  static double total(const double* parts) {
    double sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += parts[lane];
    return sum;
  }

  const DenseKernel& Y_;
  index_t targets_, room_;
  Buffer weight_;
  std::optional<GaussianSums> gaussian_;
};

// out(i, t) = sum over rows j of the kernel's table of k(X_i, Y_j) coef(j, t).
inline void kernel_scores(const DenseKernel& Y, Grid<const double> X, Grid<const double> coef, Grid<double> out) {
  const DenseSums sums(Y, coef);
  const Blocks blocks(X.rows, 64);
  parallel_if(X.rows * Y.rows() * (Y.columns() + 16) > (1 << 18), blocks.count, [&](index_t block, int) {
    sums(X, blocks.begin(block), blocks.end(block) - blocks.begin(block), out);
  });
}

inline void kernel_scores(const SparseKernel& Y, const SparseKernel::Rows& X, Grid<const double> coef,
                          Grid<double> out) {
  constexpr index_t abreast = SparseKernel::abreast;
  const Blocks blocks(X.count, 64);
  const index_t targets = coef.columns;
  parallel_if(X.count * Y.rows() > (1 << 12), blocks.count, [&](index_t block, int) {
    SparseKernel::Left left = Y.room();
    alignas(64) double values[abreast];
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += abreast) {
      const index_t count = std::min<index_t>(abreast, blocks.end(block) - i);
      std::int32_t which[abreast];
      for (index_t k = 0; k < count; ++k) {
        which[k] = std::int32_t(i + k);
        std::fill_n(&out(i + k, 0), targets, 0.0);
      }
      Y.take(X, which, count, left);
      for (index_t j = 0; j < Y.rows(); ++j) {
        Y.column(left, j, values);
        for (index_t k = 0; k < count; ++k)
          for (index_t t = 0; t < targets; ++t) out(i + k, t) = fused(values[k], coef(j, t), out(i + k, t));
      }
      Y.leave(X, left);
    }
  });
}

}  // namespace learnable
