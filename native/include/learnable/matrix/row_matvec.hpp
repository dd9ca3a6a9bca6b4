// Products with a few rows of a design and one vector: the inner loops of scores (X w) and transposed products (X'r).
#pragma once

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// out[k] = x_i . w for i = begin + k, k < count. One pass over those rows.

template <class T>
void row_scores(const RowMajor<T>& X, index_t begin, index_t count, const double* w, double* out) {
  for (index_t k = 0; k < count; ++k) out[k] = dot(X.data + (begin + k) * X.stride, w, X.columns);
}

template <class T>
void row_scores(const ColumnMajor<T>& X, index_t begin, index_t count, const double* w, double* out) {
  for (index_t k = 0; k < count; ++k) out[k] = 0;
  index_t j = 0;
  for (; j + 4 <= X.columns; j += 4) {
    const T *a = X.data + j * X.stride + begin, *b = a + X.stride, *c = b + X.stride, *d = c + X.stride;
#pragma omp simd
    for (index_t k = 0; k < count; ++k)
      out[k] += (w[j] * double(a[k]) + w[j + 1] * double(b[k])) + (w[j + 2] * double(c[k]) + w[j + 3] * double(d[k]));
  }
  for (; j < X.columns; ++j) {
    const T* a = X.data + j * X.stride + begin;
#pragma omp simd
    for (index_t k = 0; k < count; ++k) out[k] += w[j] * double(a[k]);
  }
}

template <class T>
void row_scores(const SparseRows<T>& X, index_t begin, index_t count, const double* w, double* out) {
  for (index_t k = 0; k < count; ++k) {
    double sum = 0;
    for (index_t e = X.start[begin + k]; e < X.start[begin + k + 1]; ++e) sum += double(X.value[e]) * w[X.index[e]];
    out[k] = sum;
  }
}

// out += sum over k < count of r[k] x_i, i = begin + k. One pass over those rows.

template <class T>
void add_rmatvec(const RowMajor<T>& X, index_t begin, index_t count, const double* r, double* out) {
  index_t k = 0;
  for (; k + 2 <= count; k += 2) {
    const T *a = X.data + (begin + k) * X.stride, *b = a + X.stride;
#pragma omp simd
    for (index_t j = 0; j < X.columns; ++j) out[j] += r[k] * double(a[j]) + r[k + 1] * double(b[j]);
  }
  if (k < count) {
    const T* a = X.data + (begin + k) * X.stride;
#pragma omp simd
    for (index_t j = 0; j < X.columns; ++j) out[j] += r[k] * double(a[j]);
  }
}

template <class T>
void add_rmatvec(const ColumnMajor<T>& X, index_t begin, index_t count, const double* r, double* out) {
  for (index_t j = 0; j < X.columns; ++j) out[j] += dot(X.data + j * X.stride + begin, r, count);
}

template <class T>
void add_rmatvec(const SparseRows<T>& X, index_t begin, index_t count, const double* r, double* out) {
  for (index_t k = 0; k < count; ++k)
    for (index_t e = X.start[begin + k]; e < X.start[begin + k + 1]; ++e) out[X.index[e]] += r[k] * double(X.value[e]);
}

}  // namespace learnable
