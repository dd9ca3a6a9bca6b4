// Some rows of a dense design, in a given order, as a design of their own; nothing is copied.
#pragma once

#include <algorithm>

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
  for (index_t k = 0; k < count; ++k)
    fill_panel(X.base, X.order[begin + k], 1, centre, scale + k, panel, first + k);
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

// Asks for the rows that come next, some at a call.
template <class T>
class RowsAhead {
 public:
  RowsAhead(const ChosenRows<RowMajor<T>>& X, index_t begin, index_t count, index_t calls)
      : X_(X), next_(begin), end_(begin + count), step_(count / std::max<index_t>(calls, 1) + 1) {}

  void operator()() {
    constexpr index_t line = 64 / sizeof(T);
    for (const index_t end = std::min(end_, next_ + step_); next_ < end; ++next_) {
      const T* row = X_.base.data + X_.order[next_] * X_.base.stride;
      for (index_t j = 0; j < X_.columns; j += line) __builtin_prefetch(row + j, 0, 2);
    }
  }

 private:
  const ChosenRows<RowMajor<T>>& X_;
  index_t next_, end_, step_;
};

template <class T>
RowsAhead<T> read_ahead(const ChosenRows<RowMajor<T>>& X, index_t begin, index_t count, index_t calls) {
  return {X, begin, count, calls};
}

template <class T>
ReadAhead read_ahead(const ChosenRows<ColumnMajor<T>>&, index_t, index_t, index_t) {
  return {};
}

}  // namespace learnable
