// Sources of kernel matrix rows for a solver: computed from dense or sparse data, or read from a matrix.
#pragma once

#include <memory>

#include "learnable/kernels/gaussian_f32.hpp"
#include "learnable/kernels/kernel_rows.hpp"

namespace learnable {

// Rows are padded to whole vectors with finite values. They hold floats if `f32`, else doubles; only the loops over
// them depend on it.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual index_t size() const = 0;
  virtual double diagonal(index_t i) const = 0;
  // out[k][j] = kernel of the rows which[k] and j.
  virtual void fill(View<const std::int32_t> which, bool f32, void* const* out) const = 0;
  // Relative error of values in single precision, with respect to the largest.
  virtual double f32_error() const { return 0x1p-24; }
  // The same values for a subset of the rows, where these can be computed separately.
  virtual bool parts() const { return true; }
  virtual std::unique_ptr<KernelSource> part(View<const std::int32_t>) const { return nullptr; }
  // Whether computing a value is faster than reading it from a long row.
  virtual bool is_fast() const { return false; }
  // A row that is in memory already, or null.
  virtual const void* stored(index_t, bool /* f32 */) const { return nullptr; }

  // Distance between rows in memory: whole tiles.
  static index_t stride(index_t size) { return round_up(size, 48); }
  static index_t bytes(bool f32) { return f32 ? sizeof(float) : sizeof(double); }
};

class DenseSource final : public KernelSource {
 public:
  DenseSource(Grid<const double> X, KernelShape shape, View<const double> centre) : kernel_(X, shape, centre) {
    if (shape.kind != KernelKind::gaussian || X.rows < many_rows) return;
    f32_ = std::make_unique<GaussianF32>(X, shape, kernel_.centre());
    if (!(f32_->longest() < moderate)) f32_.reset();
  }
  DenseSource(const DenseSource& whole, View<const std::int32_t> which) : kernel_(whole.kernel_, which) {
    if (whole.f32_) f32_ = std::make_unique<GaussianF32>(*whole.f32_, which);
  }
  index_t size() const override { return kernel_.rows(); }
  double diagonal(index_t i) const override { return kernel_.diagonal(i); }
  std::unique_ptr<KernelSource> part(View<const std::int32_t> which) const override {
    return std::make_unique<DenseSource>(*this, which);
  }
  bool is_fast() const override { return kernel_.columns() <= few_columns; }
  double f32_error() const override { return f32_ ? 0x1p-23 * (1 + f32_->longest()) : 0x1p-24; }
  void fill(View<const std::int32_t> which, bool f32, void* const* out) const override {
    if (which.size == 0) return;
    f32 && f32_ ? f32_->fill(which, out) : compute(which, f32, out);
  }

 private:
  static constexpr index_t many_rows = 1024, few_columns = 256;
  static constexpr float moderate = 16;  // half the squared norm of rows for which single precision is good

  void compute(View<const std::int32_t> which, bool f32, void* const* out) const {
    DenseKernel::Left left;
    kernel_.take(which, left);
    const Blocks blocks(kernel_.strips(), kernel_.strips_of_a_block());
    parallel_if(which.size * kernel_.rows() * (kernel_.columns() + 16) > (1 << 18), blocks.count,
                [&](index_t block, int) {
      for (index_t strip = blocks.begin(block); strip < blocks.end(block); ++strip)
        for (index_t i = 0; i < which.size; i += tile_rows)
          kernel_.tile(left, i, strip, [&](index_t first, index_t at, const double* values) {
            const index_t count = std::min<index_t>(tile_rows, which.size - first);
            f32 ? put<float>(values, count, at, out + first) : put<double>(values, count, at, out + first);
          });
    });
  }

  template <class T>
  static void put(const double* values, index_t count, index_t strip, void* const* out) {
    constexpr index_t width = DenseKernel::strip_width;
    for (index_t m = 0; m < count; ++m)
      for (index_t v = 0; v < width; v += lanes)
        detail::put(static_cast<T*>(out[m]) + strip * width + v, load(values + m * width + v));
  }

  DenseKernel kernel_;
  std::unique_ptr<GaussianF32> f32_;
};

