// Matrices read entry by entry, whatever their strides, or by parts of columns; and columns of numbers given back.
#pragma once

#include <type_traits>
#include <vector>

#include "arrays.hpp"

namespace learnable::bind {

// A dense matrix in any order of float or double, read entry by entry.
template <class T>
struct Entries {
  using Number = T;
  const T* data;
  index_t rows, columns, down, across;
  T operator()(index_t i, index_t j) const { return data[i * down + j * across]; }
  void read(index_t j, index_t begin, index_t end, T* out) const {
    for (index_t i = begin; i < end; ++i) out[i - begin] = (*this)(i, j);
  }
};

// A matrix of compressed columns, of which parts of columns are read.
template <class T, class Index>
struct SparseEntries {
  using Number = T;
  SparseColumns<T, Index> X;
  index_t rows = X.rows, columns = X.columns;
  void read(index_t j, index_t begin, index_t end, T* out) const {
    std::fill(out, out + (end - begin), T(0));
    const Index *at = X.index + X.start[j], *last = X.index + X.start[j + 1];
    if (X.sorted) at = std::lower_bound(at, last, Index(begin));
    for (; at != last && !(X.sorted && *at >= end); ++at)
      if (*at >= begin && *at < end) out[*at - begin] += X.value[at - X.index];
  }
};

template <class F>
auto with_entries(nb::handle X, F&& f) {
  const auto entries = [](const auto& array) {
    return Entries<std::remove_const_t<std::remove_pointer_t<decltype(array.data())>>>{
        array.data(), index_t(array.shape(0)), index_t(array.shape(1)), index_t(array.stride(0)), index_t(array.stride(1))};
  };
  Dense<double> wide;
  if (nb::try_cast(X, wide, false)) return f(entries(wide));
  Dense<float> narrow;
  if (nb::try_cast(X, narrow, false)) return f(entries(narrow));
  throw nb::type_error("a matrix of float64 or float32 is needed");
}

// The same, for dense matrices and for compressed columns, of which only parts of columns can be read.
template <class F>
void with_column_entries(nb::handle X, F&& f) {
  if (!nb::hasattr(X, "indptr")) return with_entries(X, f);
  with_design(X, [&]<class Design>(const Design& design) {
    if constexpr (requires { SparseEntries{design}; })
      f(SparseEntries{design});
    else
      throw nb::type_error("a sparse matrix must be CSC");
  });
}

// Numbers as an array of NumPy, whose word for their type is `kind`.
template <class T>
nb::object array_of(const std::vector<T>& values, const char* kind) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(values.size(), kind);
  std::copy(values.begin(), values.end(), nb::cast<nb::ndarray<T, nb::device::cpu>>(array, false).data());
  return array;
}

}  // namespace learnable::bind
