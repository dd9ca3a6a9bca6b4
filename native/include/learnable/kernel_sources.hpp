// Where a solver gets rows of its kernel matrix from: computed from dense or sparse data, or read from a matrix.
#pragma once

#include <memory>

#include "learnable/kernel_narrow.hpp"
#include "learnable/kernel_rows.hpp"

namespace learnable {

// Rows come with room for whole vectors at their end; what stands there is finite.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual index_t size() const = 0;
  virtual double diagonal(index_t i) const = 0;
  // out[k][j] = kernel of the rows which[k] and j.
  virtual void fill(View<const std::int32_t> which, float* const* out) const = 0;
  virtual void fill(View<const std::int32_t> which, double* const* out) const = 0;
  // How far values in single precision may be off, as a part of the largest.
  virtual double narrow_error() const { return 0x1p-24; }
  // A row that lies in memory already, or nothing.
  virtual const float* lying(index_t, float) const { return nullptr; }
  virtual const double* lying(index_t, double) const { return nullptr; }

  // Distance between rows in memory: whole tiles.
  static index_t stride(index_t size) { return round_up(size, 48); }
};

class DenseSource final : public KernelSource {
 public:
  DenseSource(Grid<const double> X, KernelShape shape, View<const double> centre) : kernel_(X, shape, centre) {
    if (shape.kind != KernelKind::gaussian || X.rows < many_rows) return;
    narrow_ = std::make_unique<NarrowGaussian>(X, shape, centre);
    if (!(narrow_->longest() < moderate)) narrow_.reset();
  }
  index_t size() const override { return kernel_.rows(); }
  double diagonal(index_t i) const override { return kernel_.diagonal(i); }
  double narrow_error() const override { return narrow_ ? 0x1p-23 * (1 + narrow_->longest()) : 0x1p-24; }
  void fill(View<const std::int32_t> which, float* const* out) const override {
    narrow_ && which.size > 0 ? narrow_->fill(which, out) : compute(which, out);
  }
  void fill(View<const std::int32_t> which, double* const* out) const override { compute(which, out); }

 private:
  static constexpr index_t many_rows = 1024;
  static constexpr float moderate = 16;  // half the squared norm of rows for which single precision is good

  template <class T>
  void compute(View<const std::int32_t> which, T* const* out) const {
    if (which.size == 0) return;
    constexpr index_t width = DenseKernel::strip_width;
    DenseKernel::Left left;
    kernel_.take(which, left);
    const Blocks blocks(kernel_.strips(), kernel_.strips_of_a_block());
    parallel_if(which.size * kernel_.rows() * (kernel_.columns() + 16) > (1 << 18), blocks.count,
                [&](index_t block, int) {
      for (index_t strip = blocks.begin(block); strip < blocks.end(block); ++strip)
        for (index_t i = 0; i < which.size; i += tile_rows)
          kernel_.tile(left, i, strip, [&](index_t first, index_t at, const double* values) {
            for (index_t m = 0; m < std::min<index_t>(tile_rows, which.size - first); ++m)
              for (index_t v = 0; v < width; v += lanes)
                detail::put(out[first + m] + at * width + v, load(values + m * width + v));
          });
    });
  }

  DenseKernel kernel_;
  std::unique_ptr<NarrowGaussian> narrow_;
};

class SparseSource final : public KernelSource {
 public:
  SparseSource(SparseKernel::Rows X, KernelShape shape) : kernel_(X, shape) {}
  index_t size() const override { return kernel_.rows(); }
  double diagonal(index_t i) const override { return kernel_.diagonal(i); }
  void fill(View<const std::int32_t> which, float* const* out) const override { compute(which, out); }
  void fill(View<const std::int32_t> which, double* const* out) const override { compute(which, out); }

