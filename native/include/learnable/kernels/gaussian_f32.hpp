// Gaussian kernel values in single precision throughout, for solvers that need no more.
#pragma once

#include <cstdint>
#include <vector>

#include "learnable/kernels/kernel_rows.hpp"

namespace learnable {

namespace detail {

using Floats = LanesOf<float>;
typedef std::int32_t FloatBits __attribute__((vector_size(vector_bytes), may_alias));

// e^x for -87 <= x <= 0, smaller x taken as -87; accurate to about two units in the last place.
inline Floats f32_decay(Floats x) {
  const Floats lowest = Floats{} - 87.0f;
  x = x < lowest ? lowest : x;
  constexpr float per_octave = 1.44269504f, octave = 0.693359375f, octave_tail = -2.12194440e-4f, anchor = 12582912.0f;
  const Floats anchored = fused(x, Floats{} + per_octave, Floats{} + anchor), octaves = anchored - anchor;
  const Floats rest = fused(octaves, Floats{} - octave_tail, fused(octaves, Floats{} - octave, x));
  constexpr float factors[] = {8.36317763e-3f, 4.16665546e-2f, 0.166665770f, 0.5f};  // (e^r - 1 - r) / r^2 through five points around zero
  Floats sum = Floats{} + 1.39261818e-3f;
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) sum = fused(sum, rest, Floats{} + factors[k]);
  const Floats scale = (Floats)(((FloatBits)anchored - (FloatBits)(Floats{} + anchor) + 127) << 23);
  return fused(scale, fused(sum, rest * rest, rest), scale);
}

}  // namespace detail

// Rows u = sqrt(2 gamma) (x - centre) in strips side by side, with halves of their squared norms.
class GaussianF32 {
 public:
  static constexpr int vectors = 3, abreast = 4;
  static constexpr index_t width = vectors * lane_count<float>;

  GaussianF32(Grid<const double> X, KernelShape shape, View<const double> centre)
      : rows_(X.rows), columns_(X.columns), strips_((X.rows + width - 1) / width),
        data_(std::size_t(strips_ * X.columns * width), 0.0f), half_(std::size_t(strips_ * width), 0.0f) {
    const double factor = shape.factor();
    for (index_t i = 0; i < rows_; ++i) {
      float* out = data_.data() + i / width * columns_ * width + i % width;
      float square = 0;
      for (index_t j = 0; j < columns_; ++j) {
        const float value = float(factor * (X(i, j) - (centre ? centre[j] : 0.0)));
        out[j * width] = value;
        square = fused(value, value, square);
      }
      half_[i] = square / 2;
      longest_ = half_[i] <= longest_ ? longest_ : half_[i];
    }
  }

  // Some rows of another table, with the same values.
  GaussianF32(const GaussianF32& other, View<const std::int32_t> which)
      : rows_(which.size), columns_(other.columns_), strips_((which.size + width - 1) / width),
        data_(std::size_t(strips_ * other.columns_ * width), 0.0f), half_(std::size_t(strips_ * width), 0.0f),
        longest_(other.longest_) {
    for (index_t i = 0; i < rows_; ++i) {
      const float* from = other.data_.data() + which[i] / width * columns_ * width + which[i] % width;
      float* to = data_.data() + i / width * columns_ * width + i % width;
      for (index_t j = 0; j < columns_; ++j) to[j * width] = from[j * width];
      half_[i] = other.half_[which[i]];
    }
  }

  // Half the squared norm of the longest row: values are right to about this times 2^-22.
  float longest() const { return longest_; }

  void fill(View<const std::int32_t> which, void* const* out) const {
    const index_t padded = round_up(which.size, abreast);
    std::vector<float> left(std::size_t(padded * columns_)), half(static_cast<std::size_t>(padded));
    for (index_t i = 0; i < padded; ++i) {
      const index_t row = which[std::min(i, which.size - 1)];
      const float* column = data_.data() + row / width * columns_ * width + row % width;
      for (index_t j = 0; j < columns_; ++j) left[i * columns_ + j] = column[j * width];
      half[i] = half_[row];
    }
    const index_t together = std::clamp<index_t>((1 << 16) / std::max<index_t>(columns_ * width * 4, 1), 1, 64);
    const Blocks blocks(strips_, together);
    parallel_if(which.size * rows_ * (columns_ + 16) > (1 << 18), blocks.count, [&](index_t block, int) {
      for (index_t strip = blocks.begin(block); strip < blocks.end(block); ++strip)
        for (index_t i = 0; i < which.size; i += abreast)
          tile(left.data() + i * columns_, half.data() + i, std::min<index_t>(abreast, which.size - i), strip, out + i);
    });
  }

 private:
  void tile(const float* left, const float* half, index_t count, index_t strip, void* const* out) const {
    using namespace detail;
    const float* right = data_.data() + strip * columns_ * width;
    Floats sums[abreast][vectors] = {};
    for (index_t j = 0; j < columns_; ++j) {
      Floats values[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) values[v] = load<float>(right + j * width + v * lane_count<float>);
#pragma GCC unroll 8
      for (int m = 0; m < abreast; ++m) {
        const Floats one = left[m * columns_ + j] - Floats{};
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sums[m][v] = fused(one, values[v], sums[m][v]);
      }
    }
#pragma GCC unroll 8
    for (int m = 0; m < abreast; ++m) {
      if (m >= count) break;
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const index_t at = strip * width + v * lane_count<float>;
        const Floats exponent = sums[m][v] - (half[m] + load<float>(half_.data() + at));
        store(static_cast<float*>(out[m]) + at, f32_decay(exponent < 0 ? exponent : Floats{}));
      }
    }
  }

  index_t rows_, columns_, strips_;
  std::vector<float> data_, half_;
  float longest_ = 0;
};

}  // namespace learnable
