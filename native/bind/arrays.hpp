// How Python's matrices become designs and views. Entries are never converted or copied: a wrong type is a TypeError.
// Places of sparse entries are, where they have other bits than kernels read: 32 for a row or column, 64 for an entry.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

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

// Whole numbers of 32 or 64 bits as `To`: those that are there, or a copy.
template <class To>
View<const To> whole_numbers(nb::handle array, std::vector<To>& copy) {
  Vector<To> there;
  if (nb::try_cast(array, there, false)) return view(there);
  using From = std::conditional_t<std::is_same_v<To, line_t>, std::int64_t, std::int32_t>;
  const auto given = nb::cast<Vector<From>>(array, false);
  copy.assign(given.data(), given.data() + given.shape(0));
  return {copy.data(), index_t(copy.size())};
}

struct LineCopies {
  std::vector<line_t> index;
  std::vector<index_t> start;
};

inline bool has_format(nb::handle X, const char* format) {
  return std::strcmp(nb::cast<const char*>(X.attr("format")), format) == 0;
}

// A SciPy CSC or CSR matrix or array as the design of that kind, SparseColumns or SparseRows.
template <template <class> class Design, class T>
Design<T> sparse_design(nb::handle X) {
  const auto shape = nb::cast<nb::tuple>(X.attr("shape"));
  const index_t rows = nb::cast<index_t>(shape[0]), columns = nb::cast<index_t>(shape[1]);
  const index_t lines = std::is_same_v<Design<T>, SparseColumns<T>> ? columns : rows;
  const auto value = nb::cast<Vector<T>>(X.attr("data"), false);
  const auto copies = std::make_shared<LineCopies>();
  const auto index = whole_numbers(X.attr("indices"), copies->index);
  const auto start = whole_numbers(X.attr("indptr"), copies->start);
  require(std::max(rows, columns) <= std::numeric_limits<line_t>::max(), "a sparse matrix has too many rows or columns");
  require(start.size == lines + 1, "indptr must have one number more than there are lines");
  require(start[0] == 0 && start[lines] <= std::min(index_t(value.shape(0)), index.size),
          "indptr must start at zero and end within the data");
  const bool sorted = nb::cast<bool>(X.attr("has_sorted_indices"));
  return {rows, columns, value.data(), index.data, start.data, sorted, copies};
}

// Calls f(SparseColumns<T>) or f(SparseRows<T>), whichever X is.
template <class T, class F>
auto with_sparse(nb::handle X, F&& f) {
  if (has_format(X, "csc")) return f(sparse_design<SparseColumns, T>(X));
  if (has_format(X, "csr")) return f(sparse_design<SparseRows, T>(X));
  throw nb::type_error("a sparse matrix must be CSR or CSC");
}

// Calls f with the design that X is: dense in either order or sparse, float64 or float32.
template <class F>
auto with_design(nb::handle X, F&& f) {
  Dense<double> wide;
  if (nb::try_cast(X, wide, false)) return with_dense<double>(wide, f);
  Dense<float> narrow;
  if (nb::try_cast(X, narrow, false)) return with_dense<float>(narrow, f);
  if (!nb::hasattr(X, "indptr")) throw nb::type_error("a matrix of float64 or float32 is needed");
  Vector<double> value;
  const bool is_wide = nb::try_cast(X.attr("data"), value, false);
  return is_wide ? with_sparse<double>(X, f) : with_sparse<float>(X, f);
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
