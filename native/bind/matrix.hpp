// What Python gives, as it lies in memory. Reading it is the same for all levels and is compiled once, in matrix.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "learnable/matrix/view.hpp"

namespace learnable_python {

namespace nb = nanobind;
using learnable::index_t;

// Throws a ValueError that says so.
[[noreturn]] void refuse(const char* rule);

inline void require(bool holds, const char* rule) {
  if (!holds) refuse(rule);
}

// One or two axes of float64 or float32 in any strides.
struct Table {
  const void* data = nullptr;
  index_t rows = 0, columns = 0;
  index_t down = 0, across = 0;  // strides, in entries
  bool wide = true;              // double, else float
};

// A matrix: a dense one is the table alone; of a sparse one `data` has the entries, as SciPy keeps them.
struct Matrix : Table {
  enum Kind { dense, sparse_columns, sparse_rows } kind = dense;
  const std::int32_t* index = nullptr;
  const index_t* start = nullptr;
  bool sorted = false;                 // whether the places in each line ascend
  std::shared_ptr<const void> kept{};  // what start and index are part of, where they had to be copied
};

// Entries are never converted or copied: a wrong type is a TypeError. Places of sparse entries are, where they have other
// bits than kernels read: 32 for a row or column, 64 for an entry.
Matrix matrix(nb::handle X);

// None gives an empty one.
Table table(nb::handle values);

// A new NumPy array of float64 and where its numbers are.
struct NewArray {
  nb::object array;
  double* data;
};
NewArray new_array(std::initializer_list<index_t> shape);

}  // namespace learnable_python
