// Values of a kernel function between rows of matrices, tile by tile: rows of a Gram matrix, and sums over support
// vectors.
//
// A Gaussian kernel is e^(u'v - |u|^2/2 - |v|^2/2) of rows u, v about a common centre that were multiplied by sqrt(2
// gamma). Where rounding could matter, the difference of the rows is taken column by column instead. A value depends on
// its two rows alone, not on the others of the tile, and k(x, y) has the bits of k(y, x).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/simd_exp.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

enum class KernelKind { linear, polynomial, gaussian, sigmoid };

struct KernelShape {
  KernelKind kind = KernelKind::linear;
  double gamma = 1, coef0 = 0;
  int degree = 3;

  // The factor of the rows before products are computed.
  double factor() const { return kind == KernelKind::gaussian ? std::sqrt(2 * gamma) : 1.0; }

  static Lanes gaussian(Lanes dot, double left_half, Lanes right_half) {
    const Lanes exponent = dot - (left_half + right_half);
    return decay(exponent < 0 ? exponent : Lanes{});
  }

  // The kernel of rows with the product `dot`; the halves are of their squared norms.
  Lanes operator()(Lanes dot, double left_half, Lanes right_half) const {
    if (kind == KernelKind::linear) return dot;
    if (kind == KernelKind::gaussian) return gaussian(dot, left_half, right_half);
    const Lanes base = gamma * dot + coef0;
    if (kind == KernelKind::sigmoid) {
      const Lanes growth = Exponential(2 * base).growth();
      return growth / (growth + 2);
    }
    Lanes power = Lanes{} + 1, square = base;
    for (int left = degree; left > 0; left >>= 1, square *= square)
      if (left & 1) power *= square;
    return power;
  }
};

namespace detail {

inline void put(float* out, Lanes values, index_t count) {
  for (index_t lane = 0; lane < count; ++lane) out[lane] = float(values[lane]);
}
inline void put(double* out, Lanes values, index_t count) {
  for (index_t lane = 0; lane < count; ++lane) out[lane] = values[lane];
}
inline void put(float* out, Lanes values) {
  typedef float HalfWidth __attribute__((vector_size(4 * lanes), aligned(4), may_alias));
  *reinterpret_cast<HalfWidth*>(out) = __builtin_convertvector(values, HalfWidth);
}
inline void put(double* out, Lanes values) { store(out, values); }

}  // namespace detail

// The mean of each column; 0 where it is not finite.
inline void column_centre(Grid<const double> X, View<double> centre) {
  std::fill(centre.begin(), centre.end(), 0.0);
  for (index_t i = 0; i < X.rows; ++i)
    for (index_t j = 0; j < X.columns; ++j) centre[j] += X(i, j);
  for (double& value : centre) value = std::isfinite(value) ? value / double(X.rows) : 0;
}

// Dense rows packed as the right factor: strips of tile_columns rows side by side.
class DenseKernel {
 public:
  static constexpr index_t strip_width = tile_columns;

  DenseKernel(Grid<const double> X, KernelShape shape, View<const double> centre)
      : shape_(shape), rows_(X.rows), columns_(X.columns), strips_((X.rows + strip_width - 1) / strip_width),
        centre_(X.columns, 0), data_(strips_ * X.columns * strip_width), half_(strips_ * strip_width, 0) {
    if (centre)
      std::copy(centre.begin(), centre.end(), centre_.data());
    else if (shape.kind == KernelKind::gaussian)  // distances do not change with the centre, but rounding does
      column_centre(X, centre_);
    const Blocks blocks(strips_, 64);
    Buffer longest(blocks.count, 0);
    parallel_if(X.rows * X.columns > (1 << 16), blocks.count, [&](index_t block, int) {
      for (index_t strip = blocks.begin(block); strip < blocks.end(block); ++strip) pack(X, strip);
      for (index_t i = blocks.begin(block) * strip_width; i < blocks.end(block) * strip_width; ++i)
        longest[block] = half_[i] <= longest[block] ? longest[block] : half_[i];
    });
    for (index_t block = 0; block < blocks.count; ++block) longest_ = std::max(longest_, longest[block]);
  }

  // Some rows of another table, with the same values.
  DenseKernel(const DenseKernel& other, View<const std::int32_t> which)
      : shape_(other.shape_), rows_(which.size), columns_(other.columns_),
        strips_((which.size + strip_width - 1) / strip_width), centre_(other.columns_),
        data_(strips_ * other.columns_ * strip_width, 0), half_(strips_ * strip_width, 0), longest_(other.longest_) {
    std::copy_n(other.centre_.data(), columns_, centre_.data());
    for (index_t i = 0; i < rows_; ++i) {
      const double* from = other.at(which[i]);
      double* to = data_.data() + i / strip_width * room() + i % strip_width;
      for (index_t j = 0; j < columns_; ++j) to[j * strip_width] = from[j * strip_width];
      half_[i] = other.half_[which[i]];
    }
  }

