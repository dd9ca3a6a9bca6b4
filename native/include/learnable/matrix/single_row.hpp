// Single rows of a design: the inner loops of methods that take one row at a time.
#pragma once

#include <algorithm>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// Prefetches the first 2 kB of an array. Inlined by force: a function without other effects would be considered pure
// and dropped.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* data, index_t size) {
  const index_t near = std::min<index_t>(size, 2048 / sizeof(T));
  for (index_t j = 0; j < near; j += 64 / sizeof(T)) __builtin_prefetch(data + j);
  if (near > 0) __builtin_prefetch(data + near - 1);
}

template <class T>
struct DenseRow {
  const T* value;
  index_t size;

  double dot(View<const double> v) const { return learnable::dot(value, v.data, size); }
  void axpy(double a, View<double> v) const {
    double* out = v.data;
    const T* x = value;
#pragma omp simd
    for (index_t j = 0; j < size; ++j) out[j] += a * double(x[j]);
  }
  // f(j, x_j, lane) where the lane, below 8, is the index of one of eight running sums.
  template <class F>
  void each(F&& f) const {
    index_t j = 0;
    for (; j + 8 <= size; j += 8) {
#pragma omp simd
      for (int lane = 0; lane < 8; ++lane) f(j + lane, double(value[j + lane]), lane);
    }
    for (; j < size; ++j) f(j, double(value[j]), 0);
  }
  [[gnu::always_inline]] void prefetch() const { learnable::prefetch(value, size); }
};

template <class T>
struct SparseRow {
  const T* value;
  const line_t* index;
  index_t size;

  double dot(View<const double> v) const {
    double sums[4] = {}, tail = 0;
    index_t k = 0;
    for (; k + 4 <= size; k += 4)
      for (int lane = 0; lane < 4; ++lane) sums[lane] += double(value[k + lane]) * v[index[k + lane]];
    for (; k < size; ++k) tail += double(value[k]) * v[index[k]];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]) + tail;
  }
  void axpy(double a, View<double> v) const {
    for (index_t k = 0; k < size; ++k) v[index[k]] += a * double(value[k]);
  }
  template <class F>
  void each(F&& f) const {
    for (index_t k = 0; k < size; ++k) f(index_t(index[k]), double(value[k]), 0);
  }
  [[gnu::always_inline]] void prefetch() const {
    learnable::prefetch(value, size);
    learnable::prefetch(index, size);
  }
};

template <class T>
DenseRow<T> row_of(const RowMajor<T>& X, index_t i) { return {X.data + i * X.stride, X.columns}; }
template <class T>
SparseRow<T> row_of(const SparseRows<T>& X, index_t i) {
  return {X.value + X.start[i], X.index + X.start[i], index_t(X.start[i + 1] - X.start[i])};
}

// The start of a sparse row must be in the cache before its entries can be prefetched.
template <class T>
[[gnu::always_inline]] inline void prefetch_start(const RowMajor<T>&, index_t) {}
template <class T>
[[gnu::always_inline]] inline void prefetch_start(const SparseRows<T>& X, index_t i) { __builtin_prefetch(X.start + i); }

// x_i . x_i for every row.
template <class Design>
void squared_row_norms(const Design& X, View<double> norms) {
  for (index_t i = 0; i < X.rows; ++i) {
    const auto x = row_of(X, i);
    norms[i] = dot(x.value, x.value, x.size);
  }
}

}  // namespace learnable
