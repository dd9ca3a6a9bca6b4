// Scratch memory for kernels: doubles on a cache-line boundary, freed at the end of the scope.
#pragma once

#include <algorithm>
#include <new>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(index_t size) : size_(size) {
    data_ = static_cast<double*>(::operator new(std::size_t(std::max<index_t>(size, 1)) * sizeof(double), line));
  }
  Buffer(index_t size, double value) : Buffer(size) { std::fill_n(data_, size, value); }
  Buffer(Buffer&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { ::operator delete(data_, line); }

  double* data() const { return data_; }
  index_t size() const { return size_; }
  double& operator[](index_t i) const { return data_[i]; }
  operator View<double>() const { return {data_, size_}; }
  operator View<const double>() const { return {data_, size_}; }

 private:
  static constexpr std::align_val_t line{64};
  double* data_ = nullptr;
  index_t size_ = 0;
};

// A scratch matrix: rows on cache-line boundaries, padded to whole vectors.
struct Scratch {
  Buffer memory;
  Grid<double> grid;

  Scratch() = default;
  Scratch(index_t rows, index_t columns)
      : memory(rows * scratch_stride(columns)), grid{memory.data(), rows, columns, scratch_stride(columns)} {}
  void clear() const { std::fill_n(memory.data(), memory.size(), 0.0); }
};

}  // namespace learnable
