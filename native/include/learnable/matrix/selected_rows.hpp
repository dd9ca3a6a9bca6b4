// Some rows of a dense design, in a given order, as a design; nothing is copied.
#pragma once

#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

struct SelectedRows {
  static constexpr bool dense = true;
  const AnyDense& base;
  View<const index_t> order;  // row i of this is row order[i] of the base
  index_t rows = order.size, columns = base.columns;
};

namespace detail {

template <class T>
void fill_selected(const RowMajor<T>& X, const index_t* order, index_t count, const double* centre, const double* scale,
                 const Panel& panel, index_t first) {
  for (index_t k = 0; k < count; ++k) fill_panel(X, order[k], 1, centre, scale + k, panel, first + k);
}

template <class T>
void fill_selected(const ColumnMajor<T>& X, const index_t* order, index_t count, const double* centre,
                 const double* scale, const Panel& panel, index_t first) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* column = X.data + j * X.stride;
    for (index_t k = 0; k < count; ++k) panel(first + k, j) = scale[k] * (double(column[order[k]]) - centre[j]);
  }
}

}  // namespace detail

inline void fill_panel(const SelectedRows& X, index_t begin, index_t count, const double* centre, const double* scale,
                       const Panel& panel, index_t first) {
  X.base.visit([&](const auto& design) {
    detail::fill_selected(design, X.order.data + begin, count, centre, scale, panel, first);
  });
}

inline ReadAhead read_ahead(const SelectedRows& X, index_t begin, index_t count, index_t calls) {
  if (!X.base.by_rows) return {};
  const index_t size = X.base.f64 ? sizeof(double) : sizeof(float);
  return {X.base.data, X.columns * size, X.base.stride * size, X.order.part(begin, count), calls};
}

}  // namespace learnable
