// Some rows of a dense design, in a given order, as a design of their own; nothing is copied.
#pragma once

#include "learnable/panel.hpp"
#include "learnable/read_ahead.hpp"
#include "learnable/view.hpp"

namespace learnable {

template <class Base>
struct ChosenRows {
  static constexpr bool dense = true;
  const Base& base;
  View<const index_t> order;  // row i of this is row order[i] of the base
  index_t rows = order.size, columns = base.columns;
};

template <class T>
void fill_panel(const ChosenRows<RowMajor<T>>& X, index_t begin, index_t count, const double* centre,
                const double* scale, const Panel& panel, index_t first) {
  constexpr index_t ahead = 6, line = 64 / sizeof(T);  // rows that are asked of memory early
  for (index_t k = 0; k < count; ++k) {
    if (begin + k + ahead < X.rows) {
      const T* next = X.base.data + X.order[begin + k + ahead] * X.base.stride;
      for (index_t j = 0; j < X.columns; j += line) __builtin_prefetch(next + j);
    }
    fill_panel(X.base, X.order[begin + k], 1, centre, scale + k, panel, first + k);
  }
}

template <class T>
void fill_panel(const ChosenRows<ColumnMajor<T>>& X, index_t begin, index_t count, const double* centre,
                const double* scale, const Panel& panel, index_t first) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* column = X.base.data + j * X.base.stride;
    for (index_t k = 0; k < count; ++k)
      panel(first + k, j) = scale[k] * (double(column[X.order[begin + k]]) - centre[j]);
  }
}

// Rows that are far apart are not asked for ahead: the processor sees them coming well enough.
template <class Base>
ReadAhead read_ahead(const ChosenRows<Base>&, index_t, index_t, index_t) {
  return {};
}

}  // namespace learnable
