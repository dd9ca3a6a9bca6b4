// Spans: a pointer and a length, nothing owned. Every kernel takes its inputs and outputs as these.
#pragma once

#include <cstddef>
#include <type_traits>

namespace learnable {

using index_t = std::ptrdiff_t;

// A contiguous vector of `size` numbers.
template <class T>
struct View {
  T* data = nullptr;
  index_t size = 0;

  T& operator[](index_t i) const { return data[i]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
  explicit operator bool() const { return data != nullptr; }
  View part(index_t from, index_t count) const { return {data + from, count}; }
  operator View<const T>() const requires(!std::is_const_v<T>) { return {data, size}; }
};

// A matrix whose rows are contiguous; row i starts at data + i * stride.
template <class T>
struct Grid {
  T* data = nullptr;
  index_t rows = 0, columns = 0, stride = 0;

  T& operator()(index_t i, index_t j) const { return data[i * stride + j]; }
  View<T> row(index_t i) const { return {data + i * stride, columns}; }
  explicit operator bool() const { return data != nullptr; }
  operator Grid<const T>() const requires(!std::is_const_v<T>) { return {data, rows, columns, stride}; }
};

}  // namespace learnable