class SparseSource final : public KernelSource {
 public:
  SparseSource(SparseKernel::Rows X, KernelShape shape) : kernel_(X, shape) {}
  index_t size() const override { return kernel_.rows(); }
  double diagonal(index_t i) const override { return kernel_.diagonal(i); }
  std::unique_ptr<KernelSource> part(View<const std::int32_t> which) const override {
    return std::unique_ptr<KernelSource>(new SparseSource(copied(kernel_.table(), which), kernel_.shape()));
  }
  void fill(View<const std::int32_t> which, bool f32, void* const* out) const override {
    f32 ? compute<float>(which, out) : compute<double>(which, out);
  }

 private:
  template <class T>
  void compute(View<const std::int32_t> which, void* const* out) const {
    constexpr index_t abreast = SparseKernel::abreast;
    const Blocks groups(which.size, abreast);
    parallel_if(which.size * size() > (1 << 12), groups.count, [&](index_t group, int) {
      SparseKernel::Left left = kernel_.room();
      const index_t begin = groups.begin(group), count = groups.end(group) - begin;
      kernel_.take(kernel_.table(), which.data + begin, count, left);
      alignas(64) double values[abreast];
      T* rows[abreast];
      for (index_t k = 0; k < count; ++k) rows[k] = static_cast<T*>(out[begin + k]);
      for (index_t j = 0; j < size(); ++j) {
        kernel_.column(left, j, values);
        for (index_t k = 0; k < count; ++k) rows[k][j] = T(values[k]);
      }
      for (index_t k = 0; k < count; ++k) std::fill(rows[k] + size(), rows[k] + stride(size()), T(0));
    });
  }

  struct Copy {
    index_t columns;
    std::vector<double> value;
    std::vector<std::int32_t> index, start;
  };
  SparseSource(Copy own, KernelShape shape)
      : own_(std::move(own)), kernel_({index_t(own_.start.size()) - 1, own_.columns, own_.value.data(), own_.index.data(),
                                       own_.start.data()}, shape) {}

  static Copy copied(const SparseKernel::Rows& X, View<const std::int32_t> which) {
    Copy own{X.columns, {}, {}, {0}};
    for (const std::int32_t row : which) {
      own.value.insert(own.value.end(), X.value + X.start[row], X.value + X.start[row + 1]);
      own.index.insert(own.index.end(), X.index + X.start[row], X.index + X.start[row + 1]);
      own.start.push_back(std::int32_t(own.index.size()));
    }
    return own;
  }

  Copy own_;  // of a part
  SparseKernel kernel_;
};

// A whole matrix: given, or computed once from another source for many problems on the same rows.
template <class T>
class MatrixSource final : public KernelSource {
 public:
  explicit MatrixSource(const KernelSource& other) : MatrixSource(other.size()) {
    std::vector<std::int32_t> which(size_);
    std::vector<void*> out(size_);
    for (index_t i = 0; i < size_; ++i) which[i] = std::int32_t(i), out[i] = &values_[i * stride_];
    for (index_t i = 0; i < size_; i += 256) {  // a few at a time, so that an interrupt is heard
      other.fill({which.data() + i, std::min<index_t>(256, size_ - i)}, is_f32, out.data() + i);
      poll_interrupt();
    }
  }
  explicit MatrixSource(Grid<const double> given) : MatrixSource(given.rows) {
    for (index_t i = 0; i < size_; ++i)
      for (index_t j = 0; j < size_; ++j) values_[i * stride_ + j] = T(given(i, j));
  }

  index_t size() const override { return size_; }
  double diagonal(index_t i) const override { return double(values_[i * stride_ + i]); }
  void fill(View<const std::int32_t> which, bool f32, void* const* out) const override {
    f32 ? copy<float>(which, out) : copy<double>(which, out);
  }
  const void* stored(index_t i, bool f32) const override {
    return f32 == is_f32 ? &values_[i * stride_] : nullptr;
  }
  bool parts() const override { return false; }

 private:
  static constexpr bool is_f32 = sizeof(T) == sizeof(float);

  explicit MatrixSource(index_t size) : size_(size), stride_(stride(size)), values_(std::size_t(size * stride_)) {}

  template <class U>
  void copy(View<const std::int32_t> which, void* const* out) const {
    for (index_t k = 0; k < which.size; ++k)
      std::copy_n(&values_[index_t(which[k]) * stride_], stride_, static_cast<U*>(out[k]));
  }

  index_t size_, stride_;
  std::vector<T> values_;
};

}  // namespace learnable
