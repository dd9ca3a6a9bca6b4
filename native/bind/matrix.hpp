// Memory layout of Python arguments. Reading it is the same for all levels and is compiled once, in matrix.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "learnable/matrix/view.hpp"

namespace learnable_python {

namespace nb = nanobind;
using learnable::index_t;

// Throws a ValueError with this message.
[[noreturn]] void refuse(const char* rule);

inline void require(bool holds, const char* rule) {
  if (!holds) refuse(rule);
}

// One or two axes of float64 or float32 in any strides.
struct Table {
  const void* data = nullptr;
  index_t rows = 0, columns = 0;
  index_t down = 0, across = 0;  // strides, in entries
  bool f64 = true;              // double, else float
};

// A matrix: a dense one is just the table; for a sparse one `data` holds the entries, in SciPy's layout.
struct Matrix : Table {
  enum Kind { dense, sparse_columns, sparse_rows } kind = dense;
  const std::int32_t* index = nullptr;
  const index_t* start = nullptr;
  bool sorted = false;                 // whether the indices in each line are ascending
  std::shared_ptr<const void> kept{};  // owner of start and index, if they are copies
};

// Entries are never converted or copied: a wrong type is a TypeError. Indices of sparse matrices are converted if they
// are not of the width of the kernels: 32 bits for a row or column, 64 for an entry.
Matrix matrix(nb::handle X);

// None is an empty table.
Table table(nb::handle values);

// A new NumPy array of float64 and its data.
struct NewArray {
  nb::object array;
  double* data;
};
NewArray new_array(std::initializer_list<index_t> shape);

}  // namespace learnable_python