  index_t rows() const { return rows_; }
  index_t columns() const { return columns_; }
  const KernelShape& shape() const { return shape_; }
  View<const double> centre() const { return centre_; }

  // Room for `count` rows as left factor.
  struct Left {
    Buffer data, half;
    index_t count = 0;
  };

  // Rows of another matrix, centred and scaled.
  void take(Grid<const double> X, index_t begin, index_t count, Left& left) const {
    reserve(left, count);
    const double factor = shape_.factor();
    for (index_t i = 0; i < count; ++i) {
      const double* row = X.data + (begin + i) * X.stride;
      for (index_t j = 0; j < columns_; ++j) left.data[i * columns_ + j] = factor * (row[j] - centre_[j]);
      left.half[i] = half_of(&left.data[i * columns_], 1);
    }
    pad(left);
  }

  // Rows of this table.
  void take(View<const std::int32_t> which, Left& left) const {
    reserve(left, which.size);
    for (index_t i = 0; i < which.size; ++i) {
      const double* source = at(which[i]);
      for (index_t j = 0; j < columns_; ++j) left.data[i * columns_ + j] = source[j * strip_width];
      left.half[i] = half_[which[i]];
    }
    pad(left);
  }

  // Inner products of four rows of `left` from i on with a strip of this table.
  [[gnu::always_inline]] void dots(const Left& left, index_t i, index_t strip, Lanes (&out)[tile_rows][tile_vectors]) const {
    sum_tile<tile_rows, tile_vectors>({&left.data[i * columns_], columns_, 1}, data_.data() + strip * room(), strip_width,
                                      columns_, out);
  }

  // f(i, strip, values[4][strip_width]) for four rows of `left` from i on; rows beyond the last are copies of it.
  template <class F>
  void tile(const Left& left, index_t i, index_t strip, F&& f) const {
    alignas(64) double values[tile_rows * strip_width];
    Lanes dots[tile_rows][tile_vectors];
    this->dots(left, i, strip, dots);
    if (shape_.kind == KernelKind::gaussian)
      apply_kernel<KernelKind::gaussian>(dots, &left.half[i], strip, values);
    else
      apply_kernel<KernelKind::linear>(dots, &left.half[i], strip, values);
    for (index_t m = 0; m < tile_rows; ++m)
      if (doubtful(left.half[i + m])) [[unlikely]] by_differences(&left.data[(i + m) * columns_], strip,
                                                                  values + m * strip_width);
    f(i, strip, values);
  }

  index_t strips() const { return strips_; }
  // Half the squared norm of a row, and of the longest.
  double half(index_t i) const { return half_[i]; }
  double longest() const { return longest_; }
  // Strips that fit in the first levels of the cache together.
  index_t strips_of_a_block() const { return std::clamp<index_t>((1 << 16) / std::max<index_t>(room() * 8, 1), 1, 64); }

  // Whether the exponent of a Gaussian kernel could be off by more than about 1e-10.
  bool doubtful(double half) const {
    return shape_.kind == KernelKind::gaussian && !((half + longest_) * double(columns_ + 4) < 400000);
  }

  double diagonal(index_t i) const {
    const double* source = at(i);
    if (shape_.kind == KernelKind::gaussian) return 1;
    double dot = 0;
    for (index_t j = 0; j < columns_; ++j) dot = fused(source[j * strip_width], source[j * strip_width], dot);
    return shape_(Lanes{} + dot, half_[i], Lanes{} + half_[i])[0];
  }

 private:
  index_t room() const { return columns_ * strip_width; }
  const double* at(index_t i) const { return data_.data() + i / strip_width * room() + i % strip_width; }

  void pack(Grid<const double> X, index_t strip) {
    const double factor = shape_.factor();
    for (index_t k = 0; k < strip_width; ++k) {
      const index_t i = strip * strip_width + k;
      double* out = data_.data() + strip * room() + k;
      for (index_t j = 0; j < columns_; ++j)
        out[j * strip_width] = i < rows_ ? factor * (X(i, j) - centre_[j]) : 0.0;
      half_[i] = half_of(out, strip_width);
    }
  }

