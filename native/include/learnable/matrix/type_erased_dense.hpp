// Type-erased designs. Kernels that read the data through panels, or row by row, are compiled once for these instead of
// once per storage.
#pragma once

#include "learnable/matrix/prefetch.hpp"
#include "learnable/matrix/row_panel.hpp"

namespace learnable {

// A dense design in either order and precision.
struct AnyDense {
  static constexpr bool dense = true;
  const void* data;
  index_t rows, columns, stride;
  bool by_rows, f64;  // row-major, else column-major; double, else float

  template <class T>
  AnyDense(const RowMajor<T>& X)
      : data(X.data), rows(X.rows), columns(X.columns), stride(X.stride), by_rows(true), f64(sizeof(T) == 8) {}
  template <class T>
  AnyDense(const ColumnMajor<T>& X)
      : data(X.data), rows(X.rows), columns(X.columns), stride(X.stride), by_rows(false), f64(sizeof(T) == 8) {}

  template <class T>
  const T* entries() const { return static_cast<const T*>(data); }

  // f(design) for the design of this storage.
  template <class F>
  auto visit(F&& f) const {
    if (by_rows)
      return f64 ? f(RowMajor<double>{entries<double>(), rows, columns, stride})
                  : f(RowMajor<float>{entries<float>(), rows, columns, stride});
    return f64 ? f(ColumnMajor<double>{entries<double>(), rows, columns, stride})
                : f(ColumnMajor<float>{entries<float>(), rows, columns, stride});
  }
};

[[gnu::noinline]] inline void fill_panel(const AnyDense& X, index_t begin, index_t count, const double* centre,
                                         const double* scale, const Panel& panel, index_t first) {
  X.visit([&](const auto& design) { fill_panel(design, begin, count, centre, scale, panel, first); });
}

inline ReadAhead read_ahead(const AnyDense& X, index_t begin, index_t count, index_t calls) {
  return X.visit([&](const auto& design) { return read_ahead(design, begin, count, calls); });
}

// Any design from which panels are filled, which must outlive this.
struct PanelRows {
  index_t rows, columns;
  const void* design;
  void (*fill)(const void* design, index_t begin, index_t count, const double* centre, const double* scale,
               const Panel& panel, index_t first);
  ReadAhead (*ahead)(const void* design, index_t begin, index_t count, index_t calls);

  template <class Design>
  PanelRows(const Design& X)
      : rows(X.rows), columns(X.columns), design(&X),
        fill([](const void* design, index_t begin, index_t count, const double* centre, const double* scale,
                const Panel& panel, index_t first) {
          fill_panel(*static_cast<const Design*>(design), begin, count, centre, scale, panel, first);
        }),
        ahead([](const void* design, index_t begin, index_t count, index_t calls) {
          return read_ahead(*static_cast<const Design*>(design), begin, count, calls);
        }) {}
};

inline void fill_panel(const PanelRows& X, index_t begin, index_t count, const double* centre, const double* scale,
                       const Panel& panel, index_t first) {
  X.fill(X.design, begin, count, centre, scale, panel, first);
}

inline ReadAhead read_ahead(const PanelRows& X, index_t begin, index_t count, index_t calls) {
  return X.ahead(X.design, begin, count, calls);
}

}  // namespace learnable