 private:
  template <class T>
  void compute(View<const std::int32_t> which, T* const* out) const {
    constexpr index_t abreast = SparseKernel::abreast;
    const Blocks groups(which.size, abreast);
    parallel_if(which.size * size() > (1 << 12), groups.count, [&](index_t group, int) {
      SparseKernel::Left left = kernel_.room();
      const index_t begin = groups.begin(group), count = groups.end(group) - begin;
      kernel_.take(kernel_.table(), which.data + begin, count, left);
      alignas(64) double values[abreast];
      for (index_t j = 0; j < size(); ++j) {
        kernel_.column(left, j, values);
        for (index_t k = 0; k < count; ++k) out[begin + k][j] = T(values[k]);
      }
      for (index_t k = 0; k < count; ++k) std::fill(out[begin + k] + size(), out[begin + k] + stride(size()), T(0));
    });
  }

  SparseKernel kernel_;
};

// A whole matrix: given, or computed once from another source for many problems on the same rows.
template <class T>
class MatrixSource final : public KernelSource {
 public:
  explicit MatrixSource(const KernelSource& other) : MatrixSource(other.size()) {
    std::vector<std::int32_t> which(size_);
    std::vector<T*> out(size_);
    for (index_t i = 0; i < size_; ++i) which[i] = std::int32_t(i), out[i] = &values_[i * stride_];
    for (index_t i = 0; i < size_; i += 256) {  // a few at a time, so that an interrupt is heard
      other.fill({which.data() + i, std::min<index_t>(256, size_ - i)}, out.data() + i);
      look_up();
    }
  }
  template <class U>
  explicit MatrixSource(Grid<const U> given) : MatrixSource(given.rows) {
    for (index_t i = 0; i < size_; ++i)
      for (index_t j = 0; j < size_; ++j) values_[i * stride_ + j] = T(given(i, j));
  }

  index_t size() const override { return size_; }
  double diagonal(index_t i) const override { return double(values_[i * stride_ + i]); }
  void fill(View<const std::int32_t> which, float* const* out) const override { copy(which, out); }
  void fill(View<const std::int32_t> which, double* const* out) const override { copy(which, out); }
  const T* lying(index_t i, T) const override { return &values_[i * stride_]; }

 private:
  explicit MatrixSource(index_t size) : size_(size), stride_(stride(size)), values_(std::size_t(size * stride_)) {}

  template <class U>
  void copy(View<const std::int32_t> which, U* const* out) const {
    for (index_t k = 0; k < which.size; ++k)
      for (index_t j = 0; j < stride_; ++j) out[k][j] = U(values_[index_t(which[k]) * stride_ + j]);
  }

  index_t size_, stride_;
  std::vector<T> values_;
};

// out(i, t) = sum over rows j of the kernel's table of k(X_i, Y_j) coef(j, t).
inline void kernel_scores(const DenseKernel& Y, Grid<const double> X, Grid<const double> coef, Grid<double> out) {
  constexpr index_t width = DenseKernel::strip_width;
  const index_t targets = coef.columns;
  Buffer columns(targets * Y.strips() * width, 0);  // coefficients of one target side by side
  for (index_t j = 0; j < coef.rows; ++j)
    for (index_t t = 0; t < targets; ++t) columns[t * Y.strips() * width + j] = coef(j, t);
  const Blocks blocks(X.rows, 64);
  parallel_if(X.rows * Y.rows() * (Y.columns() + 16) > (1 << 18), blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), count = blocks.end(block) - begin;
    DenseKernel::Left left;
    Y.take(X, begin, count, left);
    Buffer sums(round_up(count, tile_rows) * targets * lanes, 0);
    for (index_t strip = 0; strip < Y.strips(); ++strip)
      for (index_t i = 0; i < count; i += tile_rows)
        Y.tile(left, i, strip, [&](index_t first, index_t at, const double* values) {
          for (index_t t = 0; t < targets; ++t) {
            const double* weight = &columns[t * Y.strips() * width + at * width];
            for (index_t m = 0; m < tile_rows; ++m) {
              double* place = &sums[((first + m) * targets + t) * lanes];
              Lanes sum = load(place);
              for (index_t v = 0; v < width; v += lanes) sum = fused(load(values + m * width + v), load(weight + v), sum);
              store(place, sum);
            }
          }
        });
    for (index_t i = 0; i < count; ++i)
      for (index_t t = 0; t < targets; ++t) {
        double sum = 0;
        for (int lane = 0; lane < lanes; ++lane) sum += sums[(i * targets + t) * lanes + lane];
        out(begin + i, t) = sum;
      }
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
