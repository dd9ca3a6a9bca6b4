// Matrices with any strides, read entry by entry; and vectors as NumPy arrays.
#pragma once

#include <type_traits>
#include <vector>

#include "arrays.hpp"

namespace learnable::bind {

// A dense matrix in any order of float or double, read entry by entry.
template <class T>
struct Entries {
  const T* data;
  index_t rows, columns, down, across;
  T operator()(index_t i, index_t j) const { return data[i * down + j * across]; }
};

template <class F>
auto with_entries(nb::handle X, F&& f) {
  const Matrix found = matrix(X);
  if (found.kind != Matrix::dense) throw nb::type_error("a dense matrix of float64 or float32 is needed");
  const auto of = [&]<class T>(const T* data) {
    return f(Entries<T>{data, found.rows, found.columns, found.down, found.across});
  };
  return found.f64 ? of(entries<double>(found)) : of(entries<float>(found));
}

// A NumPy array of the values; `kind` is the name of its dtype.
template <class T>
nb::object array_of(const std::vector<T>& values, const char* kind) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(values.size(), kind);
  std::copy(values.begin(), values.end(), nb::cast<nb::ndarray<T, nb::device::cpu>>(array, false).data());
  return array;
}

}  // namespace learnable::bind