  // Kernel values of a tile from inner products of its rows.
  template <KernelKind kind>
  void apply_kernel(const Lanes (&dots)[tile_rows][tile_vectors], const double* left_half, index_t strip,
                    double* values) const {
    const double* right_half = &half_[strip * strip_width];
#pragma GCC unroll 8
    for (int m = 0; m < tile_rows; ++m)
#pragma GCC unroll 8
      for (int v = 0; v < tile_vectors; ++v) {
        const Lanes right = load(right_half + v * lanes);
        if constexpr (kind == KernelKind::gaussian)
          store(values + m * strip_width + v * lanes, KernelShape::gaussian(dots[m][v], left_half[m], right));
        else
          store(values + m * strip_width + v * lanes, shape_(dots[m][v], left_half[m], right));
      }
  }

  double half_of(const double* row, index_t step) const {
    double square = 0;
    for (index_t j = 0; j < columns_; ++j) square = fused(row[j * step], row[j * step], square);
    return square / 2;
  }

  void reserve(Left& left, index_t count) const {
    left.count = count;
    const index_t padded = round_up(count, tile_rows);
    if (left.half.size() < padded) {
      left.data = Buffer(padded * columns_);
      left.half = Buffer(padded);
    }
  }

  void pad(Left& left) const {
    for (index_t i = left.count; i < round_up(left.count, tile_rows); ++i) {
      std::copy_n(&left.data[(left.count - 1) * columns_], columns_, &left.data[i * columns_]);
      left.half[i] = left.half[left.count - 1];
    }
  }

  void by_differences(const double* u, index_t strip, double* row) const {
    const double* right = data_.data() + strip * room();
    for (index_t k = 0; k < strip_width; ++k) {
      double square = 0;
      for (index_t j = 0; j < columns_; ++j) {
        const double gap = u[j] - right[j * strip_width + k];
        square += gap * gap;
      }
      row[k] = std::exp(-square / 2);
    }
  }

  KernelShape shape_;
  index_t rows_, columns_, strips_;
  Buffer centre_, data_, half_;
  double longest_ = 0;
};

// Sparse rows as the right factor; a few rows at a time are scattered into dense columns as the left one.
class SparseKernel {
 public:
  static constexpr index_t abreast = 8;

  struct Rows {
    index_t count, columns;
    const double* value;
    const std::int32_t* index;
    const std::int32_t* start;
  };

  SparseKernel(Rows X, KernelShape shape) : X_(X), shape_(shape), half_(X.count) {
    for (index_t i = 0; i < X.count; ++i) half_[i] = half_of(X, i);
  }

  index_t rows() const { return X_.count; }
  index_t columns() const { return X_.columns; }
  const Rows& table() const { return X_; }
  const KernelShape& shape() const { return shape_; }

  struct Left {
    Buffer spread, half;
    std::vector<std::int32_t> which;
  };

  Left room() const { return {Buffer(X_.columns * abreast, 0), Buffer(abreast, 0), {}}; }

  // Up to `abreast` rows of a table.
  void take(const Rows& X, const std::int32_t* which, index_t count, Left& left) const {
    const double factor = shape_.factor();
    left.which.assign(which, which + count);
    for (index_t k = 0; k < count; ++k) {
      for (index_t e = X.start[which[k]]; e < X.start[which[k] + 1]; ++e)
        left.spread[X.index[e] * abreast + k] += factor * X.value[e];
      left.half[k] = half_of(X, which[k]);
    }
  }

  void leave(const Rows& X, Left& left) const {
    for (const std::int32_t row : left.which)
      for (index_t e = X.start[row]; e < X.start[row + 1]; ++e)
        std::fill_n(&left.spread[X.index[e] * abreast], abreast, 0.0);
  }

  // values[k] = kernel of the k-th row taken and row j of this table.
  void column(const Left& left, index_t j, double* values) const {
    constexpr int vectors = abreast / lanes;
    const double factor = shape_.factor();
    Lanes sums[vectors] = {};
    for (index_t e = X_.start[j]; e < X_.start[j + 1]; ++e)
      for (int v = 0; v < vectors; ++v)
        sums[v] = fused(Lanes{} + factor * X_.value[e], load(&left.spread[X_.index[e] * abreast + v * lanes]), sums[v]);
    for (int v = 0; v < vectors; ++v)
      store(values + v * lanes, shape_(sums[v], half_[j], load(&left.half[v * lanes])));
  }

  double diagonal(index_t i) const {
    if (shape_.kind == KernelKind::gaussian) return 1;
    return shape_(Lanes{} + 2 * half_[i], half_[i], Lanes{} + half_[i])[0];
  }

 private:
  double half_of(const Rows& X, index_t i) const {
    const double factor = shape_.factor();
    double square = 0;
    for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) {
      const double value = factor * X.value[e];
      square = fused(value, value, square);
    }
    return square / 2;
  }

  Rows X_;
  KernelShape shape_;
  Buffer half_;
};

}  // namespace learnable
