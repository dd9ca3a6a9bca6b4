// Conversion of Python arguments to designs and views.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/view.hpp"
#include "matrix.hpp"

namespace learnable::bind {

namespace nb = nanobind;
using learnable_python::matrix;
using learnable_python::Matrix;
using learnable_python::NewArray;
using learnable_python::require;
using learnable_python::Table;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using VectorOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using RowsOut = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
View<const T> view(const Vector<T>& a) { return {a.data(), index_t(a.shape(0))}; }
template <class T>
View<T> view(const VectorOut<T>& a) { return {a.data(), index_t(a.shape(0))}; }
template <class T>
Grid<const T> view(const Rows<T>& a) {
  return {a.data(), index_t(a.shape(0)), index_t(a.shape(1)), index_t(a.shape(1))};
}
template <class T>
Grid<T> view(const RowsOut<T>& a) {
  return {a.data(), index_t(a.shape(0)), index_t(a.shape(1)), index_t(a.shape(1))};
}

// Kinds of designs that a kernel takes. Adjoining rows are contiguous.
enum Kinds { dense_columns = 1, dense_rows = 2, sparse_columns = 4, sparse_rows = 8, adjoining_rows = 16 };

template <class T>
const T* entries(const Table& X) { return static_cast<const T*>(X.data); }

template <unsigned kinds, class T, class F>
auto with_kind(const Matrix& X, F&& f, const char* needed) {
  const bool dense = X.kind == Matrix::dense, whole_rows = X.across == 1 || X.columns <= 1;
  if constexpr (kinds & dense_columns)
    if (dense && (X.down == 1 || X.rows <= 1)) return f(ColumnMajor<T>{entries<T>(X), X.rows, X.columns, X.across});
  if constexpr (kinds & dense_rows)
    if (dense && whole_rows) return f(RowMajor<T>{entries<T>(X), X.rows, X.columns, X.down});
  if constexpr (kinds & adjoining_rows)
    if (dense && whole_rows && (X.down == X.columns || X.rows <= 1))
      return f(RowMajor<T>{entries<T>(X), X.rows, X.columns, X.columns});
  if constexpr (kinds & sparse_columns)
    if (X.kind == Matrix::sparse_columns)
      return f(SparseColumns<T>{X.rows, X.columns, entries<T>(X), X.index, X.start, X.sorted, X.kept});
  if constexpr (kinds & sparse_rows)
    if (X.kind == Matrix::sparse_rows)
      return f(SparseRows<T>{X.rows, X.columns, entries<T>(X), X.index, X.start, X.sorted, X.kept});
  throw nb::type_error(needed);
}

// Calls f with X as a design of float64 or float32; other kinds are a TypeError with the message `needed`.
template <unsigned kinds, class F>
auto with_some(nb::handle X, F&& f, const char* needed) {
  const Matrix found = matrix(X);
  return found.f64 ? with_kind<kinds, double>(found, f, needed) : with_kind<kinds, float>(found, f, needed);
}

template <class F>
auto with_design(nb::handle X, F&& f) {
  return with_some<dense_columns | dense_rows | sparse_columns | sparse_rows>(
      X, f, "the matrix must have contiguous rows or contiguous columns");
}

template <class F>
auto with_dense_design(nb::handle X, F&& f) {
  return with_some<dense_columns | dense_rows>(X, f, "a dense matrix with contiguous rows or columns is needed");
}

// With X as a design whose columns can be read: dense in either order, or CSC.
template <class F>
auto with_columns(nb::handle X, F&& f) {
  return with_some<dense_columns | dense_rows | sparse_columns>(
      X, f, "columns are needed: convert the CSR matrix to CSC first");
}

// With X as a design whose rows can be read one at a time: C-contiguous or CSR.
template <class F>
auto with_rows(nb::handle X, F&& f) {
  return with_some<adjoining_rows | sparse_rows>(X, f, "rows are needed: pass a C-contiguous array or a CSR matrix");
}

template <class F>
auto with_dense_rows(nb::handle X, F&& f) {
  return with_some<adjoining_rows>(X, f, "C-contiguous rows of float64 or float32 are needed");
}

// Targets, weights or coefficients: one or two axes of float64 or float32 in any strides. None is an empty table.
inline Numbers numbers(nb::handle values) {
  const Table found = learnable_python::table(values);
  return {found.data, found.rows, found.columns, found.down, found.across, found.f64};
}

inline void require_weights_fit(const Numbers& weight, index_t rows) {
  require(!weight || (weight.rows == rows && weight.columns == 1), "weight must have one number per row of X");
}

inline std::size_t axes(nb::handle array) { return nb::cast<std::size_t>(array.attr("ndim")); }

template <class... Sizes>
NewArray new_array(Sizes... sizes) {
  return learnable_python::new_array({index_t(sizes)...});
}

}  // namespace learnable::bind
