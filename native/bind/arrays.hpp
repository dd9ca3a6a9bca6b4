// How Python's matrices become designs and views. Nothing is ever converted or copied: a wrong type is a TypeError.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "learnable/design.hpp"
#include "learnable/numbers.hpp"
#include "learnable/view.hpp"

namespace learnable::bind {

namespace nb = nanobind;

inline void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

template <class T>
using Dense = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;  // any strides; read-only is fine
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

// Calls f(ColumnMajor<T>) or f(RowMajor<T>), whichever the strides allow.
template <class T, class F>
auto with_dense(const Dense<T>& X, F&& f) {
  const index_t rows = X.shape(0), columns = X.shape(1), down = X.stride(0), across = X.stride(1);
  if (down == 1 || rows <= 1) return f(ColumnMajor<T>{X.data(), rows, columns, across});
  if (across == 1 || columns <= 1) return f(RowMajor<T>{X.data(), rows, columns, down});
  throw nb::type_error("the matrix must have contiguous rows or contiguous columns");
}

// Calls f(SparseColumns<...>) or f(SparseRows<...>) for a SciPy CSC or CSR matrix or array.
template <class T, class Index, class F>
auto with_sparse(nb::handle X, F&& f) {
  const auto value = nb::cast<Vector<T>>(X.attr("data"), false);
  const auto index = nb::cast<Vector<Index>>(X.attr("indices"), false);
  const auto start = nb::cast<Vector<Index>>(X.attr("indptr"), false);
  const auto shape = nb::cast<nb::tuple>(X.attr("shape"));
  const index_t rows = nb::cast<index_t>(shape[0]), columns = nb::cast<index_t>(shape[1]);
  const bool sorted = nb::cast<bool>(X.attr("has_sorted_indices"));
  const char* format = nb::cast<const char*>(X.attr("format"));
  const bool by_columns = std::strcmp(format, "csc") == 0;
  const index_t lines = by_columns ? columns : rows, entries = std::min(value.shape(0), index.shape(0));
  require(index_t(start.shape(0)) == lines + 1, "indptr must have one number more than there are lines");
  require(start.data()[0] == 0 && index_t(start.data()[lines]) <= entries,
          "indptr must start at zero and end within the data");
  if (by_columns)
    return f(SparseColumns<T, Index>{rows, columns, value.data(), index.data(), start.data(), sorted});
  if (std::strcmp(format, "csr") == 0)
    return f(SparseRows<T, Index>{rows, columns, value.data(), index.data(), start.data(), sorted});
  throw nb::type_error("a sparse matrix must be CSR or CSC");
}

// Calls f with the design that X is: dense in either order or sparse, float64 or float32, 32- or 64-bit indices.
template <class F>
auto with_design(nb::handle X, F&& f) {
  Dense<double> wide;
  if (nb::try_cast(X, wide, false)) return with_dense<double>(wide, f);
  Dense<float> narrow;
  if (nb::try_cast(X, narrow, false)) return with_dense<float>(narrow, f);
  if (!nb::hasattr(X, "indptr")) throw nb::type_error("a matrix of float64 or float32 is needed");
  Vector<double> value;
  const bool is_wide = nb::try_cast(X.attr("data"), value, false);
  Vector<std::int32_t> index;
  const bool is_short = nb::try_cast(X.attr("indices"), index, false);
  if (is_wide) return is_short ? with_sparse<double, std::int32_t>(X, f) : with_sparse<double, std::int64_t>(X, f);
  return is_short ? with_sparse<float, std::int32_t>(X, f) : with_sparse<float, std::int64_t>(X, f);
}

// Calls f with X as a design whose columns can be read: dense in either order, or CSC. CSR is a TypeError.
template <class F>
auto with_columns(nb::handle X, F&& f) {
  using Result = decltype(f(std::declval<ColumnMajor<double>>()));
  return with_design(X, [&](const auto& design) -> Result {
    if constexpr (requires { design.squared_norm(0); })
      return f(design);
    else
      throw nb::type_error("columns are needed: convert the CSR matrix to CSC first");
  });
}

// Targets, weights or coefficients: one or two axes of float64 or float32 in any strides. None gives an empty one.
inline Numbers numbers(nb::handle values) {
  if (values.is_none()) return {};
  const auto read = [](const auto& array, bool wide) -> Numbers {
    require(array.ndim() == 1 || array.ndim() == 2, "one or two axes are needed");
    const bool flat = array.ndim() == 1;
    return {array.data(), index_t(array.shape(0)), flat ? 1 : index_t(array.shape(1)), index_t(array.stride(0)),
            flat ? 0 : index_t(array.stride(1)), wide};
  };
  nb::ndarray<const double, nb::device::cpu> wide;
  if (nb::try_cast(values, wide, false)) return read(wide, true);
  nb::ndarray<const float, nb::device::cpu> narrow;
  if (nb::try_cast(values, narrow, false)) return read(narrow, false);
  throw nb::type_error("an array of float64 or float32 is needed");
}

inline void require_weights_fit(const Numbers& weight, index_t rows) {
  require(!weight || (weight.rows == rows && weight.columns == 1), "weight must have one number per row of X");
}

inline std::size_t axes(nb::handle array) { return nb::cast<std::size_t>(array.attr("ndim")); }

// A new NumPy array of float64 and where its numbers are.
struct NewArray {
  nb::object array;
  double* data;
};

template <class... Sizes>
NewArray new_array(Sizes... sizes) {
  static const nb::handle empty = nb::object(nb::module_::import_("numpy").attr("empty")).release();
  nb::object array = empty(nb::make_tuple(sizes...));
  double* data = nb::cast<nb::ndarray<double, nb::device::cpu>>(array, false).data();
  return {std::move(array), data};
}

}  // namespace learnable::bind
