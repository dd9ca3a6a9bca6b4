// A dense design about the means of its columns, without a copy: entries are x_ij - mean_j, formed as they are read.
//
// Where columns are far from zero, products with uncentred entries lose the digits in which their rows differ.
#pragma once

#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/row_matvec.hpp"

namespace learnable {

template <class Design>
struct CentredDesign {
  static constexpr bool dense = true;
  const Design& given;
  const double* mean;
  index_t rows, columns;

  CentredDesign(const Design& given, const double* mean)
      : given(given), mean(mean), rows(given.rows), columns(given.columns) {}
};

namespace detail {

// The sum of term(i) over i < n, in eight running sums as in `dot`.
template <class Term>
inline double summed(index_t n, Term&& term) {
  double sums[8] = {};
  index_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane) sums[lane] += term(i + lane);
  double tail = 0;
  for (; i < n; ++i) tail += term(i);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + tail;
}

}  // namespace detail

template <class T>
void row_scores(const CentredDesign<RowMajor<T>>& X, index_t begin, index_t count, const double* w, double* out) {
  for (index_t k = 0; k < count; ++k) {
    const T* row = X.given.data + (begin + k) * X.given.stride;
    out[k] = detail::summed(X.columns, [&](index_t j) { return (double(row[j]) - X.mean[j]) * w[j]; });
  }
}

template <class T>
void row_scores(const CentredDesign<ColumnMajor<T>>& X, index_t begin, index_t count, const double* w, double* out) {
  for (index_t k = 0; k < count; ++k) out[k] = 0;
  for (index_t j = 0; j < X.columns; ++j) {
    const T* column = X.given.data + j * X.given.stride + begin;
    const double mean = X.mean[j], factor = w[j];
#pragma omp simd
    for (index_t k = 0; k < count; ++k) out[k] += factor * (double(column[k]) - mean);
  }
}

template <class T>
void add_rmatvec(const CentredDesign<RowMajor<T>>& X, index_t begin, index_t count, const double* r, double* out) {
  for (index_t k = 0; k < count; ++k) {
    const T* row = X.given.data + (begin + k) * X.given.stride;
#pragma omp simd
    for (index_t j = 0; j < X.columns; ++j) out[j] += r[k] * (double(row[j]) - X.mean[j]);
  }
}

template <class T>
void add_rmatvec(const CentredDesign<ColumnMajor<T>>& X, index_t begin, index_t count, const double* r, double* out) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* column = X.given.data + j * X.given.stride + begin;
    out[j] += detail::summed(count, [&](index_t k) { return (double(column[k]) - X.mean[j]) * r[k]; });
  }
}

template <class Design>
void fill_panel(const CentredDesign<Design>& X, index_t begin, index_t count, const double* centre, const double* scale,
                const Panel& panel, index_t first) {
  const Buffer both(X.columns);
  for (index_t j = 0; j < X.columns; ++j) both[j] = X.mean[j] + centre[j];
  fill_panel(X.given, begin, count, both.data(), scale, panel, first);
}

}  // namespace learnable
